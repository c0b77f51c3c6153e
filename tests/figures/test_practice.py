"""Exercises and guesses, answered where they stand: what the page says is what Python's check says."""

import functools
import itertools
import json
import re
from fractions import Fraction

import numpy as np
import pytest
from conftest import DARK_PHONE, EVERY_LOOK, ROOT, SITE, WIDE, node, on
from hand import alone, either_width, fits, practice, says

from bookkit.figures import Practice
from bookkit.figures.practice import fits as fits_form
from bookkit.figures.practice import unanswered
from bookkit.lessons.exercises import all_exercises, all_guesses, exercise
from bookkit.lessons.exercises.grading import RIGHT, Choice, Function, Guess, Judged, Value, sentence
from website import road, toc

EXERCISES = all_exercises()
TYPED = {name: one for name, one in EXERCISES.items() if one.form["kind"] == "numbers"}
CHOSEN = {name: one for name, one in EXERCISES.items() if one.form["kind"] != "numbers"}
# An answer that each judge in the page accepts.
ACCEPTED = {"weights/outside": [-0.5, 0, 0, 1.5, 0], "dot_product/shared_dislike": [-1, -0.4, 0], "softmax/break": [0, -800],
            "queries_keys_values/away": [0, 3, 3, 0]}


def asked(page):
    """What is asked on a page, in its order."""
    cells = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [name for cell in cells if (name := road.practises(cell))]


PAGES = [page for page in toc.chapters() if asked(page)]


class Rows:
    """An exercise for the tests of all figures: a gap with three lines."""

    name = "tests/rows"
    form = {"kind": "lines", "code": "def half(x):\n    return ___", "choices": [["x / 2", "2 * x", "x // 2"]], "verdicts": [0, 1, 2],
            "said": ["Right.", "Not yet: this is twice as much.", "Not yet: this leaves the rest out."]}


def example():
    widget = Practice(Rows())
    widget.caption = "Cap."
    return widget


def shown(widget):
    return ["def half(x):", "return ___", "x / 2", "2 * x", "x // 2"]


REFUSED = [("answer", [3], ValueError), ("answer", [0, 1], ValueError), ("answer", ["x / 2"], ValueError)]
CHANGED = ("answer", [1])


def given(widget):
    return {"form": widget.form, "answer": [1], "checked": True}


@pytest.mark.parametrize("name, answer", [
    ("softmax/by_hand", ["1"]), ("softmax/by_hand", [1, 2]), ("softmax/tie", [3]), ("softmax/tie", [])])
def test_an_answer_that_does_not_fit_is_refused(name, answer):
    widget = Practice(exercise(name))
    before = widget.answer
    with pytest.raises(ValueError, match="answer must be like"):
        widget.answer = answer
    assert widget.answer == before


# ---- numbers as people type them

def verdicts(cases):
    """What the page says: for pairs of an exercise's name and an answer."""
    return [found["verdict"] for found in node("run_figures.js", {"figure": "practice", "cases": [
        {"form": EXERCISES[name].form, "answer": answer, "checked": True} for name, answer in cases]})]


def one_number(right):
    return {"kind": "numbers", "columns": 0, "names": ["number 1"], "labelled": False, "truths": False, "right": [right], "within": 1e-6, "mistakes": []}


TYPED_AS = [
    ("0.25", .25), (".25", .25), ("0,25", .25), ("1/4", .25), ("1 / 4", .25), ("¼", .25), ("1⁄4", .25), ("+0.25", .25), (" 0.25 ", .25),
    ("\u22120.25", -.25), ("–0.25", -.25), ("- 0,25", -.25), ("−1/4", -.25), ("－１", -1), ("1024", 1024), ("1,024", 1024), ("1 024", 1024),
    ("1\u202f024", 1024), ("1.024", 1024), ("1'024", 1024), ("1_024", 1024), ("2,359,296", 2359296), ("2.359.296", 2359296), ("2 359 296", 2359296),
    ("1,234.5", 1234.5), ("1.234,5", 1234.5), ("1,024", 1.024), ("1.024", 1.024), ("0,125", .125), ("1e-3", .001), ("3.", 3), ("1.5/3", .5), ("4*512*512", 1048576), ("2 · 96 · 12,288", 2359296), ("1/2/4", .125), ("-2 × 3", -6),
    ("39%", .39), ("39 %", .39), ("39\u202f%", .39), ("39,5 %", .395), ("−39％", -.39), ("1/2 %", .005), ("39%", 39)]
