"""Does the last item know of the first? Recurrence, convolutions and attention, and how far each can look back."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from attnkit import causal_mask, checks, window_mask
from attnkit.modules import MultiHeadAttention, xavier
from bookkit.lessons.training import fit, new_model

# What the numbers of words stand for where they are read: eight names, 0 to 7, and eight fillers above them.
WORDS = ("keys", "key", "maps", "map", "coats", "coat", "rings", "ring",
         "that", "hang", "beside", "the", "door", "of", "old", "house")
NAMES = FILLERS = 8


class PlainRecurrence(nn.Module):
    """A state is made of the item and the state before, ``h_t = tanh(x_t W + h_{t-1} U + b)`` (Elman 1990).

    h_0 is zero. If `orthogonal`, U is a rotation at the start, which leaves lengths as they are; random numbers
    otherwise.
    """

    def __init__(self, width, orthogonal=False):
        super().__init__()
        self.w_input, self.w_state = xavier(width, width), xavier(width, width)
        self.bias = nn.Parameter(torch.zeros(width))
        if orthogonal:
            nn.init.orthogonal_(self.w_state)

    def forward(self, x):
        """Items (b, n, d): states (b, n, d)."""
        state, states = torch.zeros_like(x[:, 0]), []
        for item in x.unbind(1):                                                        # (b, d)
            state = torch.tanh(item @ self.w_input + state @ self.w_state + self.bias)  # (b, d)
            states.append(state)
        return torch.stack(states, dim=1)


class GatedRecurrence(nn.Module):
    """A state is a blend of the one before and a new one, in shares that gates set: torch's GRU (Cho et al. 2014)."""

    def __init__(self, width):
        super().__init__()
        self.gru = nn.GRU(width, width, batch_first=True)

    def forward(self, x):
        """Items (b, n, d): states (b, n, d)."""
        return self.gru(x)[0]


class CausalConvolution(nn.Module):
    """Each item is replaced by relu of a sum over `kernel` items: itself, and every `dilation`-th before it.

    All the padding is on the side of the past, so that no output sees what comes later.
    """

    def __init__(self, width, kernel=2, dilation=1):
        super().__init__()
        self.padding = (kernel - 1) * dilation
        self.convolution = nn.Conv1d(width, width, kernel, dilation=dilation)

    def forward(self, x):
        """Items (b, n, d): items (b, n, d)."""
        padded = nn.functional.pad(x.mT, (self.padding, 0))       # (b, d, padding + n)
        return torch.relu(self.convolution(padded).mT)


class DilatedConvolution(nn.Sequential):
    """Causal convolutions whose dilation doubles, 1, 2, 4, ..., as many as reach back over `max_length` items (as in
    WaveNet, van den Oord et al. 2016).
    """

    def __init__(self, width, max_length):
        layers = (max_length - 1).bit_length()
        super().__init__(*(CausalConvolution(width, dilation=2**layer) for layer in range(layers)))


class CausalAttention(nn.Module):
    """One head of attention to oneself and the items before, or to the last `radius` of them alone; no positions."""

    def __init__(self, width, radius=None):
        super().__init__()
        self.attend, self.radius = MultiHeadAttention(width, num_heads=1), radius

    def forward(self, x):
        """Items (b, n, d): items (b, n, d)."""
        mask = causal_mask(x.shape[1], like=x)
        if self.radius is not None:
            mask = mask & window_mask(x.shape[1], self.radius, like=x)
        return self.attend(x, mask=mask)[0]


LAYERS = {       # what a table calls it: made of a width and the length that it has to reach over
    "recurrence": lambda width, length: PlainRecurrence(width),
    "orthogonal recurrence": lambda width, length: PlainRecurrence(width, orthogonal=True),
    "gated recurrence": lambda width, length: GatedRecurrence(width),
    "dilated convolution": DilatedConvolution,
    "attention": lambda width, length: CausalAttention(width),
}


def gradient_reach(layer, n, width, *, seed=0, scale=1.0):
    """How strongly the last output of a layer depends on each item, at items drawn at random from N(0, scale^2).

    The size of the items matters where a layer bends: tanh of a large sum is flat, and hardly any gradient comes
    through; near zero it is straight.

    The layer takes items (b, n, width) in float64 and returns as many. Gives (n,), for each item the size of the last
    output's derivative with respect to it, a matrix (d, d): the root of the sum of its squares (Frobenius norm).

    >>> layer = new_model(0, CausalConvolution, 4)        # a kernel of two
    >>> (gradient_reach(layer, 5, 4) > 0).tolist()
    [False, False, False, True, True]
    """
    return gradients(layer, torch.from_numpy(np.random.default_rng(seed).normal(scale=scale, size=(n, width))))


def gradients(layer, x):
    """How strongly the last output of a layer depends on each item of ``x`` (n, d), as in `gradient_reach`: (n,)."""
    jacobian = torch.autograd.functional.jacobian(lambda x: layer(x[None])[0, -1], x)     # (d, n, d)
    return jacobian.square().sum((0, 2)).sqrt().numpy()


class Path(NamedTuple):
    """From the first item to the last output: how many layers, and how many matrix products one after the other.

    Of those products each needs the result of the one before, so they cannot be computed side by side.
    """

    layers: int
    products: int


