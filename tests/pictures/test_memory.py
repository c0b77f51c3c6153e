"""Attention that holds less at a time: what the pictures say is kept is what is kept."""

import re

import numpy as np
from drawn import Drawing, said, signs, written
from table import each

from attnkit import causal_mask, fast_weight_attention, softmax, window_mask
from bookkit.lessons.costs import layer_operations
from bookkit.pictures import memory, palette
from bookkit.pictures.formats import fixed

FIELD = (np.random.default_rng(3).normal(size=(4, 6)).round(1), [[1, 0], [0, 2], [1, 1], [-1, 0], [.5, .5], [2, 0]])
WRITES = ([[1, 0], [.6, .8]], [[2, -1], [1, 3]])


@each("size, lit", [(2, (0, 0)), (2, (0, 1)), (2, (1, 2)), (3, (0, 1)), (3, (1, 0)), (4, (0, 1)), (6, (0, 0))])
def test_one_block_of_scores_is_there(size, lit):
    scores, values = FIELD[0], np.array(FIELD[1])
    picture = memory.online_softmax(scores, values, block_size=size, lit=lit)
    drawn = Drawing(picture)
    rows, columns = (slice(k * size, min((k + 1) * size, n)) for k, n in zip(lit, scores.shape))
    blocks = [rows_ for _, rows_ in drawn.blocks() if rows_]
    there, largest, total, blend = sorted(blocks, key=lambda b: b[0][0].x)[-4:]
    assert said(drawn, there) == written(scores[rows, columns])
    kept = [np.array([[float(v.replace("−", "-")) for v in row] for row in said(drawn, part)]) for part in (largest, total, blend)]
    # What is kept is enough: the weights of the keys so far, and their blend.
    seen = scores[rows, :columns.stop]
    assert np.allclose(kept[0][:, 0], seen.max(axis=1)) and np.allclose(kept[1], np.exp(seen - seen.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True), atol=.006)
    assert np.allclose(kept[2] / kept[1], softmax(seen) @ values[:columns.stop], atol=.02)
    assert all(abs(a[0].y - b[0].y) < 1 for part in (largest, total, blend) for a, b in zip(part, there)), "beside their queries"
    words = [word.text for word in drawn.words]
    last = columns.stop == scores.shape[1]
    assert ("last block:" in words) == last and ("next block:" in words) == (not last)
    assert words.count("done") == lit[0] * -(-6 // size) + lit[1] and not drawn.crowded()
    assert all(fixed(v, 2) in picture.alt for v in kept[1][:, 0])


@each("step", [1, 2, 3])
def test_a_memory_is_written_and_read(step):
    keys, values, query = np.array([[1, 0], [.6, .8], [0, .5]]), np.array([[2.0, -1, 0], [1, 3, 1], [0, 2, -2]]), np.array([.5, 1])
    picture = memory.memory_writes(keys, values, step, query)
    drawings = [Drawing(picture, part) for part in (0, 2, 4)]
    parts = {}
    for drawn in drawings:
        assert not drawn.crowded()
        for frame, rows_ in drawn.blocks():
            name = min((w for w in drawn.words if w.y < frame.y and abs(w.x - frame.centre[0]) < 1), key=lambda w: frame.y - w.y).text
            parts[name] = said(drawn, rows_)
    _, before = fast_weight_attention(keys[:step - 1], keys[:step - 1], values[:step - 1], feature_map=lambda x: x) if step > 1 else (0, np.zeros((2, 3)))
    _, after = fast_weight_attention(keys[:step], keys[:step], values[:step], feature_map=lambda x: x)
    wanted = {"memory before": before, "key": keys[step - 1][:, None], "value": values[step - 1][None], "written": np.outer(keys[step - 1], values[step - 1]),
              "memory after": after, "query": query[None], "output": (query @ after)[None]}
    assert parts == {name: written(numbers) for name, numbers in wanted.items()}
    # On a page the three matrices are level.
    assert len({round(d.blocks()[0][0].y + d.blocks()[0][0].height / 2 - d.page.height / 2) for d in drawings}) == 1
    assert [p for p in picture.parts if isinstance(p, str)] == ["+", "="]


# ---- what test_every_picture.py asks

def test_what_is_kept_is_pale_and_what_is_new_is_framed():
    """The new word has a query, a key and a value, each in a frame and with its numbers; the words before it have pale keys and values."""
    rng = np.random.default_rng(0)
    query, keys, values = rng.normal(size=3), *rng.normal(size=(2, 7, 3))
    names = "Zoe and Max met Rex in the".split()
    picture = memory.kept_keys(query, keys, values, names=names)
    drawn = Drawing(picture)
    blocks = sorted([rows for _, rows in drawn.blocks() if rows], key=lambda rows: (len(rows), rows[0][0].x))
    new, kept = blocks[:3], blocks[3:]
    assert [said(drawn, rows) for rows in new] == [written(x[None]) for x in (query, keys[-1], values[-1])]
    assert [said(drawn, rows) for rows in kept] == [signs(x[:-1]) for x in (keys, values)]
    assert drawn.lit() == {cell for rows in new for row in rows for cell in row}
    pale = picture.parts[0].body.split(f'<g opacity="{memory.PALE}">')[1:]
    assert [part.partition("</g>")[0].count("<rect") for part in pale] == [6 * 3 + 1] * 2
    assert [drawn.row_name(row)[0] for row in kept[0]] == names[:-1] and drawn.row_name(new[0][0]) == ["the"] and not drawn.crowded()
    assert "when “the” is read. Kept: keys and values of Zoe, and, Max, met, Rex, in." in picture.alt


@each("lengths, width", [([4, 8, 16], 4), ([1, 2, 3], 1), ([5], 3)])
def test_two_works_are_drawn_to_scale(lengths, width):
    """Each square drawn is as many multiply-adds, and the two are equal where n is 2 d."""
    picture = memory.two_works(lengths, width)
    for part, n in enumerate(lengths):
        drawn, counted = Drawing(picture, part), layer_operations(n, width)
        kinds = [[box for box in drawn.boxes if box.fill == role] for role in (palette.var("fill-positive"), palette.var("fill-weight"))]
        work = [counted.projections, counted.scores + counted.blend]
        assert [len(boxes) * 2 * width for boxes in kinds] == work and (len(kinds[0]) == len(kinds[1])) == (n == 2 * width)
        assert [word.text for word in drawn.words] == [f"{n} words", *(f"{count:,}" for count in work)] and not drawn.crowded()


def test_between_slow_and_fast_memory():
    """Plain, scores and weights go both ways; in blocks, only what goes in and what comes out."""
    picture = memory.slow_and_fast({"plain": "9 GB", "in blocks": "1 GB"})
    plain, blocks = (Drawing(picture, part) for part in (0, 1))
    said_ = [[word.text for word in drawn.words] for drawn in (plain, blocks)]
    assert said_[0].count("scores") == said_[0].count("weights") + said_[0].count("weights, V") == 2 and not {"scores", "weights"} & set(said_[1])
    assert said_[0][-1] == "9 GB" and said_[1][-1] == "1 GB" and not plain.crowded() and not blocks.crowded()
    assert [picture.parts[part].body.count(palette.var("fill-weight")) for part in (0, 1)] == [36 + 4, 4]
    assert "scores to slow memory; scores to fast memory" in picture.alt and "in slow memory lie no weights" in picture.alt


@each("n, window", [(12, 3), (5, 0), (4, 9)])
def test_windows_are_the_masks_of_attnkit(n, window):
    picture = memory.windows(n, window)
    causal = causal_mask(n)
    once = causal & window_mask(n, window)
    for part, looks in enumerate((causal, once, (once.astype(int) @ once) > 0)):       # through a word in between
        drawn = Drawing(picture, part)
        squares = [box for box in drawn.boxes if box.fill == palette.var("fill-weight")]
        assert np.array_equal(np.reshape([box.opacity > 0 for box in squares], (n, n)), looks)
        assert f"{looks.sum()} of {n * n} squares" in picture.parts[part].alt and not drawn.crowded()


def test_heads_that_share_are_below_those_that_ask():
    picture = memory.shared_heads(9, [9, 3, 1], ["a", "b", "c"])
    for part, groups in enumerate((9, 3, 1)):
        drawn = Drawing(picture, part)
        asks, keys, values = ([box for box in drawn.boxes if box.fill == palette.var(role)] for role in ("query", "key", "value"))
        assert (len(asks), len(keys), len(values)) == (9, groups, groups)
        for k, key in enumerate(keys):
            its = asks[k * 9 // groups:(k + 1) * 9 // groups]
            assert abs(np.mean([box.centre[0] for box in its]) - key.centre[0]) < .1
        assert len(re.findall(r"L\d", picture.parts[part].body)) == 9


NARROW = {      # what chapters come back to has room on a phone
    "online_softmax": lambda: memory.online_softmax(*FIELD),
    "memory_writes": lambda: memory.memory_writes(*WRITES, 2, [0, 1]),
    "two_works": lambda: memory.two_works([4, 8, 16], 4),
    "slow_and_fast": lambda: memory.slow_and_fast({"plain": "40.3 GB moved, 41.7 ms", "in blocks": "4.4 GB moved, 7.3 ms"}),
    "windows": lambda: memory.windows(12, 3),
    "shared_heads": lambda: memory.shared_heads(9, [9, 3, 1], ["138,240 bytes", "46,080 bytes", "15,360 bytes"]),
    "kept_keys": lambda: memory.kept_keys([1, 0, 1], np.ones((7, 3)), np.ones((7, 3)), names="Zoe and Max met Rex in the".split()),
}

BAD = [
    (lambda: memory.shared_heads(9, [2], ["x"]), ValueError, r"groups must divide 9 heads, got \[2\]"),
    (lambda: memory.kept_keys([1], np.ones((2, 2)), np.ones((2, 2)), names=["a", "b"]), ValueError, r"got \(2, 2\), \(2, 2\) and \(1,\)"),
    (lambda: memory.kept_keys([1, 2], np.ones((2, 2)), np.ones((2, 2)), names=["a"]), ValueError, "names must hold 2 names"),
    (lambda: memory.online_softmax([[1, 2]], [[1]]), ValueError, r"scores must be \(n, m\) and values \(m, d_v\), got \(1, 2\) and \(1, 1\)"),
    (lambda: memory.online_softmax([[1, 2]], [[1], [2]], lit=(0, 1)), ValueError, "lit must be from 0 to 0, the number of one of the blocks across, got 1"),
    (lambda: memory.memory_writes([[1, 2]], [[1]], 2, [1, 2]), ValueError, "step must be from 1 to 1, the number of one of the pairs, got 2"),
    (lambda: memory.memory_writes([[1, 2]], [[1]], 1, [1]), ValueError, r"got \(1, 2\), \(1, 1\) and \(1,\)"),
]