NO_NUMBERS = ["two", "1 2", "--1", "1..2", "e", "x = 3", "1 1/2", "0x10", "1/", "1/0", "1e999", "%", "39%%", "%39", "39% 1"]


def test_a_number_is_read_as_it_is_meant():
    """And what is none is named; nothing is said before it was asked."""
    wanted = {(text, means, True): (RIGHT, "right") for text, means in TYPED_AS}
    wanted |= {(text, 1, True): (f"Not yet: “{text}” is not a number.", "wrong") for text in NO_NUMBERS}
    wanted |= {("", 1, True): ("Not answered yet: fill in every field.", "open"), ("1e16", 1, True): ("Not yet: this is too large.", "wrong")}
    wanted |= {(text, 1, False): ("", "open") for text in ("", "1e16")}
    found = node("run_figures.js", {"figure": "practice", "cases": [
        {"form": one_number(means), "answer": [text], "checked": checked} for text, means, checked in wanted]})
    assert not [(case, said) for (case, said_), said in zip(wanted.items(), found, strict=True) if (said["verdict"], said["state"]) != said_]


THOUSANDS = re.compile(r"-?[1-9]\d{0,2}\.\d{3}")      # with a comma it would be read as one


def typed(value, rng):
    """A number as somebody may type it: with a comma, another minus, blanks, or as a fraction."""
    text = np.format_float_positional(value, trim="-")
    fraction = Fraction(float(value)).limit_denominator(64)
    if rng.random() < .3 and fraction.denominator > 1 and float(fraction) == value:
        text = f"{fraction.numerator}{rng.choice(['/', ' / ', '⁄'])}{fraction.denominator}"
    elif rng.random() < .2 and abs(value) < 1:
        percent = np.format_float_positional(round(100 * value, 9), trim="-")
        text = (percent if THOUSANDS.fullmatch(percent) else percent.replace(".", ",")) + rng.choice(["%", " %"])
    elif rng.random() < .4 and not THOUSANDS.fullmatch(text):
        text = text.replace(".", ",")
    elif rng.random() < .5 and "." not in text and abs(value) >= 1000:
        text = f"{int(value):,}".replace(",", rng.choice([" ", "\u202f", ","]))
    return f"{rng.choice(['', ' '])}{text.replace('-', rng.choice(['-', '−', '–']))}{rng.choice(['', ' '])}"


def answers(one, rng, count):
    """Right, nearly right, turned, and quite other answers to an exercise that is typed."""
    right = np.asarray(getattr(one, "right", ACCEPTED.get(one.name)), dtype=float)
    right = right.reshape(getattr(one, "shape", right.shape))
    shape = right.shape
    for k in range(count):
        wrong = rng.choice([-1, 0, 1, 10, .5, 1e-3], size=shape) * rng.choice([1, 1, 0], size=shape)
        yield [right, -right, right + wrong, right * 2, np.flip(right), right + rng.normal(size=shape).round(2),
               rng.integers(-3, 4, shape).astype(float), right + np.round(rng.normal(size=shape) * 6, 1)][k % 8] + 0.0


