"""The shape of a page: how long it is, what must stand on it, how wide its code is, and what its words in bold are.

The road is held to all of it. A side room is read by choice, a section at a time: it may be long, with as many notes and
exercises as there is matter for, and verdicts in bold; what a reader looks at is the same there, and held to the same.
"""

import collections
import json
import posixpath
import re

import pytest
import yaml
from conftest import ROOT, WIDE, asked, on
from table import Questions, each

from bookkit.lessons.exercises import all_guesses
from website import road, toc

ROAD, TRIPS = toc.road(), toc.trips()
CHOSEN_OR_WALKED = [*ROAD, *TRIPS]                                           # all but the side rooms
CHAPTERS = [page for page in CHOSEN_OR_WALKED[1:] if page not in toc.checkpoints()]      # what tells something
SIDE_ROOMS = [page for page in toc.chapters() if page not in CHOSEN_OR_WALKED]
NOTEBOOKS = [name.removesuffix(".ipynb") for name in toc.notebooks()]
TERMS = yaml.safe_load((ROOT / "data/terms.yml").read_text(encoding="utf-8"))

MOST_MINUTES, ALL_MINUTES = 20, 240
SHORT = {"chapters/notation": 8}
MOST_CHARACTERS = 72      # in a line of code; the box on the page has room for 77
NOTE = "{admonition} What the sources say"


def notebook(page):
    return json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))


def cells(page):
    return [cell for cell in notebook(page)["cells"] if road.source(cell).strip()]


def where(page, cell):
    return f"{page}, cell {cell['id']}"


def running_text(page):
    """All words of a page, its exercises and what is folded away included."""
    return "\n\n".join(map(road.said, cells(page)))


# ---- the measure itself, on a notebook of one's own

def text(source):
    return {"cell_type": "markdown", "id": "text", "metadata": {}, "source": source.splitlines(keepends=True)}


def code(source, *outputs, tag=None):
    return {"cell_type": "code", "id": "code", "metadata": {"tags": [tag]} if tag else {}, "source": source.splitlines(keepends=True),
            "outputs": [{"output_type": "display_data", "data": data} for data in outputs]}


def minutes(*its):
    return road.minutes({"cells": list(its)})


PRACTICE = code('Practice(exercise("weights/half"))', {"text/html": ["<div data-ak-figure=practice>"]}, tag="hide-input")
EXERCISE = text(":::{exercise} Halve\nHalve it.\n:::\n\n:::{dropdown} Hint\nAdd first.\n:::")
ANSWER = code('z = ...\n\ncheck("weights/half", z)', {"text/markdown": ["word " * 100]})
SOLUTION = code('# A solution\nz = 1\ncheck("weights/half", z)', {"text/html": ["<svg/>"]}, tag="hide-cell")


@each("cell, wanted", [
    (text("word " * 150 + "\n" + "word " * 150), 1.5),                                          # 300 words, 200 a minute
    (code("word = 1", {"text/markdown": ["word " * 60, "word " * 40]}, tag="hide-input"), 0.5 + 1 / 60),
    (code("x = 1\n" * 18), 1.5),                                                                # 18 lines, 5 seconds each
    (code("x = 1\n" * 18, tag="hide-input"), 0.3),                                              # 18 lines, 1 second each
    (code("x", {"text/html": ["<svg/>"], "text/plain": ["x"]}, tag="hide-input"), 21 / 60),     # a line, and a picture: 20 seconds
    (code("x", {"text/html": ["<svg/>"]}, {"text/html": ["<table>"]}), 45 / 60),
    (code("x", {"text/plain": ["word " * 500]}), 5 / 60),                                       # what is printed is not counted
    (EXERCISE, 0), (PRACTICE, 0), (ANSWER, 0), (SOLUTION, 0)])
def test_minutes_of_one_cell(cell, wanted):
    assert minutes(cell) == pytest.approx(wanted)


def test_minutes_of_a_page_are_those_of_its_cells():
    assert minutes() == 0
    # 1 and 1/2 minutes of words, 1/12 of a line, 1/3 of a picture; not rounded.
    assert minutes(text("word " * 200), code("x", {"text/html": ["<svg/>"]}), EXERCISE, ANSWER, SOLUTION,
                   text("word " * 100)) == pytest.approx(1.5 + 1 / 12 + 1 / 3)


