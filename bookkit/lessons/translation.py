"""The translators: recurrent, with attention and without, and the sentences that they learn from."""

import math
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple

import torch
from torch import nn

from attnkit import attention, scores
from attnkit.modules import xavier
from bookkit.lessons.corpora import vocabulary
from bookkit.lessons.packing import pack, sizes, unpack
from bookkit.lessons.training import alignment_error_rate, encode, fit, new_model, next_word_loss

KIND = "translator"          # what its packed form calls itself
BITS = 5                     # of each number of a translator that travels


class Translator(nn.Module):
    """A recurrent encoder and decoder with attention between them, as in Bahdanau et al. (2015).

    The encoder reads the source both ways; the annotation of a word is its two states and its embedding, side by side.
    At each step the decoder compares its last state with all annotations, blends them by the weights, and from the
    blend and the last word makes its new state and a score for every target word.

    Two choices make its weights readable. The decoder begins with a state that is the same for all sentences: whatever
    it knows of one came through the weights. The encoder's states are narrow: an annotation has the word itself and
    something of what stands around it, and who wants a word has to look at it.

    The sizes are the numbers of words in the two vocabularies; `width` is d, of an annotation, of the decoder's state
    and of a target word's embedding. Of an annotation each of the encoder's two states takes `states` numbers, a fifth
    if not given, and the embedding the rest. `score` is a name of `attnkit.scores`, and scores are multiplied by
    `scale`; `dropout` is the share of the numbers in embeddings and read-out set to zero while training.

    >>> model = Translator(10, 12, width=8)
    >>> scores, weights = model(torch.tensor([[3, 4, 5]]), torch.tensor([[1, 6]]))
    >>> tuple(scores.shape), tuple(weights.shape)
    ((1, 2, 12), (1, 2, 3))
    """

    training_settings = {}      # those of `fit` that are not its own

    def __init__(self, source_size, target_size, width=54, *, states=None, score="additive", scale=1.0, dropout=0.0):
        super().__init__()
        if score not in ("additive", "general", "dot", "scaled_dot", "distance", "cosine"):
            raise ValueError(f"score must be additive, general, dot, scaled_dot, distance or cosine, got {score!r}")
        states = max(1, round(width / 5)) if states is None else states
        if 2 * states >= width:
            raise ValueError(f"two states of {states} leave no room for the embedding in {width}")
        self.score_name, self.scale = score, scale
        self.source_embedding = nn.Embedding(source_size, width - 2 * states)
        self.target_embedding = nn.Embedding(target_size, width)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=0.3)          # small, so that what is learned soon outweighs chance
        self.encoder = nn.GRU(width - 2 * states, states, bidirectional=True)
        self.initial_state = nn.Parameter(torch.zeros(width))
        self.decoder = nn.GRUCell(2 * width, width)
        self.readout = nn.Linear(3 * width, target_size)
        self.dropout = Dropout(dropout)
        if score == "additive":
            self.w_query, self.w_key = xavier(width, width), xavier(width, width)
            self.v = nn.Parameter(torch.randn(width) / math.sqrt(width))
        elif score == "general":
            self.weight = xavier(width, width)

    def keys(self, annotations):
        """What decoder states are compared with, made of the annotations once for a sentence."""
        return annotations @ self.w_key if self.score_name == "additive" else annotations

    def score(self, query, key):
        """Compare decoder states (..., n, d) with keys (..., m, d)."""
        if self.score_name == "additive":
            hidden = torch.tanh((query @ self.w_query)[..., :, None, :] + key[..., None, :, :])
            return self.scale * (hidden @ self.v)
        own = (self.weight,) if self.score_name == "general" else ()
        return self.scale * getattr(scores, self.score_name)(query, key, *own)

    def encode(self, source, mask=None):
        """Read the source: words (b, m) and mask (b, m), True = a word, False = padding at the end.

        Gives the annotations (b, m, d) and the decoder's first state (b, d), learned, the same for all.
        """
        words = self.dropout(self.source_embedding(source))
        mask = torch.ones_like(source) if mask is None else mask
        lengths = self.lengths(mask)
        packed = nn.utils.rnn.pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True,
                                                     total_length=source.shape[1])
        annotations = self.annotate(states, words) * mask[..., None]
        return annotations, self.initial_state.expand(len(source), -1)

    @staticmethod
    def lengths(mask):
        """The number of words in each sentence (b,), of a mask (b, m) that is True for words and False after them."""
        lengths = mask.sum(1)
        if not (lengths > 0).all() or (mask[:, 1:] > mask[:, :-1]).any():
            raise ValueError("mask must be True for the words of a sentence, at least one, "
                             "and False for the padding after them")
        return lengths

    def annotate(self, states, words):
        """What the decoder may look at: the encoder's states, forward and backward, and embeddings."""
        return torch.cat([states, words], dim=-1)

    def attend(self, state, keys, annotations, mask=None):
        """Compare a state (b, d) with keys (b, m, d), blend annotations: the output (b, d) and the weights (b, m)."""
        mask = None if mask is None else mask[:, None, :]
        output, weights = attention(state[:, None, :], keys,
                                    annotations, mask=mask, score=self.score)
        return output[:, 0], weights[:, 0]

    def step(self, word, state, keys, annotations, mask=None):
        """One word (b,) further: what the read-out is given (b, 3 d), the new state (b, d), and weights (b, m)."""
        output, weights = self.attend(state, keys, annotations, mask)
        word = self.dropout(self.target_embedding(word))
        state = self.decoder(torch.cat([word, output], dim=1), state)
        known = self.dropout(torch.cat([state, output, word], dim=1))
        return known, state, weights

    def forward(self, source, target, mask=None):
        """Teacher forcing: at every step the right last word is given.

        Source (b, m), target (b, t) beginning with the start word, mask (b, m), True =
        a word; gives the scores of each next word (b, t, target_size) and weights (b, t, m).
        """
        annotations, state = self.encode(source, mask)
        keys, steps = self.keys(annotations), []
        for word in target.T:
            known, state, weights = self.step(word, state, keys, annotations, mask)
            steps.append((known, weights))
        known, weights = (torch.stack(each, dim=1) for each in zip(*steps))
        return self.readout(known), weights

    @torch.no_grad()
    def translate(self, source, *, start, end, max_length, mask=None):
        """Greedy decoding: the best next word, again and again, to the end word or for `max_length` words.

        Gives, for each sentence of source (b, m), a list of words without start and
        end, and their weights, a tensor (words, m).
        """
        with evaluating(self):
            annotations, state = self.encode(source, mask)
            keys = self.keys(annotations)
            word = torch.full((len(source),), start, device=source.device)
            words, weights = [], []
            for _ in range(max_length):
                known, state, looked = self.step(word, state, keys, annotations, mask)
                word = self.readout(known).argmax(dim=-1)
                words.append(word)
                weights.append(looked)
        words, weights = torch.stack(words, dim=1), torch.stack(weights, dim=1)
        sentences = [row.tolist() for row in words]
        lengths = [row.index(end) if end in row else max_length for row in sentences]
        return [row[:n] for row, n in zip(sentences, lengths)], [rows[:n] for rows, n in zip(weights, lengths)]

    @torch.no_grad()
    def beam_search(self, source, *, start, end, max_length, beam_size):
        """Beam search: of all one-word continuations of the `beam_size` best beginnings keep the `beam_size` best.

        For one sentence, source (m,).  A beginning is judged by its log probability, the
        sum over its words; one that has ended stays among the best or is pushed out.
        Gives a list of (words, log probability), best first, words without start and end.
        """
        with evaluating(self):
            annotations, state = self.encode(source[None])
            keys, hypotheses = self.keys(annotations), [([start], 0.0, state)]
            for _ in range(max_length):
                candidates = []
                for words, total, state in hypotheses:
                    if words[-1] == end:
                        candidates.append((words, total, state))
                        continue
                    word = torch.tensor([words[-1]], device=source.device)
                    known, state, _ = self.step(word, state, keys, annotations)
                    scored = self.readout(known)
                    gains, likeliest = torch.log_softmax(scored[0], dim=0).topk(min(beam_size, scored.shape[1]))
                    candidates += [([*words, word], total + gained, state)
                                   for word, gained in zip(likeliest.tolist(), gains.tolist())]
                hypotheses = sorted(candidates, key=lambda candidate: -candidate[1])[:beam_size]
                if all(words[-1] == end for words, _, _ in hypotheses):
                    break
        return [([word for word in words[1:] if word != end], total) for words, total, _ in hypotheses]


