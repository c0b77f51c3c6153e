"""What a Transformer is built of: encoder and decoder, the figure of 2017, and where a word looks."""

import numpy as np
import pytest
from drawn import Drawing, depths

from bookkit.pictures import blocks
from bookkit.pictures.formats import fixed


def test_a_box_of_the_figure_of_2017_leads_to_its_page():
    """A box of a number wherever it stands, the others nowhere; what has links is no image to a screen reader."""
    still, leads = blocks.figure_of_2017(), blocks.figure_of_2017(links={4: "layers.ipynb"})
    assert leads.html().count('<a href="layers.ipynb"><rect ') == 5 and "<a " not in still.html()
    assert 'role="group"' in leads.html() and 'role="img"' in still.html()


TIRED = "The animal did not cross the road because it was too tired".split()
LOOKS = np.array([[.01, .1, .01, .01, .01, .01, .06, .01, .2, .01, .02, .55], [0, .9, 0, 0, 0, 0, .1, 0, 0, 0, 0, 0]])


@pytest.mark.parametrize("words, weights, asking", [(TIRED, LOOKS, 8), (["a", "b", "it"], [[.3, .3, .4]], 2)])
def test_words_have_the_colour_of_their_weights(words, weights, asking):
    """Each word in a box as deep as its weight, in ink the one that asks; the three largest have their numbers."""
    names = [f"layer {i + 1}" for i in range(len(weights))]
    picture = blocks.attention_over_words(words, weights, asking=asking, row_names=names)
    drawn, n = Drawing(picture), len(words)
    for k, (name, numbers) in enumerate(zip(names, weights)):
        row = drawn.cells[k * n:(k + 1) * n]
        assert drawn.said([row]) == [words] and depths(row, numbers)
        assert [i for i, box in enumerate(row) if "--ak-ink" in box.stroke] == [asking]
        largest = [i for i in np.argsort(-np.asarray(numbers), kind="stable")[:3] if fixed(numbers[i]) != "0.00"]
        assert f"{name}: {', '.join(f'{words[i]} {fixed(numbers[i])}' for i in largest)}." in picture.alt
        assert all(fixed(numbers[i]) in drawn.column_name(row[i]) for i in largest)
