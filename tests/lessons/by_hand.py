"""What tests of several lessons share: numbers at random in every parameter, and what is worked out by hand."""

import numpy as np
import torch
from torch import nn

from bookkit.lessons.reviews import REVIEW_WORDS, ReviewModel


def close(a, b):
    """Whether two tensors have one shape and agree to twelve digits."""
    return a.shape == b.shape and torch.allclose(a, b, rtol=0, atol=1e-12)


def scatter(model, std=0.5):
    """Random numbers in every parameter, biases too, so that nothing is nought."""
    for p in model.parameters():
        nn.init.normal_(p, std=std)


def items(seed, *shape):
    """Normal numbers as a tensor of float64."""
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape))


def relu(x):
    return np.maximum(x, 0)


# ---- readers of reviews

def random_reader(pooling, **sizes):
    """A small model that reads reviews, at random."""
    torch.manual_seed(0)
    model = ReviewModel(len(REVIEW_WORDS), pooling, **sizes).double()
    scatter(model)
    return model


def read_by_hand(p, pooling, row, weights=None):
    """A review's logit and weights, with numpy, from a model's parameters `p`; or with other weights."""
    x = p["embedding.weight"][row]
    if weights is None:
        scores = x @ p["w_key"] @ p["query"][0] / np.sqrt(8) if pooling == "attention" else np.zeros(len(row))
        weights = np.exp(scores) / np.exp(scores).sum()
    pooled = x.max(axis=0) if pooling == "max" else weights @ x
    hidden = relu(p["readout.0.weight"] @ pooled + p["readout.0.bias"])
    return p["readout.2.weight"][0] @ hidden + p["readout.2.bias"][0], weights
