"""How a trained model travels to a page: as text, a few bits a number, and read back as the same numbers everywhere."""

import numpy as np

from attnkit import checks

VERSION = 2
UNIT = 2.0**-20              # what the numbers of a model that travels are multiples of
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"       # of base64: six bits each
MOST = 12                    # bits of a number


def pack(tensors, bits, **about):
    """The tensors of a model as a dict for JSON, each number in a few bits.

    A number is ``integer * step * unit``: each row of a tensor, or the whole of a vector, has a step of its own, a
    whole number, and its integers go from -(2^(bits - 1) - 1) to 2^(bits - 1) - 1.  Nothing is rounded in that product,
    so the same model is read on every machine.

    Parameters
    ----------
    tensors : dict of arrays
        By name; each with at least one axis.
    bits : int
        Of each number, from 2 to 12.
    **about
        What else is to be known of the model: its sizes, its words.

    Returns
    -------
    dict
        What `about` says, ``version``, ``bits`` and ``unit``, and in ``tensors`` for each name its ``shape``, its
        ``steps``, one for each row (the last axis counts fastest), and its ``numbers``: the integers plus 2^(bits - 1),
        row after row, bit after bit, the highest first, six bits to a letter of base64.

    Raises
    ------
    TypeError, ValueError
        `bits` is no integer from 2 to 12; a tensor has no axis, or a number that is not finite.

    Examples
    --------
    >>> packed = pack({"w": np.array([[0.31, -0.01], [0.0, 0.5]])}, 6, kind="a matrix")
    >>> packed["kind"], packed["tensors"]["w"]["numbers"]
    ('a matrix', '/fg/')
    >>> unpack(packed)["w"].round(2).tolist()
    [[0.31, -0.01], [0.0, 0.5]]
    """
    if checks.count(bits, "bits", 2) > MOST:
        raise ValueError(f"bits must be at most {MOST}, got {bits}")
    return {**about, "version": VERSION, "bits": bits, "unit": UNIT,
            "tensors": {name: _packed(name, tensor, bits) for name, tensor in tensors.items()}}


def unpack(packed, shapes=None):
    """The tensors that `pack` has made text of, in float64, with exactly the numbers that travelled.

    Parameters
    ----------
    packed : dict
    shapes : dict, optional
        The shape that each tensor must have, by name; None fits any length.

    Returns
    -------
    dict of numpy arrays
        By name.

    Raises
    ------
    TypeError, ValueError
        What is given is no packed model, or one of another version; a name that `shapes` asks for is missing, or a
        tensor has another shape, too many or too few steps or numbers.  The message says which.

    Examples
    --------
    >>> packed = pack({"gain": np.array([0.5, -0.5])}, 8)
    >>> unpack(packed, {"gain": (2,)})["gain"].round(3).tolist()
    [0.5, -0.5]
    """
    if not isinstance(packed, dict):
        raise TypeError(f"a packed model must be a dict, got {type(packed).__name__}")
    if packed.get("version") != VERSION:
        raise ValueError(f"a packed model must have version {VERSION}, got {packed.get('version')!r}")
    if missing := [name for name in ("bits", "unit", "tensors") if name not in packed]:
        raise ValueError(f"the packed model lacks {', '.join(missing)}")
    tensors = packed["tensors"]
    if missing := [name for name in shapes or () if name not in tensors]:
        raise ValueError(f"the packed model lacks the tensors {', '.join(missing)}")
    wanted = {name: None for name in tensors} if shapes is None else shapes
    return {name: _unpacked(name, tensors[name], shape, packed) for name, shape in wanted.items()}


def sizes(packed, names):
    """What a packed model says of itself under some names.

    Parameters
    ----------
    packed : dict
    names : sequence of str

    Returns
    -------
    dict

    Raises
    ------
    TypeError, ValueError
        It is no dict, or lacks a name.

    Examples
    --------
    >>> sizes({"width": 8, "hidden": 12, "unit": 1}, ["width", "hidden"])
    {'width': 8, 'hidden': 12}
    """
    if not isinstance(packed, dict):
        raise TypeError(f"a packed model must be a dict, got {type(packed).__name__}")
    if missing := [name for name in names if name not in packed]:
        raise ValueError(f"the packed model lacks {', '.join(missing)}")
    return {name: packed[name] for name in names}


def _packed(name, tensor, bits):
    array = np.asarray(tensor, dtype=float)
    if not array.ndim or not np.isfinite(array).all():
        raise ValueError(f"the tensor {name} must have an axis, and finite numbers")
    rows, most = array.reshape(-1, array.shape[-1]), 2**(bits - 1) - 1
    # No finer than 2^bits units: then the largest number of a row is the largest integer, and what was unpacked is
    # packed to the same text again.
    steps = np.maximum(np.ceil(np.abs(rows).max(1) / (most * UNIT)), 2**bits)
    integers = np.rint(rows / (steps[:, None] * UNIT)).astype(int)
    return {"shape": list(array.shape), "steps": steps.astype(int).tolist(), "numbers": _spelt(integers, bits)}


def _spelt(integers, bits):
    """Integers as text: their bits in a row, six to a letter."""
    places = np.arange(bits - 1, -1, -1)
    ones = ((integers.reshape(-1, 1) + 2**(bits - 1) >> places) & 1).ravel()
    ones = np.append(ones, np.zeros(-len(ones) % 6, int)).reshape(-1, 6)
    return "".join(LETTERS[letter] for letter in ones @ 2**np.arange(5, -1, -1))


def _unpacked(name, tensor, shape, packed):
    if not isinstance(tensor, dict) or not {"shape", "steps", "numbers"} <= set(tensor):
        raise ValueError(f"the tensor {name} must be a dict with shape, steps and numbers")
    found, steps, bits = tuple(tensor["shape"]), tensor["steps"], packed["bits"]
    if shape is not None and (len(found) != len(shape) or any(s not in (None, n) for s, n in zip(shape, found))):
        wanted = ", ".join("any" if side is None else str(side) for side in shape)
        raise ValueError(f"the tensor {name} must have shape ({wanted}{',' * (len(shape) == 1)}), got {found}")
    rows, count = int(np.prod(found[:-1])), int(np.prod(found))
    if len(steps) != rows or not all(isinstance(step, int) and step > 0 for step in steps):
        raise ValueError(f"the tensor {name} must have {checks.many(rows, 'step')}, a positive int for each row")
    letters, wanted = tensor["numbers"], -(-count * bits // 6)
    if not isinstance(letters, str) or not set(letters) <= set(LETTERS):
        raise ValueError(f"the numbers of {name} must be a str of the letters of base64")
    if len(letters) != wanted:
        raise ValueError(f"the numbers of {name} must be {checks.many(wanted, 'letter')}, got {len(letters)}")
    codes = np.array([LETTERS.index(letter) for letter in letters])
    ones = (codes[:, None] >> np.arange(5, -1, -1) & 1).ravel()[:count * bits].reshape(count, bits)
    integers = ones @ 2**np.arange(bits - 1, -1, -1) - 2**(bits - 1)
    return (integers.reshape(rows, -1) * (np.array(steps, dtype=float)[:, None] * packed["unit"])).reshape(found)
