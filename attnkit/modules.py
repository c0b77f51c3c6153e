"""What the models of the book are built from: torch modules that hold weights and call the functions.

Everything is batch first, rows are items, masks are True where attention may go
(torch.nn.MultiheadAttention means the opposite by its boolean masks), and every
module returns ``(output, weights)``.
"""

import math
from contextlib import contextmanager
from copy import deepcopy

import torch
from torch import nn

from attnkit import checks, scores
from attnkit.attention import attention, multi_head_attention


def _weight(rows, columns):
    """A matrix to be learned, its numbers drawn so that variances stay about the same (Glorot and Bengio, 2010)."""
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(rows, columns)))


def _bias(columns, wanted):
    return nn.Parameter(torch.zeros(columns)) if wanted else None


def _count_or(default, value, name):
    """An integer of at least one, or the default in place of None."""
    return default if value is None else checks.count(value, name)


class MultiHeadAttention(nn.Module):
    """The eight arrays that `multi_head_attention` needs, to be learned.

    Parameters
    ----------
    width : int
        d, the width of the queries' items and of the output.
    num_heads : int
        h
    key_width, value_width : int, optional
        The widths of the items that keys and values are made from; `width` if not given.
    head_width : int, optional
        The width of a query, a key and a value in one head; width / h, which must then be whole, if not given.
    bias : bool
        Whether to add one after each projection.

    Raises
    ------
    ValueError
        `head_width` is not given and h does not divide d.

    Examples
    --------
    >>> import torch
    >>> attend = MultiHeadAttention(6, num_heads=2)
    >>> x = torch.ones(5, 4, 6)                 # five sequences of four items
    >>> output, weights = attend(x)
    >>> tuple(output.shape), tuple(weights.shape)
    ((5, 4, 6), (5, 2, 4, 4))

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2.
    Chapter: multi_head.
    """

    def __init__(self, width, num_heads, *, key_width=None, value_width=None, head_width=None, bias=True):
        super().__init__()
        width, self.num_heads = checks.count(width, "width"), checks.count(num_heads, "num_heads")
        if head_width is None and width % self.num_heads:
            raise ValueError(f"num_heads must divide width, or give head_width; got {num_heads} and {width}")
        inner = self.num_heads * _count_or(width // self.num_heads, head_width, "head_width")
        key_width, value_width = _count_or(width, key_width, "key_width"), _count_or(width, value_width, "value_width")
        self.w_query, self.b_query = _weight(width, inner), _bias(inner, bias)
        self.w_key, self.b_key = _weight(key_width, inner), _bias(inner, bias)
        self.w_value, self.b_value = _weight(value_width, inner), _bias(inner, bias)
        self.w_output, self.b_output = _weight(inner, width), _bias(width, bias)

    def forward(self, query, key=None, value=None, *, mask=None):
        """Self-attention of `query` alone, or attention of `query` to `key` and `value` (`key` if not given)."""
        key = query if key is None else key
        value = key if value is None else value
        return multi_head_attention(query, key, value, num_heads=self.num_heads, mask=mask, **self.arrays())

    def arrays(self):
        """The weights under the names that `multi_head_attention` gives them."""
        return {f"{kind}_{name}": getattr(self, f"{kind}_{name}")
                for kind in "wb" for name in ("query", "key", "value", "output")}

    def extra_repr(self):
        """What torch prints for this module."""
        width, inner = self.w_query.shape
        return f"width={width}, num_heads={self.num_heads}, head_width={inner // self.num_heads}"

    @classmethod
    def from_torch(cls, module):
        """One with the weights of a torch.nn.MultiheadAttention.

        Called batch first and with masks turned round it gives the same numbers, weights for each head.
        """
        if module.bias_k is not None or module.add_zero_attn:
            raise ValueError("bias_k and add_zero_attn of torch.nn.MultiheadAttention have no counterpart here")
        if module.in_proj_weight is not None:
            w_query, w_key, w_value = module.in_proj_weight.chunk(3)
        else:
            w_query, w_key, w_value = module.q_proj_weight, module.k_proj_weight, module.v_proj_weight
        biased = module.in_proj_bias is not None
        made = cls(module.embed_dim, module.num_heads, key_width=module.kdim, value_width=module.vdim, bias=biased)
        # torch keeps a layer's weights as (columns out, columns in).
        weights = {"w_query": w_query.T, "w_key": w_key.T, "w_value": w_value.T, "w_output": module.out_proj.weight.T}
        if biased:
            weights |= dict(zip(("b_query", "b_key", "b_value"), module.in_proj_bias.chunk(3)))
            weights["b_output"] = module.out_proj.bias
        return _loaded(made, weights, module.out_proj.weight)


class AttentionPooling(nn.Module):
    """One vector for a set of any size: the average of its items, weighted by how well each answers a learned query.

    Parameters
    ----------
    width : int
        d, the width of an item.
    hidden : int, optional
        With it, keys are tanh(x W + b) of this width; without, the items are their own keys.

    Examples
    --------
    >>> import torch
    >>> pool = AttentionPooling(3)
    >>> output, weights = pool(torch.ones(2, 5, 3))
    >>> tuple(output.shape), weights.shape == (2, 5), bool((weights == 1 / 5).all())
    ((2, 3), True, True)

    References
    ----------
    Yang et al. (2016), "Hierarchical Attention Networks for Document Classification", section 2.2.
    Chapter: document_classifier.
    """

    def __init__(self, width, hidden=None):
        super().__init__()
        keys = _count_or(checks.count(width, "width"), hidden, "hidden")
        self.query = _weight(1, keys)
        self.w_key, self.b_key = (None, None) if hidden is None else (_weight(width, keys), _bias(keys, True))

    def forward(self, x, mask=None):
        """Items x (..., m, d) and mask (..., m), True = counts; gives output (..., d) and weights (..., m)."""
        key = x if self.w_key is None else torch.tanh(x @ self.w_key + self.b_key)
        if mask is not None:
            checks.mask(mask, x.shape[:-1], x)
            mask = mask[..., None, :]
        output, weights = attention(self.query, key, x, mask=mask, scale=1.0)      # (..., 1, d), (..., 1, m)
        return output[..., 0, :], weights[..., 0, :]

    def extra_repr(self):
        """What torch prints for this module."""
        return f"hidden={self.query.shape[1]}" if self.w_key is not None else f"width={self.query.shape[1]}"


class TransformerBlock(nn.Module):
    """Attention between items, then a small network on each, both added to what came in.

    Parameters
    ----------
    width : int
        d
    num_heads : int
        h, a divisor of d.
    hidden : int, optional
        The hidden units of the network; 4 d if not given.
    norm : "post" or "pre"
        Layer normalisation of each sum (the original), or of what goes into each part.
    activation : "relu" or "gelu"
    cross : bool
        With a second attention, from the items to a `memory`: a decoder's block.

    Raises
    ------
    ValueError
        `norm` or `activation` is none of the words above, or h does not divide d.

    Examples
    --------
    >>> import torch
    >>> block = TransformerBlock(8, num_heads=2, norm="pre")
    >>> output, weights = block(torch.ones(5, 4, 8))
    >>> tuple(output.shape), tuple(weights.shape)
    ((5, 4, 8), (5, 2, 4, 4))

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.1; Xiong et al.
    (2020), "On Layer Normalization in the Transformer Architecture", on the place of the norm.
    Chapter: transformer.
    """

    def __init__(self, width, num_heads, *, hidden=None, norm="post", activation="relu", cross=False):
        super().__init__()
        activations = {"relu": nn.ReLU, "gelu": nn.GELU}
        if norm not in ("post", "pre"):
            raise ValueError(f"norm must be 'post' or 'pre', got {norm!r}")
        if activation not in activations:
            raise ValueError(f"activation must be 'relu' or 'gelu', got {activation!r}")
        self.norm = norm
        hidden = _count_or(4 * width, hidden, "hidden")
        self.attend, self.attend_norm = MultiHeadAttention(width, num_heads), nn.LayerNorm(width)
        if cross:
            self.attend_memory, self.memory_norm = MultiHeadAttention(width, num_heads), nn.LayerNorm(width)
        self.network = nn.Sequential(nn.Linear(width, hidden), activations[activation](), nn.Linear(hidden, width))
        self.network_norm = nn.LayerNorm(width)

    def forward(self, x, memory=None, *, mask=None, memory_mask=None):
        """Items x (..., n, d); gives output (..., n, d) and weights (..., h, n, n).

        A block with `cross` needs a `memory` (..., m, d), and its weights are a
        pair: those over the items and those over the memory (..., h, n, m).
        """
        cross = hasattr(self, "attend_memory")
        if cross != (memory is not None):
            raise ValueError("a memory goes with a block made with cross=True, "
                             f"got cross={cross} and memory {'missing' if cross else 'given'}")
        x, weights = self._add(x, self.attend_norm, lambda x: self.attend(x, mask=mask))
        if cross:
            x, to_memory = self._add(x, self.memory_norm, lambda x: self.attend_memory(x, memory, mask=memory_mask))
            weights = (weights, to_memory)
        x, _ = self._add(x, self.network_norm, lambda x: (self.network(x), None))
        return x, weights

    def _add(self, x, norm, part):
        """x plus what a part makes of it, with the normalisation where it belongs."""
        made, weights = part(norm(x) if self.norm == "pre" else x)
        return (x + made if self.norm == "pre" else norm(x + made)), weights

    def extra_repr(self):
        """What torch prints for this module."""
        return f"norm={self.norm!r}"

    @classmethod
    def from_torch(cls, layer):
        """One with the weights of a torch.nn.TransformerEncoderLayer or TransformerDecoderLayer.

        Called batch first and with masks turned round it gives the layer's numbers, without dropout.
        """
        cross = isinstance(layer, nn.TransformerDecoderLayer)
        activations = {nn.functional.relu: nn.ReLU(), nn.functional.gelu: nn.GELU()}
        activation = activations.get(layer.activation, layer.activation)
        if not isinstance(activation, nn.Module):
            raise ValueError(f"the layer's activation must be relu, gelu or a module, got {activation}")
        made = cls(layer.linear1.in_features, layer.self_attn.num_heads, norm="pre" if layer.norm_first else "post")
        made.attend, made.attend_norm = MultiHeadAttention.from_torch(layer.self_attn), deepcopy(layer.norm1)
        if cross:
            made.attend_memory = MultiHeadAttention.from_torch(layer.multihead_attn)
            made.memory_norm = deepcopy(layer.norm2)
        made.network = nn.Sequential(*deepcopy([layer.linear1, activation, layer.linear2]))
        made.network_norm = deepcopy(layer.norm3 if cross else layer.norm2)
        return made


class Translator(nn.Module):
    """A recurrent encoder and decoder with attention between them.

    The encoder reads the source both ways; the annotation of a word is its two
    states and its embedding, side by side.  At each step the decoder compares its
    last state with all annotations, blends them by the weights, and from the blend
    and the last word makes its new state and a score for every target word.

    Two choices make its weights readable.  The decoder begins with a state that is the same for
    all sentences: whatever it knows of one came through the weights.  The encoder's states are narrow, above all
    the one that reads backwards: an annotation has the word itself, something of what came before and hints of what
    follows, and who wants a word has to look at it.

    Parameters
    ----------
    source_size, target_size : int
        The numbers of words (tokens) in the two vocabularies.
    width : int
        d, of an annotation, of the decoder's state and of a target word's embedding.
    states : pair of int, optional
        How much of an annotation the state of the encoder reading forwards takes, and the one reading backwards, at
        most as much; 3 d / 10 and d / 9 if not given. The embedding has the rest.
    score : "additive", "general", "dot", "scaled_dot" or "cosine"
        How a state and an annotation are compared, see `attnkit.scores`.
    dropout : float
        The share of the numbers in embeddings and read-out set to zero while training.

    Raises
    ------
    ValueError
        `score` is none of the words above; the states leave no room for the embedding, or the second is wider.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> model = Translator(10, 12, width=8)
    >>> source, target = torch.tensor([[3, 4, 5]]), torch.tensor([[1, 6]])
    >>> scores, weights = model(source, target)
    >>> tuple(scores.shape), tuple(weights.shape)
    ((1, 2, 12), (1, 2, 3))
    >>> words, weights = model.translate(source, start=1, end=2, longest=4)
    >>> len(words[0]) == len(weights[0]) <= 4
    True

    References
    ----------
    Bahdanau et al. (2015), "Neural Machine Translation by Jointly Learning to
    Align and Translate"; Luong et al. (2015), "Effective Approaches to
    Attention-based Neural Machine Translation", on the score.
    Chapter: translation.
    """

    def __init__(self, source_size, target_size, width=54, *, states=None, score="additive", dropout=0.0):
        super().__init__()
        if score not in ("additive", "general", "dot", "scaled_dot", "cosine"):
            raise ValueError(f"score must be additive, general, dot, scaled_dot or cosine, got {score!r}")
        checks.count(width, "width")
        forwards, backwards = (max(1, 3 * width // 10), max(1, width // 9)) if states is None else states
        checks.count(backwards, "the second of states")
        if backwards > checks.count(forwards, "the first of states"):
            raise ValueError(f"the second of states must not be wider than the first, got {forwards} and {backwards}")
        if forwards + backwards >= width:
            raise ValueError(f"states of {forwards} and {backwards} leave no room for the embedding in {width}")
        self.from_states = forwards + backwards
        self.score_name = score
        self.source_words = nn.Embedding(source_size, width - self.from_states)
        self.target_words = nn.Embedding(target_size, width)
        for words in (self.source_words, self.target_words):
            nn.init.normal_(words.weight, std=0.3)          # small, so that what is learned soon outweighs chance
        self.encoder = nn.GRU(width - self.from_states, forwards, bidirectional=True)
        self.first_state = nn.Parameter(torch.zeros(width))
        self.decoder = nn.GRUCell(2 * width, width)
        self.read = nn.Linear(3 * width, target_size)
        self.dropout = _Dropout(dropout)
        if score == "additive":
            self.w_query, self.w_key = _weight(width, width), _weight(width, width)
            self.v = nn.Parameter(torch.randn(width) / math.sqrt(width))
        elif score == "general":
            self.weight = _weight(width, width)

    def score(self, query, key):
        """Compare decoder states (..., n, d) with annotations (..., m, d)."""
        own = {"additive": ("w_query", "w_key", "v"), "general": ("weight",)}.get(self.score_name, ())
        return getattr(scores, self.score_name)(query, key, *(getattr(self, name) for name in own))

    def encode(self, source, mask=None):
        """Read the source: words (b, m) and mask (b, m), True = a word, False = padding at the end.

        Gives the annotations (b, m, d) and the decoder's first state (b, d), learned, the same for all.
        """
        words = self.dropout(self.source_words(source))
        mask = torch.ones_like(source) if mask is None else mask
        lengths = self.lengths(mask)
        packed = nn.utils.rnn.pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True,
                                                     total_length=source.shape[1])
        annotations = self.annotate(states, words) * mask[..., None]
        return annotations, self.first_state.expand(len(source), -1)

    @staticmethod
    def lengths(mask):
        """The number of words in each sentence (b,), of a mask (b, m) that is True for words and False after them."""
        lengths = mask.sum(1)
        if not (lengths > 0).all() or (mask[:, 1:] > mask[:, :-1]).any():
            raise ValueError("mask must be True for the words of a sentence, at least one, "
                             "and False for the padding after them")
        return lengths

    def annotate(self, states, words):
        """What the decoder may look at: their part of the encoder's states, forward and backward, and embeddings."""
        return torch.cat([states[..., :self.from_states], words], dim=-1)

    def look(self, state, annotations, mask=None):
        """Compare a state (b, d) with annotations (b, m, d): the blend (b, d) and the weights (b, m)."""
        mask = None if mask is None else mask[:, None, :]
        blend, weights = attention(state[:, None, :], annotations, annotations,
                                   mask=mask, score=self.score)
        return blend[:, 0], weights[:, 0]

    def step(self, word, state, annotations, mask=None):
        """One word (b,) further: scores (b, target_size), the new state (b, d), and weights (b, m)."""
        context, weights = self.look(state, annotations, mask)
        word = self.dropout(self.target_words(word))
        state = self.decoder(torch.cat([word, context], dim=1), state)
        known = self.dropout(torch.cat([state, context, word], dim=1))
        return self.read(known), state, weights

    def forward(self, source, target, mask=None):
        """Teacher forcing: at every step the right last word is given.

        Source (b, m), target (b, t) beginning with the start word, mask (b, m), True =
        a word; gives the scores of each next word (b, t, target_size) and weights (b, t, m).
        """
        checks.items("target", target)
        annotations, state = self.encode(source, mask)
        steps = []
        for word in target.T:
            scored, state, weights = self.step(word, state, annotations, mask)
            steps.append((scored, weights))
        scored, weights = zip(*steps)
        return torch.stack(scored, dim=1), torch.stack(weights, dim=1)

    @torch.no_grad()
    def translate(self, source, *, start, end, longest, mask=None):
        """Greedy decoding: the best next word, again and again, to the end word or for `longest` words.

        Gives, for each sentence of source (b, m), a list of words without start and
        end, and their weights, a tensor (words, m).
        """
        checks.count(longest, "longest")
        with _evaluating(self):
            annotations, state = self.encode(source, mask)
            word = torch.full((len(source),), start, device=source.device)
            words, weights = [], []
            for _ in range(longest):
                scored, state, looked = self.step(word, state, annotations, mask)
                word = scored.argmax(dim=-1)
                words.append(word)
                weights.append(looked)
        words, weights = torch.stack(words, dim=1), torch.stack(weights, dim=1)
        sentences = [row.tolist() for row in words]
        lengths = [row.index(end) if end in row else longest for row in sentences]
        return [row[:n] for row, n in zip(sentences, lengths)], [rows[:n] for rows, n in zip(weights, lengths)]

    @torch.no_grad()
    def beam(self, source, *, start, end, longest, beams):
        """Beam search: of all one-word continuations of the `beams` best beginnings keep the `beams` best.

        For one sentence, source (m,).  A beginning is judged by its log probability, the
        sum over its words; one that has ended stays among the best or is pushed out.
        Gives a list of (words, log probability), best first, words without start and end.
        """
        checks.count(longest, "longest")
        checks.count(beams, "beams")
        with _evaluating(self):
            annotations, state = self.encode(source[None])
            hypotheses = [([start], 0.0, state)]
            for _ in range(longest):
                candidates = []
                for words, total, state in hypotheses:
                    if words[-1] == end:
                        candidates.append((words, total, state))
                        continue
                    scored, state, _ = self.step(torch.tensor([words[-1]], device=source.device), state, annotations)
                    best, found = torch.log_softmax(scored[0], dim=0).topk(min(beams, scored.shape[1]))
                    candidates += [([*words, word], total + gained, state)
                                   for word, gained in zip(found.tolist(), best.tolist())]
                hypotheses = sorted(candidates, key=lambda candidate: -candidate[1])[:beams]
                if all(words[-1] == end for words, _, _ in hypotheses):
                    break
        return [([word for word in words[1:] if word != end], total) for words, total, _ in hypotheses]


class _Dropout(nn.Module):
    """torch.nn.Dropout, which draws other random numbers on other makes of processor; this one the same on all."""

    def __init__(self, share):
        super().__init__()
        self.share = share

    def forward(self, x):
        if not (self.training and self.share):
            return x
        return x * (torch.rand_like(x) >= self.share) / (1 - self.share)


@contextmanager
def _evaluating(module):
    """Without dropout; afterwards each part is again in the mode it was in."""
    modes = {part: part.training for part in module.modules()}
    module.eval()
    try:
        yield
    finally:
        for part, mode in modes.items():
            part.training = mode


def _loaded(module, weights, like):
    """A module with these weights copied in, in the dtype and on the device of `like`."""
    module = module.to(like)
    module.load_state_dict({name: weight.detach() for name, weight in weights.items()})
    return module
