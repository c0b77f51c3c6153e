"""Test what a change can break: `make check`, after what git says has changed, or `make check ONLY=softmax`.

A name is a page's slug, a figure, a module or a function, or several of these at once; each is looked up in the files,
so nothing has to be listed here.  What is chosen is chosen by paths: nothing else is read.

    page        the rules of its text; the page itself, built, looked at once; its cells, if its code has changed
    figure      its style and types, its arithmetic against Python, each of its controls on a page of figures alone; and
                where it stands, as its notebooks hold what Python drew
    module,     the tests that reach it by name, its examples; and which pages call it
    function

    python -m tools.check [names]        what would be done, as JSON; `tools/book.py` does it
"""

import ast
import functools
import json
import re
import subprocess
import sys
from pathlib import Path

from bookkit.figures import base
from website import executed, toc

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("attnkit", "bookkit", "website", "tools")
# The rules of a page, by the files that hold them.
RULES = ["tests/test_notebooks.py", "tests/test_road.py", "tests/test_claims.py", "tests/test_site.py"]
# A list and the tests that ask whether the pages agree with it.
LISTS = {"terms": "back_matter", "subjects": "back_matter", "letters": "back_matter", "claims": "claims"}


class Plan:
    """What is to be done."""

    def __init__(self):
        self.pages, self.cells, self.kinds, self.tests, self.style, self.callers, self.left = ([] for _ in range(7))

    def page(self, name):
        """A page: its rules, and its cells unless they were right as they are."""
        file = f"{name}.ipynb"
        self.pages.append(name)
        if (ROOT / file).exists() and file not in executed.known([file]):
            self.cells.append(file)

    def figure(self, kind):
        """A figure."""
        self.kinds.append(kind)
        self.callers += [file.removesuffix(".ipynb") for file in toc.notebooks() if any(
            f'data-ak-figure="{kind}"' in shown_by(cell) for cell in executed.cells(file))]
        self.style += [f"bookkit/figures/{kind}.{suffix}" for suffix in ("py", "js", "css")
                       if (ROOT / f"bookkit/figures/{kind}.{suffix}").exists()]

    def module(self, file, names=None):
        """A module, or what it defines under some names."""
        defined = definitions(ROOT / file)
        names = set(defined) if names is None else names & set(defined)
        self.style.append(file)
        self.tests += reaching(file, names)
        dotted = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        examples = [name for name in sorted(names) if ">>>" in (ast.get_docstring(defined[name]) or "")]
        self.tests += [f"{file}::{dotted}.{name}" for name in examples]
        self.callers += [page for page in calling(names) if page not in self.callers]


def definitions(file):
    """The functions and classes of a module, by name."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


# ---- which tests ask a page

def rules(file):
    """The tests of a file that are asked of each page: by what stands above them they know which these are."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return [f"{file}::{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef)
            and any(re.match(r"on\(|.*\basked\(", ast.unparse(above)) for above in node.decorator_list)]


# ---- which tests reach a name

def room(file):
    """The folder of tests for a module's room, without those for a browser."""
    parts = Path(file).parts
    own = ROOT / "tests" / parts[1]
    return own if parts[0] == "bookkit" and own.exists() else ROOT / "tests"


def reaching(file, names):
    """The tests, as paths, that say one of the names, themselves or by what they use of their own file."""
    stem = Path(file).stem if Path(file).stem != "__init__" else Path(file).parent.name
    found = []
    for path in sorted(set(room(file).glob("test_*.py")) - {ROOT / "tests/test_check.py"}):      # names, for example
        text = path.read_text(encoding="utf-8")
        if re.search(rf"\b(?:{stem}|{Path(file).parts[0]})\b", text):
            found += [f"{path.relative_to(ROOT).as_posix()}::{test}" for test in saying(ast.parse(text), names)]
    return found


def saying(tree, names):
    """The tests of a file that say one of some names, or something of the file that does."""
    said = {}
    for node in tree.body:
        words = {part.id if isinstance(part, ast.Name) else part.attr for part in ast.walk(node)
                 if isinstance(part, ast.Name | ast.Attribute)}
        words |= {part.value for part in ast.walk(node) if isinstance(getattr(part, "value", 0), str)}
        words |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}          # fixtures
        for name in [node.name] if hasattr(node, "name") else assigned(node):
            said[name] = said.get(name, set()) | words - {name}
    reached = set(names)
    while new := {name for name, words in said.items() if words & reached} - reached:
        reached |= new
    return [name for name in said if name in reached and name.startswith("test_")]


def assigned(node):
    """The names that a statement at the top of a file gives something to."""
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return [part.id for target in targets if target for part in ast.walk(target) if isinstance(part, ast.Name)]


def calling(names):
    """The pages whose cells call one of some names."""
    pattern = re.compile(rf"(?<![\w\"'])(?:{'|'.join(map(re.escape, sorted(names)))})\(")
    return [file.removesuffix(".ipynb") for file in toc.notebooks() if names and pattern.search(code(file))]


@functools.cache
def code(file):
    """The code of a notebook."""
    return "\n".join("".join(cell["source"]) for cell in executed.cells(file))


# ---- what is named, and what has changed