class Dropout(nn.Module):
    """torch.nn.Dropout, which draws other random numbers on other makes of processor; this one the same on all."""

    def __init__(self, share):
        super().__init__()
        self.share = share

    def forward(self, x):
        """Some of the numbers set to zero, in training only."""
        if not (self.training and self.share):
            return x
        return x * (torch.rand_like(x) >= self.share) / (1 - self.share)


@contextmanager
def evaluating(module):
    """Without dropout; afterwards each part is again in the mode it was in."""
    modes = {part: part.training for part in module.modules()}
    module.eval()
    try:
        yield
    finally:
        for part, mode in modes.items():
            part.training = mode


class StatesOnlyTranslator(Translator):
    """The annotation of a word is the encoder's two states there, wide ones, without the word itself."""

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width, **options)
        self.encoder = nn.GRU(self.encoder.input_size, width // 2, bidirectional=True)

    def annotate(self, states, words):
        """The states alone."""
        return states


class ForwardTranslator(StatesOnlyTranslator):
    """The same with an encoder that only reads forwards: each state knows what came before it, not what follows."""

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width=width, **options)
        self.encoder = nn.GRU(self.encoder.input_size, width)


class BahdanauTranslator(StatesOnlyTranslator):
    """With the first state of Bahdanau et al. (2015): made from the state that has read the sentence backwards."""

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width=width, **options)
        self.to_initial_state = nn.Linear(width // 2, width)

    def encode(self, source, mask=None):
        """The same annotations, and a first state that knows the sentence."""
        annotations, _ = super().encode(source, mask)
        return annotations, torch.tanh(self.to_initial_state(annotations[:, 0, -self.to_initial_state.in_features:]))


class FixedVectorTranslator(Translator):
    """Without attention: of the whole sentence the decoder gets the encoder's last states, at every step the same."""

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width, **options)
        self.encoder = nn.GRU(self.encoder.input_size, width // 2, bidirectional=True)
        self.to_initial_state = nn.Linear(width, width)

    def encode(self, source, mask=None):
        """The same vector in the place of every annotation, and the decoder's first state."""
        words = self.dropout(self.source_embedding(source))
        lengths = self.lengths(torch.ones_like(source) if mask is None else mask)
        packed = nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        _, last = self.encoder(packed)                                        # (2, b, d / 2)
        vector = last.transpose(0, 1).flatten(1)                              # (b, d)
        return vector[:, None, :].expand(-1, source.shape[1], -1), torch.tanh(self.to_initial_state(vector))


class StateBasedTranslator(Translator):
    """The weights come from the decoder's state alone: a layer with a number for each place, whatever stands there."""

    max_length = 12

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width, **options)
        self.position_scores = nn.Linear(width, self.max_length)

    def score(self, query, key):
        """A number for each place, from the query alone."""
        if key.shape[-2] > self.max_length:
            raise ValueError(
                f"there are weights for {self.max_length} places, "
                f"got {key.shape[-2]} words")
        return self.position_scores(query)[..., :key.shape[-2]]


