"""The interactive figures: one class each, its JavaScript beside it.

A class is called as its files are, ``score_field`` `ScoreField`; a new one is found by that.  It is imported when it is
first asked for: a page needs a few of them.
"""

import re
from importlib import import_module

from bookkit.figures.base import kinds

__all__ = ["".join(map(str.capitalize, kind.split("_"))) for kind in kinds()]
# What chapters ask for besides.
BESIDES = {"starting_matrix": "matrix_trainer"}


def __getattr__(name):
    """Python's hook for a name that a module has not got."""
    kind = re.sub(r"(?<=.)([A-Z])", r"_\1", name).lower() if name in __all__ else BESIDES.get(name)
    if kind is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{kind}"), name)


def __dir__():
    """Python's hook for what there is: the reference lists it."""
    return [*globals(), *__all__]
