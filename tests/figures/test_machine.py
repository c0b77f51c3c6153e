"""The figure of the whole machine: each number, where it comes from, and what each part adds."""

import numpy as np
import pytest
from conftest import node
from hand import alone, either_width, fits, says
from random_models import random_storyteller, storytellers

from attnkit import softmax
from bookkit.figures import Machine
from bookkit.lessons import storyteller
from bookkit.lessons.stories import stories
from bookkit.pictures.formats import fixed

VIEWS = {"the answer": {"unfolded": ["heads1"]}, "a unit": {"place": 6, "unfolded": ["mlp1"], "trail": [["hidden", 1, 6, 39, -1]]}}
STORY = "Max and Eva met Toby in the forest . Eva found a key . then she gave the key to Toby . Toby gave the key to him . Toby ran to the school . now the key is with"


def example():
    return Machine(random_storyteller(3), "Zoe met the Rex .", ("Zoe", "Rex"), caption="Cap.")


def given(widget):
    return {"packed": widget.packed, "story": widget.story, "addresses": [["embedding", -1, 0, 0, -1]], "pair": [3, 4]}


def shown(widget):
    return [fixed(chance) for best in widget.so_far.values() for _, chance in best] + [fixed(v, plus=True) for v in widget.contributions.values()]


BAD = [
    (lambda: Machine(random_storyteller(3), "Zoe ate", ("Zoe", "Rex")), ValueError, "text must hold words that the model knows, not 'ate'"),
    (lambda: Machine(random_storyteller(3), "Zoe met", ("Zoe", "Ann")), ValueError, "pair must hold words that the model knows, not 'Ann'"),
    (lambda: Machine(random_storyteller(3), "Zoe met", ("Zoe",)), ValueError, "pair must be 2, got 1"),
    (lambda: Machine(random_storyteller(3), "Zoe met", ("Zoe", "Rex"), {"a": {"place": 3}}), ValueError, "place must be from 0 to 2"),
    (lambda: Machine(random_storyteller(3), "Zoe met", ("Zoe", "Rex"), {"a": {"trail": [["song", 0, 0, 0, 0]]}}), ValueError, "trail must hold addresses"),
    (lambda: Machine(random_storyteller(3), "Zoe met", ("Zoe", "Rex"), {"a": {"palce": 1}}), ValueError, "a view has place, unfolded and trail, 'a' has palce"),
]
REFUSED = [("place", 9, ValueError), ("trail", [["norm1", 0, 0]], ValueError)]
CHANGED = ("place", 1)


def addresses(model, n):
    """Of the last word, and of keys and values before it, every number that there is."""
    last, size, words = n - 1, model.blocks[0].w_query.shape[0], len(model.words)
    d_k = size // model.num_heads
    found = [[name, -1, last, k, -1] for name, count in (("embedding", size), ("norm", size), ("scores", words), ("chance", words)) for k in range(count)]
    found += [["table", -1, last, k, w] for k in range(size) for w in (3, 4)]
    for layer, block in enumerate(model.blocks):
        widths = dict.fromkeys(("norm1", "query", "key", "value", "heads", "attention", "after_attention", "norm2", "mlp", "after_mlp"), size)
        for name, count in (widths | {"hidden": block.mlp[0].out_features}).items():
            found += [[name, layer, last, k, -1] for k in range(count)]
        found += [[name, layer, 0, k, -1] for name in ("key", "value", "norm1") for k in range(size)]
        found += [[name, layer, last, j, head] for name in ("scores", "weights") for head in range(model.num_heads) for j in range(n)]
    assert d_k * model.num_heads == size
    return found


def looked_up(model, results, address):
    """The number at an address, in Python."""
    name, layer, place, k, head = address
    if name == "table":
        return model.embedding.weight[head, k].item()
    if name == "chance":
        return softmax(results["scores"][place])[k]
    rows = results[name if layer < 0 else f"layers.{layer}.{name}"]
    if layer >= 0 and name in ("scores", "weights"):
        return rows[head, place, k]
    return (rows if rows.ndim == 2 else rows.transpose(1, 0, 2).reshape(rows.shape[1], -1))[place, k]


def asked(model, words, pair=(3, 4)):
    all_ = addresses(model, len(words))
    given = {"packed": model.packed(), "story": words, "addresses": all_, "pair": pair}
    return all_, node("run_figures.js", {"figure": "machine", "cases": [given]})[0]


