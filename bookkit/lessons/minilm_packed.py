"""How the real model travels to a page: ten bits a number, in parts that a page can load one after the other.

Eight bits a number would move some weights by more than 0.02; how much these ten move is held by the tests.
"""

import numpy as np

from bookkit.lessons.minilm import MiniLM

PLACES = 64                  # of the 512: as many pieces as a page reads
ROWS, WIDE = 8, 10           # bits of a number of the vocabulary, which matters less, and of the other matrices


def pack(model):
    """The tensors of a model as bytes, and what is needed to read them: two, a dict and the bytes.

    A matrix W is ``integer * row * column``: a factor for each row and one for each column, and between them integers
    of 8 or 10 bits. A column's factor is the root of its largest number; without it, a few large columns would leave
    the others with few steps. Vectors and the table of positions, cut off after 64, stay as they are.

    The dict has ``words``, and ``tensors``: a list of ``name``, ``shape`` and ``bits`` in the order of the bytes. Of a
    matrix the bytes are the factors of the rows and of the columns as float32; the lower eight bits of the integers, to
    which half of their range has been added, row after row; their other two bits, four integers to a byte, the first
    the highest. For what has 32 bits: its numbers as float32. Everything lowest byte first.
    """
    tensors = dict(model.tensors)
    tensors["positions"] = tensors["positions"][:PLACES] + tensors["kinds"][0]       # every text is of the first kind
    del tensors["kinds"]
    about, data = [], []
    for name, tensor in tensors.items():
        plain = tensor.ndim == 1 or name == "positions"
        bits = 32 if plain else ROWS if name == "embedding" else WIDE
        about.append({"name": name, "shape": list(tensor.shape), "bits": bits})
        data += [tensor.astype("<f4").tobytes()] if plain else _matrix(tensor, bits)
    return {"words": model.words, "tensors": about}, b"".join(data)


def unpack(about, data):
    """The model of what `pack` has made; it reads as many pieces as a page does."""
    wanted = sum(_size(**tensor) for tensor in about["tensors"])
    if len(data) != wanted:
        raise ValueError(f"data must have {wanted} bytes, got {len(data)}")
    tensors, start = {}, 0
    for tensor in about["tensors"]:
        end = start + _size(**tensor)
        tensors[tensor["name"]] = _read(data[start:end], tensor["shape"], tensor["bits"])
        start = end
    width = tensors["embedding"].shape[1]
    return MiniLM(about["words"], tensors | {"kinds": np.zeros((1, width))})


def _matrix(tensor, bits):
    half = 2 ** (bits - 1)
    columns = _factors(np.sqrt(np.abs(tensor).max(axis=0)))
    rows = _factors(np.abs(tensor / columns).max(axis=1) / (half - 1))
    integers = np.rint(tensor / columns / rows[:, None]).clip(1 - half, half - 1).astype(int) + half
    data = [rows.tobytes(), columns.tobytes(), (integers & 255).astype(np.uint8).tobytes()]
    if bits > 8:
        fours = (integers >> 8).reshape(-1, 4) @ [64, 16, 4, 1]
        data.append(fours.astype(np.uint8).tobytes())
    return data


def _factors(numbers):
    """As they travel; one that would be zero is one."""
    return np.where(numbers == 0, 1, numbers).astype("<f4")


def _size(shape, bits, name=""):
    count = int(np.prod(shape))
    return 4 * count if bits == 32 else 4 * sum(shape) + count * bits // 8


def _read(data, shape, bits):
    if bits == 32:
        return np.frombuffer(data, "<f4").reshape(shape).astype(float)
    (rows, columns), count = shape, int(np.prod(shape))
    factors = np.frombuffer(data[:4 * (rows + columns)], "<f4").astype(float)
    bytes_ = np.frombuffer(data[4 * (rows + columns):], np.uint8)
    integers = bytes_[:count].astype(int)
    if bits > 8:
        integers += (bytes_[count:, None] >> np.array([6, 4, 2, 0]) & 3).ravel() << 8
    integers = integers.reshape(shape) - 2 ** (bits - 1)
    return integers * factors[:rows, None] * factors[rows:]
