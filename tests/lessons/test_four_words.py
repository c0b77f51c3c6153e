"""The four words of Part II and the tiny machine that goes on with them."""

import numpy as np

from bookkit.lessons import four_words as four


def test_the_machine_writes_on_and_looks_back_only():
    """The likeliest next word is the one that stands there; what is before a new word stays as it was."""
    machine, words = four.TinyMachine(), list(four.WORDS)
    rows, weights, scores = machine.read(words)
    for written in four.WRITTEN:
        assert four.CANDIDATES[scores[-1].argmax()] == written and len(scores) == len(words)
        assert all(np.allclose(w.sum(axis=1), 1) and not np.triu(w, 1).any() for w in weights)
        words.append(written)
        before, (rows, weights, scores) = [*rows, *weights, scores], machine.read(words)
        for old, new in zip(before, [*rows, *weights, scores], strict=True):
            assert np.allclose(new[:len(old), :old.shape[1]], old)


def test_the_head_is_that_of_the_pages():
    assert four.vectors().tolist() == [[0, 1.3, -.2, .3], [-.1, 0, 1.2, -.1], [1, -.3, .2, 0], [.2, .9, -.2, .1]]
    assert four.distances().tolist() == [[0, 0, 0, 0], [2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]]
    assert np.allclose(four.norm(four.vectors()).mean(axis=1), 0) and np.allclose(four.norm(four.vectors()).std(axis=1), 1)
