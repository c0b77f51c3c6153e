"""The training of a small Transformer on stories: a recorded one to drag through, and one of the reader's own."""

from html import escape

import traitlets

from bookkit.figures.base import Count, Figure, Index, few, one_each, still_table
from bookkit.pictures.formats import fixed

SEEDS = 10_000
NEEDED = ("words", "losses", "lowest", "questions", "decides", "beginning", "seed", "temperature", "chapter_seed")


class StoryTrainer(Figure):
    """Train a small Transformer on stories in the page, and see at some steps what it writes, answers and looks at.

    It opens with a recorded training, which can be dragged through.

    `recording` is what `bookkit.lessons.story_training.recording` gives: the marks, which say at some steps what the
    model writes, what it answers and where it looks; the losses; and what it is asked. `mark` is the number of the one
    that is shown.

    From a `seed`, 0 to 9999, the page draws the random numbers that Python draws, and trains for `steps` steps, 20 to
    4000, with four stories in each; with `book` it repeats the chapter's own training, 4,000 steps of ten, and comes to
    the chapter's own model.

    >>> from bookkit.lessons.story_training import recording
    >>> figure = StoryTrainer(recording(), mark=2)
    >>> figure.marks[figure.mark]["step"]
    50
    """

    kind = "story_trainer"
    needs = ("model", "loading", "seeds", "grammar", "learner")
    marks = traitlets.List().tag(sync=True)
    task = traitlets.Dict().tag(sync=True)
    steps = Count(20, 4000, 1600).tag(sync=True)
    mark = Index("marks", "marks").tag(sync=True, reset=True)
    seed = Index(SEEDS, "seeds").tag(sync=True, reset=True)
    book = traitlets.Bool(False).tag(sync=True, reset=True)

    def __init__(self, recording, mark=0, seed=1, book=False, steps=1600, caption=""):
        if missing := [name for name in ("marks", *NEEDED) if name not in recording]:
            raise ValueError(f"recording lacks {', '.join(missing)}")
        task = {name: recording[name] for name in NEEDED}
        for one in few(recording["marks"], "marks of recording", 2, 20):
            one_each(one["chances"], "chances of a mark", task["questions"], "questions")
        super().__init__(marks=recording["marks"], task=task, steps=steps, mark=mark, seed=seed, book=book,
                         caption=caption)

    def still(self):
        """All marks: the loss, the chances of the right answers, and the stories, mistakes underlined."""
        asked = [f"“... {' '.join(one['text'].split()[-2:])} {one['answers'][0]}”" for one in self.task["questions"]]
        rows = [[f"{mark['step']:,}", fixed(mark["loss"]), *(fixed(row[0]) for row in mark["chances"])]
                for mark in self.marks]
        stories = "".join(f"<p>Step {mark['step']:,}: {underlined(mark)}</p>" for mark in self.marks)
        return f"<div>{still_table(['step', 'loss', *asked], rows)}{stories}</div>"


def underlined(mark):
    """The story of a mark, its mistakes underlined."""
    wrong = {place for _, place in mark["errors"]}
    words = [f"<u>{escape(word)}</u>" if k in wrong else escape(word) for k, word in enumerate(mark["story"])]
    return " ".join(words)
