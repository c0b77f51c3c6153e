"""Plant faults that a reader would meet and nobody would see, one at a time: does the test that should catch each one?

    .venv/bin/python -m tools.faults [words of a fault's name]

They are planted in a copy; the book itself is not touched.  That the tests pass with nothing planted, `make test` says.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import book

NOT_COPIED = shutil.ignore_patterns("_build", ".venv", ".git", "node_modules", "__pycache__", "*.egg-info")
BUILD = "the build"
CORE, INDEX, WEIGHTS = "bookkit/figures/core.js", "index.ipynb", "chapters/weights.ipynb"
BOOK_CSS, PHONE = "website/static/book.css", "index, dark, 360"
# What is wrong; the file; the text that gives way (none: it is added at the end, to a notebook as a cell) and to what;
# who is to catch it.  What the browser sees, and what the build refuses, is built anew first.
FAULTS = [
    ("a wrong number in an output", WEIGHTS, "array([0.39, 0.69])", "array([0.39, 0.68])", WEIGHTS),
    ("a drawing that has changed, and the notebook has not", "bookkit/pictures/shapes.py", "GAP = 2", "GAP = 3",
     "chapters/notation.ipynb"),
    ("an output that is not stored", WEIGHTS, "", "# a sum\n1 + 1",
     f"tests/test_notebooks.py::test_what_a_cell_shows_is_stored[{WEIGHTS}]"),
    ("a notebook taken over although a module far down has changed", "website/executed.py",
     ".union(filter(None, modules))", "", "tests/test_build.py::test_the_note_holds_what_was_right_and_no_more"),
    ("a notebook taken over although it failed", "tests/conftest.py", '== {"passed": len(executed.cells(name))}',
     "!= {}", "tests/test_build.py::test_the_note_holds_what_was_right_and_no_more"),
    ("a page that fails to build and is taken for built", "tools/book.py", "        for name in changed:      #",
     "        for name in ():      #",
     "tests/test_build.py::test_the_last_site_stays_until_the_new_one_stands_and_sphinx_keeps_what_it_knows"),
    ("an exercise that takes a wrong answer for right", "bookkit/lessons/exercises/basic_attention.py", "within=0.002",
     "within=2", "tests/lessons/test_exercises.py"),
    ("a solution in the homework", "tools/homework.py", "cells.append(code(question.code))",
     "cells.append(code(question.solution))", "tests/test_homework.py::test_nothing_gives_the_solution_away"),
    ("a grader that finds all right", "tools/handed_in.py", '"right" if verdict == RIGHT', '"right" if verdict',
     "tests/test_grade.py::test_what_is_said_of_each_file"),
    ("wrong arithmetic in a figure's script", CORE, "return shares.map((v) => v / total);",
     "return shares.map((v) => v / (total + 1e-6));", "tests/figures/test_alignment.py::test_alignment_arithmetic"),
    ("a dead control", "bookkit/figures/alignment.js", "figure.put({ selected: i })", "figure.put({})",
     "tests/figures/test_on_the_page.py::test_every_control_changes_something_by_keyboard[alignment]"),
    ("answers that are forgotten on the next page", "website/static/progress.js", "kept.version === VERSION",
     "kept.version !== VERSION", "tests/figures/test_practice.py::test_how_far_a_reader_has_come_is_kept"),
    ("a page that dies where storage is refused", "website/templates/layout.html",
     "Object.defineProperty(window, name, { value, configurable: true });", "",
     "tests/test_hands.py::test_a_phone_without_storage_reaches_every_chapter"),
    ("an outside request", BOOK_CSS, "", "body { background-image: url('https://example.org/x.png'); }\n",
     "tests/test_site.py::test_loads_cleanly[index, light, 1280]"),
    ("a page wider than a phone", BOOK_CSS, "", ".bd-article p { min-width: 50rem; }\n",
     f"tests/test_site.py::test_loads_cleanly[{PHONE}]"),
    ("a link to a place that is not there", "website/book_reference.py", "bibliography.html#{key}",
     "bibliography.html#{key}x", "tests/test_site.py::test_local_links_lead_somewhere"),
    ("an address that moved and leads nowhere", "_config.yml", "01_weights: weights.html", "01_weights: weight.html",
     "tests/test_found.py::test_addresses_that_moved_lead_on"),
    ("a search that ranks a mention like a definition", "website/search/search.js", "defines: 10, tells: 4",
     "defines: 0.01, tells: 0.01",
     "tests/test_found.py::test_what_learners_type_finds_its_section_among_the_first_three"),
    ("an unknown citation", INDEX, "", "[Nobody](chapters/bibliography.md#nobody2099)", BUILD),
    ("LaTeX that does not parse", INDEX, "", r"So $\frac{1}{2$ it is.", BUILD),
]
OF_THE_SITE = ("tests/test_site.py", "tests/test_found.py", "tests/test_hands.py", "tests/figures/test_on_the_page.py",
               "tests/figures/test_practice.py", BUILD)


def planted(text, file, old, new):
    """The text of a file with a fault in it."""
    if old:
        if old not in text:
            sys.exit(f"{file} does not hold {old!r} any more: mend the fault")
        return text.replace(old, new, 1)
    if not file.endswith(".ipynb"):
        return text + new
    notebook = json.loads(text)
    notebook["cells"].append({"cell_type": "markdown", "id": "planted", "metadata": {}, "source": [new]})
    if new.startswith("#"):
        notebook["cells"][-1] |= {"cell_type": "code", "outputs": [], "execution_count": 99}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def fresh_site(copy):
    """Give a copy the site of the book as it is."""
    shutil.rmtree(copy / "_build", ignore_errors=True)
    shutil.copytree(book.SITE, copy / "_build" / "html")


def caught(copy, file, old, new, catcher):
    """Plant a fault, ask its catcher, and take it out again; whether that has failed, as it should, and its words."""
    def ask(*command):
        env = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1",
               "PYTHONHASHSEED": "0", "CHROMIUM": book.needs_chromium()}
        done = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    before = (copy / file).read_text(encoding="utf-8")
    (copy / file).write_text(planted(before, file, old, new), encoding="utf-8")
    try:
        if catcher.startswith(OF_THE_SITE):
            shutil.rmtree(copy / "_build")
            code, said = ask(*book.BUILD)
            if code or catcher == BUILD:
                return catcher == BUILD and bool(code) and "warning" in said.lower(), said
        code, said = ask(sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env", catcher)
        return code == 1, said      # 1: a test failed; anything else is a mistake of this file
    finally:
        (copy / file).write_text(before, encoding="utf-8")
        if catcher.startswith(OF_THE_SITE):
            fresh_site(copy)


def main():
    """Say of every fault that is wanted whether it was caught."""
    faults, missed = [fault for fault in FAULTS if " ".join(sys.argv[1:]) in fault[0]], []
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        copy = Path(folder) / "book"
        shutil.copytree(book.ROOT, copy, ignore=NOT_COPIED)
        for name in (".venv", "tests/node_modules", "website/node_modules"):
            (copy / name).symlink_to(book.ROOT / name)
        fresh_site(copy)
        for name, file, old, new, catcher in faults:
            found, said = caught(copy, file, old, new, catcher)
            print(f"caught      {name}" if found else f"NOT caught  {name}\n{said[-3000:]}", flush=True)
            missed += [] if found else [name]
    print(f"{len(faults)} faults, {len(missed)} not caught")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
