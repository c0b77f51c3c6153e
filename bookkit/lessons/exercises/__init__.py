"""The chapters' exercises, a file for each chapter: tell a learner whether an answer is right and, if not, what is off.

A chapter's cell ends with ``check("chapter/exercise", answer)``.  Nothing here
raises: an exercise that is not done yet, a wrong kind of answer and a function
that fails each get a sentence.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from bookkit.lessons.exercises.grading import sentence


def check(name, answer):
    """Print whether an answer is right and, if not, what is off.

    The name is ``"chapter/exercise"``, the answer what it asks for, a number, an array, a function; ``...`` if not done
    yet. A name that no exercise has is the one thing that raises.

    >>> check("notation/count", ...)
    Not answered yet: put your answer in place of the dots, then run this cell again.
    >>> check("notation/count", (6, 4, 24))
    Not yet: rows are items, so the number of items comes first.
    >>> check("notation/count", (4, 6, 24))
    Right.
    """
    print(sentence(_found(name, all_exercises()).verdict(answer)))


def exercise(name):
    """An exercise, or a guess, for the page: what ``bookkit.figures.Practice`` asks for."""
    return _found(name, all_exercises() | all_guesses())


def _found(name, among):
    if name not in among:
        raise ValueError(f"no exercise is called {name!r}; there are {', '.join(among)}")
    return among[name]


@cache
def all_exercises():
    """Every exercise by its name, ``"chapter/exercise"``."""
    return _named("EXERCISES")


@cache
def all_guesses():
    """Every guess before a figure, by its name."""
    return _named("GUESSES")


def _named(attribute):
    """What the chapters' files list under one of two names; each is told what it is called."""
    chapters = [module.name for module in iter_modules(__path__) if module.name not in ("grading", "examples")]
    found = {f"{chapter}/{name}": one for chapter in chapters
             for name, one in getattr(import_module(f"{__name__}.{chapter}"), attribute, {}).items()}
    for name, one in found.items():
        one.name = name
    return found
