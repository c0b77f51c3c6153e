"""How a page is found, shared and cited: what its head says to search engines and to those who show a link to it.

The address of the site is known on its host only (BOOK_BASEURL); without it nothing here names one, and no picture is
drawn.
"""

import functools
import io
import json
import re
import textwrap
from html import escape
from pathlib import Path

import yaml
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont
from lxml.html import fragment_fromstring
from PIL import Image, ImageDraw, ImageFont

from bookkit.pictures import palette
from website import addresses, book_road

FONTS = Path(__file__).parent / "static" / "fonts"
SIZE = (1200, 630)          # pixels of a picture beside a link, as those who show them ask for


def head(app, pagename, title, description):
    """What stands in a page's head: for whoever shows a link to it, and what it is in the words of schema.org."""
    base, name = app.config.html_baseurl, plain(title)
    facts = {"@context": "https://schema.org", **kind(app, pagename), "name": name, "description": description,
             "inLanguage": "en", "isAccessibleForFree": True, "license": "https://creativecommons.org/licenses/by/4.0/"}
    tags = []
    if base:
        address = f"{base}{pagename}.html"
        facts["url"] = address
        shown = {"og:type": "book" if pagename == "index" else "article", "og:site_name": app.config.html_title,
                 "og:title": name, "og:description": description, "og:url": address,
                 "og:image": f"{base}{picture(pagename)}", "og:image:width": SIZE[0], "og:image:height": SIZE[1],
                 "og:image:alt": f"The title of the page: {name}"}
        tags = [f'<meta property="{key}" content="{escape(str(value))}">' for key, value in shown.items()]
        tags.append('<meta name="twitter:card" content="summary_large_image">')
    told = json.dumps(facts, ensure_ascii=False).replace("</", "<\\/")
    return "\n".join([*tags, f'<script type="application/ld+json">{told}</script>'])


def kind(app, pagename):
    """A page as schema.org calls it: the book, a chapter of it with its place on the road, or a page."""
    cited, book = citation(app.srcdir), book_road.plan(Path(app.srcdir))
    author = {"@type": "Organization", "name": cited["authors"][0]["name"]}
    whole = {"@type": "Book", "name": cited["title"], "author": author, "datePublished": str(cited["date-released"])}
    if pagename == "index":
        return whole
    if pagename in book.chapters:
        place = {"position": book.road.index(pagename)} if pagename in book.road else {}
        return {"@type": "Chapter", **place, "isPartOf": whole, "author": author}
    return {"@type": "WebPage", "isPartOf": whole}


@functools.cache
def citation(folder):
    """What CITATION.cff says."""
    return yaml.safe_load((Path(folder) / "CITATION.cff").read_text(encoding="utf-8"))


def plain(title):
    """A title without marks."""
    return re.sub(r"<[^>]+>", "", title)


# ---- the line under a chapter with which it is cited

def how_to_cite(page):
    """Under a chapter, how it is cited: in words and for a reference manager."""
    if page.name not in book_road.plan(Path(page.app.srcdir)).chapters:
        return
    cited, title = citation(page.app.srcdir), plain(page.app.env.titles[page.name].astext())
    author, year, base = cited["authors"][0]["name"], str(cited["date-released"])[:4], page.app.config.html_baseurl
    where = f"{base}{page.name}.html" if base else ""
    words = f"{author} ({year}). {title}. In {cited['title']}, version {cited['version']}. {where}".strip()
    fields = {"author": f"{{{author}}}", "title": title, "booktitle": cited["title"], "year": year,
              "note": f"Version {cited['version']}", **({"url": where} if where else {})}
    entry = "".join(f"\n  {name} = {{{value}}}," for name, value in fields.items())
    key = page.name.rpartition("/")[2]
    made = (f'<details class="ak-cite"><summary>Cite this page</summary><p>{escape(words)}</p>'
            f"<pre>{escape(f'@incollection{{attention-step-by-step-{key},{entry}' + chr(10) + '}')}</pre></details>")
    page.tree.find(".//article").append(fragment_fromstring(made))