def test_page_and_python_say_the_same_of_what_is_typed():
    """Of random answers, and of all that are foreseen."""
    rng = np.random.default_rng(34)
    cases, wanted = [], []
    for name, one in TYPED.items():
        truths = one.form["truths"]
        foreseen = [np.asarray(mistake) for mistake, _ in getattr(one, "mistakes", ()) if np.shape(mistake) == np.shape(one.right)]
        assert len(foreseen) == len(getattr(one, "mistakes", ())), f"{name}: a foreseen mistake that cannot be typed"
        chance = [] if truths else answers(one, rng, 12 if isinstance(one, Value) else 60)
        for answer in [*([np.asarray(one.right)] if isinstance(one, Value) else []), *foreseen, *chance]:
            cases.append((name, [str(bool(v)) if truths else typed(v, rng) for v in answer.reshape(-1)]))
            with np.errstate(all="ignore"):
                wanted.append(sentence(one.verdict(answer)))
    assert len(cases) > 600
    for (name, answer), ours, page in zip(cases, wanted, verdicts(cases)):
        assert page == ours, (name, answer)


def test_the_page_accepts_what_its_judges_do():
    judged = {name for name, one in TYPED.items() if isinstance(one, Judged)}
    assert judged == set(ACCEPTED)
    assert verdicts([(name, [str(v) for v in ACCEPTED[name]]) for name in judged]) == [RIGHT] * len(judged)


# ---- lines and choices

def ways(form):
    """All complete answers to what is chosen."""
    return itertools.permutations(range(len(form["lines"]))) if form["kind"] == "order" else itertools.product(*(range(len(c)) for c in form["choices"]))


def python_says(one, way):
    """What a check prints of the same choice, made anew."""
    if isinstance(one, Function):
        lines = ["\n".join(one.form["lines"][k] for k in way)] if one.lines else [c[k] for c, k in zip(one.choices, way)]
        with np.errstate(all="ignore"):
            return sentence(one.verdict(one.filled(lines)))
    return sentence(one.verdict(one.LETTERS[way[0]] if isinstance(one, Choice) else one.offered[way[0]]))


def alone_wrong(one, way):
    """Of a way with several wrong gaps, the first of them and the way with that one alone."""
    [right] = [other for other in ways(one.form) if python_says(one, other) == RIGHT]
    wrong = [gap for gap, (k, best) in enumerate(zip(way, right)) if k != best]
    return wrong, tuple(way[gap] if gap == wrong[0] else best for gap, best in enumerate(right)) if wrong else way


@functools.cache
def said_of_ways():
    """What the page says of all complete answers to each of these."""
    cases = [(name, list(way)) for name, one in CHOSEN.items() for way in ways(one.form)]
    found = {name: [] for name in CHOSEN}
    for (name, _), said in zip(cases, verdicts(cases), strict=True):
        found[name].append(said)
    return found


@pytest.mark.parametrize("name", CHOSEN)
def test_page_and_python_say_the_same_of_what_is_chosen(name):
    one, said = EXERCISES[name], said_of_ways()[name]
    all_ways = list(ways(one.form))
    foreseen = {sentence(words) for _, words in getattr(one, "mistakes", ())}
    for way, page in zip(all_ways, said):
        ours = python_says(one, way)
        if isinstance(one, Function) and not one.lines and ours not in foreseen | {RIGHT}:
            wrong, first = alone_wrong(one, way)
            if len(wrong) > 1:       # of several gaps, what Python says of the first that is wrong
                ours = f"Not yet: gap {wrong[0] + 1}: {python_says(one, first).removeprefix('Not yet: ')}"
        assert page == ours, way
    assert said.count(RIGHT) == 1, f"{said.count(RIGHT)} ways are right"
    assert all(text == RIGHT or text.startswith("Not yet: ") for text in said)


@pytest.mark.parametrize("name", CHOSEN)
def test_choices_are_few_and_differ(name):
    form = EXERCISES[name].form
    for offered in [form["lines"]] if form["kind"] == "order" else form["choices"]:
        assert 2 <= len(set(offered)) == len(offered) <= 5


