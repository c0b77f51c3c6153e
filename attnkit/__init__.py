"""attnkit: the small package behind *Attention, Step by Step*.

The chapters import it and check their own arithmetic against it.  Importing it does not import torch; the functions
accept torch tensors all the same.  The torch modules are in ``attnkit.modules``.
"""

from attnkit.equivalences import convolution_as_attention, dense_as_attention
from attnkit.masks import causal_mask, padding_mask, window_mask
from attnkit.mechanism import attention, merge_heads, multi_head_attention, softmax, split_heads
from attnkit.memory import attention_in_blocks, fast_weight_attention, linear_attention, window_attention
from attnkit.positions import alibi, relative_bias, rotary, sinusoidal
from attnkit.sampling import Xorshift, chances, choose
from attnkit.scores import additive, cosine, distance, dot, general, scaled_dot

__all__ = [
    "Xorshift", "additive", "alibi", "attention", "attention_in_blocks", "causal_mask", "chances", "choose",
    "convolution_as_attention", "cosine", "dense_as_attention", "distance", "dot", "fast_weight_attention", "general",
    "linear_attention", "merge_heads", "multi_head_attention", "padding_mask", "relative_bias", "rotary", "scaled_dot",
    "sinusoidal", "softmax", "split_heads", "window_attention", "window_mask",
]
__version__ = "0.1.0"


def __getattr__(name):
    """``attnkit.modules`` on first use, as it imports torch."""
    if name == "modules":
        import importlib
        return importlib.import_module("attnkit.modules")
    raise AttributeError(f"module 'attnkit' has no attribute {name!r}")


def __dir__():
    return [*globals(), "modules"]
