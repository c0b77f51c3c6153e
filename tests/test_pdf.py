"""The book on paper: three chapters and what stands behind them printed as `make pdf` prints all, twice, and read back."""

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from conftest import ROOT, SITE
from pypdf import PdfReader

from bookkit.lessons.exercises import all_exercises
from tools import homework, pdf

pytestmark = pytest.mark.browser

CHAPTERS = ["chapters/weights", "chapters/notation", "chapters/softmax"]
PAGES = [*CHAPTERS, pdf.SOLUTIONS, *pdf.BACK]
FOOT = 24 / 25.4 * 72      # points from the edge below which the number of the sheet stands


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same pages printed twice."""
    made = [tmp_path_factory.mktemp("pdf") / "book.pdf" for _ in range(2)]
    for target in made:
        # In a process of its own: another test of this one may have a browser open.
        subprocess.run([sys.executable, "-c", "import sys; from pathlib import Path; from tools import pdf; "
                        "pdf.make(sys.argv[3:], Path(sys.argv[1]), Path(sys.argv[2]))", SITE, target, *PAGES], cwd=ROOT, check=True)
    return made


@pytest.fixture(scope="module")
def book(files):
    return PdfReader(files[0])


def words(sheet):
    """The text of a sheet without its spaces: where they are is up to the reader of the file."""
    return re.sub(r"\s", "", sheet.extract_text())


def titles(book):
    """What the outline lists, at any depth: depth, title, sheet."""
    def below(items, depth):
        for item in items:
            if isinstance(item, list):
                yield from below(item, depth + 1)
            else:
                yield depth, item.title, book.get_destination_page_number(item)
    return list(below(book.outline, 0))


def links(book):
    """Every link: the sheet that it is on, the sheet that it leads to or None, the address or None."""
    sheets = {sheet.indirect_reference.idnum: number for number, sheet in enumerate(book.pages)}
    for number, sheet in enumerate(book.pages):
        for link in (reference.get_object() for reference in sheet.get("/Annots", [])):
            yield number, sheets[link["/Dest"][0].get_object().indirect_reference.idnum] if "/Dest" in link else None, link.get("/A", {}).get("/URI")


def pieces(sheet):
    """Every piece of text: its words, how high it stands, how large its letters are, in points."""
    found = []

    def note(text, cm, tm, font, size):
        if text.strip():
            found.append((text.strip(), round(tm[4] * cm[1] + tm[5] * cm[3] + cm[5]), round(abs(size * tm[3] * cm[3]), 1)))
    sheet.extract_text(visitor_text=note)
    return found


def lone(book, large=14):
    """The sheets whose lowest words, but for the number, are a heading's."""
    lowest = {number: min((height, size) for _, height, size in pieces(sheet) if height > FOOT) for number, sheet in enumerate(book.pages)}
    return [number for number, (_, size) in lowest.items() if size > large]


def test_two_runs_give_the_same_bytes(files):
    assert files[0].read_bytes() == files[1].read_bytes()


def test_metadata(book):
    assert book.metadata.title == "Attention, Step by Step" and book.metadata.author
    assert book.metadata.creation_date is None and book.root_object["/Lang"] == "en"
    assert all(sheet.get("/StructParents") is not None for sheet in book.pages[2:]) and book.root_object["/MarkInfo"]["/Marked"]


def test_outline(book):
    """Parts, pages and sections, each on the sheet that bears its title."""
    found = titles(book)
    assert [title for depth, title, _ in found if depth == 0] == ["Contents", "Part I. The mechanism", "Back matter"]
    assert [title.split(":")[0] for depth, title, _ in found if depth == 1] == [
        "Weights", "Notation", "Softmax", "Solutions", "Glossary", "Index of subjects", "Bibliography"]
    assert sum(depth == 2 for depth, _, _ in found) > 15
    for depth, title, sheet in found:
        if depth:
            assert re.sub(r"\s", "", title.split(":")[0]) in words(book.pages[sheet]), title


def test_sheets_are_numbered(book):
    """At the foot, and the contents say the same."""
    for number, sheet in enumerate(book.pages, 1):
        assert number == 1 or [text for text, height, _ in pieces(sheet) if height < FOOT] == [str(number)]
    listed = book.pages[1].extract_text()
    assert all(re.search(rf"{title.split(':')[0]}.*\n?.*\b{sheet + 1}\b", listed) for depth, title, sheet in titles(book) if depth == 1)