class Evaluation(NamedTuple):
    """What a translator does with sentences it has not seen: `exact`, the share translated word for word as they
    should; `aer`, its alignment error rate; `strict`, the same with the certain links only.
    """

    exact: float
    aer: float
    strict: float


class TranslationTask:
    """Sentences with their translations, two lists of `Pair`, as numbers, and what is done with them."""

    def __init__(self, training, held_out):
        self.training, self.held_out = training, held_out
        self.source_vocabulary = vocabulary(pair.english for pair in training + held_out)
        self.target_vocabulary = vocabulary(pair.french for pair in training + held_out)

    def train(self, seed, model_class=Translator, *, steps=600, dropout=0.15, callback=None, **options):
        """A model, trained from scratch; `callback(step, model)` is called before each step and after the last."""
        sizes = len(self.source_vocabulary), len(self.target_vocabulary)
        model = new_model(seed, model_class, *sizes, dropout=dropout, **options)

        def loss(chosen):
            x, y = self.batch(chosen)
            scores, _ = model(x, y[:, :-1], x > 0)
            return next_word_loss(scores, y[:, 1:])

        fit(model, loss, len(self.training), steps=steps, callback=callback and (lambda step: callback(step, model)),
            **model.training_settings)
        return model

    def batch(self, chosen):
        """Some pairs of the training, as numbers like those of `encode`, cut to the longest of them."""
        return tuple(side[chosen][:, :(side[chosen] > 0).sum(1).max()] for side in self._numbers)

    @cached_property
    def _numbers(self):
        return self.encode(self.training)

    def encode(self, pairs):
        """Their sentences as word numbers: source (b, m), and target (b, t) between its start and end words."""
        return (encode([pair.english for pair in pairs], self.source_vocabulary),
                encode([("<start>", *pair.french, "<end>") for pair in pairs], self.target_vocabulary))

    @torch.no_grad()
    def weights(self, model, pairs):
        """Where the model looks when it is made to say the right words: for each pair an array (French, English)."""
        source, target = self.encode(pairs)
        _, weights = model(source, target[:, :-1], source > 0)
        return [rows[:len(pair.french), :len(pair.english)] for rows, pair in zip(weights, pairs)]

    def translate(self, model, english):
        """The model's own translation of one sentence, word after word, and where it looked (words, m)."""
        source = encode([english], self.source_vocabulary)
        [said], [weights] = model.translate(source, start=1, end=2, max_length=15)
        return tuple(self.target_vocabulary[word] for word in said), weights

    def evaluate(self, model, pairs=None):
        """The `Evaluation` of a model with held-out pairs, or others."""
        pairs = self.held_out if pairs is None else pairs
        source, _ = self.encode(pairs)
        said, _ = model.translate(source, start=1, end=2, max_length=15, mask=source > 0)
        exact = [tuple(self.target_vocabulary[word] for word in words) == pair.french
                 for words, pair in zip(said, pairs)]
        weights, gold = self.weights(model, pairs), [pair.alignment for pair in pairs]
        certain = [[right[:1] for right in alignment] for alignment in gold]
        return Evaluation(sum(exact) / len(pairs), alignment_error_rate(weights, gold),
                      alignment_error_rate(weights, certain))