def test_a_call_of_another_check_is_no_answer():
    assert minutes(code("check(1)")) == minutes(code('x = check("half")')) == pytest.approx(5 / 60)


def test_an_exercise_is_what_asks_and_the_code_up_to_the_next_text():
    told = text("And so on.")
    found = road.exercises({"cells": [told, code("x"), EXERCISE, ANSWER, SOLUTION, EXERCISE, ANSWER, told, code("y")]})
    assert found == [[EXERCISE, ANSWER, SOLUTION], [EXERCISE, ANSWER]]
    assert road.answers(ANSWER) == "weights/half" and road.answers(SOLUTION) is None and road.answers(told) is None


@each("written, terms", [
    ("The **weighted\naverage** of words, a **[score](softmax.ipynb)**.", ["weighted average", "score"]),
    ("**You need:** averages.\n\n**Read it.** These pages", []),
    ("# Title\n**Read it.** These\n:::{dropdown} Hint\n:class: note\n**Then:** add\n:::", []),
    ("1. **Score.** Each word\n2. **Softmax**, all\n- **Rows:** items\n* **Add.** Up", ["Softmax"]),
    ("It is **true.** And **false**", ["true.", "false"]),
    ("`a**b**c` and $a**b**c$\n\n```python\nx**2 + y**2\n```\n\n$$\na**b**c\n$$", []),
    (":::{exercise} Half\nGive **no** answer.\n:::", ["no"])])
def test_bold_terms(written, terms):
    assert road.bold_terms(written) == terms


# ---- what is asked of each page in one test

ASKED = Questions()


@pytest.mark.parametrize("page", asked(["index", *toc.chapters()]))
def test_a_page_has_its_shape(page):
    ASKED.ask(page, page)


# ---- every chapter, and its side room

@ASKED.of(toc.chapters())
def a_chapter_says_what_it_needs(page):
    assert re.search(r"^\*\*You need:\*\*", running_text(page), flags=re.M), f"{page}: no line **You need:**"


@ASKED.of(CHAPTERS)
def a_chapter_ends_in_exercises_and_one_paragraph(page):
    told = running_text(page)
    for heading in ("Exercises", "In one paragraph"):
        assert len(re.findall(rf"^#+ {heading}$", told, flags=re.M)) == 1, f"{page}: not one heading {heading!r}"


@ASKED.of(toc.chapters())
def an_exercise_has_a_hint_an_answer_and_a_solution(page):
    for first, *rest in road.exercises(notebook(page)):
        assert road.said(first).count("{exercise}") == 1, f"{where(page, first)}: more than one exercise"
        assert "{dropdown} Hint" in road.said(first), f"{where(page, first)}: an exercise without a hint"
        answers = [road.answers(cell) for cell in rest if road.answers(cell)]
        assert [toc.slug(page)] == [name.split("/")[0] for name in answers], (
            f"{where(page, first)}: wants one cell below it with check(\"{toc.slug(page)}/...\"), has {answers}")
        assert [road.practises(cell) for cell in rest if road.practises(cell)] == answers, f"{where(page, first)}: no place to answer {answers}"
        solutions = [cell for cell in rest if road.solves(cell)]
        assert len(solutions) == 1 and f'check("{answers[0]}"' in road.source(solutions[0]), (
            f"{where(page, first)}: wants one solution of {answers[0]}, has {len(solutions)}")


# ---- code that is read

@pytest.mark.parametrize("page", asked(NOTEBOOKS))
def test_a_line_of_visible_code_is_short(page):
    long = [(where(page, cell), line) for cell in cells(page) if road.visible(cell)
            for line in road.source(cell).splitlines() if len(line) > MOST_CHARACTERS]
    assert not long, f"more than {MOST_CHARACTERS} characters: {long}"


# Code in sight, and functions of the package that a cell lists; what is folded away may be scrolled.
RUNS_OFF = """() => [...document.querySelectorAll('.cell .highlight pre')].filter((pre) =>
    pre.checkVisibility() && pre.scrollWidth > pre.clientWidth).map((pre) => pre.textContent)"""


@pytest.mark.browser
@on(NOTEBOOKS, WIDE)
def test_no_line_of_code_runs_off_the_page(opened):
    # The glossary has words only.
    assert opened.page.locator(".cell .highlight pre").count() or opened.name == "reference/glossary", "no code on the page"
    assert opened.page.evaluate(RUNS_OFF) == []


