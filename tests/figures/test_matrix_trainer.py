"""The figure that trains a matrix in the page: the same steps as torch's, and words that are true of them."""

import re

import numpy as np
import pytest
import torch
from conftest import node
from hand import CUT, alone, either_width, fits, live, press, says

from bookkit.figures import MatrixTrainer
from bookkit.figures.matrix_trainer import RATES, SPREADS, batch, measure, starting_matrix
from bookkit.lessons.pointing import FEATURES, pointing_sentences, word_vectors
from bookkit.lessons.pointing import WORDS as VOCABULARY
from bookkit.pictures.formats import fixed

TALL = ["hard (up to 30)", "1000", "One step", "One step"]


def trainer(**changed):
    return MatrixTrainer(**({"words": ["see", "that", "girl & co", "run"], "vectors": [[0, 1], [0.1, 0.9], [1, 0], [0.2, 0.8]],
                             "features": ["thing", "a & b"], "sentences": [[0, 1, 2], [0, 1, 3, 2]], "answers": [2, 3], "held_out": [[0, 1, 2, 3]],
                             "held_out_answers": [2]} | changed))


def pointing(**changed):
    """The figure with the data of the chapter on learning: forty sentences to train on, twenty held out."""
    sentences, at = pointing_sentences(60)
    numbers = [[VOCABULARY.index(word) for word in sentence] for sentence in sentences]
    return MatrixTrainer(VOCABULARY, word_vectors(), FEATURES, numbers[:40], at[:40], numbers[40:], at[40:], **changed)


def example():
    return trainer(steps=3, caption="Cap.")


def shown(widget):
    now = widget.trained
    return [*[fixed(v, 3) for v in [*now["losses"], *now["held_out_losses"]]], *[fixed(v) for v in [*now["matrix"].flat, *now["held_out_weights"][0]]]]


BAD = [
    (lambda: trainer(words=["that"]), ValueError, r"vectors must have shape \(1, 2\), got \(4, 2\)"),
    (lambda: trainer(vectors=[[0, 1]] * 3 + [[10, 0]]), ValueError, "vectors must lie between -9 and 9"),
    (lambda: trainer(features=list("abcdefg")), ValueError, "features must be 1 to 6, got 7"),
    (lambda: trainer(sentences=[[0]]), ValueError, "the words of one of sentences must be 2 to 8, got 1"),
    (lambda: trainer(held_out=[[0, 1, 4, 3]]), ValueError, "a word of held_out must be from 0 to 3, the number of one of the words, got 4"),
    (lambda: trainer(held_out=[[0, 2, 1, 3]]), ValueError, "the word that asks, the second, must be the same in every sentence"),
    (lambda: trainer(answers=[2]), ValueError, r"answers must hold one for each of 2 sentences, got \[2\]"),
    (lambda: trainer(answers=[3, 3]), ValueError, "answers must be from 0 to 2, the number of one of the words of its sentence, got 3"),
]

REFUSED = [("seed", True, TypeError), ("spread", 5, ValueError), ("rate", "10", ValueError), ("steps", 301, ValueError)]
CHANGED = ("steps", 0)


# ---- the arithmetic, and Python's side

def lessons_of(rng, d, count, spread=1):
    """Made-up vectors and sentences of different lengths; the first word of all asks, at the second place of each."""
    numbers = [[int(w) for w in rng.integers(0, 12, rng.integers(2, 9))] for _ in range(count)]
    for sentence in numbers:
        sentence[1] = 0
    return {"vectors": (spread * rng.uniform(-2, 2, (12, d))).round(3).tolist(), "sentences": numbers,
            "answers": [int(rng.integers(len(sentence))) for sentence in numbers]}


def test_starting_matrix_is_the_same_in_both_languages():
    """Bit by bit: at step 0, the script's M is that of the chapter."""
    one = {**pointing().state(), "steps": 0, "sentences": [[0, 1]], "answers": [0], "held_out": [[0, 1]], "held_out_answers": [0]}
    cases = [{**one, "seed": 37 * k % 10_000 if k < 190 else 9_800 + k, "spread": SPREADS[k % 2]} for k in range(200)]
    assert cases[-1]["seed"] == 9_999
    for case, got in zip(cases, node("run_figures.js", {"figure": "matrix_trainer", "cases": cases})):
        assert got["matrix"] == starting_matrix(case["seed"], 4, case["spread"]).tolist()


