"""Translators that read word by word: where each arrow leads, and whose weights the lines show."""

import re
from html import unescape

import numpy as np
import pytest
from drawn import Drawing, box_of, is_clear
from table import each

from bookkit.pictures import recurrent
from bookkit.pictures.formats import fixed
from bookkit.pictures.shapes import opacity

LOVE, AIME = ["I", "love", "you"], ["je", "t'", "aime"]
QUEEN, REINE = "we do not admire the young queen".split(), "nous n' admirons pas la jeune reine".split()


def arrows(drawn):
    """Where arrows lead: pairs of what each comes from and ends at, the words in a box or else the word beside."""
    def thing(point):
        edges = [box for box in drawn.boxes if box._replace(x=box.x - 1, y=box.y - 1, width=box.width + 2, height=box.height + 2).holds(*point)]
        if edges:
            return " ".join(drawn.written_in(edges[0])) or "vector"
        def away(word):                                                # from the room of its letters
            x, y, wide, deep = word.box[:4]
            return np.hypot(max(x - point[0], 0, point[0] - x - wide), max(y - point[1], 0, point[1] - y - deep))
        word = min(drawn.words, key=away)
        assert away(word) < 20
        return word.text
    heads = [line.points for line in drawn.lines if "--ak-quiet" in line.stroke]
    assert all(points[-1] != points[-2] == points[-4] for points in heads)              # a head's two barbs meet at its tip
    return sorted((thing(points[0]), thing(points[-2])) for points in heads)


def in_french(picture):
    """The words that say they are French."""
    return [unescape(word) for word in re.findall(r'lang="fr"[^>]*>(.*?)<', picture.parts[0].body)]


@each("english, french", [(LOVE, AIME), (QUEEN, REINE), (["go"], ["va", "anticonstitutionnellement"])])
def test_one_vector_goes_from_the_encoder_to_the_decoder(english, french):
    picture = recurrent.encoder_decoder(english, french)
    drawn = is_clear(picture)
    read, written = ([f"{letter}{i + 1}" for i in range(len(words))] for letter, words in (("h", english), ("g", french)))
    chain = [*read, "vector", *written]
    assert arrows(drawn) == sorted([*zip(chain, chain[1:]), *zip(english, read), *zip(written, french), *zip(["start", *french], written)])
    assert [" ".join(drawn.written_in(box)) for box in sorted(drawn.boxes, key=lambda box: box.x) if drawn.written_in(box)] == [*read, *written]
    assert [word.text for word in drawn.words if "vector" in word.text] == ["vector"]
    assert in_french(picture) == french
    assert f"The last one, {read[-1]}, is the one vector" in picture.alt and f"write {', '.join(french)};" in picture.alt


STEPS = [(LOVE, AIME, [.11, .01, .88], 2), (LOVE, AIME, None, 1), (QUEEN, REINE, [.02, .1, .08, .7, .05, .02, .03], 3), (["go"], ["va", "vite"], [1], 2), (QUEEN * 2, REINE * 2, None, 12)]


@each("english, french, weights, step", STEPS)
def test_a_step_with_attention_asks_with_the_state_before(english, french, weights, step):
    picture = recurrent.translator(english, french, weights, step)
    drawn = is_clear(picture)
    h, (before, word) = [f"h{j + 1}" for j in range(len(english))], ["start", *french][step - 1:step + 1]
    past, new, context = f"g{step - 1}", f"g{step}", f"y{step}"
    assert in_french(picture) == french[max(step - 2, 0):step]
    assert arrows(drawn) == sorted([*zip(english, h), *zip(h, h[1:]), *zip(h[1:], h), (past, new), (context, new), (before, new),
                                    (new, "read-out"), (context, "read-out"), (before, "read-out"), ("read-out", word)])
    boxes = {" ".join(drawn.written_in(box)): box for box in drawn.boxes}
    [asks] = [line.points for line in drawn.lines if "--ak-query," in line.stroke]
    assert asks[0] == (boxes[past].centre[0], boxes[past].y + boxes[past].height) and "--ak-query," in boxes[past].stroke
    assert [x for x, _ in drawn.circles] == [boxes[name].centre[0] for name in h] and {y for _, y in drawn.circles} == {asks[-1][1]} and asks[-1] == drawn.circles[-1]
    symbols = {word.text for word in drawn.words}
    assert len(symbols & {f"query q{step}", "weights", "output", "annotations", "keys k", "values v"}) == 6
    for name in h:                                                       # both roles on the frame of each
        frame = [line for line in drawn.lines if any(f"--ak-{role}," in line.stroke for role in ("key", "value")) and all(boxes[name].holds(*p) for p in line.points) and len(line.points) > 2]
        assert sorted(line.stroke.split(",")[0] for line in frame) == ["var(--ak-key", "var(--ak-value"]
    assert f"The query q{step} is made of the state before, {past};" in picture.alt and f"From {new}, {context} and {before} the read-out writes {word}." in picture.alt


