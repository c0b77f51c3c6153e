"""The interactive figures: one class each, its JavaScript beside it."""

from attnkit.widgets.alignment import Alignment
from attnkit.widgets.attention_budget import AttentionBudget
from attnkit.widgets.attention_maps import AttentionMaps
from attnkit.widgets.attention_plane import AttentionPlane
from attnkit.widgets.attention_steps import AttentionSteps
from attnkit.widgets.dense_heads import DenseHeads
from attnkit.widgets.head_stepper import HeadStepper
from attnkit.widgets.kernel_heads import KernelHeads
from attnkit.widgets.matrix_stepper import MatrixStepper
from attnkit.widgets.movie_matcher import MovieMatcher
from attnkit.widgets.moving_word import MovingWord
from attnkit.widgets.score_field import ScoreField
from attnkit.widgets.soft_dictionary import SoftDictionary
from attnkit.widgets.softmax_explorer import SoftmaxExplorer
from attnkit.widgets.square_editor import SquareEditor
from attnkit.widgets.swapped_words import SwappedWords

__all__ = ["Alignment", "AttentionBudget", "AttentionMaps", "AttentionPlane", "AttentionSteps", "DenseHeads",
           "HeadStepper", "KernelHeads", "MatrixStepper", "MovieMatcher", "MovingWord", "ScoreField", "SoftDictionary",
           "SoftmaxExplorer", "SquareEditor", "SwappedWords"]
