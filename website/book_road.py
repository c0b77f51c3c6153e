"""The road: what stands over a chapter, what comes before and after it, and the list of chapters beside it.

All of it follows _toc.yml, as website reads it.  The theme would ask Sphinx for its whole tree of contents, anew for
each page, and fold away the side rooms, behind switches without a name; here they stand under the page one is on.
"""

import functools
import json
import re
from html import escape
from pathlib import Path
from typing import NamedTuple

from lxml.html import builder, fragment_fromstring, tostring

from website import road, toc

PACKAGE = "The package"      # a part of _toc.yml


class Plan(NamedTuple):
    """What _toc.yml says: of each page what it is a side room of, and its part; the road, and the fast lane along it;
    what is read as a chapter; of each side trip the page where it begins.
    """

    parents: dict
    parts: dict
    road: list
    lane: list
    chapters: list
    trips: dict


@functools.cache
def plan(root):
    """The plan of the book in a folder, read once a build."""
    trips = {trip: toc.branch(trip, root) for trip in toc.trips(root)}
    return Plan(toc.parents(root), toc.captions(root), toc.road(root), toc.lane(root), toc.chapters(root), trips)


def setup(app):
    """Sphinx's entry point."""
    app.connect("html-page-context", show_the_way, priority=400)     # before the theme tries its templates
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def show_the_way(app, pagename, templatename, context, doctree):
    """Give the templates the list of chapters, and the pages before and after this one."""
    book = plan(Path(app.srcdir))

    def entry(page):
        inside = [room for room, parent in book.parents.items() if parent == page]
        here = page == pagename
        on_the_way = here or pagename in inside
        return {"title": short(app, page), "link": app.builder.get_relative_uri(pagename, page),
                "page": page, "asks": asked(Path(app.srcdir), page), "here": here, "lane": page in book.lane,
                "rooms": [entry(room) for room in inside] if on_the_way else [], "on_the_way": on_the_way}

    parts = {}
    for page, part in book.parts.items():
        # Of the package's reference one page stands for all, until one is there.
        if book.parents[page] is None and (part != PACKAGE or part not in parts or part == book.parts.get(pagename)):
            parts.setdefault(part, []).append(entry(page))
    context["parts"] = parts
    context["lane_sign"], context["lane_mark"] = LANE, tostring(lane_mark(), encoding="unicode")
    context["asks"] = sum(asked(Path(app.srcdir), page) for page in book.chapters)
    if pagename in book.parents:
        context["back"] = book.parents[pagename] is not None or pagename in book.trips
        for name, page in zip(("prev", "next"), neighbours(book, pagename), strict=True):
            context[name] = page and {"link": app.builder.get_relative_uri(pagename, page),
                                      "title": escape(app.env.titles[page].astext())}
        if on := after(book.lane, pagename):
            context["lane"] = {"link": app.builder.get_relative_uri(pagename, on), "title": short(app, on)}
        elif pagename in book.lane:
            end = escape(toc.on_lane(Path(app.srcdir))["end"])
            context["lane_end"] = re.sub(r"\[(.+?)\]\((\w+)(#[\w-]+|)\)", r'<a href="\2.html\3">\1</a>', end)
        if pagename == book.road[-1]:
            context["next"] = {"link": app.builder.get_relative_uri(pagename, book.road[0]) + "#side-trips",
                               "title": "The side trips: choose one"}


def short(app, page):
    """A title without what follows its colon; of a side room what goes further."""
    title = app.env.titles[page].astext()
    before, further, what = title.partition(", further")
    return f"Further{what}" if further else before.partition(": ")[0]


@functools.cache
def asked(root, page):
    """How many exercises stand on a page."""
    file = root / f"{page}.ipynb"
    return len(road.exercises(json.loads(file.read_text(encoding="utf-8")))) if file.exists() else 0


def neighbours(book, page):
    """The pages before and after: from cover to last chapter; from a side room or trip where it begins; in the back
    matter those of its part.
    """
    if back := book.parents[page] or book.trips.get(page):
        return back, None
    pages = book.road if page in book.road else [other for other in book.parts if book.parts[other] == book.parts[page]]
    at = pages.index(page)
    return [None, *pages][at], [*pages, None][at + 1]