def shortest_path(kind, n, *, kernel=3, radius=4, width=8, seed=0):
    """Pile up layers with random weights until the last output depends on the first item.

    Nothing is computed from a formula: the layers are run, and asked for their derivative (see `gradient_reach`).

    `kind` is "recurrence", "convolution", "dilated convolution", "attention" or "window attention", all causal; the
    `kernel` is of the convolutions, and the `radius` how far the window reaches. Gives a `Path`, as in table 1 of
    Vaswani et al. (2017).

    >>> for kind in ("recurrence", "convolution", "dilated convolution", "attention"):
    ...     print(f"{kind:20}", *shortest_path(kind, 27))
    recurrence           1 27
    convolution          13 13
    dilated convolution  3 3
    attention            1 4
    """
    for name, number, least in (("n", n, 2), ("kernel", kernel, 2), ("radius", radius, 1)):     # else it has no end
        checks.count(number, name, least)
    kinds = {
        "recurrence": lambda layer: PlainRecurrence(width),
        "convolution": lambda layer: CausalConvolution(width, kernel),
        "dilated convolution": lambda layer: CausalConvolution(width, kernel, dilation=kernel**layer),
        "attention": lambda layer: CausalAttention(width),
        "window attention": lambda layer: CausalAttention(width, radius),
    }
    if kind not in kinds:
        raise ValueError(f"kind must be one of {', '.join(kinds)}, got {kind!r}")

    def pile(layers):
        return nn.Sequential(*map(kinds[kind], range(layers)))

    layers = 1
    while gradient_reach(new_model(seed, pile, layers), n, width, seed=seed)[0] == 0:
        layers += 1
    output = new_model(seed, pile, layers)(torch.zeros(1, n, width, dtype=torch.float64))
    return Path(layers, _products_in_a_row(output))


_PRODUCTS = {"MmBackward0", "AddmmBackward0", "BmmBackward0", "ConvolutionBackward0"}     # torch's names


def _products_in_a_row(output):
    """The most matrix products of which each needs the one before, in the graph that torch keeps of a computation."""
    nodes, todo = set(), [output.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in nodes:
            nodes.add(node)
            todo += [before for before, _ in node.next_functions]
    longest = {}
    for node in sorted(nodes, key=lambda node: node._sequence_nr()):      # in the order in which they were computed
        before = max((longest.get(before, 0) for before, _ in node.next_functions), default=0)
        longest[node] = before + (node.name() in _PRODUCTS)
    return longest[output.grad_fn]


class FirstWordModel(nn.Module):
    """A vector for each word, one of the LAYERS, and a linear layer that reads the last output: which name came first?

    Word vectors begin `scale` times as large as usual; usually their numbers are from N(0, 1).
    """

    def __init__(self, kind, length, width=16, scale=1.0):
        super().__init__()
        if kind not in LAYERS:
            raise ValueError(f"kind must be one of {', '.join(LAYERS)}, got {kind!r}")
        self.embedding, self.readout = nn.Embedding(NAMES + FILLERS, width), nn.Linear(width, NAMES)
        self.embedding.weight.data *= scale
        self.layer = LAYERS[kind](width, length)

    def forward(self, words):
        """Numbers (b, n): scores (b, 8)."""
        return self.readout(self.layer(self.embedding(words))[:, -1])

    def gradients(self, words):
        """How strongly the last output of the layer depends on each of some WORDS, as `gradients` has it: (n,)."""
        return gradients(self.layer, self.embedding(torch.tensor(list(map(WORDS.index, words)))).detach())


class FirstWordTask:
    """Remember the first word: a name, one of eight, then fillers, and after the last the name is to be said.

    It is trained with `length` words, each step on new ones, and asked with as many.

    >>> task = FirstWordTask(10)
    >>> task.held_out[0].tolist()
    [7, 11, 15, 9, 12, 12, 14, 10, 8, 12]
    >>> task.evaluate(task.train(0, "attention"))
    1.0
    """

    def __init__(self, length=20, seed=0):
        self.length = checks.count(length, "length", 2)
        # A list as a seed: no training, whose seed is one number, draws the same.
        self.held_out = self.words(1000, np.random.default_rng([seed, length]))

    def words(self, num_examples, rng):
        """Numbers (num_examples, length): first a name, below 8, then fillers."""
        words = rng.integers(NAMES, NAMES + FILLERS, size=(num_examples, self.length))
        words[:, 0] = rng.integers(NAMES, size=num_examples)
        return torch.tensor(words)

    def train(self, seed, kind, *, steps=300, lr=1e-2, width=16, scale=1.0):
        """A model with one of the LAYERS, trained from scratch; its word vectors begin `scale` times as large."""
        model, rng = new_model(seed, FirstWordModel, kind, self.length, width, scale), np.random.default_rng(seed)

        def loss(chosen):            # of which only the number counts: there is no fixed set to choose from
            words = self.words(len(chosen), rng)
            return nn.functional.cross_entropy(model(words), words[:, 0])

        fit(model, loss, 1, steps=steps, batch_size=32, lr=lr)
        return model

    @torch.no_grad()
    def evaluate(self, model):
        """The share of the held-out examples for which a model says the right name; an eighth if it guesses."""
        return (model(self.held_out).argmax(1) == self.held_out[:, 0]).double().mean().item()

    @torch.no_grad()
    def loss(self, model):
        """The mean over the held-out examples of -log of the probability given to what is right, in nats."""
        return nn.functional.cross_entropy(model(self.held_out), self.held_out[:, 0]).item()