@pytest.mark.parametrize("name", [name for name, one in CHOSEN.items() if isinstance(one, Function) and not one.lines])
def test_some_choice_is_a_mistake_that_is_foreseen(name):
    one = EXERCISES[name]
    assert {f"Not yet: {words}" for _, words in one.mistakes} & set(one.form["said"])


def test_the_right_choice_is_not_always_in_the_same_place():
    places = [way for name, one in CHOSEN.items() if one.form["kind"] == "lines" for way in ways(one.form)
              if one.form["said"][one.form["verdicts"][list(ways(one.form)).index(way)]] == RIGHT]
    firsts = [k for way in places for k in way]
    assert len(firsts) > 30 and max(map(firsts.count, set(firsts))) < 0.6 * len(firsts)


@pytest.mark.parametrize("name", all_guesses())
def test_a_guess_has_room_to_be_wrong(name):
    one = all_guesses()[name]
    assert isinstance(one, Guess)
    if one.choices:
        assert 2 <= len(set(one.choices)) == len(one.choices) <= 4 and 0 <= one.right < len(one.choices)
        assert all(len(words) <= 60 for words in one.choices)
    else:
        assert one.low < one.right < one.high and 2 * one.within < 0.34 * (one.high - one.low)


# ---- alone on a page

STATUS = """f => { window.said = []; new MutationObserver(() => said.push(f.querySelector('[role=status]').textContent)).observe(
    f.querySelector('[role=status]'), {childList: true, characterData: true, subtree: true}); }"""


@pytest.mark.browser
@either_width
def test_numbers_are_typed_and_checked(window, tmp_path, width):
    """By keyboard: into the first field, on to the next, Enter; what is off is said once, and no more when one types on."""
    with window(width=width) as w:
        found = alone(w, tmp_path, Practice(exercise("softmax/by_hand")))
        found.evaluate(STATUS)
        w.page.keyboard.press("Tab")
        w.page.keyboard.type("0,75")
        w.page.keyboard.press("Tab")
        w.page.keyboard.type("1 / 4")
        assert says(w, found) == ""
        w.page.keyboard.press("Enter")
        assert says(w, found) == "Not yet: the second score is the higher one." and found.get_attribute("data-ak-verdict") == "wrong"
        assert w.page.evaluate("said") == ["Not yet: the second score is the higher one."]
        first, second = found.get_by_role("textbox").all()
        second.fill("3/4")
        assert found.get_attribute("data-ak-verdict") == "open" and says(w, found) == ""
        first.fill("1/4")
        found.get_by_role("button", name="Check").click()
        assert says(w, found) == RIGHT and found.get_attribute("data-ak-verdict") == "right"
        assert fits(w) and not w.errors
        found.get_by_role("button", name="Reset").click()
        assert [first.input_value(), second.input_value()] == ["", ""] and found.get_attribute("data-ak-verdict") == "open"


@pytest.mark.browser
@either_width
def test_a_line_is_chosen_and_stands_in_the_code(window, tmp_path, width):
    with window(width=width) as w:
        found = alone(w, tmp_path, Practice(Rows()))
        assert found.get_by_role("button").all_inner_texts() == ["x / 2", "2 * x", "x // 2", "Reset"]
        w.page.keyboard.press("Tab")
        w.page.keyboard.press("ArrowRight")
        w.page.keyboard.press("Enter")
        assert found.locator("pre").inner_text().rstrip() == "def half(x):\n    return 2 * x"
        assert says(w, found) == "Not yet: this is twice as much."
        w.page.keyboard.press("ArrowLeft")
        w.page.keyboard.press(" ")
        assert says(w, found) == RIGHT and fits(w) and not w.errors