# ---- the road itself; the index, too, unless a test asks of chapters only

@pytest.mark.parametrize("page", asked(CHOSEN_OR_WALKED))
def test_a_page_takes_no_longer_than_its_minutes(page):
    most, takes = SHORT.get(page, MOST_MINUTES), road.minutes(notebook(page))
    assert takes <= most, f"{page}: {takes:.1f} minutes, at most {most}"


def test_the_road_is_as_long_as_the_cover_says():
    """Twenty pages, and hours rounded to the nearest half; checkpoints are answered, not read."""
    walked = [page for page in ROAD[1:] if page not in toc.checkpoints()]
    takes = sum(road.minutes(notebook(page)) for page in walked)
    print(f"{takes:.0f} minutes")
    assert len(walked) == 20 and takes <= ALL_MINUTES
    hours = {7: "three and a half", 8: "four", 9: "four and a half", 10: "five"}[round(takes / 30)]
    assert f"twenty pages and an end. It takes about {hours} hours of reading" in running_text("index")


def test_the_fast_lane_leads_from_the_first_page_to_the_end_of_part_two():
    """In the road's order, as data/lane.yml has it; it leaves out nothing of Part II, and of Part I more than four minutes in ten."""
    lane, parts = toc.lane(), toc.captions()
    [*_, part] = [parts[page] for page in lane]
    assert [toc.slug(page) for page in lane] == yaml.safe_load((ROOT / "data/lane.yml").read_text(encoding="utf-8"))
    assert lane[0] == ROAD[1] and part.startswith("Part II.")
    assert [page for page in lane if parts[page] == part] == [page for page in ROAD if parts.get(page) == part and page not in toc.checkpoints()]
    takes = {page: road.minutes(notebook(page)) for page in ROAD[1:]}
    print(f"{sum(takes[page] for page in lane):.0f} minutes")
    first = [page for page in ROAD[1:] if parts[page] == parts[lane[0]]]
    assert sum(takes[page] for page in first if page in lane) < 0.6 * sum(takes[page] for page in first)


@ASKED.of(TRIPS)
def a_trip_leads_back_to_where_it_began(page):
    """There a reader is told of it, and the cover lists it with that page."""
    begins = toc.branch(page)
    assert begins in ROAD, f"{page}: its last words lead back to {begins}"
    name = toc.slug(page)
    assert f"({name}.ipynb)" in road.source([cell for cell in cells(begins) if cell["cell_type"] == "markdown"][-1]), f"{begins} does not tell of {name}"
    [line] = [line for line in running_text("index").splitlines() if line.startswith("- ") and f"chapters/{name}.ipynb" in line]
    assert "From [" in line and f"(chapters/{toc.slug(begins)}.ipynb)" in line, line
    assert "[all side trips](../index.ipynb#side-trips)" in running_text(page)


@ASKED.of(CHOSEN_OR_WALKED)
def at_most_one_note_on_the_sources(page):
    found = [where(page, cell) for cell in cells(page) for _ in range(road.said(cell).count(NOTE))]
    assert len(found) <= 1, f"{found}: at most one note, the others belong in further/"


@pytest.mark.parametrize("page", asked(CHOSEN_OR_WALKED))
def test_a_visible_cell_shows_something(page):
    silent = [where(page, cell) for cell in cells(page) if road.visible(cell) and not cell["outputs"]]
    assert not silent, f"{silent}: visible code without anything to see"


@ASKED.of(CHAPTERS)
def two_or_three_exercises(page):
    count = len(road.exercises(notebook(page)))
    assert 2 <= count <= 3, f"{page}: {count} exercises"


@ASKED.of(toc.checkpoints())
def a_checkpoint_asks_five_to_ten_questions_and_leads_back(page):
    asked = road.exercises(notebook(page))
    assert 5 <= len(asked) <= 10, f"{page}: {len(asked)} questions"
    for first, *_ in asked:
        assert re.search(r"\]\(\w+\.ipynb#[\w-]+\)", road.said(first)), f"{where(page, first)}: no link back to a section"


