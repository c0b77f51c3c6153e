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

from bookkit.lessons.exercises import all_guesses
from website import road, toc

ROAD, TRIPS = toc.road(), toc.trips()
CHOSEN_OR_WALKED = [*ROAD, *TRIPS]                                           # all but the side rooms
CHAPTERS = [page for page in CHOSEN_OR_WALKED[1:] if page not in toc.checkpoints()]      # what tells something
SIDE_ROOMS = [page for page in toc.chapters() if page not in CHOSEN_OR_WALKED]
NOTEBOOKS = [name.removesuffix(".ipynb") for name in toc.notebooks()]
TERMS = yaml.safe_load((ROOT / "data/terms.yml").read_text(encoding="utf-8"))

MOST_MINUTES, ALL_MINUTES = 18, 230
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


# ---- every chapter, and its side room

@pytest.mark.parametrize("page", asked(toc.chapters()))
def test_a_chapter_says_what_it_needs(page):
    assert re.search(r"^\*\*You need:\*\*", running_text(page), flags=re.M), f"{page}: no line **You need:**"


@pytest.mark.parametrize("page", asked(CHAPTERS))
def test_a_chapter_ends_in_exercises_and_one_paragraph(page):
    told = running_text(page)
    for heading in ("Exercises", "In one paragraph"):
        assert len(re.findall(rf"^#+ {heading}$", told, flags=re.M)) == 1, f"{page}: not one heading {heading!r}"


@pytest.mark.parametrize("page", asked(toc.chapters()))
def test_an_exercise_has_a_hint_an_answer_and_a_solution(page):
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
    # The glossary has words only, and the cover shows no code.
    assert opened.page.locator(".cell .highlight pre").count() or opened.name in ("index", "reference/glossary"), "no code on the page"
    assert opened.page.evaluate(RUNS_OFF) == []


# ---- the road itself; the index, too, unless a test asks of chapters only

@pytest.mark.parametrize("page", asked(CHOSEN_OR_WALKED))
def test_a_page_takes_no_longer_than_its_minutes(page):
    most, takes = SHORT.get(page, MOST_MINUTES), road.minutes(notebook(page))
    assert takes <= most, f"{page}: {takes:.1f} minutes, at most {most}"


def test_the_road_is_as_long_as_the_cover_says():
    """Twenty-three pages, and hours rounded to the nearest half; checkpoints are answered, not read."""
    walked = [page for page in ROAD[1:] if page not in toc.checkpoints()]
    takes = sum(road.minutes(notebook(page)) for page in walked)
    print(f"{takes:.0f} minutes")
    assert len(walked) == 23 and takes <= ALL_MINUTES
    hours = {7: "three and a half", 8: "four", 9: "four and a half", 10: "five"}[round(takes / 30)]
    assert f"twenty-three pages and an end. It takes about {hours} hours of reading" in running_text("index")


def test_the_fast_lane_leads_to_a_tuned_model_in_less_than_ninety_minutes():
    """In the road's order, as data/lane.yml has it, at most eight pages; what it passes by is told where the lane comes back to the road."""
    lane, said = toc.lane(), toc.on_lane()
    assert [*map(toc.slug, lane), "end"] == [*yaml.safe_load((ROOT / "data/lane.yml").read_text(encoding="utf-8"))]
    assert len(lane) <= 8 and lane[-1] == "chapters/tune" and said["end"]
    assert [bool(said[page]) for page in lane] == [ROAD[ROAD.index(page) - 1] not in lane for page in lane]
    assert sum(road.minutes(notebook(page)) for page in lane) < 90


@pytest.mark.parametrize("page", asked(TRIPS))
def test_a_trip_leads_back_to_where_it_began(page):
    """There a reader is told of it, and the cover lists it with that page."""
    begins = toc.branch(page)
    assert begins in ROAD, f"{page}: its last words lead back to {begins}"
    name = toc.slug(page)
    assert f"({name}.ipynb)" in road.source([cell for cell in cells(begins) if cell["cell_type"] == "markdown"][-1]), f"{begins} does not tell of {name}"
    [line] = [line for line in running_text("index").splitlines() if line.startswith("- ") and f"chapters/{name}.ipynb" in line]
    assert "From [" in line and f"(chapters/{toc.slug(begins)}.ipynb)" in line, line
    assert "[all side trips](../index.ipynb#side-trips)" in running_text(page)


@pytest.mark.parametrize("page", asked(CHOSEN_OR_WALKED))
def test_at_most_one_note_on_the_sources(page):
    found = [where(page, cell) for cell in cells(page) for _ in range(road.said(cell).count(NOTE))]
    assert len(found) <= 1, f"{found}: at most one note, the others belong in further/"


@pytest.mark.parametrize("page", asked(CHOSEN_OR_WALKED))
def test_a_visible_cell_shows_something(page):
    silent = [where(page, cell) for cell in cells(page) if road.visible(cell) and not cell["outputs"]]
    assert not silent, f"{silent}: visible code without anything to see"


