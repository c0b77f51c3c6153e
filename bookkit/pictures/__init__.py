"""Pictures for notebooks: squares, diagrams, charts, plots and listings, each with its words."""

from bookkit.pictures.picture import Picture

__all__ = ["Picture"]
