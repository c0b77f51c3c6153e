"""The passages of the book: how they are cut, and found."""

import json

import numpy as np
import pytest
from conftest import ROOT

from bookkit.lessons import minilm
from bookkit.lessons.passages import LONGEST, Library, Passage, by_words, passages, plain


def test_a_notebook_is_cut_into_passages(tmp_path):
    """Sections stay apart; long paragraphs are cut between sentences, short ones joined; exercises, code and formulas are left out."""
    long = " ".join(f"Sentence {k} has five words." for k in range(40))
    cells = [{"cell_type": "markdown", "source": ["# One: two\n", "\n", f"{'A *word* and [a link](x.ipynb) here. ' * 5}\n"]},
             {"cell_type": "code", "source": ["hidden()"], "outputs": [{"data": {"text/markdown": ["Written by **a cell**, with $\\sqrt{d_k}$ in it. " * 2]}}, {"text": ["printed"]}]},
             {"cell_type": "markdown", "source": f"## Why *that*?\n\n{long}\n\n$$\nx = \\frac12\n$$\n\n```python\ncode()\n```\n"},
             {"cell_type": "markdown", "source": "## Exercises\n\n:::{exercise} Ask\n:label: ex\n\nWhat is it?\n:::\n" + "Do it. " * 40},
             {"cell_type": "markdown", "source": "## Short\n\nToo little.\n"}]
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "one.ipynb").write_text(json.dumps({"cells": cells}))
    found = passages(tmp_path)
    assert [(p.page, p.title, p.heading, p.anchor) for p in found] == [("chapters/one", "One: two", "One: two", "one-two")] + 2 * [("chapters/one", "One: two", "Why that?", "why-that")]
    assert found[0].text.startswith("A word and a link here.") and found[0].text.endswith("Written by a cell, with sqrt(d_k) in it.")
    assert f"{found[1].text} {found[2].text}" == long and len(found[1].text.split()) <= LONGEST
    assert found[1].words.startswith("One: two. Why that?. Sentence 0") and found[0].words.startswith("One: two. A word")
    assert Passage("", "", "", "Alone.").words == "Alone."


def test_markdown_is_read_as_it_sounds():
    assert plain("> *A* `b_c` **d_e**\n> [f](g) $\\mathrm{softmax}(QK^\\top)$ 3 * 4") == "A b_c d_e f softmax(QK^T) 3 4"


def test_the_passages_of_this_book():
    found = passages(ROOT)
    words = np.array([len(passage.text.split()) for passage in found])
    assert len(found) > 500 and 60 < words.mean() < 110 and words.max() <= 2 * LONGEST
    left = [passage for passage in found if any(sign in passage.text for sign in ("$$", "```", ":::", "\\frac", "]("))]
    assert not left, left[0]


def test_a_library_finds_by_meaning(tmp_path):
    texts = ["The kettle is boiling for a hot drink.", "My car would not start this morning."]
    library = Library(minilm.loaded(), given=[Passage("", "", "", text) for text in texts])
    query, scores = library.ask("Would you like some tea?")
    assert query.shape == (384,) and scores == pytest.approx(library.keys @ query) and scores.argmax() == 0 and scores[0] == pytest.approx(0.32, abs=0.01)
    with pytest.raises(FileNotFoundError, match="no copy of the book in .* or above it"):
        Library(minilm.loaded(), tmp_path).ask("Why?")


def test_words_are_scored_as_bm25_does():
    """Against the formula, word by word, for a question with a plural and words that are too common."""
    texts = ["masks mask the future", "the future of a long long text about softmax and masks", "nothing here"]
    scores = by_words("What is the mask of the future?", texts)
    counts, long = [{"mask": 2, "future": 1}, {"mask": 1, "future": 1}, {}], [3, 7, 2]
    wanted = []
    for count, length in zip(counts, long):
        rare = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
        wanted.append(sum(rare * c * 2.2 / (c + 1.2 * (0.25 + 0.75 * length / 4)) for c in count.values()))
    assert scores == pytest.approx(wanted) and by_words("of the", texts).tolist() == [0, 0, 0]
