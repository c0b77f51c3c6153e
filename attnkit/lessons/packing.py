"""How the numbers of a model travel to a page: each is one letter, a small whole number times the step of its row."""

import numpy as np

from attnkit import checks

UNIT = 2.0**-20              # what the numbers of a model that travels are multiples of
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"       # of base64, each worth six bits
ZERO = 32                    # the letter that stands for 0


def pack(array, bits=6):
    """An array as a dict for JSON, its numbers in a few bits.

    ``letters`` are whole numbers from -(2^(bits - 1) - 1) to 2^(bits - 1) - 1, row after row (the last axis counts
    fastest), each one letter of base64, that of 0 in the middle; letters are compressed better than bytes. Each row, or
    the whole of a vector, has one of ``steps``, a whole number, and a number of the array is letter * step * `UNIT`.
    Nothing is rounded in that product, so that the same model is read on every machine.

    Parameters
    ----------
    array : array or tensor
        With at least one axis.
    bits : int
        From 2 to 6.

    Returns
    -------
    dict
        ``shape``, ``steps`` and ``letters``.

    Raises
    ------
    TypeError, ValueError
        `bits` is no integer from 2 to 6.

    Examples
    --------
    >>> pack(np.array([[0.31, -0.01], [0.0, 0.5]]))["letters"]
    '/fg/'
    >>> unpack(pack(np.array([[0.31, -0.01], [0.0, 0.5]]))).round(2).tolist()
    [[0.31, -0.01], [0.0, 0.5]]
    """
    if checks.count(bits, "bits", 2) > 6:
        raise ValueError(f"bits must be at most 6, got {bits}")
    array = np.asarray(array, dtype=float)
    rows, most = array.reshape(-1, array.shape[-1]), 2**(bits - 1) - 1
    # No finer than 2^bits units: then the largest number of a row is the largest letter, and what was unpacked is
    # packed to the same letters again.
    steps = np.maximum(np.ceil(np.abs(rows).max(1) / (most * UNIT)), 2**bits)
    numbers = np.rint(rows / (steps[:, None] * UNIT)).astype(int)
    return {"shape": list(array.shape), "steps": steps.astype(int).tolist(),
            "letters": "".join(LETTERS[number + ZERO] for number in numbers.flat)}


def unpack(packed):
    """The array that `pack` has made a dict of, in float64, with exactly the numbers that travelled.

    Parameters
    ----------
    packed : dict

    Returns
    -------
    numpy array

    Examples
    --------
    >>> unpack({"shape": [2], "steps": [2**19], "letters": "hf"}).tolist()
    [0.5, -0.5]
    """
    numbers = np.array([LETTERS.index(letter) - ZERO for letter in packed["letters"]])
    steps = np.array(packed["steps"], dtype=float)
    return (numbers.reshape(len(steps), -1) * (steps[:, None] * UNIT)).reshape(packed["shape"])
