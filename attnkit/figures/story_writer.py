"""A trained Transformer that writes a story word by word: what may come next, and where the newest word looks."""

import base64
import binascii
from html import escape

import numpy as np
import traitlets

from attnkit import causal_mask, checks, merge_heads, softmax, split_heads
from attnkit.figures.base import Between, Figure, Index, index, still_table
from attnkit.pictures.formats import fixed

PAD, START, END = "<pad>", "<start>", "<end>"
NEVER = (PAD, START)             # words that are never chosen
SHOWN = 5                        # words that the still picture shows with their chances
MOST = {"width": 128, "num_heads": 8, "num_layers": 6, "hidden": 512, "context": 64}
WHOLE = ("format", "words", *MOST, "attention", "epsilon", "output_scale", "unit", "tensors")


class StoryWriter(Figure):
    """Let a trained model write on, word by word; see the chances of each next word, and where each head looks.

    The model is a decoder-only Transformer.  It reads ``<start>``, the prompt and what has been written since, and
    writes until ``<end>`` or until its context is full.

    Parameters
    ----------
    packed : dict
        The model, as ``packed`` of the storyteller makes it: its words, its sizes and its weights as small
        integers.  At most 128 wide, with 6 layers of 8 heads and a context of 64 words.
    prompt : str
        The beginning: words that the model knows, with blanks between.  A full stop is a word of its own.
    seed : int
        From 0 to 9999.  The t-th word that is written is drawn with the t-th random number of the seed, so the same
        prompt, seed and temperature make the same story.
    temperature : float in [0, 2]
        The scores are divided by it before the softmax; at 0 the likeliest word is taken.
    top_k : int, optional
        Only the k likeliest words are drawn; all if not given.
    beginnings : list of str
        Prompts that the reader can choose from, at most six.
    head : pair of int
        Layer and head, counted from 0, whose weights are shown in the story.
    whole_map : bool
        Whether the map of all words of that head is shown, too.
    write : int
        How many words the model has written when the figure opens, fewer if the story ends before.
    caption : str

    Raises
    ------
    TypeError, ValueError
        A dict that holds no such model, words that the model does not know, more words than its context holds,
        numbers out of their range; also when `prompt`, `written`, `seed`, `temperature` or `head` is set later.

    Notes
    -----
    `written` is the list of the numbers of the words after the prompt, whether the model drew them or the reader
    took them.

    Examples
    --------
    >>> from attnkit.figures import story_writer
    >>> figure = StoryWriter(story_writer.random_model(0), prompt="Zoe met Rex", seed=4)
    >>> figure.write(4)
    'Zoe met Rex the Zoe the Zoe'
    >>> figure.next_word, figure.weights.shape
    ('Zoe', (2, 2, 8, 8))
    """

    kind = "story_writer"
    packed = traitlets.Dict().tag(sync=True)
    beginnings = traitlets.List(traitlets.Unicode()).tag(sync=True)
    top_k = traitlets.Int(None, allow_none=True).tag(sync=True)
    prompt = traitlets.Unicode().tag(sync=True, reset=True)
    written = traitlets.List().tag(sync=True, reset=True)
    seed = Index(10_000, "seeds").tag(sync=True, reset=True)
    temperature = Between(0, 2, 0.7).tag(sync=True, reset=True)
    head = traitlets.Any().tag(sync=True, reset=True)
    whole_map = traitlets.Bool(False).tag(sync=True, reset=True)

    def __init__(self, packed, prompt="", seed=0, temperature=0.7, top_k=None, beginnings=(), head=(0, 0),
                 whole_map=False, write=0, caption=""):
        self._tensors, self._known = read_model(packed), None
        beginnings = checks.sequence(beginnings, "beginnings", "str")
        if len(beginnings) > 6:
            raise ValueError(f"beginnings must be at most 6, got {len(beginnings)}")
        for beginning in beginnings:
            encode(packed, beginning, "a prompt of beginnings")
        if top_k is not None:
            top_k = checks.count(top_k, "top_k")
        if not isinstance(whole_map, bool):
            raise TypeError(f"whole_map must be True or False, got {whole_map!r}")
        write = checks.count(write, "write", 0)
        super().__init__(packed=packed, prompt=prompt, seed=seed, temperature=temperature, top_k=top_k,
                         beginnings=beginnings, head=head, whole_map=whole_map, caption=caption)
        if write:
            self.write(write)
            self.defaults = {**self.defaults, "written": self.written}       # where "Reset" leads back to

    @traitlets.validate("prompt")
    def _check_prompt(self, proposal):
        numbers = encode(self.packed, proposal["value"], "prompt")
        fits(self.packed, len(numbers) + len(self.written), "prompt and written together")
        return " ".join(self.packed["words"][number] for number in numbers)

    @traitlets.validate("written")
    def _check_written(self, proposal):
        words = self.packed["words"]
        numbers = [index(number, "a number of written", len(words), "words") for number in proposal["value"]]
        if any(words[number] in NEVER for number in numbers) or words.index(END) in numbers[:-1]:
            raise ValueError(f"written must hold no {PAD} and no {START}, and {END} only as its last word")
        fits(self.packed, len(self.prompt.split()) + len(numbers), "prompt and written together")
        return numbers

    @traitlets.validate("head")
    def _check_head(self, proposal):
        try:
            layer, head = proposal["value"]
        except (TypeError, ValueError):
            raise ValueError(f"head must be a layer and a head, got {proposal['value']!r}") from None
        return [index(layer, "head's layer", self.packed["num_layers"], "layers"),
                index(head, "head's number", self.packed["num_heads"], "heads of a layer")]

    # ---- what follows from the state

    @property
    def numbers(self):
        """The numbers of the words so far, that of ``<start>`` first."""
        words = self.packed["words"]
        return [words.index(START), *encode(self.packed, self.prompt, "prompt"), *self.written]

    @property
    def story(self):
        """The words so far, without ``<start>``."""
        return [self.packed["words"][number] for number in self.numbers[1:]]

    @property
    def ended(self):
        """Why no word can follow: "end" after ``<end>``, "full" where the context is full; otherwise None."""
        if self.numbers[-1] == self.packed["words"].index(END):
            return "end"
        return "full" if len(self.numbers) == self.packed["context"] else None

    @property
    def scores(self):
        """The score of each word of the vocabulary at the newest place: shape (number of words,)."""
        return self._read()[0][-1]

    @property
    def weights(self):
        """The weights of every head: shape (layers, heads, n, n) for n words with ``<start>``."""
        return self._read()[1]

    @property
    def chances(self):
        """The chance of each word of the vocabulary to be the next one: shape (number of words,)."""
        return chances(self.scores, never(self.packed), self.temperature, self.top_k)

    @property
    def next_word(self):
        """The word that the model takes next with this seed; None where no word can follow."""
        if self.ended:
            return None
        drawn = random_numbers(self.seed, len(self.written) + 1)[-1]
        return self.packed["words"][choose(self.scores, never(self.packed), self.temperature, self.top_k, drawn)]

    def write(self, most=None):
        """Let the model write some words more, or until the story ends; return the whole story."""
        most = self.packed["context"] if most is None else checks.count(most, "most")
        while most and (word := self.next_word):
            self.written = [*self.written, self.packed["words"].index(word)]
            most -= 1
        return " ".join(self.story)

    def _read(self):
        """Scores and weights; they are kept until the words are others."""
        if self._known != self.numbers:
            self._known, self._results = self.numbers, forward(self.packed, self._tensors, self.numbers)
        return self._results

    def still(self):
        """The words so far, the likeliest next ones with their chances, and where the newest one looks."""
        story = f"<p>{escape(' '.join([START, *self.story]))}</p>"
        if self.ended:
            return f"<div>{story}<p>{ENDED[self.ended].format(self.packed['context'])}</p>{self._still_heads()}</div>"
        best = ranked(self.scores, never(self.packed))[:SHOWN]
        rows = [[self.packed["words"][word], fixed(self.chances[word], 3)] for word in best]
        table = still_table(["next word", f"chance at temperature {fixed(self.temperature)}"], rows)
        return f"<div>{story}{table}{self._still_heads()}</div>"

    def _still_heads(self):
        """A row for each head: the word that has most of its weight."""
        words, newest = [START, *self.story], self.weights[:, :, -1]
        rows = [[f"layer {layer + 1}, head {head + 1}", words[row.round(9).argmax()], fixed(row.max())]
                for layer, heads in enumerate(newest) for head, row in enumerate(heads)]
        return still_table(["head", f"the newest word, “{words[-1]}”, looks most at", "weight"], rows)


