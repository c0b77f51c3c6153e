"""Test what a change can break: `make check`, after what git says has changed, or `make check ONLY=softmax`.

A name is a page's slug, a figure, a module or a function, or several of these at once; each is looked up in the files,
so nothing has to be listed here.

    page        the rules of its text; the page itself, built, looked at once; its cells, if its code has changed
    figure      its style and types, its arithmetic against Python, each of its controls on the pages where it stands
    module,     its style and examples, and the test files of its room that say its name
    function

    python -m tools.check [names]
"""

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
        self.pages, self.cells, self.kinds, self.tests, self.style, self.left = ([] for _ in range(6))

    def page(self, name):
        """A page: its rules, and its cells unless they were right as they are."""
        file = f"{name}.ipynb"
        self.pages.append(name)
        if (ROOT / file).exists() and file not in executed.known([file]):
            self.cells.append(file)

    def figure(self, kind):
        """A figure."""
        self.kinds.append(kind)
        self.style += [f"bookkit/figures/{path.name}" for path in (ROOT / "bookkit" / "figures").glob(f"{kind}.*")]

    def module(self, file, name=None):
        """A module: its examples, and the tests of its room that import it, or that say the name of what it defines."""
        parts = Path(file).with_suffix("").parts
        room = ROOT / "tests" / parts[1] if (ROOT / "tests" / parts[1]).exists() else ROOT / "tests"
        stem = "attnkit" if parts[0] == "attnkit" else parts[-2] if parts[-1] == "__init__" else parts[-1]
        self.style.append(file)
        for path in sorted(room.glob("test_*.py")):
            text = path.read_text(encoding="utf-8")
            imports = "".join(re.findall(r"^(?:from|import) (?:.*\([^)]*\)|.*)", text, re.M))
            if re.search(rf"\b{stem}\b", imports) and (not name or re.search(rf"\b{name}\b", text)):
                self.tests.append(path.relative_to(ROOT).as_posix())
        self.tests += [file] * (">>>" in (ROOT / file).read_text(encoding="utf-8"))

    def follow(self, file):
        """What the change of a file can break."""
        path = Path(file)
        folder = path.parent.as_posix()
        if path.suffix in (".ipynb", ".md") and file.rpartition(".")[0] in toc.pages():
            self.page(file.rpartition(".")[0])
        elif not (ROOT / file).exists():
            self.left.append(file)
        elif folder == "bookkit/figures" and path.stem in base.kinds():
            self.figure(path.stem)
        elif folder == "bookkit/figures" and path.stem in base.SHARED:
            for kind in base.kinds():
                if path.stem in base.scripts(kind):
                    self.figure(kind)
            self.style.append(file)
        elif path.parts[0] == "tests" and path.name.startswith("test_") and path.suffix == ".py":
            self.tests.append(file)
        elif path.suffix == ".py" and path.parts[0] in PACKAGES:
            self.module(file)
        elif folder == "data" and path.stem in LISTS:
            self.tests.append(f"tests/test_{LISTS[path.stem]}.py")
        else:
            self.left.append(file)


def rules(file):
    """The tests of a file that are asked of each page: by what stands above them they know which these are."""
    return [f"{file}::{name}" for above, name in re.findall(r"^@(.*)\n(?:@.*\n)*def (test_\w+)",
                                                            (ROOT / file).read_text(encoding="utf-8"), re.M)
            if re.match(r"on\(|.*\basked\(", above)]


def showing(kind):
    """The pages on which a figure stands."""
    return [file.removesuffix(".ipynb") for file in toc.notebooks()
            if f'data-ak-figure=\\"{kind}\\"' in (ROOT / file).read_text(encoding="utf-8")]


def named(plan, name):
    """Plan what a name stands for; whether it stands for anything."""
    kind = re.sub(r"(?<=.)([A-Z])", r"_\1", name).lower()
    pages = [page for page in toc.pages() if name in (toc.slug(page), page)]
    kinds = [kind] if kind in base.kinds() else []
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))
             if "node_modules" not in path.parts and path.parent.name != "figures"]
    defines = re.compile(rf"^(?:def|class) {re.escape(name)}\b", re.M)
    modules = [path for path in files if path.stem == name and path.parent.name != "exercises"]
    homes = [path for path in files if defines.search(path.read_text(encoding="utf-8"))]
    for page in pages:
        plan.page(page)
    for kind in kinds:
        plan.figure(kind)
    for path in modules:
        plan.module(path.relative_to(ROOT).as_posix())
    for path in homes:
        plan.module(path.relative_to(ROOT).as_posix(), name)
    return bool(pages or kinds or modules or homes)


def changed():
    """The files that differ from what was committed last, and new ones."""
    asked = ["diff", "--name-only", "-z", "HEAD"], ["ls-files", "--others", "--exclude-standard", "-z"]
    told = [subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout for words in asked]
    return sorted(name for name in "".join(told).split("\0") if name)


def plan(names):
    """What is to be done for some names, or for what has changed: lists without a thing twice."""
    made = Plan()
    for name in names:
        if not named(made, name):
            sys.exit(f"[book] there is no page, figure, module or function '{name}'; pages are "
                     f"{', '.join(dict.fromkeys(map(toc.slug, toc.chapters())))}")
    for file in changed() if not names else ():
        made.follow(file)
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
            made.tests and f"what the tests say of {', '.join(made.tests)}"])))
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
    if made.left:
        book.say(f"not looked at here, but by 'make test': {', '.join(made.left)}")
    if not all(passed.values()):
        sys.exit(f"[book] FAILED: {', '.join(what for what in passed if not passed[what])}")
    if passed:
        book.say(f"all that was looked at is right ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
