"""The figure of sixteen broken trainings: what it shows of a run, the checks, and the verdict on a name."""

import numpy as np
import pytest
from conftest import WIDE, node, on
from hand import CASES, alone, either_width, figure, fits, pages, press, says

from bookkit.figures import BugHunt
from bookkit.lessons.training_bugs import BUGS
from bookkit.pictures.formats import fixed

PAGES = pages(["bug_hunt"])
CHECKS = ["count & compare", "look"]
SOUND = {"curve": [5.5, 2, 1], "first": 5.6, "last": 0.9, "samples": ["Zoe ran ."], "found": ["19 numbers", "no <pad>"]}
KINDS = [{"name": "no mask", "sound": "mask=causal", "planted": "mask=None", "tells": ["look", "the curve"], "lesson": "It reads the answer."},
         {"name": "no root", "sound": "q / root", "planted": "q", "tells": ["the curve"], "lesson": "Too sharp."},
         {"name": "a list", "sound": "ModuleList", "planted": "", "tells": ["count & compare"], "lesson": "Unseen."}]
RUNS = [{"curve": [5, 1, 0.5], "first": 5.25, "last": 0.5, "samples": ["a a", "b b", "c < d"], "found": ["19 numbers", "a <pad>"], "bug": 0},
        {"curve": [58, 3, 2], "first": 61, "last": 2, "samples": ["e"], "found": ["10 numbers", "no <pad>"], "bug": 2}]


def hunt(**changed):
    return BugHunt(**({"runs": RUNS, "sound": SOUND, "bugs": KINDS, "checks": CHECKS, "steps": 30} | changed))


def without(given, name):
    return {key: value for key, value in given.items() if key != name}


def example():
    return hunt(caption="Cap.")


def shown(widget):
    run = widget.runs[widget.run]
    return [*run["samples"], *run["found"], *widget.sound["found"], fixed(run["first"]), fixed(run["last"])]


CHANGED = ("run", 1)
BAD = [
    (lambda: hunt(runs=[]), ValueError, "runs must be 1 to 30, got 0"),
    (lambda: hunt(runs=[RUNS[0] | {"bug": 3}]), ValueError, "bug must be from 0 to 2, the number of one of the bugs, got 3"),
    (lambda: hunt(runs=[RUNS[0] | {"found": ["one"]}]), ValueError, "'found' of a run must hold one for each of 2 checks"),
    (lambda: hunt(bugs=[KINDS[0] | {"tells": ["guessing"]}]), ValueError, r"what tells of 'no mask' must be checks, or 'the curve', got \['guessing'\]"),
    (lambda: hunt(bugs=[KINDS[0] | {"tells": []}]), ValueError, "what tells of 'no mask' must be checks"),
]
REFUSED = [("run", 2, ValueError), ("run", "a", TypeError), ("made", [[0]], ValueError), ("made", [[2], []], ValueError), ("named", [1, 7], ValueError), ("named", [True, 1], TypeError)]


# ---- the arithmetic, and Python's side

def test_verdicts_agree():
    rng = np.random.default_rng(37)
    cases, seen = [], set()
    for _ in range(CASES):
        runs = [RUNS[0] | {"bug": int(rng.integers(3))} for _ in range(rng.integers(1, 20))]
        cases.append(hunt(runs=runs))
        cases[-1].named = rng.integers(-1, 3, len(runs)).tolist()
    for ours, got in zip(cases, node("run_figures.js", {"figure": "bug_hunt", "cases": [one.state() for one in cases]}), strict=True):
        assert got["verdicts"] == ours.verdicts == [None if said < 0 else run["bug"] == said for said, run in zip(ours.named, ours.runs)]
        seen |= {*ours.verdicts}
    assert seen == {None, True, False}


def test_a_check_is_made_once():
    widget = hunt()
    widget.made = [[1, 0, 1], []]
    assert widget.made == [[1, 0], []] and widget.defaults == {"run": 0, "made": [[], []], "named": [-1, -1]}


# ---- alone on a page