def test_matrix_trainer_arithmetic():
    rng = np.random.default_rng(16)
    cases, widgets = [], []
    for k in range(120):
        d = int(rng.integers(1, 7))
        training, held_out = (lessons_of(rng, d, int(rng.integers(1, 9))) for _ in range(2))
        widgets.append(MatrixTrainer([f"w{i}" for i in range(12)], training["vectors"], [f"f{i}" for i in range(d)], training["sentences"],
                                     training["answers"], held_out["sentences"], held_out["answers"], seed=int(rng.integers(10_000)),
                                     spread=SPREADS[k % 2], rate=float(rng.choice([0.1, 1])), steps=int(rng.integers(13))))
        cases.append(widgets[-1].state())
    for ours, got in zip(widgets, node("run_figures.js", {"figure": "matrix_trainer", "cases": cases})):
        now = ours.trained
        for name in ("losses", "held_out_losses", "matrix", "slopes"):
            assert np.allclose(got[name], now[name], rtol=1e-9, atol=1e-11), name
        for name in ("weights", "held_out_weights"):
            assert [len(row) for row in got[name]] == [len(row) for row in now[name]]
            assert all(np.allclose(a, b, rtol=0, atol=1e-9) and np.isclose(sum(a), 1) for a, b in zip(got[name], now[name]))


def pulled(matrix, vectors, sentences, answers, asks=1):
    """The loss of a matrix as one writes it in torch, sentence by sentence."""
    losses = []
    for sentence, at in zip(sentences, answers):
        x = vectors[sentence]
        losses.append((((x[asks] @ matrix @ x.T).softmax(0) @ x - x[at]) ** 2).sum())
    return torch.stack(losses).mean()


def test_matrix_trainer_slopes_are_those_of_torch():
    """At matrices of small and of large numbers; a word of any vector may ask."""
    rng = np.random.default_rng(17)
    cases = []
    for _ in range(300):
        case = lessons_of(rng, int(rng.integers(2, 7)), int(rng.integers(3, 13)), spread=rng.choice([0.3, 1]))
        cases.append({**case, "words": [str(i) for i in range(12)], "seed": int(rng.integers(10_000)), "steps": 0, "rate": 1,
                      "spread": float(rng.choice([0.5, 3, 30])), "held_out": case["sentences"], "held_out_answers": case["answers"]})
    for case, got in zip(cases, node("run_figures.js", {"figure": "matrix_trainer", "cases": cases})):
        vectors = torch.tensor(case["vectors"], dtype=torch.double)
        start = starting_matrix(case["seed"], vectors.shape[1], case["spread"])
        matrix = torch.tensor(start, requires_grad=True)
        loss = pulled(matrix, vectors, case["sentences"], case["answers"])
        loss.backward()
        own = measure(start, *batch(vectors.numpy(), case["sentences"], case["answers"]))
        largest = matrix.grad.abs().max().item()
        for whole, slopes in ((got["losses"][0], got["slopes"]), own[:2]):
            assert np.isclose(whole, loss.item(), rtol=1e-12, atol=1e-12)
            assert np.allclose(slopes, matrix.grad, rtol=0, atol=1e-9 * largest + 1e-14)


def claims(said):
    """The numbers of a status line of the trainer, by what they are."""
    patterns = {"steps": r"After (\d+) steps? ", "loss": r"the loss is ((?:below )?[\d.]+\d)", "right": r"right word ([\d.]+) of its weight on average",
                "average": r"largest weight, ([\d.]+) on average", "hard": r"In (\d+) of 40 training sentences a wrong word has more than 0.99",
                "slope": r"[Tt]he largest slope is (?:only )?((?:below )?[\d.]+\d)"}
    return {name: found[1] for name, pattern in patterns.items() if (found := re.search(pattern, said))}


def near(text, value):
    """Whether a written number is that number, rounded where it was written."""
    if text.startswith("below "):
        return value < float(text.removeprefix("below "))
    return abs(float(text) - value) <= 0.5 * 10 ** -len(text.split(".")[1]) * (1 + 1e-6)


