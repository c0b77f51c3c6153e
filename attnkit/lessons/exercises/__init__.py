"""The chapters' exercises, a file for each chapter: tell a learner whether an answer is right and, if not, what is off.

A chapter's cell ends with ``check("chapter/exercise", answer)``.  Nothing here
raises: an exercise that is not done yet, a wrong kind of answer and a function
that fails each get a sentence.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from attnkit.lessons.exercises.grading import RIGHT, UNANSWERED


def check(name, answer):
    """Print whether an answer is right and, if not, what is off.

    Parameters
    ----------
    name : str
        The exercise, as ``"chapter/exercise"``.
    answer : anything
        A number, an array, a function: what the exercise asks for; ``...`` if not done yet.

    Raises
    ------
    ValueError
        There is no exercise of that name.

    Examples
    --------
    >>> check("notation/count", ...)
    Not answered yet: put your answer in place of the dots, then run this cell again.
    >>> check("notation/count", (6, 4, 24))
    Not yet: rows are items, so the number of items comes first.
    >>> check("notation/count", (4, 6, 24))
    Right.
    """
    exercises = all_exercises()
    if name not in exercises:
        raise ValueError(f"no exercise is called {name!r}; there are {', '.join(exercises)}")
    verdict = exercises[name].verdict(answer)
    print(verdict if verdict in (RIGHT, UNANSWERED) else f"Not yet: {verdict}")


@cache
def all_exercises():
    """Every exercise by its name, ``"chapter/exercise"``."""
    chapters = [module.name for module in iter_modules(__path__) if module.name not in ("grading", "examples")]
    return {f"{chapter}/{name}": exercise for chapter in chapters
            for name, exercise in import_module(f"{__name__}.{chapter}").EXERCISES.items()}
