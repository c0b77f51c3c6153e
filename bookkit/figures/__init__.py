"""The interactive figures: one class each, its JavaScript beside it.

A class is called as its files are, ``score_field`` `ScoreField`; a new one is found by that.
"""

from importlib import import_module

from bookkit.figures.base import kinds
from bookkit.figures.matrix_trainer import starting_matrix as starting_matrix

__all__ = ["".join(map(str.capitalize, kind.split("_"))) for kind in kinds()]
globals().update({name: getattr(import_module(f"{__name__}.{kind}"), name) for kind, name in zip(kinds(), __all__)})
