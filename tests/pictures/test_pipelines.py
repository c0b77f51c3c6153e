"""Attention drawn as a computation: each picture has the numbers that attention computes, where they belong."""

import numpy as np
import pytest
from drawn import Drawing
from table import each

from attnkit import attention
from bookkit.pictures import palette, pipelines
from bookkit.pictures.formats import fixed
from pictures.sentence import KEY, QUERY, SENTENCE, VALUE

# ---- one output

def test_attention_graph_shows_what_attention_computes():
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    picture = pipelines.attention_graph(q, k, v, key_names=list("abcde"), query_name="me", scale=0.5)
    output, weights = attention(q[None], k, v, scale=0.5)
    weights, output = weights[0], output[0]

    def rows(part):
        """The rows of a drawing: a name, then its numbers from left to right."""
        drawn = Drawing(picture, part)
        frames = sorted(drawn.blocks(), key=lambda block: (round(block[0].y), block[0].x))
        found = {}
        for frame, [cells] in frames:
            found.setdefault(round(frame.y), []).append((drawn.row_name(cells), [drawn.written_in(c)[0] for c in cells]))
        return [(blocks[0][0][:1], [number for _, numbers in blocks for number in numbers]) for _, blocks in sorted(found.items())]

    asked, *keys = rows(0)
    assert asked[1] == [fixed(x, 1) for x in q] and "me asks with its query" in [w.text for w in Drawing(picture).words]
    assert keys == [([name], [*(fixed(x, 1) for x in key), fixed(score), fixed(weight)])
                    for name, key, score, weight in zip("abcde", k, 0.5 * k @ q, weights)]
    *values, summed = rows(1)
    assert values == [([name], [fixed(weight), *(fixed(x, 1) for x in value)]) for name, weight, value in zip("abcde", weights, v)]
    assert summed == (["output"], [fixed(y) for y in output])
    assert all(f"weight {fixed(w)}" in picture.alt for w in weights) and fixed(output[1]) in picture.alt


def graph(until, name="me", **changed):
    return pipelines.attention_graph(QUERY[1], KEY, VALUE, key_names=SENTENCE, query_name=name, scale=0.5, until=until, **changed)


def test_attention_graph_grows():
    """What is drawn stays where it is; what comes later is neither drawn nor told before."""
    scores, weights, output = (Drawing(graph(until)) for until in ("scores", "weights", "output"))
    for less, more in ((scores, weights), (weights, output)):
        assert less.page == more.page and set(less.words) <= set(more.words) and set(less.cells) <= set(more.cells)
        assert less.circles == more.circles and {frame for frame, _ in less.blocks()} <= {frame for frame, _ in more.blocks()}
    assert (weights.words, weights.boxes, weights.lines) == (output.words, output.boxes, output.lines)
    later = sorted(word.text for word in set(weights.words) - set(scores.words))
    exact = attention(QUERY[1:2], KEY, VALUE, scale=0.5)[1][0]
    assert later == sorted(["softmax", "weights", *map(fixed, exact)])
    assert not any("weight" in box.fill + box.stroke for box in scores.boxes) and len(scores.circles) == 4
    last = max(cell.x + cell.width for cell in scores.cells)
    assert all(x < last for line in scores.lines for x, _ in line.points), "a line that leads nowhere"
    assert max(word.box.x + word.width for word in scores.words if word.text != "me asks with its query") < last + 2
    for until in ("scores", "weights"):
        later = Drawing(graph(until), 1)
        assert not later.words + later.boxes + later.lines
    assert graph("output").html() == pipelines.attention_graph(QUERY[1], KEY, VALUE, key_names=SENTENCE, query_name="me", scale=0.5).html()


def test_attention_graph_begins_with_query_and_keys():
    """No knots, no lines and no numbers but those of the vectors; all of it stands where it will."""
    keys, scores, later = Drawing(graph("keys")), Drawing(graph("scores")), Drawing(graph("keys"), 1)
    assert keys.page == scores.page and set(keys.words) < set(scores.words) and set(keys.cells) < set(scores.cells)
    assert not keys.circles + keys.lines and not later.words + later.boxes + later.lines
    numbers = [fixed(x, 1) for x in [*QUERY[1], *KEY.flat]]
    assert sorted(w.text for w in keys.words) == sorted(["me asks with its query", "keys", *SENTENCE, *numbers])
    assert len(keys.cells) == len(numbers)


