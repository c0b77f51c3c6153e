"""A trained model on a page: Python and the page compute the same, result by result."""

import json
import re
from html import unescape

import numpy as np
import pytest
from conftest import ROOT, node
from random_models import random_storyteller, random_translator, storytellers, translators

from bookkit.figures import SentenceTranslator
from bookkit.lessons import storyteller
from bookkit.lessons.storyteller import Storyteller
from bookkit.lessons.translation import WordTranslator


def asked(model, packed, cases, without=None):
    """What the script is asked: all results by name, for each of some calls of a model's `trace`."""
    return {"model": model, "packed": packed, "cases": cases, "without": without}


def compare(ours, theirs, largest, masked=True):
    """Every result of Python beside that of the script, where a row is a place; what a causal mask hides is not there."""
    assert set(theirs) == set(ours)
    for name, result in ours.items():
        if result.ndim == 3:           # (h, n, d_k): heads stand side by side in the page; (h, n, n): a list for each head
            result = result.transpose(1, 0, 2)
            if name.endswith((".scores", ".weights")):
                seen = [i + 1 if masked else len(result) for i in range(len(result))]
                assert all(len(row) == count for count, heads in zip(seen, theirs[name]) for row in heads)
                hidden = -np.inf if name.endswith(".scores") else 0
                assert all((row[:, count:] == hidden).all() for count, row in zip(seen, result))
                got = np.concatenate([np.ravel(row) for row in theirs[name]])
                result = np.concatenate([row[:, :count].ravel() for count, row in zip(seen, result)])
            else:
                got, result = np.array(theirs[name]), result.reshape(len(result), -1)
        else:
            got = np.array(theirs[name])
        assert got.shape == result.shape, name
        short = re.sub(r"^layers\.\d+", "layer", name)
        largest[short] = max(largest.get(short, 0), np.abs(got - result).max(initial=0))
    return largest


def told(largest):
    print("\nlargest differences: " + ", ".join(f"{name} {difference:.0e}" for name, difference in largest.items()))
    assert max(largest.values()) < 1e-9


def test_every_result_of_a_storyteller_is_the_same_in_the_page():
    """Random texts, twelve of each of 13 models; the script keeps what it has read, in whatever order the texts come."""
    rng, largest, models, texts = np.random.default_rng(42), {}, storytellers()[::2], []
    for model in models:
        some = [rng.integers(0, len(model.words), 64 if k == 0 else int(rng.integers(1, 14))).tolist() for k in range(9)]
        texts.append([*some, some[-1][:1], some[-1][:1] + [3], some[0][:20]])         # a beginning of the last one, another end
    found = node("run_figures.js", [asked("decoder", model.packed(), [[text] for text in some]) for model, some in zip(models, texts)])
    for model, some, traces in zip(models, texts, found):
        for text, got in zip(some, traces, strict=True):
            compare(model.trace(text), got, largest)
    told(largest)
    assert {"embedding", "layer.scores", "layer.heads", "layer.hidden", "layer.after_mlp", "norm", "scores"} < set(largest)


