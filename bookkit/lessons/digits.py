"""Handwritten digits: small real pictures, cut into patches, and vision Transformers that read them."""

import base64
import hashlib
import json
import lzma
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from attnkit.modules import TransformerBlock
from bookkit.lessons.training import fit, new_model

FILE = Path(__file__).with_name("digits.json")
LEARN, TEST = 900, 300               # pictures; the same number of each digit
SIDE, LEVELS = 8, 16
MIDDLE = 4                           # of nine tiles, counted from 0
KINDS = ("attention", "each by itself")


class Pictures(NamedTuple):
    """Pictures (b, side, side) of light from 0 to 1, and what is asked of each, a number (b,)."""

    pixels: object                # torch tensors; Sphinx finds no page to link torch's types to
    labels: object


def digits(part):
    """Pictures of handwritten digits (b, 8, 8), and which digit each is: 900 to "learn" from, or 300 to "test" with.

    They are of Optical Recognition of Handwritten Digits by E. Alpaydin and C. Kaynak (1998), UCI Machine Learning
    Repository, under CC BY 4.0: of its 1,797 test pictures, by thirteen people, 120 of each digit are drawn. In both
    parts there are pictures by the same people.

    >>> pixels, labels = digits("learn")
    >>> pixels.shape, labels.bincount().tolist()
    (torch.Size([900, 8, 8]), [90, 90, 90, 90, 90, 90, 90, 90, 90, 90])
    """
    if part not in ("learn", "test"):
        raise ValueError(f'part must be "learn" or "test", got {part!r}')
    packed = json.loads(FILE.read_text(encoding="utf-8"))
    data = lzma.decompress(base64.b64decode(packed["digits"]))
    if hashlib.sha256(data).hexdigest() != packed["sha256"]:
        raise ValueError(f"{FILE.name} does not hold the digits that it names: its checksum is another")
    numbers = np.frombuffer(data, np.uint8).reshape(SIDE**2 + 1, LEARN + TEST).T
    numbers = torch.tensor(numbers[:LEARN] if part == "learn" else numbers[LEARN:])
    return Pictures(numbers[:, :-1].double().view(-1, SIDE, SIDE) / LEVELS, numbers[:, -1].long())


def twins(num_pictures, part="learn", *, seed=0):
    """Pictures (b, 24, 24) of nine digits, and where the twin of the one in the middle stands, 0 to 8, row by row.

    The eight around it are all different, and one of them is the same digit as the middle, in another picture.

    >>> pixels, where = twins(100)
    >>> pixels.shape, sorted(set(where.tolist()))
    (torch.Size([100, 24, 24]), [0, 1, 2, 3, 5, 6, 7, 8])
    """
    pixels, labels = digits(part)
    of_digit = torch.stack([torch.nonzero(labels == digit)[:, 0] for digit in range(10)]).numpy()       # (10, each)
    rng, each = np.random.default_rng(seed), of_digit.shape[1]
    around = rng.permuted(np.tile(np.arange(10), (num_pictures, 1)), axis=1)[:, :8]
    chosen = rng.integers(each, size=(num_pictures, 8))
    k, rows = rng.integers(8, size=num_pictures), np.arange(num_pictures)
    other = (chosen[rows, k] + rng.integers(1, each, size=num_pictures)) % each
    tiles = np.insert(of_digit[around, chosen], MIDDLE, of_digit[around[rows, k], other], axis=1)
    pictures = pixels[torch.tensor(tiles)].view(-1, 3, 3, SIDE, SIDE).transpose(2, 3).reshape(-1, 3 * SIDE, 3 * SIDE)
    return Pictures(pictures, torch.tensor(k + (k >= MIDDLE)))


def patches(pixels, size):
    """Cut pictures (b, side, side) into squares, row by row: words (b, patches, size²). The size divides the side.

    >>> patches(torch.arange(16.0).view(1, 4, 4), 2).tolist()
    [[[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 6.0, 7.0], [8.0, 9.0, 12.0, 13.0], [10.0, 11.0, 14.0, 15.0]]]
    """
    side = pixels.shape[-1]
    if side % size:
        raise ValueError(f"size must divide the side of the pictures, {side}, got {size}")
    rows = side // size
    return pixels.reshape(-1, rows, size, rows, size).transpose(2, 3).reshape(-1, rows**2, size**2)


class ByItself(nn.Module):
    """What stands in for a block where no patch may look at another: an MLP as large as the whole block."""

    def __init__(self, width):
        super().__init__()
        self.norm, self.mlp = nn.LayerNorm(width), nn.Sequential(
            nn.Linear(width, 6 * width), nn.ReLU(), nn.Linear(6 * width, width))

    def forward(self, x):
        """Words (b, n, width) in, words out, and no weights."""
        return x + self.mlp(self.norm(x)), None


class DigitReader(nn.Module):
    """A small vision Transformer: each patch becomes a vector, gets its place, and all look at all.

    `size` is the side of a patch and `count` how many a picture has; `places` says whether vectors are told where they
    stand. With `hidden` a patch becomes a vector through an MLP. The answer is read from the mean of all words, or of
    the one with the number `read`. `kind` "each by itself" is a rival as large, in which no patch looks at another.
    """

    def __init__(self, size=2, count=16, answers=10, *, width=32, num_heads=4, num_layers=2, hidden=None, places=True,
                 read=None, kind="attention"):
        super().__init__()
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
        self.size, self.read = size, read
        self.embedding = nn.Linear(size**2, width) if hidden is None else nn.Sequential(
            nn.Linear(size**2, hidden), nn.ReLU(), nn.Linear(hidden, width))
        self.places = nn.Parameter(0.1 * torch.randn(count, width)) if places else None
        self.blocks = nn.ModuleList(TransformerBlock(width, num_heads, norm="pre") if kind == "attention"
                                    else ByItself(width) for _ in range(num_layers))
        self.norm, self.readout = nn.LayerNorm(width), nn.Linear(width, answers)

    def forward(self, pixels):
        """Pictures (b, side, side): logits (b, answers), and the weights of each layer (b, h, patches, patches)."""
        x, weights = self.embedding(patches(pixels, self.size)), []
        if self.places is not None:
            x = x + self.places
        for block in self.blocks:
            x, looked = block(x)
            weights.append(looked)
        x = self.norm(x)
        return self.readout(x.mean(1) if self.read is None else x[:, self.read]), weights


def train(seed, pictures, *, steps=400, lr=3e-3, **options):
    """A reader trained from scratch on pictures; `options` are those of its class."""
    model = new_model(seed, DigitReader, **options)
    fit(model, lambda i: nn.functional.cross_entropy(model(pictures.pixels[i])[0], pictures.labels[i]),
        len(pictures.labels), steps=steps, lr=lr, warmup=50, clip=1.0)
    return model


@torch.no_grad()
def right(model, pictures):
    """The share of pictures for which a model is right."""
    return (model(pictures.pixels)[0].argmax(1) == pictures.labels).double().mean().item()