ENDED = {"end": "The story has ended.", "full": "The context is full: the model reads at most {} words."}


# ---- reading a packed model

def read_model(packed):
    """Check a packed model and return its weights by name, as arrays of float64.

    Raises TypeError or ValueError in the caller's words.
    """
    if not isinstance(packed, dict):
        raise TypeError(f"packed must be a dict, a packed model, got {type(packed).__name__}")
    if missing := [name for name in WHOLE if name not in packed]:
        raise ValueError(f"packed lacks {', '.join(missing)}")
    if packed["format"] != 1:
        raise ValueError(f"packed must have format 1, got {packed['format']!r}")
    for name, most in MOST.items():
        if checks.count(packed[name], name, 2 if name == "context" else 1) > most:
            raise ValueError(f"{name} must be at most {most}, got {packed[name]}")
    if packed["width"] % packed["num_heads"]:
        raise ValueError(f"width must be a multiple of num_heads, got {packed['width']} and {packed['num_heads']}")
    if packed["attention"] not in ("softmax", "uniform"):
        raise ValueError(f'attention must be "softmax" or "uniform", got {packed["attention"]!r}')
    for name in ("epsilon", "output_scale", "unit"):
        if checks.finite(packed[name], name) <= 0:
            raise ValueError(f"{name} must be positive, got {packed[name]}")
    check_words(packed["words"])
    shapes = tensor_shapes(packed)
    if missing := [name for name in shapes if name not in packed["tensors"]]:
        raise ValueError(f"packed lacks the tensors {', '.join(missing)}")
    return {name: read_tensor(packed["tensors"][name], name, shape, packed["unit"]) for name, shape in shapes.items()}


