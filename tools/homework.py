"""Write homework: for each page with exercises a notebook that a student fills in, without solutions and outputs.

    python -m tools.homework [--out FOLDER]

Each notebook holds the text of each exercise, its hint, and of the page's code what an answer may need, so that nothing
heavy runs.  Beside them stands what they need of the book, which needs numpy and no PyTorch: so the folder, a
repository where git is there, is all that a Hub, Binder or a laptop has to be given.  What comes back goes through
tools/grade.py.
"""

import argparse
import ast
import builtins
import json
import os
import re
import shutil
import subprocess
import symtable
import sys
import tomllib
from functools import cache
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from bookkit.lessons.exercises import all_exercises
from bookkit.lessons.exercises.grading import Choice
from website import addresses, road, toc

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "_build" / "homework"
ADDRESSES = ("BOOK_BASEURL", "BOOK_HUB")      # of the site and of a Hub: given once, they are kept
FORM = re.compile(r":::\{exercise\} (?P<title>.+)\n(?::\w+:.*\n)+\n(?P<text>(?s:.+?))\n:::\s*"
                  r"(?::::\{dropdown\} Hint\n(?P<hint>(?s:.+?))\n:::\s*)?")
CHECK = "from bookkit.lessons.exercises import check\n"
LIGHT = ("numpy", "math", "attnkit")      # what a set-up may import: no model, no file, nothing that draws
IMAGE = re.compile(r'<img class="ak-still" alt="([^"]*)"[^>]* src="data:image/svg\+xml;base64,([^"]*)"')
HEAD = """# Homework: {title}

Read the page {link} of the book first. Then put your answers in place of the dots and run the cells from top to
bottom, each with Shift and Enter. They say *Right*, or what is off. In the end, save this notebook and hand it in.

You need Python 3.11 or newer and Jupyter, and have typed `pip install -r requirements.txt` in this folder once.
Write your name first:"""
README = """# Homework of *Attention, Step by Step*

Keep the whole folder: a notebook alone does not work, as it needs the folders `attnkit` and `bookkit` beside it, which
are taken from the book (MIT licence). On your own computer, type these two lines in it, and open a notebook in the
browser that appears:

    pip install -r requirements.txt jupyterlab
    jupyter lab

On Binder all is there already; on a Hub type the first line in a terminal, if a cell says that something is missing.
Follow the first cell of the notebook, and hand in the notebook.
"""
OPEN = """
## Open it without installing anything

{lines}

"""
ALONE = """\
# On Colab this notebook comes alone: it fetches the rest of its folder
import os, subprocess, sys
from importlib.util import find_spec

if not find_spec("bookkit"):
    if not os.path.isdir("homework"):
        subprocess.run(["git", "clone", "--quiet", "{url}", "homework"], check=True)
        packages = ["--quiet", "--requirement", "homework/requirements.txt"]
        subprocess.run([sys.executable, "-m", "pip", "install", *packages], check=True)
    sys.path.insert(0, os.path.abspath("homework"))"""
POINTS = """# Points for each exercise of a page; softmax/rows: 2 is for one. What is not here does not count.
# The share that an answer is worth which is not right yet:
attempt: 0
"""
# What the exercises import, told by a process that may import nothing heavy and has checked each of them once.
CLOSURE = """
import json, sys
class Light:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "matplotlib", "ipywidgets", "anywidget", "traitlets", "IPython", "yaml"):
            raise ModuleNotFoundError(f"homework does without {name}", name=name)
sys.meta_path.insert(0, Light())
from bookkit.lessons.exercises import all_exercises
for one in all_exercises().values():
    one.verdict(None)
own = [m.__file__ for name, m in sys.modules.items() if name.split(".")[0] in ("attnkit", "bookkit")]
print(json.dumps(sorted(own)))
"""


class Question(NamedTuple):
    """An exercise as its page asks it; `before` is what stands above it and belongs to it, as Markdown cells."""

    name: str
    title: str
    text: str
    hint: str
    code: str
    solution: str
    before: list
    setup: list      # pairs of a place in the page and a statement, in order


@cache
def pages():
    """The pages of the road and the side trips that have exercises, in the order of the book."""
    return [page for page in [*toc.road(), *toc.trips()] if road.exercises(notebook(page))]