@pytest.mark.browser
@either_width
def test_a_bug_is_hunted(window, tmp_path, width):
    with window(width=width) as w:
        found = alone(w, tmp_path, example())
        score, told, solved = found.get_by_text("bugs named"), found.locator(".ak-found li:visible"), found.locator(".ak-solved")
        assert says(w, found) == "Run 1. Loss 5.25 at the first step, 0.50 at the end." and told.count() == 0 and not solved.is_visible()
        assert found.locator(".ak-written li").all_inner_texts() == ["a a …", "b b …", "c < d …"]
        press(found, "look")
        assert says(w, found) == "Run 1. look: a <pad>" and told.all_inner_texts() == ["look\n\na <pad>\n\nSound: no <pad>"]
        press(found, "count & compare")
        assert told.count() == 2 and told.nth(1).bounding_box()["y"] < told.nth(0).bounding_box()["y"], "the last check stands last"
        assert score.inner_text() == "0 of 2 bugs named, 2 checks made."

        press(found, "Name it")                                # nothing has been chosen
        assert says(w, found).startswith("Run 1. count & compare") and found.get_by_text("Choose a bug first.").is_visible()
        found.get_by_role("combobox").select_option("a list")
        press(found, "Name it")
        assert says(w, found) == "Run 1: Not that one. Then “count & compare” would say: 10 numbers Here: 19 numbers"
        found.get_by_role("combobox").select_option("no root")
        assert found.get_by_text("Instead of q / root: q").is_visible()
        press(found, "Name it")
        assert says(w, found) == "Run 1: No. None of these runs has it."
        found.get_by_role("combobox").select_option("no mask")
        press(found, "Name it")
        assert says(w, found) == "Run 1: right, no mask." and solved.inner_text().split("\n")[0] == "mask=causal mask=None"
        assert "It reads the answer. What gives it away: look, the curve." in solved.inner_text()
        assert score.inner_text() == "1 of 2 bugs named, 2 checks made." and found.get_by_role("button", name="1 ✓").is_visible()

        press(found, "2")                                      # another run has checks and a name of its own
        assert told.count() == 0 and not solved.is_visible() and found.get_by_role("combobox").input_value() == "choose …"
        assert says(w, found) == "Run 2. Loss 61.00 at the first step, 2.00 at the end."
        found.get_by_role("combobox").select_option("a list")
        press(found, "Name it")
        assert "(the line is missing)" in solved.inner_text()
        press(found, "1 ✓")
        assert told.count() == 2 and solved.is_visible() and found.get_by_role("combobox").input_value() == "no mask"
        press(found, "Reset")
        assert says(w, found).startswith("Run 1. Loss") and told.count() == 0 and score.inner_text() == "0 of 2 bugs named, 0 checks made."
        assert fits(w) and not w.errors


# ---- on the page of the book

# Name one bug after another, until one is right: what is said each time.
NAMED = """(f, names) => { const [said, list] = [[], f.querySelector('select')];
    for (const name of names) {
        list.value = [...list.options].find(one => one.text === name).value;
        list.dispatchEvent(new Event('change', {bubbles: true}));
        [...f.querySelectorAll('button')].find(b => b.textContent === 'Name it').click();
        atOnce();
        said.push(f.querySelector('[role=status]').textContent);
        if (said.at(-1).endsWith(`right, ${name}.`)) break; }
    return said; }"""


@pytest.mark.browser
@on(PAGES, WIDE)
def test_all_bugs_of_the_page_can_be_named(opened):
    """Each of the sixteen runs is named right by the name of its bug, and by no other; a wrong name is answered with what would differ."""
    found, names = figure(opened, "bug_hunt"), [bug.name for bug in BUGS]
    runs, named = found.get_by_role("toolbar", name="run").get_by_role("button"), []
    assert runs.count() == len(BUGS) == 16
    for run in runs.all():
        run.click()
        *wrong, right = found.evaluate(NAMED, names)
        named.append(names[len(wrong)])
        assert right.endswith(f"right, {named[-1]}.")
        for name, said in zip(names, wrong):
            here = said.partition(" would say: ")[2].split(" Here: ")
            assert len(here) == 2 and here[0] != here[1], f"{name} is refused without a difference: {said}"
    assert sorted(named) == sorted(names)
    assert found.get_by_text("16 of 16 bugs named, 0 checks made.").is_visible()
    press(found, "Reset")
