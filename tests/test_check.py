"""`make check`: what a name or a change stands for, and the pages of figures alone."""

import ast
import re

import pytest
from conftest import ROOT

from tools import check
from website import executed, toc


def test_a_name_is_a_page_a_figure_a_module_or_a_function():
    found = {name: check.plan([name]) for name in ("softmax", "alignment", "masks", "attention", "ScoreField")}
    assert found["softmax"]["pages"][:2] == ["chapters/softmax", "further/softmax"] and {
        "tests/test_site.py::test_loads_cleanly", "tests/test_road.py::test_a_page_takes_no_longer_than_its_minutes",
        "tests/test_notebooks.py::test_executed_in_order_without_errors"} <= set(found["softmax"]["rules"])
    assert found["alignment"]["kinds"] == ["alignment"] and "bookkit/figures/alignment.css" in found["alignment"]["style"]
    assert "index" in found["alignment"]["callers"]
    assert found["ScoreField"]["kinds"] == ["score_field"] and not found["ScoreField"]["pages"]
    assert "attnkit/masks.py" in found["masks"]["style"] and "attnkit/masks.py::attnkit.masks.causal_mask" in found["masks"]["tests"]
    attention = found["attention"]
    assert {"tests/test_attention.py::test_against_torch", "attnkit/mechanism.py::attnkit.mechanism.attention"} <= set(attention["tests"])
    assert "chapters/masks" in attention["callers"] and not attention["pages"] and not attention["kinds"]
    assert len(attention["tests"]) < 60 and all((ROOT / test.split("::")[0]).exists() for test in attention["tests"])
    with pytest.raises(SystemExit, match="no page, figure, module or function 'sofmax'; pages are weights, "):
        check.plan(["sofmax"])


TESTS = """
CASES = [kit.far, kit.near]
def helper(): return kit.other()
def test_says(): assert kit.near()
def test_by_a_table(case=CASES): pass
def test_by_a_helper(): helper()
def test_by_a_string(): call("near")
@pytest.mark.parametrize("f", CASES)
def test_by_its_rows(f): pass
def test_of_something_else(): kit.nearly()
"""


@pytest.mark.parametrize("name, wanted", [
    ("near", ["test_says", "test_by_a_table", "test_by_a_string", "test_by_its_rows"]), ("other", ["test_by_a_helper"]), ("nothing", [])])
def test_tests_reach_a_name_by_what_they_use(name, wanted):
    assert check.saying(ast.parse(TESTS), {name}) == wanted


def test_of_a_module_what_has_changed_counts(monkeypatch):
    was = (ROOT / "attnkit/masks.py").read_text()
    body = re.sub(r"(def causal_mask\(.*?\n)(    return)", r"\1    size = 1\n\2", was, count=1, flags=re.S)
    for before, wanted in ((body, {"causal_mask"}), (was, set()), (was + "\nWIDE = 1\n", None), ("", None)):
        monkeypatch.setattr(check, "git", lambda *_, before=before: before)
        assert check.touched("attnkit/masks.py") == wanted


def test_what_git_says_has_changed_is_followed(monkeypatch):
    """Each kind of file leads to what it can break; what no quick look can tell is said."""
    files = {"chapters/softmax.ipynb": ("pages", "chapters/softmax"), "bookkit/figures/alignment.css": ("kinds", "alignment"),
             "bookkit/figures/minilm.js": ("kinds", "head_maps"), "data/claims.yml": ("tests", "tests/test_claims.py"),
             "tests/test_rooms.py": ("tests", "tests/test_rooms.py"), "website/static/book.css": ("left", "website/static/book.css"),
             "bookkit/figures/core.css": ("left", "bookkit/figures/core.css"), "chapters/gone.ipynb": ("left", "chapters/gone.ipynb")}
    for file, (what, wanted) in files.items():
        monkeypatch.setattr(check, "changed", lambda file=file: [file])
        assert wanted in check.plan()[what], file
    monkeypatch.setattr(check, "changed", list)
    assert not any(check.plan().values())


def test_cells_are_executed_only_where_the_code_has_changed(monkeypatch):
    monkeypatch.setattr(executed, "known", lambda names: set(names))
    assert check.plan(["learning"])["cells"] == []
    monkeypatch.setattr(executed, "known", lambda names: set())
    assert check.plan(["learning"])["cells"][0] == "chapters/learning.ipynb"


def test_figures_alone_stand_at_their_addresses(tmp_path):
    pages = check.figures_alone(tmp_path, ["alignment"])
    assert pages and set(pages) <= set(toc.pages())
    for page in pages:
        text = (tmp_path / f"{page}.html").read_text()
        assert 'data-ak-figure="alignment"' in text and "<p>" not in text.split("<h1>")[0]
        for file in re.findall(r'(?:src|href)="([./\w]*_static/[^"]+)"', text):
            assert ((tmp_path / page).parent / file).resolve().exists(), file