def test_attention_graph_weighs_values_before_it_adds_them():
    """Weights, values and the knots between them stand where they will; neither the sum nor a line that leads to it does."""
    values, output = Drawing(graph("values"), 1), Drawing(graph("output"), 1)
    assert Drawing(graph("values")).words == Drawing(graph("output")).words
    assert values.page == output.page and set(values.words) < set(output.words) and set(values.cells) < set(output.cells)
    assert sorted(w.text for w in set(output.words) - set(values.words)) == sorted(["output", "+", *map(fixed, attention(QUERY[1:2], KEY, VALUE, scale=0.5)[0][0])])
    assert len(values.circles) == len(SENTENCE) and set(values.circles) < set(output.circles)
    assert all(x <= min(c.x for c in values.cells if "weight" not in c.fill) for line in values.lines for x, _ in line.points), "a line that leads nowhere"


def dashed(drawn):
    """The lines that run round something."""
    return [box for box in drawn.boxes if box.fill == "none" and "--ak-ink" in box.stroke]


def content(drawn):
    """Squares and words as they can be found again in another stage's drawing."""
    return {(c.x, c.y) for c in drawn.cells} | {(w.text, w.x, w.y) for w in drawn.words}


@each("vectors", ["sentence", "one column", "long names"])
@each("until", pipelines.UNTIL)
def test_a_line_runs_round_what_is_new(until, vectors):
    """It holds every square that the stage before lacks and no other, and runs through no word and out of no drawing."""
    stages = list(pipelines.UNTIL)

    def drawings(until, outline=True):
        picture = graph(until, outline=outline)
        if vectors != "sentence":
            rng, wide = np.random.default_rng(3), 1 if vectors == "one column" else 5
            q, k, v = rng.normal(size=wide), rng.normal(size=(3, wide)), 20 * rng.normal(size=(3, wide))
            names = ["a", "b", "c"] if wide == 1 else ["unforgettable", "b", "notwithstanding"]
            picture = pipelines.attention_graph(q, k, v, key_names=names, query_name="somebody", until=until, outline=outline)
        return [Drawing(picture, part) for part in (0, 1)]

    place = stages.index(until)
    now, part = drawings(until), int(place > 2)
    before = drawings(stages[place - 1]) if place else None
    plain = drawings(until, outline=False)
    assert [len(dashed(drawn)) for drawn in now] == [1 - part, part] and not dashed(plain[0]) + dashed(plain[1])
    drawn, [line] = now[part], dashed(now[part])
    old = content(before[part]) if before else set()
    new = {cell for cell in drawn.cells if (cell.x, cell.y) not in old}
    assert new and all(line.holds(*cell.centre) == (cell in new) for cell in drawn.cells)
    assert all(cell.within(line) for cell in new) and line.within(drawn.page)
    for word in drawn.words:
        behind = any(np.hypot(word.x - x, word.y - 5 - y) < 1 for x, y in drawn.circles)       # the sign of a knot, whose disc hides the line
        turned = word.text == "softmax"                                                        # its frame is asked below
        assert behind or turned or word.box.within(line) or not word.box.meets(line), f"the line runs through {word.text!r}"
    boxes = [box for box in drawn.boxes if "--ak-page" in box.fill and box.stroke]
    assert len(boxes) == (until == "weights") and all(box.within(line) for box in boxes)
    assert {w.text for w in plain[part].words} == {w.text for w in drawn.words}


def test_outlined_stages_are_of_one_size_and_say_what_is_outlined():
    every = [graph(until, outline=True) for until in pipelines.UNTIL]
    assert len({tuple(part.width for part in picture.parts) for picture in every}) == 1
    assert {picture.parts[0].height for picture in every} == {Drawing(every[-1], 1).page.height}
    for until, picture in zip(pipelines.UNTIL, every):
        [body] = [part.body for part in picture.parts if "dasharray" in part.body]
        assert until == "keys" or body.index("dasharray") < body.index("<circle"), "the line runs across knots"
        assert picture.alt == f"{graph(until).alt} Outlined: {pipelines.UNTIL[until]}."


