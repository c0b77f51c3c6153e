"""The exercises: unanswered, right, each foreseen mistake, and whatever else a learner may type."""

import json
import math
import re

import numpy as np
import pytest
from conftest import ROOT

from bookkit.lessons.exercises import all_exercises, all_guesses, check, exercise
from bookkit.lessons.exercises.grading import RIGHT, UNANSWERED, Choice, Function, Judged, Value
from website import road, toc

EXERCISES = all_exercises()
NAMES = sorted(EXERCISES)


def said(capsys, name, answer):
    check(name, answer)
    return capsys.readouterr().out.strip()


def of(kind):
    return [n for n in NAMES if isinstance(EXERCISES[n], kind)]


def test_unanswered(capsys):
    for name in NAMES:
        assert said(capsys, name, ...) == UNANSWERED, name
        if name in of(Function):
            assert said(capsys, name, lambda *args: ...) == UNANSWERED, name
            assert "return" in said(capsys, name, lambda *args: None), name
        if name in of(Judged):
            assert said(capsys, name, [..., ..., ...]) == UNANSWERED, name


def test_right_and_foreseen_mistakes(capsys):
    for name in of(Value) + of(Function):
        exercise = EXERCISES[name]
        assert exercise.mistakes, f"{name}: no mistake is foreseen"
        assert said(capsys, name, exercise.right) == RIGHT, name
        for mistake, words in exercise.mistakes:
            assert said(capsys, name, mistake) == f"Not yet: {words}", name


ODD = ["word", None, [1, [2, 3]], np.zeros((9, 9)), float("nan"), {}, 1e9, lambda: 1, lambda *a: 1 / 0,
       lambda *a: "word", lambda *a: np.zeros((9, 9))]


def test_odd_answers_get_a_sentence(capsys):
    for name in NAMES:
        for answer in ODD:
            line = said(capsys, name, answer)
            assert line.startswith("Not yet: ") and line.endswith(".") and "\n" not in line, (name, answer)


def test_messages_say_what_is_off(capsys):
    assert said(capsys, "dot_product/by_hand", 0.26) == "Not yet: the size is right, the sign is not."
    assert said(capsys, "dot_product/by_hand", 0.2) == "Not yet: 0.2 is too large."
    line = said(capsys, "matrix_form/attend", lambda Q, K, V: EXERCISES["matrix_form/attend"].right(Q, K, V) + np.eye(len(Q), V.shape[1]))
    assert re.match(r"Not yet: \d of 6 numbers are off, the first at index \[0, 0\], which is too large \(for ", line)
    line = said(capsys, "dot_product/rank", lambda u, f: 1 / 0)
    assert "stops with ZeroDivisionError: division by zero" in line

    def spoil(X):
        X *= 2
        return X.mean(axis=0)
    assert "changes the arrays" in said(capsys, "notation/average", spoil)


@pytest.mark.parametrize("name, answer, words", [
    ("dot_product/shared_dislike", [0.5, -0.5, 0.5], "Not yet: "), ("dot_product/shared_dislike", [-1.0, -0.4, 0.0], RIGHT),
    ("dot_product/shared_dislike", [-0.9, -0.8, -0.3], "Not yet: this is Quiet Harbour"), ("dot_product/shared_dislike", [-2.0, -0.1, 0.0], "between −1 and 1"),
    ("dot_product/shared_dislike", [-1.0, 0.4, 0.0], "the film must have little of it"), ("dot_product/shared_dislike", [0.0, -0.5, 0.0], "not below zero"),
    ("weights/outside", [-0.5, 0, 0, 1.5, 0], RIGHT), ("weights/outside", [0, 0, 0, 1, 0], "praise of the average is 0.9, not above 1"),
    ("weights/outside", [0, 0, 0, 1.5, 0], "these sum to 1.5"),
    ("softmax/break", [0, -800], RIGHT), ("softmax/break", [1000, 0], "overflows"), ("softmax/break", [0, -5], "is small, but not 0"),
    ("softmax/break", [705, -60], RIGHT),
    ("queries_keys_values/away", [[0, 3], [3, 0]], RIGHT), ("queries_keys_values/away", [[0, 3], [2, 0]], "item 2 gives the other item 0.881"),
    ("soft_dictionary/steal", [4, 7], RIGHT), ("soft_dictionary/steal", [4, 4], "at least 60 degrees"), ("soft_dictionary/steal", [1, 2], "gets 0.5 of"),
    ("soft_dictionary/steal", [0, 0], "at least 60 degrees"),
    ("translation/step", [0.06, 0.72, 0.21], RIGHT), ("translation/step", [0.18, 0.07, 0.75], "of the step before"),
    ("score_functions/middle", [0, 6], RIGHT), ("score_functions/middle", [0.3, 20], RIGHT), ("score_functions/middle", [0, 5], "middle key gets 0.859"),
    ("score_functions/middle", [1, 20], "middle key gets 0 of"), ("score_functions/middle", [0, 21], "above 0 and at most 20"),
    ("score_functions/middle", [0, -6], "above 0 and at most 20"), ("score_functions/middle", [4, 6], "between −3 and 3"),
    ("document_classifier/query", [6, -4], RIGHT), ("document_classifier/query", [3, 0], "only 0.682 of the weight"),
    ("document_classifier/query", [1, 4], "key 2 gets 0.682, the first 0.082"), ("document_classifier/query", [2, 2], "key 2 gets 0.333, the first 0.333"),
    ("document_classifier/query", [11, -4], "between −10 and 10"),
    ("multi_head/read", [[1, 0, 0], [0, 0, 1]], RIGHT), ("multi_head/read", [[0, 0, 1], [1, 0, 0]], "this reads (0, 1, 1, 0)"),
    ("multi_head/read", [[.5, 0, .5], [.5, 0, .5]], "reads (0.5, 0.5, 0.5, 0.5)"), ("multi_head/read", [[2, 0, 0], [0, 0, 1]], "sum to one"),
    ("convolution/two_heads", [[.75, 0, 0, .25, 0, 4], [0, .25, .5, 0, .25, -4]], RIGHT),
    ("convolution/two_heads", [[0, .25, .5, 0, .25, -4], [.75, 0, 0, .25, 0, 4]], RIGHT),
    ("convolution/two_heads", [[3, 0, 0, 1, 0, 1], [0, 1, 2, 0, 1, -1]], "these sum to 4, 4"),
    ("convolution/two_heads", [[3, -1, -2, 1, 0, 1], [0, 0, 0, 0, 1, -1]], "a weight is negative"),
    ("convolution/two_heads", [[.75, 0, 0, .25, 0, 4], [0, .25, .5, 0, .25, 4]], "3 of 5 numbers are off")])