def test_every_number_is_that_of_python_and_the_sum_of_its_terms():
    """Of random models of many sizes, and of the chapter's: all numbers of a column, to 1e-9."""
    rng = np.random.default_rng(35)
    cases = [(model, ["<start>", *(str(w) for w in rng.choice(model.words[3:], 5))]) for model in storytellers()[::4] if model.blocks[0].uniform is False]
    cases.append((storyteller.trained(), ["<start>", *STORY.split()]))
    count = 0
    for model, words in cases:
        results = model.trace([model.words.index(word) for word in words])
        all_, got = asked(model, words)
        for address, origin in zip(all_, got["origins"], strict=True):
            value = looked_up(model, results, address)
            assert origin["value"] == pytest.approx(value, abs=1e-9), address
            if origin["sum"]:
                total = max(sum(origin["terms"]), 0) if address[0] == "hidden" else sum(origin["terms"])
                assert total == pytest.approx(value, abs=1e-9), address
            count += 1
        last = {name: rows for name, rows in results.items()}
        ours = model.contributions(last, model.words[3], model.words[4])
        assert [one["adds"] for one in got["contributions"]] == pytest.approx(list(ours.values()), abs=1e-9)
        for stage, scores in zip(["embedding", *(f"layers.{layer}.{name}" for layer in range(model.num_layers) for name in ("after_attention", "after_mlp"))], got["soFar"], strict=True):
            assert scores == pytest.approx(model.so_far(results[stage][-1]), abs=1e-9)
    assert count > 2000


def test_the_parts_add_up_to_the_difference_of_the_scores():
    model = storyteller.trained()
    for story in stories(20, seed=351):
        results = model.trace([model.words.index(word) for word in ["<start>", *story]])
        a, b = story[0], story[2]
        scores = results["scores"][-1][[model.words.index(a), model.words.index(b)]]
        assert sum(model.contributions(results, a, b).values()) == pytest.approx(scores[0] - scores[1], abs=1e-9)


# ---- alone on a page

@pytest.mark.browser
@either_width
def test_from_an_answer_to_the_table_of_word_vectors(window, tmp_path, width):
    """By mouse and by keyboard, a press at a time; a trail leads back."""
    with window(width=width) as w:
        found = alone(w, tmp_path, Machine(storyteller.trained(), STORY, ("Max", "Eva"), VIEWS))
        panel = found.get_by_role("group", name="Where a number comes from")
        assert says(w, found) == "After “with” the machine says “Max”, with a chance of 0.99."
        found.get_by_role("button", name="Max 0.99").press("Enter")
        assert panel.locator("b").first.inner_text() == "the chance of “Max” after “with”: 0.99"
        panel.get_by_role("button", name="12.86").click()
        assert says(w, found).startswith("The score of “Max” as the next word after “with”: 12.86. The sum of 32 products")
        panel.locator("li").first.get_by_role("button").nth(1).click()
        assert "of “Max” in the table of word vectors" in says(w, found) and "the trail ends here" in says(w, found)
        way = panel.get_by_role("group", name="The way here").get_by_role("button")
        assert way.count() == 3
        way.first.click()
        assert way.count() == 1 and panel.locator("b").first.inner_text().startswith("the chance of “Max”")
        found.get_by_role("button", name="Reset").click()
        assert "Press a square" in panel.inner_text() and fits(w) and not w.errors


@pytest.mark.browser
def test_a_square_is_found_by_the_arrow_keys_and_by_the_mouse(window, tmp_path):
    with window() as w:
        found = alone(w, tmp_path, Machine(storyteller.trained(), STORY, ("Max", "Eva"), VIEWS))
        row = found.get_by_role("slider", name="what head 2 of layer 2 looks at")
        row.press("End")
        assert row.get_attribute("aria-valuenow") == row.get_attribute("aria-valuemax") == str(len(STORY.split()) + 1)
        row.press("ArrowLeft")
        assert row.get_attribute("aria-valuetext").startswith("is: ")
        row.press("Enter")
        assert says(w, found).startswith("The weight of “is” for “with” in head 2 of layer 2: ")
        stream = found.get_by_role("slider", name="after MLP 2")
        stream.click(position={"x": 1, "y": 8})
        assert says(w, found).startswith("Number 1 of the stream of “with” after MLP 2: ")
        found.get_by_role("button", name="Eva").first.click()
        assert says(w, found).startswith("After “Eva” the machine says “met”") and not w.errors
