"""Multi-head attention as one picture: the matrices that it computes, step by step, with room on a phone."""

import re

import numpy as np
import pytest
from drawn import Drawing, laid_out, said, signs
from table import each

from attnkit import multi_head_attention
from bookkit.pictures import draw, palette
from bookkit.pictures.heads import multi_head

ROSES = np.random.default_rng(5).normal(size=(5, 4)).round(1)


def layer(n=5, d=4, d_k=2, d_v=2, h=2):
    """Words, their names, heads and the last matrix, all at random."""
    rng = np.random.default_rng(7)
    heads = [tuple(rng.normal(size=(d, width)) for width in (d_k, d_k, d_v)) for _ in range(h)]
    return 2 * rng.normal(size=(n, d)), heads, rng.normal(size=(h * d_v, d)), ["Susan", "gave", "roses", "to", "Mary", "and", "Ann"][:n]


def several(x, heads, w_output, names=("Susan", "gave", "roses", "to", "Mary"), **options):
    """The picture, and its matrices by their names: drawing, frame, rows, and the words that stand above."""
    picture = multi_head(x, heads, w_output, names=list(names), **options)
    found = {}
    for part in (0, 1, 2):
        drawn = Drawing(picture, part)
        for frame, rows in drawn.blocks():
            above = [w for w in drawn.words if 0 < frame.y - w.y < 55 and w.box.x < frame.x + frame.width + 10 and w.box.x + w.width > frame.x - 10]
            own = [w for w in above if re.fullmatch(r"W[QKV]\d|[QKVAH]\d|X|WO|Y", w.text)]
            name = min(own, key=lambda w: (frame.y - w.y, abs(w.box.centre[0] - frame.centre[0])))
            found[f"{part} {name.text}"] = (drawn, frame, rows, name, [w.text for w in above])
    return picture, found


SIZES = {"the book's": {}, "one word": {"n": 1, "d": 1, "d_k": 1, "d_v": 1, "h": 1}, "unlike": {"n": 3, "d": 5, "d_k": 2, "d_v": 3, "h": 3},
         "narrow": {"n": 7, "d_k": 1, "d_v": 1, "h": 1}}


@each("case", SIZES)
def test_multi_head_shows_what_it_computes(case):
    x, heads, w_output, names = layer(**SIZES[case])
    picture, found = several(x, heads, w_output, names)
    joined = [np.concatenate([head[k] for head in heads], axis=1) for k in range(3)]
    y, weights = multi_head_attention(x, x, x, *joined, w_output, num_heads=len(heads))
    wanted = {"0 X": (x, None, "(n, d)", [x])}
    for i, head in enumerate(heads, start=1):
        everywhere = [w for other in heads for w in other] + [w_output]
        for k, role in enumerate(("query", "key", "value")):
            letter, width = role[0].upper(), "kkv"[k]
            wanted[f"0 W{letter}{i}"] = (head[k], role, f"(d, d{width})", everywhere)
            wanted[f"1 {letter}{i}"] = (x @ head[k], role, f"(n, d{width})", [x @ other[k] for other in heads])
        wanted[f"1 A{i}"] = (weights[i - 1], "weight", "(n, n)", [1.0])
        outputs = [a @ (x @ other[2]) for a, other in zip(weights, heads)]
        wanted[f"1 H{i}"] = wanted[f"2 H{i}"] = (outputs[i - 1], None, "(n, dv)", outputs)
    wanted |= {"2 WO": (w_output, None, "(h dv, d)", everywhere), "2 Y": (y, None, "(n, d)", [y])}
    assert set(found) == set(wanted) and not any(Drawing(picture, part).crowded() for part in (0, 1, 2))
    for name, (drawn, frame, rows, label, above) in found.items():
        numbers, role, shape, alike = wanted[name]
        assert said(drawn, rows) == signs(numbers, role), name
        vmax = max(1.0, *(np.abs(a).max() for a in alike))         # one scale of colours for one kind of matrix
        assert np.allclose([[c.opacity for c in row] for row in rows], np.abs(numbers) / vmax * palette.DEPTH, atol=6e-4), name
        assert f"--ak-{role or 'quiet'}," in frame.stroke and label.fill == palette.var(role or "ink"), name
        if name != "2 H1":                                         # the parts of H share one shape, above the first
            assert shape in above or name.startswith("2 H"), name
        else:
            assert {"H", "(n, h dv)"} <= set(above)
    assert picture.alt.endswith(f"gives Y, n by d. {draw.describe(y, 'Y', None, names)}")
    assert several(x, heads, w_output, names, digits=3)[0].alt.endswith(draw.describe(y, "Y", None, names, digits=3))


