"""The interactive figures: one class each, its JavaScript beside it."""

from attnkit.widgets.alignment import Alignment
from attnkit.widgets.movie_matcher import MovieMatcher
from attnkit.widgets.square_editor import SquareEditor

__all__ = ["Alignment", "MovieMatcher", "SquareEditor"]