def test_links(book):
    """Inside the file to the right sheet, outside to the net, never to this machine."""
    found = list(links(book))
    assert all((sheet is None) != (address is None) and "127.0.0.1" not in str(address) for _, sheet, address in found)
    chapters = [sheet for depth, _, sheet in titles(book) if depth == 1]
    assert [sheet for at, sheet, _ in found if at == 1] == chapters
    # Behind a link to another page of the file stands the number of its sheet.
    page = [sum(first <= number for first in chapters) for number in range(len(book.pages))]
    told = [(at, sheet) for at, sheet, _ in found if 1 < at < chapters[4] and sheet is not None and page[at] != page[sheet] and page[sheet] < 4]
    assert len(told) > 3 and all(f"(p.{sheet + 1})" in words(book.pages[at]) for at, sheet in told)
    cited = [words(book.pages[sheet]) for at, sheet, _ in found if chapters[2] <= at < chapters[3] and sheet is not None and sheet >= chapters[6]]
    assert cited and all("Bridle" in sheet for sheet in cited)


def test_fonts_are_embedded_whole(book):
    """As outlines of a face; letter by letter only in a figure's labels that have a rim, to be read on its lines."""
    for sheet in book.pages:
        for font in sheet["/Resources"].get("/Font", {}).values():
            font = font.get_object()
            if font["/Subtype"] == "/Type3":
                assert "Spreadevenly" in words(sheet)      # the figure of Weights
                continue
            assert font["/Subtype"] == "/Type0", font
            assert "/FontFile2" in font["/DescendantFonts"][0].get_object()["/FontDescriptor"]


def test_figures_are_printed_as_they_open(book, site, chromium):
    """With the numbers that they show at first, and no table in their place."""
    chapters = [sheet for depth, _, sheet in titles(book) if depth == 1]
    for (name, figures), first, end in zip(pdf.drawn(chromium, site, CHAPTERS)[0].items(), chapters, chapters[1:]):
        printed = "".join(map(words, book.pages[first:end]))
        shown = [BeautifulSoup(figure["html"], "lxml").get_text(" ") for figure in figures if figure]
        numbers = {number for figure in shown for number in re.findall(r"[−+]?\d+\.\d+", figure)}
        assert len(shown) == 1 and len(numbers) > 4 and not {number for number in numbers if number not in printed}, name


def test_what_the_text_asks_for_is_printed_too(book, site, chromium):
    """Below a figure what it shows after each act, with the words that ask for it; nothing that was seen before."""
    chapters = [sheet for depth, _, sheet in titles(book) if depth == 1]
    shown = []
    for (name, states), first, end in zip(pdf.drawn(chromium, site, CHAPTERS)[1].items(), chapters, chapters[1:]):
        printed = "".join(map(words, book.pages[first:end]))
        soup = BeautifulSoup((SITE / f"{name}.html").read_text(encoding="utf-8"), "lxml")
        for act, state in zip(soup.select("[data-ak-act]"), states, strict=True):
            shown.append(act.get_text())
            figure = BeautifulSoup(state["html"], "lxml")
            for unprinted in figure.select(".ak-live, .ak-unseen, .ak-buttons, .ak-caption"):
                unprinted.decompose()
            numbers = set(re.findall(r"[−+]?\d+\.\d+", figure.get_text(" ")))
            assert numbers and not {number for number in numbers if number not in printed}, (name, act)
            assert printed.count(re.sub(r"\s", "", act.get_text())) >= 2, act
    assert shown == ["Ben’s weights", "Spread evenly", "Transpose", "Add 0.5 to all scores"]


def test_nothing_is_said_that_is_true_on_a_screen_only(book):
    chapters = [sheet for depth, _, sheet in titles(book) if depth == 1]
    printed = "".join(map(words, book.pages[chapters[0]:chapters[3]]))
    assert "Answerhere" not in printed and not re.search(r"\b(this|next|last)pages?\b", printed) and "Bytheendofthischapter" in printed
    assert printed.count(f"Solutionsbeginonpage{chapters[3] + 1}.") == 3 and "Forthesecondgap:" in printed
    # What one should have seen is told, though nobody has seen it; hints are not.
    assert printed.count("Whathappens") == 3 and "shouldhaveseen" not in printed and "Hint" not in printed