def test_matrix_trainer_says_what_is_true():
    """Each sentence of the status line, for every seed to 30, start and rate, against numbers made here."""
    ours = pointing()
    cases = [{**ours.state(), "seed": seed, "spread": spread, "rate": rate, "steps": steps}
             for seed in range(31) for spread in SPREADS for rate in RATES for steps in (0, 1, 3, 25)]
    training, held_out = (batch(np.array(ours.vectors), *data) for data in ((ours.sentences, ours.answers), (ours.held_out, ours.held_out_answers)))
    at = {40: (np.arange(40), ours.answers), 20: (np.arange(20), ours.held_out_answers)}
    kinds = {}
    for case, got in zip(cases, node("run_figures.js", {"figure": "matrix_trainer", "cases": cases})):
        matrix, kind, said = np.array(got["matrix"]), got["kind"], claims(got["said"])
        loss, slopes, weights = measure(matrix, *training)
        held_out_loss, _, held_out_weights = measure(matrix, *held_out)
        wrong = weights.copy()
        wrong[at[40]] = 0
        right = held_out_weights[at[20]]
        assert near(said["loss"], loss), (case["seed"], got["said"])
        assert ("steps" in said) == (kind != "guess") and int(said.get("steps", 0)) == len(got["losses"]) - 1
        assert all(near(said[name], right.mean()) for name in ("right", "average") if name in said)
        assert "slope" not in said or near(said["slope"], np.abs(slopes).max())
        assert int(said.get("hard", 0)) in (0, (wrong > 0.99).sum()) and ("hard" in said or kind == "learned" or not (wrong > 0.99).any())
        assert ("went up" in got["said"]) == (kind == "learning" and got["losses"][-1] > got["losses"][-2])
        if kind == "learned":
            first = np.sort(held_out_weights, axis=1)
            assert (right == first[:, -1]).all() and (first[:, -1] > first[:, -2]).all() and loss < 0.02 and held_out_loss < 0.02
            assert "all 20 held-out" in got["said"] and right.mean() > 0.7
        if kind == "frozen":
            hard = weights[(wrong > 0.99).any(axis=1)]
            assert loss > 0.1 and abs(measure(matrix - case["rate"] * slopes, *training)[0] - loss) < 0.001
            assert len(hard) and np.abs(np.eye(5) * hard[:, None] - hard[:, :, None] * hard[:, None]).max() < 0.01      # the softmax's slopes
            assert np.abs(slopes).max() < 0.03
        kinds.setdefault(kind, set()).add((case["spread"], case["rate"]))
    assert set(kinds) == {"guess", "learning", "learned", "frozen"}
    assert {spread for spread, _ in kinds["frozen"]} == set(SPREADS) and (0.5, 1.0) in kinds["learned"] | kinds["learning"]
    assert not {(0.5, 0.1), (0.5, 1.0)} & kinds["frozen"]


def test_the_still_picture_draws_four_sentences_from_where_it_is_told():
    assert pointing(shown=18).still().count("see ") == 2 and pointing(shown=14).still().count("see ") == 4


# ---- alone on a page

# Two frames from now, and the step that the figure shows then.
AT = "Number(f.querySelector('.ak-now').textContent.match(/step (\\d+)/)[1])"

STEP = f"f => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done({AT}))))"

# Press Start and, some steps later, another button, in the page itself: no training ends while the test waits. All buttons before that.
RUN = f"""(f, [steps, name]) => new Promise(done => {{ const first = {AT}, press = words => [...f.querySelectorAll('button')].find(b => b.textContent === words).click();
    press('Start');
    requestAnimationFrame(function look() {{ if ({AT} < first + steps) return requestAnimationFrame(look);
        const words = [...f.querySelectorAll('button')].map(b => b.textContent); press(name); done(words.join()); }}) }})"""

SAID = """f => { window.said = 0; new MutationObserver(() => window.said++).observe(f.querySelector('[role=status]'),
    {childList: true, characterData: true, subtree: true}); }"""