# ---- travelling

class WordTranslator:
    """A translator with the words of its two languages: it reads and writes words, and can travel to a page.

    The model has the additive score; a word's number is its place in the vocabulary. Every result on the way has a
    name, see `trace`.
    """

    def __init__(self, model, source_words, target_words):
        if type(model) is not Translator or model.score_name != "additive":
            raise ValueError(f"model must be a Translator, none of its variants, with the additive score; got a "
                             f"{type(model).__name__} with {model.score_name!r}")
        self.model, self.source_words, self.target_words = model, list(source_words), list(target_words)
        for side, words in (("source", self.source_words), ("target", self.target_words)):
            if len(words) != (size := len(getattr(model, f"{side}_embedding").weight)):
                raise ValueError(f"{side}_words must be {size}, as the model has, got {len(words)}")

    @torch.no_grad()
    def trace(self, numbers, *, max_length, put=None):
        """Translate a sentence, the numbers of its words, greedily: every result on the way, by name, as numpy arrays.

        `put` says which words stand there whatever the model would write: the number of a word for that of a step,
        counted from 0.

        ``annotations`` (m, d), the encoder's two states and the word, side by side; ``key`` (m, d).  Then a row for
        each step, the last of which writes ``<end>``, if `max_length` steps suffice: ``query`` (t, d), what the
        decoder's last state asks; ``attention.scores`` and ``weights`` (t, m); ``blend`` (t, d); ``state`` (t, d), the
        new state; ``scores`` (t, target words) and ``chances``; ``words`` (t,), the numbers of the words it writes.
        """
        model, steps = self.model, []
        start, end = (self.target_words.index(mark) for mark in ("<start>", "<end>"))
        with evaluating(model):
            annotations, state = model.encode(torch.tensor([list(numbers)]))
            keys, word = model.keys(annotations), start
            while word != end and len(steps) < max_length:
                blend, weights = model.attend(state, keys, annotations)
                compared = model.score(state[:, None], keys)
                query = state @ model.w_query
                known, state, _ = model.step(torch.tensor([word]), state, keys, annotations)
                scored = model.readout(known)
                word = (put or {}).get(len(steps), scored.argmax().item())
                steps.append({"query": query[0], "attention.scores": compared[0, 0], "weights": weights[0],
                              "blend": blend[0], "state": state[0], "scores": scored[0],
                              "chances": scored[0].softmax(-1), "words": torch.tensor(word)})
        rows = {name: torch.stack([step[name] for step in steps]).numpy() for name in steps[0]}
        return {"annotations": annotations[0].numpy(), "key": keys[0].numpy(), **rows}

    def packed(self):
        """The model as a dict for JSON, its numbers in five bits; some 45 kB if compressed.

        ``source_words`` and ``target_words``, ``width`` and ``states`` (how wide each of the encoder's two states is)
        say what it is; the rest is what `bookkit.lessons.packing.pack` gives. The tensors have a row for each word or
        for each output: ``source_embedding`` (words, width - 2 states), ``target_embedding`` (words, width); for the
        encoder's two layers, ``forwards`` and ``backwards``, and for ``decoder``, with that and a point in front,
        ``w_input``, ``w_state``, ``b_input`` and ``b_state``, each with the rows of the reset gate, the update gate and
        the new state; ``initial_state``; of the additive score ``w_query``, ``w_key`` and ``v``, into which the scale
        is multiplied; ``readout`` (words, 3 width), for the state, the blend and the last word, and ``b_readout``.
        """
        tensors = {name: tensor.detach() for name, tensor in _tensors(self.model)}
        return pack(tensors | {"v": self.model.scale * tensors["v"]}, BITS, model=KIND, source_words=self.source_words,
                    target_words=self.target_words, width=self.model.initial_state.shape[0],
                    states=self.model.encoder.hidden_size)

    @classmethod
    def unpacked(cls, packed):
        """The model that `packed` has made a dict of, in float64, with exactly the numbers that travelled."""
        about = sizes(packed, ["model", "source_words", "target_words", "width", "states"])
        if about["model"] != KIND:
            raise ValueError(f"the packed model must be a {KIND}, got {about['model']!r}")
        model = new_model(0, Translator, len(about["source_words"]), len(about["target_words"]), about["width"],
                          states=about["states"])
        read = unpack(packed, {name: tuple(tensor.shape) for name, tensor in _tensors(model)})
        with torch.no_grad():
            for name, tensor in _tensors(model):
                tensor.copy_(torch.from_numpy(read[name]))
        return cls(model.eval(), about["source_words"], about["target_words"])


def _tensors(model):
    """The weights of a translator by the names under which they travel, matrices with a row for each output."""
    yield "source_embedding", model.source_embedding.weight
    yield "target_embedding", model.target_embedding.weight
    for part, cell, end in (("forwards", model.encoder, "_l0"), ("backwards", model.encoder, "_l0_reverse"),
                            ("decoder", model.decoder, "")):
        for name, theirs in (("w_input", "weight_ih"), ("w_state", "weight_hh"),
                             ("b_input", "bias_ih"), ("b_state", "bias_hh")):
            yield f"{part}.{name}", getattr(cell, theirs + end)
    yield "initial_state", model.initial_state
    yield "w_query", model.w_query.T
    yield "w_key", model.w_key.T
    yield "v", model.v
    yield "readout", model.readout.weight
    yield "b_readout", model.readout.bias
