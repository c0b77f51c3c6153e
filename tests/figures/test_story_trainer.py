"""The figure in which the story model learns: training in the page beside training in Python, and what is made of it."""

import json
import random

import numpy as np
import pytest
import torch
from conftest import EVERY_LOOK, node
from hand import CUT, alone, either_width, fits, press, says

from bookkit.figures import StoryTrainer, StoryWriter
from bookkit.lessons import stories, story_training, storyteller
from bookkit.pictures.formats import fixed

STEPS = 26      # one more than the first mark of the recording


def training(**changed):
    return StoryTrainer(**({"recording": story_training.recording(), "mark": 5} | changed))


def example():
    return training(caption="Cap.")


def shown(widget):
    return [text for mark in widget.marks for text in (f"{mark['step']:,}", fixed(mark["loss"]), *(fixed(row[0]) for row in mark["chances"]))]


def given(widget):
    return {"task": widget.task, "seed": 1, "until": 2}


def without(name):
    return {key: value for key, value in story_training.recording().items() if key != name}


BAD = [
    (lambda: training(recording=without("lowest")), ValueError, "recording lacks lowest"),
    (lambda: training(recording=story_training.recording() | {"marks": []}), ValueError, "marks of recording must be 2 to 20, got 0"),
    (lambda: training(mark=10), ValueError, "mark must be from 0 to 9, the number of one of the marks"),
    (lambda: training(steps=5), ValueError, "steps must be at least 20, got 5"),
]
REFUSED = [("seed", 10_000, ValueError), ("mark", -1, ValueError)]
CHANGED = "mark", 2


# ---- the same in both languages

def as_script(**asked):
    [found] = node("run_figures.js", {"figure": "story_trainer", "cases": [asked]}, patience=3600)
    return found


