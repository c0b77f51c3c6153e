"""Attention in small pictures: which shape is lit? One gate finds the place, another the colour."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from attnkit.gates import channel_attention, spatial_attention
from attnkit.modules import TransformerBlock, xavier
from bookkit.lessons.training import fit, new_model

SHAPES = {     # each has five bright pixels: brightness alone tells nothing
    "plus": (" # ", "###", " # "), "cross": ("# #", " # ", "# #"),
    "corner": ("#  ", "#  ", "###"), "tee": ("###", " # ", " # "),
}
COLOURS = ("red", "green", "blue")
SIZE = 16
KINDS_OF_PICTURES = ("place", "channel", "both")
GATES = ("none", "channel", "spatial", "both")
_SHAPES = np.array([[[mark == "#" for mark in row] for row in rows] for rows in SHAPES.values()], dtype=float)
_DARK, _LAMP, _SHAPE, _FRAME, _NOISE = 0.1, 0.4, 0.7, 0.3, 0.05
_EDGE = np.pad(np.zeros((SIZE - 2, SIZE - 2), dtype=bool), 1, constant_values=True)
_RED, _GREEN, _BLUE = range(3)


class Pictures(NamedTuple):
    """Examples as tensors.

    Pixels row by row, each with three colours between 0 and 1 (b, 256, 3); the number of the shape that is asked for
    (b,); which quarters are lit (b, 4); the number of the frame's colour, -1 without one (b,).
    """

    pixels: object                # torch tensors; Sphinx finds no page to link torch's types to
    labels: object
    lit: object
    frames: object


def lamp_pictures(num_pictures, kind="place", *, seed=0):
    """Pictures of 16 by 16 pixels, with a shape in each quarter, no two of them alike.

    With the kind "place" shapes are red or green, and a blue lamp lights one quarter: which shape stands there?
    "channel": three shapes, one in each colour, and a frame around the picture: which shape has the colour of the
    frame? "both": two shapes are red and two green, lamps light one of each, and the frame is red or green: which of
    the two that are lit has its colour?

    >>> pictures = lamp_pictures(1000)
    >>> pictures.pixels.shape, list(SHAPES)[pictures.labels[0]], pictures.lit[0].tolist()
    (torch.Size([1000, 256, 3]), 'cross', [False, False, True, False])
    """
    if kind not in KINDS_OF_PICTURES:
        raise ValueError(f"kind must be one of {', '.join(KINDS_OF_PICTURES)}, got {kind!r}")
    rng = np.random.default_rng(seed)
    pictures, *others = map(np.array, zip(*(_picture(kind, rng) for _ in range(num_pictures))))
    pixels = np.clip(pictures + rng.normal(0, _NOISE, pictures.shape), 0, 1).reshape(num_pictures, -1, 3)
    return Pictures(*map(torch.tensor, (pixels, *others)))


def _picture(kind, rng):
    """A picture without noise (16, 16, 3), its answer, which quarters are lit, and the colour of the frame."""
    shapes, quarters, lit, frame = rng.permutation(4), range(4), np.zeros(4, dtype=bool), -1
    if kind == "channel":
        colours, quarters, frame = rng.permutation(3), rng.permutation(4)[:3], rng.integers(3)
        label = shapes[np.argmax(colours == frame)]
    elif kind == "both":
        colours, frame = rng.permutation([_RED, _RED, _GREEN, _GREEN]), rng.integers(2)
        chosen = [rng.choice(np.flatnonzero(colours == colour)) for colour in (_RED, _GREEN)]
        lit[chosen] = True
        label = shapes[chosen[frame]]
    else:
        colours = rng.integers(2, size=4)
        lit = rng.permutation(np.arange(4) == 0)
        label = shapes[np.argmax(lit)]
    return _draw(zip(shapes, quarters, colours), lit, frame, rng), label, lit, frame


def _draw(shapes, lit, frame, rng):
    """Shapes as (number, quarter, colour) on dark ground; lamps add blue to quarters, a frame a colour to the edge."""
    picture, half = np.full((SIZE, SIZE, 3), _DARK), SIZE // 2
    for row, column in half * np.argwhere(lit.reshape(2, 2)):
        picture[row:row + half, column:column + half, _BLUE] += _LAMP
    for shape, quarter, colour in shapes:
        # Two pixels or more from the edge: no window of 3 by 3 sees both a shape and the frame.
        row, column = 3 + 6 * np.array(divmod(quarter, 2)) + rng.integers(2, size=2)
        picture[row:row + 3, column:column + 3, colour] += _SHAPE * _SHAPES[shape]
    if frame >= 0:
        picture[_EDGE, frame] += _FRAME
    return picture


def windows(pixels):
    """What a convolution of 3 by 3 sees: pixels (b, 256, c), and zeros around them; gives (b, 256, c, 9)."""
    b, n, c = pixels.shape
    padded = nn.functional.pad(pixels.view(b, SIZE, SIZE, c), (0, 0, 1, 1, 1, 1))
    shifted = [padded[:, i:i + SIZE, j:j + SIZE] for i in range(3) for j in range(3)]
    return torch.stack(shifted, dim=-1).view(b, n, c, 9)


class GatedPictures(nn.Module):
    """Look for marks in each colour, gate them, and say which shape is there.

    A convolution: every window of 3 by 3 pixels is compared with some filters, the same for all places and colours,
    followed by a ReLU. That makes a channel for each colour and filter: first all of red, then green, then blue. Gates
    turn channels or places up or down. What is left of each channel is its largest number of all places; the colours
    are added up, and one layer reads the numbers of the filters. So nothing but gates tells colours apart, and
    only there do two colours meet; a maximum shows one place of each channel and hides the others.

    `gate` is "none", "channel", "spatial" or "both", first channels, then places (as CBAM has it, Woo et al. 2018).
    `hidden` units stand between the squeezed channels and their gates. `mixing` is the number of filters of a second
    convolution of 3 by 3, of all channels together, before the gates; `mlp` the hidden units between the pooled
    channels, all of them, and the answer: then colours are not added up.

    >>> model = GatedPictures("both").double()
    >>> logits, gates = model(lamp_pictures(5, "both").pixels)
    >>> logits.shape, gates["channel"].shape, gates["spatial"].shape
    (torch.Size([5, 4]), torch.Size([5, 1, 24]), torch.Size([5, 256, 1]))
    """

    def __init__(self, gate="both", *, filters=8, hidden=12, mixing=None, mlp=None):
        super().__init__()
        if gate not in GATES:
            raise ValueError(f"gate must be one of {', '.join(GATES)}, got {gate!r}")
        self.gate, c = gate, mixing or 3 * filters
        self.filters, self.b_filters = nn.Parameter(torch.randn(9, filters) / 2), nn.Parameter(torch.zeros(filters))
        self.mixing = nn.Conv2d(3 * filters, mixing, 3, padding=1) if mixing else None
        if gate in ("channel", "both"):
            # The means of two pictures differ little: from small weights some gates never learn to tell them apart.
            self.w_squeeze = nn.Parameter(8 * xavier(c, hidden).data)
            self.b_squeeze = nn.Parameter(torch.zeros(hidden))
            self.w_excite, self.b_excite = xavier(hidden, c), nn.Parameter(torch.zeros(c))
        if gate in ("spatial", "both"):
            self.weight, self.bias = xavier(c, 1), nn.Parameter(torch.zeros(1))
        self.by_filter = not (mixing or mlp)
        self.readout = (nn.Sequential(nn.Linear(c, mlp), nn.ReLU(), nn.Linear(mlp, len(SHAPES))) if mlp
                        else nn.Linear(filters if self.by_filter else c, len(SHAPES)))

    def forward(self, pixels):
        """Pixels (b, 256, 3): logits of the shapes (b, 4), and gates by kind, (b, 1, c) and (b, 256, 1)."""
        x, gates = self.channels(pixels), {}
        if self.gate in ("channel", "both"):
            x, gates["channel"] = channel_attention(x, self.w_squeeze, self.w_excite, b_squeeze=self.b_squeeze,
                                                    b_excite=self.b_excite)
        if self.gate in ("spatial", "both"):
            x, gates["spatial"] = spatial_attention(x, self.weight, bias=self.bias)
        pooled = x.amax(1)                                                   # (b, c)
        if self.by_filter:
            pooled = pooled.unflatten(1, (len(COLOURS), -1)).sum(1)          # (b, f)
        return self.readout(pooled), gates

    def channels(self, pixels):
        """What the convolution makes of pixels (b, 256, 3), before any gate: (b, 256, c)."""
        x = torch.relu(windows(pixels) @ self.filters + self.b_filters).flatten(2)     # (b, n, 3, f), then (b, n, 3 f)
        if self.mixing is None:
            return x
        return torch.relu(self.mixing(x.mT.unflatten(2, (SIZE, SIZE)))).flatten(2).mT


def patches(pixels, size=4):
    """Cut pictures, pixels (b, 256, 3), into squares, row by row: the words (b, patches, 3 size²) of a reader.

    The size divides 16. A vision Transformer reads them.

    >>> patches(torch.ones(5, 256, 3)).shape
    torch.Size([5, 16, 48])
    """
    if SIZE % size:
        raise ValueError(f"size must divide {SIZE}, got {size}")
    rows = SIZE // size
    squares = pixels.view(-1, rows, size, rows, size, 3).transpose(2, 3)    # (b, rows, columns, size, size, 3)
    return squares.reshape(len(pixels), rows**2, 3 * size**2)


class PatchReader(nn.Module):
    """A small vision Transformer: patches are words, each is given a vector, and all look at all.

    The mean of all is read; in Dosovitskiy et al. (2021) it is one more word. `size` is that of a patch, in pixels.
    """

    def __init__(self, size=4, width=32, num_heads=4, num_layers=2):
        super().__init__()
        self.size = size
        self.embedding = nn.Linear(3 * size**2, width)
        self.positions = nn.Parameter(0.1 * torch.randn((SIZE // size)**2, width))
        self.blocks = nn.ModuleList(TransformerBlock(width, num_heads, norm="pre") for _ in range(num_layers))
        self.norm, self.readout = nn.LayerNorm(width), nn.Linear(width, len(SHAPES))

    def forward(self, pixels):
        """Pixels (b, 256, 3): logits of the shapes (b, 4), and the weights of each layer (b, h, patches, patches)."""
        x, weights = self.embedding(patches(pixels, self.size)) + self.positions, []
        for block in self.blocks:
            x, looked = block(x)
            weights.append(looked)
        return self.readout(self.norm(x).mean(1)), weights


class PictureTask:
    """Pictures to train with, a thousand others, and models that learn which shape is asked for."""

    def __init__(self, kind="place", num_pictures=2000, seed=0):
        # Lists as seeds: no training, whose seed is one number, draws the same.
        self.kind = kind
        self.training = lamp_pictures(num_pictures, kind, seed=[seed, 0])
        self.held_out = lamp_pictures(1000, kind, seed=[seed, 1])

    def train(self, seed, model_class=GatedPictures, *, steps=400, lr=3e-2, **options):
        """A model trained from scratch; `options` are those of its class."""
        model = new_model(seed, model_class, **options)
        parts = self.training
        fit(model, lambda chosen: self.loss(model, Pictures(*(part[chosen] for part in parts))), len(parts.labels),
            steps=steps, lr=lr, warmup=min(100, steps // 4), clip=1.0)
        return model

    def loss(self, model, pictures=None):
        """The mean over the held-out pictures, or others, of -log of the probability given to what is right."""
        pictures = self.held_out if pictures is None else pictures
        return nn.functional.cross_entropy(model(pictures.pixels)[0], pictures.labels)

    @torch.no_grad()
    def evaluate(self, model, pictures=None):
        """The share of the held-out pictures, or others, for which a model is right."""
        pictures = self.held_out if pictures is None else pictures
        return (model(pictures.pixels)[0].argmax(1) == pictures.labels).double().mean().item()

    @torch.no_grad()
    def evaluate_places(self, model):
        """The mean gate of places under a lamp, and of all others, in the held-out pictures."""
        gates, lit = self._gates(model, "spatial")[..., 0], self.held_out.lit
        under = lit.view(-1, 2, 2).repeat_interleave(SIZE // 2, 1).repeat_interleave(SIZE // 2, 2).flatten(1)
        if not under.any():
            raise ValueError("a lamp is needed: these pictures have none")
        return gates[under].mean().item(), gates[~under].mean().item()

    @torch.no_grad()
    def evaluate_channels(self, model):
        """The mean gates of the channels (colours of frames, colours, filters), by the colour of the frame."""
        gates, frames = self._gates(model, "channel")[:, 0], self.held_out.frames
        if (frames < 0).any():
            raise ValueError("a frame is needed: these pictures have none")
        return torch.stack([gates[frames == frame].mean(0).view(len(COLOURS), -1) for frame in frames.unique()])

    def _gates(self, model, kind):
        gates = model(self.held_out.pixels)[1]
        if kind not in gates:
            raise ValueError(f"a model with {kind} gates is needed, this one has {' and '.join(gates) or 'none'}")
        return gates[kind]


@torch.no_grad()
def travelling(model):
    """A model without `mixing` and `mlp`, as a dict for JSON, its numbers rounded to four decimals.

    With pixels as rows, x = relu(windows @ filters + b_filters) for each colour, then the gates of `attnkit.gates`,
    then logits = (the sum over the colours of the largest of each channel) @ readout + b_readout.

    There are ``gate``, ``shapes`` (the names of the answers), ``filters`` (9, f), ``b_filters`` (f), ``readout`` (f,
    4), ``b_readout`` (4); with gates of channels ``w_squeeze`` (3 f, hidden), ``b_squeeze``, ``w_excite`` (hidden, 3
    f), ``b_excite``; with gates of places ``weight`` (3 f, 1), ``bias`` (1): lists.
    """
    if not model.by_filter:
        raise ValueError("only a model without mixing and mlp can travel")
    numbers = {name: tensor for name, tensor in model.named_parameters() if "readout" not in name}
    numbers |= {"readout": model.readout.weight.T, "b_readout": model.readout.bias}
    # Of which 0.0 is added, so that no zero is a negative one.
    return {"gate": model.gate, "shapes": list(SHAPES)} | {
        name: (np.round(tensor.double().numpy(), 4) + 0.0).tolist() for name, tensor in numbers.items()}
