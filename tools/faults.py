"""Plant faults in a copy of the book, one at a time, and see whether the test that should catch each one does.

    CHROMIUM=/path/to/chromium python -m tools.faults [words of a fault's name]

Here are faults whose guard is far from them: a page in the browser, the build, the outputs compared, a rule of the book.
What the test of one function or figure would notice is left to that test, and in attnkit to `make mutants`; what
changes a picture is noticed by the notebook that shows it, as is the one that stands here for all.

First every catcher runs where nothing is planted, and must pass.  Two copies are at work side by side, in a folder of
the system's for what is temporary: the book itself is not touched.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tools import book

ROOT = Path(__file__).resolve().parent.parent
SITE = Path("_build") / "html"
NOT_COPIED = shutil.ignore_patterns("_build", ".venv", ".git", "node_modules", "__pycache__", "*.egg-info", ".ipynb_checkpoints")
BUILD = "the build"
END = ""      # in place of a text: what is planted stands at the end of the file, in a notebook in a cell of its own


class Fault(NamedTuple):
    """What is wrong; in which file which text gives way to which; who catches it; `builds`: the site is built anew first."""

    name: str
    file: str
    old: str
    new: str
    catcher: str
    builds: bool = False


def planted(fault, text):
    """The text of a file with the fault in it."""
    if fault.old not in text:
        raise LookupError(f"{fault.file} does not hold {fault.old!r} any more: mend the fault")
    if fault.old != END:
        return text.replace(fault.old, fault.new, 1)
    if not fault.file.endswith(".ipynb"):
        return text + fault.new
    notebook = json.loads(text)
    notebook["cells"].append({"cell_type": "markdown", "id": "planted", "metadata": {}, "source": [fault.new]})
    if fault.new.startswith("#"):
        notebook["cells"][-1] |= {"cell_type": "code", "outputs": [], "execution_count": 99}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def page(question, name, look="light, 1280", file="test_site"):
    """A question that tests/test_site.py, or another file, asks of a page."""
    return f"tests/{file}.py::test_{question}[{name}, {look}]"


figures_on = partial(page, file="figures/test_on_the_page")
PHONE = "dark, 360"
CORE, CSS, INDEX = "bookkit/figures/core.js", "website/static/book.css", "index.ipynb"
WEIGHTS, DOT = "chapters/weights.ipynb", "chapters/dot_product.ipynb"
SOFTMAX = "return shares.map((v) => v / total);"
FAULTS = [
    # notebooks
    Fault("a wrong number in an output", WEIGHTS, "array([0.39, 0.69])", "array([0.39, 0.68])", WEIGHTS),
    Fault("a stale figure: the drawing has changed, the notebook has not",
          "bookkit/pictures/shapes.py", "GAP = 2", "GAP = 3", "chapters/notation.ipynb"),
    Fault("an output that is not stored", WEIGHTS, END, "# a sum\n1 + 1",
          f"tests/test_notebooks.py::test_what_a_cell_shows_is_stored[{WEIGHTS}]"),
    Fault("a measured file without its command", "data/measured/translation.json", '"make study"', '"by hand"',
          "tests/test_repository.py::test_what_was_measured_says_what_it_is_and_names_its_command_and_machine"),
    Fault("a picture without words", "chapters/notation.ipynb", "aria-label=", "data-label=",
          "tests/test_notebooks.py::test_pictures_have_words_and_nothing_is_lost_untrusted[chapters/notation.ipynb]"),
    Fault("a chapter missing from the table of contents", "_toc.yml", "      - file: chapters/softmax\n", "",
          "tests/test_notebooks.py::test_toc_names_every_notebook_and_page"),
    # the shape of a page
    Fault("a page past its minutes", DOT, END, "word " * 4000,
          "tests/test_road.py::test_a_page_takes_no_longer_than_its_minutes[chapters/dot_product]"),
    Fault("a silent visible cell", DOT, END, "# nothing\nx = 0", "tests/test_road.py::test_a_visible_cell_shows_something[chapters/dot_product]"),
    Fault("a bold word that is no term", DOT, END, "This is **important** to know.",
          "tests/test_road.py::test_what_is_bold_is_a_term_of_the_page[chapters/dot_product]"),
    Fault("a picture pushed below the fold", CSS, END, ".bd-article h1 { margin-bottom: 60rem !important; }\n",
          page("the_first_picture_is_on_the_first_screen", "chapters/dot_product"), builds=True),
    Fault("a long line of code in a side room", "further/softmax.ipynb", END, "# " + "a long line " * 7,
          "tests/test_road.py::test_a_line_of_visible_code_is_short[further/softmax]"),
    Fault("code too large for its box", CSS, "font-size: 0.85rem;", "font-size: 1.2rem;",
          page("no_line_of_code_runs_off_the_page", "chapters/matrix_form", file="test_road"), builds=True),
    Fault("a claim that no cell settles", "further/dot_product.ipynb", '"claims": [', '"claim": [',
          "tests/test_claims.py::test_every_claim_of_a_chapter_is_settled[chapters/dot_product]"),
    # the rooms
    Fault("an arrow that leads out of the mechanism", "attnkit/scores.py", END, "\nfrom bookkit.pictures import palette  # noqa\n",
          "tests/test_rooms.py::test_arrows_run_one_way"),
    Fault("a requirement that only the book has", "pyproject.toml", '    "array-api-compat>=1.16",\n', '    "array-api-compat>=1.16",\n    "matplotlib>=3.9",\n',
          "tests/test_wheel.py::test_without_extras_the_mechanism_runs_on_numpy_alone"),
    Fault("a road that leads through a side room", "website/book_road.py", "pages = book.road if", "pages = list(book.parents) if",
          "tests/test_site.py::test_the_road_leads_from_chapter_to_chapter", builds=True),
    # exercises
    Fault("an exercise that takes a wrong answer for right", "bookkit/lessons/exercises/basic_attention.py", "within=0.002", "within=2",
          "tests/lessons/test_exercises.py"),
    Fault("two lines to choose from that do the same", "bookkit/lessons/exercises/softmax.py", '"S - S.max()"', '"1 * S"',
          "tests/figures/test_practice.py::test_choices_are_few_and_differ[softmax/rows]"),
    Fault("a hint that is the answer", "chapters/matrix_form.ipynb", "Numbers twice as large make products four times as large.", "It is 0.03125.",
          "tests/lessons/test_exercises.py::test_a_hint_is_not_the_answer[matrix_form/scale]"),
    Fault("a guess that is not kept", "bookkit/figures/practice.js", 'told.querySelector("summary")?.after(note);', "",
          page("a_guess_stands_beside_what_one_should_have_seen", "chapters/softmax", PHONE, "figures/test_practice"), builds=True),
    Fault("answers that are forgotten on the next page", "website/static/progress.js", "kept.version === VERSION", "kept.version !== VERSION",
          "tests/figures/test_practice.py::test_how_far_a_reader_has_come_is_kept[http]", builds=True),
    # figures
    Fault("wrong arithmetic in a figure's script", CORE, SOFTMAX, "return shares.map((v) => v / (total + 1e-6));",
          "tests/figures/test_alignment.py::test_alignment_arithmetic"),
    Fault("keys kept of a story that has changed", "bookkit/figures/model.js", "word !== known[place]", "place >= known.length",
          "tests/figures/test_story_writer.py::test_a_story_by_hand"),
    Fault("each word read out while a story is written", "bookkit/figures/story_writer.js", "if (!frames.runs()) figure.say", "if (true) figure.say",
          "tests/figures/test_story_writer.py::test_a_story_writes_itself_until_it_is_stopped"),
    Fault("lines that stay where they were in another window", "bookkit/figures/sentence_translator.js", "watch.observe(node)", "watch.unobserve(node)",
          "tests/figures/test_sentence_translator.py::test_lines_lead_from_word_to_word"),
    Fault("a dead control", "bookkit/figures/alignment.js", "figure.put({ selected: i })", "figure.put({})",
          figures_on("every_control_changes_something_by_keyboard", "index", PHONE), builds=True),
    Fault("a reset that does not lead back", CORE, 'this.put(this.get("defaults"));', "this.put({});",
          figures_on("every_control_changes_something_by_keyboard", "index", PHONE), builds=True),
    Fault("a finger that drags scrolls the page", CORE, "held && event.cancelable", "false",
          figures_on("a_finger_that_drags_does_not_scroll", "chapters/score_functions", PHONE), builds=True),
    Fault("each button of a group is a stop", CORE, "button.tabIndex = -1;", "",
          figures_on("a_group_of_buttons_is_one_stop", "chapters/cost"), builds=True),
    Fault("a script that is not in shape", CORE, END, "\nlet unused = 1\n", "tests/test_repository.py::test_style"),
    Fault("a figure that does too much work", CORE, SOFTMAX, f"for (let k = 0; k < 3e4; k++) {{ void k; }} {SOFTMAX}",
          figures_on("operations", "index"), builds=True),
    Fault("a script error", CORE, END, "\nattnkit.nothing.at.all();\n", page("loads_cleanly", "index"), builds=True),
    # pages
    Fault("contrast in the dark", CSS, ".ak-time {\n    color: var(--ak-quiet);", ".ak-time {\n    color: #555;",
          page("accessible", "chapters/notation", PHONE), builds=True),
    Fault("a figure that stays light when the page turns dark", CORE, 'attributeFilter: ["data-theme"', 'attributeFilter: ["data-nothing"',
          page("the_theme_is_changed", "chapters/notation"), builds=True),
    Fault("a button too small for a thumb", CSS, END, ".ak-figure button { min-height: 0 !important; height: 15px !important; padding: 0 !important; }\n",
          page("touch", "chapters/queries_keys_values", PHONE, "figures/test_on_the_page"), builds=True),
    Fault("an outside request", CSS, END, "body { background-image: url('https://example.org/x.png'); }\n", page("loads_cleanly", "index"), builds=True),
    Fault("a page wider than a phone", CSS, END, ".bd-article p { min-width: 50rem; }\n", page("loads_cleanly", "index", PHONE), builds=True),
    Fault("a page over its weight", INDEX, END, " ".join(f"{k * 7919 % 1000003:x}" for k in range(40000)), page("weight", "index"), builds=True),
    Fault("a script that blocks the page", "website/book_site.py", 'script.attributes["defer"] = "defer"', "pass",
          "tests/test_site.py::test_nothing_blocks[index]", builds=True),
    Fault("an icon that the cut font lacks", "website/book_fonts.py", "points | {0x20}", "set(sorted(points)[::2]) | {0x20}",
          page("a_page_as_one_looks_at_it", "index"), builds=True),
    Fault("contents buttons that the theme's scripts do not find", "website/templates/toggle-primary-sidebar.html", '<span class="primary-toggle">', "<span>",
          "tests/test_hands.py::test_the_contents_open_and_close[360]", builds=True),
    Fault("a page that dies where storage is refused", "website/templates/layout.html", "Object.defineProperty(window, name, { value, configurable: true });", "",
          "tests/test_hands.py::test_a_phone_without_storage_reaches_every_chapter", builds=True),
    Fault("a list of chapters that stays where it was", "website/static/contents.js", "list.scrollTop += here.top", "list.scrollTop += 0 * here.top",
          "tests/test_hands.py::test_the_list_of_chapters_shows_where_one_is", builds=True),
    Fault("a focus that is not seen", CSS, "outline: 3px solid var(--ak-ink) !important", "outline: none !important",
          "tests/test_hands.py::test_the_focus_is_seen_wherever_the_tab_key_leads", builds=True),
    Fault("a formula that is copied in both its forms", "website/static/contents.js", "one.replaceWith(`", "one.after(`",
          "tests/test_hands.py::test_a_formula_is_copied_as_its_tex_once", builds=True),
    Fault("a 404 page that does not rest", "website/templates/missing.html", "return here === location.pathname || location.replace(here);", "return location.replace(here);",
          "tests/test_hands.py::test_a_wrong_address_rests_on_a_host_with_short_addresses", builds=True),
    # links, and what leads to a place
    Fault("a link to a place that is not there", "website/book_reference.py", "bibliography.html#{key}", "bibliography.html#{key}x",
          "tests/test_site.py::test_local_links_lead_somewhere", builds=True),
    Fault("a link to a page that is not there", INDEX, END, "[More](chapters/nothing.ipynb)", BUILD),
    Fault("an unknown citation", INDEX, END, "[Nobody](chapters/bibliography.md#nobody2099)", BUILD),
    Fault("LaTeX that does not parse", INDEX, END, r"So $\frac{1}{2$ it is.", BUILD),
    Fault("a search that ranks a mention like a definition", "website/search/search.js", "defines: 10, tells: 4", "defines: 0.01, tells: 0.01",
          "tests/test_found.py::test_what_learners_type_finds_its_section_among_the_first_three", builds=True),
    Fault("a term that is a link where it is defined", "website/book_terms.py", "road[:road.index(main)]", "road[:road.index(main) + 1]",
          "tests/test_found.py::test_terms_lead_to_the_glossary_once_a_page", builds=True),
    Fault("an address that moved and leads nowhere", "_config.yml", "01_weights: weights.html", "01_weights: weight.html",
          "tests/test_found.py::test_addresses_that_moved_lead_on", builds=True),
    # homework, the repository
    Fault("a solution in the homework", "tools/homework.py", "cells.append(code(question.code))", "cells.append(code(question.solution))",
          "tests/test_homework.py::test_nothing_gives_the_solution_away"),
    Fault("a grader that finds all right", "tools/handed_in.py", '"right" if verdict == RIGHT', '"right" if verdict',
          "tests/test_grade.py::test_what_is_said_of_each_file"),
    Fault("a version out of step with the lock", "environment.yml", "numpy==2.4", "numpy==2.3",
          "tests/test_repository.py::test_environment_for_binder_is_that_of_the_lock"),
    Fault("a make that forgets its options", "Makefile", "book.py $@ $(OPTIONS)", "book.py $@",
          "tests/test_repository.py::test_make_hands_everything_to_the_tasks"),
    Fault("a notebook that is taken over although a module far down has changed", "website/executed.py", ".union(filter(None, modules))", "",
          "tests/test_build.py::test_the_note_holds_what_was_right_and_no_more"),
    Fault("a notebook that is taken over although it failed", "tests/conftest.py", '== {"passed": len(executed.cells(name))}', "!= {}",
          "tests/test_build.py::test_the_note_holds_what_was_right_and_no_more"),
    Fault("a site that is gone before the next one stands", "tools/book.py", "    sphinx(inputs, pages)\n", "    remove(SITE)\n    sphinx(inputs, pages)\n",
          "tests/test_build.py::test_the_last_site_stays_until_the_new_one_stands_and_sphinx_keeps_what_it_knows"),
    Fault("a page that fails to build is taken for built", "tools/book.py", "        for name in changed:      #", "        for name in ():      #",
          "tests/test_build.py::test_the_last_site_stays_until_the_new_one_stands_and_sphinx_keeps_what_it_knows"),
    Fault("a document that names what is not there", "CONTRIBUTING.md", END, "\nSee `tools/nothing.py`.\n",
          "tests/test_repository.py::test_documents_name_what_exists"),
]


class Copy:
    """A copy of the book with the built site in it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        shutil.copytree(ROOT, self.folder, ignore=NOT_COPIED)
        for name in (".venv", "tests/node_modules", "website/node_modules"):
            (self.folder / name).symlink_to(ROOT / name)
        self.site()

    def site(self):
        """Bring the site of the book as it is."""
        shutil.rmtree(self.folder / "_build", ignore_errors=True)
        shutil.copytree(ROOT / SITE, self.folder / SITE)

    def run(self, *command):
        """Run a command in the copy, with the copy's package; the exit code and what was printed."""
        env = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1",
               "PYTHONHASHSEED": "0"}
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def asks(self, *catchers):
        """Run tests and notebooks."""
        return self.run(sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env", *catchers)

    def catches(self, fault):
        """Plant, build if need be, run the catcher, take the fault out again; whether it was caught, and what was said."""
        file = self.folder / fault.file
        before = file.read_text(encoding="utf-8")
        file.write_text(planted(fault, before), encoding="utf-8")
        try:
            if fault.builds or fault.catcher == BUILD:
                shutil.rmtree(self.folder / "_build")
                code, said = self.run(*book.BUILD)
                if code or fault.catcher == BUILD:
                    return bool(code) and fault.catcher == BUILD and "warning" in said.lower(), said
            code, said = self.asks(fault.catcher)
            return code == 1, said           # 1: a test failed; anything else is a mistake of this file
        finally:
            file.write_text(before, encoding="utf-8")
            if fault.builds or fault.catcher == BUILD:
                self.site()


def missed(copy, faults):
    """Plant these faults in one copy and say what came of each; the names of those that nobody caught."""
    found = []
    for fault in faults:
        caught, said = copy.catches(fault)
        print(f"{'caught    ' if caught else 'NOT caught'}  {fault.name}  ({fault.catcher})" + ("" if caught else f"\n{said[-3000:]}"), flush=True)
        found += [] if caught else [fault.name]
    return found


def main():
    """In two copies, which go when it ends or is interrupted: where nothing is planted, then every fault that is wanted."""
    faults = [fault for fault in FAULTS if " ".join(sys.argv[1:]) in fault.name]
    with tempfile.TemporaryDirectory(prefix="faults-") as folder, ThreadPoolExecutor(2) as pool:
        copies = [Copy(f"{folder}/{k}") for k in (1, 2)]
        catchers = {fault.catcher for fault in faults} - {BUILD}
        code, said = copies[0].asks(*sorted(catchers)) if catchers else (0, "")
        if code:
            sys.exit(f"with nothing planted, what should pass FAILS\n{said[-6000:]}")
        found = sum(pool.map(missed, copies, (faults[::2], faults[1::2])), [])
    print(f"{len(faults)} faults, {len(faults) - len(found)} caught")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
