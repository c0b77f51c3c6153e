"""A trained translator, word by word: a sentence that the reader composes, and where the model looks for each word."""

from functools import cache
from html import escape

import numpy as np
import traitlets

from attnkit import additive, checks, softmax
from attnkit.figures.base import Figure, Index, index, still_cell
from attnkit.pictures.formats import fixed

PAD, START, END = "<pad>", "<start>", "<end>"
LONGEST = 12                     # words of an English sentence
MOST = 15                        # words that the model writes
FOLLOWING = 40                   # words that can follow
FORMAT = "translator 1"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
ZERO = 32                        # the letter that stands for 0
WHOLE = ("format", "source_words", "target_words", "width", "states", "unit", "tensors")


class SentenceTranslator(Figure):
    """Compose an English sentence; a trained model translates it word by word, and shows where it looks for each.

    The model is a recurrent translator with additive attention.  It takes the likeliest word at each step, until that
    is ``<end>`` or 15 words are written.

    Parameters
    ----------
    packed : dict
        The model, as ``packed`` of the translators makes it: its words, its sizes and its weights as small integers.
    grammar : dict
        What can be composed, as ``english_grammar`` of the corpora makes it: ``next``, for each state the words that
        can follow, at most 40, each with the number of the state after it, and ``final``, the states where a sentence
        may end. A sentence begins in state 0 and has at most 12 words.
    sentence : str
        The sentence, or the beginning of one, that the figure opens with; words with blanks between.
    step : int, optional
        How many words are written when it opens, fewer if the translation ends before; all if not given.
    examples : list of str
        Sentences that the reader can choose from, at most six.
    caption : str

    Raises
    ------
    TypeError, ValueError
        A dict that holds no such model, or no such grammar, or words that the model does not know; a sentence that
        is none of the grammar, a step out of its range; also when `sentence`, `step` or `row` is set later.

    Notes
    -----
    `row` is the French word, counted from 0, whose lines and chances are shown; None for the newest.

    Examples
    --------
    >>> from attnkit.figures import sentence_translator
    >>> words = {"source_words": ("I", "love", "you"), "target_words": ("je", "t'", "aime")}
    >>> model = sentence_translator.random_model(21, **words)
    >>> grammar = {"next": [{"I": 1}, {"love": 2}, {"you": 3}, {}], "final": [3]}
    >>> figure = SentenceTranslator(model, grammar, "I love you", step=0)
    >>> figure.write(1)
    'aime'
    >>> figure.write(), figure.ended, figure.weights.shape
    ('aime aime', 'end', (2, 3))
    """

    kind = "sentence_translator"
    packed = traitlets.Dict().tag(sync=True)
    grammar = traitlets.Dict().tag(sync=True)
    examples = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True, reset=True)
    step = Index(MOST + 1, "counts of words").tag(sync=True, reset=True)
    row = traitlets.Any(None).tag(sync=True, reset=True)

    def __init__(self, packed, grammar, sentence, step=None, examples=(), caption=""):
        self._tensors, self._known = read_model(packed), {}
        check_grammar(grammar, packed)
        self._grammar = grammar
        walk(grammar, sentence, "sentence")
        examples = checks.sequence(examples, "examples", "str")
        if len(examples) > 6:
            raise ValueError(f"examples must be at most 6, got {len(examples)}")
        for k, example in enumerate(examples):
            if walk(grammar, example, f"examples[{k}]") not in grammar["final"]:
                raise ValueError(f"examples[{k}] must be a whole sentence of the grammar, got {example!r}")
        # As pairs, because a page keeps the order of those, not of what is in a dict.
        pairs = [[list(pair) for pair in words.items()] for words in grammar["next"]]
        super().__init__(packed=packed, grammar={"next": pairs, "final": list(grammar["final"])}, sentence=sentence,
                         step=MOST if step is None else step, caption=caption,
                         examples=[" ".join(example.split()) for example in examples])
        self.step = len(self.translation)
        self.defaults = {**self.defaults, "step": self.step}               # where "Reset" leads back to

    @traitlets.validate("sentence")
    def _check_sentence(self, proposal):
        walk(self._grammar, proposal["value"], "sentence")
        return " ".join(proposal["value"].split())

    @traitlets.validate("row")
    def _check_row(self, proposal):
        return None if proposal["value"] is None else index(proposal["value"], "row", MOST, "words written")

    # ---- what follows from the state

    @property
    def following(self):
        """The words that can follow the sentence so far."""
        return list(self._grammar["next"][walk(self._grammar, self.sentence, "sentence")])

    @property
    def complete(self):
        """Whether the sentence may end here, and be translated."""
        return walk(self._grammar, self.sentence, "sentence") in self._grammar["final"]

    @property
    def steps(self):
        """What the model does with the whole sentence: (word, weights, chances) for each step, the last for <end>."""
        if not self.complete:
            return []
        if self._known.get("sentence") != self.sentence:
            numbers = [self.packed["source_words"].index(word) for word in self.sentence.split()]
            self._known = {"sentence": self.sentence, "steps": translate(self._tensors, self.packed, numbers)}
        return self._known["steps"]

    @property
    def translation(self):
        """The words that are written."""
        words = [self.packed["target_words"][word] for word, _, _ in self.steps[:self.step]]
        return words[:-1] if words[-1:] == [END] else words

    @property
    def weights(self):
        """The weights of each word that is written over the words of the sentence: shape (n, m)."""
        rows = [weights for _, weights, _ in self.steps[:len(self.translation)]]
        return np.array(rows).reshape(len(rows), len(self.sentence.split()))

    @property
    def chances(self):
        """The chance of each French word, at each step that is written: shape (n, number of words)."""
        rows = [chances for _, _, chances in self.steps[:len(self.translation)]]
        return np.array(rows).reshape(len(rows), len(self.packed["target_words"]))

    @property
    def ended(self):
        """Why no word can follow: "end" where the model says so, "full" after 15 words; otherwise None."""
        if not self.complete:
            return None
        says_so = self.packed["target_words"][self.steps[-1][0]] == END
        if len(self.translation) < len(self.steps) - says_so:
            return None
        return "end" if says_so else "full"

    def write(self, most=MOST):
        """Let the model write some words more, or until the translation ends; return what is written."""
        self.step = min(len(self.translation) + checks.count(most, "most"), MOST)
        self.step = len(self.translation)
        return " ".join(self.translation)

    def still(self):
        """The sentence, its translation, and the table of weights."""
        said = f'<p><span lang="en">{escape(self.sentence)}</span>'
        if not self.translation:
            return f"<div>{said}</p></div>"
        columns = "".join(f'<th scope="col" lang="en">{escape(word)}</th>' for word in self.sentence.split())
        rows = "".join(f'<tr><th scope="row" lang="fr">{escape(word)}</th><td>{fixed(chances.max())}</td>'
                       + "".join(still_cell(w, fixed(w), 1, kind="weight") for w in weights) + "</tr>"
                       for word, weights, chances in zip(self.translation, self.weights, self.chances))
        # Twelve columns of numbers are wider than a phone: the table scrolls by itself.
        return (f'<div>{said} → <span lang="fr">{escape(" ".join(self.translation))}</span></p>'
                '<div style="overflow-x:auto" tabindex="0"><table><thead><tr><td></td><th scope="col">chance</th>'
                f"{columns}</tr></thead><tbody>{rows}</tbody></table></div></div>")