# ---- a notebook taken along

ALONE = """This notebook is a page of the book *{title}*{where} and needs its packages, attnkit and bookkit. To run \
it, put it back into {folder} of the book, or install them: {install}."""


def sign_notebooks(app, pages):
    """Let the copy of a notebook that its page offers say first whose it is, and how to get its packages."""
    found, site = addresses.repository(app.srcdir), app.config.html_baseurl
    said = {"title": citation(app.srcdir)["title"], "where": f" ({site})" if site else "",
            "install": f'`pip install git+{found[0]} "git+{found[0]}#subdirectory=bookkit"`' if found else
                       '`pip install . ./bookkit` in the folder of the book'}
    for page in pages:
        copy = Path(app.outdir) / "_sources" / f"{page.name}.ipynb"
        if copy.exists():
            notebook, folder = json.loads(copy.read_text(encoding="utf-8")), page.name.rpartition("/")[0]
            words = ALONE.format(**said, folder=f"the folder `{folder}/`" if folder else "the folder")
            cell = {"cell_type": "markdown", "id": "taken-along", "metadata": {}, "source": [words]}
            notebook["cells"] = [cell, *(other for other in notebook["cells"] if other.get("id") != cell["id"])]
            copy.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# ---- pictures beside links

def picture(pagename):
    """The file of the picture that stands beside a link to a page."""
    return f"_static/shared/{pagename.replace('/', '-')}.png"


def draw_pictures(app, pages):
    """Draw one for each page, where the address of the site is known: its title, and where on the road it stands."""
    if not app.config.html_baseurl:
        return
    book, faces = book_road.plan(Path(app.srcdir)), {name: face(name) for name in ("serif", "sans")}
    for page in pages:
        if page.name in app.env.found_docs:
            file = Path(app.outdir) / picture(page.name)
            file.parent.mkdir(parents=True, exist_ok=True)
            at = book.road.index(page.name) if page.name in book.road else None
            title, part = page.app.env.titles[page.name].astext(), book.parts.get(page.name) or ""
            file.write_bytes(drawn(title, part, at, len(book.road), faces))


def face(name):
    """A face of the book, made a font that can be drawn with: half bold."""
    font, file = instantiateVariableFont(TTFont(FONTS / f"{name}.woff2"), {"wght": 600}), io.BytesIO()
    font.flavor = None
    font.save(file)
    return file.getvalue()


def drawn(title, part, at, stops, faces):
    """A picture of 1200 by 630 pixels, as PNG: title, part of the book, and the road with this page's stop filled."""
    colours = {"page": palette.PAGE.light, "ink": palette.INK.light, "quiet": palette.QUIET.light,
               "grid": palette.GRID.light, "weight": palette.ROLES["weight"].light}
    image = Image.new("RGB", SIZE, colours["page"])
    pen = ImageDraw.Draw(image)

    def write(place, words, face, size, colour):
        pen.text(place, words, font=ImageFont.truetype(io.BytesIO(faces[face]), size), fill=colour)

    name, _, rest = title.partition(": ")
    write((90, 80), part.upper(), "sans", 28, colours["quiet"])
    y = 150
    for line in textwrap.wrap(name, 24):
        write((90, y), line, "serif", 84, colours["ink"])
        y += 100
    for line in textwrap.wrap(rest, 46):
        write((90, y + 10), line, "sans", 42, colours["quiet"])
        y += 54
    width = (SIZE[0] - 180) / (stops - 1)
    pen.line([(90, 500), (SIZE[0] - 90, 500)], fill=colours["grid"], width=4)
    for k in range(stops):
        x, here = 90 + k * width, k == at
        pen.ellipse([x - 12, 488, x + 12, 512], fill=colours["weight"] if here else colours["page"],
                    outline=colours["weight"] if here else colours["quiet"], width=4)
    write((90, 545), "Attention, Step by Step", "sans", 32, colours["ink"])
    file = io.BytesIO()
    image.quantize(64).save(file, format="PNG", optimize=True)
    return file.getvalue()