@each("case", SIZES)
def test_multi_head_goes_step_by_step(case):
    """Five numbered sentences, in order; a band for each head, level in both drawings; names and sizes."""
    x, heads, w_output, names = layer(**SIZES[case])
    picture, found = several(x, heads, w_output, names)
    drawings = [Drawing(picture, part) for part in (0, 1, 2)]
    steps = [[word for word in drawn.words if word.text in "12345" and (word.x, word.y - 5) in drawn.circles] for drawn in drawings]
    assert [[w.text for w in sorted(part, key=lambda w: w.x)] for part in steps] == [["1", "2"], ["3"], ["4", "5"]]
    first = [min((w for w in drawn.words if w.x > step.x and abs(w.y - step.y) < 3), key=lambda w: w.x).text
             for part, drawn in zip(steps, drawings) for step in part]
    assert first == ["The words", "Times the head’s", "Each head attends with its Q, K and V", "Side by side", "Times WO gives Y"]
    bands = [[box for box in drawn.boxes if "--ak-ground" in box.fill] for drawn in drawings]
    assert [len(part) for part in bands] == [len(heads), len(heads), 0]
    assert [(b.y, b.height) for b in bands[0]] == [(b.y, b.height) for b in bands[1]]
    for name, (drawn, frame, *_) in found.items():
        part, number = int(name[0]), int(name[-1]) if name[-1].isdigit() else None
        if part < 2 and number:
            assert frame.within(bands[part][number - 1]), name
            assert drawn.written_in(bands[part][number - 1])[0] == f"head {number}", name
    for name in ("0 X", "2 H1"):
        assert [found[name][0].row_name(row)[-1] for row in found[name][2]] == names, name
    sizes = {"n": len(x), "d": x.shape[1], "h": len(heads), "dk": heads[0][0].shape[1], "dv": heads[0][2].shape[1]}
    assert [w.text for w in drawings[0].words if "=" in w.text][::-1] == [f"{k} = {v}" for k, v in sizes.items()]
    ends = {round(line.points[-2][1]) for line in drawings[0].lines}       # where the arrows from the words point to
    assert all(sum(band.y < y < band.y + band.height for y in ends) == 1 for band in bands[0]) and len(ends) == len(heads)
    assert f"X, n by d: {sizes['n']} by {sizes['d']}. " in picture.alt and f"W^V, d by d_v: {sizes['d']} by {sizes['dv']}." in picture.alt
    assert f"H, n by h d_v: {sizes['n']} by {sizes['h'] * sizes['dv']}. " in picture.alt


@pytest.mark.browser
@pytest.mark.parametrize("width", [673, 360])
def test_multi_head_has_room(watched, tmp_path, width):
    """Two drawings beside each other in a column of the book, all below each other on a phone; nothing is pushed aside."""
    (one, two, three), over = laid_out(several(*layer())[0], watched, tmp_path, width)
    assert over == 0 and three[1] >= max(one[3], two[3])
    if width > 500:
        assert abs(one[1] - two[1]) < 1 and abs(one[3] - two[3]) < 1 and one[2] < two[0]        # level, at one scale
    else:
        assert two[1] >= one[3]


def test_two_heads_grow_in_six_steps():
    """The same matrices; each step adds a part with an outline of its own, and the first has an arrow for each head."""
    (still, drawn), (picture, growing) = several(*layer()), several(*layer(), asking=1)
    assert {name: np.shape(rows) for name, (_, _, rows, *_) in growing.items()} == {name: np.shape(rows) for name, (_, _, rows, *_) in drawn.items()}
    text = picture.html()
    for sign in ("from", "at"):
        assert set(re.findall(rf'data-ak-{sign}="(\d)"', text)) == set("012345")
    arrows = re.compile(f'<path [^>]*stroke="{re.escape(palette.var("weight"))}"')
    assert len(arrows.findall(text)) == 2 and not arrows.findall(still.html())
    assert "data-ak-from" not in still.html()


# ---- what test_every_picture.py asks

NARROW = {      # what chapters come back to has room on a phone
    "multi_head": lambda: several(*layer())[0],
    "multi_head that grows": lambda: several(*layer(), asking=1)[0],
}

BAD = [
    (lambda: several(ROSES, [], np.eye(4)), ValueError, r"h d_v, d\); got x \(5, 4\), heads none, w_output \(4, 4\)"),
    (lambda: several(ROSES, [(np.eye(4), np.eye(4))], np.eye(4)), ValueError, r"each head\'s matrices \(d, d_k\), \(d, d_k\) and \(d, d_v\), .* heads \(4, 4\), \(4, 4\), w_output"),
    (lambda: several(ROSES, [(np.eye(4)[:, :2], np.eye(4), np.eye(4))], np.eye(4)), ValueError, r"heads \(4, 2\), \(4, 4\), \(4, 4\), w_output"),
    (lambda: several(ROSES[0], [(np.eye(4),) * 3], np.eye(4)), ValueError, r"got x \(4,\)"),
    (lambda: several(*layer(), asking=5), ValueError, "asking must be the number of a word, from 0 to 4, got 5"),
    (lambda: several(*layer(d_k=4, d_v=4, h=1), asking=0), ValueError, "heads that grow must be two, got 1"),
    (lambda: several(ROSES[:4], [(np.eye(4),) * 3], np.eye(4)), ValueError, r"names must hold 4 names for x of shape \(4, 4\), got"),
]
