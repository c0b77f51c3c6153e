"""The terms of the book: an address for each in the glossary, and a link to it where a later page first uses the word.

The link shows the meaning when it is pointed at or has the focus: a rule of book.css writes it from
`aria-description`, which is read out, too.  A citation shows so what it stands for.
"""

import functools
import re
from pathlib import Path

from lxml import html
from lxml.html import builder

from website import back_matter, toc

GLOSSARY, BIBLIOGRAPHY = "reference/glossary", "chapters/bibliography"
# Without its script the list is there to read, and the field is not.
FIELD = """<form class="ak-search" action="../search.html" role="search" hidden>
<input type="search" name="q" class="form-control" aria-label="Find a term, a subject or a letter"
 placeholder="mask, BPE, W^Q" autocomplete="off" autocapitalize="off" spellcheck="false">
<p class="ak-search-said" role="status"></p><script src="../_static/glossary.js" defer></script></form>"""
# Where no link is put: headings, links, code, what is in bold or moves, exercises, and what has a role of its own.
APART = {"a", "blockquote", "h1", "h2", "h3", "h4", "pre", "code", "strong", "b", "summary", "figcaption", "svg",
         "table", "button"}
CLASSES = {"katex", "ak-widget", "ak-exercise", "exercise", "highlight", "math", "ak-time", "ak-lane", "ak-kicker",
           "cell_input"}


def address(term):
    """The place of a term in the glossary."""
    return "term-" + re.sub(r"[^a-z0-9]+", "-", term.lower())


def glossary_places(page):
    """Each term has an address in the glossary, and above the list stands the field that finds one."""
    if page.name == GLOSSARY:
        page.tree.find(".//article//h1").getnext().addnext(html.fragment_fromstring(FIELD))
        page.tree.find(".//article//dl").set("class", "ak-glossary")
        known = {address(term["term"]) for term in back_matter.terms(page.app.srcdir)}
        for entry in page.tree.xpath("//article//dt"):
            if address(entry.text_content()) in known:
                entry.set("id", address(entry.text_content()))


def links_to_terms(page):
    """The first time that a page uses a term of an earlier one, it leads to the glossary."""
    known = earlier(Path(page.app.srcdir)).get(page.name, {})
    if not known:
        return
    left, lookup = set(known), {form: term for term in known for form in forms(term)}
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(lookup, key=len, reverse=True))) + r")\b")
    for paragraph in page.tree.xpath("//article//p | //article//li[not(p)]"):
        if not any(is_apart(above) for above in paragraph.iterancestors()) and not is_apart(paragraph):
            link_within(paragraph, pattern, lookup, left, known, page.up)


def citations(page):
    """A citation shows its entry of the bibliography as a term its meaning: nobody has to leave the page for it."""
    entries = bibliography(Path(page.app.outdir, f"{BIBLIOGRAPHY}.html"))
    for link in page.tree.xpath("//article//*[self::p or self::li]/a[contains(@href, '.html#')]"):
        place, _, key = link.get("href").partition("#")
        if place.endswith("bibliography.html") and key in entries and page.name != BIBLIOGRAPHY:
            link.set("class", f"{link.get('class', '')} ak-cites".strip())
            link.set("aria-description", entries[key])


@functools.cache
def bibliography(file):
    """What is cited, by its key: of more than two authors the first, the title and the year."""
    tree = html.document_fromstring(file.read_text(encoding="utf-8"))
    told = {entry.get("id"): " ".join(entry.find("p").text_content().split()) for entry in tree.find_class("citation")}
    others = re.compile(r"^([^,.]+(?:\. [^,.]+)*), [^:]*?, and (?:[^,.]|(?<=\b[A-Z])\.)+\. (?=[A-Z“])")
    where = re.compile(r"(?: In [A-Z].*?)? ((?:19|20)\d\d\.)(?: .*|$)")
    return {key: where.sub(r" \1", others.sub(r"\1 et al. ", text)) for key, text in told.items()}


def is_apart(element):
    """Whether nothing in an element becomes a link."""
    return element.tag in APART or bool(CLASSES & set((element.get("class") or "").split()))


def link_within(element, pattern, lookup, left, known, up):
    """Make links of the words that stand in a paragraph itself: what is in italics may be a word of an example."""
    at, text = None, element.text or ""            # the words after the last child looked at, or before the first
    children = iter(list(element))
    while True:
        match = next((m for m in pattern.finditer(text) if lookup[m[0]] in left and is_meant(text, m)), None)
        if match:
            term = lookup[match[0]]
            left.discard(term)
            link = builder.A(match[0], builder.CLASS("ak-to-term"), href=f"{up}{GLOSSARY}.html#{address(term)}")
            link.set("aria-description", known[term])
            link.tail = text[match.end():]
            put(element, at, text[:match.start()])
            element.insert(0 if at is None else element.index(at) + 1, link)
            at, text = link, link.tail
            continue
        at = next(children, None)
        if at is None:
            return
        text = at.tail or ""


def is_meant(text, match):
    """Whether a word is said by the page itself: not within quotation marks, nor in a title such as Attention Is ..."""
    before, after = text[:match.start()], text[match.end():]
    joined = before.endswith(("-", "’", "'")) or after.startswith("-")
    return before.count("“") <= before.count("”") and not joined and not re.match(r" [A-Z]", after)


def put(element, at, text):
    """Let words stand after a child of an element, or before its first."""
    if at is None:
        element.text = text
    else:
        at.tail = text


def forms(term):
    """A term as it stands in a sentence: one or several of it, and at its beginning."""
    plural = re.sub(r"(?<![aeiou])y$", "ie", term) + "s" if not term.endswith("s") else term
    plural = plural if not term.endswith(("x", "ss", "ch")) else term + "es"
    found = {term, plural, {"matrix": "matrices", "loss": "losses"}.get(term, term)}
    return found | {form[0].upper() + form[1:] for form in found}


@functools.cache
def earlier(folder):
    """For each page the terms of others with their meanings: on the road of those before it, on a side trip of all."""
    terms = [term for term in back_matter.terms(folder) if not term.get("everyday")]
    road, found = toc.road(folder), {}
    for page in toc.chapters(folder):
        main = toc.parents(folder)[page] or page
        others = road[:road.index(main)] if main in road else set(toc.chapters(folder)) - {main}
        found[page] = {term["term"]: term["means"] for term in terms if term["page"] in others}
    return found
