"""What the functions refuse, said in the caller's words.

Every public function looks at its arguments before it computes anything, so a mistake is named where it was made: the
argument, the shape expected and the shape given.  Of arrays the checks read types and shapes, never the numbers, and
cost some microseconds.
"""

import math
import operator
import sys
from functools import cache
from numbers import Real

import numpy as np
from array_api_compat import array_namespace


def arrays(optional=None, /, **named):
    """The array library of some floating-point arrays, which must share it, their dtype and their device.

    `optional` holds more of them by name, which may be None.
    """
    if optional:
        named |= {name: array for name, array in optional.items() if array is not None}
    for name, array in named.items():
        xp = library(array)
        if xp is None:
            raise TypeError(f"{name} must be a numpy array or a torch tensor, got {type(array).__name__}")
        if not _is_floating(array.dtype, xp):
            raise TypeError(f"{name} must hold floating-point numbers, got dtype {array.dtype}")
        if not getattr(array.dtype, "isnative", True):
            raise TypeError(f"{name} must have the machine's own byte order, got dtype {array.dtype}")
    if len({(array.dtype, array.device) for array in named.values()}) > 1 and not _cast_by_torch(named):
        _complain(named)
    return xp


def _cast_by_torch(named):
    """Whether torch.autocast brings tensors of different dtypes together, as it does for torch's own layers."""
    torch, given = sys.modules.get("torch"), list(named.values())
    if torch is None or not all(isinstance(array, torch.Tensor) for array in given):
        return False
    return (torch.is_autocast_enabled(given[0].device.type) and len({array.device for array in given}) == 1
            and all(array.dtype in (torch.float32, torch.float16, torch.bfloat16) for array in given))


def _complain(named):
    """Say in what some arrays differ."""
    libraries = {name: "numpy" if isinstance(array, np.ndarray) else "torch" for name, array in named.items()}
    for error, needed, kinds in (
            (TypeError, "arrays of one library are", libraries),
            (TypeError, "one dtype is", {name: array.dtype for name, array in named.items()}),
            (ValueError, "arrays on one device are", {name: array.device for name, array in named.items()})):
        if len(set(kinds.values())) > 1:
            raise error(f"{needed} needed, got {_listed(kinds)}")


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
def _is_floating(dtype, xp):
    return xp.isdtype(dtype, "real floating")


def _listed(kinds):
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


def softmax(scores, temperature, axis):
    """What `attnkit.softmax` is given; returns the array library."""
    xp = arrays(scores=scores)
    temperature = number(temperature, "temperature")
    limits = xp.finfo(xp.float32 if xp.finfo(scores.dtype).bits < 32 else scores.dtype)
    if not 0 < temperature < math.inf or not float(limits.smallest_normal) <= temperature <= float(limits.max):
        raise ValueError(f"temperature must be positive and finite in {limits.dtype}, got {temperature}")
    axis = count(axis, "axis", least=-math.inf)
    if not -scores.ndim <= axis < scores.ndim:
        raise ValueError(f"axis {axis} does not exist in scores of shape {shape(scores)}")
    if scores.shape[axis] == 0:
        raise ValueError(f"axis {axis} of scores is empty: shape {shape(scores)}")
    return xp


def attention(query, key, value, scale, score):
    """What `attnkit.attention` is given; returns the array library."""
    xp = arrays(query=query, key=key, value=value)
    attention_shapes(query, key, value, same_width=score is None)
    if score is not None and scale is not None:
        raise ValueError("scale belongs to the dot score: give either scale or score, not both")
    if score is not None and not callable(score):
        raise TypeError(f"score must be a function of query and key, got {type(score).__name__}")
    if scale is not None:
        finite(scale, "scale", query)
    return xp


def scored(scores, query, key, value):
    """What a function of the caller's has made of query and key, if it fits them and the value."""
    arrays(**{"value": value, "the result of score": scores})
    n, m = query.shape[-2], key.shape[-2]
    if shape(scores)[-2:] != (n, m):
        raise ValueError(f"score must return shape (..., {n}, {m}) for query {shape(query)} "
                         f"and key {shape(key)}, got {shape(scores)}")
    batch_axes(**{"the result of score": scores, "value": value})
    return scores


