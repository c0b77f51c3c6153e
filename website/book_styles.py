"""One style sheet, site.css, in place of those of Sphinx, the theme, the extensions and the book, on every page.

On a slow line a request costs more than its bytes; and of the theme's rules a page needs one in four.
"""

import hashlib
import posixpath
import re

import lightningcss
from lxml import etree

# These stay whole: figures put names together ("ak-of-" and a role) that no script spells out.
OWN = ("figures/core.css", "book.css")
NAME = re.compile(r"_static/([^?]+)")


def one_sheet(out, pages, scripts):
    """Write site.css and let each page name it; return its text."""
    [names] = {tuple(NAME.search(link.get("href"))[1] for link in links(page)) for page in pages if page.fresh}
    spoken, parts = words(pages, scripts), []
    for name in dict.fromkeys(names):        # KaTeX's is named twice: by its extension and by Jupyter Book
        text = read(out, name)
        parts.append(used_rules(text, set() if name in OWN else unused(text, spoken)))
    sheet = "\n".join(parts)
    (out / "_static" / "site.css").write_text(sheet, encoding="utf-8")
    version = hashlib.sha256(sheet.encode()).hexdigest()[:8]
    for page in pages:
        first, *others = links(page)
        first.set("href", page.up + f"_static/site.css?v={version}")
        for link in others:
            link.drop_tree()
    return sheet


def links(page):
    """The links of a page to style sheets."""
    return page.tree.xpath("//link[@rel='stylesheet']")


def read(out, name):
    """A sheet of the site whose addresses start where site.css lies."""
    def moved(url):
        return f"url({posixpath.normpath(posixpath.join(posixpath.dirname(name), url[2]))})"
    text = (out / "_static" / name).read_text(encoding="utf-8")
    return re.sub(r"""url\((["']?)(?!data:|#)([^"')]+)\1\)""", moved, text)


def words(pages, scripts):
    """Every class and id on the pages, and every word of their scripts, which may give an element its class."""
    found = set(re.findall(r"[\w-]+", scripts))
    for page in pages:
        found.update(word for element in page.tree.iter(etree.Element) for name in ("class", "id")
                     for word in (element.get(name) or "").split())
    return found


def unused(sheet, words):
    """The classes that a sheet has rules for and nothing has."""
    return set(re.findall(r"\.([A-Za-z_][\w-]*)", sheet)) - words


def used_rules(sheet, unused):
    """The sheet, minified, without the rules each of whose selectors needs an unused class."""
    return lightningcss.process_stylesheet(sheet, unused_symbols=unused, minify=True)