# The whole of it takes minutes, and nothing that is right after these is likely to be wrong later: once a week.
@pytest.mark.parametrize("steps", [STEPS, story_training.STEPS] if EVERY_LOOK else [STEPS])
def test_a_training_in_the_page_is_that_of_python(steps):
    """All weights of the chapter's own training are the same to the last bit, and so is what is seen of the model, and what travels."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    model, marks, losses = story_training.train(steps)
    torch.set_num_threads(threads)
    found = as_script(task=training().task, book=True, until=steps)
    for name, tensor in model._tensors():
        assert np.array_equal(found["weights"][name], tensor.detach().numpy().ravel()), name
    assert sum(len(values) for values in found["weights"].values()) == 19_432
    assert np.allclose(found["losses"], losses, rtol=0, atol=1e-12)
    assert np.allclose(found["curve"], story_training.curve(losses), rtol=0, atol=1e-12)
    assert story_training.rounded(found["mark"]) == story_training.rounded(marks[-1])
    recorded = story_training.recording()["marks"][:len(marks) - (steps == STEPS)]
    assert story_training.rounded(marks)[:len(recorded)] == recorded, "the recording is not of this training"
    assert found["packed"] == {name: value for name, value in model.packed().items() if name not in ("model", "words")}
    if steps == story_training.STEPS:
        assert model.packed() == json.loads(storyteller.TRAINED.read_text()), "the model that travels is not of this training"


def test_a_training_with_another_seed_is_another_one():
    one, other = (as_script(task=training().task, seed=seed, steps=20, until=20) for seed in (1, 2))
    assert one["losses"] != other["losses"] and one["losses"][0] > 4 > one["losses"][-1] > 0
    assert one["mark"]["step"] == 20 and one["mark"]["story"][:9] == story_training.BEGINNING.split()


def test_the_page_writes_the_stories_of_python():
    """300 stories from the same random numbers, and as many of the held-out ones, whose seed is a list."""
    for seed in ([0], [0, 1], [7]):
        found = node("run_figures.js", {"stories": 300, "seed": seed})
        assert list(map(tuple, found)) == stories.stories(300, seed=seed)


def test_the_page_finds_the_mistakes_of_python():
    """In stories with wrong words, with sentences of others, broken off, and in words that are no story."""
    rng, texts = random.Random(3), []
    right = [list(words) for words in stories.stories(200)]
    sentences = [sentence.split() + ["."] for words in right for sentence in " ".join(words[:-1]).split(" . ")]
    for words in right:
        wrong = [rng.choice(stories.WORDS) if rng.random() < 0.05 else word for word in words]
        texts += [words, wrong, wrong[:rng.randrange(len(wrong))], sum(rng.choices(sentences, k=6), [])]
        texts.append(rng.choices(stories.WORDS, k=12))
    found = node("run_figures.js", {"errors": texts})
    assert found == [[list(mistake) for mistake in stories.errors(words)] for words in texts]
    assert 200 <= sum(not one for one in found) < 300


def test_the_recording_ends_with_the_model_that_travels():
    recording = story_training.recording()
    assert [mark["step"] for mark in recording["marks"]] == list(story_training.MARKS)
    last = story_training.look(storyteller.trained(), story_training.STEPS, [0.0])       # rounded to eight bits
    assert np.allclose(np.array(last["chances"][0]), recording["marks"][-1]["chances"][0], atol=0.02)
    assert recording["lowest"] == pytest.approx(recording["losses"][-1][1], abs=0.02)


# ---- a file

def test_a_file_of_the_page_is_read(tmp_path):
    file, model = tmp_path / "storyteller.json", storyteller.trained()
    file.write_text(json.dumps(model.packed() | {"seed": 3, "steps": 1600, "loss": 0.62}))
    assert storyteller.loaded(file).packed() == model.packed()
    for text, words in (("so", "is no model: it holds no JSON"), ("[]", "holds no storyteller"), ('{"model": "translator"}', "holds no storyteller"),
                        (json.dumps(model.packed() | {"version": 3}), "must have version 2, got 3")):
        file.write_text(text)
        with pytest.raises(ValueError, match=words):
            storyteller.loaded(file)


# ---- alone on a page

def line(found):
    return found.locator(".ak-line").inner_text()


def waits(found, words, kind="line"):
    found.locator(f".ak-{kind}", has_text=words).wait_for()


def mine(w):
    return w.page.evaluate("attnkit.mine()")


@pytest.mark.browser
@either_width
def test_the_recording_is_dragged_through(window, tmp_path, width):
    """Each mark is shown and said; whatever is pressed, the figure keeps its height."""
    with window(width=width) as w:
        widget = training()
        found = alone(w, tmp_path, widget)
        slider, high = found.get_by_role("slider", name="look at step"), found.bounding_box()["height"]
        slider.press("Home")
        for k, mark in enumerate(widget.marks):
            assert says(w, found).startswith(f"Step {mark['step']:,}: loss {fixed(mark['loss'])}. The story has ")
            assert found.locator(".ak-now .ak-token:not(:empty)").all_inner_texts() == mark["story"]
            wrong = found.locator(".ak-now [data-wrong=true]").all_inner_texts()
            assert wrong == [mark["story"][place] for _, place in mark["errors"] if place < len(mark["story"])]
            before = widget.marks[k - 1]["story"] if k else []
            assert found.locator(".ak-before .ak-token:not(:empty)").all_inner_texts() == before
            numbers = found.locator(".ak-bars > :not([hidden]) .ak-num").all_inner_texts()
            assert numbers[:3] == [fixed(chance) for chance in mark["chances"][0]]
            assert found.bounding_box()["height"] == high and fits(w) and not found.evaluate(CUT), mark["step"]
            slider.press("ArrowRight")
        press(found, "Reset")
        assert says(w, found).startswith("Step 400") and "Recorded" in line(found) and not w.errors


@pytest.mark.browser
@either_width
def test_a_model_is_trained_in_the_page(watched, tmp_path, width):
    """Train, Pause, Go on, to the end, Begin again; what was trained is kept, and asked on a page with a writer."""
    with watched(width=width) as w:
        found = alone(w, tmp_path, training(steps=20, mark=1))
        assert mine(w) is None and found.get_by_role("button", name="Save it to a file").is_hidden()
        press(found, "Train")
        press(found, "Pause")
        waits(found, "Paused at step")
        press(found, "Go on")
        waits(found, "Trained: 20 steps")
        kept = mine(w)
        assert (kept["seed"], kept["steps"]) == (1, 20) and kept["loss"] > 1
        assert kept["tensors"] == as_script(task=training().task, seed=1, steps=20, until=20)["packed"]["tensors"]
        assert "Step 20: loss" in says(w, found) and found.get_by_role("slider", name="look at step").get_attribute("max") == "1"
        found.get_by_role("textbox").or_(found.get_by_role("spinbutton")).fill("2")
        found.get_by_role("spinbutton").press("Enter")
        assert "What you chose holds from Begin again on." in line(found)
        press(found, "Begin again")
        waits(found, "Trained: 20 steps")
        assert mine(w)["seed"] == 2 and fits(w)
        w.page.reload()
        waits(found, "Your model: seed 2, 20 steps, loss", "mine")
        w.page.evaluate("void (Storage.prototype.setItem = () => { throw new Error('full'); })")
        press(found, "Train")
        waits(found, "But this browser keeps nothing: it is gone when you leave this page, unless you save it to a file.", "mine")
        assert mine(w)["seed"] == 1
        press(found, "Forget it")
        assert mine(w) is None and not w.errors


@pytest.mark.browser
def test_a_model_is_saved_and_loaded(watched, tmp_path):
    """What the page saves Python reads, and what Python saves the page; what is no model is refused in a sentence."""
    with watched(accept_downloads=True) as w:
        found, model = alone(w, tmp_path, training(steps=20)), storyteller.trained()
        field, file = found.locator("input[type=file]"), tmp_path / "of_python.json"
        wrong = [("so", "This file holds no story model."), ('{"model": "x"}', "This file holds no story model."),
                 (json.dumps(model.packed() | {"version": 3}), "This model was saved by a newer edition of this book."),
                 (json.dumps(model.packed() | {"words": ["a"]}), "The model in this file has other words than this page's."),
                 (json.dumps(model.packed() | {"tensors": {}}), "The model in this file is broken: the packed model lacks the tensor embedding.")]
        for text, words in wrong:
            file.write_text(text)
            field.set_input_files(file)
            waits(found, words, "live")
            assert mine(w) is None
        file.write_text(json.dumps(model.packed()))
        field.set_input_files(file)
        waits(found, "Your model: from a file", "mine")
        with w.page.expect_download() as saved:
            press(found, "Save it to a file")
        saved.value.save_as(tmp_path / "of_the_page.json")
        assert storyteller.loaded(tmp_path / "of_the_page.json").packed() == model.packed() and not w.errors


@pytest.mark.browser
def test_training_rests_while_the_tab_is_hidden(watched, tmp_path):
    with watched() as w:
        found = alone(w, tmp_path, training(steps=4000))
        press(found, "Train")
        waits(found, "Training: step")
        for hidden, words in ((True, "while this tab is hidden"), (False, "Training: step")):
            w.page.evaluate("hidden => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});"
                            "document.dispatchEvent(new Event('visibilitychange')); }", hidden)
            waits(found, words)
        press(found, "Reset")
        assert "Recorded" in line(found)


@pytest.mark.browser
def test_a_writer_takes_the_model_of_the_reader(watched, tmp_path):
    """Where there is one of its sizes; the book's is there again when it is forgotten."""
    with watched() as w:
        found = alone(w, tmp_path, StoryWriter(storyteller.trained(), prompt="Zoe and Max met"))
        choice, before = found.get_by_role("toolbar", name="model"), found.locator(".ak-bars").inner_text()
        assert choice.is_hidden()
        other = storyteller.Storyteller(storyteller.trained().words).double().packed()
        w.page.evaluate("other => attnkit.keep(other)", other)
        press(found, "mine")
        assert "Your model writes." in says(w, found) and found.locator(".ak-bars").inner_text() != before
        w.page.evaluate("attnkit.keep(null)")
        assert choice.is_hidden() and found.locator(".ak-bars").inner_text() == before and not w.errors
