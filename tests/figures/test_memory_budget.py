"""The figure of three memories with one budget of bytes."""


import numpy as np
import pytest
from conftest import node
from hand import CASES, CUT, alone, either_width, fits, press, says

from attnkit import attention, fast_weight_attention, window_attention
from bookkit.figures import MemoryBudget
from bookkit.lessons import memory_capacity
from bookkit.pictures.formats import fixed

TALL = ["256", "512", "1,024"]
CHANGED = ("length", 3)


def telling(**changed):
    """The text of the page."""
    return MemoryBudget(**(memory_capacity.told_text() | {"budgets": [256, 512, 1024], "length": 12} | changed))


def example():
    return telling(caption="Cap.")


def shown(widget):
    return [text for name, (bytes_, answer) in widget.told.items() for text in
            (f"{bytes_:,}", widget.names[answer], fixed(widget.scores[name][widget.place, answer]), f"<td>{widget.right[name].sum()}</td>", f"right, of {widget.length}")]


BAD = [
    (lambda: telling(things=["ball"]), ValueError, "things must be 2 to 16, got 1"),
    (lambda: telling(things=["ball"] * 16), ValueError, "things must be all different"),
    (lambda: telling(names=["Ada", "Amy"]), ValueError, r"names must begin with different letters, got \['Ada', 'Amy'\]"),
    (lambda: telling(holders=[8] * 16), ValueError, "a holder must be from 0 to 7, the number of one of the names, got 8"),
    (lambda: telling(holders=[0]), ValueError, "holders must hold one for each of 16 things"),
    (lambda: telling(thing_vectors=np.zeros((15, 8))), ValueError, r"thing_vectors must have shape \(16, any\), got \(15, 8\)"),
    (lambda: telling(name_vectors=np.full((8, 8), 2)), ValueError, "name_vectors must lie between -1 and 1"),
    (lambda: telling(budgets=[63]), ValueError, "a budget must be at least 64, got 63"),
    (lambda: telling(budgets=[]), ValueError, "budgets must be 1 to 4, got 0"),
    (lambda: telling(length=17), ValueError, "length must be at most 16, got 17"),
]

REFUSED = [("length", 0, ValueError), ("length", 2.0, TypeError), ("asked", 16, ValueError), ("budget", 3, ValueError)]


# ---- the arithmetic, and Python's side

def random_figure(rng):
    """Things and names with vectors at random, of any widths, with budgets from one pair to more than all."""
    m, n, width, out = (int(rng.integers(low, high)) for low, high in ((2, 17), (2, 9), (1, 9), (1, 9)))
    pair = 4 * (width + out)
    return MemoryBudget([f"t{j}" for j in range(m)], list("ABCDEFGH"[:n]), rng.integers(n, size=m).tolist(), rng.uniform(-1, 1, (m, width)).round(3),
                        rng.uniform(-1, 1, (n, out)).round(3), [pair * int(rng.integers(1, m + 2)) + int(rng.integers(pair)) for _ in range(3)],
                        length=int(rng.integers(1, m + 1)), asked=int(rng.integers(m)), budget=int(rng.integers(3)), scale=float(rng.uniform(1, 40)))