@pytest.mark.parametrize("part", storyteller.TAKEN_OUT)
def test_a_part_taken_out_is_the_same_in_the_page(part):
    """Each part of four models, in texts that go on, begin anew and end earlier, the first of them with a head moved."""
    rng, largest, cases, jobs, differs = np.random.default_rng(44), {}, [], [], 0
    for model in storytellers()[::8]:
        texts = [rng.integers(0, len(model.words), int(n)).tolist() for n in rng.integers(2, 14, 3)]
        texts += [[*texts[-1], 3], texts[-1][:2]]
        zeros = np.zeros(model.embedding.weight.shape[1] // model.num_heads)
        cases.append((model, [(text, {}) for text in texts] + [(texts[0], {(0, 0): zeros})]))
        moved = [{"layer": 0, "part": 0, "vector": zeros.tolist()}]
        jobs.append(asked("decoder", model.packed(), [*([text] for text in texts), [texts[0], moved]], part))
    for (model, calls), traces in zip(cases, node("run_figures.js", jobs), strict=True):
        changed = model.without(part)
        for (text, moved), got in zip(calls, traces, strict=True):
            ours = changed.trace(text, moved)
            compare(ours, got, largest, masked=changed.masked)
            differs += np.abs(ours["scores"] - model.trace(text, moved)["scores"]).max() > 1e-6
    told(largest)
    assert differs > 10


def test_every_result_of_a_translator_is_the_same_in_the_page():
    """Words that a reader puts there, too; of one sentence what is written is kept as far as it stands."""
    rng, largest, models, cases = np.random.default_rng(52), {}, [model for model, _ in translators()[::2]], []
    for model in models:
        sentences = [rng.integers(3, len(model.source_words), int(rng.integers(1, 13))).tolist() for _ in range(4)]
        puts = [{int(row): int(rng.integers(3, len(model.target_words))) for row in rng.integers(0, 8, k % 3)} for k in range(4)]
        cases.append([*zip(sentences, puts), *((sentences[0], put) for put in puts)])
    found = node("run_figures.js", [asked("translator", model.packed(), [[text, 15, put] for text, put in some]) for model, some in zip(models, cases)])
    for model, some, traces in zip(models, cases, found):
        for (text, put), got in zip(some, traces, strict=True):
            compare(model.trace(text, max_length=15, put=put), got, largest)
    told(largest)
    assert {"annotations", "key", "query", "attention.scores", "weights", "blend", "state", "scores", "words"} < set(largest)


def carried(page, kind):
    """The packed model that a chapter's figure carries, as it stands in the committed output."""
    outputs = [output["data"].get("text/html", "") for cell in json.loads((ROOT / page).read_text())["cells"] for output in cell.get("outputs", []) if "data" in output]
    [html] = [text for text in map("".join, outputs) if f'data-ak-figure="{kind}"' in text]
    return json.loads(unescape(re.search(r'data-ak-state="([^"]*)"', html)[1]))["packed"]


def test_the_models_of_the_chapters_are_the_same_in_the_page():
    rng, largest = np.random.default_rng(43), {}
    packed = carried("chapters/writing.ipynb", "story_writer")
    assert packed == storyteller.trained().packed()
    model, texts = Storyteller.unpacked(packed), [[1, *rng.integers(3, 71, 63 if k == 0 else rng.integers(0, 12)).tolist()] for k in range(20)]
    for numbers, got in zip(texts, node("run_figures.js", asked("decoder", packed, [[numbers] for numbers in texts]))):
        compare(model.trace(numbers), got, largest)
    packed = carried("chapters/translation.ipynb", "sentence_translator")
    model = WordTranslator.unpacked(packed)
    texts = [rng.integers(3, len(model.source_words), rng.integers(1, 13)).tolist() for _ in range(20)]
    for numbers, got in zip(texts, node("run_figures.js", asked("translator", packed, [[numbers, 15] for numbers in texts]))):
        compare(model.trace(numbers, max_length=15), got, largest)
    told(largest)


@pytest.mark.parametrize("change, words", [
    ({"version": 1}, "a packed model must have version 2, got 1"),
    ({"tensors": {}}, "the packed model lacks the tensor embedding"),
    ({"hidden": 11}, r"the tensor layers.0.w1 must have shape \(8, 11\), got \(8, 12\)")])
def test_the_page_says_what_is_wrong_with_a_model(change, words):
    with pytest.raises(AssertionError, match=words):
        node("run_figures.js", asked("decoder", random_storyteller(0).packed() | change, [[[1]]]))


# ---- what a figure asks for

def test_a_figure_computes_with_the_numbers_that_travel():
    """A model with more digits than the page gets is rounded first, so that kernel and page agree."""
    model = random_translator(1, source_words=["a"], target_words=["b"])
    model.model.v.data += 1e-4
    figure = SentenceTranslator(model, {"next": [{"a": 1}, {}], "final": [1]}, "a")
    assert figure.model.packed() == figure.packed == model.packed() and figure.model is not model
