"""What was measured once: where it is looked for."""

import json

import pytest
from conftest import ROOT

from bookkit.lessons.measured import results


def test_results_are_found_from_a_folder_or_one_inside(tmp_path, monkeypatch):
    """The nearest folder data/measured/ that has the file, wherever the package is installed."""
    inner = tmp_path / "book" / "chapters"
    (tmp_path / "data" / "measured").mkdir(parents=True)
    (tmp_path / "book" / "data" / "measured").mkdir(parents=True)
    inner.mkdir()
    (tmp_path / "data" / "measured" / "stories.json").write_text('{"runs": [1]}')
    (tmp_path / "data" / "measured" / "far.json").write_text('{"runs": ["é"]}', encoding="utf-8")
    (tmp_path / "book" / "data" / "measured" / "stories.json").write_text('{"runs": [2]}')
    monkeypatch.chdir(inner)
    assert results("stories") == results("stories", folder=inner.parent) == results("stories", folder="..") == {"runs": [2]}
    assert results("stories", folder=tmp_path) == {"runs": [1]} and results("far") == {"runs": ["é"]}
    monkeypatch.chdir(ROOT / "chapters")
    assert results("stories") == json.loads((ROOT / "data/measured/stories.json").read_text(encoding="utf-8"))


def test_what_was_not_measured_is_said_in_the_words_of_who_asks(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT / "further")
    for name in ("story", "stories.json", "../measured/stories", "", 3):
        with pytest.raises(ValueError, match=f"no results are called {name!r}; there are answering, ask_the_book, bench, both_sides, .*translation"):
            results(name)
    with pytest.raises(FileNotFoundError, match=f"no folder data/measured/ with results in {tmp_path} or above it: .* a copy of the book"):
        results("stories", folder=tmp_path)