def test_memory_budget_arithmetic():
    """Both languages, and attnkit's own functions, for each memory."""
    rng = np.random.default_rng(91)
    drawn = [random_figure(rng) for _ in range(CASES)]
    for ours, got in zip(drawn, node("run_figures.js", {"figure": "memory_budget", "cases": [widget.state() for widget in drawn]})):
        n, k, size = ours.length, ours.place, 4 * (np.shape(ours.thing_vectors)[1] + np.shape(ours.name_vectors)[1])
        keys, values, names = np.array(ours.thing_vectors)[:n], np.array(ours.name_vectors)[ours.holders[:n]], np.array(ours.name_vectors)
        asks = np.vstack([np.zeros_like(keys[1:]), keys[k:k + 1]])          # at the end of the text
        read = {"cache": attention(keys[k:k + 1], keys, values, scale=ours.scale)[0][0],
                "window": window_attention(asks, keys, values, window=ours.kept - 1, causal=True, scale=ours.scale)[-1],
                "matrix": keys[k] @ fast_weight_attention(keys, keys, values, feature_map=lambda x: x)[1]}
        assert (got["place"], got["kept"]) == (k, ours.kept) and np.allclose(got["matrix"], keys.T @ values, atol=1e-9)
        assert np.allclose(ours.memory, keys.T @ values, atol=1e-9)
        for weights, name in zip(got["weights"], ("cache", "window")):
            assert np.allclose(weights, ours.weights[name], rtol=0, atol=1e-9) and len(weights) == n
        for told, (name, (bytes_, answer)) in zip(got["told"], ours.told.items()):
            assert np.allclose(told["scores"], names @ read[name], rtol=0, atol=1e-8)
            assert np.allclose(ours.scores[name][k], names @ read[name], rtol=0, atol=1e-8)
            assert told["bytes"] == bytes_ == {"cache": n * size, "window": ours.kept * size, "matrix": 4 * np.size(ours.memory)}[name]
            best = np.sort(ours.scores[name], axis=1)
            clear = best[:, -1] - best[:, -2] > 1e-7        # or two names fit equally well
            assert (np.array(told["right"]) == ours.right[name])[clear].all() and (told["answer"] == answer or not clear[k])


def test_the_lesson_counts_as_the_figure_does():
    for seed, length, budget in ((6009, 12, 0), (6009, 5, 1), (3, 16, 0), (4, 9, 1)):
        widget = MemoryBudget(**memory_capacity.told_text(seed), budgets=[256, 512], length=length, budget=budget)
        assert [right.sum() for right in widget.right.values()] == memory_capacity.known_sentences(length, kept=4 + 4 * budget, seed=seed)


# ---- alone on a page

@pytest.mark.browser
@either_width
def test_a_budget_by_keyboard_and_by_hand(window, tmp_path, width):
    with window(width=width) as w:
        widget, heights = telling(), []
        found = alone(w, tmp_path, widget)

        def shows():
            said, seen, most = says(w, found), found.inner_text(), widget.budgets[widget.budget]
            assert f"Who has the {widget.things[widget.place]}?" in said
            for name, (bytes_, answer) in widget.told.items():
                verdict = "right" if answer == widget.holders[widget.place] else "wrong"
                assert f"he {name} says {widget.names[answer]}, {verdict}" in said and f"{bytes_:,} of {most:,}" in seen
                assert f"right for {widget.right[name].sum()} of {widget.length}" in seen
                assert found.locator(f".ak-bytes[data-over={str(bytes_ > most).lower()}]", has_text=f"{bytes_:,} of {most:,}").count()
            known = found.locator(".ak-sentence").evaluate_all("""bs => bs.filter(b => b.style.visibility !== 'hidden')
                .map(b => [...b.querySelectorAll('.ak-mark')].map(m => m.dataset.known === 'true'))""")
            assert np.array_equal(known, np.array(list(widget.right.values())).T)
            assert found.evaluate(CUT) == [] and fits(w)
            heights.append(found.bounding_box()["height"])

        shows()
        slider = found.get_by_role("slider", name="sentences")
        for key, length in (("ArrowLeft", 11), ("Home", 1), ("End", 16)):
            slider.press(key)
            widget.length = length
            shows()
        for k, budget in enumerate(("256", "512", "1,024")):
            press(found, budget)
            widget.budget = k
            shows()
        for j in (15, 7):
            found.locator(".ak-sentence").nth(j).click()
            widget.asked = j
            shows()
        # The text is shorter than where the sentence stood: the last one is asked for.
        slider.press("Home")
        widget.length = 1
        shows()
        press(found, "Reset")
        widget.length, widget.asked, widget.budget = 12, 0, 0
        shows()
        assert max(heights) - min(heights) < 1 and not w.errors, "the page below jumps"