@ASKED.of(CHAPTERS)
def a_page_of_the_road_lets_the_reader_guess_before_a_figure(page):
    """The guess stands before a figure, and what one should have seen, to be unfolded, after it."""
    its = cells(page)
    guesses = [k for k, cell in enumerate(its) if road.practises(cell) in all_guesses()]
    assert guesses, f"{page}: nothing to guess in the page"
    for k in guesses:
        rest = ["figure" if road.moves(cell) else "seen" if "{dropdown} What you should have seen" in road.said(cell) else "" for cell in its[k:]]
        assert "figure" in rest and "seen" in rest, f"{where(page, its[k])}: no figure, or nothing to unfold, after the guess"
        assert rest.index("figure") < rest.index("seen"), f"{where(page, its[k])}: what one should have seen stands before the figure"


@ASKED.of(ROAD[1:-1])
def the_last_words_lead_to_the_next_page(page):
    following = ROAD[ROAD.index(page) + 1]
    last = [cell for cell in cells(page) if cell["cell_type"] == "markdown"][-1]
    links = [posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
             for link in re.findall(r"\]\(([^)#]+)", road.source(last))]
    assert f"{following}.ipynb" in links, f"{where(page, last)}: no link to {following}, only {links}"


@ASKED.of(toc.chapters())
def what_can_be_played_with_is_predicted(page):
    if any(map(road.moves, cells(page))):
        told = "\n\n".join(road.said(cell) for cell in cells(page) if not road.of_an_exercise(cell))
        assert re.search(r"\b(?:predict|guess)", told, flags=re.I), f"{page}: a figure, and nobody is asked to predict or guess"


OPENS = r"\bopens\b|\bopened\b|\bopen (?:with|on|at|in)\b"      # not "code that you can open"


@ASKED.of(["index", *toc.chapters()])
def the_text_names_what_a_figure_opens_with(page):
    its = cells(page)
    for k, cell in enumerate(its):
        if road.moves(cell):
            # From the nearest text before the figure to the nearest after it, with what code writes between them.
            start = next((i for i in range(k, -1, -1) if its[i]["cell_type"] == "markdown"), 0)
            end = next((i for i in range(k, len(its)) if its[i]["cell_type"] == "markdown"), len(its) - 1)
            told = "\n\n".join(map(road.said, its[start:end + 1]))
            assert re.search(OPENS, told), f"{where(page, cell)}: the text beside this figure does not say what it opens with"


# ---- words in bold, and the list of terms

def bold(page):
    """Each bold term of a page with the cells that it stands in; links in bold are the index's to use."""
    found = collections.defaultdict(list)
    for cell in cells(page):
        said = road.said(cell)
        if page == "index":
            said = re.sub(r"\*\*\[[^]]*\]\([^)]*\)\*\*", " ", said)
        for term in road.bold_terms(said):
            found[term.lower()].append(where(page, cell))
    return found


@pytest.mark.parametrize("page", asked(CHOSEN_OR_WALKED))
def test_what_is_bold_is_a_term_of_the_page(page):
    terms = {entry["term"].lower() for entry in TERMS if entry["slug"] == toc.slug(page)}
    strange = {term: at for term, at in bold(page).items() if term not in terms}
    assert not strange, f"bold, but no term of {toc.slug(page)} in data/terms.yml: {strange}"


@pytest.mark.parametrize("page", asked(CHOSEN_OR_WALKED))
def test_a_term_is_bold_once_on_its_page(page):
    found = bold(page)
    for entry in TERMS:
        if entry["slug"] == toc.slug(page):
            at = found.get(entry["term"].lower(), [])
            assert len(at) == 1, f"{page}: {entry['term']!r} is bold {len(at)} times, not once: {at}"


@ASKED.of(SIDE_ROOMS)
def a_side_room_defines_no_term_of_the_road_again(page):
    terms = {entry["term"].lower() for entry in TERMS}
    again = {term: at for term, at in bold(page).items() if term in terms}
    assert not again, f"bold on the road already: {again}"


def test_the_list_of_terms_is_in_order():
    assert TERMS
    for entry in TERMS:
        assert {"term", "slug", "means"} <= set(entry) <= {"term", "slug", "means", "everyday"}, entry
        assert entry["slug"] in map(toc.slug, CHOSEN_OR_WALKED), f"{entry['term']}: no page of the road, and no trip, is called {entry['slug']}"
        assert entry["means"].endswith(".") and len(entry["means"].split()) >= 4, f"{entry['term']}: {entry['means']!r} is no sentence"
    twice = [term for term, count in collections.Counter(entry["term"].lower() for entry in TERMS).items() if count > 1]
    assert not twice, f"more than one entry: {twice}"