class Loop:
    name = "tests/loop"
    form = {"kind": "order", "code": "def f(x):\n    ___\n    return y", "lines": ["b = a + x", "a = 2 * x", "y = b"], "said": ["Not yet: no.", RIGHT],
            "orders": {"".join(map(str, way)): int(way == (1, 0, 2)) for way in itertools.permutations(range(3))}}


@pytest.mark.browser
def test_lines_are_put_in_order_and_taken_back(window, tmp_path):
    with window() as w:
        found = alone(w, tmp_path, Practice(Loop()))
        b, a, y = (found.get_by_role("button", name=line, exact=True) for line in Loop.form["lines"])
        for button in (b, a):
            button.click()
        assert says(w, found) == "Not answered yet: press the lines in order."
        b.click()
        assert found.locator("pre").inner_text() == "def f(x):\n    a = 2 * x\n    return y" and b.get_attribute("aria-pressed") == "false"
        y.click()
        b.click()
        assert says(w, found) == "Not yet: no."
        y.click()
        assert found.locator("pre").inner_text() == "def f(x):\n    a = 2 * x\n    b = a + x\n    return y"
        y.click()
        assert says(w, found) == RIGHT and not w.errors


# ---- on the pages of the book

KEPT = "JSON.parse(localStorage.getItem('attention-step-by-step') ?? 'null')"


def answer(found, name):
    """Answer an exercise rightly, as its form wants it."""
    one = EXERCISES[name]
    form = one.form
    if form["kind"] == "numbers":
        right = ACCEPTED.get(name) or (np.asarray(one.right).reshape(-1) if form["truths"] else form["right"])
        found.evaluate("""(f, texts) => { [...f.querySelectorAll('input, select')].forEach((box, k) => { box.value = texts[k];
            box.dispatchEvent(new Event('input', {bubbles: true})); }); [...f.querySelectorAll('button')].find(b => b.textContent === 'Check').click(); }""",
                       [str(bool(v)) if form["truths"] else str(v) for v in right])
        return
    [way] = [way for way in ways(form) if python_says(one, way) == RIGHT]
    found.evaluate("""(f, [way, order]) => { const groups = f.querySelectorAll('.ak-buttons[role]');
        way.forEach((k, i) => groups[order ? 0 : i].querySelectorAll('button')[k].click()); }""", [list(way), form["kind"] == "order"])


# Pages that ask in all ways, a checkpoint among them; every week all.
ANSWERED = PAGES if EVERY_LOOK else ["chapters/basic_attention", "chapters/softmax", "chapters/convolution", "chapters/checkpoint_mechanism"]


@pytest.mark.browser
@on(ANSWERED, WIDE)
def test_every_exercise_is_answered_in_its_page(opened):
    """Its right answer is accepted where it stands, and what is done is counted there, and in the list of chapters."""
    w, names = opened, [name for name in asked(opened.name) if name in EXERCISES]
    w.page.evaluate("localStorage.clear(); dispatchEvent(new Event('pageshow'))")
    count = w.page.locator(".ak-answered")
    cards = w.page.locator(".ak-exercise .ak-figure")
    assert cards.count() == len(names)
    assert count.inner_text() == f"0 of {len(names)} answered."
    for k, name in enumerate(names):
        found = cards.nth(k)
        answer(found, name)
        assert found.get_attribute("data-ak-verdict") == "right", name
        assert count.inner_text() == f"{k + 1} of {len(names)} answered."
    assert set(w.page.evaluate(KEPT)["right"][w.name]) == {name.split("/")[1] for name in names}
    assert w.page.locator(f"a[data-ak-page='{w.name}'] .ak-done").inner_text().startswith("✓")
    w.page.evaluate("localStorage.clear(); dispatchEvent(new Event('pageshow'))")
    for found in cards.all():
        found.evaluate("f => [...f.querySelectorAll('button')].find(b => b.textContent === 'Reset').click()")
    assert count.inner_text() == f"0 of {len(names)} answered." and not w.page.locator(".ak-done").count() and not w.errors