def test_judged(name, answer, words, capsys):
    line = said(capsys, name, answer)
    assert line == RIGHT if words == RIGHT else line.startswith("Not yet: ") and words in line


def test_dots_at_any_depth_count_as_unanswered(capsys):
    assert said(capsys, "queries_keys_values/away", [[..., ...], [1, ...]]) == UNANSWERED
    assert said(capsys, "learning/steps", (..., 0, 1.0)) == UNANSWERED


@pytest.mark.parametrize("name", of(Choice))
def test_a_choice_is_answered_by_its_letter(name, capsys):
    """Right, and each of the wrong ones, with a sentence of its own."""
    one = EXERCISES[name]
    said_ = {words: said(capsys, name, letter) for letter, words in zip(one.LETTERS, one.words)}
    assert said_.pop(one.right) == RIGHT == said(capsys, name, f" {one.letter.upper()} ")
    assert said_ == {words: f"Not yet: {off}" for words, off in one.wrong} and len(said_) == 3 == len(set(said_.values()))
    assert said(capsys, name, "z") == said(capsys, name, "abc") == "Not yet: a letter is asked for, one of a, b, c, d; this is a str."


def test_unknown_name():
    for ask in (lambda: check("nope", 1), lambda: exercise("nope")):
        with pytest.raises(ValueError, match="no exercise is called 'nope'"):
            ask()
    with pytest.raises(ValueError, match="no exercise is called"):      # a guess is not graded
        check(next(iter(all_guesses())), 0)


def test_a_line_that_does_not_fit_is_named():
    broken = Function(lambda x: x, [(1.0,)], code="def f(x):\n    return ___", choices=[["x", "x +"]])
    broken.name = "tests/broken"
    with pytest.raises(ValueError, match=r"tests/broken: the lines \('x \+',\) do not fit"):
        _ = broken.form


def test_each_exercise_stands_in_its_chapter_with_a_solution_and_a_hint_that_is_not_the_answer():
    """Neither the number, written or worked out, nor the line."""
    hints = {}
    for page in toc.chapters():
        text = (ROOT / f"{page}.ipynb").read_text(encoding="utf-8")
        for first, *rest in road.exercises(json.loads(text)):
            for name in filter(None, map(road.answers, rest)):
                assert name.split("/")[0] == toc.slug(page) and text.count(f'check(\\"{name}\\"') == 2, name
                hints[name] = road.said(first).partition("{dropdown} Hint\n")[2]
    assert sorted(hints) == NAMES and all(hints.values())
    for name, words in hints.items():
        one = EXERCISES[name]
        if isinstance(one, Value):
            plain = re.sub(r"(?<=\d)(?:,|\{,\})(?=\d{3})", "", words)
            products = re.findall(r"\d+(?:\.\d+)?(?:\s*[·×]\s*\d+(?:\.\d+)?)*", plain)
            told = {math.prod(map(float, re.split("[·×]", product))) for product in products} | {float(v) for v in re.findall(r"\d+(?:\.\d+)?", plain)}
            large = {v for v in one.form["right"] if len(one.form["names"]) == 1 or abs(v) > 100}
            assert not told & large, f"the hint of {name} says the answer: {words}"
        if isinstance(one, Function) and one.choices:
            k = one.form["verdicts"].index(one.form["said"].index(RIGHT))
            right = [offered[i] for offered, i in zip(one.choices, np.unravel_index(k, [len(offered) for offered in one.choices]))]
            assert not [line for line in right if len(line) > 8 and re.sub(r"\s", "", line) in re.sub(r"\s", "", words)], f"the hint of {name} says the line: {words}"


def test_a_number_is_given_as_a_number_and_a_list_as_a_list():
    """So plain Python is right, too: numpy's arrays repeat and count otherwise."""
    def recent(n, r):
        m = [[False] * n for _ in range(n)]
        for i in range(n):
            for j in range(max(0, i - r), i + 1):
                m[i][j] = True
        return m

    def copied(pieces):
        before = [-1] + pieces[:-1]
        places = [k for k in range(1, len(pieces)) if before[k] == pieces[-1]]
        return pieces[places[-1]] if places else -1

    def spoilt(pieces):
        pieces.append(0)
        return copied(pieces[:-1])
    assert EXERCISES["masks/recent"].verdict(recent) == EXERCISES["heads_that_copy/copied"].verdict(copied) == RIGHT
    assert "changes" in EXERCISES["heads_that_copy/copied"].verdict(spoilt)
