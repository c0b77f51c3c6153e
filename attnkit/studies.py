"""The trained models of the chapters: some are trained in front of the reader, all over ten seeds by ``make study``."""

from typing import NamedTuple

import torch
from torch import nn

from attnkit import attention
from attnkit.corpora import DRINKS, crossings, gifts, orders, vocabulary
from attnkit.modules import AttentionPooling, MultiHeadAttention, Translator
from attnkit.training import alignment_error_rate, fit, fresh, next_word_loss, numbered


class Result(NamedTuple):
    """What a translator does with sentences it has not seen: `exact`, the share translated word for word as they
    should; `aer`, its alignment error rate; `strict`, the same with the certain links only.
    """

    exact: float
    aer: float
    strict: float


class Lessons:
    """Sentences with their translations, as numbers, and what is done with them.

    Parameters
    ----------
    training, held_out : lists of attnkit.corpora.Pair

    Examples
    --------
    >>> from attnkit.corpora import english_french
    >>> lessons = Lessons(*english_french(300, held_out=100))
    >>> model = lessons.train(seed=0, steps=2)
    >>> said, weights = lessons.translate(model, ("I", "love", "you"))
    >>> weights.shape == (len(said), 3)
    True

    References
    ----------
    Chapter: translation.
    """

    def __init__(self, training, held_out):
        self.training, self.held_out = training, held_out
        self.source_words = vocabulary(pair.english for pair in training + held_out)
        self.target_words = vocabulary(pair.french for pair in training + held_out)

    def train(self, seed, make=Translator, *, steps=600, watch=None, **options):
        """A model of class `make`, trained from scratch; `watch(step, model)` is called before each step and after."""
        model = fresh(seed, make, len(self.source_words), len(self.target_words), dropout=0.15, **options)
        source, target = self.numbers(self.training)

        def loss(chosen):
            x, y = _trimmed(source[chosen]), _trimmed(target[chosen])
            scores, _ = model(x, y[:, :-1], x > 0)
            return next_word_loss(scores, y[:, 1:])

        fit(model, loss, len(source), steps=steps, watch=watch and (lambda step: watch(step, model)))
        return model

    def numbers(self, pairs):
        """Their sentences as word numbers: source (b, m), and target (b, t) between its start and end words."""
        return (numbered([pair.english for pair in pairs], self.source_words),
                numbered([("<start>", *pair.french, "<end>") for pair in pairs], self.target_words))

    @torch.no_grad()
    def weights(self, model, pairs):
        """Where the model looks when it is made to say the right words: for each pair an array (French, English)."""
        source, target = self.numbers(pairs)
        _, weights = model(source, target[:, :-1], source > 0)
        return [rows[:len(pair.french), :len(pair.english)] for rows, pair in zip(weights, pairs)]

    def translate(self, model, english):
        """The model's own translation of one sentence, word after word, and where it looked (words, m)."""
        source = numbered([english], self.source_words)
        [said], [weights] = model.translate(source, start=1, end=2, longest=15)
        return tuple(self.target_words[word] for word in said), weights

    def examine(self, model, pairs=None):
        """The `Result` of a model with held-out pairs, or others."""
        pairs = self.held_out if pairs is None else pairs
        source, _ = self.numbers(pairs)
        said, _ = model.translate(source, start=1, end=2, longest=15, mask=source > 0)
        exact = [tuple(self.target_words[word] for word in words) == pair.french for words, pair in zip(said, pairs)]
        weights, gold = self.weights(model, pairs), [pair.alignment for pair in pairs]
        certain = [[right[:1] for right in alignment] for alignment in gold]
        return Result(sum(exact) / len(pairs), alignment_error_rate(weights, gold),
                      alignment_error_rate(weights, certain))


def _trimmed(sentences):
    """Without the columns that hold padding only."""
    return sentences[:, :(sentences > 0).sum(1).max()]


class StatesOnly(Translator):
    """The annotation of a word is the encoder's two states there, wide ones, without the word itself."""

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width, **options)
        self.encoder = nn.GRU(self.encoder.input_size, width // 2, bidirectional=True)

    def annotate(self, states, words):
        """The states alone."""
        return states


class OneDirection(StatesOnly):
    """The same with an encoder that only reads forwards: each state knows what came before it, not what follows."""

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width=width, **options)
        self.encoder = nn.GRU(self.encoder.input_size, width)