def multi_head(query, key, value, w_query, w_key, w_value, w_output, num_heads, num_key_value_heads, score,
               **biases):
    """What `attnkit.multi_head_attention` is given; returns the array library."""
    xp = arrays(biases, query=query, key=key, value=value,
                w_query=w_query, w_key=w_key, w_value=w_value, w_output=w_output)
    attention_shapes(query, key, value, same_width=False)
    h, g = _heads(num_heads, num_key_value_heads)
    shared = "num_heads" if num_key_value_heads is None else "num_key_value_heads"
    for name, x, weight, times, argument in (("query", query, w_query, h, "num_heads"),
                                             ("key", key, w_key, g, shared), ("value", value, w_value, g, shared)):
        matrix(f"w_{name}", weight, rows=(x.shape[-1], f"the width of {name}", x))
        if weight.shape[1] % times:
            raise ValueError(f"{argument} must divide the columns of w_{name}: {times} heads, shape {shape(weight)}")
    if score is None and w_query.shape[1] * g != w_key.shape[1] * h:
        raise ValueError("a query and a key of one head must have the same width, "
                         f"got {h} heads in w_query {shape(w_query)} and {g} in w_key {shape(w_key)}")
    matrix("w_output", w_output, rows=(w_value.shape[1] // g * h, f"the values of {h} heads, {g} in w_value", w_value))
    for name, weight in (("query", w_query), ("key", w_key), ("value", w_value), ("output", w_output)):
        if (bias := biases[f"b_{name}"]) is not None:
            vector(f"b_{name}", bias, weight.shape[1], f"a number for each column of w_{name}")
    return xp


def _heads(num_heads, num_key_value_heads):
    """How many heads there are of queries, and of keys and values."""
    h = count(num_heads, "num_heads")
    g = h if num_key_value_heads is None else count(num_key_value_heads, "num_key_value_heads")
    if h % g:
        raise ValueError(f"num_key_value_heads must divide num_heads, got {g} and {h}")
    return h, g


def attention_shapes(query, key, value, *, same_width=True):
    """Query (..., n, d_k), key (..., m, d_k), value (..., m, d_v); `same_width`: query and key share d_k."""
    items("query", query)
    items("key", key)
    items("value", value)
    if same_width and query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query and key must have the same width, got query {shape(query)} and key {shape(key)}")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(f"there must be one value for each key, got key {shape(key)} and value {shape(value)}")
    batch_axes(query=query, key=key, value=value)


def batch_axes(**named):
    """All axes but the last two must broadcast against each other; what they broadcast to."""
    try:
        return np.broadcast_shapes(*(tuple(array.shape[:-2]) for array in named.values()))
    except ValueError:
        shapes = {name: shape(array) for name, array in named.items()}
        raise ValueError(f"the batch axes (all but the last two) do not fit together: {_listed(shapes)}") from None


def mask(mask, scores_shape, like):
    """A boolean array of the library of `like` that broadcasts to the shape of the scores."""
    xp = library(like)
    if library(mask) is not xp or not xp.isdtype(mask.dtype, "bool"):
        kind = f"dtype {mask.dtype} of {type(mask).__module__}" if library(mask) else type(mask).__name__
        raise TypeError(f"mask must be a boolean array of the same library (True = may attend), got {kind}")
    if mask.device != like.device:
        raise ValueError(f"arrays on one device are needed, got mask: {mask.device}, query: {like.device}")
    target, own = tuple(scores_shape), shape(mask)
    if len(own) > len(target) or any(i not in (1, j) for i, j in zip(reversed(own), reversed(target))):
        raise ValueError(f"mask must broadcast to the scores' shape {target}, got {own}")


def matrix(name, array, rows=None, columns=None):
    """A matrix; `rows` and `columns` say how many it must have, why, and which array says so."""
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must be a matrix, got shape {shape(array)}")
    for axis, size, wanted in zip(("rows", "columns"), array.shape, (rows, columns)):
        if wanted is not None and size != wanted[0]:
            number, why, other = wanted
            raise ValueError(f"the {axis} of {name} must be {number}, {why} {shape(other)}; got shape {shape(array)}")


def width(name, array, expected):
    """Items (..., n, expected), as a module that holds weights of its own can take them."""
    if array.ndim < 1 or array.shape[-1] != expected:
        raise ValueError(f"{name} must have width {expected}, got shape {shape(array)}")


def vector(name, array, length, why):
    """A vector of a given length, and why."""
    if shape(array) != (length,):
        raise ValueError(f"{name} must have shape ({length},), {why}; got {shape(array)}")


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


def positions(n, m):
    """The numbers of queries and keys, where the queries are the last n of the m positions; m is n if None."""
    n = count(n, "n")
    m = n if m is None else count(m, "m")
    if m < n:
        raise ValueError(f"m must be at least n, as each query is one of the positions; got n = {n}, m = {m}")
    return n, m


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