@pytest.mark.browser
@either_width
def test_a_matrix_trains_in_the_page(window, tmp_path, width):
    with window(width=width) as w:
        widget = pointing(steps=3, shown=14)
        found = alone(w, tmp_path, widget)
        assert says(w, found) == "After 3 steps the loss is 0.163. In the held-out sentences “that” gives the right word 0.66 of its weight on average. The largest slope is 0.18."
        assert found.locator(".ak-now").inner_text() == "step 3, loss 0.163, held out 0.157"
        assert found.locator(".ak-line").first.text_content() == "see {} that {} woman {} (meant) sing {} there {} ".format(*map(fixed, widget.trained["held_out_weights"][14]))
        assert fits(w) and found.evaluate(CUT) == []
        found.evaluate(SAID)
        assert found.evaluate(RUN, [30, "Pause"]).startswith("Pause,One step,")
        step = found.evaluate(STEP)
        assert says(w, found).startswith(f"Learned. After {step} steps the loss is 0.0") and found.evaluate(STEP) == step >= 33
        assert w.page.evaluate("said") <= 3, "single steps are said"
        press(found, "One step")
        assert found.evaluate(STEP) == step + 1 and f" After {step + 1} steps " in says(w, found)
        for name, back in (("0.1", 0), ("Reset", 3), ("New seed", 0), ("small (up to 0.5)", 0), ("Step 0", 0)):
            assert found.evaluate(RUN, [2, name]).startswith("Pause,")
            assert found.evaluate(STEP) == back == found.evaluate(STEP) and found.locator("button").first.inner_text() == "Start", name
        press(found, "hard (up to 30)")
        assert "seed 1" in found.inner_text() and "In 1 of 40 training sentences" in says(w, found) and found.evaluate(CUT) == []
        press(found, "Reset")
        assert found.locator(".ak-now").inner_text() == "step 3, loss 0.163, held out 0.157" and not w.errors


@pytest.mark.browser
def test_a_training_ends_after_three_hundred_steps(window, tmp_path):
    with window() as w:
        found = alone(w, tmp_path, pointing(steps=290))
        press(found, "Start")
        w.page.wait_for_function(f"f => ({AT}) === 300 && f.querySelector('button').textContent === 'Start'", arg=found.element_handle())
        assert "After 300 steps" in says(w, found) and "300 steps are the end." in says(w, found)
        assert found.locator("button[aria-disabled=true]").all_inner_texts() == ["Start", "One step"]
        for name in ("Start", "One step"):
            press(found, name)
            assert found.evaluate(STEP) == 300
        press(found, "Step 0")
        assert found.evaluate(STEP) == 0 and found.locator("button[aria-disabled=true]").count() == 0 and not w.errors


@pytest.mark.browser
def test_twenty_steps_at_once_for_less_motion(window, tmp_path):
    with window(reduced_motion="reduce") as w:
        found = alone(w, tmp_path, pointing())
        press(found, "Start")
        assert found.locator(".ak-now").inner_text().startswith("step 20, ") and found.get_by_role("button", name="Start").count() == 1
        assert says(w, found).startswith("20 steps at once, because your device asks for less motion. After 20 steps the loss is ")
        press(found, "One step")
        assert says(w, found).startswith("Learned. After 21 steps the loss is ") and found.evaluate(STEP) == 21


@pytest.mark.browser
def test_the_kernel_hears_of_a_training_when_it_rests(window, tmp_path):
    """Live: it is told of each rest, of no step; what comes from Python ends the training, and so does leaving."""
    with window() as w:
        found = live(w, tmp_path, pointing(), "steps")
        found.evaluate(RUN, [8, "Pause"])
        step = found.evaluate(STEP)
        assert step >= 8 and w.page.evaluate("sent") == [[step]]
        found.evaluate("""f => { f.querySelector('button').click(); model.set('steps', 5); }""")
        assert found.evaluate(STEP) == 5 == found.evaluate(STEP) and "After 5 steps" in says(w, found)
        assert len(w.page.evaluate("sent")) == 1
        found.evaluate("f => { f.querySelector('button').click(); leave(); }")
        step = found.evaluate(STEP)
        assert found.evaluate(STEP) == step