# ---- the grammar

def check_grammar(grammar, packed):
    """Check a grammar: each way through it is a sentence of at most 12 words that the model knows."""
    if not isinstance(grammar, dict) or not {"next", "final"} <= set(grammar):
        raise ValueError("grammar must be a dict with next and final")
    states, final = grammar["next"], grammar["final"]
    if not isinstance(states, list) or not states or not all(isinstance(state, dict) for state in states):
        raise ValueError("grammar's next must be a list with a dict of words for each state")
    for number in final:
        index(number, "a state of grammar's final", len(states), "states")
    known = set(packed["source_words"]) - {PAD, START, END}
    for state, words in enumerate(states):
        if len(words) > FOLLOWING:
            raise ValueError(f"at most {FOLLOWING} words can follow in a state of grammar, got {len(words)}")
        for word, after in words.items():
            if word not in known:
                raise ValueError(f"grammar must hold words that the model knows, not {word!r}")
            index(after, f"the state after {word!r} in state {state} of grammar", len(states), "states")
    longest(grammar)


def longest(grammar):
    """The number of words of the longest sentence of a grammar.

    Raises ValueError where a way goes on for more than 12 words, or comes to an end that is none.
    """
    @cache
    def ahead(state, words):
        if words > LONGEST:
            raise ValueError(f"grammar's sentences must have at most {LONGEST} words, and some have more")
        ways = grammar["next"][state].values()
        if not ways and state not in grammar["final"]:
            raise ValueError(f"no word follows in state {state} of grammar, and it is not final")
        return max([ahead(after, words + 1) for after in ways], default=words)
    return ahead(0, 0)


