"""Studies: what was written down is what they would run."""


import numpy as np
import pytest
from conftest import ROOT

from bookkit.lessons.measured import results
from bookkit.studies import STUDIES, chat_model, own_text, runs, tuned_kinds


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


def test_heads_of_another_sentence_are_put_in():
    """All groups at once come to what each comes to alone; what a sentence's own heads say changes nothing."""
    model, _ = chat_model.known()
    [(text, other, *_), *_] = chat_model.givings()
    numbers, group = model.numbers(text), [(23, 3), (20, 0)]
    here, there = model.trace(numbers), model.trace(model.numbers(other))

    def change(name, result):
        result = result.copy()
        for layer, head in group:
            if name == f"layers.{layer}.heads":
                result[head, -1] = there[name][head, -1]
        return result

    alone = model.trace(numbers, layers=[], change=change)["scores"][-1]
    own, put = chat_model.put_in(model, numbers, here, here, [group])[0], chat_model.put_in(model, numbers, here, there, [[(5, 5)], group])[1]
    assert np.abs(own - here["scores"][-1]).max() < 1e-3 and np.abs(put - alone).max() < 1e-3 and np.abs(alone - own).max() > 1


def test_of_a_silent_first_piece_no_value_arrives():
    """The same in another way: all find zeros for its values, and what it adds to its own stream is put back."""
    model, _ = chat_model.known()
    numbers = chat_model.prose(model)[:1]
    losses, shares = chat_model.for_others(model, numbers)
    first = model.trace(numbers[:, :1])

    def change(name, result):
        if name.endswith(".value"):
            return np.concatenate([0 * result[:, :, :1], result[:, :, 1:]], axis=2)
        if name.endswith((".attention", ".mlp")):
            return np.concatenate([first[name], result[:, 1:]], axis=1)
        return result

    wanted, early = chat_model.read(model, numbers, change=change)
    assert np.abs(losses[:, 1:] - wanted[:, 2:]).max() < 1e-3 and np.abs(shares - early).max() < 1e-4


def test_counting_well_shares_out_one():
    """After a past that was seen often, once or never; and what it finds in a tenth of the book is what was written down."""
    rng = np.random.default_rng(0)
    seen = (rng.zipf(1.4, 4000) % 400).tolist()
    for longest in (1, 2, 4):
        chance = own_text.counting_well(seen, 400, longest)
        for past in ((), tuple(seen[7:8]), tuple(seen[7:10]), (399, 398, 397), (0, 0)):
            chances = [chance(past, piece) for piece in range(400)]
            assert min(chances) > 0 and sum(chances) == pytest.approx(1)
    [written] = [run for run in results("own_text", folder=ROOT)["runs"] if run["kind"] == "counted" and run["part"] == 0.1]
    assert own_text.counted(0.1) == written


def test_a_draw_of_kinds_asks_all_others():
    (texts, _), (others, answers) = tuned_kinds.given("kinds", 9500)
    assert len(texts) == 12 and len(others) == len(answers) == 228 and not set(texts) & set(others)
    assert not set(tuned_kinds.given("moods", 9500)[0][0]) & set(tuned_kinds.given("moods", 9500)[1][0])
