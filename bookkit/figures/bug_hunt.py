"""Runs of a training with a planted bug each: make checks, then name the bug."""

from html import escape

import traitlets

from bookkit.figures.base import Figure, Index, few, index, one_each, still_table
from bookkit.pictures.formats import fixed

RUN = {"curve": list, "first": lambda loss: round(float(loss), 3), "last": lambda loss: round(float(loss), 3),
       "samples": list, "found": list}
BUG = {"name": str, "sound": str, "planted": str, "tells": list, "lesson": str}
CURVE = "the curve"
MOST = 30                     # runs


class BugHunt(Figure):
    """What is wrong here?  A loss curve, what the model writes, and checks to choose; then the bug is to be named.

    `runs`, 1 to 30, are dicts of ``curve``, a list of losses, each the mean of as many steps; ``first`` and ``last``,
    two losses; ``samples``, texts that the model wrote; ``found``, for each check what it says; ``bug``, the place of
    its bug. `sound` is the same of a run without a bug, to compare with. `bugs` are dicts of a ``name``; the ``sound``
    line of code and the ``planted`` one; ``tells``, the names of the checks that give it away, the best one first, or
    "the curve"; and the ``lesson``, a sentence. `checks` names the checks, and each run has so many `steps`. The trait
    `run` is the one that is shown; `made` has for each run the places of the checks that have been made, in that order,
    `named` the place of the bug that has been named last, or -1.

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

    def __init__(self, runs, sound, bugs, checks, steps, caption=""):
        checks, bugs = list(checks), [_read(bug, BUG) for bug in bugs]
        for bug in bugs:
            if not bug["tells"] or {*bug["tells"]} - {*checks, CURVE}:
                raise ValueError(f"what tells of {bug['name']!r} must be checks, or {CURVE!r}, got {bug['tells']!r}")
        runs = [_run(one, checks) | {"bug": index(one["bug"], "bug", len(bugs), "bugs")}
                for one in few(runs, "runs", 1, MOST)]
        super().__init__(runs=runs, sound=_run(sound, checks), bugs=bugs, checks=checks, steps=steps, caption=caption,
                         made=[[] for _ in runs], named=[-1] * len(runs))

    @traitlets.validate("made")
    def _check_made(self, proposal):
        return [[index(one, "a check of made", len(self.checks), "checks") for one in dict.fromkeys(row)]
                for row in one_each(proposal["value"], "made", self.runs, "runs")]

    @traitlets.validate("named")
    def _check_named(self, proposal):
        return [-1 if one == -1 else index(one, "a bug of named", len(self.bugs), "bugs")
                for one in one_each(proposal["value"], "named", self.runs, "runs")]

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


def _read(given, wanted):
    """What is wanted of a run or a bug, as plain data."""
    return {name: kind(given[name]) for name, kind in wanted.items()}


def _run(given, checks):
    one_each(given["found"], "'found' of a run", checks, "checks")
    return _read(given, RUN)
