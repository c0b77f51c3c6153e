"""Runs of a training with a planted bug each: make checks, then name the bug."""

from html import escape

import numpy as np
import traitlets

from attnkit import checks as check
from bookkit.figures.base import Figure, Index, index, still_table
from bookkit.pictures.formats import fixed

RUN = {"curve": list, "first": float, "last": float, "samples": list, "found": list}
BUG = {"name": str, "sound": str, "planted": str, "tells": tuple, "lesson": str}
CURVE = "the curve"
MOST = 30                     # runs


class BugHunt(Figure):
    """What is wrong here?  A loss curve, what the model writes, and checks to choose; then the bug is to be named.

    Parameters
    ----------
    runs : list of dict
        Of each, ``curve``, a list of losses, each the mean of as many steps; ``first`` and ``last``, two losses;
        ``samples``, texts that the model wrote; ``found``, for each check what it says; ``bug``, the place of its bug.
    sound : dict
        The same of a run without a bug, to compare with; it needs no ``bug``.
    bugs : list of dict
        Of each, its ``name``; the ``sound`` line of code and the ``planted`` one; ``tells``, the names of the checks
        that give it away, the best one first, or "the curve"; and the ``lesson``, a sentence.
    checks : list of str
        The names of the checks.
    steps : int
        Of each run.
    run : int
        The one that is shown, counted from 0.
    made : list of lists of int
        For each run the places of the checks that have been made, in that order.
    named : list of int
        For each run the place of the bug that has been named last, or -1.
    caption : str

    Raises
    ------
    TypeError, ValueError
        A run or a bug that lacks something, checks or bugs that do not exist, lists of another length than the runs.

    Examples
    --------
    >>> bugs = [{"name": name, "sound": "x + y", "planted": "x", "tells": ["the curve"], "lesson": "It differs."}
    ...         for name in ("no sum", "no root")]
    >>> sound = {"curve": [5, 1], "first": 5, "last": 1, "samples": ["Zoe ran ."], "found": ["19 numbers"]}
    >>> figure = BugHunt([sound | {"bug": 1}], sound, bugs, ["count"], steps=10)
    >>> figure.named = [0]
    >>> figure.verdicts
    [False]
    """

    kind = "bug_hunt"
    STILL = "Where scripts may run, the bug can be named here."
    runs = traitlets.List().tag(sync=True)
    sound = traitlets.Dict().tag(sync=True)
    bugs = traitlets.List().tag(sync=True)
    checks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    steps = traitlets.Int().tag(sync=True)
    run = Index("runs", "runs").tag(sync=True, reset=True)
    made = traitlets.Any([]).tag(sync=True, reset=True)
    named = traitlets.Any([]).tag(sync=True, reset=True)

    def __init__(self, runs, sound, bugs, checks, steps, run=0, made=None, named=None, caption=""):
        checks = [str(name) for name in check.sequence(checks, "checks", "str")]
        bugs = [_read(bug, BUG, "a bug") for bug in check.sequence(bugs, "bugs", "dicts")]
        for bug in bugs:
            if not bug["tells"] or {*bug["tells"]} - {*checks, CURVE}:
                raise ValueError(f"what tells of {bug['name']!r} must be checks, or {CURVE!r}, got {bug['tells']!r}")
        runs = check.sequence(runs, "runs", "dicts")
        if not 1 <= len(runs) <= MOST:
            raise ValueError(f"runs must be 1 to {MOST}, got {len(runs)}")
        runs = [_run(one, checks) | {"bug": index(_get(one, "bug", "a run"), "bug", len(bugs), "bugs")} for one in runs]
        super().__init__(runs=runs, sound=_run(sound, checks), bugs=bugs, checks=checks,
                         steps=check.count(steps, "steps"), run=run, caption=caption,
                         made=[[] for _ in runs] if made is None else made,
                         named=[-1] * len(runs) if named is None else named)

    @traitlets.validate("made")
    def _check_made(self, proposal):
        rows = _as_many(proposal["value"], "made", self.runs)
        return [[index(one, "a check of made", len(self.checks), "checks")
                 for one in dict.fromkeys(check.sequence(row, "a list of made", "ints"))] for row in rows]

    @traitlets.validate("named")
    def _check_named(self, proposal):
        return [-1 if one == -1 else index(one, "a bug of named", len(self.bugs), "bugs")
                for one in _as_many(proposal["value"], "named", self.runs)]

    @property
    def verdicts(self):
        """For each run whether the bug named last is the one; None where none has been named."""
        return [None if said < 0 else said == run["bug"] for said, run in zip(self.named, self.runs)]

    def still(self):
        """The run that is shown: its losses, what it writes, what all checks say of it and of a sound run."""
        run, every = self.runs[self.run], self.steps / len(self.runs[self.run]["curve"])
        ends = [("first step", run["first"], self.sound["first"]), ("last steps", run["last"], self.sound["last"])]
        tenths = range(0, len(run["curve"]), max(1, len(run["curve"]) // 6))
        losses = [(f"about step {round(every * (k + 0.5))}", run["curve"][k], self.sound["curve"][k]) for k in tenths]
        table = still_table(["loss", "this run", "a sound run"], [[name, fixed(a), fixed(b)] for name, a, b in
                                                                  [ends[0], *losses, ends[1]]])
        written = "".join(f"<li>{escape(text)}</li>" for text in run["samples"])
        found = still_table(["check", "this run", "a sound run"],
                            [list(row) for row in zip(self.checks, run["found"], self.sound["found"])])
        return f"<div><p>Run {self.run + 1}. What it writes:</p><ul>{written}</ul>{table}{found}</div>"


def _get(given, name, what):
    if not isinstance(given, dict):
        raise TypeError(f"{what} must be a dict, got {given!r}")
    if name not in given:
        raise ValueError(f"{what} lacks {name!r}, it has {', '.join(map(repr, given))}")
    return given[name]


def _read(given, wanted, what):
    found = {name: _get(given, name, what) for name in wanted}
    for name, kind in wanted.items():
        if kind is str and not isinstance(found[name], str):
            raise TypeError(f"{name!r} of {what} must be str, got {found[name]!r}")
        if kind in (list, tuple):
            found[name] = list(check.sequence(found[name], f"{name!r} of {what}", "things"))
        if kind is float:
            found[name] = round(check.finite(found[name], f"{name!r} of {what}"), 3)
    return found


def _run(given, checks):
    run = _read(given, RUN, "a run")
    if len(run["found"]) != len(checks):
        raise ValueError(f"'found' of a run must say something for each of {len(checks)} checks, got {run['found']!r}")
    if not run["curve"] or not np.isfinite(run["curve"]).all():
        raise ValueError(f"'curve' of a run must be numbers, at least one, got {run['curve']!r}")
    return run


def _as_many(value, name, runs):
    value = check.sequence(value, name, "one for each run")
    if len(value) != len(runs):
        raise ValueError(f"{name} must have one for each of {len(runs)} runs, got {len(value)}")
    return value
