"""The book on paper: every page of the built site printed by Chromium, joined to one PDF with contents and links.

    python -m tools.pdf      the road, the side trips, solutions, glossary, index and bibliography

A figure is printed as it opens, and below it as it is after each act of the text: drawn once where scripts run, and put
on a page where they do not; one that grows shows its last step.  What is folded is opened, but for hints and code
(tools/print.js does all that).  A sheet that would be left empty is filled by a picture that is made a little smaller.
Chromium is found by the environment variable CHROMIUM.  Links to pages that are not in the file lead to the site if
BOOK_BASEURL says where that is; else they are plain words.  Two runs give the same bytes.
"""

import base64
import hashlib
import html
import io
import itertools
import math
import os
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np
import yaml
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    ByteStringObject,
    DictionaryObject,
    Fit,
    FloatObject,
    NameObject,
    NullObject,
    NumberObject,
    TextStringObject,
)

from bookkit.lessons.exercises import all_exercises
from bookkit.lessons.exercises.grading import RIGHT, Choice, Value
from tools import homework
from website import addresses, browser, toc

ROOT = Path(__file__).resolve().parent.parent
PDF = ROOT / "_build" / "attention-step-by-step.pdf"
BACK = ["reference/glossary", "reference/subjects", "chapters/bibliography"]
FEW = 130      # words of a last sheet that is worth sparing
MARGINS, SHEET = (22 + 24) / 25.4 * 72, (297 - 22 - 24) / 25.4 * 96      # in points; between them, in pixels
EMPTY = 0.14      # the share of a sheet that is worth filling
COVER, CONTENTS, SOLUTIONS = "cover", "contents", "solutions"      # the sheets that are no page of the site
# Skia draws a face with an axis letter by letter; cut at one weight it is embedded as a whole. For each: its file, its
# weight, the weights that it stands for.
FACES = [("Source Serif 4", "normal", "serif", 400, "1 500"), ("Source Serif 4", "normal", "serif", 620, "501 999"),
         ("Source Serif 4", "italic", "serif-italic", None, "1 999"),
         ("Source Sans 3", "normal", "sans", 400, "1 500"), ("Source Sans 3", "normal", "sans", 600, "501 999")]
PAPER = (Path(__file__).parent / "print.js").read_text(encoding="utf-8")


class Printed(NamedTuple):
    """A page of the book on its sheets, of which `first` is the number of the first in the whole file, from 0."""

    name: str
    first: int
    title: str
    sections: list
    sheets: PdfReader
    cited: list


def pages():
    """The pages of the book on paper, in order."""
    chosen = [name for name in toc.pages() if name in {*toc.road(), *toc.trips()}]
    return [*chosen, SOLUTIONS, *BACK]


def numbers(names):
    """The number of each chapter."""
    chapters = [name for name in names if name.startswith("chapters/") and name not in BACK]
    return {name: k for k, name in enumerate(chapters, 1)}


def solutions(names, meant):
    """The solutions of all exercises on some pages, as the article of a page, and what a page says after one."""
    lines, numbered = ["<section id='solutions'><h1>Solutions</h1>"], numbers(names)
    for page in (page for page in homework.pages() if page in names):
        lines.append(f"<section id='of-{toc.slug(page)}'><h2>{numbered[page]} {homework.title(page)}</h2>")
        for k, one in enumerate(homework.questions(page), 1):
            asked = all_exercises()[one.name]
            (words, code), right = told(one.solution), answer(asked)
            # What tries out an answer is for a notebook.
            if code and not (right and ("choices" in asked.form or re.search(r"\b(assert|print)\b", code))):
                code = f"<div class='highlight'><pre>{html.escape(code)}</pre></div>"
            else:
                code = ""
            title = f"{numbered[page]}.{k} {html.escape(one.title)}"
            lines.append(f"<div class='ak-solution'><h3><a href='/{page}.html#exercise-{k}'>{title}</a></h3>"
                         f"<p>{right}</p><p>{html.escape(words)}</p>{code}{meant[page][k - 1]}</div>")
        lines.append("</section>")
    return "".join(lines).replace("<p></p>", "") + "</section>"


