"""How the book writes a number, the same in Python and in its JavaScript twin (widgets/core.js)."""

import math


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
