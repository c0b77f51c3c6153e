"""Test what a change can break: `make check`, after what git says has changed, or `make check ONLY=softmax`.

A name is a page's slug, a figure, a module or a function, or several of these at once; each is looked up in the files,
so nothing has to be listed here.  What is chosen is chosen by paths: nothing else is read.

    page        the rules of its text; the page itself, built, looked at once; its cells, if its code has changed
    figure      its style and types, its arithmetic against Python, each of its controls on the pages where it stands
    module,     the tests that reach it by name, its examples; and which pages call it
    function

    python -m tools.check [names]
"""

import ast
import functools
import re
import subprocess
import sys
import time
from pathlib import Path

from bookkit.figures import base
from tools import book
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
        self.callers += showing(kind)
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


def rules(file):
    """The tests of a file that are asked of each page: by what stands above them they know which these are."""
    return [f"{file}::{node.name}" for node in definitions(ROOT / file).values()
            if any(re.match(r"on\(|.*\basked\(", ast.unparse(above)) for above in node.decorator_list)]


# ---- which tests and pages reach a name

def reaching(file, names):
    """The tests, as paths, that say one of the names, themselves or by what they use of their own file."""
    parts = Path(file).parts
    stem = Path(file).stem if Path(file).stem != "__init__" else parts[-2]
    own = ROOT / "tests" / parts[1]
    room = own if parts[0] == "bookkit" and own.exists() else ROOT / "tests"
    found = []
    for path in sorted(room.glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if re.search(rf"\b(?:{stem}|{parts[0]})\b", text):
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


def showing(kind):
    """The pages on which a figure stands."""
    return [file.removesuffix(".ipynb") for file in toc.notebooks()
            if f'data-ak-figure=\\"{kind}\\"' in (ROOT / file).read_text(encoding="utf-8")]


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


def changed():
    """The files that differ from what was committed last, and new ones."""
    asked = ["diff", "--name-only", "-z", "HEAD"], ["ls-files", "--others", "--exclude-standard", "-z"]
    told = [subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout for words in asked]
    return sorted(name for name in "".join(told).split("\0") if name)


def follow(plan, file):
    """Plan what the change of a file can break."""
    path = Path(file)
    folder = path.parent.as_posix()
    if path.suffix in (".ipynb", ".md") and file.rpartition(".")[0] in toc.pages():
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
        plan.module(file)
        plan.left += [file] * (path.parts[0] == "website")
    elif folder == "data" and path.stem in LISTS:
        plan.tests.append(f"tests/test_{LISTS[path.stem]}.py")
    else:
        plan.left.append(file)


def plan(names):
    """What is to be done for some names, or for what has changed: lists without a thing twice."""
    made = Plan()
    for name in names:
        if not named(made, name):
            sys.exit(f"[book] there is no page, figure, module or function '{name}'; pages are "
                     f"{', '.join(dict.fromkeys(map(toc.slug, toc.chapters())))}")
    for file in changed() if not names else ():
        follow(made, file)
    for what, listed in vars(made).items():
        setattr(made, what, list(dict.fromkeys(listed)))
    return made


# ---- what is done

def style_and_types(files):
    """Ask the linters about some files; which of them are content."""
    scripts, python = ([name for name in files if name.endswith(kinds)] for kinds in ((".js", ".css"), ".py"))
    asked = {}
    if python:
        asked["style"] = [book.BIN / "ruff", "check", "--quiet", *python]
    if scripts:
        asked["style of scripts"] = [*book.with_node(book.BIOME), "check", "--error-on-warnings", *book.STYLE, *scripts]
        asked["types"] = [*book.with_node(book.TSC), "--project", "tests/jsconfig.json"]
    return {what: book.run(*command, check=False) == 0 for what, command in asked.items()}


def tests(made):
    """Build the site if it is looked at, and run the tests of a plan; which kinds of them passed."""
    passed = {}
    if made.pages or made.kinds:
        book.book()
    if made.kinds:
        book.say(f"the figures {', '.join(made.kinds)}: their arithmetic, and their controls where they stand")
        own = [file for kind in made.kinds if (ROOT / (file := f"tests/figures/test_{kind}.py")).exists()]
        pages = [page for kind in made.kinds for page in showing(kind)]
        passed["figures"] = book.pytest("tests/figures/test_on_the_page.py", *own, env={"BOOK_ONLY": " ".join(pages)})
    if made.pages or made.tests:
        book.say("; ".join(filter(None, [
            made.pages and f"the pages {', '.join(made.pages)}: their rules, and a look at each",
            made.cells and f"the cells of {', '.join(made.cells)}",
            made.tests and f"{len(made.tests)} tests that say what has changed"])))
        asked = [rule for file in RULES for rule in rules(file)] if made.pages else []
        cells = [*book.NBVAL, "--all", *made.cells] if made.cells else []
        passed["tests"] = book.pytest("--doctest-modules", *asked, *made.tests, *cells,
                                      env={"BOOK_ONLY": " ".join(made.pages)})
    return passed


def main():
    """Make a plan, carry it out, and say what came of it."""
    start, made = time.monotonic(), plan(sys.argv[1:])
    if not any(vars(made).values()):
        book.say("git says that nothing has changed since the last commit; name something: make check ONLY=softmax")
        return
    passed = style_and_types(made.style) | tests(made)
    if made.callers:
        book.say(f"on {len(made.callers)} pages: {', '.join(made.callers)}")
    if made.left:
        book.say(f"not looked at here, but by 'make test': {', '.join(made.left)}")
    if not all(passed.values()):
        sys.exit(f"[book] FAILED: {', '.join(what for what in passed if not passed[what])}")
    if passed:
        book.say(f"all that was looked at is right ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