def test_a_growing_graph_tells_what_it_shows():
    query, *keys = (f"({', '.join(fixed(x, 1) for x in row)})" for row in (QUERY[1], *KEY))
    assert graph("keys").alt == f"me asks. The query: {query}. The keys: {'; '.join(map(' '.join, zip(SENTENCE, keys)))}."
    weights = attention(QUERY[1:2], KEY, VALUE, scale=0.5)[1][0]
    weighed = "; ".join(f"{name}: {fixed(w)} times ({', '.join(fixed(x, 1) for x in v)})" for name, w, v in zip(SENTENCE, weights, VALUE))
    assert graph("values").alt == f"{graph('weights').alt} Each value is multiplied by its weight. {weighed}."
    told = "; ".join(f"{name}: score {fixed(s)}" for name, s in zip(SENTENCE, 0.5 * KEY @ QUERY[1]))
    assert graph("scores").alt == f"me asks. The query meets each key. {told}."
    first = graph("weights").alt
    assert "one softmax makes weights" in first and "value" not in first and graph("output").alt.startswith(first + " Each value is ")
    assert graph("scores", "").alt.startswith("The query meets")


@pytest.mark.browser
@pytest.mark.parametrize("width", [800, 360])
def test_a_growing_graph_stays_at_its_place(watched, tmp_path, width):
    """The room of what is still to come is kept beside the drawing, but not below it, where a phone would scroll past nothing."""
    page = tmp_path / "graph.html"
    pictures = "".join(graph(until).html() for until in pipelines.UNTIL)
    page.write_text(f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>.</title>{pictures}</html>")
    with watched(width=width) as w:
        w.open(page.as_uri())
        found = w.page.evaluate("""() => [...document.querySelectorAll('figure')].map(f => [f, f.querySelector('svg')].map(e => e.getBoundingClientRect()))
            .map(([f, s]) => [s.left, s.top - f.top, s.width, s.height, f.height])""")
    places = np.array(found)
    assert np.allclose(places[:, [0, 2, 3]], places[0, [0, 2, 3]], atol=.1)
    if width == 800:
        assert np.allclose(places, places[0], atol=.1)
    else:
        assert (places[:3, 4] < places[:3, 3] + 40).all() and (places[3:, 4] > 1.5 * places[3:, 3]).all()


# ---- a dot product, and the stages

def test_dot_product_multiplies_entry_by_entry_and_adds():
    rng = np.random.default_rng(0)
    u, v = rng.normal(size=4), rng.normal(size=4)
    entries = ["action", "romance", "comedy", "age"]
    picture = pipelines.dot_product(u, v, names=["Mia", "Quiet Harbour"], entry_names=entries)
    drawn = Drawing(picture)
    (left, [us]), (right, [vs]), (_, [products]), (_, [total]) = drawn.blocks()
    for cells, name, numbers, digits in ((us, "Mia", u, 1), (vs, "Quiet Harbour", v, 1), (products, "products", u * v, 2)):
        assert [drawn.written_in(c) for c in cells] == [[fixed(x, digits)] for x in numbers]
        assert drawn.row_name(cells) == [name] and [c.x for c in cells] == [c.x for c in us]
    assert us[0].y < vs[0].y < products[0].y
    assert len(total) == 1 and drawn.written_in(total[0]) == [fixed(u @ v)]
    assert total[0].y == products[0].y and total[0].x > products[-1].x, "the sum ends the row of the products"
    assert [drawn.column_name(cell)[0] for cell in us] == entries and drawn.column_name(total[0])[-1] == "score"
    assert "--ak-query" in left.stroke and "--ak-key" in right.stroke
    assert {w.text: w.fill for w in drawn.words if w.text in ("Mia", "Quiet Harbour")} == {
        "Mia": palette.var("query"), "Quiet Harbour": palette.var("key")}
    for cells, sign in ((us, "×"), (vs, "=")):           # between a row and the next, at every entry
        below = [w for w in drawn.words if w.text == sign and cells[0].y + cells[0].height < w.y < cells[0].y + 2 * cells[0].height]
        assert [w.x for w in below] == pytest.approx([c.centre[0] for c in cells])
    assert "+" in [w.text for w in drawn.words]
    told = ", ".join(f"{name} {fixed(x)}" for name, x in zip(entries, u * v))
    assert picture.alt.startswith("Vector Mia, 4 numbers: action ") and "Vector Quiet Harbour, 4 numbers" in picture.alt
    assert picture.alt.endswith(f" The products: {told}. Sum: {fixed(u @ v)}.")


FILMS = np.array([[0.9, -0.6, -0.2], [-0.7, 0.9, 0.1], [0.1, 0.2, 0.8], [-0.3, 0.6, -0.5]])


# ---- a layer as a wiring

@each("asks, asked, options", [
    ("S", "H", {}), ("S", "H", {"projections": True}), ("X", "X", {}), ("S", "H", {"compares": False})])
def test_wiring_leads_from_rows_to_roles(asks, asked, options):
    """Where each line begins: at the rows that make the role; and what stands on its way."""
    drawn = Drawing(pipelines.wiring(asks, asked, label="a title", **options))
    words = [word.text for word in drawn.words]
    compares = options.get("compares", True)
    roles = ["query", "key", "value"] if compares else ["query", "value"]
    assert [word for word in words if word in ("query", "key", "value")] == roles and words[0] == "a title"
    assert ("FC" in words) == (not compares) and len([w for w in words if w[0] == "W"]) == (3 if options.get("projections") else 0)
    holders = {text: [box for box in drawn.boxes if text in drawn.written_in(box)] for text in {asks, asked}}
    assert all(len(boxes) == 1 for boxes in holders.values())
    for role in roles:
        x = next(word.x for word in drawn.words if word.text == role)
        rows = holders[asks if role == "query" else asked][0]
        # A role is written beside its line.
        [begins] = [line.points[0] for line in drawn.lines if abs(line.points[0][0] - x) < 12 and line.points[0][1] < rows.y + rows.height + 1]
        assert rows.x <= begins[0] <= rows.x + rows.width and begins[1] == pytest.approx(rows.y + rows.height)
    # Query and key meet in one place, and the value comes to the line that leads from there to the output.
    ends = {role: next(line.points[-1] for line in drawn.lines if abs(line.points[0][0] - next(w.x for w in drawn.words if w.text == role)) < 12
                       and line.points[0][1] < rows.y + rows.height + 1) for role in roles}
    meeting = ends["query"]
    assert not compares or ends["key"] == pytest.approx(meeting)
    [main] = [line for line in drawn.lines if line.points[0] == pytest.approx(meeting)]
    assert ends["value"][0] == pytest.approx(meeting[0]) and main.points[0][1] < ends["value"][1] < main.points[-1][1]
    output = next(word for word in drawn.words if word.text == "output")
    assert output.x == pytest.approx(meeting[0]) and main.points[-1][1] < output.y
    words = pipelines.wiring(asks, asked, **options).alt
    assert ("each times a matrix of its own" in words) == bool(options.get("projections"))
    assert ("from the queries alone" in words) == (not compares)


# ---- what test_every_picture.py asks

NARROW = {      # what chapters come back to has room on a phone
    "dot_product": lambda: pipelines.dot_product(FILMS[0], FILMS[3], names=["Mia", "Quiet Harbour"],
                                              entry_names=["action", "romance", "comedy"]),
    "graph": lambda: graph("scores"),
}

BAD = [
    (lambda: pipelines.attention_graph([1.0], [[1.0, 2.0]], [[1.0]], key_names=["a"]), ValueError, r"\(d_k,\), \(m, d_k\) and \(m, d_v\), got \(1,\)"),
    (lambda: pipelines.dot_product([1.0, 2.0], [1.0], names=["u", "v"], entry_names=["a", "b"]), ValueError, r"\(d,\), got \(2,\) and \(1,\)"),
    (lambda: pipelines.dot_product([1.0], [1.0], names=["u"], entry_names=["a"]), ValueError, r"names must hold 2 names for two vectors, got \['u'\]"),
    (lambda: pipelines.dot_product([1.0], [1.0], names=["u", "v"], entry_names=[]), ValueError, r"entry_names must hold 1 names .* got \[\]"),
    (lambda: pipelines.wiring("S", "H", projections=True, compares=False), ValueError, "no projections to draw"),
    (lambda: pipelines.attention_graph([1.0], [[1.0]], [[1.0]], key_names=["a"], until="blur"), ValueError,
     "until must be one of keys, scores, weights, values, output, got 'blur'"),
]
