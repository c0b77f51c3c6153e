"""Projections, and all of attention, as matrices: each number where its row meets its column."""

import numpy as np
from drawn import Drawing, signs, written
from table import each

from attnkit import attention
from bookkit.pictures import draw, matrices
from pictures.sentence import FEATURES, KEY, QUERY, SENTENCE, VALUE, W, X


def three(x=X, w=W, names=SENTENCE, features=FEATURES, **options):
    return matrices.projections(x, *w.values(), row_names=names, feature_names=features, **options)


def test_projections_stand_where_rows_meet_matrices():
    """Each matrix above what it makes, which is level with the rows; of more numbers only the signs are drawn."""
    drawn = Drawing(three())
    blocks = {str(drawn.said(rows)): rows for _, rows in drawn.blocks()}
    rows = blocks[str(written(X))]
    assert len(blocks) == 7 and [drawn.row_name(row) for row in rows] == [[name] for name in SENTENCE]
    for role, w in W.items():
        factor, made = blocks[str(written(w))], blocks[str(written(X @ w))]
        assert [c.x for c in factor[0]] == [c.x for c in made[0]] and [row[0].y for row in made] == [row[0].y for row in rows]
        assert draw.describe(X @ w, role[0].upper(), role, SENTENCE) in three().alt
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(5, 4)), {role: rng.normal(size=(4, 3)).round(1) for role in W}
    assert sorted(Drawing(three(x, w, list("abcde"), list("pqrs"))).tables()) == sorted([signs(x)] + [signs(m) for v in w.values() for m in (v, x @ v)])


@each("q, k, v, names, asked", [(QUERY, KEY, VALUE, SENTENCE, None), (QUERY[:2], KEY[:3], np.c_[VALUE, VALUE[:, 0]][:3], ["je", "tu"], ["I", "you", "we"]),
                                (QUERY[:, :1], KEY[:1, :1], VALUE[:1, :1], SENTENCE, ["all"])])
def test_head_shows_what_attention_computes(q, k, v, names, asked):
    """Queries beside, keys above their scores; weights beside, values above the output; one query's row is framed all the way."""
    output, weights = attention(q, k, v)
    picture = matrices.head(q, k, v, names=names, column_names=asked, highlight=1)
    for part, wanted in enumerate(([written(q), written(k.T), written(q @ k.T, 2)], [written(weights, 2), written(v), written(output, 2)])):
        drawn = Drawing(picture, part)
        blocks = {str(drawn.said(rows)): rows for _, rows in drawn.blocks()}
        beside, above, made = (blocks[str(table)] for table in wanted)
        assert [row[0].y for row in beside] == [row[0].y for row in made] and [c.x for c in above[0]] == [c.x for c in made[0]]
        assert [drawn.row_name(row)[-1] for row in beside] == names and drawn.lit() == {*beside[1], *made[1]}
    assert f"The row of {names[1]} is framed." in picture.alt


BAD = [
    (lambda: three(x=X[0]), ValueError, r"x, w_query, .* \(d, d_v\), got \(3,\), \(3, 2\), \(3, 2\) and \(3, 2\)"),
    (lambda: three(features=["a"]), ValueError, "feature_names must hold 3 names"),
    (lambda: matrices.head(QUERY[0], KEY, VALUE, names=SENTENCE), ValueError, r"\(n, d_k\), \(m, d_k\) and \(m, d_v\), got \(2,\), \(4, 2\)"),
    (lambda: matrices.head(QUERY[:2], KEY, VALUE, names=["a", "b"]), ValueError, r"column_names must hold 4 names for key .* got \['a', 'b'\]"),
    (lambda: matrices.head(QUERY, KEY, VALUE, names=SENTENCE, highlight=4), ValueError, "highlight must lie within 4 rows, got 4"),
]
