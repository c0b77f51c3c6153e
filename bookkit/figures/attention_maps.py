"""Trained attention, sentence by sentence: where each word looks, who looks at it, and the whole matrix."""

from html import escape

import numpy as np
import traitlets

from bookkit.figures.base import Figure, Index, few, index, number_array, one_each, still_cell
from bookkit.pictures.formats import fixed

MOST = 12        # sentences, and words on either side of one
SIDES = ("row", "column")


class AttentionMaps(Figure):
    """Choose a sentence, a step and a word on either side: its weights on the other side, curves and matrix answer.

    `examples` are 1 to 12 dicts, one for each sentence, with 2 to 12 words on each side: ``rows``, the n words that
    look; ``columns``, the m words looked at; ``weights`` (number of steps, n, m), within [0, 1] and each row summing to
    one within 0.01; they are kept with three decimals. If you like, ``said``, what the model says at each step, a list
    of str; and ``gold``, for each row word the list of the positions of the right column words.

    `steps` names the snapshots: moments of the training, layers, heads. The last is shown first if no `step` is given,
    and `step_name` is the slider's name. `rows` and `columns` say what the words that look are, and the words looked
    at; the language of the former ("fr") is for a screen reader, the page's if not given.

    >>> pair = {"rows": ["t'", "aime"], "columns": ["I", "love", "you"]}
    >>> figure = AttentionMaps([{**pair, "weights": [[[.11, .01, .88], [.03, .95, .02]]]}])
    >>> figure.word = ["column", 1]
    >>> figure.shown
    [0.01, 0.95]
    """

    kind = "attention_maps"
    needs = ("weights",)
    examples = traitlets.List().tag(sync=True)
    steps = traitlets.List(traitlets.Unicode()).tag(sync=True)
    rows = traitlets.Unicode().tag(sync=True)
    columns = traitlets.Unicode().tag(sync=True)
    step_name = traitlets.Unicode().tag(sync=True)
    rows_language = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    example = Index("examples", "examples").tag(sync=True, reset=True)
    step = Index("steps", "steps").tag(sync=True, reset=True)
    word = traitlets.Any().tag(sync=True, reset=True)        # its side, "row" or "column", and its place there

    def __init__(self, examples, steps=("",), rows="output", columns="input", caption="", step=None, *,
                 step_name="step", rows_language=None):
        steps = list(steps)
        few(examples, "examples", 1, MOST)
        super().__init__(examples=[_example(e, f"examples[{k}]", len(steps)) for k, e in enumerate(examples)],
                         steps=steps, rows=rows, columns=columns, step_name=step_name, rows_language=rows_language,
                         step=len(steps) - 1 if step is None else step, word=["row", 0], caption=caption)

    @traitlets.validate("word")
    def _check_word(self, proposal):
        value = proposal["value"]
        if len(value) != 2 or value[0] not in SIDES:
            raise ValueError(f'word must be "row" or "column" and a place, got {value!r}')
        words = self.examples[self.example][f"{value[0]}s"]
        return [value[0], index(value[1], "word", len(words), f"{value[0]} words")]

    @traitlets.observe("example")
    def _first_word(self, change):
        self.word = ["row", 0]      # the word chosen before may not exist here

    @property
    def weights(self):
        """The weights of this sentence at this step: shape (n, m)."""
        return np.array(self.examples[self.example]["weights"][self.step])

    @property
    def shown(self):
        """The weights of the chosen word: its row or its column."""
        side, k = self.word
        return (self.weights if side == "row" else self.weights.T)[k].tolist()

    def still(self):
        """The table of this sentence's weights at this step; the right words are marked."""
        e = self.examples[self.example]
        lang = f' lang="{escape(self.rows_language)}"' if self.rows_language else ""
        right = e.get("gold", [[]] * len(e["rows"]))
        head = "".join(f'<th scope="col">{escape(c)}</th>' for c in e["columns"])
        body = "".join(f'<tr><th scope="row"{lang}>{escape(word)}</th>'
                       + "".join(still_cell(w, fixed(w), 1, kind="weight", note=" ✓" if j in good else "")
                                 for j, w in enumerate(row))
                       + "</tr>" for word, row, good in zip(e["rows"], self.weights, right))
        name = f"{escape(self.step_name)} {escape(self.steps[self.step])}" if len(self.steps) > 1 else ""
        said = f'says: “<span{lang}>{escape(e["said"][self.step])}</span>”' if "said" in e else ""
        line = "; ".join(filter(None, [name, said]))
        key = "<p>✓ marks the right words.</p>" if "gold" in e else ""
        # Twelve columns of numbers are wider than a phone: the table scrolls by itself.
        return ((f"<p>{line}</p>" if line else "") + '<div style="overflow-x:auto" tabindex="0"><table><thead><tr>'
                f"<td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>{key}")


def _example(example, name, steps):
    """Check one sentence and return it as plain data."""
    rows, columns = (few(list(example[side]), f"{side} of {name}", 2, MOST) for side in ("rows", "columns"))
    weights = np.array(number_array(example["weights"], f"weights of {name}", 0, 1, (steps, len(rows), len(columns))))
    worst = max(weights.sum(axis=-1).flat, key=lambda total: abs(total - 1))
    if abs(worst - 1) > 0.01 + 1e-9:
        raise ValueError(f"weights of {name}: each row must sum to one, got a sum of {worst:g}")
    checked = {"rows": rows, "columns": columns, "weights": weights.round(3).tolist()}
    if example.get("said") is not None:
        checked["said"] = one_each(example["said"], f"said of {name}", range(steps), "steps")
    if example.get("gold") is not None:
        checked["gold"] = [[index(j, f"gold of {name}", len(columns), "columns") for j in right]
                           for right in one_each(example["gold"], f"gold of {name}", rows, "rows")]
    return checked
