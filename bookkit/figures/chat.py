"""A chat with a real model: its text piece by piece, what may come next, and where each of its heads looks."""

import base64
from html import escape

import numpy as np
import traitlets

from attnkit.sampling import Xorshift, choose
from bookkit.figures.base import Between, Figure, Index, few, index, still_table
from bookkit.pictures.formats import fixed

LIKELIEST = 10               # next pieces that are recorded
DRAWN = 50                   # the model draws among so many
STEPS = 255                  # a recorded weight travels as a whole number of these
STILL = 5                    # next pieces in the still picture


def record(model, question, heads=(), most=40, asked=None):
    """What a figure shows before the model is loaded: an answer, as data for JSON.

    `model` is a `bookkit.lessons.chat_model.ChatModel`. It answers greedily, with at most so many pieces. Of each
    place from the last one before the answer on, the likeliest next pieces are recorded, and the weights of some
    `heads`, pairs of a layer and a head from 0. `asked` are the numbers of what it reads, the question in its template
    if they are not given.
    """
    asked = model.chat(question) if asked is None else asked
    numbers = [*asked, *model.write(asked, most)]
    scores, maps = model.read(numbers)
    places = range(len(asked) - 1, len(numbers))
    weights = {f"{layer}.{head}": np.concatenate([maps[layer][head][k, :k + 1] for k in places])
               for layer, head in heads}
    return {"question": question, "numbers": numbers, "words": [model.words[number] for number in numbers],
            "first": len(asked), "likeliest": [likeliest(scores[k], model.words, LIKELIEST) for k in places],
            "weights": {name: packed(np.round(STEPS * rows).astype(np.uint8)) for name, rows in weights.items()}}


def likeliest(scores, words, count):
    """The likeliest pieces, each with its number, its word and its chance."""
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    return [[int(k), words[k], round(float(shares[k]), 4)] for k in np.argsort(-shares, kind="stable")[:count]]


def packed(array):
    """The bytes of an array as text."""
    return base64.b64encode(array.tobytes()).decode()


class Kernel(Figure):
    """A figure that asks the chat model: on a page the script loads it, in a notebook the kernel has it.

    The kernel is asked as the worker of a page is (chat_model.js), by one trait, and answers by another.
    """

    LEAST = 1                                                # kinds of heads
    layers = traitlets.Int().tag(sync=True)
    heads = traitlets.Int().tag(sync=True)
    kinds = traitlets.List().tag(sync=True)                  # of heads: a name, and how much each head is of that kind
    asks = traitlets.Bool(False).tag(sync=True)              # whether there is a model to ask
    _asked = traitlets.Dict().tag(sync=True)
    _answer = traitlets.Dict().tag(sync=True)

    def __init__(self, kinds, model, **state):
        told = [{"name": name, "scores": np.asarray(scores, float).round(3).tolist()} for name, scores in kinds.items()]
        shapes = {np.shape(kind["scores"]) for kind in few(told, "kinds", self.LEAST, 4)} or {(0, 0)}
        if len(shapes) > 1 or len(shape := shapes.pop()) != 2:
            raise ValueError("kinds must be tables of one shape (layers, heads), "
                             f"got {[np.shape(kind['scores']) for kind in told]}")
        self._model = model
        super().__init__(layers=shape[0], heads=shape[1], kinds=told, asks=model is not None, **state)

    @traitlets.observe("_asked")
    def _hear(self, change):
        """The script has a question."""
        asked = change["new"]
        try:
            found = self._found(**asked)
        except ValueError:      # more pieces than the model reads at once
            found = None
        self._answer = {"asked": asked["asked"], "found": found}

    def _found(self, asked, text=None, marks=False, words=None, numbers=None, without=(), losses=False, taught=0):
        model = self._taught if taught else self._model
        if text is not None:
            cut = model.numbers(text, marks=marks)
            return {"numbers": cut, "words": [model.words[number] for number in cut]}
        if words is not None:
            return [model.words[number] for number in words]
        without = [divmod(head, self.heads) for head in without]
        scores, maps = model.read(numbers, without=without)
        lost = []
        if losses:
            best = scores.max(axis=-1)
            totals = best + np.log(np.exp(scores - best[:, None]).sum(axis=-1))
            lost = [float(totals[k] - scores[k, number]) for k, number in enumerate(numbers[1:])]
        rows = np.array([heads[:, -1] for heads in maps], np.float32)
        return {"likeliest": likeliest(scores[-1], model.words, DRAWN), "weights": packed(rows), "losses": lost,
                "took": 0, "fresh": len(numbers)}


