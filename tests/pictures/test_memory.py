"""Attention that holds less at a time: what the pictures say is kept is what is kept."""

import numpy as np
from drawn import Drawing, written
from table import each

from attnkit import causal_mask, fast_weight_attention, softmax, window_mask
from bookkit.lessons.costs import layer_operations
from bookkit.pictures import memory, palette

FIELD = (np.random.default_rng(3).normal(size=(4, 6)).round(1), np.array([[1, 0], [0, 2], [1, 1], [-1, 0], [.5, .5], [2, 0]]))


@each("size, lit", [(2, (0, 0)), (2, (0, 1)), (2, (1, 2)), (3, (1, 0)), (4, (0, 1)), (6, (0, 0))])
def test_one_block_of_scores_is_there(size, lit):
    """And what is kept is enough: the weights of the keys so far, and their blend."""
    scores, values = FIELD
    drawn = Drawing(memory.online_softmax(scores, values, block_size=size, lit=lit))
    rows, columns = (slice(k * size, min((k + 1) * size, n)) for k, n in zip(lit, scores.shape))
    there, *kept = [drawn.said(block) for block in sorted([block for _, block in drawn.blocks() if block], key=lambda block: block[0][0].x)[-4:]]
    largest, total, blend = (np.array([[float(v.replace("−", "-")) for v in row] for row in part]) for part in kept)
    seen = scores[rows, :columns.stop]
    assert there == written(scores[rows, columns]) and np.allclose(largest[:, 0], seen.max(axis=1))
    assert np.allclose(total, np.exp(seen - seen.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True), atol=.006)
    assert np.allclose(blend / total, softmax(seen) @ values[:columns.stop], atol=.02)
    assert [word.text for word in drawn.words].count("done") == lit[0] * -(-6 // size) + lit[1]


@each("step", [1, 2, 3])
def test_a_memory_is_written_and_read(step):
    keys, values, query = np.array([[1, 0], [.6, .8], [0, .5]]), np.array([[2.0, -1, 0], [1, 3, 1], [0, 2, -2]]), np.array([.5, 1])
    picture = memory.memory_writes(keys, values, step, query)
    after = fast_weight_attention(keys[:step], keys[:step], values[:step], feature_map=lambda x: x)[1]
    key, value = keys[step - 1], values[step - 1]
    wanted = [after - np.outer(key, value), key[:, None], value[None], np.outer(key, value), query[None], after, (query @ after)[None]]
    assert sorted(table for part in (0, 2, 4) for table in Drawing(picture, part).tables()) == sorted(written(numbers) for numbers in wanted)


@each("lengths, width", [([4, 8, 16], 4), ([1, 2, 3], 1), ([5], 3)])
def test_two_works_are_drawn_to_scale(lengths, width):
    """Each square drawn is as many multiply-adds."""
    for part, n in enumerate(lengths):
        drawn, counted = Drawing(memory.two_works(lengths, width), part), layer_operations(n, width)
        work = [counted.projections, counted.scores + counted.blend]
        assert [sum(box.fill == palette.var(role) for box in drawn.boxes) * 2 * width for role in ("fill-positive", "fill-weight")] == work
        assert [word.text for word in drawn.words] == [f"{n} words", *(f"{count:,}" for count in work)]


@each("n, window", [(12, 3), (5, 0), (4, 9)])
def test_windows_are_the_masks_of_attnkit(n, window):
    once = causal_mask(n) & window_mask(n, window)
    for part, looks in enumerate((causal_mask(n), once, (once.astype(int) @ once) > 0)):       # through a word in between
        squares = [box for box in Drawing(memory.windows(n, window), part).boxes if box.fill == palette.var("fill-weight")]
        assert np.array_equal(np.reshape([box.opacity > 0 for box in squares], (n, n)), looks)


BAD = [
    (lambda: memory.shared_heads(9, [2], ["x"]), ValueError, r"groups must divide 9 heads, got \[2\]"),
    (lambda: memory.online_softmax([[1, 2]], [[1]]), ValueError, r"scores must be \(n, m\) and values \(m, d_v\), got \(1, 2\) and \(1, 1\)"),
    (lambda: memory.online_softmax([[1, 2]], [[1], [2]], lit=(0, 1)), ValueError, "lit must be from 0 to 0, the number of one of the blocks across, got 1"),
]
