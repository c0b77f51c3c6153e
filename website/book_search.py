"""What the search page looks into: every section of the site, with its words and formulas, as a script beside it.

MiniSearch (Luca Ongaro, MIT licence; from npm, see package.json) makes its index of them in the browser, so that the
search works from the disk, too.  How what is found is ranked stands in search.js, and which words people type for those
of the book in search/words.yml.
"""

import functools
import json
import re
import shutil
from pathlib import Path

import yaml

from website import back_matter

FOLDER = Path(__file__).parent / "search"
MINISEARCH = Path(__file__).parent / "node_modules" / "minisearch"
# What is no part of a section's words: what is drawn or pressed, the numbers of a figure, code that is folded.
LEFT_OUT = ("script", "style", "svg", "button", "nav", "img", "summary")
CLASSES = {"ak-widget", "headerlink", "ak-kicker", "ak-time", "ak-answered", "ak-unseen", "viewcode-link", "ak-cite"}
PLACES = {"py", "ak-glossary"}         # lists whose entries are found by themselves
# What goes on in the line it stands in. All else begins a line of its own.
INLINE = {"a", "abbr", "b", "cite", "code", "em", "i", "kbd", "mark", "q", "small", "span", "strong", "sub", "sup"}
# Commands of formulas that are signs, and those that only arrange. The name of any other is said: log, max, tanh.
SIGNS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "theta": "θ", "mu": "μ", "sigma": "σ",
    "phi": "φ", "omega": "ω", "Delta": "Δ", "ell": "ℓ", "partial": "∂", "infty": "∞", "lVert": "‖", "rVert": "‖",
    "sum": "∑", "top": "T", "cdot": " · ", "times": " × ", "odot": " ⊙ ", "approx": " ≈ ", "ne": " ≠ ", "le": " ≤ ",
    "ge": " ≥ ", "in": " ∈ ", "to": " → ", "leftarrow": " ← ", "dots": "…", "ldots": "…", "cdots": "…",
}
ARRANGE = (r"\\(?:begin|end|textcolor)\{[\w#]+\}|\\[!\\]|"
           r"\\(?:left|right|big[lr]?|Big[lr]?|Large|displaystyle|textstyle)(?![A-Za-z])")
INSIDE = r"\s*\{([^{}]*)\}"
GROUPS = {
    rf"\\(?:mathbf|boldsymbol|mathrm|mathbb|operatorname|text|bar|underbrace){INSIDE}": r" \1",
    rf"\\t?frac{INSIDE}{INSIDE}": lambda found: f" {grouped(found[1])}/{grouped(found[2])}",
    rf"\\sqrt{INSIDE}": lambda found: f"√{grouped(found[1])}",
    r"([_^])\s*\{([^{}]*)\}": lambda found: found[1] + grouped(found[2]),
    r"(?<!frac)(?<!\})\{([^{}]*)\}": r"\1",
}


def write(app, pages):
    """Put the sections and the scripts into the site."""
    folder = Path(app.outdir) / "_static" / "search"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(FOLDER / "search.js", folder)
    shutil.copy(MINISEARCH / "LICENSE.txt", folder / "LICENSE")
    script = (MINISEARCH / "dist/umd/index.js").read_text(encoding="utf-8")
    (folder / "minisearch.js").write_text(script.partition("//# sourceMappingURL")[0], encoding="utf-8")
    found = [section for page in pages if page.name in app.env.found_docs for section in sections(page)]
    known = yaml.safe_load((FOLDER / "words.yml").read_text(encoding="utf-8"))
    lines = [f"globalThis.{name} = {json.dumps(value, ensure_ascii=False, separators=(',', ':'))};\n"
             for name, value in (("bookWords", known), ("bookSections", found))]
    (folder / "sections.js").write_text("".join(lines), encoding="utf-8")


def sections(page):
    """What can be found on a page: its sections, the functions of the package, and the entries of the glossary."""
    title, folder = page.app.env.titles[page.name].astext(), Path(page.app.srcdir)
    for place in page.tree.xpath("//article//section[@id][h1 or h2 or h3 or h4] | //article//dt[@id]"):
        text, code, symbols = said(parts(place))
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
    return said([next(part for part in place if part.tag in ("h1", "h2", "h3", "h4"))])[0]


def said(parts):
    """What elements say: their words, a line for each paragraph and each row of a table; their code; their formulas."""
    words, code, symbols = [], [], []
    for part in parts:
        gather(part, words, code, symbols)
    return "\n".join(filter(None, map(tidy, "".join(words).split("\n")))), code, symbols


def gather(part, words, code, symbols):
    """Collect what an element says: its words, its code, and its formulas; those in a line are words, too."""
    classes = set((part.get("class") or "").split())
    if not isinstance(part.tag, str) or part.tag in LEFT_OUT or part.tag == "dl" and PLACES & classes:
        return
    if "katex" in classes:
        latex = "".join(part.xpath(".//*[local-name()='annotation']/text()"))
        typed = plain_formula(latex)
        whole = typed.replace(" ", "")
        signs = [name for name in re.findall(r"\\(\w{3,})", latex) if name in SIGNS]
        symbols += [*([whole] if len(whole) < 30 else []), *typed.split(), *re.findall(r"[^\W\d_]+", typed), *signs]
        words.append("" if part.xpath("ancestor::*[contains(@class, 'katex-display')]") else typed)
    elif "highlight" in classes:
        code.append(part.text_content())
    elif part.tag == "tr":
        cells = [[] for _ in part]
        for cell, of_cell in zip(part, cells):
            gather(cell, of_cell, code, symbols)
        words.append("\n" + " | ".join(filter(None, (tidy("".join(of_cell)) for of_cell in cells))) + "\n")
    elif not classes & CLASSES:
        edge = "" if part.tag in INLINE else "\n"
        words.append(edge + one_line(part.text))
        for inner in part:
            gather(inner, words, code, symbols)
            words.append(one_line(inner.tail))
        words.append(edge)


def one_line(text):
    """Words of a page's source, where the end of a line is a space."""
    return re.sub(r"\s+", " ", text or "")


def plain_formula(latex):
    """A formula as one types it: ``QK^T``, ``√d_k``, ``(a + b)/2``."""
    plain = re.sub(ARRANGE, "", latex).replace(r"\{", "⦃").replace(r"\}", "⦄")
    plain = re.sub(r"\\tfrac\s*(\w)(\w)", r" \1/\2", re.sub(r"\\[,;: ]|\\q?quad|[&$~]", " ", plain))
    plain = re.sub(r"\\([A-Za-z]+)", lambda name: SIGNS.get(name[1], name[0]), plain)
    while found := next((pattern for pattern in GROUPS if re.search(pattern, plain)), None):     # the inner ones first
        plain = re.sub(found, GROUPS[found], plain)
    plain = re.sub(r"\\([A-Za-z]+)", r" \1 ", plain).replace("⦃", "{").replace("⦄", "}")
    return re.sub(r"‖ ?([^‖]*?) ?‖", r"‖\1‖", re.sub(r" ([\]_^,;)])|([\[(√]) ", r"\1\2", tidy(plain)))


def grouped(text):
    """What stands in a fraction, a root or above the line, in brackets where it needs them."""
    return text.strip() if re.fullmatch(r"\s*\W?\w*\s*", text) else f"({text.strip()})"


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