def named(plan, name):
    """Plan what a name stands for; whether it stands for anything."""
    pages = [page for page in toc.pages() if name in (toc.slug(page), page)]
    kind = re.sub(r"(?<=.)([A-Z])", r"_\1", name).lower()
    for page in pages:
        plan.page(page)
    if kind in base.kinds():
        plan.figure(kind)
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))
             if "node_modules" not in path.parts and path.parent.name != "figures"]
    modules = [path for path in files if path.stem == name]
    homes = [path for path in files if name in path.read_text(encoding="utf-8") and name in definitions(path)]
    for path in modules:
        plan.module(path.relative_to(ROOT).as_posix())
    for path in homes:
        plan.module(path.relative_to(ROOT).as_posix(), {name})
    return bool(pages or kind in base.kinds() or modules or homes)


def git(*arguments):
    """What git says."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout


def changed():
    """The files that differ from what was committed last, and new ones."""
    names = git("diff", "--name-only", "-z", "HEAD") + git("ls-files", "--others", "--exclude-standard", "-z")
    return sorted(name for name in names.split("\0") if name)


def touched(file):
    """The functions and classes of a module that differ from what was committed last; all, where more than these do."""
    was, now = git("show", f"HEAD:{file}"), (ROOT / file).read_text(encoding="utf-8")
    if not was:
        return None
    before, after = ({getattr(node, "name", "") if isinstance(node, ast.FunctionDef | ast.ClassDef) else "":
                      ast.unparse(node) for node in ast.parse(text).body} for text in (was, now))
    return {name for name in after if before.get(name) != after[name]} if before.get("") == after.get("") else None


def follow(plan, file):
    """Plan what the change of a file can break."""
    path = Path(file)
    folder, pages = path.parent.as_posix(), set(toc.pages())
    if path.suffix in (".ipynb", ".md") and file.rpartition(".")[0] in pages:
        plan.page(file.rpartition(".")[0])
    elif not (ROOT / file).exists():
        plan.left.append(file)
    elif folder == "bookkit/figures" and path.stem in base.kinds():
        plan.figure(path.stem)
    elif folder == "bookkit/figures" and path.stem in base.SHARED:
        for kind in base.kinds():
            if path.stem in base.scripts(kind):
                plan.figure(kind)
        plan.style.append(file)
        plan.left += [file] * (path.stem == "core")
    elif path.parts[0] == "tests" and path.name.startswith("test_") and path.suffix == ".py":
        plan.tests.append(file)
    elif path.suffix == ".py" and path.parts[0] in PACKAGES:
        plan.module(file, touched(file))
        plan.left += [file] * (path.parts[0] == "website")
    elif folder == "data" and path.stem in LISTS:
        plan.tests.append(f"tests/test_{LISTS[path.stem]}.py")
    else:
        plan.left.append(file)


def plan(names=()):
    """What is to be done for some names, or for what has changed."""
    made = Plan()
    for name in names:
        if not named(made, name):
            sys.exit(f"[book] there is no page, figure, module or function '{name}'; pages are "
                     f"{', '.join(dict.fromkeys(map(toc.slug, toc.chapters())))}")
    for file in changed() if not names else ():
        follow(made, file)
    found = {what: list(dict.fromkeys(listed)) for what, listed in vars(made).items()}
    return found | {"rules": [rule for file in RULES for rule in rules(file)] if made.pages else []}


# ---- figures alone

HEAD = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{page}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<script>const dark = matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.dataset.theme = dark ? "dark" : "light";</script>
<style>:root {{ --ak-serif: serif; --ak-sans: sans-serif; --ak-mono: monospace; }} body {{ margin: 1rem; }}</style>
{links}</head><body><main class="bd-article" style="max-width: 45rem; margin: auto"><h1>{page}</h1>
"""


def figures_alone(folder, kinds):
    """Write the pages on which some figures stand with nothing else on them, at their addresses; return these."""
    static = folder / "_static" / "figures"
    static.mkdir(parents=True, exist_ok=True)
    written = []
    for page in toc.pages():
        file = ROOT / f"{page}.ipynb"
        shown = map(shown_by, executed.cells(f"{page}.ipynb") if file.exists() else [])
        drawn = [html for html in shown if set(re.findall(r'data-ak-figure="(\w+)"', html)) & set(kinds)]
        if not drawn:
            continue
        on = list(dict.fromkeys(kind for html in drawn for kind in re.findall(r'data-ak-figure="(\w+)"', html)))
        up = "../" * page.count("/") + "_static/figures/"
        names = dict.fromkeys(name for kind in on for name in base.scripts(kind))
        links = [f'<link rel="stylesheet" href="{up}{name}.css">' for name in ("core", *on)]
        links += [f'<script src="{up}{name}.js" defer></script>' for name in ("core", *names)]
        (folder / f"{page}.html").parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{page}.html").write_text(HEAD.format(page=page, links="\n".join(links)) + "\n".join(drawn))
        for name in ("core", *names):
            text = base.script(name) + (base.script("page") + base.MOUNT) * (name == "core")
            (static / f"{name}.js").write_text(text, encoding="utf-8")
        for name in ("core", *on):
            style = base.core_stylesheet() if name == "core" else base.stylesheet(name)
            (static / f"{name}.css").write_text(style, encoding="utf-8")
        written.append(page)
    return written


def shown_by(cell):
    """The HTML that a cell shows."""
    return "".join("".join(output.get("data", {}).get("text/html", "")) for output in cell["outputs"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--alone"]:
        print("\n".join(figures_alone(Path(sys.argv[2]), sys.argv[3:])))
    else:
        print(json.dumps(plan(sys.argv[1:])))