def told(solution):
    """What a solution says first, and its code, without what prints and tests."""
    lines = solution.removeprefix("# A solution").lstrip(":., ").splitlines()
    first = next((k for k, line in enumerate(lines[1:], 1) if not line.startswith("# ")), len(lines))
    words = " ".join(line.removeprefix("# ") for line in lines[:first]).strip()
    code = [line for line in lines[first:] if not re.match(r"(check|print)\(|assert |from .* import check", line)]
    words = re.sub(r" [^.?!]*\?$", "", words).replace(" - ", " − ").replace(" * ", " · ").replace("'", "’")
    if words[:2].isalpha():      # not a formula's letter
        words = words[0].upper() + words[1:]
    return words + "." * words[-1:].isalnum(), "\n".join(code).strip()


def answer(asked):
    """What an exercise asks for, as HTML: letters of choices with their words, or numbers with their names."""
    form = asked.form
    if "choices" in form:
        ways = list(itertools.product(*form["choices"]))
        verdicts = form.get("verdicts", range(len(ways)))
        right = next(way for way, verdict in zip(ways, verdicts) if form["said"][verdict] == RIGHT)
        letters = [f"{Choice.LETTERS[offered.index(words)]}.&nbsp;{lit(words, 'lines' == form['kind'])}"
                   for offered, words in zip(form["choices"], right)]
        return ";&ensp;".join(letters)
    if not isinstance(asked, Value):
        return ""
    if form["truths"]:
        rows = np.atleast_2d(asked.right)
        return "; ".join(", ".join("yes" if one else "no" for one in row) for row in rows)
    places = -math.floor(math.log10(2 * asked.within))      # as many as are asked for
    figures = [f"{int(one):,}" if one == int(one) else f"{one:.{places}f}" if places < 4 else f"{one:.4g}"
               for one in np.ravel(asked.right)]
    if asked.labels:
        figures = [f"{html.escape(name)}: {one}" for name, one in zip(asked.labels, figures)]
    elif np.ndim(asked.right) == 2:
        rows = np.reshape(figures, np.shape(asked.right))
        return "<br>".join(map(", ".join, rows)).replace("-", "−")
    return ("; " if asked.labels or any("," in one for one in figures) else ", ").join(figures).replace("-", "−")


def lit(words, code):
    """A choice as HTML: code, or words with some code and stress in them."""
    if code:
        return f"<code>{html.escape(words)}</code>"
    if re.fullmatch(r"`[-−\d.\s]+`", words):
        return "<br>".join(", ".join(row.split()) for row in words.strip("`").splitlines()).replace("-", "−")
    words = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(words))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", words)


def cites(site):
    """The number of each source in the bibliography."""
    page = (site / "chapters/bibliography.html").read_text(encoding="utf-8")
    return dict(re.findall(r'<div class="citation" id="(\w+)"[^>]*>.*?</span>(\d+)<span', page, flags=re.S))


def drawn(chromium, address, names):
    """By page the figures as they open, as HTML and its width, or nothing for those that are printed otherwise.

    And by page what they show after each act of the text, and what is said after each exercise, which would tell the
    answer beside the question.
    """
    context = chromium.new_context(color_scheme="light", reduced_motion="reduce",
                                   viewport={"width": 1280, "height": 3000})      # what is out of sight is not drawn
    context.set_default_timeout(browser.PATIENCE)
    page, found, acted, meant = context.new_page(), {}, {}, {}
    for name in names:
        page.goto(f"{address}/{name}.html", wait_until="load")
        page.evaluate(PAPER)
        meant[name] = page.evaluate("paper.meant()")
        found[name] = page.evaluate("paper.drawn()")
        acted[name] = page.evaluate("paper.acted()")
    context.close()
    return found, acted, meant


def faces(site):
    """The rules for the site's faces, each cut at one weight."""
    rules = []
    for family, style, file, weight, weights in FACES:
        font = TTFont(site / f"_static/fonts/{file}.woff2", recalcTimestamp=False)
        if weight:
            instantiateVariableFont(font, {"wght": weight}, inplace=True)
        font.flavor = None
        font.save(cut := io.BytesIO())
        source = base64.b64encode(cut.getvalue()).decode()
        rules.append(f"@font-face{{font-family:'{family}';font-style:{style};font-weight:{weights};"
                     f"src:url(data:font/ttf;base64,{source})}}")
    return "".join(rules)


