"""The book on paper: three chapters and what stands behind them, laid out and printed as `make pdf` prints all."""

import io
import re

import pytest
from bs4 import BeautifulSoup
from conftest import SITE
from pypdf import PdfReader

from tools import homework, pdf

pytestmark = pytest.mark.browser

CHAPTERS = ["chapters/weights", "chapters/notation", "chapters/softmax"]


@pytest.fixture(scope="module")
def page(chromium, site):
    page = pdf.lay(chromium, site, ["index", *CHAPTERS, *pdf.BACK])
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def book(page):
    return PdfReader(io.BytesIO(pdf.printed(page)))


@pytest.fixture(scope="module")
def parts(book):
    """Each page in the outline: its title, the number of its first sheet, and the text of each."""
    found = [(close(item.title), book.get_destination_page_number(item))
             for item in book.outline if not isinstance(item, list)]
    texts = [close(sheet.extract_text()) for sheet in book.pages]
    ends = [first for _, first in found[1:]] + [len(texts)]
    return [(title, first + 1, texts[first:end]) for (title, first), end in zip(found, ends)]


def close(text):
    """A text without its spaces: where they are is up to the reader of the file."""
    return re.sub(r"\s", "", text)


def source(name):
    return BeautifulSoup((SITE / f"{name}.html").read_text(encoding="utf-8"), "lxml")


def test_every_page_is_there_in_its_order(parts):
    """Outline, contents, running heads and the numbers of the sheets say the same; no sheet is blank."""
    pages = [close(source(name).h1.text.rstrip("#")) for name in [*CHAPTERS, *pdf.BACK]]
    assert [title for title, *_ in parts] == [
        "Attention,StepbyStep", "Contents", "Aboutthisbook", *pages[:3], "Solutions", *pages[3:]]
    contents = parts[1][2][0]
    for title, first, texts in parts[2:]:
        assert re.search(rf"{title}{first}(?!\d)", contents) and texts[0].startswith(f"{title}{first}"), title
        assert title in texts[0].removeprefix(title), title
        for number, text in enumerate(texts, first):
            assert text.startswith(f"{title}{number}") and len(text) > len(title) + 60, number


def test_pictures_figures_and_solutions(parts):
    """Of a figure what it shows where no scripts run. Solutions stand at the end alone, and hints nowhere."""
    solutions, before = "".join(parts[6][2]), -1
    for name, (_, _, texts) in zip(CHAPTERS, parts[3:]):
        shown = source(name).select("figure.ak-picture, [data-ak-figure]:not([data-ak-figure=practice]) > table")
        words = {word for one in shown for word in one.get_text(" ").split()}
        text = "".join(texts)
        assert len(shown) > 2 and len(words) > 30 and not {word for word in words if word not in text}, name
        assert not re.search("Asolution|Hint", text)
        for title in [close(one.title) for one in homework.questions(name)]:
            assert f"Exercise({title})" in text and solutions.index(title) > before, title
            before = solutions.index(title)
    assert before > 0 and "check(" not in solutions


def test_nothing_is_cut_at_the_right_edge(page):
    """But the strokes of roots, which are longer than they are drawn."""
    assert not page.evaluate("""() => [...document.querySelectorAll(".bd-article *:not(.hide-tail *)")].filter(e =>
        e.getBoundingClientRect().right > e.closest(".bd-article").getBoundingClientRect().right + 1)
        .map(e => e.outerHTML.slice(0, 100))""")


def test_title_language_tags_and_links(book):
    """Links lead to places in the file or out into the net, never to this machine."""
    assert book.metadata.title == "Attention, Step by Step" and book.root_object["/Lang"] == "en"
    assert book.root_object["/MarkInfo"]["/Marked"]
    links = [reference.get_object() for sheet in book.pages for reference in sheet.get("/Annots", [])]
    assert len(links) > 50 and not [link for link in links if "127.0.0.1" in str(link.get("/A"))]
    assert all(("/Dest" in link) != ("/A" in link) for link in links)
