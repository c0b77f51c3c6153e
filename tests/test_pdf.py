"""The book on paper: four pages printed as `make pdf` prints all, twice, and read back."""

import re
import subprocess
import sys

import pytest
from bs4 import BeautifulSoup
from conftest import ROOT, SITE
from pypdf import PdfReader

from tools import pdf

pytestmark = pytest.mark.browser

PAGES = ["chapters/weights", "chapters/notation", "chapters/softmax", "chapters/bibliography"]
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
    assert [title.split(":")[0] for depth, title, _ in found if depth == 1] == ["Weights", "Notation", "Softmax", "Bibliography"]
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
    told = [(at, sheet) for at, sheet, _ in found if at > 1 and sheet is not None and page[at] != page[sheet] and page[sheet] < len(chapters)]
    assert len(told) > 3 and all(f"(p.{sheet + 1})" in words(book.pages[at]) for at, sheet in told)
    cited = [words(book.pages[sheet]) for at, sheet, _ in found if chapters[2] <= at < chapters[3] and sheet >= chapters[3]]
    assert cited and all("Bridle" in sheet for sheet in cited)


def test_fonts_are_embedded_whole(book):
    """As outlines of a face, none letter by letter."""
    for sheet in book.pages:
        for font in sheet["/Resources"].get("/Font", {}).values():
            font = font.get_object()
            assert font["/Subtype"] == "/Type0", font
            assert "/FontFile2" in font["/DescendantFonts"][0].get_object()["/FontDescriptor"]


def test_numbers_of_figures(book):
    """What a figure that moves shows on the website at first stands on paper."""
    chapters = [sheet for depth, _, sheet in titles(book) if depth == 1]
    for name, first, end in zip(PAGES[:3], chapters, chapters[1:]):
        printed = "".join(map(words, book.pages[first:end]))
        page = BeautifulSoup((SITE / f"{name}.html").read_text(encoding="utf-8"), "lxml")
        figures = page.select('[data-ak-figure]:not([data-ak-figure="practice"])')
        numbers = {number for figure in figures for number in re.findall(r"[−+]?\d+\.\d+", figure.get_text(" "))}
        assert len(numbers) > 5 and not {number for number in numbers if number not in printed}


def test_no_heading_is_alone_at_the_foot_of_a_sheet(book):
    assert not lone(book)


def test_a_lone_heading_would_be_found(site, chromium):
    """What the test above asks can fail."""
    css = pdf.faces(SITE) + " @page { size: A4; margin: 22mm 20mm 24mm } h2 { break-after: page !important }"
    printed = pdf.print_pages(chromium, site, ["chapters/softmax"], css, pdf.settings())
    assert len(lone(PdfReader(printed[-1].sheets.stream))) > 5
