"""What is changed on a finished page: passes over its elements, each for one thing that no template reaches."""

import json
import math
import os
import re
from pathlib import Path

from lxml import etree, html
from lxml.html import builder

from bookkit.figures import base
from bookkit.pictures import picture
from website import book_acts, book_road, book_sharing, book_terms


class Page:
    """A page of the site, parsed: `name` as in _toc.yml, `tree` its elements, `up` the way to the site.

    It is `fresh` if Sphinx has just written it.  One that has not changed Sphinx does not write again, and the passes
    have been over it: beside the doctrees lies an empty file with the date of the finished page.
    """

    def __init__(self, app, file):
        self.app, self.file = app, file
        self.name = file.relative_to(app.outdir).with_suffix("").as_posix()
        self.up = "../" * self.name.count("/")
        self.dated = Path(app.doctreedir, f"{self.name}.html")
        self.fresh = not self.dated.exists() or self.dated.stat().st_mtime_ns != file.stat().st_mtime_ns
        self.text = file.read_text(encoding="utf-8")
        self.tree = html.document_fromstring(self.text)

    def write(self):
        """Put the page where it was read, if that changes it."""
        text = html.tostring(self.tree, encoding="unicode", doctype="<!DOCTYPE html>")
        if self.fresh or text != self.text:
            self.file.write_text(text, encoding="utf-8")
            self.dated.parent.mkdir(parents=True, exist_ok=True)
            self.dated.touch()
            date = self.file.stat().st_mtime_ns
            os.utime(self.dated, ns=(date, date))


def read(app):
    """Every page of the site, in order; not those that only say where a page has moved."""
    out, moved = Path(app.outdir), {f"{page}.html" for page in app.config.redirects}
    files = {file.relative_to(out).as_posix(): file for file in sorted(out.rglob("*.html"))}
    return [Page(app, file) for name, file in files.items() if name not in moved and not name.startswith("_static/")]


def still_pictures(page):
    """What a picture brings for a notebook that is not trusted: a drawing without style, and a rule that chooses."""
    for style in page.tree.xpath("//article//style"):
        if f"<style>{style.text}</style>" == picture.TRUSTED:
            style.drop_tree()
    for still in page.tree.find_class("ak-still"):
        still.drop_tree()
    for drawing in page.tree.find_class("ak-inline"):
        del drawing.attrib["class"]
        drawing.set("style", "display:contents")


def names_in_drawings(page):
    """Matplotlib gives each part of a drawing a name, in each drawing the same ones; those that nothing asks for go."""
    text = html.tostring(page.tree, encoding="unicode")
    asked = set(re.findall(r'(?:url\(#|href="#|aria-labelledby=")([\w-]+)', text))
    for part in page.tree.xpath("//article//svg//*[@id]"):
        if part.get("id") not in asked:
            del part.attrib["id"]


def drawn_links(page):
    """A link in what a cell made leads to a notebook where the page is read live, and to its page here."""
    for link in page.tree.xpath("//article//a[not(contains(@href, ':')) and not(contains(@href, '_sources/'))]"):
        link.set("href", re.sub(r"\.(ipynb|md)(?=#|$)", ".html", link.get("href") or ""))


def static_files(page):
    """What lies in the folder of static files, which has another name in the site."""
    for image in page.tree.xpath("//article//img[contains(@src, '../website/static/')]"):
        image.set("src", image.get("src").replace("../website/static/", "../_static/"))


def plain_code(page):
    """Names, punctuation and spaces have the colour of the code around them: a third of the elements of a page."""
    for word in page.tree.xpath("//span[@class='n' or @class='p' or @class='w' or @class='nn'][not(*)]"):
        word.tag = "plain"
    etree.strip_tags(page.tree, "plain")


def untranslated(page):
    """A translator leaves formulas and code as they are."""
    for element in page.tree.xpath("//*[@class='katex' or self::code or self::pre]"):
        element.set("translate", "no")


def names(page):
    """Icons are letters of a font that nothing can say, beside words or a title; an exercise's title is a heading."""
    for icon in page.tree.xpath("//*[self::i or self::span][contains(@class, 'fa-') or contains(@class, 'fas ')]"):
        icon.set("aria-hidden", "true")
    for title in page.tree.xpath("//*[contains(@class, 'ak-exercise')]//p[contains(@class, 'admonition-title')]"):
        title.set("role", "heading")
        title.set("aria-level", "3")
    for section in page.tree.xpath("//*[@id='exercise-content']"):      # each exercise has it, and no link leads there
        del section.attrib["id"]


def tooltips(page):
    """The theme's own stay after a touch; the browser's, from the same titles, do not."""
    for button in page.tree.xpath("//*[@data-bs-toggle='tooltip']"):
        for name in ("data-bs-toggle", "data-bs-placement"):
            button.attrib.pop(name, None)


