"""What the search page looks into: every section of the site, with its words and formulas, as a script beside it.

MiniSearch (Luca Ongaro, MIT licence; `_ext/search/minisearch.js` is the file of its release 7.2.0) makes its index of
them in the browser, so that the search works from the disk, too.  How what is found is ranked stands in search.js.
"""

import functools
import json
import re
import shutil
from pathlib import Path

from attnkit.lessons import back_matter

FOLDER = Path(__file__).parent / "search"
SCRIPTS = ("minisearch.js", "search.js")
SPHINX = ("searchindex.js", "_static/searchtools.js")            # what this takes the place of
# What is no part of a section's words: what is drawn or pressed, the numbers of a figure, code that is folded.
LEFT_OUT = ("script", "style", "svg", "button", "nav", "img", "summary")
CLASSES = {"ak-widget", "headerlink", "ak-kicker", "ak-time", "ak-answered", "ak-unseen", "viewcode-link", "ak-cite"}
PLACES = {"py", "ak-glossary"}         # lists whose entries are found by themselves


def write(app, pages):
    """Put the sections and the scripts into the site, and take out what Sphinx's own search would need."""
    folder = Path(app.outdir) / "_static" / "search"
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*SCRIPTS, "LICENSE"):
        shutil.copyfile(FOLDER / name, folder / name)
    found = [section for page in pages if page.name in app.env.found_docs for section in sections(page)]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    (folder / "sections.js").write_text(f"globalThis.bookSections = {text};\n", encoding="utf-8")
    for name in SPHINX:
        (Path(app.outdir) / name).unlink(missing_ok=True)


def sections(page):
    """What can be found on a page: its sections, the functions of the package, and the entries of the glossary."""
    title, folder = page.app.env.titles[page.name].astext(), Path(page.app.srcdir)
    for place in page.tree.xpath("//article//section[@id][h1 or h2 or h3 or h4] | //article//dt[@id]"):
        words, code, symbols = [], [], []
        for part in parts(place):
            gather(part, words, code, symbols)
        text = tidy(" ".join(words))
        first = not place.xpath("ancestor::section") and place.tag == "section"
        anchor = "" if first else f"#{place.get('id')}"
        found = {
            "at": f"{page.name}.html{anchor}", "page": title.partition(":")[0],
            "heading": title if first else heading(place), "text": text,
            "code": " ".join(dict.fromkeys(re.findall(r"[^\W\d]\w{2,}", " ".join(code)))),
            "symbols": " ".join(dict.fromkeys(symbols)), **called(folder).get(page.name + anchor, {}),
        }
        yield {name: words for name, words in found.items() if words}


def parts(place):
    """The elements that belong to a place itself: not the sections inside it; of a function, what stands under it."""
    if place.tag == "dt":
        below = place.getnext()
        return [] if below is None or below.tag != "dd" else list(below)
    return [part for part in place if part.tag not in ("section", "h1", "h2", "h3", "h4")]


def heading(place):
    """The words of a heading, or the name of a function without its arguments."""
    if place.tag == "dt":
        names = place.xpath("(.//*[contains(@class, 'sig-prename') or contains(@class, 'sig-name')])")
        return tidy("".join(name.text_content() for name in names) or place.text_content())
    words, code, symbols = [], [], []
    gather(next(part for part in place if part.tag in ("h1", "h2", "h3", "h4")), words, code, symbols)
    return tidy(" ".join(words))


def gather(part, words, code, symbols):
    """Collect what an element says: its words, its code, and its formulas, which stand among the words, too."""
    classes = set((part.get("class") or "").split())
    if not isinstance(part.tag, str) or part.tag in LEFT_OUT or PLACES & classes:
        return
    if "katex" in classes:
        said = plain_formula("".join(part.xpath(".//*[local-name()='annotation']/text()")))
        words.append(said)
        symbols += [said.replace(" ", ""), *said.split()]
    elif "highlight" in classes:
        code.append(part.text_content())
    elif not classes & CLASSES:
        words.append(part.text or "")
        for inner in part:
            gather(inner, words, code, symbols)
            words.append(inner.tail or "")


def plain_formula(latex):
    """A formula as one types it: ``QK^T``, ``sqrt d_k``, ``softmax``."""
    plain = re.sub(r"\\(?:mathbf|mathrm|operatorname|text|left|right|displaystyle|!|,|;|quad)\s*", "", latex)
    plain = plain.replace(r"\top", "T").replace(r"\cdot", "·").replace(r"\,", " ")
    return tidy(re.sub(r"[\\{}$]|&", " ", re.sub(r"([_^])\{([^{}]*)\}", r"\1\2", plain)))


@functools.cache
def called(folder):
    """For each place what the index of subjects says of it: what it defines, and what it tells of, by every name."""
    found = {}
    for entry in back_matter.subjects(folder):
        names = [entry["subject"], *entry["also"], *entry["typed"]]
        for kind, places in (("defines", entry["where"][:1]), ("tells", entry["where"][1:])):
            for place in places:
                found.setdefault(place, {}).setdefault(kind, []).extend(names)
    return found


def tidy(text):
    """Words with one space between them."""
    return re.sub(r"\s+", " ", text).strip()
