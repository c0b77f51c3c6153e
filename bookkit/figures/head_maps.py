"""All heads of a model on a sentence: a small map for each, and the chosen one large."""

import base64

import numpy as np
import traitlets

from bookkit.figures.base import Figure, Index, few, still_table
from bookkit.pictures.formats import fixed

MOST = 24        # pieces of a sentence that comes with the figure
OWN = 64         # of one that a reader types
STEPS = 255      # a weight travels as a whole number of these


class HeadMaps(Figure):
    """Choose a sentence, a head and a piece: where the piece looks in that head, beside the maps of all heads.

    `texts` are pairs: of each sentence its pieces, 2 to 24 str, and its weights (layers, heads, n, n) within [0, 1], as
    many layers and heads for all. Weights travel rounded to 1/255. `views` are places to go to by a button, by the
    words on it, each ``(text, layer, head, piece)``, counted from 0; the figure opens in the first. With a `model`, a
    `bookkit.lessons.minilm.MiniLM`, a reader can type a sentence: in a notebook the model reads it; a page
    fetches the model when asked (`bookkit.lessons.minilm`, the only one that the site has).

    >>> figure = HeadMaps([(["[CLS]", "yes", "[SEP]"], np.full((2, 1, 3, 3), 1 / 3))], {"the second": (0, 1, 0, 2)})
    >>> figure.head, figure.shown
    (1, [0.333, 0.333, 0.333])
    """

    kind = "head_maps"
    needs = ("loading", "minilm", "weights")
    texts = traitlets.List().tag(sync=True)
    layers = traitlets.Int().tag(sync=True)
    heads = traitlets.Int().tag(sync=True)
    views = traitlets.List().tag(sync=True)
    text = Index("texts", "texts").tag(sync=True, reset=True)
    head = traitlets.Int(0).tag(sync=True, reset=True)       # counted through all layers
    piece = traitlets.Int(0).tag(sync=True, reset=True)
    asks = traitlets.Bool(False).tag(sync=True)              # whether a reader can type a sentence
    typed = traitlets.Unicode("").tag(sync=True, reset=True)
    found = traitlets.Dict().tag(sync=True, reset=True)      # what the model read there, packed

    def __init__(self, texts, views=None, model=None, caption=""):
        told = [packed(pieces, weights, f"texts[{k}]") for k, (pieces, weights) in enumerate(texts)]
        shapes = {np.shape(weights)[:2] for _, weights in texts}
        if len(shapes) > 1:
            raise ValueError(f"all texts must have as many layers and heads, got {sorted(shapes)}")
        (layers, heads), = shapes
        found = [{"name": name, "text": text, "head": layer * heads + head, "piece": piece}
                 for name, (text, layer, head, piece) in (views or {"": (0, 0, 0, 0)}).items()]
        self._model = model
        super().__init__(texts=told, layers=layers, heads=heads, views=found if views else [], caption=caption,
                         asks=model is not None, **{name: found[0][name] for name in ("text", "head", "piece")})

    @traitlets.validate("head", "piece")
    def _check_place(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        count = self.layers * self.heads if name == "head" else len(self._told["pieces"])
        if not 0 <= value < count:
            raise ValueError(f"{name} must be from 0 to {count - 1}, got {value}")
        return value

    @traitlets.observe("typed")
    def _read(self, change):
        """A reader has typed a sentence; on a page without a kernel the script does the same."""
        text = change["new"].strip()
        if not text or self._model is None:
            self.found = {}
            return
        pieces = self._model.pieces(text, OWN)
        results = self._model.trace(self._model.numbers(text, OWN))
        weights = np.stack([results[f"layers.{layer}.weights"] for layer in range(self.layers)])
        cut = len(self._model.pieces(text, OWN + 1)) > OWN
        self.found = packed(pieces, weights, "typed", OWN) | {"typed": text, "cut": cut}

    @property
    def _told(self):
        """The text that is shown."""
        return self.found or self.texts[self.text]

    @property
    def weights(self):
        """The map of the chosen head (n, n), as it travels."""
        told = self._told
        n = len(told["pieces"])
        numbers = np.frombuffer(base64.b64decode(told["maps"]), np.uint8)
        return numbers.reshape(self.layers * self.heads, n, n)[self.head] / STEPS

    @property
    def shown(self):
        """The weights of the chosen piece, with three decimals."""
        return self.weights[self.piece].round(3).tolist()

    def still(self):
        """The chosen map with its numbers."""
        pieces = self._told["pieces"]
        layer, head = divmod(self.head, self.heads)
        rows = [[piece, *map(fixed, row)] for piece, row in zip(pieces, self.weights)]
        table = still_table(["looks at", *pieces], rows)
        return f'<div><p>Head {head + 1} of layer {layer + 1}</p><div style="overflow-x:auto">{table}</div></div>'


def packed(pieces, weights, name, most=MOST):
    """A text as it travels: its pieces, and all weights, a byte each."""
    weights = np.asarray(weights)
    few(pieces, f"the pieces of {name}", 2, most)
    if weights.ndim != 4 or weights.shape[2:] != (len(pieces),) * 2:
        raise ValueError(f"{name} must have weights of shape (layers, heads, {len(pieces)}, {len(pieces)}), "
                         f"got {weights.shape}")
    if not ((weights >= 0) & (weights <= 1)).all():
        raise ValueError(f"{name} must have weights from 0 to 1")
    numbers = np.round(weights * STEPS).astype(np.uint8)
    return {"pieces": list(pieces), "maps": base64.b64encode(numbers.tobytes()).decode()}