def cover(config, figures):
    """The first sheet, with the picture and the formula that the book begins with."""
    site = addresses.site()
    place = f" (<a href='{site}'>{html.escape(site)}</a>)" if site else ""
    edition = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    picture = "".join(f"<div class='ak-widget ak-still' data-ak-figure='alignment' style='width:{one['width']}px'>"
                      f"{one['html']}</div>" for one in figures[:1])
    return (f"<div class='ak-title-sheet'><h1>{config['title']}</h1><p>{config['author'].capitalize()}</p>{picture}"
            "<div class='ak-formula'></div>"
            f"<div><p>The book on paper, version {edition['version']}, {edition['date-released']}. On the website"
            f"{place} the figures move and the exercises can be answered. What has a ° behind it is there: hints, code "
            "that is folded away, and a <em>side room</em> with more to a chapter. A number in brackets is a source of "
            "the bibliography. <code>make study</code> and its like are typed in a copy of the book’s files, which "
            "the website leads to. Print it in colour.</p>"
            f"{config['sphinx']['config']['html_theme_options']['extra_footer']}</div></div>")


def parts():
    """The part of the book that each page belongs to."""
    captions = toc.captions()
    return captions | {SOLUTIONS: captions[BACK[0]]}


def contents(printed):
    """The words of the table of contents."""
    captions, lines, part = parts(), ["<div class='ak-contents'><h1>Contents</h1>"], None
    numbered = numbers([page.name for page in printed])
    for page in printed:
        if captions.get(page.name) != part:
            part = captions.get(page.name)
            lines.append(f"<h2>{part}</h2>")
        lines.append(f"<p><b>{numbered.get(page.name, '')}</b><a href='/{page.name}.html'>{html.escape(page.title)}</a>"
                     f"<span>{page.first + 1}</span></p>")
    return "".join(lines) + "</div>"


def print_pages(chromium, address, names, given, config):
    """Print pages of the site served there, with cover and contents, until links name the sheets that they lead to."""
    told = None
    looked = dict.fromkeys(["index", *names])      # the first page's picture is the cover's, too
    looked.pop(SOLUTIONS, None)
    given["fill"] = {}
    given["drawn"], given["acted"], given["meant"] = drawn(chromium, address, looked)
    for _ in range(6):
        printed = print_once(chromium, address, names, given, config, told)
        # The bibliography of the book on paper has what is cited on paper.
        cited = {source for page in printed for source in page.cited}
        kept = [source for source in given["cites"] if source in cited]
        given["cites"] = {source: str(k) for k, source in enumerate(kept, 1)}
        found = {page.name: {spot: sheet + 1 for spot, (sheet, _) in spots(page).items()}
                 for page in printed[2:] if page.name not in BACK}
        if found == told:
            return printed
        told = found
    raise RuntimeError("the numbers of the sheets that links name do not settle")


def print_once(chromium, address, names, given, config, told):
    """Print all, each page knowing its first sheet's number, and the sheets of all places if they are told."""
    numbered = numbers(names)
    context = chromium.new_context(java_script_enabled=False, color_scheme="light",
                                   viewport={"width": 642, "height": 900})      # as wide as A4 between its margins
    context.set_default_timeout(browser.PATIENCE)
    context.route("**/*.js*", lambda route: route.abort())      # fetched though they do not run, and dropped half-way
    page = context.new_page()
    page.emulate_media(media="print")

    def sheets(name, first, article=None):
        """A page on its sheets; where one would be left empty, again with what fills it."""
        found = given["fill"].setdefault(name, {})
        while True:
            made = once(name, first, article, found)
            filled = told and fill(made, found)
            if not filled:
                return made[0]
            found |= filled

    def once(name, first, article, filled):
        page.goto(f"{address}/{'index' if article else name}.html", wait_until="load")
        page.evaluate(PAPER)
        front = name in (COVER, CONTENTS)
        found = page.evaluate("given => paper.ready(given)", {
            "css": f"{given['css']} html {{ counter-reset: page {first} }}", "article": article, "front": front,
            "title": "About this book" if name == "index" else None, "number": numbered.get(name),
            "figures": given["drawn"].get(name), "states": given["acted"].get(name),
            "answers": SOLUTIONS in names and (told or {}).get(SOLUTIONS, {}).get(f"of-{toc.slug(name)}", 1),
            "names": names, "base": addresses.site().rstrip("/"), "told": None if front else told,
            "cites": given["cites"], "found": filled})

        def at(scale):
            pdf = page.pdf(prefer_css_page_size=True, print_background=True, tagged=True, scale=scale)
            return PdfReader(io.BytesIO(pdf))

        made, scale = at(1), 1
        # A last sheet with a few lines is spared by letters that are a little smaller.
        for smaller in (0.97, 0.95):
            if len(made.pages) > 1 and len(made.pages[-1].extract_text().split()) < FEW:
                other = at(smaller)
                if len(other.pages) < len(made.pages):
                    made, scale = other, smaller
        sections = [] if front else found["sections"]
        return Printed(name, first, found["title"], sections, made, found["cited"]), found["parts"], scale

    front = sheets(COVER, 0, cover(config, given["drawn"]["index"]))
    # How long the contents are is known before what they say: as many lines as pages, whatever the numbers.
    length = len(sheets(CONTENTS, 1, contents([Printed(n, 0, n, [], None, []) for n in names])).sheets.pages)
    first, printed = 1 + length, []
    for name in names:
        printed.append(sheets(name, first, solutions(names, given["meant"]) if name == SOLUTIONS else None))
        first += len(printed[-1].sheets.pages)
    return [front, sheets(CONTENTS, 1, contents(printed)), *printed]