@pytest.mark.browser
@on([page for page in PAGES if any(name in all_guesses() for name in asked(page))], DARK_PHONE)
def test_a_guess_stands_beside_what_one_should_have_seen(opened):
    """In the next part of the page that is unfolded for it, which nobody has to open, nor to guess before."""
    w = opened
    for name in [name for name in asked(w.name) if name in all_guesses()]:
        place = practice(w, name)
        note = w.page.locator(f"details [data-ak-guess='{name}']")
        assert not note.count()
        one = all_guesses()[name]
        if one.choices:
            place.get_by_role("button").nth(one.right).press("Enter")
            wanted = f"Your guess was “{one.choices[one.right].replace('`', '')}”: right."
        else:
            place.get_by_role("slider").evaluate("(s, v) => { s.value = v; s.dispatchEvent(new Event('input', {bubbles: true})); }", one.right)
            wanted = ": right, or near enough."
        assert note.text_content().endswith(wanted)
        assert note.evaluate("e => e.closest('details').querySelector('summary').textContent.trim()").startswith("What you should have seen")
        place.get_by_role("button", name="Reset").click()
        assert not note.is_visible() and note.text_content() == ""
        note.evaluate("e => e.remove()")
    assert fits(w) and not w.errors


@pytest.mark.browser
def test_how_far_a_reader_has_come_is_kept(watched, site):
    """On the next page, on the cover, after coming back; until it is forgotten."""
    with watched(width=1100) as w:
        w.open(f"{site}/index.html")
        assert not w.page.locator(".ak-progress").inner_text() and not w.page.locator(".ak-done").count()
        w.open(f"{site}/chapters/softmax.html")
        answer(w.page.locator(".ak-exercise .ak-figure").first, "softmax/by_hand")
        w.page.locator("#temperature").evaluate("e => e.scrollIntoView()")
        w.open(f"{site}/chapters/weights.html")
        link = w.page.locator("a[data-ak-page='chapters/softmax']")
        assert link.inner_text().replace("\n", " ").endswith("1/3 1 of 3 answered") and w.page.locator(".ak-done").count() == 1
        w.open(f"{site}/index.html")
        told = w.page.locator(".ak-progress")
        assert told.inner_text() == f"You have answered 1 of {len(EXERCISES)} exercises. You stopped at Softmax, Temperature. Forget my answers"
        assert told.get_by_role("link").get_attribute("href").endswith("chapters/softmax.html#temperature")
        for answer_, left in (("dismiss", 1), ("accept", 0)):       # asked once more before all is gone
            w.page.once("dialog", lambda dialog, answer_=answer_: getattr(dialog, answer_)())
            told.get_by_role("button", name="Forget my answers").press("Enter")
            assert bool(told.inner_text()) == bool(left)
        assert not told.inner_text() and not w.page.locator(".ak-done").count()
        w.page.reload()
        assert not told.inner_text() and not w.errors


# On one page: a guess, a field that is half filled in, one gap of two, and what is answered rightly.
GIVEN = {"softmax/tie": lambda place: place.get_by_role("button").first.click(), "softmax/by_hand": lambda place: place.get_by_role("textbox").last.fill("0,5 %"),
         "softmax/rows": lambda place: place.get_by_role("button").nth(1).click(), "softmax/temperature": lambda place: answer(place, "softmax/temperature")}
STANDS = """f => [f.innerText, f.dataset.akVerdict, ...[...f.querySelectorAll('input, [aria-pressed]')].map(e => e.ariaPressed ?? e.value),
    f.closest('.ak-exercise')?.querySelector('.ak-done')?.textContent]"""


def standing(w, address):
    """What stands in all these places once the page is opened."""
    w.open(address)
    return {name: practice(w, name).evaluate(STANDS) for name in GIVEN}