def tools(page):
    """On a phone, what is seldom pressed stands behind one button (book.css); where there is room, it stands there."""
    for row in page.tree.find_class("article-header-buttons"):
        seldom = [child for child in row if "search-button" not in (child.get("class") or "")]
        row.insert(0, html.Element("div", {"id": "ak-tools", "popover": ""}))
        row[0].extend(seldom)
        if page.tree.xpath("//section/div[contains(@class, 'cell')]//*[contains(@class, 'highlight-py')]"):
            look = builder.CLASS("btn btn-sm pst-js-only ak-coded")
            row[0].insert(0, builder.BUTTON("Without code", look, type="button"))
        look = "btn btn-sm pst-navbar-icon pst-js-only ak-rest"
        row.append(html.Element("button", {"class": look, "popovertarget": "ak-tools", "aria-label": "More"}))
        row[-1].set("type", "button")
        row[-1].append(html.Element("i", {"class": "fa-solid fa-ellipsis fa-lg", "aria-hidden": "true"}))


def labels_and_roles(page):
    """A label on an element that may carry none, a deprecated role, and a list that has links for children."""
    for summary in page.tree.xpath("//summary[@aria-label='Toggle hidden content']"):
        del summary.attrib["aria-label"]
    for element in page.tree.xpath("//*[@role='doc-biblioentry' or @role='list']"):
        del element.attrib["role"]


def room_for_progress(page):
    """Under the last exercise, how many are answered: what a script writes."""
    if cards := page.tree.xpath("//*[contains(@class, 'ak-exercise')]"):
        cards[-1].addnext(html.Element("p", {"class": "ak-answered"}))


def columns(page):
    """How wide a page is does not wait for its first figure, which would push aside what stands already.

    A figure in the margin stands beside the paragraph that leads to it, where the one before leaves room (contents.js).
    """
    body, since, words = page.tree.find("body"), 30, None      # lines of text since the figure before, roughly
    for block in page.tree.xpath("//section/*[not(self::section)]"):
        if "ak-beside" not in block.get("class", ""):
            lines = math.ceil(len(block.text_content()) / 62) + 0.6
            words = {"p": lines, "ol": lines + 1 + (words or 0)}.get(block.tag)      # of a list with what leads to it
            since += lines if block.tag == "p" else 5
        else:
            if words and since - words > 15:
                block.set("style", f"--rise: {1.7 * words:.1f}rem")
            since = 0
    for kind, of in (("ak-two", "//section/*[contains(@class, 'ak-beside') or contains(@class, 'ak-across')]"),
                     ("ak-tiles", "//*[contains(@class, 'ak-gallery')]")):
        if page.tree.xpath(of):
            body.set("class", f"{body.get('class', '')} {kind}".strip())


def cover(page):
    """The cover has no lists at its sides; its first link is where to press, and under it stands how far one has come.

    On the map each stop says which page it is, so that a script can mark those that were read, and whether it is on the
    fast lane, about which a line stands over the map.
    """
    if page.name != "index":
        return
    body = page.tree.find("body")
    body.set("class", f"{body.get('class', '')} ak-cover".strip())
    [begin, *_] = page.tree.xpath("//article//section/p[count(*) = 1 and a and normalize-space(text()) = '']")
    begin.set("class", "ak-begin")
    begin.addnext(html.Element("p", {"class": "ak-progress"}))
    root = Path(page.app.srcdir)
    page.tree.xpath("//section[@id='the-map']/h2")[0].addnext(book_road.lane_on_cover(root))
    for link in page.tree.xpath("//section[@id='the-map']//li//a"):
        link.set("data-ak-stop", link.get("href").removesuffix(".html"))
        question = link.tail.lstrip().removeprefix(": ")
        link.tail = None
        link.addnext(builder.SPAN(": ", builder.CLASS("ak-unseen")))
        link.getnext().tail = question[:1].upper() + question[1:]
        if link.get("data-ak-stop") in book_road.plan(root).lane:
            link.append(book_road.lane_mark())


def doors(page):
    """On the cover the figures with a model wait for a press, which fetches each in a script with its model in it."""
    for place in page.tree.xpath("//body[contains(@class, 'ak-cover')]//*[@data-ak-figure]")[1:]:
        told = [place.get("id"), kind := place.attrib.pop("data-ak-figure"), place.attrib.pop("data-ak-state")]
        text = "".join(map(base.script, base.scripts(kind))) + f"attnkit.enter(...{json.dumps(told)});\n"
        Path(page.app.outdir, f"_static/figures/door_{kind}.js").write_text(text, encoding="utf-8")
        place.set("class", "ak-widget ak-door ak-screen")
        place[:] = [builder.BUTTON("Let it write" if kind == "switched_story" else "Let it answer",
                                   builder.CLASS("pst-js-only"), type="button")]
        place[0].set("data-ak-door", f"_static/figures/door_{kind}.js")


PASSES = (still_pictures, names_in_drawings, drawn_links, static_files, book_acts.acts, book_road.masthead,
          room_for_progress, cover, doors, columns, plain_code, names, tooltips, tools, labels_and_roles,
          book_terms.glossary_places, book_terms.links_to_terms, book_terms.citations, book_sharing.how_to_cite,
          untranslated)
