"""Attention drawn as a computation: each picture has the numbers that attention computes, where they belong."""

import numpy as np
from drawn import Drawing, in_rows, written

from attnkit import attention
from bookkit.pictures import pipelines
from bookkit.pictures.formats import fixed
from pictures.sentence import KEY, QUERY, SENTENCE, VALUE


def graph(until="output"):
    return pipelines.attention_graph(QUERY[1], KEY, VALUE, key_names=SENTENCE, query_name="me", scale=0.5, until=until)


def test_attention_graph_shows_what_attention_computes():
    """Level with each name its key, score and weight; then its weight and value; the sum of these is the output."""
    output, weights = attention(QUERY[1:2], KEY, VALUE, scale=0.5)
    drawings = [Drawing(graph(), part) for part in (0, 1)]
    first, second = ([(drawn.row_name(row)[:1], drawn.said([row])[0]) for row in in_rows(drawn.cells)] for drawn in drawings)
    assert first[0][1] == written(QUERY[1:2])[0] and second[-1] == (["output"], written(output, 2)[0])
    for k, (name, score, weight) in enumerate(zip(SENTENCE, 0.5 * KEY @ QUERY[1], weights[0])):
        assert first[1 + k] == ([name], [*written(KEY)[k], fixed(score), fixed(weight)])
        assert second[k] == ([name], [fixed(weight), *written(VALUE)[k]])


def test_dot_product_multiplies_entry_by_entry_and_adds():
    u, v = np.random.default_rng(0).normal(size=(2, 4))
    picture = pipelines.dot_product(u, v, names=["Mia", "Quiet Harbour"], entry_names=["action", "romance", "comedy", "age"])
    drawn = Drawing(picture)
    assert drawn.tables() == [written([u]), written([v]), written([u * v], 2), [[fixed(u @ v)]]]
    (_, [us]), (_, [vs]), (_, [products]), _ = drawn.blocks()
    assert [drawn.column_name(cell)[0] for cell in us] == ["action", "romance", "comedy", "age"]
    assert [drawn.row_name(cells) for cells in (us, vs, products)] == [["Mia"], ["Quiet Harbour"], ["products"]]
    assert picture.alt.endswith(f" Sum: {fixed(u @ v)}.")


BAD = [
    (lambda: pipelines.attention_graph([1.0], [[1.0, 2.0]], [[1.0]], key_names=["a"]), ValueError, r"\(d_k,\), \(m, d_k\) and \(m, d_v\), got \(1,\)"),
    (lambda: pipelines.dot_product([1.0, 2.0], [1.0], names=["u", "v"], entry_names=["a", "b"]), ValueError, r"\(d,\), got \(2,\) and \(1,\)"),
    (lambda: pipelines.dot_product([1.0], [1.0], names=["u"], entry_names=["a"]), ValueError, r"names must hold 2 names for two vectors, got \['u'\]"),
    (lambda: pipelines.wiring("S", "H", projections=True, compares=False), ValueError, "no projections to draw"),
    (lambda: graph("blur"), ValueError, "until must be one of keys, scores, weights, values, output, got 'blur'"),
]