def masthead(page):
    """Over a chapter's title stand its part, or the chapter that it is a side room of, and where on the road one is;
    under it, how long it takes, and what it builds on.
    """
    root = Path(page.app.srcdir)
    book, name = plan(root), page.name
    if name not in book.chapters:
        return
    title = page.tree.find(".//article//h1")
    head, colon, rest = title.text.partition(": ")
    if colon:
        title.text = head
        colon = builder.SPAN(colon, builder.CLASS("ak-unseen"))
        title.insert(0, builder.SPAN(colon, rest, builder.CLASS("ak-subtitle")))
    above = builder.P(book.parts[name], builder.CLASS("ak-kicker"))
    if parent := book.parents[name]:
        link = builder.A(page.app.env.titles[parent].astext().partition(": ")[0],
                         href=page.app.builder.get_relative_uri(name, parent))
        above = builder.P("A side room of ", link, builder.CLASS("ak-kicker ak-room"))
    title.addprevious(above)
    if name in book.road:
        title.addprevious(small_map(page, book))
    under = fragment_fromstring(how_long(root, name))
    for needs in page.tree.xpath("(//article//p[strong[1] = 'You need:'])[1]"):      # beside the time, not in the text
        needs.getparent().remove(needs)
        under.append(builder.SPAN(needs.text or "", *needs, builder.CLASS("ak-needs")))
    if (box := lane_box(page, book)) is not None:
        title.addnext(box)
    title.addnext(under)


def small_map(page, book):
    """The road in one line, a stop for each page and a gap between its parts.

    It is for the eye and the mouse: whoever listens, or goes by keyboard, has the list of chapters for the same.
    """
    line = builder.P(builder.CLASS("ak-stops"), **{"aria-hidden": "true"})
    for before, stop in zip(book.road, book.road[1:]):
        link = builder.A(href=page.app.builder.get_relative_uri(page.name, stop), tabindex="-1",
                         title=short(page.app, stop), **{"data-ak-stop": stop})
        kinds = ["ak-here"] * (stop == page.name) + ["ak-new-part"] * (book.parts[stop] != book.parts.get(before))
        if kinds:
            link.set("class", " ".join(kinds))
        line.append(link)
    return line


def how_long(folder, pagename):
    """A line for a chapter: how long it takes to read, without the exercises."""
    if pagename not in plan(Path(folder)).chapters:
        return ""
    notebook = json.loads((Path(folder) / f"{pagename}.ipynb").read_text(encoding="utf-8"))
    return f'<p class="ak-time">{round(road.minutes(notebook))} min</p>'


# ---- the fast lane: data/lane.yml

LANE = "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}"      # its mark, which looks like the button that winds forward


def after(lane, page):
    """The page of the lane that comes after one of it; None for the last, and for a page that is not on it."""
    return dict(zip(lane, lane[1:])).get(page)


def lane_mark():
    """What marks a page of the lane in a list: for the eye, and in words."""
    seen, said = builder.SPAN(LANE, **{"aria-hidden": "true"}), builder.SPAN(" (fast lane)", builder.CLASS("ak-unseen"))
    return builder.SPAN(" ", seen, said, builder.CLASS("ak-on-lane"), title="on the fast lane")


def lane_box(page, book):
    """Under the title of a page of the lane: its step, what the pages before it would have given, and a way on."""
    if page.name not in book.lane:
        return None
    step = f"{LANE} Fast lane, {book.lane.index(page.name) + 1} of {len(book.lane)}"
    given = toc.on_lane(Path(page.app.srcdir))[page.name]
    box = builder.DIV(builder.DETAILS(builder.SUMMARY(f"{step}: what you have passed by"), builder.P(given)) if given
                      else builder.SPAN(step), builder.CLASS("ak-lane"))
    if on := after(book.lane, page.name):
        box.append(builder.A(f"On to {short(page.app, on)}", href=page.app.builder.get_relative_uri(page.name, on)))
    return box


def lane_on_cover(root):
    """The line over the cover's map: who the lane is for, and how long it takes."""
    lane, minutes = plan(root).lane, lane_minutes(root)
    return builder.P(f"{LANE} ", builder.A("Fast lane", href=f"{lane[0]}.html"),
                     f": if you know numpy and have trained a network, follow the {len(lane)} marked "
                     f"pages. They take about {minutes} minutes, and at the end you have tuned a chat model.",
                     builder.CLASS("ak-lane"))


@functools.cache
def lane_minutes(root):
    """How long the pages of the lane take to read, rounded to five minutes."""
    notebooks = (json.loads((root / f"{page}.ipynb").read_text(encoding="utf-8")) for page in plan(root).lane)
    return 5 * round(sum(map(road.minutes, notebooks)) / 5)