class KnowsBefore(Translator):
    """The decoder's first state is made from the mean of all annotations, and knows the sentence before it looks."""

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width, **options)
        self.before = nn.Linear(width, width)

    def encode(self, source, mask=None):
        """The same annotations, and a first state that knows them."""
        annotations, _ = super().encode(source, mask)
        lengths = self.lengths(torch.ones_like(source) if mask is None else mask)
        return annotations, torch.tanh(self.before(annotations.sum(1) / lengths[:, None]))


class LooksLater(Translator):
    """First the new state, from the last word alone, then attention with it: the order of Luong et al. (2015)."""

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width, **options)
        self.decoder = nn.GRUCell(width, width)

    def step(self, word, state, annotations, mask=None):
        """The same as a translator's, in the other order."""
        word = self.dropout(self.target_words(word))
        state = self.decoder(word, state)
        context, weights = self.look(state, annotations, mask)
        return self.read(self.dropout(torch.cat([state, context, word], dim=1))), state, weights


class FixedVector(Translator):
    """Without attention: of the whole sentence the decoder gets the encoder's last states, at every step the same."""

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width, **options)
        self.encoder = nn.GRU(self.encoder.input_size, width // 2, bidirectional=True)
        self.before = nn.Linear(width, width)

    def encode(self, source, mask=None):
        """The same vector in the place of every annotation, and the decoder's first state."""
        words = self.dropout(self.source_words(source))
        lengths = self.lengths(torch.ones_like(source) if mask is None else mask)
        packed = nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        _, last = self.encoder(packed)                                        # (2, b, d / 2)
        vector = last.transpose(0, 1).flatten(1)                              # (b, d)
        return vector[:, None, :].expand(-1, source.shape[1], -1), torch.tanh(self.before(vector))


class StateAlone(Translator):
    """The weights come from the decoder's state alone: a layer with a number for each place, whatever stands there."""

    longest = 12

    def __init__(self, *sizes, width=54, **options):
        super().__init__(*sizes, width, **options)
        self.places = nn.Linear(width, self.longest)

    def score(self, query, key):
        """A number for each place, from the query alone."""
        if key.shape[-2] > self.longest:
            raise ValueError(f"there are weights for {self.longest} places, "
                             f"got {key.shape[-2]} words")
        return self.places(query)[..., :key.shape[-2]]


class PositionAlone(StateAlone):
    """The weights come from the place of the word to be said alone: a table, the same for every sentence."""

    def encode(self, source, mask=None):
        """Begin to count."""
        self.place = torch.tensor(0)
        return super().encode(source, mask)

    def score(self, query, key):
        """A number for each place, from the place of the word to be said."""
        which = nn.functional.one_hot(self.place.clamp(max=query.shape[-1] - 1), query.shape[-1]).to(query)
        self.place = self.place + 1
        return super().score(which.expand_as(query), key)

    def beam(self, source, **options):
        """Not offered: the place is counted along one translation, a beam follows several."""
        raise NotImplementedError("a model that counts its places translates greedily")


# ---- multi_head

class NamesBoth(nn.Module):
    """One attention layer. What it gives at *gave*, one linear layer reads twice: who gave, who received?

    Nothing goes round the attention: what is not in the output at *gave* cannot be read.
    """

    def __init__(self, num_words, heads, positions, width=32):
        super().__init__()
        self.words = nn.Embedding(num_words, width)
        nn.init.normal_(self.words.weight, std=0.1)       # smaller than the positions, which are to lead
        self.positions = nn.Parameter(0.3 * torch.randn(5, width)) if positions else None
        self.attend = MultiHeadAttention(width, heads)
        self.read = nn.Linear(width, 2 * num_words)

    def forward(self, sentences):
        """Word numbers (b, 5): scores (b, 2, num_words), weights of *gave* (b, h, 5), its output (b, d)."""
        x = self.words(sentences)
        if self.positions is not None:
            x = x + self.positions
        output, weights = self.attend(x[:, 1:2], x)                           # the query is the second word's
        return self.read(output[:, 0]).unflatten(1, (2, -1)), weights[:, :, 0], output[:, 0]


class Gifts:
    """The sentences of `attnkit.corpora.gifts` as numbers, and models that learn who gave and who received."""

    def __init__(self, seed=0):
        self.training, self.held_out = gifts(seed=seed)
        self.words = vocabulary(self.training + self.held_out)

    def train(self, seed, *, heads, positions, steps=800):
        """A model trained from scratch."""
        model = fresh(seed, NamesBoth, len(self.words), heads, positions)
        sentences = numbered(self.training, self.words)

        def loss(chosen):
            scores, _, _ = model(sentences[chosen])
            return nn.functional.cross_entropy(scores.flatten(0, 1), sentences[chosen][:, [0, 4]].flatten())

        fit(model, loss, len(sentences), steps=steps, batch=128, rate=5e-3)
        return model

    @torch.no_grad()
    def both_right(self, model, some=None):
        """The share of the held-out sentences, or of others, in which the model names both."""
        sentences = numbered(self.held_out if some is None else some, self.words)
        named = model(sentences)[0].argmax(-1)
        return (named == sentences[:, [0, 4]]).all(1).double().mean().item()


class Refers(nn.Module):
    """Which noun is *it*? One or two layers of attention, one head each; the last one asks from *it* alone.

    Its values are the words' own vectors, and its output is read with nothing added: the answer has to
    come through its weights. Layer normalisation keeps queries, keys and what is read at one size.
    """

    def __init__(self, num_words, layers, width=32):
        super().__init__()
        self.words = nn.Embedding(num_words, width)
        nn.init.normal_(self.words.weight, std=0.3)
        self.positions = nn.Parameter(0.3 * torch.randn(12, width))
        self.layers = layers
        self.norm = nn.ModuleDict({name: nn.LayerNorm(width) for name in ("first", "query", "key", "read")})
        self.first = MultiHeadAttention(width, 1, bias=False)
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.read = nn.Linear(width, num_words)

    def forward(self, sentences):
        """Word numbers (b, 12): scores (b, num_words), weights of *it* (b, 12), of the first layer (b, 12, 12)."""
        query, key, value, first = self.roles(sentences)
        output, weights = attention(query, key, value)
        return self.read(self.norm["read"](output[:, 0])), weights[:, 0], first

    def roles(self, sentences):
        """The last layer's query (b, 1, d), that of *it*, its keys and values (b, 12, d), and the first's weights."""
        words = self.words(sentences)
        x, first = words + self.positions, None
        if self.layers == 2:
            output, first = self.attend_first(x)
            x = x + output
        return self.query(self.norm["query"](x[:, 8:9])), self.key(self.norm["key"](x)), self.value(words), first

    def attend_first(self, x):
        """The first layer: every word looks at every word."""
        output, weights = self.first(self.norm["first"](x))
        return output, weights[:, 0]


class Crossings:
    """The sentences of `attnkit.corpora.crossings` as numbers, and models that learn what *it* is."""

    def __init__(self, seed=0):
        self.training, self.held_out = crossings(seed=seed)
        self.words = vocabulary(sentence.words for sentence in self.training + self.held_out)

    def train(self, seed, *, layers, steps=800, rate=5e-3, watch=None):
        """A model trained from scratch; `watch(step, model)` is called before each step and after."""
        model = fresh(seed, Refers, len(self.words), layers)
        sentences, answers, _, _ = self.numbers(self.training)

        def loss(chosen):
            return nn.functional.cross_entropy(model(sentences[chosen])[0], answers[chosen])

        fit(model, loss, len(sentences), steps=steps, batch=128, rate=rate,
            watch=watch and (lambda step: watch(step, model)))
        return model

    def numbers(self, some):
        """Word numbers (b, 12); the numbers of the right nouns (b,), their places (b,), those of the others (b,)."""
        sentences = numbered([sentence.words for sentence in some], self.words)
        right, other = torch.tensor([sentence[1:] for sentence in some]).T
        return sentences, sentences[torch.arange(len(some)), right], right, other

    @torch.no_grad()
    def examine(self, model):
        """On held-out sentences: the share answered right, the mean weight of *it* on the right noun, on the other."""
        sentences, answers, right, other = self.numbers(self.held_out)
        scores, weights, _ = model(sentences)
        rows = torch.arange(len(answers))
        return ((scores.argmax(1) == answers).double().mean().item(), weights[rows, right].mean().item(),
                weights[rows, other].mean().item())


# ---- fully_connected

class EndToEnd(nn.Module):
    """Word vectors laid end to end and read by one dense layer, or by two with `hidden` numbers between."""

    def __init__(self, num_words, length, num_answers, width, hidden=None):
        super().__init__()
        self.words = nn.Embedding(num_words, width)
        sizes = [length * width, num_answers] if hidden is None else [length * width, hidden, num_answers]
        layers = [nn.Linear(*pair) for pair in zip(sizes, sizes[1:])]
        self.read = nn.Sequential(*[part for layer in layers for part in (layer, nn.ReLU())][:-1])

    def forward(self, sentences):
        """Word numbers (b, length): scores (b, num_answers)."""
        return self.read(self.words(sentences).flatten(1))

    def pieces(self):
        """What each word adds to the scores at each place, (length, num_words, num_answers); the bias comes on top."""
        if len(self.read) > 1:
            raise ValueError("what two layers with a ReLU between make of a sentence is no sum of pieces")
        blocks = self.read[0].weight.unflatten(1, (-1, self.words.weight.shape[1]))         # (num_answers, length, d)
        return torch.einsum("apd,wd->pwa", blocks, self.words.weight)


class Blend(nn.Module):
    """Word vectors blended into one, which a dense layer reads.

    Attention pooling with `hidden` numbers, or their plain mean without; with `length`, each place has a vector
    that is added to its word.
    """

    def __init__(self, num_words, num_answers, width, hidden=None, length=None):
        super().__init__()
        self.words = nn.Embedding(num_words, width)
        self.places = None if length is None else nn.Parameter(0.3 * torch.randn(length, width))
        self.pool = None if hidden is None else AttentionPooling(width, hidden)
        self.read = nn.Linear(width, num_answers)

    def forward(self, sentences):
        """Word numbers (b, n): scores (b, num_answers)."""
        x = self.words(sentences)
        if self.places is not None:
            x = x + self.places
        return self.read(x.mean(1) if self.pool is None else self.pool(x)[0])

    def pieces(self):
        """Without places: each word's score, (num_words,), and what it adds to the answer, (num_words, num_answers)."""
        if self.pool is None or self.places is not None:
            raise ValueError("only a model with attention and without places weighs each word by itself")
        key = torch.tanh(self.words.weight @ self.pool.w_key + self.pool.b_key)
        return key @ self.pool.query[0], self.words.weight @ self.read.weight.T


class Orders:
    """Guests of `attnkit.corpora.orders` as numbers, and models that learn which drink they name.

    In training and in `early` the drink is among the first six of twelve words, in `late` among the last six; the
    guests in `longer` say 24 words.
    """

    KINDS = {       # what a table calls it: the class, its options; all have about 500 parameters
        "dense": (EndToEnd, {"length": 12, "width": 8}),
        "two dense layers": (EndToEnd, {"length": 12, "width": 6, "hidden": 5}),
        "attention": (Blend, {"width": 14, "hidden": 12}),
        "attention with places": (Blend, {"width": 11, "hidden": 10, "length": 12}),
        "mean": (Blend, {"width": 23}),
    }

    def __init__(self, seed=0):
        self.training = orders(2000, places=range(6), seed=seed)
        self.early = orders(1000, places=range(6), seed=seed + 1)
        self.late = orders(1000, places=range(6, 12), seed=seed + 2)
        self.longer = orders(1000, places=range(24), length=24, seed=seed + 3)
        self.words = vocabulary(self.training)

    def train(self, seed, kind, *, steps=300):
        """A model of one of the KINDS, trained from scratch."""
        make, options = self.KINDS[kind]
        model = fresh(seed, make, num_words=len(self.words), num_answers=len(DRINKS), **options)
        sentences, named = self.numbers(self.training)
        fit(model, lambda chosen: nn.functional.cross_entropy(model(sentences[chosen]), named[chosen]), len(sentences),
            steps=steps)
        return model

    def numbers(self, some):
        """Word numbers (b, n), and which of the DRINKS is named (b,)."""
        named = [DRINKS.index(word) for words in some for word in words if word in DRINKS]
        return numbered(some, self.words), torch.tensor(named)

    @torch.no_grad()
    def examine(self, model, some):
        """The share of some guests that a model understands."""
        sentences, named = self.numbers(some)
        return (model(sentences).argmax(1) == named).double().mean().item()
