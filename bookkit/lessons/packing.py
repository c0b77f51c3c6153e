"""How a trained model travels to a page: as text, a few bits a number, and read back as the same numbers everywhere."""

import numpy as np

VERSION = 2
UNIT = 2.0**-20              # what the numbers of a model that travels are multiples of
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"       # of base64: six bits each
MOST = 12                    # bits of a number


def pack(tensors, bits, **about):
    """The tensors of a model as a dict for JSON, each number in a few bits, 2 to 12.

    A number is ``integer * step * unit``: each row of a tensor, or the whole of a vector, has a step of its own, a
    whole number, and its integers go from -(2^(bits - 1) - 1) to 2^(bits - 1) - 1. Nothing is rounded in that product,
    so the same model is read on every machine.

    Gives what `about` says, the sizes and words of the model, ``version``, ``bits`` and ``unit``, and in ``tensors``
    for each name its ``shape``, its ``steps``, one for each row (the last axis counts fastest), and its ``numbers``:
    the integers plus 2^(bits - 1), row after row, bit after bit, the highest first, six bits to a letter of base64.

    >>> packed = pack({"w": np.array([[0.31, -0.01], [0.0, 0.5]])}, 6, kind="a matrix")
    >>> packed["kind"], packed["tensors"]["w"]["numbers"]
    ('a matrix', '/fg/')
    >>> unpack(packed)["w"].round(2).tolist()
    [[0.31, -0.01], [0.0, 0.5]]
    """
    if not 2 <= bits <= MOST:
        raise ValueError(f"bits must be from 2 to {MOST}, got {bits}")
    return {**about, "version": VERSION, "bits": bits, "unit": UNIT,
            "tensors": {name: _packed(name, tensor, bits) for name, tensor in tensors.items()}}


def unpack(packed, shapes=None):
    """The tensors that `pack` has made text of, by name, in float64, with exactly the numbers that travelled.

    `shapes` are those that tensors must have, by name; None fits any length. What does not fit is a ValueError
    that says which.
    """
    if packed.get("version") != VERSION:
        raise ValueError(f"a packed model must have version {VERSION}, got {packed.get('version')!r}")
    tensors = packed["tensors"]
    if missing := [name for name in shapes or () if name not in tensors]:
        raise ValueError(f"the packed model lacks the tensors {', '.join(missing)}")
    wanted = {name: None for name in tensors} if shapes is None else shapes
    return {name: _unpacked(name, tensors[name], shape, packed) for name, shape in wanted.items()}


def sizes(packed, names):
    """What a packed model says of itself under some names."""
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
    found, bits = tuple(tensor["shape"]), packed["bits"]
    if shape is not None and (len(found) != len(shape) or any(s not in (None, n) for s, n in zip(shape, found))):
        wanted = ", ".join("any" if side is None else str(side) for side in shape)
        raise ValueError(f"the tensor {name} must have shape ({wanted}{',' * (len(shape) == 1)}), got {found}")
    rows, count = int(np.prod(found[:-1])), int(np.prod(found))
    codes = np.array([LETTERS.index(letter) for letter in tensor["numbers"]])
    ones = (codes[:, None] >> np.arange(5, -1, -1) & 1).ravel()[:count * bits].reshape(count, bits)
    integers = ones @ 2**np.arange(bits - 1, -1, -1) - 2**(bits - 1)
    steps = np.array(tensor["steps"], dtype=float)[:, None] * packed["unit"]
    return (integers.reshape(rows, -1) * steps).reshape(found)