def walk(grammar, sentence, name):
    """The state that a sentence, or the beginning of one, leads to."""
    if not isinstance(sentence, str):
        raise TypeError(f"{name} must be a str, got {sentence!r}")
    state = 0
    for word in sentence.split():
        if word not in (ways := grammar["next"][state]):
            can = ", ".join(ways) or "nothing"
            raise ValueError(f"{name} must follow the grammar: {word!r} cannot stand there in {sentence!r}, but {can}")
        state = ways[word]
    return state


# ---- reading a packed model

def read_model(packed):
    """Check a packed model and return its weights by name, as arrays of float64.

    Raises TypeError or ValueError in the caller's words.
    """
    if not isinstance(packed, dict):
        raise TypeError(f"packed must be a dict, a packed translator, got {type(packed).__name__}")
    if missing := [name for name in WHOLE if name not in packed]:
        raise ValueError(f"packed lacks {', '.join(missing)}")
    if packed["format"] != FORMAT:
        raise ValueError(f"packed must have format {FORMAT!r}, got {packed['format']!r}")
    for side in ("source_words", "target_words"):
        words = packed[side]
        if not isinstance(words, list) or not all(isinstance(word, str) and word.split() == [word] for word in words):
            raise ValueError(f"{side} of packed must be a list of str without blanks")
        if len(set(words)) < len(words) or not {START, END} <= set(words):
            raise ValueError(f"{side} of packed must be {START}, {END} and others, all different")
    width, states = (checks.count(packed[name], f"{name} of packed") for name in ("width", "states"))
    if width > 128 or 2 * states >= width:
        raise ValueError(f"width of packed must be at most 128 and more than two states, got {width} and {states}")
    if checks.finite(packed["unit"], "unit of packed") <= 0:
        raise ValueError(f"unit of packed must be positive, got {packed['unit']}")
    shapes = tensor_shapes(packed)
    if missing := [name for name in shapes if name not in packed["tensors"]]:
        raise ValueError(f"packed lacks the tensors {', '.join(missing)}")
    return {name: read_tensor(packed["tensors"][name], name, shape, packed["unit"]) for name, shape in shapes.items()}


def tensor_shapes(packed):
    """The shape of each tensor of a packed model, by name."""
    width, states = packed["width"], packed["states"]
    source, target = len(packed["source_words"]), len(packed["target_words"])
    sizes = {"forwards": (width - 2 * states, states), "backwards": (width - 2 * states, states),
             "decoder": (2 * width, width)}
    cells = {f"{part}.{name}": shape for part, (given, kept) in sizes.items()
             for name, shape in {"w_input": (3 * kept, given), "w_state": (3 * kept, kept),
                                 "b_input": (3 * kept,), "b_state": (3 * kept,)}.items()}
    return {"source_embedding": (source, width - 2 * states), "target_embedding": (target, width), **cells,
            "initial_state": (width,), "w_query": (width, width), "w_key": (width, width), "v": (width,),
            "readout": (target, 3 * width), "b_readout": (target,)}


