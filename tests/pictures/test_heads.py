"""Multi-head attention as one picture: the matrices that it computes, with one scale of colours for one kind of matrix."""

import re

import numpy as np
from drawn import Drawing, depths, signs
from table import each

from attnkit import multi_head_attention
from bookkit.pictures import draw
from bookkit.pictures.heads import multi_head

ROSES = np.random.default_rng(5).normal(size=(5, 4)).round(1)


def layer(n=5, d=4, d_k=2, d_v=2, h=2):
    """Words, their names, heads and the last matrix, all at random."""
    rng = np.random.default_rng(7)
    heads = [tuple(rng.normal(size=(d, width)) for width in (d_k, d_k, d_v)) for _ in range(h)]
    return 2 * rng.normal(size=(n, d)), heads, rng.normal(size=(h * d_v, d)), ["Susan", "gave", "roses", "to", "Mary", "and", "Ann"][:n]


def several(x, heads, w_output, names=("Susan", "gave", "roses", "to", "Mary"), **options):
    """The picture, and its matrices by their names: drawing and rows."""
    picture = multi_head(x, heads, w_output, names=list(names), **options)
    found = {}
    for part in (0, 1, 2):
        drawn = Drawing(picture, part)
        for frame, rows in drawn.blocks():
            above = [w for w in drawn.words if 0 < frame.y - w.y < 55 and w.box.x < frame.x + frame.width + 10 and w.box.x + w.box.width > frame.x - 10]
            own = [w for w in above if re.fullmatch(r"W[QKV]\d|[QKVAH]\d|X|WO|Y", w.text)]
            found[f"{part} {min(own, key=lambda w: (frame.y - w.y, abs(w.box.centre[0] - frame.centre[0]))).text}"] = drawn, rows
    return picture, found


@each("sizes", [{}, {"n": 1, "d": 1, "d_k": 1, "d_v": 1, "h": 1}, {"n": 3, "d": 5, "d_v": 3, "h": 3}, {"n": 7, "d_k": 1, "d_v": 1, "h": 1}])
def test_multi_head_shows_what_it_computes(sizes):
    x, heads, w_output, names = layer(**sizes)
    picture, found = several(x, heads, w_output, names)
    y, weights = multi_head_attention(x, x, x, *(np.concatenate([head[k] for head in heads], axis=1) for k in range(3)), w_output, num_heads=len(heads))
    everywhere = [w for head in heads for w in head] + [w_output]
    outputs = [a @ (x @ head[2]) for a, head in zip(weights, heads)]
    wanted = {"0 X": (x, [x]), "2 WO": (w_output, everywhere), "2 Y": (y, [y])}
    for i, head in enumerate(heads, start=1):
        for k, letter in enumerate("QKV"):
            wanted |= {f"0 W{letter}{i}": (head[k], everywhere), f"1 {letter}{i}": (x @ head[k], [x @ other[k] for other in heads])}
        wanted |= {f"1 A{i}": (weights[i - 1], [1.0]), f"1 H{i}": (outputs[i - 1], outputs), f"2 H{i}": (outputs[i - 1], outputs)}
    assert set(found) == set(wanted)
    for name, (drawn, rows) in found.items():
        numbers, alike = wanted[name]
        assert drawn.said(rows) == signs(numbers, "weight" if "A" in name else None), name
        assert depths([cell for row in rows for cell in row], numbers, max(1.0, *(np.abs(a).max() for a in alike))), name
    assert all([found[name][0].row_name(row)[-1] for row in found[name][1]] == names for name in ("0 X", "2 H1"))
    assert picture.alt.endswith(f"gives Y, n by d. {draw.describe(y, 'Y', None, names)}")


BAD = [
    (lambda: several(ROSES, [(np.eye(4)[:, :2], np.eye(4), np.eye(4))], np.eye(4)), ValueError, r"heads \(4, 2\), \(4, 4\), \(4, 4\), w_output"),
    (lambda: several(*layer(), asking=5), ValueError, "asking must be the number of a word, from 0 to 4, got 5"),
    (lambda: several(ROSES[:4], [(np.eye(4),) * 3], np.eye(4)), ValueError, r"names must hold 4 names for x of shape \(4, 4\), got"),
]
