"""An exercise that is answered where it stands, or a guess before a figure is touched."""

from html import escape

import traitlets

from bookkit.figures.base import Figure


class Practice(Figure):
    """Ask for an answer in the page, and say whether it is right and, if not, what is off.

    Numbers are typed into fields, and what is said of them is what Python's check says; of lines of code, and of
    choices, it said so when the notebook was executed. A guess is kept, and stands beside what one should have seen.
    `exercise` is what ``bookkit.lessons.exercises.exercise`` returns: its `name`, and its `form`, a dict for the
    script, of the `kind` "numbers", "lines", "order", "choice" or "guess".

    >>> from bookkit.lessons.exercises import exercise
    >>> Practice(exercise("notation/count")).answer
    ['', '', '']
    """

    kind = "practice"
    STILL = "Where scripts may run, this can be answered here."
    name = traitlets.Unicode().tag(sync=True)
    form = traitlets.Dict().tag(sync=True)
    answer = traitlets.List().tag(sync=True, reset=True)
    checked = traitlets.Bool(False).tag(sync=True, reset=True)

    def __init__(self, exercise):
        super().__init__(name=exercise.name, form=exercise.form, answer=unanswered(exercise.form))

    @traitlets.validate("answer")
    def _check_answer(self, proposal):
        answer = proposal["value"]
        if not fits(answer, self.form):
            raise ValueError(f"answer must be like {unanswered(self.form)}, or hold what can be chosen, got {answer}")
        return answer

    def still(self):
        """What is asked, as on paper: a listing with its gaps, and what there is to choose from."""
        form = self.form
        listing = f"<pre>{escape(form['code'])}</pre>" if "code" in form else ""
        words = "code" if listing else "span"
        lists = ["".join(f"<li><{words}>{escape(one.replace('`', ''))}</{words}></li>" for one in offered)
                 for offered in choices(form)]
        scale = f"<p>From {form['low']:g} to {form['high']:g}{escape(form['unit'])}.</p>" if "low" in form else ""
        return listing + "".join(f'<ol type="a">{items}</ol>' for items in lists) + scale


def choices(form):
    """What there is to choose from: a list for each choice."""
    return [form["lines"]] if form["kind"] == "order" else form.get("choices", [])


def unanswered(form):
    """An answer before there is one: texts to type, numbers of choices, or a number."""
    if form["kind"] == "numbers":
        return [""] * len(form["names"])
    return [] if form["kind"] == "order" else [None] * (len(form["choices"]) or 1)


def fits(answer, form):
    """Whether an answer is of its form."""
    if form["kind"] == "numbers":
        return len(answer) == len(form["names"]) and all(isinstance(text, str) for text in answer)
    if form["kind"] == "order":
        return len({*answer}) == len(answer) and {*answer} <= {*range(len(form["lines"]))}
    if not form["choices"]:
        return len(answer) == 1 and (answer[0] is None or form["low"] <= answer[0] <= form["high"])
    return len(answer) == len(form["choices"]) and all(
        one is None or one in range(len(offered)) for one, offered in zip(answer, form["choices"]))
