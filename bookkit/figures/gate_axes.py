"""Gates for channels, for places, or for both: a trained model looks at a small picture, and the axis is switched."""

from html import escape

import numpy as np
import traitlets

from attnkit import checks, softmax
from bookkit.figures.base import Figure, Index, few, index, number_array, one_each, one_of, still_table
from bookkit.pictures import draw, images
from bookkit.pictures.formats import fixed
from bookkit.pictures.picture import Picture

AXES = {"none": "none", "channel": "channels", "spatial": "places", "both": "both"}      # and what a reader calls them
COLOURS = ("red", "green", "blue")
PARTS = {"none": (), "channel": ("w_squeeze", "b_squeeze", "w_excite", "b_excite"), "spatial": ("weight", "bias")}
PARTS["both"] = PARTS["channel"] + PARTS["spatial"]
SIDE, PICTURES, FILTERS, ANSWERS = 16, 8, 8, 8                       # at most
LARGEST = 1000                                                       # of a model's numbers, with either sign


class GateAxes(Figure):
    """Switch the axis: a small picture, the gates that a trained model makes for channels or for places, its answer.

    Filters of 3 by 3 pixels, the same for each colour, make the channels: first all of red, then of green, then of
    blue. The gates of the model's axis multiply them. The largest number of each channel, added over the colours, is
    one number a filter, and from these the answer is read. Each axis has a model that was trained with its gates.

    `models` are dicts by axis, "none", "channel", "spatial" or "both" (the gates of channels first), of arrays within
    ±1000. All have ``filters`` (9, f) and ``b_filters`` (f,), f at most 8: the nine pixels row by row, zeros around the
    picture, then ReLU, which makes c = 3 f channels; and ``readout`` (f, k) and ``b_readout`` (k,), of which the
    softmax makes the probabilities. Gates of channels need ``w_squeeze`` (c, r), ``b_squeeze`` (r,), ``w_excite`` (r,
    c) and ``b_excite`` (c,), as in `channel_attention`, those of places ``weight`` (c, 1) and ``bias`` (1,), as in
    `spatial_attention`.

    `pictures` (count, height, width, 3), at most 8 of 16 by 16 pixels, are light in red, green and blue, from 0 to 1;
    `labels` are the numbers of their right answers; `names` says what the k answers are called, and as a dict also
    their shapes: rows in which a blank is an empty pixel.

    `lit` (count, 4), of 0 and 1, says which quarters of each picture are lit, row by row; with it a reader can switch
    their lamps, each of which adds the light `lamp`, red, green and blue from 0 to 1, to its quarter. The trait `lamps`
    says which are lit now; another picture begins with its own.

    >>> from bookkit.figures import gate_axes
    >>> models = {axis: gate_axes.random_model(3, axis) for axis in ("none", "spatial")}
    >>> figure = GateAxes(models, np.full((1, 2, 2, 3), 0.5), [1], ["plus", "cross"], axis="spatial")
    >>> figure.place_gates.round(2).tolist(), figure.channel_gates
    ([0.15, 0.18, 0.21, 0.76], None)
    """

    kind = "gate_axes"
    models = traitlets.Dict().tag(sync=True)
    pictures = traitlets.List().tag(sync=True)
    labels = traitlets.List().tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    shapes = traitlets.List().tag(sync=True)
    axis = traitlets.Any("none").tag(sync=True, reset=True)
    lit = traitlets.List().tag(sync=True)
    lamp = traitlets.List().tag(sync=True)
    picture = Index("pictures", "pictures").tag(sync=True, reset=True)
    lamps = traitlets.Any([]).tag(sync=True, reset=True)

    def __init__(self, models, pictures, labels, names, axis="spatial", picture=0, *, lit=None, lamp=(0, 0, 0.4),
                 caption=""):
        shapes = read_shapes(names)
        names = few(list(names), "names", 1, ANSWERS)
        pictures = read_pictures(pictures)
        models = {axis: read_model(models[axis], axis, len(names)) for axis in AXES if axis in models}
        labels = [index(label, "labels", len(names), "names")
                  for label in one_each(labels, "labels", pictures, "pictures")]
        lit = [read_lamps(row, "lit") for row in one_each(lit, "lit", pictures, "pictures")] if lit is not None else []
        super().__init__(models=models, pictures=pictures, labels=labels, names=names, shapes=shapes, lit=lit,
                         lamp=number_array(lamp, "lamp", 0, 1, (3,)), axis=axis, picture=picture, caption=caption)
        self._as_it_was()
        self.defaults = {**self.defaults, "lamps": self.lamps}

    @traitlets.observe("picture")
    def _as_it_was(self, change=None):
        self.lamps = self.lit[self.picture] if self.lit else []

    @traitlets.validate("lamps")
    def _check_lamps(self, proposal):
        lamps = checks.sequence(proposal["value"], "lamps", "0 and 1")
        if self.lit:
            return read_lamps(lamps, "lamps")
        if lamps:
            raise ValueError("lamps can be switched only where lit says which quarters are lit")
        return lamps

    @traitlets.validate("axis")
    def _check_axis(self, proposal):
        return one_of(proposal["value"], "axis", [axis for axis in AXES if axis in self.models])

    @property
    def pixels(self):
        """The picture under its present lamps, shape (height, width, 3)."""
        picture = np.array(self.pictures[self.picture])
        if not self._switched:
            return picture
        more = np.subtract(self.lamps, self.lit[self.picture]).reshape(2, 2)
        row, column = (2 * np.arange(count) // count for count in picture.shape[:2])
        return np.clip(picture + more[row][:, column, None] * self.lamp, 0, 1)

    @property
    def _switched(self):
        """Whether other quarters are lit than in the picture that was given."""
        return bool(self.lit) and self.lamps != self.lit[self.picture]

    @property
    def features(self):
        """The channels of the picture before the gates, shape (n, c)."""
        return self._look()[0]

    @property
    def channel_gates(self):
        """The gate of each channel, shape (c,), or None."""
        return self._look()[1]

    @property
    def place_gates(self):
        """The gate of each place, shape (n,), or None."""
        return self._look()[2]

    @property
    def gated(self):
        """The channels times the gates, shape (n, c)."""
        return self._look()[3]

    @property
    def chances(self):
        """The probability of each answer, shape (k,)."""
        return self._look()[4]

    def _look(self):
        """Features, gates of channels, gates of places, features times gates, probabilities."""
        model = {name: np.array(part) for name, part in self.models[self.axis].items()}
        features = gated = convolved(self.pixels, model["filters"], model["b_filters"])
        channels = places = None
        if "w_excite" in model:
            hidden = np.maximum(gated.mean(axis=0) @ model["w_squeeze"] + model["b_squeeze"], 0)
            channels = _sigmoid(hidden @ model["w_excite"] + model["b_excite"])
            gated = gated * channels
        if "weight" in model:
            places = _sigmoid((gated @ model["weight"] + model["bias"])[:, 0])
            gated = gated * places[:, None]
        pooled = gated.max(axis=0).reshape(3, -1).sum(axis=0)
        chances = softmax(pooled @ model["readout"] + model["b_readout"])
        return features, channels, places, gated, chances

    def _told(self, chances):
        """The answer in words."""
        best, right = int(chances.argmax()), self.labels[self.picture]
        verdict = ", which is right" if best == right else f"; the right answer is {self.names[right]}"
        verdict, lamps = ("", " with other lamps") if self._switched else (verdict, "")
        return (f"Picture {self.picture + 1}{lamps}, gates for {AXES[self.axis]}. "
                f"The model says {self.names[best]}, {fixed(chances[best])}{verdict}.")

    def _drawn(self, channels, places):
        """The picture, the gates of its places, and those of the channels, a row for each colour."""
        pixels = self.pixels
        parts = [images.colour_image(pixels, alt=f"Picture {self.picture + 1}.", label="picture", side=9)]
        shapes = ("places", places, pixels.shape[:2], 9), ("channels", channels, (len(COLOURS), -1), 18)
        for what, gates, shape, side in shapes:
            if gates is not None:
                alt = f"The gates of the {what}, {fixed(gates.min())} to {fixed(gates.max())}."
                rounded = gates.reshape(shape).round(6)      # the last bits differ from processor to processor
                parts.append(draw.pixels(rounded, label=f"gates of {what}", side=side, alt=alt, vmax=1))
        return Picture(*parts).html()

    def still(self):
        """The picture, the gates of its places, its channels with means and gates, and the answer."""
        features, channels, places, gated, chances = self._look()
        gates = ["none"] * len(features[0]) if channels is None else map(fixed, channels)
        rows = [[channel_name(k, len(features[0])), fixed(before.mean()), gate, fixed(before.max()), fixed(after.max())]
                for k, (before, gate, after) in enumerate(zip(features.T, gates, gated.T))]
        return (self._drawn(channels, places)
                + still_table(["channel", "mean", "gate", "largest", "largest × gates"], rows)
                + still_table(["answer", "probability"], [[n, fixed(p)] for n, p in zip(self.names, chances)])
                + f"<p>{escape(self._told(chances))}</p>")


def _sigmoid(raw):
    """Gates, in the form that cannot overflow."""
    return 0.5 + 0.5 * np.tanh(0.5 * raw)


def convolved(picture, filters, bias):
    """What `filters` (9, f) find at each place of each colour of a picture (height, width, 3), and ReLU: (n, 3 f)."""
    around = np.pad(picture, ((1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(around, (3, 3), axis=(0, 1))           # (height, width, 3, 3, 3)
    found = windows.reshape(-1, 3, 9) @ filters + bias
    return np.maximum(found.reshape(len(found), -1), 0)


def channel_name(channel, count):
    """A channel by its colour and its number in it: "red 1"."""
    colour, k = divmod(channel, count // 3)
    return f"{COLOURS[colour]} {k + 1}"


# ---- checks

def read_model(model, axis, count):
    """Check the model of an axis and return what it needs as plain data."""
    f = np.shape(model["filters"])[-1]
    if f > FILTERS:
        raise ValueError(f"the model {axis!r} must have at most {FILTERS} filters, got {f}")
    shapes = _shapes(f, np.shape(model["w_squeeze"])[-1] if "w_squeeze" in PARTS[axis] else 0, count)
    return {name: number_array(model[name], f"{name} of the model {axis!r}", -LARGEST, LARGEST, shapes[name])
            for name in ("filters", "b_filters", *PARTS[axis], "readout", "b_readout")}


def _shapes(f, r, k):
    """The shapes of the parts of a model with f filters, r hidden units and k answers."""
    c = 3 * f
    return {"filters": (9, f), "b_filters": (f,), "w_squeeze": (c, r), "b_squeeze": (r,), "w_excite": (r, c),
            "b_excite": (c,), "weight": (c, 1), "bias": (1,), "readout": (f, k), "b_readout": (k,)}


def read_pictures(pictures):
    """Check pictures and return them as plain lists."""
    pictures = number_array(pictures, "pictures", 0, 1, (None, None, None, 3))
    if len(pictures) > PICTURES or max(np.shape(pictures)[1:3]) > SIDE:
        raise ValueError(f"pictures must be at most {PICTURES} of {SIDE} by {SIDE} pixels, got {np.shape(pictures)}")
    return pictures


def read_lamps(lamps, name):
    """Check which of four quarters are lit."""
    if len(lamps) != 4 or not all(lamp in (0, 1) for lamp in lamps):
        raise ValueError(f"{name} must be 0 or 1 for each of the four quarters, got {lamps!r}")
    return [int(lamp) for lamp in lamps]


def read_shapes(names):
    """The shapes of a dict of names, rows of text, as rows of 0 and 1; an empty list if there are none."""
    if not isinstance(names, dict):
        return []
    shapes = []
    for name, rows in names.items():
        if not rows or not all(isinstance(row, str) and 0 < len(row) == len(rows[0]) <= SIDE for row in rows):
            raise ValueError(f"the shape of {name!r} must be rows of text, all as long, got {rows!r}")
        shapes.append([[int(mark != " ") for mark in row] for row in rows])
    return shapes


# ---- a model to try

def random_model(seed, axis="both", *, filters=2, hidden=2, answers=2, spread=1.0):
    """Make a model that has not been trained, for tests and examples; the same seed makes the same one.

    `spread` is the standard deviation of its numbers.
    """
    rng = np.random.default_rng(seed)
    numbers = {name: rng.normal(scale=spread, size=shape).round(4).tolist()
               for name, shape in _shapes(filters, hidden, answers).items()}
    return {name: part for name, part in numbers.items() if name in PARTS[axis] or name not in PARTS["both"]}