@cache
def notebook(page):
    """A page as it is committed."""
    return json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))


def title(page):
    """What a page is called."""
    return re.search(r"^# (.+)$", "\n".join(map(road.source, notebook(page)["cells"][:2])), flags=re.M)[1]


def short(page):
    """What a page is called, without its subtitle, unless that tells pages apart."""
    return shorts()[page]


@cache
def shorts():
    """The short name of every chapter."""
    titles = {page: title(page) for page in toc.chapters()}
    words = [whole.split(":")[0] for whole in titles.values()]
    return {page: one if words.count(one) == 1 else titles[page] for page, one in zip(titles, words)}


@cache
def questions(page):
    """The exercises of a page, in order."""
    cells, found = notebook(page)["cells"], []
    for cell, *codes in road.exercises(notebook(page)):
        form = FORM.fullmatch(road.source(cell))
        answer = next(code for code in codes if road.answers(code))
        name, solution = road.answers(answer), next(road.source(code) for code in codes if road.solves(code))
        asked, text, hint = all_exercises()[name], plain(form["text"]), plain(form["hint"] or "")
        if isinstance(asked, Choice):      # the page shows what there is to choose from in its figure
            choices = "\n".join(f"- **{letter}**: {words}" for letter, words in zip(Choice.LETTERS, asked.words))
            text += f"\n\nYour answer is one of these letters, in quotation marks:\n\n{choices}"
        place = next(k for k, one in enumerate(cells) if one is cell)
        code = road.source(answer).replace(CHECK, "").strip()
        wanted = needs(text + hint, code, "" if isinstance(asked, Choice) else solution)
        found.append(Question(name, form["title"], text, hint, code, solution, above(cells, place),
                              light(statements(cells[:place]), wanted)))
    return found


def plain(text):
    """Text of a page as plain Jupyter shows it: a link to another page becomes that page's name."""
    titles = {page.removeprefix("chapters/"): words for page, words in shorts().items()}

    def named(link):
        label, page = link[1], titles.get(link[2])
        return label if page is None else f"*{label}*" if label == page else f"*{label}* on the page *{page}*"
    return re.sub(r"\[([^\]]+)\]\((?!http)(?:[./]*(?:\w+/)*(\w+)\.\w+)?(?:#[^)]*)?\)", named, text.strip())


def above(cells, place):
    """What stands right above an exercise and belongs to it: text, and pictures without the code that draws them."""
    found = []
    for cell in reversed(cells[:place]):
        if road.of_an_exercise(cell) or re.search(r"^#|^:::\{dropdown\}", road.said(cell), flags=re.M):
            break      # an exercise, or a heading, ends what belongs to the next
        drawn = "".join("".join(data.get("text/html", "")) for data in road.outputs(cell))
        images = IMAGE.findall(drawn)
        captions = map(unescape, re.findall("<figcaption>(.*?)</figcaption>", drawn))
        shown = [f"![{unescape(alt)}](attachment:{k}.svg)" for k, (alt, _) in enumerate(images, 1)]
        parts = [plain(road.said(cell)), " ".join(shown), *(f"*{words}*" for words in captions)]
        text = "\n\n".join(filter(None, parts))
        if text:
            held = {f"{k}.svg": {"image/svg+xml": data} for k, (_, data) in enumerate(images, 1)}
            found.insert(0, markdown(text) | ({"attachments": held} if held else {}))
    return found


# ---- which code of a page an answer may need

@cache
def uses(code):
    """Two sets of names: those that code binds in its own module, and those that it looks up there."""
    top = symtable.symtable(code, "cell", "exec")
    tables = [top]
    for table in tables:      # it grows meanwhile
        tables += table.get_children()
    binds = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    return binds, {s.get_name() for table in tables for s in table.get_symbols()
                   if s.is_referenced() and (table is top or s.is_global())}