def test_solutions(book):
    """All of these chapters, each a heading, in their order, with its number and its sheet."""
    chapters = [sheet for depth, _, sheet in titles(book) if depth == 1]
    printed = "".join(map(words, book.pages[chapters[3]:chapters[4]]))
    asked = [(f"{chapter}.{k}", re.sub(r"\s", "", one.title)) for chapter, page in enumerate(CHAPTERS, 1)
             for k, one in enumerate(homework.questions(page), 1)]
    places = [printed.index(number + title) for number, title in asked]
    assert len(asked) > 6 and places == sorted(places) and "Asolution" not in printed
    for number, title in asked:
        sheet = int(re.search(rf"{re.escape(number + title)}\(p\.(\d+)\)", printed)[1])
        assert f"Exercise{number}({title})" in words(book.pages[sheet - 1])


def test_an_answer_is_told_as_it_is_asked():
    """A letter with its words, for each gap one; numbers with their names; thousands and lists apart."""
    asked = {one.name: one for page in homework.pages() for one in homework.questions(page)}
    told = {name: re.sub(r"<[^>]+>|&\w+;", " ", pdf.answer(all_exercises()[name])) for name in asked}
    assert told["weights/budget"].split() == ["c.", "points", "/", "points.sum()"]
    assert told["layers/four_on"].split() == ["c.", "two_on", ";", "b.", "two_on"]
    assert told["cost/cache"] == "one word: 327,680; 8,192 words: 2,684,354,560"
    assert told["machine/stop"].count(";") == 2 and "−" in told["machine/stop"]
    for name, one in asked.items():
        words, code = pdf.told(one.solution)
        assert not words.startswith("#") and (told[name] or code and "check(" not in code and "assert" not in code), name


def test_what_fills_a_sheet():
    """A picture that is a little too high is made smaller; code may leave its output; words may leave a picture."""
    def filled(room, tried=(), **what):
        base = {"high": 100, "stays": False, "leads": False, "picture": 0, "code": 0, "least": 0.68}
        blocks = [{**base, "id": "a", "bottom": 100}, {**base, "id": "b", "stays": True, "bottom": 130, "high": 30, "leads": True},
                  {**base, "id": "c", "bottom": 430, "high": 300, **what}]
        top = pdf.MARGINS + 0.75 * (room + 100)
        spots = {"a": (4, top), "b": (5, 800), "c": (5, 700), "": (4, 800)}
        return pdf.fill((SimpleNamespace(spots=spots), blocks, 1), tried)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pdf, "spots", lambda printed: printed.spots)
        assert filled(270, picture=280)["c"] == pytest.approx(1 - 64 / 280)
        assert filled(170, picture=280) == {"b": 0} and filled(170, {"b"}, picture=280) is None      # too much, and the words alone
        assert filled(270, code=200) == {"c": 0} and filled(270, {"b", "c"}, code=200) is None
        assert filled(100, picture=280) is None      # too little to be seen

def test_the_glossary_names_the_sheet_where_a_term_is_in_bold(book):
    chapters = [sheet for depth, _, sheet in titles(book) if depth == 1]
    told = "\n".join(sheet.extract_text() for sheet in book.pages[chapters[4]:chapters[5]])
    wanted = {"item": "Weights", "weight": "Weights", "weighted average": "Weights", "temperature": "Softmax"}
    for term, page in wanted.items():
        named = int(re.search(rf"(?m)^{term}\s*\n(?:.*\n){{0,3}}?.*?{page}.*?\(p\.\s(\d+)\)", told)[1])
        assert re.sub(" ", "", term) in words(book.pages[named - 1]) and chapters[0] < named <= chapters[3]
    listed = " ".join(sheet.extract_text() for sheet in book.pages[chapters[5]:chapters[6]])
    assert re.search(r"temperature[^°]*? \d+", listed) and "ALiBi" not in listed and "°" not in listed


def test_no_heading_is_alone_at_the_foot_of_a_sheet(book):
    assert not lone(book)


def test_a_lone_heading_would_be_found(site, chromium):
    """What the test above asks can fail."""
    css = pdf.faces(SITE) + " @page { size: A4; margin: 22mm 20mm 24mm } h2 { break-after: page !important }"
    printed = pdf.print_pages(chromium, site, ["chapters/softmax"], {"css": css, "cites": {}}, pdf.settings())
    assert len(lone(PdfReader(printed[-1].sheets.stream))) > 5