@pytest.mark.parametrize("page", asked(CHAPTERS))
def test_two_or_three_exercises(page):
    count = len(road.exercises(notebook(page)))
    assert 2 <= count <= 3, f"{page}: {count} exercises"


@pytest.mark.parametrize("page", asked(toc.checkpoints()))
def test_a_checkpoint_asks_five_to_ten_questions_and_leads_back(page):
    asked = road.exercises(notebook(page))
    assert 5 <= len(asked) <= 10, f"{page}: {len(asked)} questions"
    for first, *_ in asked:
        assert re.search(r"\]\(\w+\.ipynb#[\w-]+\)", road.said(first)), f"{where(page, first)}: no link back to a section"


@pytest.mark.parametrize("page", asked(CHAPTERS))
def test_a_page_of_the_road_lets_the_reader_guess_before_a_figure(page):
    """The guess stands before a figure, and what one should have seen, to be unfolded, after it."""
    its = cells(page)
    guesses = [k for k, cell in enumerate(its) if road.practises(cell) in all_guesses()]
    assert guesses, f"{page}: nothing to guess in the page"
    for k in guesses:
        rest = ["figure" if road.moves(cell) else "seen" if "{dropdown} What you should have seen" in road.said(cell) else "" for cell in its[k:]]
        assert "figure" in rest and "seen" in rest, f"{where(page, its[k])}: no figure, or nothing to unfold, after the guess"
        assert rest.index("figure") < rest.index("seen"), f"{where(page, its[k])}: what one should have seen stands before the figure"


@pytest.mark.parametrize("page", asked(ROAD[1:-1]))
def test_the_last_words_lead_to_the_next_page(page):
    following = ROAD[ROAD.index(page) + 1]
    last = [cell for cell in cells(page) if cell["cell_type"] == "markdown"][-1]
    links = [posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
             for link in re.findall(r"\]\(([^)#]+)", road.source(last))]
    assert f"{following}.ipynb" in links, f"{where(page, last)}: no link to {following}, only {links}"


@pytest.mark.parametrize("page", asked(toc.chapters()))
def test_what_can_be_played_with_is_predicted(page):
    if any(map(road.moves, cells(page))):
        told = "\n\n".join(road.said(cell) for cell in cells(page) if not road.of_an_exercise(cell))
        assert re.search(r"\b(?:predict|guess)", told, flags=re.I), f"{page}: a figure, and nobody is asked to predict or guess"


OPENS = r"\bopens\b|\bopened\b|\bopen (?:with|on|at|in)\b"      # not "code that you can open"


@pytest.mark.parametrize("page", asked(["index", *toc.chapters()]))
def test_the_text_names_what_a_figure_opens_with(page):
    its = cells(page)
    for k, cell in enumerate(its):
        if road.moves(cell):
            # From the nearest text before the figure to the nearest after it, with what code writes between them.
            start = next((i for i in range(k, -1, -1) if its[i]["cell_type"] == "markdown"), 0)
            end = next((i for i in range(k, len(its)) if its[i]["cell_type"] == "markdown"), len(its) - 1)
            told = "\n\n".join(map(road.said, its[start:end + 1]))
            assert re.search(OPENS, told), f"{where(page, cell)}: the text beside this figure does not say what it opens with"


# ---- words in bold, and the list of terms

UNREAD = r"^(`{3,}).*?^\1|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$"      # code and formulas
APART = r"^[ \t]*(?::{3,}.*|:\w+:.*|#+ .*)$"                 # a directive's marks and a heading end a paragraph
LABEL = r"(?:\A|\n[ \t]*\n|^[ \t]*(?:[-*+]|\d+\.)[ \t])\s*\*\*[^*]+[.:]\*\*"


def bold_terms(text):
    """What is bold in a text, but for labels: a list item's or a paragraph's first words that end in "." or ":"."""
    text = re.sub(r"</?span[^>]*>", "", re.sub(UNREAD, " ", text, flags=re.M | re.S))
    text = re.sub(APART, "", text, flags=re.M)
    text = re.sub(LABEL, "\n\n", text, flags=re.M)
    return [plain(words) for words in re.findall(r"\*\*(.+?)\*\*", text, flags=re.S)]


def plain(words):
    """Words as they are read: links are their words, and a new line is a space."""
    return " ".join(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", words).split())


def bold(page):
    """Each bold term of a page with the cells that it stands in; links in bold are the index's to use."""
    found = collections.defaultdict(list)
    for cell in cells(page):
        said = road.said(cell)
        if page == "index":
            said = re.sub(r"\*\*\[[^]]*\]\([^)]*\)\*\*", " ", said)
        for term in bold_terms(said):
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


@pytest.mark.parametrize("page", asked(SIDE_ROOMS))
def test_a_side_room_defines_no_term_of_the_road_again(page):
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