@each("english, french, weights, step", STEPS)
def test_the_lines_to_the_context_are_as_thick_as_the_weights(english, french, weights, step):
    picture = recurrent.translator(english, french, weights, step)
    drawn = Drawing(picture)
    lines = [line.points for line in drawn.lines if "--ak-weight," in line.stroke]
    looks = [tuple(map(float, pair)) for pair in re.findall(r'stroke-width="([\d.]+)" stroke-opacity="([\d.]+)"', picture.parts[0].body)]
    context = box_of(drawn, f"y{step}")[0]
    assert [line[0] for line in lines] == drawn.circles and all(context._replace(height=context.height + 1).holds(*line[-1]) for line in lines)
    assert looks == [pytest.approx((2, 1) if weights is None else (1 + 5 * w, .35 + .65 * w), abs=.005) for w in weights or english]
    for j, (x, y) in enumerate(drawn.circles):
        beside = sorted((word for word in drawn.words if "--ak-weight," in word.fill and 0 < word.x - x < 20), key=lambda word: word.y)
        pair = f"{step},{j + 1}" if max(step, j + 1) > 9 else f"{step}{j + 1}"
        assert [word.text for word in beside] == [f"w{pair}", *([] if weights is None else [fixed(weights[j])])] and all(word.y < y for word in beside)
    assert ("The weights: " in picture.alt) == (weights is not None) and (weights is None or all(f"{word} {fixed(w)}" in picture.alt for word, w in zip(english, weights)))


def test_rounded_weights_are_weights():
    assert "b 0.33" in recurrent.translator(["a", "b", "c"], ["d"], [.33, .33, .33]).alt


# ---- what was copied

def test_a_wrong_word_has_a_broken_frame():
    """Word under word; right is what stands at its own place, so two words that change places are wrong both."""
    read, wrote = "ash bay cup day".split(), "ash cup bay day day".split()
    picture = recurrent.copied([(["ash"], ["ash"]), (read, wrote)])
    drawn = Drawing(picture)
    assert not drawn.crowded()
    boxes = sorted((box for box in drawn.boxes if drawn.written_in(box)), key=lambda box: (box.y, box.x))
    assert [" ".join(drawn.written_in(box)) for box in boxes] == ["ash", *wrote]
    assert [i for i, box in enumerate(boxes[1:]) if "--ak-negative," in box.stroke] == [1, 2, 4] and picture.parts[0].body.count("stroke-dasharray") == 3
    for word, box in zip(read, boxes[1:]):
        assert [above.text for above in drawn.words if abs(above.x - box.centre[0]) < .1 and box.y - 20 < above.y < box.y] == [word]
    assert picture.alt == "Read: ash. Written: ash. Read: ash bay cup day. Written: ash cup bay day day; wrong: word 2, 3, 5."


# ---- where a long sentence looks

