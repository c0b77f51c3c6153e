"""What a figure asks of a trained model: so little that no figure needs to know how the model is made.

A model is written once in Python, with its results by name, and once in JavaScript (`model.js`), which the tests hold
against it.  A figure sends the packed model to the page, and in Python asks the copy that is unpacked from it: both
then compute with the same numbers.

A language model, as `bookkit.lessons.storyteller.Storyteller`, has ``words``, the vocabulary, a ``context``, how many
of them it reads at most, and ``num_layers`` layers of ``num_heads`` heads.  Its ``trace`` of n words gives by name
``embedding`` (n, d); for each layer, with ``layers.0.`` and so on in front, ``query``, ``key``, ``value``, ``scores``,
``weights`` and ``heads`` (h, n, ...), ``after_attention`` and ``after_mlp`` (n, d), ``hidden`` (n, hidden units);
``norm`` (n, d) and ``scores`` (n, words).  Other figures name the model that they ask.
"""


def travelled(model):
    """A model as a page has it: its packed form, and the model that is unpacked from that."""
    packed = model.packed()
    return packed, type(model).unpacked(packed)
