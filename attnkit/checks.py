"""What the functions refuse, said in the caller's words.

Every public function looks at its arguments before it computes anything, so a
mistake is named where it was made: the argument, the shape expected and the
shape given.  The checks read types and shapes, never the numbers, and cost a
few microseconds.
"""

import math
import operator
import sys
from functools import cache
from numbers import Real

import numpy as np
from array_api_compat import array_namespace


def arrays(optional=None, /, **given):
    """The array library of some floating-point arrays, which must share it, their dtype and their device.

    `optional` holds more of them by name, which may be None.
    """
    if optional:
        given |= {name: array for name, array in optional.items() if array is not None}
    xp = None
    for name, array in given.items():
        if xp is None:
            xp = _floating_library(name, array)
            dtype, device = array.dtype, array.device
        elif _library_of(type(array)) is not xp or array.dtype != dtype or array.device != device:
            _floating_library(name, array)
            _complain(given)
    return xp


def _floating_library(name, array):
    xp = library(array)
    if xp is None:
        raise TypeError(f"{name} must be a numpy array or a torch tensor, got {type(array).__name__}")
    if not is_floating(array.dtype, xp):
        raise TypeError(f"{name} must hold floating-point numbers, got dtype {array.dtype}")
    if not getattr(array.dtype, "isnative", True):
        raise TypeError(f"{name} must have the machine's own byte order, got dtype {array.dtype}")
    return xp


def _complain(given):
    """Say in what some arrays differ."""
    found = {name: array for name, array in given.items() if library(array) is not None}
    if len({library(array) for array in found.values()}) > 1:
        kinds = {name: "numpy" if isinstance(array, np.ndarray) else "torch" for name, array in found.items()}
        raise TypeError(f"arrays of one library are needed, got {listed(kinds)}")
    if len({array.dtype for array in found.values()}) > 1:
        raise TypeError(f"one dtype is needed, got {listed({n: a.dtype for n, a in found.items()})}")
    raise ValueError(f"arrays on one device are needed, got {listed({n: a.device for n, a in found.items()})}")


def library(array):
    """The array-API namespace of a numpy array or a torch tensor; None for anything else."""
    return _library_of(type(array))


@cache
def _library_of(kind):
    # By type, so that it is looked up once. numpy's subclasses (matrix, masked arrays) mean other things by * and @.
    if kind in (np.ndarray, np.memmap):
        return array_namespace(np.empty(0))
    torch = sys.modules.get("torch")     # whoever has a tensor has imported it
    if torch is not None and issubclass(kind, torch.Tensor):
        return array_namespace(torch.empty(0))
    return None


@cache
def is_floating(dtype, xp):
    """Whether a dtype is one of real floating-point numbers."""
    return xp.isdtype(dtype, "real floating")


@cache
def bits(dtype, xp):
    """How many bits a floating-point number of this dtype has."""
    return xp.finfo(dtype).bits


def listed(kinds):
    """``query: float32, key: float64``."""
    return ", ".join(f"{name}: {kind}" for name, kind in kinds.items())


def shape(array):
    """A shape as a plain tuple, for messages."""
    return tuple(array.shape)


def items(name, array):
    """An array of items: at least two axes, (..., items, width), none of them empty."""
    if array.ndim < 2:
        raise ValueError(f"{name} must have at least two axes (items, width), got shape {shape(array)}")
    if 0 in array.shape:
        raise ValueError(f"{name} has an empty axis: shape {shape(array)}")


def attention_shapes(query, key, value, *, same_width=True):
    """Query (..., n, d_k), key (..., m, d_k), value (..., m, d_v); `same_width`: query and key share d_k."""
    items("query", query)
    items("key", key)
    items("value", value)
    if same_width and query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query and key must have the same width, got query {shape(query)} and key {shape(key)}")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(f"there must be one value for each key, got key {shape(key)} and value {shape(value)}")
    if len({array.shape[:-2] for array in (query, key, value)}) > 1:
        batch_axes(query=query, key=key, value=value)


def batch_axes(**given):
    """All axes but the last two must broadcast against each other; what they broadcast to."""
    try:
        return np.broadcast_shapes(*(tuple(array.shape[:-2]) for array in given.values()))
    except ValueError:
        shapes = {name: shape(array) for name, array in given.items()}
        raise ValueError(f"the batch axes (all but the last two) do not fit together: {listed(shapes)}") from None


def mask(mask, scores_shape, like):
    """A boolean array of the library of `like` that broadcasts to the shape of the scores."""
    xp = library(like)
    if library(mask) is not xp or not xp.isdtype(mask.dtype, "bool"):
        kind = f"dtype {mask.dtype} of {type(mask).__module__}" if library(mask) else type(mask).__name__
        raise TypeError(f"mask must be a boolean array of the same library (True = may attend), got {kind}")
    if mask.device != like.device:
        raise ValueError(f"arrays on one device are needed, got mask: {mask.device}, query: {like.device}")
    target, given = tuple(scores_shape), shape(mask)
    if len(given) > len(target) or any(i not in (1, j) for i, j in zip(reversed(given), reversed(target))):
        raise ValueError(f"mask must broadcast to the scores' shape {target}, got {given}")


def matrix(name, array, rows=None, columns=None):
    """A matrix (rows, columns); each that is given is (number, what it must equal, in words and arrays)."""
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must be a matrix, got shape {shape(array)}")
    if rows is not None and array.shape[0] != rows[0]:
        raise ValueError(f"{name} must have {rows[0]} rows, {said(*rows[1:])}; got shape {shape(array)}")
    if columns is not None and array.shape[1] != columns[0]:
        raise ValueError(f"{name} must have {columns[0]} columns, {said(*columns[1:])}; got shape {shape(array)}")


def vector(name, array, length, *why):
    """A vector of a given length, and why, in words and arrays."""
    if array.ndim != 1 or array.shape[0] != length:
        raise ValueError(f"{name} must have shape ({length},), {said(*why)}; got {shape(array)}")


def said(*parts):
    """Words and the shapes of arrays, put together only once something is wrong: this takes longer than the checks."""
    return " ".join(part if isinstance(part, str) else str(shape(part)) for part in parts)


def sequence(values, name, of):
    """The Python objects of a sequence or a one-axis array."""
    values = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} must be a sequence of {of}, got {type(values).__name__}")
    return list(values)


def number(value, name):
    """A real number as a plain float: a numpy scalar would widen the dtype of what it meets."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        return math.inf


def finite(value, name, like=None):
    """A finite number as a plain float; `like`: finite in the dtype of this array, too."""
    value = number(value, name)
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")
    if like is not None and abs(value) > float(library(like).finfo(like.dtype).max):
        raise ValueError(f"{name} must be finite in {like.dtype}, got {value}")
    return value


def count(value, name, least=1):
    """A whole number, at least `least`."""
    try:
        whole = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        whole = None
    if whole is None:
        raise TypeError(f"{name} must be an integer, got {type(value).__name__}")
    if whole < least:
        raise ValueError(f"{name} must be at least {least}, got {whole}")
    return whole