def check_words(words):
    """Check a vocabulary."""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TypeError("the words of packed must be a list of str")
    if len(set(words)) < len(words) or not {PAD, START, END} <= set(words) or any(w.split() != [w] for w in words):
        raise ValueError(f"the words of packed must be {PAD}, {START}, {END} and others, all different, without blanks")


def tensor_shapes(packed):
    """The shape of each tensor of a packed model, by name; None fits any length."""
    width, hidden = packed["width"], packed["hidden"]
    square, norm = (width, width), {"gain": (width,), "bias": (width,)}
    layer = {**{f"norm1.{name}": shape for name, shape in norm.items()},
             "w_query": square, "w_key": square, "w_value": square, "w_output": square,
             "bias": (packed["num_heads"], None), **{f"norm2.{name}": shape for name, shape in norm.items()},
             "w1": (width, hidden), "b1": (hidden,), "w2": (hidden, width), "b2": (width,)}
    shapes = {f"layers.{k}.{name}": shape for k in range(packed["num_layers"]) for name, shape in layer.items()}
    last = {f"norm.{name}": shape for name, shape in norm.items()}
    return {"embedding": (len(packed["words"]), width), **shapes, **last}


def read_tensor(tensor, name, shape, unit):
    """Turn one packed tensor into an array: integers of a byte, times the step of their row, times the unit."""
    if not isinstance(tensor, dict) or not {"shape", "steps", "bytes"} <= set(tensor):
        raise ValueError(f"the tensor {name} must be a dict with shape, steps and bytes")
    found, steps = tuple(tensor["shape"]), tensor["steps"]
    if len(found) != len(shape) or any(n < 1 or s not in (None, n) for s, n in zip(shape, found)):
        wanted = ", ".join("any" if s is None else str(s) for s in shape)
        raise ValueError(f"the tensor {name} must have shape ({wanted}), got {found}")
    rows, columns = int(np.prod(found[:-1])), found[-1]
    if len(steps) != rows or not all(isinstance(step, int) and step > 0 for step in steps):
        raise ValueError(f"the tensor {name} must have {checks.many(rows, 'step')}, a positive int for each row")
    try:
        integers = np.frombuffer(base64.b64decode(tensor["bytes"], validate=True), dtype=np.int8)
    except (binascii.Error, TypeError, ValueError):
        raise ValueError(f"the bytes of {name} must be a str in base64") from None
    if len(integers) != rows * columns:
        raise ValueError(f"the tensor {name} must have {rows * columns} bytes, got {len(integers)}")
    scaled = integers.reshape(rows, columns) * np.array(steps, dtype=float)[:, None] * unit
    return scaled.reshape(found)


def random_model(seed, *, words=("Zoe", "met", "Rex", "the", "."), width=8, num_heads=2, num_layers=2, hidden=12,
                 context=64, reach=4, attention="softmax", spread=60):
    """Make a packed model that has not been trained, for tests and examples; the same seed makes the same one.

    `reach` is how many places back the relative bias tells apart, `spread` how large the integers are.
    """
    rng = np.random.default_rng(seed)
    model = {"format": 1, "words": [PAD, START, END, *words], "width": width, "num_heads": num_heads,
             "num_layers": num_layers, "hidden": hidden, "context": context, "attention": attention, "epsilon": 1e-5,
             "output_scale": 0.1875, "unit": 2.0**-20, "tensors": {}}
    for name, shape in tensor_shapes(model).items():
        shape = tuple(reach + 1 if side is None else side for side in shape)
        integers = np.clip(np.rint(spread * rng.normal(size=shape)), -127, 127).astype(np.int8)
        steps = rng.integers(8000, 32000, int(np.prod(shape[:-1]))).tolist()
        model["tensors"][name] = {"shape": list(shape), "steps": steps,
                                  "bytes": base64.b64encode(integers.tobytes()).decode()}
    return model


