"""attnkit: the small package behind *Attention, Step by Step*.

The chapters import it, show its source and check their own arithmetic against
it.  Importing it does not import torch; the functions accept torch tensors all
the same.
"""

from attnkit.attention import attention, softmax

__all__ = ["attention", "softmax"]
__version__ = "0.1.0"