def needs(text, code, solution):
    """The names that an answer may need: what the solution looks up, and what the text names."""
    blocks = [*re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S), solution]
    named = set(re.findall(r"`([A-Za-z_]\w*)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)))
    for block in blocks:
        binds, loads = uses(block)
        named |= loads - binds
    arguments = {node.arg for node in ast.walk(ast.parse(code)) if isinstance(node, ast.arg)}
    return named - uses(code)[0] - arguments - {"check"}


def statements(cells):
    """The statements of a page's code, each with its place; solutions are none of it."""
    found = []
    for place, cell in enumerate(cells):
        if cell["cell_type"] != "code" or road.of_an_exercise(cell):
            continue
        lines = road.source(cell).splitlines()
        for node in ast.parse(road.source(cell)).body:
            found.append(((place, node.lineno), "\n".join(lines[node.lineno - 1:node.end_lineno]), node))
    return found


def light(found, wanted):
    """Of some statements those that the wanted names rest on; a name that rests on a model or a file is left out."""
    kept = {}
    for name in sorted(wanted):
        chain, open_names = {}, {name}
        for place, text, node in reversed(found):
            binds, loads = uses(text)
            if isinstance(node, ast.Assign | ast.Import | ast.ImportFrom | ast.FunctionDef) and binds & open_names:
                chain[place] = text, node
                open_names = (open_names - binds) | loads
        imports = [node for _, node in chain.values() if isinstance(node, ast.Import | ast.ImportFrom)]
        modules = [node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imports]
        if chain and open_names <= set(dir(builtins)) and set(modules) <= set(LIGHT):
            kept |= {place: text for place, (text, _) in chain.items()}
    return sorted(kept.items())


# ---- the notebook

def markdown(text):
    """A cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code(text):
    """A cell of code that has not been run."""
    lines = text.splitlines(keepends=True)
    return {"cell_type": "code", "metadata": {}, "source": lines, "execution_count": None, "outputs": []}


def homework(page, url=None):
    """The homework of a page, as a notebook; it fetches what it needs, where the address of its repository is known."""
    asked, slug = questions(page), toc.slug(page)
    imports, data = {"import numpy as np": None}, {}
    for question in asked:
        for place, text in question.setup:
            if text.startswith(("import ", "from ")):
                imports[text] = None
            else:
                data.setdefault(place, (question.name, text))
    site = addresses.site()
    link = f"[*{title(page)}*]({site}{page}.html)" if site else f"*{title(page)}*"
    cells = [markdown(HEAD.format(title=title(page), link=link)),
             code('name = ""      # your name, between the quotation marks')]
    if url:
        cells.append(code(ALONE.format(url=url)))
    outside = [line for line in imports if "attnkit" not in line]
    inside = sorted([line for line in imports if "attnkit" in line] + [CHECK.strip()])
    cells.append(code("\n".join(sorted(outside)) + "\n\n" + "\n".join(inside)))
    for k, question in enumerate(asked, 1):
        cells += question.before
        hint = f"\n\n<details><summary>Hint</summary>\n\n{question.hint}\n\n</details>" if question.hint else ""
        cells.append(markdown(f"## {k}. {question.title}\n\n{question.text}{hint}"))
        given = ["\n" * text.startswith("def ") + text
                 for _, (name, text) in sorted(data.items()) if name == question.name]
        if given:
            cells.append(code("# From the page: run it, and use it if you like\n" + "\n".join(given)))
        cells.append(code(question.code))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": [{"id": f"{slug.replace('_', '-')}-{k}", **cell} for k, cell in enumerate(cells)],
            "metadata": {"attnkit": {"homework": slug}, "kernelspec": kernel, "language_info": {"name": "python"}},
            "nbformat": 4, "nbformat_minor": 5}


def write(folder, only=()):
    """Write the homework of every page into a folder, or that of some; the files, in the order of the book.

    What a teacher has taken out of the repository that was made before stays out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    url = (addresses.remote(folder) or [None])[0]
    chosen = only or ([file.stem for file in folder.glob("*.ipynb")] if (folder / ".git").exists() else [])
    for page in pages():
        if chosen and toc.slug(page) not in chosen:
            continue
        files.append(folder / f"{toc.slug(page)}.ipynb")
        text = json.dumps(homework(page, url), ensure_ascii=False, indent=1, sort_keys=True)
        files[-1].write_text(text + "\n", encoding="utf-8")
    return files


def package(folder, slugs):
    """Put beside the notebooks what they import of the book, and what a Hub, Binder and a teacher look for.

    Each of these pages, which are new, counts a point for an exercise, until the teacher says otherwise.
    """
    told = subprocess.run([sys.executable, "-c", CLOSURE], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in ("attnkit", "bookkit"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for file in (*map(Path, json.loads(told)), ROOT / "LICENSE"):
        there = folder / file.relative_to(ROOT)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, there)
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    (folder / "requirements.txt").write_text("\n".join(needed) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(README + opened(folder), encoding="utf-8")
    (folder / ".gitignore").write_text(".ipynb_checkpoints/\n__pycache__/\n", encoding="utf-8")
    # The teacher's, but for pages that are new in the folder.
    told = points.read_text(encoding="utf-8") if (points := folder / "points.yml").exists() else POINTS
    lines = [f"{slug}: 1" for slug in slugs if not re.search(rf"^{slug}[:/]", told, flags=re.M)]
    if lines:
        points.write_text("\n".join([told.rstrip("\n"), *lines, ""]), encoding="utf-8")


def opened(folder):
    """The lines of the README with links that open the repository of the homework, if it is known where it is."""
    found, hub = addresses.remote(folder), addresses.hub()
    if not found:
        return ""
    url, branch = found
    owner = url.partition("github.com/")[2]
    name = owner.partition("/")[2]
    pull = f"{hub}/hub/user-redirect/git-pull?repo={quote(url, safe='')}&branch={branch}&urlpath=lab%2Ftree%2F{name}"
    colab = f"https://colab.research.google.com/github/{owner}/blob/{branch}"
    slugs = [slug for slug in map(toc.slug, pages()) if (folder / f"{slug}.ipynb").exists()]
    lines = [*([f"- [On the Hub]({pull}): your work stays there"] if hub else []),
             f"- [On Binder](https://mybinder.org/v2/gh/{owner}/{branch}?urlpath=lab): save what you do",
             "- On Colab: " + ", ".join(f"[{slug}]({colab}/{slug}.ipynb)" for slug in slugs)]
    return OPEN.format(lines="\n".join(lines)).rstrip("\n") + "\n"


def recall(folder):
    """Take the addresses that are not given this time from the repository's settings, where `keep` has put them."""
    for name in ADDRESSES:
        if not os.environ.get(name) and (folder / ".git").exists():
            git = ["git", "-C", str(folder), "config", "--get", setting(name)]
            os.environ[name] = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()


def setting(name):
    """What an address is called in the settings of a repository."""
    return f"book.{name.removeprefix('BOOK_').lower()}"


def keep(folder):
    """Make the folder a repository, or keep what has changed in the one that it is; whether git is there."""
    if not shutil.which("git"):
        return False
    git = ["git", "-C", str(folder), "-c", "user.name=Attention, Step by Step", "-c", "user.email=homework@localhost"]
    if not (folder / ".git").exists():
        subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)
    for name in ADDRESSES:
        if os.environ.get(name):
            subprocess.run([*git, "config", setting(name), os.environ[name]], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    if subprocess.run([*git, "diff", "--cached", "--quiet"], check=False).returncode:
        subprocess.run([*git, "commit", "--quiet", "--message", "Homework as the book has it now"], check=True)
    return True


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT, help="write there instead of into _build/homework")
    parser.add_argument("--only", default="", help="the pages that you set, such as weights,softmax")
    args = parser.parse_args()
    only = [slug.strip() for slug in args.only.split(",") if slug.strip()]
    if unknown := set(only) - set(map(toc.slug, pages())):
        sys.exit(f"No page with exercises is called {', '.join(sorted(unknown))}.")
    before = {file.stem for file in args.out.glob("*.ipynb")} if (args.out / "points.yml").exists() else set()
    recall(args.out)
    try:
        files = write(args.out, only)
        package(args.out, [file.stem for file in files if file.stem not in before])
    except ValueError as error:      # an address that is none
        sys.exit(f"[book] {error}")
    kept = "a repository, ready to push" if keep(args.out) else "no repository, as git is not there"
    print(f"{len(files)} notebooks of homework are in {args.out}, {kept}: {', '.join(file.stem for file in files)}")


if __name__ == "__main__":
    main()
