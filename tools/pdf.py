"""The book on paper: the pages of the built site as one long page (tools/print.js), printed by Chromium.

    python -m tools.pdf      the road, the side trips, solutions, bibliography, glossary and index

A figure is printed as it stands where no scripts run.  Chromium is found by the environment variable CHROMIUM.  Links
to pages that are not in the file lead to the site if BOOK_BASEURL says where that is; else they are plain words.
"""

import html
import io
import os
from pathlib import Path

import yaml
from pypdf import PdfReader

from website import addresses, browser, toc

ROOT = Path(__file__).resolve().parent.parent
PDF = ROOT / "_build" / "attention-step-by-step.pdf"
BACK = ["chapters/bibliography", "reference/glossary"]      # the index is the last
STYLE = (Path(__file__).parent / "print.css").read_text(encoding="utf-8")
SCRIPT = (Path(__file__).parent / "print.js").read_text(encoding="utf-8")
NUMBER = "(links, sheets) => { for (const link of links) link.textContent = sheets[link.hash.slice(1)] }"


def pages():
    """The pages of the site that are printed, in order."""
    return [name for name in toc.pages() if name in {*toc.road(), *toc.trips()}] + BACK


def cover():
    """The first sheet, as HTML."""
    book = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    edition = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    place = html.escape(addresses.site())
    place = f", <a href='{place}'>{place}</a>," if place else ""
    return (f"<section class='ak-title-sheet'><h1>{book['title']}</h1><p>{book['author'].capitalize()}</p>"
            "<img src='/_static/gallery/alignment-light.webp' alt=''>"
            f"<p>The book on paper, version {edition['version']}, {edition['date-released']}. On the website{place} "
            "the figures move, hints and the code of pictures can be unfolded, exercises can be answered, and side "
            "rooms tell more. What the text calls a page is a chapter here. Print it in colour.</p>"
            f"{book['sphinx']['config']['html_theme_options']['extra_footer']}</section>")


def sheets(pdf):
    """The number of the sheet of each place that a link in a printed file leads to."""
    book = PdfReader(io.BytesIO(pdf))
    return {name.removeprefix("/"): book.get_destination_page_number(spot) + 1
            for name, spot in book.named_destinations.items()}


def lay(chromium, address, names):
    """The pages of the site served there, the last of which are the back matter, as one page with its numbers."""
    # As wide as A4 between its margins, so that what is too wide is seen.  The pages' own scripts do not run.
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 642, "height": 900})
    context.set_default_timeout(browser.PATIENCE)
    page = context.new_page()
    page.emulate_media(media="print", color_scheme="light")
    page.goto(f"{address}/{BACK[0]}.html", wait_until="load")
    page.evaluate(SCRIPT, {"names": names, "parts": toc.captions(), "back": len(BACK), "cover": cover(),
                           "base": addresses.site(), "style": STYLE})
    # Printed once to learn where everything stands.
    page.eval_on_selector_all(".ak-sheet", NUMBER, sheets(printed(page)))
    return page


def printed(page):
    """A page on sheets, with outline and tags, as a file."""
    return page.pdf(prefer_css_page_size=True, print_background=True, tagged=True, outline=True)


if __name__ == "__main__":
    with browser.serve() as address, browser.launch(os.environ["CHROMIUM"]) as chromium:
        PDF.write_bytes(printed(lay(chromium, address, pages())))
    print(f"{PDF.name}: {len(PdfReader(PDF).pages)} sheets, {PDF.stat().st_size / 1e6:.1f} MB")
