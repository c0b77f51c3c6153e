"""How a page is shared and cited: what its head says to those who show a link to it, and what stands under a chapter.

The address of the site is known on its host only (BOOK_BASEURL); without it nothing here names one.
"""

import functools
import json
import re
from html import escape
from pathlib import Path

import yaml
from lxml.html import fragment_fromstring

from website import addresses, book_road

SHOWN = "alignment"         # the figure of the cover, for pages without one


def head(app, pagename, title, description, figures):
    """What whoever shows a link to a page puts beside it: words, and its first figure as in the gallery."""
    base = app.config.html_baseurl
    if not base:
        return ""
    shown = {"og:type": "book" if pagename == "index" else "article", "og:site_name": app.config.html_title,
             "og:title": plain(title), "og:description": description, "og:url": f"{base}{pagename}.html",
             "og:image": f"{base}_static/gallery/{next(iter(figures), SHOWN)}-light.webp"}
    return "\n".join(f'<meta property="{key}" content="{escape(value)}">' for key, value in shown.items())


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
