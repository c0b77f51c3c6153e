"""How the book writes a number, the same in Python and in its JavaScript twin (figures/core.js)."""

import math
import re


def fixed(x, digits=2, *, plus=False):
    """Write a number with a fixed count of decimals.

    Ties are rounded away from zero, a rounded zero has no sign, the minus is a
    real minus sign; with `plus`, positive numbers show theirs.  Python's ``.2f``
    and JavaScript's ``toFixed`` disagree on ties and on -0, so both sides use this.

    >>> fixed(0.125), fixed(-0.8, 1), fixed(-0.004), fixed(0.5, plus=True)
    ('0.13', '−0.8', '0.00', '+0.50')
    """
    x = float(x)
    if not math.isfinite(x):
        return "?" if math.isnan(x) else ("∞" if x > 0 else "−∞")
    if abs(x) >= 1e15:
        raise ValueError(f"numbers from 1e15 on have no decimals to write, got {x:g}")
    n = math.floor(abs(x) * 10**digits + 0.5)
    text = str(n).rjust(digits + 1, "0")
    text = f"{text[:-digits]}.{text[-digits:]}" if digits else text
    sign = "" if n == 0 else ("−" if x < 0 else ("+" if plus else ""))
    return sign + text


def plain(x, digits=2):
    """Write a number as short as its value allows: no trailing zeros (``0.5``, ``−1``, ``3``).

    >>> plain(0.5), plain(-1.0), plain(3)
    ('0.5', '−1', '3')
    """
    text = fixed(x, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def compact(difference):
    """Write a difference, which is not negative, so that its size shows however small it is.

    >>> compact(0.831), compact(4e-5), compact(0.0)
    ('0.831', '4e-5', '0')
    """
    if difference == 0 or difference >= 1e-3:
        return fixed(difference, 3 if difference else 0)
    digit, exponent = f"{difference:.0e}".split("e")
    return f"{digit}e{int(exponent)}"


def in_words(count):
    """Write a count that is not negative as people read it.

    >>> in_words(515), in_words(12_884_901_888), in_words(999_960)
    ('515', '12.9 billion', '1.0 million')
    """
    return _scaled(count, ("", " thousand", " million", " billion", " trillion", " quadrillion"))


def in_bytes(count):
    """Write a number of bytes in units of 1,000.

    >>> in_bytes(512), in_bytes(1_600_000_000)
    ('512 bytes', '1.6 GB')
    """
    return _scaled(count, (" bytes", " kB", " MB", " GB", " TB", " PB"))


def in_time(ms):
    """Write some milliseconds in the largest unit of which there is one.

    >>> in_time(0.026), in_time(215.97), in_time(3_538_000)
    ('0.03 ms', '216 ms', '59.0 min')
    """
    size, unit = next((size, unit) for size, unit in ((3_600_000, "h"), (60_000, "min"), (1000, "s"), (0, "ms"))
                      if ms >= .9995 * size)
    value = ms / size if size else ms
    return f"{fixed(value, 2 if value < .995 else 1 if value < 99.95 else 0)} {unit}"


def says(text, found):
    """Hold what a sentence says, a number or some words, to what was found.

    A number is rounded to as many decimals as the sentence gives it.

    >>> says("0.88", 0.8812), says("19,432", 19432), says("−3", -2.9), says("Ada", "Ada")
    (None, None, None, None)
    >>> says("0.88", 0.871)
    Traceback (most recent call last):
    AssertionError: the sentence says "0.88", and "0.87" was found
    """
    if not isinstance(found, str):
        found = fixed(found, len(text.partition(".")[2]), plus=text.startswith("+"))
        whole, point, rest = found.partition(".")
        found = re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", whole) + point + rest if "," in text else found
    if found != text:
        raise AssertionError(f'the sentence says "{text}", and "{found}" was found')


def _scaled(count, units):
    """A number as a multiple of the largest power of 1,000 that it reaches, with the word for that power."""
    power = 0
    while count >= 999.5 and power + 1 < len(units):
        count, power = count / 1000, power + 1
    return fixed(count, 1 if power and count < 99.95 else 0) + units[power]
