"""Layers on layers: who stands some places further on in a line of people? Stacks of attention with parts left out."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from attnkit.modules import MultiHeadAttention
from bookkit.lessons.recall import GUESTS
from bookkit.lessons.training import fit, new_model

PEOPLE = GUESTS[:10]
HANDS = ["rock", "paper", "scissors"]
OUTCOMES = ["draw", "win", "loss"]     # the left hand's place in HANDS less the right one's, modulo three, is one here
VECTORS = [*(f"{name} {role}" for role in ("first", "second") for name in PEOPLE),     # an item is the sum of some
           *(f"{side} {hand}" for side in ("left", "right") for hand in HANDS)]


class Lines(NamedTuple):
    """Examples as tensors of numbers.

    What each item says, two places in `VECTORS`, or four with hands (b, n, 2 or 4); where in the line the person stands
    whom it names first (b, n); what is to be answered there, a place in `PEOPLE` or in `OUTCOMES`, -1 where nothing is
    asked (b, n).
    """

    items: object             # torch tensors; Sphinx finds no page to link torch's types to
    places: object
    answers: object


def chain_lines(num_examples, question=2, *, seed=0):
    """Ten people in a line, told as nine items "a stands before b" in no order, and a question asked at each.

    The question is a number k from 1 to 9: name who stands k places further on than a; not asked where the line has
    ended. Or "hands": everyone shows rock, paper or scissors with each hand, and an item says what a shows, left and
    right; does the left hand of b win against b's right hand, lose or draw? Not asked of the last item: nobody says
    what b shows.

    >>> lines = chain_lines(1000, 3)
    >>> for item, answer in zip(lines.items[0, :2], lines.answers[0]):
    ...     print(", ".join(VECTORS[i] for i in item), "->", PEOPLE[answer])
    Finn first, Jon second -> Ines
    Gil first, Cleo second -> Dan
    """
    _check_question(question)
    rng = np.random.default_rng(seed)
    line, places = (rng.permuted(np.tile(np.arange(number), (num_examples, 1)), axis=1)
                    for number in (len(PEOPLE), len(PEOPLE) - 1))
    hands = rng.integers(len(HANDS), size=(*line.shape, 2)) if question == "hands" else None
    return _tell(line, places, question, hands)


def _check_question(question):
    if question not in ("hands", *range(1, len(PEOPLE))):
        raise ValueError(f"question must be 'hands' or a number from 1 to {len(PEOPLE) - 1}, got {question!r}")
    return question


def _tell(line, places, question, hands):
    """Lines of people (b, m), and their hands (b, m, 2) if asked for, as items that name first those at `places`."""
    last = line.shape[1] - 1

    def at(array, places):
        return np.take_along_axis(array, np.minimum(places, last), axis=1)

    items = [at(line, places), len(PEOPLE) + at(line, places + 1)]
    if question == "hands":
        left, right = hands[..., 0], hands[..., 1]
        items += [len(VECTORS) - 6 + at(left, places), len(VECTORS) - 3 + at(right, places)]
        answers = np.where(places + 1 < last, at((left - right) % 3, places + 1), -1)
    else:
        answers = np.where(places + question <= last, at(line, places + question), -1)
    return Lines(*map(torch.tensor, (np.stack(items, axis=-1), places, answers)))


class ChainLayer(nn.Module):
    """Self-attention, then an MLP on each item if wanted: a Transformer block that parts can be left out of.

    With `residual` what goes into a part, attention or MLP, is added to what comes out. `norm` is "pre", "post" or
    None: layer normalisation of what goes into each part, or of what comes out (with `residual`, of the sum), or none.
    What attention adds begins `start` times as large as usual.
    """

    def __init__(self, width, *, num_heads=1, residual=True, norm="pre", mlp=False, start=1.0):
        super().__init__()
        if norm not in ("pre", "post", None):
            raise ValueError(f"norm must be 'pre', 'post' or None, got {norm!r}")
        self.residual, self.norm = residual, norm
        self.attention = MultiHeadAttention(width, num_heads)
        self.attention.w_output.data *= start
        self.attention_norm = nn.LayerNorm(width) if norm else None
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width)) if mlp else None
        self.mlp_norm = nn.LayerNorm(width) if norm and mlp else None

    def forward(self, x):
        """Items (b, n, d): items (b, n, d) and weights (b, n, n), the mean of the heads."""
        x, weights = self._through(self.attention, self.attention_norm, x)
        if self.mlp is not None:
            x, _ = self._through(lambda x: (self.mlp(x), None), self.mlp_norm, x)
        return x, weights.mean(1)

    def _through(self, part, norm, x):
        """What becomes of x in one part, with the residual connection and the normalisation that there are."""
        output, weights = part(norm(x) if self.norm == "pre" else x)
        if self.residual:
            output = x + output
        return norm(output) if self.norm == "post" else output, weights


class ChainModel(nn.Module):
    """Layers of attention; a linear layer reads each item after the last, with `norm="pre"` normalised once more.

    It is trained for one `question` of `chain_lines`; the options are those of `ChainLayer`.
    """

    def __init__(self, num_layers, question=2, *, width=32, **options):
        super().__init__()
        self.question = _check_question(question)
        self.embedding = nn.Embedding(len(VECTORS), width)
        self.layers = nn.ModuleList(ChainLayer(width, **options) for _ in range(num_layers))
        self.norm = nn.LayerNorm(width) if self.layers[0].norm == "pre" else nn.Identity()
        self.readout = nn.Linear(width, len(OUTCOMES if question == "hands" else PEOPLE))

    def forward(self, items):
        """Numbers (b, n, 2 or 4): scores (b, n, 10), or (b, n, 3) for hands, and weights (b, layers, n, n)."""
        streams, weights = self.streams(items)
        return self.readout(self.norm(streams[-1])), weights

    def streams(self, items):
        """The items (b, n, d) before the first layer and after each, a list, and weights (b, layers, n, n)."""
        streams, weights = [self.embedding(items).sum(-2)], []
        for layer in self.layers:
            x, looks = layer(streams[-1])
            streams.append(x)
            weights.append(looks)
        return streams, torch.stack(weights, dim=1)


class ChainTask:
    """Models trained with ten people in a line, each step on new lines, and held-out lines."""

    def __init__(self, seed=0):
        self.seed = seed

    def train(self, seed, num_layers, question=2, *, steps=800, lr=1e-2, **options):
        """A model trained from scratch; `options` are those of `ChainModel`."""
        model, rng = new_model(seed, ChainModel, num_layers, question, **options), np.random.default_rng(seed)

        def loss(chosen):            # of which only the number counts: there is no fixed set to choose from
            return self.loss(model, chain_lines(len(chosen), question, seed=rng))

        fit(model, loss, 1, steps=steps, lr=lr)
        return model

    def loss(self, model, lines):
        """The mean cross-entropy over all that is asked."""
        scores, _ = model(lines.items)
        return nn.functional.cross_entropy(scores.flatten(0, 1), lines.answers.flatten(), ignore_index=-1)

    def held_out(self, question=2, num_examples=1000):
        """Lines that no training sees; the same every time."""
        # A list as a seed: no training, whose seed is one number, draws the same.
        return chain_lines(num_examples, question, seed=[self.seed, 0 if question == "hands" else question])

    @torch.no_grad()
    def evaluate(self, model, lines=None):
        """The share of what is asked in held-out lines, or in others, for which a model is right."""
        items, _, answers = self.held_out(model.question) if lines is None else lines
        return (model(items)[0].argmax(-1) == answers)[answers >= 0].double().mean().item()

    @torch.no_grad()
    def distances(self, model, lines=None):
        """The mean distance between two items of a line after each layer, divided by that before the first: a list."""
        streams, _ = model.streams((self.held_out(model.question) if lines is None else lines).items)
        i, j = torch.triu_indices(streams[0].shape[1], streams[0].shape[1], offset=1)
        apart = [(x[:, i] - x[:, j]).norm(dim=-1).mean().item() for x in streams]
        return [distance / apart[0] for distance in apart[1:]]