def fill(made, tried):
    """For the first sheet that is left empty because what follows is too high: what would fill it, by the block's id.

    That is a factor for a picture, or 0 for what may then stand on two sheets: code and what it gives, words and the
    picture below them.
    """
    printed, blocks, scale = made
    places = spots(printed)
    blocks = [block for block in blocks if block["high"] and block["id"] in places]
    for k, (before, first) in enumerate(itertools.pairwise(blocks), 1):
        sheet, top = places[before["id"]]
        room = (top - MARGINS) / 0.75 / scale - before["high"]      # in pixels, from a height above the upper margin
        if places[first["id"]][0] != sheet + 1 or not EMPTY < room / SHEET < 1:
            continue
        chain = list(itertools.takewhile(lambda block: block["stays"], blocks[k:]))
        if k + len(chain) == len(blocks):
            continue
        what = blocks[k + len(chain)]
        over = what["bottom"] - before["bottom"] - room + 4
        if what["id"] not in tried:
            if 0 < over < (1 - what["least"]) * what["picture"]:
                return {what["id"]: 1 - over / what["picture"]}
            if what["code"] and over - what["high"] + what["code"] < 0:
                return {what["id"]: 0}
        words = chain[-1] if chain else what
        parts = what["picture"] and what["least"] < 0.9 and words["leads"] and words["id"] not in tried
        if parts and words["bottom"] - before["bottom"] < room:
            return {words["id"]: 0}
    return None


def join(printed, config):
    """One file of all sheets, with links, outline and tags, as bytes."""
    writer = PdfWriter()
    for page in printed:
        for sheet in page.sheets.pages:
            writer.add_page(sheet)
    places = {page.name: spots(page) for page in printed}
    for page in printed:
        for sheet in writer.pages[page.first:page.first + len(page.sheets.pages)]:
            for link in sheet.get("/Annots", []):
                lead(writer, link.get_object(), page, places)
    outline(writer, printed, places)
    tags(writer, printed)
    root = writer.root_object
    root[NameObject("/Lang")] = TextStringObject(config["sphinx"]["config"]["language"])
    root[NameObject("/ViewerPreferences")] = DictionaryObject({NameObject("/DisplayDocTitle"): BooleanObject(True)})
    root[NameObject("/PageMode")] = NameObject("/UseOutlines")
    writer.metadata = {"/Title": config["title"], "/Author": config["author"], "/Producer": "Chromium, pypdf"}
    writer.compress_identical_objects()
    key = ByteStringObject(hashlib.md5(config["title"].encode()).digest())
    writer._ID = ArrayObject([key, key])      # pypdf would draw it by lot
    writer.write(file := io.BytesIO())
    return file.getvalue()


def spots(page):
    """Where what has an id is: the sheet, counted in the whole file, and how high; the page itself is named ''.

    Chromium counts heights without the margin, so a place is shown with as much above it.
    """
    found = {name.removeprefix("/"): (page.first + page.sheets.get_destination_page_number(spot), spot.top)
             for name, spot in page.sheets.named_destinations.items()}
    return found | {"": (page.first, page.sheets.pages[0].mediabox.top)}