# ---- words

def encode(packed, text, name):
    """The numbers of the words of a text; words are divided by blanks."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, got {text!r}")
    known = {word: number for number, word in enumerate(packed["words"]) if word not in (*NEVER, END)}
    if unknown := [word for word in text.split() if word not in known]:
        raise ValueError(f"{name} must hold words that the model knows, not {unknown[0]!r}; a full stop is a word")
    fits(packed, len(text.split()), name)
    return [known[word] for word in text.split()]


def fits(packed, count, name):
    """Check that the context holds so many words after ``<start>``."""
    if count > (most := packed["context"] - 1):
        raise ValueError(f"{name} must hold at most {most} words, as the context has room for no more, got {count}")


def never(packed):
    """The numbers of the words that are never chosen."""
    return [packed["words"].index(word) for word in NEVER]


# ---- the arithmetic, compared with the script's by tests/test_figures.py

def layer_norm(x, gain, bias, epsilon):
    """Rows of mean 0 and variance 1, times a gain, plus a bias."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon) * gain + bias


def forward(packed, tensors, numbers):
    """Read the numbers of some words.

    Returns the scores of all words at each place, (n, number of words), and the weights, (layers, heads, n, n).
    """
    n, epsilon, maps = len(numbers), packed["epsilon"], []
    past = causal_mask(n)
    back = np.arange(n)[:, None] - np.arange(n)               # how many places back j lies from i
    x = tensors["embedding"][numbers]
    for k in range(packed["num_layers"]):
        layer = {name: tensors[f"layers.{k}.{name}"] for name in LAYER}
        reach = layer["bias"].shape[1] - 1
        a = layer_norm(x, layer["norm1.gain"], layer["norm1.bias"], epsilon)
        query, key, value = (split_heads(a @ layer[f"w_{role}"], packed["num_heads"]) for role in ROLES)
        scores = query @ key.mT / np.sqrt(key.shape[-1]) + layer["bias"][:, reach - np.clip(back, 0, reach)]
        if packed["attention"] == "uniform":
            scores = np.zeros_like(scores)
        maps.append(softmax(np.where(past, scores, -np.inf)))
        x = x + merge_heads(maps[-1] @ value) @ layer["w_output"]
        a = layer_norm(x, layer["norm2.gain"], layer["norm2.bias"], epsilon)
        x = x + np.maximum(a @ layer["w1"] + layer["b1"], 0) @ layer["w2"] + layer["b2"]
    last = layer_norm(x, tensors["norm.gain"], tensors["norm.bias"], epsilon)
    return packed["output_scale"] * last @ tensors["embedding"].T, np.stack(maps)


ROLES = ("query", "key", "value")
LAYER = ("norm1.gain", "norm1.bias", "w_query", "w_key", "w_value", "w_output", "bias", "norm2.gain", "norm2.bias",
         "w1", "b1", "w2", "b2")


def ranked(scores, never):
    """The numbers of the words, the highest score first, of equals the first word; without those never chosen."""
    return [int(word) for word in np.argsort(-scores, kind="stable") if word not in never]


def chances(scores, never, temperature, top_k):
    """The chance of each word to be the next one."""
    kept = sorted(ranked(scores, never)[:1 if temperature == 0 else top_k])
    shares = np.zeros_like(scores)
    shares[kept] = softmax(scores[kept], temperature=temperature or 1.0)
    return shares


def choose(scores, never, temperature, top_k, drawn):
    """The number of the next word: the first in the vocabulary up to which the chances add up to more than `drawn`."""
    order = ranked(scores, never)
    if temperature == 0:
        return order[0]
    kept = sorted(order[:top_k])
    shares = np.exp((scores[kept] - scores[order[0]]) / temperature)
    sums = np.cumsum(shares)
    found = np.flatnonzero(sums > drawn * sums[-1])
    return kept[found[0]] if len(found) else kept[-1]


def random_numbers(seed, count):
    """The first numbers of a seed, between 0 and 1: Marsaglia's xorshift, as in `starting_matrix`."""
    state, numbers = (seed + 1) * 2654435761 % 2**32, []
    for _ in range(count):
        state ^= (state << 13) % 2**32
        state ^= state >> 17
        state ^= (state << 5) % 2**32
        numbers.append(state / 2**32)
    return numbers
