"""An exercise that is answered where it stands, or a guess before a figure is touched."""

from html import escape

import traitlets

from attnkit.figures.base import Figure

GAP = "___"                                  # in a function, what a line is chosen for
KINDS = ("numbers", "lines", "order", "choice", "guess")


class Practice(Figure):
    """Ask for an answer in the page, and say whether it is right and, if not, what is off.

    Numbers are typed into fields, and what is said of them is what Python's check says; of lines of code and of choices,
    it said so when the notebook was executed.  A guess is kept, and stands beside what one should have seen.

    Parameters
    ----------
    exercise : object
        One of ``attnkit.lessons.exercises.exercise``: its `name`, and its `form`, a dict for the script, with the `kind`
        "numbers", "lines", "order", "choice" or "guess".

    Raises
    ------
    TypeError, ValueError
        What is given is no exercise; an answer that does not fit, also when it is set later.

    Examples
    --------
    >>> from attnkit.lessons.exercises import exercise
    >>> asked = Practice(exercise("notation/count"))
    >>> asked.answer
    ['', '', '']
    >>> asked.answer = ["4", "6", "24"]
    """

    kind = "practice"
    STILL = "Where scripts may run, this can be answered here."
    name = traitlets.Unicode().tag(sync=True)
    form = traitlets.Dict().tag(sync=True)
    answer = traitlets.List().tag(sync=True, reset=True)
    checked = traitlets.Bool(False).tag(sync=True, reset=True)

    def __init__(self, exercise):
        form, name = getattr(exercise, "form", None), getattr(exercise, "name", None)
        if not isinstance(form, dict) or form.get("kind") not in KINDS or not isinstance(name, str):
            raise TypeError(f"an exercise is asked for, got {exercise!r}")
        super().__init__(name=name, form=form, answer=self.unanswered(form))

    @staticmethod
    def unanswered(form):
        """The answer before there is one."""
        if form["kind"] == "numbers":
            return [""] * form["size"]
        return [] if form["kind"] == "order" else [None] * (len(form["choices"]) or 1)

    @traitlets.validate("answer")
    def _check_answer(self, proposal):
        answer, form = proposal["value"], self.form
        if form["kind"] == "numbers":
            if len(answer) != form["size"] or not all(isinstance(text, str) for text in answer):
                raise ValueError(f"answer must be {form['size']} texts, got {answer!r}")
        elif form["kind"] == "order":
            if not all(isinstance(k, int) and 0 <= k < len(form["lines"]) for k in answer) or len({*answer}) < len(answer):
                raise ValueError(f"answer must be numbers of lines, each once, got {answer!r}")
        elif not form["choices"]:
            if len(answer) != 1 or not (answer[0] is None or form["low"] <= answer[0] <= form["high"]):
                raise ValueError(f"answer must be one number from {form['low']} to {form['high']}, got {answer!r}")
        elif len(answer) != len(form["choices"]) or not all(
                k is None or isinstance(k, int) and 0 <= k < len(offered) for k, offered in zip(answer, form["choices"])):
            raise ValueError(f"answer must hold a choice for each of {len(form['choices'])}, got {answer!r}")
        return answer

    def still(self):
        """What is asked, as on paper: fields to be filled, or a listing with its gaps, and what there is to choose from."""
        form = self.form
        if form["kind"] == "numbers":
            return ""
        listing = f"<pre>{escape(form['code'])}</pre>" if form.get("code") else ""
        offered = [form["lines"]] if form["kind"] == "order" else form["choices"]
        tag = ("code", "pre")[0] if listing else "span"
        lists = ("<ol type=\"a\">" + "".join(f"<li><{tag}>{escape(words)}</{tag}></li>" for words in of_one) + "</ol>"
                 for of_one in offered)
        scale = f"<p>From {form['low']:g} to {form['high']:g}{escape(form['unit'])}.</p>" if form["kind"] == "guess" and not offered else ""
        return listing + "".join(lists) + scale