@each("english, french, around", [(QUEEN, REINE, ((3, 5), (4, 6))), (LOVE, AIME, None), (["anticonstitutionnellement", "so"], ["va"], ((0, 0), (1, 1)))])
def test_a_square_is_as_dark_as_its_weight(english, french, around):
    weights = np.random.default_rng(0).dirichlet([0.3] * len(english), len(french))
    picture = recurrent.alignment(english, french, weights, around)
    drawn = Drawing(picture)
    assert not drawn.crowded()
    cells = np.array([[box.opacity for box in row] for row in in_rows([box for box in drawn.boxes if "--ak-fill-weight" in box.fill])])
    assert cells.shape == weights.shape and np.allclose(cells, [[opacity(w, 1) for w in row] for row in weights])
    grid = in_rows([box for box in drawn.boxes if "--ak-fill-weight" in box.fill])
    heads = sorted((word for word in drawn.words if word.y < grid[0][0].y), key=lambda word: word.x)
    assert [word.text for word in heads] == english and all(abs(word.x - box.centre[0]) < .1 for word, box in zip(heads, grid[0]))
    assert in_french(picture) == french and [word.y for word in drawn.words if word.anchor == "end"] == [pytest.approx(row[0].centre[1] + 5) for row in grid]
    frames = [box for box in drawn.boxes if box.stroke_width == 3]
    if around:
        (first, last), (begin, end) = around
        held = {(i, j) for i, row in enumerate(grid) for j, box in enumerate(row) if frames[0].holds(*box.centre)}
        assert held == {(i, j) for i in range(first, last + 1) for j in range(begin, end + 1)}
    assert len(frames) == bool(around) and f"{french[0]}: {english[weights[0].argmax()]} {fixed(weights[0].max())}" in picture.alt


def in_rows(boxes):
    """Boxes by their rows, from left to right."""
    return [[box for box in boxes if box.y == y] for y in sorted({box.y for box in boxes})]


# ---- what test_every_picture.py asks

TWELVE = "elm map gem ash key sea hat rug tea day pen ash".split()
FOURTEEN = "the young queen loves the tired white horse and she does not see us".split(), "la jeune reine aime le cheval blanc fatigué et elle ne nous voit pas".split()
NARROW = {
    "encoder and decoder": lambda: recurrent.encoder_decoder(LOVE, AIME),
    "a step with attention": lambda: recurrent.translator(LOVE, AIME, [.2, .1, .7], 2),
    "twelve words copied": lambda: recurrent.copied([(TWELVE, TWELVE[::-1])]),
    "fourteen words aligned": lambda: recurrent.alignment(*FOURTEEN, np.eye(14)),
}

BAD = [
    (lambda: recurrent.encoder_decoder([], ["je"]), ValueError, r"english must be a list of words, at least one, got \[\]"),
    (lambda: recurrent.encoder_decoder(["I"], "je"), ValueError, "french must be a list of words, at least one, got 'je'"),
    (lambda: recurrent.encoder_decoder(["I"], ["je", 3]), ValueError, r"french must hold 2 names for a sentence, got \['je', 3\]"),
    (lambda: recurrent.translator(["I"], ["je"], step=2), ValueError, "step must be from 1 to 1, the number of one of the French words, got 2"),
    (lambda: recurrent.translator(["I", "go"], ["je"], [1.0]), ValueError, r"weights must have shape \(2,\), one for each English word, got \(1,\)"),
    (lambda: recurrent.copied([]), ValueError, "pairs must be at least one pair of sentences, got none"),
    (lambda: recurrent.copied([(["a"], [])]), ValueError, r"what is written must be a list of words, at least one, got \[\]"),
    (lambda: recurrent.alignment(["I", "go"], ["je"], [[1]]), ValueError, r"weights must have shape \(1, 2\), a row for each French word, got \(1, 1\)"),
    (lambda: recurrent.alignment(["I", "go"], ["je"], [[.5, .9]]), ValueError, "must not be negative and must add up to 1"),
    (lambda: recurrent.alignment(["I", "go"], ["je"], [[.5, .5]], ((0, 1), (0, 0))), ValueError, "around must be from 0 to 0, the number of one of the words, got 1"),
    (lambda: recurrent.translator(["I", "go"], ["je"], [-.5, 1.5]), ValueError, r"must not be negative and must add up to 1, got \[-0.5, 1.5\]"),
]
