"""What three memories know of a text."""

import numpy as np

from bookkit.lessons.memory_capacity import known_sentences, told_text


def test_a_text_is_told_with_vectors_of_length_one():
    text, other = told_text(3), told_text(4)
    assert len(text["things"]) == len(text["holders"]) == 16 and sorted(text["holders"]) == sorted([*range(8)] * 2)
    for name in ("thing_vectors", "name_vectors"):
        assert np.allclose(np.linalg.norm(text[name], axis=1), 1, atol=2e-3) and not np.array_equal(text[name], other[name])


def test_what_is_known_of_the_first_sentences():
    """A cache knows all of them, a window those that it has, and a matrix fewer the longer the text; the sum by hand."""
    found = np.array([[known_sentences(n, seed=seed) for n in (2, 8, 16)] for seed in range(40)])
    assert (found[..., 0] == (2, 8, 16)).all() and found[:, 0, 1].tolist() == [2] * 40
    assert (found[:, 1:, 1] >= 4).all() and found[:, 2, 1].mean() < 6
    share = found[..., 2].mean(axis=0) / (2, 8, 16)
    assert share[0] > 0.9 and (np.diff(share) < 0).all()
    text = told_text(5)
    keys, people = text["thing_vectors"], text["name_vectors"]
    memory = sum(np.outer(key, people[holder]) for key, holder in zip(keys, text["holders"]))
    assert known_sentences(16, seed=5)[2] == sum((people @ (key @ memory)).argmax() == holder for key, holder in zip(keys, text["holders"]))
