"""Translators that read word by word: whose weights the lines and squares show."""


import numpy as np
from drawn import Drawing, in_rows
from table import each

from bookkit.pictures import recurrent
from bookkit.pictures.formats import fixed
from bookkit.pictures.shapes import opacity

LOVE, AIME = ["I", "love", "you"], ["je", "t'", "aime"]
QUEEN, REINE = "we do not admire the young queen".split(), "nous n' admirons pas la jeune reine".split()


@each("english, french, weights, step", [(LOVE, AIME, [.11, .01, .88], 2), (QUEEN, REINE, [.02, .1, .08, .7, .05, .02, .03], 3), (["go"], ["va", "vite"], [1], 2)])
def test_the_lines_to_the_context_are_as_thick_as_the_weights(english, french, weights, step):
    """And each weight stands beside its line."""
    drawn = Drawing(recurrent.translator(english, french, weights, step))
    looks = [(line.width, line.opacity) for line in drawn.lines if "--ak-weight," in line.stroke]
    assert np.allclose(looks, [(1 + 5 * w, .35 + .65 * w) for w in weights], atol=.005)
    for j, (x, _) in enumerate(drawn.circles):
        beside = [word.text for word in drawn.words if "--ak-weight," in word.fill and 0 < word.x - x < 20]
        assert beside == [f"w{step}{j + 1}", fixed(weights[j])]


@each("english, french", [(QUEEN, REINE), (LOVE, AIME), (["anticonstitutionnellement", "so"], ["va"])])
def test_a_square_is_as_dark_as_its_weight(english, french):
    weights = np.random.default_rng(0).dirichlet([0.3] * len(english), len(french))
    picture = recurrent.alignment(english, french, weights, ((0, 0), (0, 1)))
    drawn = Drawing(picture)
    grid = in_rows([box for box in drawn.boxes if "--ak-fill-weight" in box.fill])
    assert np.allclose([[box.opacity for box in row] for row in grid], [[opacity(w, 1) for w in row] for row in weights])
    assert [drawn.column_name(cell)[-1] for cell in grid[0]] == english and [drawn.row_name(row)[-1] for row in grid] == french
    assert f"{french[0]}: {english[weights[0].argmax()]} {fixed(weights[0].max())}" in picture.alt


BAD = [
    (lambda: recurrent.encoder_decoder([], ["je"]), ValueError, r"english must be a list of words, at least one, got \[\]"),
    (lambda: recurrent.translator(["I"], ["je"], step=2), ValueError, "step must be from 1 to 1, the number of one of the French words, got 2"),
    (lambda: recurrent.alignment(["I", "go"], ["je"], [[.5, .9]]), ValueError, "must not be negative and must add up to 1"),
]
