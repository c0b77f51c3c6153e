"""The reference: what autodoc makes of attnkit's docstrings, with its papers and chapters made links.

A docstring ends with its sources in words, as they are read in an editor::

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", equation 1.
    Chapter: queries_keys_values.

Here a title that is in data/references.bib becomes a link to its entry, and a
chapter's slug a link to the chapter, once it is written.  A name in single
backticks becomes a link if it is one of attnkit's, and code otherwise.

The directive ``{measured}`` is a table of all that was measured, made from `data/measured/` and from the pages' cells.
"""

import re
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import attnkit
from website import measured, toc

logger = logging.getLogger(__name__)


def setup(app):
    """Sphinx's entry point."""
    app.connect("autodoc-process-docstring", link_names, priority=300)          # both before napoleon, at 500
    app.connect("autodoc-process-docstring", link_references, priority=400)
    app.connect("missing-reference", leave_errors)
    app.connect("doctree-read", adopt)
    app.add_directive("measured", Measured)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def adopt(app, doctree):
    """Let a page own all that is on it: blocks of reStructuredText come from a document with all of Sphinx's memory.

    Without this each page of the reference is written down with 16 MB of that, and read again.
    """
    for node in doctree.findall():
        node.document = doctree


class Measured(SphinxDirective):
    """What was measured, with its command and its pages."""

    def run(self):
        """Sphinx's hook: the table's Markdown is read as if it stood on the page, anew when a notebook changes."""
        for notebook in toc.notebooks(Path(self.env.srcdir)):
            self.env.note_dependency(notebook)
        place = nodes.container()
        lines = StringList(measured.table(Path(self.env.srcdir)).splitlines(), self.env.docname)
        self.state.nested_parse(lines, self.content_offset, place)
        return place.children


def leave_errors(app, env, node, content):
    """TypeError and ValueError are Python's own: named, not linked, as the link would lead to another site."""
    return content if node.get("reftarget") in ("TypeError", "ValueError") else None


def link_names(app, what, name, thing, options, lines):
    """Single backticks: a link to what attnkit has by that name, code for an argument."""
    def link(match):
        word = match[1]
        if word.startswith("attnkit."):
            return f":doc:`{word} </reference/{word.split('.')[1]}>`"
        if word in attnkit.__all__ and word != name.rpartition(".")[2]:
            return f":py:func:`{word} <{getattr(attnkit, word).__module__}.{word}>`"
        return f"``{word}``"
    lines[:] = [re.sub(r"(?<![`:\w])`([^`<>]+)`(?![`_])", link, line) for line in lines]


def link_references(app, what, name, thing, options, lines):
    """Turn the last section of a docstring into one with links."""
    if "References" not in lines:
        return
    start = lines.index("References") + 2
    text = " ".join(line.strip() for line in lines[start:]).strip()
    if "Chapter:" not in text or '"' not in text:
        logger.warning("the references of %s name no paper or no chapter", name)
    papers, chapter = re.fullmatch(r"(.*?)(?: Chapter: (\w+)\.)?", text).groups()
    entries = {key: plain(entry.fields["title"])
               for key, entry in app.env.get_domain("cite").bibdata.data.entries.items()}

    def link(match):
        title = plain(match[1])
        key = next((key for key, known in entries.items() if known.startswith(title)), None)
        if key is None:
            logger.warning("%s names a paper that is not in data/references.bib: %s", name, match[1])
            return match[0]
        return f"`{match[1]} <../chapters/bibliography.html#{key}>`__"

    papers = re.sub(r'"([^"]+?),?"', link, papers)
    page = toc.chapter(chapter, Path(app.srcdir))
    where = f":doc:`/{page}`" if page else f"*{chapter}* (to come)"
    lines[start:] = [papers, "", f"Chapter: {where}.", ""]


def plain(title):
    """A title without braces, escapes and capitals."""
    return re.sub(r"[{}\\$]", "", " ".join(title.split())).lower()
