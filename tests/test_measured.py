"""What was measured once: where it is looked for, and the studies that write it down."""

import json
from types import ModuleType

import pytest
from conftest import ROOT

from attnkit.lessons.measured import results
from attnkit.lessons.studies import STUDIES, runs
from tools import study


def test_results_are_found_from_a_folder_or_one_inside(tmp_path, monkeypatch):
    """The nearest folder measured/ that has the file, wherever the package is installed."""
    inner = tmp_path / "book" / "chapters"
    (tmp_path / "measured").mkdir()
    (tmp_path / "book" / "measured").mkdir(parents=True)
    inner.mkdir()
    (tmp_path / "measured" / "stories.json").write_text('{"runs": [1]}')
    (tmp_path / "measured" / "far.json").write_text('{"runs": ["é"]}', encoding="utf-8")
    (tmp_path / "book" / "measured" / "stories.json").write_text('{"runs": [2]}')
    monkeypatch.chdir(inner)
    assert results("stories") == results("stories", folder=inner.parent) == results("stories", folder="..") == {"runs": [2]}
    assert results("stories", folder=tmp_path) == {"runs": [1]} and results("far") == {"runs": ["é"]}
    monkeypatch.chdir(ROOT / "chapters")
    assert results("stories") == json.loads((ROOT / "measured/stories.json").read_text(encoding="utf-8"))


def test_what_was_not_measured_is_said_in_the_words_of_who_asks(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT / "further")
    for name in ("story", "stories.json", "../measured/stories", "", 3):
        with pytest.raises(ValueError, match=f"no results are called {name!r}; there are bench, copying, .*translation"):
            results(name)
    with pytest.raises(FileNotFoundError, match=f"no folder measured/ with results in {tmp_path} or above it: .* a copy of the book"):
        results("stories", folder=tmp_path)


# ---- studies

@pytest.mark.parametrize("name", STUDIES)
def test_a_study_would_run_what_was_written_down(name):
    """Job by job, from the trials that were written down: the same models, settings and seeds, none more and none less."""
    written, jobs = results(name, folder=ROOT)["runs"], []
    for stage in STUDIES[name].STAGES:
        jobs += stage(written[:len(jobs)])
    assert len(jobs) == len(written)
    for (job, *arguments), run in zip(jobs, written):
        for argument in arguments:
            assert argument.items() <= run.items() if isinstance(argument, dict) else argument in run.values(), (job, arguments, run)


def test_the_best_of_what_was_tried():
    """The most accurate trial, or setting in the mean of its trials; of equals the one with the smaller loss."""
    tried = [{"lr": lr, "width": width, "validation": right, "validation loss": loss}
             for lr, width, right, loss in [(1, 8, 0.5, 0.1), (1, 8, 0.9, 0.3), (2, 8, 0.75, 0.2), (2, 8, 0.75, 0.3), (1, 16, 0.9, 0.25)]]
    assert runs.best_trial(tried) == tried[-1] and runs.best_trial(tried[:-1]) == tried[1]
    assert runs.best_setting(tried, "lr", "width") == (1, 16) and runs.best_setting(tried, "width") == (16,)
    assert runs.best_setting(tried[:4], "lr") == (2,)
    loose = [run | {"loss": -run["validation loss"], "right": 1} for run in tried]
    assert runs.best_setting(loose, "lr", accuracy="right", loss="loss") == (2,)


def test_a_study_is_written_with_its_command_and_machine(tmp_path, monkeypatch, capsys):
    """Each stage gets the runs of those before; a file is one line for each run."""
    one = ModuleType("one", "One of two.\n\nThe rest.")
    one.STAGES = [lambda before: [(dict, [("seed", seed), ("word", "é")]) for seed in (3, 4)], lambda before: [(dict, [("before", before)])]]
    monkeypatch.setattr(study, "STUDIES", {"one": one, "other": None})
    monkeypatch.setattr(study, "ROOT", tmp_path)
    monkeypatch.setattr("sys.argv", ["study", "one"])
    (tmp_path / "measured").mkdir()
    study.main()
    held, pair = results("one", folder=tmp_path), [{"seed": 3, "word": "é"}, {"seed": 4, "word": "é"}]
    assert held["runs"] == [*pair, {"before": pair}] and held["command"] == "make study" and held["about"] == "One of two." and held["machine"]["torch threads"] == 1
    assert (tmp_path / "measured" / "one.json").read_text(encoding="utf-8").count("\n") == 6
    assert "[2 of 2] {'seed': 4, 'word': 'é'}" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["study", "one", "third"])
    with pytest.raises(SystemExit, match="there is no study third; there are one, other"):
        study.main()