class Chat(Kernel):
    """Ask a chat model; see its whole text in pieces, what may come after each, and where each head looks.

    `recorded` are answers as `record` makes them: the figure is alive with them before the model is loaded. `kinds` are
    for each kind of head a name and a table (layers, heads) of how much a head is of it, from 0 to 1; with none, heads
    are not shown. With a `model`, a `bookkit.lessons.chat_model.ChatModel`, a notebook can ask, too; a page loads it
    when asked. `told` are answers to the same questions by the model that was `taught` something
    (`bookkit.lessons.chat_tuned`): with them there is a switch between the two.

    `hand` is the place of the piece in hand, from the last one before the answer on; the last of all if it is not
    given. `head` is a layer and a head from 0. A `temperature` of 0 takes the likeliest piece; else one of the 50
    likeliest is drawn with `seed`, as `attnkit.sampling.choose` does.
    """

    LEAST = 0
    kind = "chat"
    needs = ("loading", "chat_model")
    # What stands around a question: the words before the first one, before each, after each, and after an answer.
    FRAME = ["<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n",
             "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>\n"]
    recorded = traitlets.List().tag(sync=True)
    told = traitlets.List().tag(sync=True)
    frame = traitlets.List(FRAME).tag(sync=True)
    ends = traitlets.List(["<|im_end|>", "<|endoftext|>"]).tag(sync=True)    # marks after which the model stops
    kept = traitlets.Int(46_080).tag(sync=True)              # bytes of keys and values of a piece
    asked = Index("recorded", "recorded answers").tag(sync=True, reset=True)
    hand = traitlets.Int().tag(sync=True, reset=True)
    head = traitlets.Int().tag(sync=True, reset=True)        # counted through all layers
    shade = Index("kinds", "kinds").tag(sync=True, reset=True)
    temperature = Between(0, 2, 0).tag(sync=True, reset=True)
    seed = Index(10_000, "seeds").tag(sync=True, reset=True)
    template = traitlets.Bool(True).tag(sync=True, reset=True)
    taught = Index(2, "models").tag(sync=True, reset=True)

    def __init__(self, recorded, kinds, model=None, *, told=(), taught=None, frame=FRAME, hand=None, head=(0, 0),
                 temperature=0, seed=0, caption=""):
        few(recorded, "recorded", 1, 6)
        if told and [one["question"] for one in told] != [one["question"] for one in recorded]:
            raise ValueError("told must be answers to the questions of recorded, in their order")
        self._taught = taught
        *_, heads = np.shape(next(iter(kinds.values()), 0)) or (1,)
        hand = len(recorded[0]["words"]) - 1 if hand is None else hand
        super().__init__(kinds, model, recorded=list(recorded), told=list(told), frame=list(frame), hand=hand,
                         head=head[0] * heads + head[1], temperature=temperature, seed=seed, caption=caption)

    @traitlets.validate("head")
    def _check_head(self, proposal):
        return index(proposal["value"], "head", self.layers * self.heads, "heads") if self.kinds else 0

    @traitlets.validate("hand")
    def _check_hand(self, proposal):
        told, hand = self._answer_shown, proposal["value"]
        # With a model, a reader's own text, which only the script knows, may be longer.
        low, high = (0, np.inf) if self.asks else (told["first"] - 1, len(told["words"]) - 1)
        if not low <= hand <= high:
            raise ValueError(f"hand must be from {low} to {high}, got {hand}")
        return hand

    # ---- what follows from the state, of a recorded answer

    @property
    def _answer_shown(self):
        """The recorded answer that is shown: of the model as it was, or as it was taught."""
        return (self.told if self.taught else self.recorded)[self.asked]

    @property
    def _place(self):
        """Where in what is recorded the piece in hand stands."""
        likely, first = self._answer_shown["likeliest"], self._answer_shown["first"]
        return min(max(self.hand - first + 1, 0), len(likely) - 1)

    @property
    def likeliest(self):
        """The likeliest next pieces: the number, the word and the chance of each."""
        return self._answer_shown["likeliest"][self._place]

    @property
    def weights(self):
        """The weights of the chosen head at the piece in hand, if they are recorded; else None."""
        told = self._answer_shown
        rows = told["weights"].get("{}.{}".format(*divmod(self.head, self.heads or 1)))
        if rows is None:
            return None
        count = told["first"] + self._place
        start = sum(range(told["first"], count))
        return (np.frombuffer(base64.b64decode(rows), np.uint8)[start:start + count] / STEPS).tolist()

    @property
    def next_word(self):
        """The piece that is drawn next of these, with this temperature and seed."""
        order = sorted(self.likeliest)
        random = Xorshift(self.seed)
        for _ in range(self._place):
            random.number()
        with np.errstate(divide="ignore"):
            scores = np.log([chance for _, _, chance in order])
        return order[choose(scores, random, temperature=self.temperature)][1]

    def still(self):
        """The text, the likeliest next pieces, and where the piece in hand looks."""
        told = self._answer_shown
        story = f'<p style="white-space:pre-wrap">{escape("".join(told["words"]))}</p>'
        most = STILL if self.kinds else LIKELIEST
        rows = [[repr(word), fixed(chance, 3)] for _, word, chance in self.likeliest[:most]]
        hand = told["words"][told["first"] + self._place - 1]
        table = still_table([f"after {hand!r}", "chance"], rows)
        if not self.kinds:
            return f"<div>{story}{table}</div>"
        weights, (layer, head) = self.weights, divmod(self.head, self.heads)
        best = np.argsort(-np.array(weights or [0]), kind="stable")[:STILL]
        looks = [[repr(told["words"][k]), fixed(weights[k])] for k in best if weights]
        name = f"head {head + 1} of layer {layer + 1}"
        return f"<div>{story}{table}{still_table([f'{name} looks at', 'weight'], looks)}</div>"