def read_tensor(tensor, name, shape, unit):
    """Turn one packed tensor into an array: letters as integers, times the step of their row, times the unit."""
    if not isinstance(tensor, dict) or not {"shape", "steps", "letters"} <= set(tensor):
        raise ValueError(f"the tensor {name} must be a dict with shape, steps and letters")
    steps, letters = tensor["steps"], tensor["letters"]
    if tuple(tensor["shape"]) != shape:
        raise ValueError(f"the tensor {name} must have shape {shape}, got {tuple(tensor['shape'])}")
    rows, numbers = int(np.prod(shape[:-1])), int(np.prod(shape))
    if len(steps) != rows or not all(isinstance(step, int) and step > 0 for step in steps):
        raise ValueError(f"the tensor {name} must have {checks.many(rows, 'step')}, a positive int for each row")
    if not isinstance(letters, str) or not set(letters) <= set(LETTERS):
        raise ValueError(f"the letters of {name} must be a str of the letters of base64")
    if len(letters) != numbers:
        raise ValueError(f"the tensor {name} must have {checks.many(numbers, 'letter')}, got {len(letters)}")
    integers = np.array([LETTERS.index(letter) - ZERO for letter in letters]).reshape(rows, -1)
    return (integers * (np.array(steps, dtype=float)[:, None] * unit)).reshape(shape)


def random_model(seed, *, source_words, target_words, width=10, states=2, spread=12):
    """Make a packed translator that has not been trained, for tests and examples; the same seed makes the same one.

    `spread` is how large the integers are.
    """
    rng, marks = np.random.default_rng(seed), [PAD, START, END]
    model = {"format": FORMAT, "source_words": [*marks, *source_words], "target_words": [*marks, *target_words],
             "width": width, "states": states, "unit": 2.0**-20, "tensors": {}}
    for name, shape in tensor_shapes(model).items():
        integers = np.clip(np.rint(spread * rng.normal(size=shape)), -31, 31).astype(int)
        steps = rng.integers(20_000, 60_000, int(np.prod(shape[:-1]))).tolist()
        model["tensors"][name] = {"shape": list(shape), "steps": steps,
                                  "letters": "".join(LETTERS[integer + ZERO] for integer in integers.flat)}
    return model


# ---- the arithmetic, compared with the script's by tests/test_figures.py

def sigmoid(x):
    """1 / (1 + e^-x), without an overflow."""
    return (1 + np.tanh(x / 2)) / 2


def gru(tensors, part, x, state):
    """One step of a gated recurrent unit: the new state."""
    given = tensors[f"{part}.w_input"] @ x + tensors[f"{part}.b_input"]
    kept = tensors[f"{part}.w_state"] @ state + tensors[f"{part}.b_state"]
    (reset, update, new), (old_reset, old_update, old_new) = np.split(given, 3), np.split(kept, 3)
    new, update = np.tanh(new + sigmoid(reset + old_reset) * old_new), sigmoid(update + old_update)
    return (1 - update) * new + update * state


def annotate(tensors, numbers):
    """The annotations of the words of a sentence: both states of the encoder, and the embedding, (m, d)."""
    words, found = tensors["source_embedding"][numbers], {}
    for part, order in (("forwards", range(len(words))), ("backwards", range(len(words) - 1, -1, -1))):
        state, found[part] = np.zeros(tensors[f"{part}.w_state"].shape[1]), {}
        for place in order:
            state = found[part][place] = gru(tensors, part, words[place], state)
    return np.array([np.concatenate([found["forwards"][i], found["backwards"][i], word])
                     for i, word in enumerate(words)])


def translate(tensors, packed, numbers):
    """Translate the numbers of some words: (word, weights, chances) for each step, until <end> or for 15 steps."""
    annotations, state, steps = annotate(tensors, numbers), tensors["initial_state"], []
    word, end = (packed["target_words"].index(mark) for mark in (START, END))
    while word != end and len(steps) < MOST:
        compared = additive(state[None], annotations, tensors["w_query"].T, tensors["w_key"].T, tensors["v"])
        weights = softmax(compared)[0]
        last, blend = tensors["target_embedding"][word], weights @ annotations
        state = gru(tensors, "decoder", np.concatenate([last, blend]), state)
        chances = softmax(tensors["readout"] @ np.concatenate([state, blend, last]) + tensors["b_readout"])
        word = int(chances.argmax())
        steps.append((word, weights, chances))
    return steps