def lead(writer, link, page, places):
    """Make a link that Chromium wrote, to an address or to a name in its own file, lead to a place in the whole one."""
    name, spot = page.name, str(link.get("/Dest", "")).removeprefix("/")
    if "/A" in link:
        url = urlsplit(str(link["/A"]["/URI"]))
        if url.hostname != "127.0.0.1":
            return
        name, spot = url.path.removeprefix("/").removesuffix(".html"), unquote(url.fragment)
        del link["/A"]
    sheet, top = places[name].get(spot, places[name][""])
    link[NameObject("/Dest")] = ArrayObject([writer.pages[sheet].indirect_reference, NameObject("/XYZ"), NullObject(),
                                             FloatObject(top), NullObject()])


def outline(writer, printed, places):
    """Parts, pages and their sections, closed at first but for the parts."""
    captions, part, above = parts(), None, None
    for page in printed[1:]:
        if captions.get(page.name) != part:
            part = captions[page.name]
            above = writer.add_outline_item(title=part, page_number=page.first, fit=Fit.fit_horizontally())
        item = writer.add_outline_item(title=page.title, page_number=page.first, parent=above, is_open=False,
                                       fit=Fit.fit_horizontally())
        for spot, title in page.sections:
            sheet, top = places[page.name][spot]
            writer.add_outline_item(title=title, page_number=sheet, parent=item, fit=Fit.xyz(top=top))


def tags(writer, printed):
    """Join what the files say of their structure, for those who listen; names of cells would clash and are left out."""
    kids, numbers, passed = ArrayObject(), ArrayObject(), 0
    tree = DictionaryObject({NameObject("/Type"): NameObject("/StructTreeRoot"), NameObject("/K"): kids})
    root = writer._add_object(tree)
    for page in printed:
        own = page.sheets.root_object["/StructTreeRoot"]
        own.pop("/IDTree", None)
        own = own.clone(writer)
        kids.append(own.raw_get("/K"))
        own["/K"][NameObject("/P")] = root
        unname(own["/K"])
        for number, what in zip(*[iter(own["/ParentTree"]["/Nums"])] * 2):
            numbers.extend([NumberObject(passed + number), what])
        for sheet, before in zip(writer.pages[page.first:], page.sheets.pages):
            if "/StructParents" in before:      # which pypdf leaves out
                sheet[NameObject("/StructParents")] = NumberObject(before["/StructParents"] + passed)
            for link in (reference.get_object() for reference in sheet.get("/Annots", [])):
                link[NameObject("/StructParent")] = NumberObject(link["/StructParent"] + passed)
        passed += own["/ParentTreeNextKey"]
    tree[NameObject("/ParentTree")] = writer._add_object(DictionaryObject({NameObject("/Nums"): numbers}))
    tree[NameObject("/ParentTreeNextKey")] = NumberObject(passed)
    writer.root_object[NameObject("/StructTreeRoot")] = root
    writer.root_object[NameObject("/MarkInfo")] = DictionaryObject({NameObject("/Marked"): BooleanObject(True)})


def unname(element):
    """Drop the names of table cells, and who goes by them, in an element and below it."""
    element.pop("/ID", None)
    if "/A" in element:
        element[NameObject("/A")] = ArrayObject(a for a in element["/A"] if "/Headers" not in a.get_object())
    kids = element.get("/K", [])
    for kid in kids if isinstance(kids, list) else [kids]:
        if isinstance(kid.get_object(), DictionaryObject) and "/S" in kid.get_object():
            unname(kid.get_object())


def settings():
    """What the book says of itself."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))


def make(names, site=browser.SITE, target=PDF):
    """Print these pages of the site and write them as one file; say how many sheets it has."""
    config = settings()
    css = faces(site) + (Path(__file__).parent / "print.css").read_text(encoding="utf-8")
    given = {"css": css, "cites": cites(site)}
    with browser.serve(site) as address, browser.launch(os.environ["CHROMIUM"]) as chromium:
        printed = print_pages(chromium, address, names, given, config)
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(join(printed, config))
    return printed[-1].first + len(printed[-1].sheets.pages)


if __name__ == "__main__":
    sheets = make(pages())
    print(f"{PDF.name}: {sheets} sheets, {PDF.stat().st_size / 1e6:.1f} MB")