@pytest.mark.browser
def test_what_was_answered_stands_there_after_a_reload(watched):
    """Read from the disk, too; until *Reset*, or until the cover forgets it; the tick of an exercise comes and goes with its answer."""
    with watched() as w:
        at = SITE.as_uri()
        page = f"{at}/chapters/softmax.html"
        empty, given = standing(w, page), {}
        for name, give in GIVEN.items():
            place = practice(w, name)
            give(place)
            w.settle()
            given[name] = place.evaluate(STANDS)
            assert given[name] != empty[name], name
        assert given["softmax/temperature"][-1] == "✓ answered" and standing(w, page) == given
        for name in ("softmax/temperature", "softmax/tie"):
            practice(w, name).get_by_role("button", name="Reset").click()
            given[name] = empty[name]
        assert standing(w, page) == given
        w.open(f"{at}/index.html")
        w.page.once("dialog", lambda dialog: dialog.accept())
        w.page.get_by_role("button", name="Forget my answers").click()
        assert standing(w, page) == empty and not w.errors


# What may stand in the store under an exercise's name: the exercise may have been another one when it was kept.
AGAIN = """kept => { localStorage.setItem('attention-step-by-step', JSON.stringify(kept));
    for (const figure of document.querySelectorAll('.ak-figure')) figure.remove();
    attnkit.mount(document); }"""
KEPT_ANSWERS = [5, None, "ab", [], [["1"], True], [[1, 2], True], [["1", "2"], False], [[7], False], [[-1, 0], False], [[0.5], True], [["0", "0"], 1], [[None], False], [[2], False]]


@pytest.mark.browser
def test_what_does_not_fit_an_exercise_is_left_aside(watched, site):
    """What Python would refuse as an answer the page does not put in, and says nothing of it."""
    with watched() as w:
        empty = standing(w, f"{site}/chapters/softmax.html")
        for kept in KEPT_ANSWERS:
            w.page.evaluate(AGAIN, {"version": 1, "right": {}, "typed": dict.fromkeys(GIVEN, kept)})
            w.page.wait_for_function(w.ALIVE)
            for name in GIVEN:
                stands = practice(w, name).evaluate(STANDS)
                given = kept[0] if isinstance(kept, list) and kept else None
                form = (EXERCISES.get(name) or all_guesses()[name]).form
                fit = isinstance(given, list) and fits_form(given, form) and given != unanswered(form)
                assert (stands != empty[name]) == fit, (name, kept)
        assert not w.errors


@pytest.mark.browser
@pytest.mark.parametrize("stored", ["not json", '{"version": 0, "right": {"chapters/softmax": ["by_hand"]}}', None])
def test_a_store_that_is_refused_or_strange_changes_nothing_else(watched, site, stored):
    """The exercise is answered all the same; another version's notes are not read as this one's."""
    with watched() as w:
        refuse = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
        w.page.add_init_script(refuse if stored is None else f"localStorage.setItem('attention-step-by-step', {json.dumps(stored)})")
        w.page.goto(f"{site}/chapters/softmax.html")
        w.page.wait_for_function(w.ALIVE)
        assert w.page.locator(".ak-answered").inner_text() == "0 of 3 answered."
        found = w.page.locator(".ak-exercise .ak-figure").first
        answer(found, "softmax/by_hand")
        assert found.get_attribute("data-ak-verdict") == "right"
        assert not [error for error in w.errors if "practice" in error or "progress" in error]


@pytest.mark.browser
def test_without_scripts_a_page_says_nothing_of_answers(chromium, site):
    """The question, what there is to choose from, hint, cell and solution; no answer in sight."""
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/chapters/softmax.html")
    card = page.locator(".ak-exercise").nth(1)
    assert "S - S.max(axis=1, keepdims=True)" in card.inner_text() and card.locator("details").count() == 3
    assert not page.locator(".ak-answered").inner_text() and not page.locator(".ak-progress, .ak-done").count()
    assert RIGHT not in card.inner_text()
    context.close()
