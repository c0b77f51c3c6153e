"""A trained attention head, opened: each word's score, its weight, and what it adds to each answer."""

from html import escape

import numpy as np
import traitlets

from attnkit import checks, softmax
from bookkit.figures import base
from bookkit.figures.base import Between, Figure, Index, different, few, index, number_array, one_each
from bookkit.pictures.formats import fixed

HEADS, SENTENCES, WIDTH = 4, 40, 64            # at most: heads, sentences, numbers of a key
WORDS, ANSWERS = (2, 8), (2, 5)                # from, to: words of a sentence, answers
LARGEST, PUSH = 1000, 3                        # with either sign: the head's numbers, the slider


class WordVotes(Figure):
    """Delete a word and see whether the head still answers; add one vector to all keys and see that no weight moves.

    One word asks: its query meets the keys of all words, and each word adds its vote, times its weight, to the answers.

    `sentences` are s, 1 to 40, each of the same n words, 2 to 8; `answers` names the a answers, 2 to 5, and `right` has
    the place of the right one for each sentence. `heads` are 1 to 4 dicts of numbers within ±1000, each with its own
    ``name``, with ``queries`` (s, d_k) of the word that asks in each sentence, d_k at most 64 and the same in all
    heads, ``keys`` (s, n, d_k), and ``votes`` (s, n, a): what each word would add to each answer if it had all the
    weight, its value times R.

    `removed` are the places of words that are deleted: they have no weight, and the softmax is over the others. The
    query stays what it is, even if the word that asks is deleted; where a reader chooses another sentence, nothing is
    deleted in it. `push`, from -3 to 3, is added to each number of all keys.

    >>> head = {"name": "seed 0", "queries": [[2, 0]], "keys": [[[0, 1], [2, 1]]], "votes": [[[1, -1], [-3, 3]]]}
    >>> figure = WordVotes([head], [["that", "girl"]], ["ce", "cette"], right=[1])
    >>> figure.removed, figure.push = [1], 1.5
    >>> figure.told()
    'Without “girl” the answer is ce: wrong. Most weight: that, 1.00. Every score moved by +2.12, no weight did.'
    """

    kind = "word_votes"
    STILL = "Where scripts may run, words can be deleted here."
    heads = traitlets.List().tag(sync=True)
    sentences = traitlets.List().tag(sync=True)
    answers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    right = traitlets.List().tag(sync=True)
    head = Index("heads", "heads").tag(sync=True, reset=True)
    sentence = Index("sentences", "sentences").tag(sync=True, reset=True)
    removed = traitlets.Any([]).tag(sync=True, reset=True)
    push = Between(-PUSH, PUSH, 0).tag(sync=True, reset=True)

    def __init__(self, heads, sentences, answers, right, head=0, sentence=0, removed=(), push=0.0, caption=""):
        sentences = _sentences(sentences)
        answers = different(few(list(answers), "answers", *ANSWERS), "answers")
        heads = _heads(heads, len(sentences), len(sentences[0]), len(answers))
        super().__init__(heads=heads, sentences=sentences, answers=answers,
                         right=[index(one, "a place of right", len(answers), "answers")
                                for one in one_each(right, "right", sentences, "sentences")],
                         head=head, sentence=sentence, removed=removed, push=push, caption=caption)

    @traitlets.validate("removed")
    def _check_removed(self, proposal):
        places, count = checks.sequence(proposal["value"], "removed", "places"), len(self.sentences[0])
        return sorted({index(place, "a place of removed", count, "words of a sentence") for place in places})

    # ---- the arithmetic, the same in word_votes.js

    def _part(self, name):
        return np.array(self.heads[self.head][name][self.sentence])

    @property
    def scores(self):
        """The query times each key, pushed keys and those of deleted words too, by the root of d_k: shape (n,)."""
        keys = self._part("keys") + self.push
        return keys @ self._part("queries") / np.sqrt(keys.shape[1])

    @property
    def moved(self):
        """By how much the push has moved every score."""
        query = self._part("queries")
        return float(self.push * query.sum() / np.sqrt(len(query)))

    @property
    def weights(self):
        """The weight of each word, shape (n,); 0 for those that are deleted."""
        return self._weigh(self.removed)

    def _weigh(self, removed):
        scores = self.scores
        scores[removed] = -np.inf
        return softmax(scores)

    @property
    def votes(self):
        """What each word adds to each answer, its weight counted in: shape (n, a)."""
        return self.weights[:, None] * self._part("votes")

    @property
    def totals(self):
        """The sum of the votes for each answer, shape (a,)."""
        return self.votes.sum(axis=0)

    @property
    def answer(self):
        """The place of the largest sum, of equals the first; None if all words are deleted."""
        return int(self.totals.argmax()) if len(self.removed) < len(self.sentences[0]) else None

    @property
    def whole_answer(self):
        """The answer with all words."""
        return int((self._weigh([]) @ self._part("votes")).argmax())

    # ---- in words

    def told(self):
        """What the line below the figure says: the answer, the word with most weight, what a push has moved."""
        words = self.sentences[self.sentence]
        moved = f" Every score moved by {fixed(self.moved, plus=True)}, no weight did." if self.push else ""
        if self.answer is None:
            return "No word is left: nothing is added, and there is no answer." + moved
        gone = f"“{words[self.removed[0]]}”" if len(self.removed) == 1 else f"{len(self.removed)} words"
        answer = f"{f'Without {gone} the' if self.removed else 'The'} answer is {self.answers[self.answer]}"
        verdict = "right" if self.answer == self.right[self.sentence] else "wrong"
        most = int(self.weights.argmax())
        return f"{answer}: {verdict}. Most weight: {words[most]}, {fixed(self.weights[most])}.{moved}"

    def still(self):
        """The table of the present state: scores, weights, votes and their sums."""
        one, words = self.heads[self.head], self.sentences[self.sentence]
        largest = np.abs(one["votes"]).max() or 1
        rows = [[word, *["–"] * (2 + len(self.answers))] if place in self.removed else
                [word, fixed(score), base.still_cell(weight, fixed(weight), 1, kind="weight"),
                 *(base.still_cell(vote, fixed(vote), largest) for vote in votes)]
                for place, (word, score, weight, votes) in enumerate(zip(words, self.scores, self.weights, self.votes))]
        sums = [base.Cell(f"<td><strong>{fixed(total)}</strong></td>") if k == self.answer else fixed(total)
                for k, total in enumerate(self.totals)]
        rows.append(["sum", "", fixed(self.weights.sum()), *sums])
        table = base.still_table(["", "score", "weight", *self.answers], rows)
        # Five answers are wider than a phone: the table scrolls by itself.
        return (f"<div><p>{escape(one['name'])}: “{escape(' '.join(words))}”, push {fixed(self.push, 1)}.</p>"
                f'<div style="overflow-x:auto" tabindex="0">{table}</div><p>{escape(self.told())} '
                f"With all words: {escape(self.answers[self.whole_answer])}. "
                f"Right: {escape(self.answers[self.right[self.sentence]])}.</p></div>")


# ---- checks

def _sentences(given):
    sentences = [list(sentence) for sentence in few(given, "sentences", 1, SENTENCES)]
    lengths = [len(sentence) for sentence in sentences]
    low, high = WORDS
    if len(set(lengths)) > 1 or not low <= lengths[0] <= high:
        raise ValueError(f"sentences must have the same number of words, {low} to {high}, got {lengths}")
    return sentences


def _heads(given, sentences, words, answers):
    heads, width = [], np.shape(few(given, "heads", 1, HEADS)[0]["queries"])[-1]
    if width > WIDTH:
        raise ValueError(f"queries must have at most {WIDTH} columns, got {width}")
    shapes = {"queries": (sentences, width), "keys": (sentences, words, width), "votes": (sentences, words, answers)}
    for one in given:
        heads.append({"name": one["name"],
                      **{part: number_array(one[part], f"{part} of {one['name']!r}", -LARGEST, LARGEST, shape)
                         for part, shape in shapes.items()}})
    different([one["name"] for one in heads], "the heads' names")
    return heads
