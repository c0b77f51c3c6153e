"""The interactive figures: one class each, its JavaScript beside it."""

from attnkit.figures.alignment import Alignment
from attnkit.figures.attention_bill import AttentionBill
from attnkit.figures.attention_budget import AttentionBudget
from attnkit.figures.attention_maps import AttentionMaps
from attnkit.figures.attention_plane import AttentionPlane
from attnkit.figures.attention_steps import AttentionSteps
from attnkit.figures.dense_heads import DenseHeads
from attnkit.figures.document_reader import DocumentReader
from attnkit.figures.gate_axes import GateAxes
from attnkit.figures.head_stepper import HeadStepper
from attnkit.figures.kernel_heads import KernelHeads
from attnkit.figures.mask_builder import MaskBuilder
from attnkit.figures.matrix_stepper import MatrixStepper
from attnkit.figures.matrix_trainer import MatrixTrainer
from attnkit.figures.matrix_trainer import starting_matrix as starting_matrix
from attnkit.figures.movie_matcher import MovieMatcher
from attnkit.figures.moving_word import MovingWord
from attnkit.figures.position_pairs import PositionPairs
from attnkit.figures.practice import Practice
from attnkit.figures.score_field import ScoreField
from attnkit.figures.sentence_translator import SentenceTranslator
from attnkit.figures.sequence_paths import SequencePaths
from attnkit.figures.soft_dictionary import SoftDictionary
from attnkit.figures.softmax_explorer import SoftmaxExplorer
from attnkit.figures.square_editor import SquareEditor
from attnkit.figures.story_writer import StoryWriter
from attnkit.figures.swapped_words import SwappedWords

__all__ = ["Alignment", "AttentionBill", "AttentionBudget", "AttentionMaps", "AttentionPlane", "AttentionSteps",
           "DenseHeads", "DocumentReader", "GateAxes", "HeadStepper", "KernelHeads", "MaskBuilder", "MatrixStepper",
           "MatrixTrainer", "MovieMatcher", "MovingWord", "PositionPairs", "Practice", "ScoreField", "SentenceTranslator",
           "SequencePaths", "SoftDictionary", "SoftmaxExplorer", "SquareEditor", "StoryWriter", "SwappedWords"]
