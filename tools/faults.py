"""Plant faults in a copy of the book, one at a time, and see whether the test that should catch each one does.

    CHROMIUM=/path/to/chromium python -m tools.faults [words of a fault's name]

Each fault names what is changed, the test that must fail, and whether the site has to be built anew before.  First
every catcher runs where nothing is planted, and must pass.  Two copies are at work side by side, in a folder of the
system's for what is temporary: the book itself is not touched.
"""

import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tools import book
from website import toc

ROOT = Path(__file__).resolve().parent.parent
SITE = Path("_build") / "html"
NOT_COPIED = shutil.ignore_patterns("_build", ".venv", ".git", "node_modules", "__pycache__", "*.egg-info", ".ipynb_checkpoints")
BUILD = "the build"


# ---- ways to plant

def change(file, old, new, folder):
    """Put one text in the place of another, which must be there."""
    text = (folder / file).read_text(encoding="utf-8")
    if old not in text:
        raise LookupError(f"{file} does not hold {old!r} any more: mend the fault")
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")


def append(file, text, folder):
    """Add to the end of a file."""
    with (folder / file).open("a", encoding="utf-8") as out:
        out.write(text)


def in_notebook(slug, alter, folder):
    """Change a notebook's cells."""
    path = folder / f"{toc.chapter(slug) or slug}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    alter(notebook["cells"])
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def strip(cells):
    """Take every output away, as a careless tool does."""
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["outputs"] = []


def wrong_number(cells):
    """Change the first decimal that a cell has printed or returned."""
    for cell in cells:
        for output in cell.get("outputs", []):
            for lines in (output.get("text"), output.get("data", {}).get("text/plain")):
                for k, line in enumerate(lines or []):
                    if found := re.search(r"\d\.\d", line):
                        lines[k] = f"{line[:found.end() - 1]}{(int(found[0][-1]) + 1) % 10}{line[found.end():]}"
                        return
    raise LookupError("no decimal in any output: mend the fault")


def silence_pictures(cells):
    """Take the words of the first picture away."""
    for cell in cells:
        for output in cell.get("outputs", []):
            html = output.get("data", {}).get("text/html", [])
            for k, line in enumerate(html):
                if "aria-label=" in line and "<svg" in line:
                    html[k] = line.replace("aria-label=", "data-label=")
                    return
    raise LookupError("no picture with words: mend the fault")


def text_cell(text):
    """A cell of text more, at the end."""
    def alter(cells):
        cells.append({"cell_type": "markdown", "id": "planted", "metadata": {}, "source": [text]})
    return alter


def push_down(cells):
    """A long text between a page's title and its first picture."""
    text_cell("\n\n".join(["Before anything can be seen, much has to be said. " * 10] * 5))(cells)
    cells.insert(1, cells.pop())


def silent(cells):
    """A cell in sight that shows nothing."""
    cells.append({"cell_type": "code", "id": "planted", "metadata": {}, "execution_count": 99, "source": ["nothing = 0"], "outputs": []})


def long_line(cells):
    """A line of code in sight that no box holds."""
    code = next(cell for cell in cells if cell["cell_type"] == "code" and not cell["metadata"].get("tags"))
    code["source"].insert(0, "# " + "a long line " * 7 + "\n")


def untag(cells):
    """Let cells no longer say which claims they settle."""
    for cell in cells:
        cell["metadata"].pop("claims", None)


def unrepeatable(cells):
    """A cell that prints something else at each run."""
    cells.append({"cell_type": "code", "id": "planted", "metadata": {}, "execution_count": 99,
                  "source": ["import time\n", "print(time.time_ns())"],
                  "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]})


# ---- who catches

def page(question, name, theme="light", width=1280, file="tests/test_site.py"):
    """A question that tests/test_site.py, or another file, asks of a page."""
    return f"{file}::test_{question}[{name}, {theme}, {width}]"


figures_on = partial(page, file="tests/figures/test_on_the_page.py")


def road(question, slug):
    """A question that tests/test_road.py asks of a page."""
    return f"tests/test_road.py::test_{question}[{toc.chapter(slug) or slug}]"


def notebook(slug):
    """nbval on one notebook."""
    return f"{toc.chapter(slug) or slug}.ipynb"


class Fault(NamedTuple):
    """What is wrong, how it is planted, who catches it; `builds`: the site is built anew first."""

    name: str
    plant: object
    catcher: str
    builds: bool = False


DARK_PHONE = ("dark", 360)
CORE, CSS, INDEX = "bookkit/figures/core.js", "website/static/book.css", "index"
SOFTMAX = "return shares.map((v) => v / total);"
FAULTS = [
    # notebooks
    Fault("a wrong number in an output", partial(in_notebook, "weights", wrong_number), notebook("weights")),
    Fault("a stale figure: the drawing has changed, the notebook has not",
          partial(change, "bookkit/pictures/shapes.py", "GAP = 2", "GAP = 3"), notebook("notation")),
    Fault("a notebook stripped of its outputs", partial(in_notebook, "dot_product", strip),
          f"tests/test_notebooks.py::test_what_a_cell_shows_is_stored[{notebook('dot_product')}]"),
    Fault("a changed seed", partial(change, "further/matrix_form.ipynb", "default_rng(0)", "default_rng(1)"),
          "further/matrix_form.ipynb"),
    Fault("other random numbers in the figure that trains than in the notebook",
          partial(change, CORE, "state >>> 17", "state >>> 16"),
          "tests/figures/test_matrix_trainer.py::test_fifty_steps_are_those_of_the_notebook"),
    Fault("an output that differs between runs", partial(in_notebook, "weights", unrepeatable), notebook("weights")),
    Fault("a measured number that its file does not hold", partial(change, "data/measured/bench.json", '"pairs": ', '"pairs": 9'),
          notebook("matrix_form")),
    Fault("a measured file without its command", partial(change, "data/measured/translation.json", '"make study"', '"by hand"'),
          "tests/test_repository.py::test_what_was_measured_says_what_it_is_and_names_its_command_and_machine"),
    Fault("progress written under nbval", partial(change, "bookkit/lessons/progress.py", '"PYTEST_VERSION" in os.environ or ', ""),
          "tests/lessons/test_progress.py::test_progress_bar_shows_for_a_person_only"),
    Fault("a picture without words", partial(in_notebook, "notation", silence_pictures),
          f"tests/test_notebooks.py::test_pictures_have_words_and_nothing_is_lost_untrusted[{notebook('notation')}]"),
    Fault("a chapter missing from the table of contents",
          partial(change, "_toc.yml", f"      - file: {toc.chapter('softmax')}\n", ""),
          "tests/test_notebooks.py::test_toc_names_every_notebook_and_page"),
    # the shape of a page
    Fault("a page past its minutes", partial(in_notebook, "dot_product", text_cell("word " * 4000)),
          road("a_page_takes_no_longer_than_its_minutes", "dot_product")),
    Fault("a silent visible cell", partial(in_notebook, "dot_product", silent), road("a_visible_cell_shows_something", "dot_product")),
    Fault("a bold word that is no term", partial(in_notebook, "dot_product", text_cell("This is **important** to know.")),
          road("what_is_bold_is_a_term_of_the_page", "dot_product")),
    Fault("a term that its page does not define", partial(change, "data/terms.yml", "slug: dot_product", "slug: softmax"),
          road("a_term_is_bold_once_on_its_page", "softmax")),
    Fault("a picture pushed below the fold", partial(in_notebook, "dot_product", push_down),
          page("the_first_picture_is_on_the_first_screen", toc.chapter("dot_product")), builds=True),
    Fault("a long line of code in a side room", partial(in_notebook, "further/softmax", long_line),
          road("a_line_of_visible_code_is_short", "further/softmax")),
    Fault("code too large for its box", partial(change, CSS, "font-size: 0.85rem;", "font-size: 1.2rem;"),
          "tests/test_road.py::test_no_line_of_code_runs_off_the_page[chapters/matrix_form, light, 1280]", builds=True),
    Fault("a claim that no cell settles", partial(in_notebook, "further/dot_product", untag),
          f"tests/test_claims.py::test_every_claim_of_a_chapter_is_settled[{toc.chapter('dot_product')}]"),
    # the rooms
    Fault("an arrow that leads out of the mechanism", partial(append, "attnkit/scores.py", "\nfrom bookkit.pictures import palette  # noqa\n"),
          "tests/test_rooms.py::test_arrows_run_one_way"),
    Fault("a requirement that only the book has", partial(change, "pyproject.toml", '    "array-api-compat>=1.16",\n', '    "array-api-compat>=1.16",\n    "matplotlib>=3.9",\n'),
          "tests/test_wheel.py::test_without_extras_the_mechanism_runs_on_numpy_alone"),
    Fault("a road that leads through a side room", partial(change, "website/book_road.py", "pages = book.road if", "pages = list(book.parents) if"),
          "tests/test_site.py::test_the_road_leads_from_chapter_to_chapter", builds=True),
    # the mechanism
    Fault("the wrong mask convention: True = may not attend",
          partial(change, "attnkit/mechanism.py", "xp.where(mask, scores, -math.inf)", "xp.where(mask, -math.inf, scores)"),
          "tests/test_attention.py"),
    Fault("transposed weights", partial(change, "attnkit/mechanism.py", "    return output, weights        ",
                                        "    return output, xp.matrix_transpose(weights)        "), "tests/test_attention.py"),
    Fault("scores divided by d, not by its root",
          partial(change, "attnkit/mechanism.py", "1 / math.sqrt(q.shape[-1])", "1 / q.shape[-1]"),
          "tests/test_attention.py"),
    Fault("before and after exchanged in a relative bias",
          partial(change, "attnkit/positions.py", "np.arange(m)[None, :] - (np.arange(n)[:, None] + m - n)", "(np.arange(n)[:, None] + m - n) - np.arange(m)[None, :]"),
          "tests/test_attention.py::test_relative_bias"),
    Fault("an exercise that takes a wrong answer for right",
          partial(change, "bookkit/lessons/exercises/basic_attention.py", "within=0.002", "within=2"), "tests/lessons/test_exercises.py"),
    Fault("an exercise whose page takes a nearly right answer for right", partial(change, "bookkit/figures/practice.js", "<= within ? [] : [k]", "<= 2 ? [] : [k]"),
          "tests/figures/test_practice.py::test_page_and_python_say_the_same_of_what_is_typed"),
    Fault("a page that says of one line what is true of another", partial(change, "bookkit/figures/practice.js", "at * length + Number(answer[k])", "at * length + Number(answer[0])"),
          "tests/figures/test_practice.py::test_page_and_python_say_the_same_of_what_is_chosen[softmax/rows]"),
    Fault("two lines to choose from that do the same", partial(change, "bookkit/lessons/exercises/softmax.py", '"S - S.max()"', '"1 * S"'),
          "tests/figures/test_practice.py::test_choices_are_few_and_differ[softmax/rows]"),
    Fault("a hint that is the answer", partial(change, "chapters/matrix_form.ipynb", "Numbers twice as large make products four times as large.", "It is 0.03125."),
          "tests/lessons/test_exercises.py::test_a_hint_is_not_the_answer[matrix_form/scale]"),
    Fault("a guess that is not kept", partial(change, "bookkit/figures/practice.js", "told.querySelector(\"summary\")?.after(note);", ""),
          "tests/figures/test_practice.py::test_a_guess_stands_beside_what_one_should_have_seen[chapters/softmax, dark, 360]", builds=True),
    Fault("answers that are forgotten on the next page", partial(change, "website/static/progress.js", "kept.version === VERSION", "kept.version !== VERSION"),
          "tests/figures/test_practice.py::test_how_far_a_reader_has_come_is_kept[http]", builds=True),
    # pictures
    Fault("the wrong lit cell in a picture",
          partial(change, "bookkit/pictures/shapes.py", "(left + j * step, step)", "(left + (d - 1 - j) * step, step)"),
          "tests/pictures/test_draw.py"),
    Fault("a missing name on an axis of squares",
          partial(change, "bookkit/pictures/draw.py", "for j, name in enumerate(column_names or []):", "for j, name in enumerate([]):"),
          "tests/pictures/test_draw.py"),
    Fault("a missing name on an axis of a plot", partial(change, "bookkit/pictures/plots.py", "xlabel=axis_names[0], ", ""),
          "tests/pictures/test_plots.py"),
    Fault("feet of perpendiculars in the wrong place",
          partial(change, "bookkit/pictures/plots.py", "feet = np.outer(points @ unit, unit)", "feet = np.outer(points @ arrow, unit)"),
          "tests/pictures/test_plots.py"),
    Fault("bars of all rows on one scale", partial(change, "bookkit/pictures/charts.py", "np.abs(x[r]).max() if vmax is None", "np.abs(x).max() if vmax is None"),
          "tests/pictures/test_charts.py::test_bars_are_as_tall_as_their_numbers"),
    Fault("a stage left out of the pipeline: scores that are not scaled",
          partial(change, "bookkit/pictures/pipelines.py", "scaled = scores / np.sqrt(len(q))", "scaled = scores / 1"),
          "tests/pictures/test_pipelines.py::test_pipeline_shows_what_attention_computes"),
    Fault("a wrong shape below a matrix", partial(change, "bookkit/pictures/draw.py", "_shape(x, False)", "_shape(x.T, False)"),
          "tests/pictures/test_draw.py::test_product_writes_the_shapes"),
    Fault("weights in a graph that has not come to them", partial(change, "bookkit/pictures/pipelines.py", 'until != "scores"', "True"),
          "tests/pictures/test_pipelines.py::test_attention_graph_grows"),
    Fault("a framed query whose output is not framed",
          partial(change, "bookkit/pictures/matrices.py", "self.made.at(x1, y1, lit)", "self.made.at(x1, y1)"),
          "tests/pictures/test_matrices.py::test_head_frames_one_query_all_the_way"),
    Fault("heads side by side in the wrong order", partial(change, "bookkit/pictures/heads.py", "np.concatenate(self.outputs, axis=1)", "np.concatenate(self.outputs[::-1], axis=1)"),
          "tests/pictures/test_heads.py"),
    Fault("heads of a dense layer drawn with each other's blocks", partial(change, "bookkit/pictures/equivalence.py", "self.blocks[i][:, None]", "self.blocks[-1 - i][:, None]"),
          "tests/pictures/test_equivalence.py::test_a_dense_layer_and_its_heads_make_the_same_of_the_same_blocks"),
    Fault("a drawn head that looks the other way than its number of the kernel", partial(change, "bookkit/pictures/equivalence.py", "dot, self.seen[a, b])", "dot, self.seen[2 - a, 2 - b])"),
          "tests/pictures/test_equivalence.py::test_nine_heads_look_one_step_away"),
    Fault("a drawn convolution whose left and right are exchanged",
          partial(change, "bookkit/pictures/equivalence.py", "np.arange(n) - np.arange(n)[:, None]", "np.arange(n)[:, None] - np.arange(n)"),
          "tests/pictures/test_equivalence.py::test_what_is_learned_for_each_pair_and_what_is_shared"),
    # figures
    Fault("wrong arithmetic in a figure's script", partial(change, CORE, SOFTMAX, "return shares.map((v) => v / (total + 1e-6));"),
          "tests/figures/test_alignment.py::test_alignment_arithmetic"),
    Fault("a mask that hides after the softmax", partial(change, "bookkit/figures/mask_builder.js", "allowed[j] ? score : -Infinity", "allowed[j] ? score : 0"),
          "tests/figures/test_mask_builder.py::test_mask_builder_arithmetic"),
    Fault("a bill whose window looks to one side only", partial(change, "bookkit/figures/attention_bill.js", "2 * window + 1) : length) * width", "window + 1) : length) * width"),
          "tests/figures/test_attention_bill.py::test_attention_bill_arithmetic"),
    Fault("a figure that counts distances the wrong way round", partial(change, "bookkit/figures/position_pairs.js", "const distance = key - query;", "const distance = query - key;"),
          "tests/figures/test_position_pairs.py::test_position_pairs_arithmetic"),
    Fault("a path that is drawn over a connection which there is not", partial(change, "bookkit/figures/sequence_paths.js", "to === path[0] && far[from] >= 0 && ", ""),
          "tests/figures/test_sequence_paths.py::test_sequence_paths_arithmetic"),
    Fault("a dilated convolution that looks as far back in each layer", partial(change, "bookkit/pictures/graphs.py", '"dilated": (2 ** (level - 1), 0)', '"dilated": (1, 0)'),
          "tests/figures/test_sequence_paths.py::test_paths_are_as_long_as_formulas_say"),
    Fault("keys kept of a story that has changed", partial(change, "bookkit/figures/model.js", "word !== known[place]", "place >= known.length"),
          "tests/figures/test_story_writer.py::test_a_story_by_hand"),
    Fault("a bias that counts the places the wrong way round", partial(change, "bookkit/figures/model.js", "reach - Math.min(reach, i - j)", "Math.min(reach, i - j)"),
          "tests/figures/test_story_writer.py::test_story_writer_arithmetic"),
    Fault("a seed that is not heeded", partial(change, "bookkit/figures/story_writer.js", "attnkit.random(state.seed, ", "attnkit.random(0, "),
          "tests/figures/test_story_writer.py::test_the_same_seed_writes_the_same_story_in_both_languages"),
    Fault("a step that reads the whole story again", partial(change, "bookkit/figures/model.js", "let i = first; i <", "let i = 0; i <"),
          "tests/figures/test_story_writer.py::test_a_step_costs_one_place"),
    Fault("each word read out while a story is written", partial(change, "bookkit/figures/story_writer.js", "if (!frames.runs()) figure.say", "if (true) figure.say"),
          "tests/figures/test_story_writer.py::test_a_story_writes_itself_until_it_is_stopped"),
    Fault("a score whose origin leaves the root out", partial(change, "bookkit/figures/machine.js", "/ Math.sqrt(size);", ";"),
          "tests/figures/test_machine.py::test_every_number_is_that_of_python_and_the_sum_of_its_terms"),
    Fault("a trail that does not lead back", partial(change, "bookkit/figures/machine.js", "trail: trail.slice(0, k + 1)", "trail"),
          "tests/figures/test_machine.py::test_from_an_answer_to_the_table_of_word_vectors"),
    Fault("a part put in the place of another head", partial(change, "bookkit/figures/model.js", "set(vector, part * vector.length)", "set(vector, 0)"),
          "tests/figures/test_part_mover.py::test_changed_and_patched_runs_are_the_same_in_the_page"),
    Fault("a part that stays when it is moved back", partial(change, "bookkit/figures/model.js", "known = numbers.slice(0, -1);", ""),
          "tests/figures/test_part_mover.py::test_one_head_flips_the_answer"),
    Fault("a new state whose old part is not reset", partial(change, "bookkit/figures/model.js", "given[2 * n + k] + reset * kept", "given[2 * n + k] + kept"),
          "tests/figures/test_sentence_translator.py::test_sentence_translator_arithmetic"),
    Fault("words kept of a sentence that has changed", partial(change, "bookkit/figures/model.js", "String(numbers) !== known?.read", "!known"),
          "tests/figures/test_sentence_translator.py::test_a_sentence_by_keyboard"),
    Fault("lines that stay where they were in another window", partial(change, "bookkit/figures/sentence_translator.js", "watch.observe(node)", "watch.unobserve(node)"),
          "tests/figures/test_sentence_translator.py::test_lines_lead_from_word_to_word"),
    Fault("a dead control", partial(change, "bookkit/figures/alignment.js", "figure.put({ selected: i })", "figure.put({})"),
          figures_on("every_control_changes_something_by_keyboard", INDEX, *DARK_PHONE), builds=True),
    Fault("a reset that does not lead back", partial(change, CORE, 'this.put(this.get("defaults"));', "this.put({});"),
          figures_on("every_control_changes_something_by_keyboard", INDEX, *DARK_PHONE), builds=True),
    Fault("a figure's script that no page loads", partial(change, "website/book_site.py", 'for name in ["core", *needed] if kinds', 'for name in ["core"] if kinds'),
          page("loads_cleanly", INDEX), builds=True),
    Fault("a trait of another name", partial(change, "bookkit/figures/dense_heads.js", 'trait: "sharpness"', 'trait: "sharpnes"'),
          "tests/test_repository.py::test_types"),
    Fault("a finger that drags scrolls the page", partial(change, CORE, "held && event.cancelable", "false"),
          "tests/figures/test_on_the_page.py::test_a_finger_that_drags_does_not_scroll[chapters/score_functions, dark, 360]", builds=True),
    Fault("each button of a group is a stop", partial(change, CORE, "button.tabIndex = -1;", ""),
          "tests/figures/test_on_the_page.py::test_a_group_of_buttons_is_one_stop[chapters/cost, light, 1280]", builds=True),
    Fault("contents buttons that the theme's scripts do not find",
          partial(change, "website/templates/toggle-primary-sidebar.html", '<span class="primary-toggle">', "<span>"),
          "tests/test_hands.py::test_the_contents_open_and_close[360]", builds=True),
    Fault("a script that is not in shape", partial(append, CORE, "\nlet unused = 1\n"), "tests/test_repository.py::test_style"),
    Fault("a figure that does too much work", partial(change, CORE, SOFTMAX, f"for (let k = 0; k < 3e4; k++) {{ void k; }} {SOFTMAX}"),
          figures_on("operations", INDEX), builds=True),
    Fault("a script error", partial(append, CORE, "\nattnkit.nothing.at.all();\n"), page("loads_cleanly", INDEX), builds=True),
    # pages
    Fault("contrast", partial(change, CSS, ".ak-time {\n    color: var(--ak-quiet);", ".ak-time {\n    color: #9ab;"),
          page("accessible", "chapters/notation"), builds=True),
    Fault("contrast in the dark", partial(change, CSS, ".ak-time {\n    color: var(--ak-quiet);", ".ak-time {\n    color: #555;"),
          page("accessible", "chapters/notation", *DARK_PHONE), builds=True),
    Fault("a figure that stays light when the page turns dark", partial(change, CORE, "attributeFilter: [\"data-theme\"", "attributeFilter: [\"data-nothing\""),
          page("the_theme_is_changed", "chapters/notation"), builds=True),
    Fault("a button too small for a thumb", partial(append, CSS, ".ak-figure button { min-height: 0 !important; height: 15px !important; padding: 0 !important; }\n"),
          page("accessible", "chapters/queries_keys_values", *DARK_PHONE), builds=True),
    Fault("an outside request", partial(append, CSS, "body { background-image: url('https://example.org/x.png'); }\n"),
          page("loads_cleanly", INDEX), builds=True),
    Fault("a page wider than a phone", partial(append, CSS, ".bd-article p { min-width: 50rem; }\n"),
          page("loads_cleanly", INDEX, *DARK_PHONE), builds=True),
    Fault("a page over its weight", partial(in_notebook, INDEX, text_cell(" ".join(f"{k * 7919 % 1000003:x}" for k in range(40000)))),
          page("weight", INDEX), builds=True),
    Fault("a script that blocks the page", partial(change, "website/book_site.py", 'script.attributes["defer"] = "defer"', "pass"),
          f"tests/test_site.py::test_nothing_blocks[{INDEX}]", builds=True),
    Fault("an icon that the cut font lacks", partial(change, "website/book_fonts.py", "points | {0x20}", "set(sorted(points)[::2]) | {0x20}"),
          page("icons_are_in_the_cut_font", INDEX), builds=True),
    Fault("a link to a place that is not there", partial(change, "website/book_reference.py", "bibliography.html#{key}", "bibliography.html#{key}x"),
          "tests/test_site.py::test_local_links_lead_somewhere", builds=True),
    Fault("a link to a page that is not there", partial(in_notebook, INDEX, text_cell("[More](chapters/nothing.ipynb)")), BUILD),
    Fault("an unknown citation", partial(in_notebook, INDEX, text_cell("[Nobody](chapters/bibliography.md#nobody2099)")), BUILD),
    Fault("LaTeX that does not parse", partial(in_notebook, INDEX, text_cell(r"So $\frac{1}{2$ it is.")), BUILD),
    # the back matter, and what leads to it
    Fault("a search that ranks a mention like a definition", partial(change, "website/search/search.js", "defines: 10, tells: 4", "defines: 0.01, tells: 0.01"),
          "tests/test_found.py::test_what_learners_type_finds_its_section_among_the_first_three", builds=True),
    Fault("a search that takes slips of the finger for words", partial(change, "website/search/search.js", "const question = corrected(typed.slice(0, LONGEST))", "const question = typed"),
          "tests/test_found.py::test_symbols_names_spellings_and_slips", builds=True),
    Fault("a term that is a link where it is defined", partial(change, "website/book_terms.py", "road[:road.index(main)]", "road[:road.index(main) + 1]"),
          "tests/test_found.py::test_terms_lead_to_the_glossary_once_a_page", builds=True),
    Fault("an address that moved and leads nowhere", partial(change, "_config.yml", "01_weights: weights.html", "01_weights: weight.html"),
          "tests/test_found.py::test_addresses_that_moved_lead_on", builds=True),
    Fault("an old picture in the gallery", partial(append, "bookkit/figures/alignment.css", "\n.ak-new { color: red; }\n"),
          "tests/test_back_matter.py::test_the_gallery_has_every_figure_and_a_picture_of_it_as_it_is_now"),
    Fault("a session that is too long", partial(change, "reference/teaching.md", "25 minutes", "35 minutes"),
          "tests/test_back_matter.py::test_the_sessions_of_the_plan_are_of_ninety_minutes_and_name_every_page_of_the_road"),
    Fault("a solution in the homework", partial(change, "tools/homework.py", "cells.append(code(question.code))", "cells.append(code(question.solution))"),
          "tests/test_homework.py::test_nothing_gives_the_solution_away"),
    Fault("a grader that finds all right", partial(change, "tools/handed_in.py", '"right" if verdict == RIGHT', '"right" if verdict'),
          "tests/test_grade.py::test_what_is_said_of_each_file"),
    # the repository
    Fault("a version out of step with the lock", partial(change, "environment.yml", "numpy==2.4", "numpy==2.3"),
          "tests/test_repository.py::test_environment_for_binder_is_that_of_the_lock"),
    Fault("a make target in a second place", partial(append, "Makefile", "\nbench:\n\tpython3 -m tools.bench\n"),
          "tests/test_repository.py::test_make_hands_everything_to_the_tasks"),
    Fault("a make that forgets its options", partial(change, "Makefile", "book.py $@ $(OPTIONS)", "book.py $@"),
          "tests/test_repository.py::test_make_hands_everything_to_the_tasks"),
    Fault("a study under a limit that is too short", partial(change, ".github/workflows/weekly.yml", "timeout-minutes: 240", "timeout-minutes: 60"),
          "tests/test_repository.py::test_what_takes_long_runs_every_week"),
    Fault("a notebook that is taken over although a module far down has changed", partial(change, "website/executed.py", ".union(filter(None, modules))", ""),
          "tests/test_build.py::test_the_note_holds_what_was_right_and_no_more"),
    Fault("a notebook that is taken over although it failed", partial(change, "tests/conftest.py", '== {"passed": len(executed.cells(name))}', "!= {}"),
          "tests/test_build.py::test_the_note_holds_what_was_right_and_no_more"),
    Fault("a page that dies where storage is refused",
          partial(change, "website/templates/layout.html", "Object.defineProperty(window, name, { value, configurable: true });", ""),
          "tests/test_hands.py::test_a_phone_without_storage_reaches_every_chapter", builds=True),
    Fault("a list of chapters that stays where it was", partial(change, "website/static/contents.js", "list.scrollTop += here.top", "list.scrollTop += 0 * here.top"),
          "tests/test_hands.py::test_the_list_of_chapters_shows_where_one_is", builds=True),
    Fault("a focus that is not seen", partial(change, "website/static/book.css", "outline: 3px solid var(--ak-ink) !important", "outline: none !important"),
          "tests/test_hands.py::test_the_focus_is_seen_wherever_the_tab_key_leads", builds=True),
    Fault("a formula that is copied in both its forms", partial(change, "website/static/contents.js", "one.replaceWith(`", "one.after(`"),
          "tests/test_hands.py::test_a_formula_is_copied_as_its_tex_once", builds=True),
    Fault("a 404 page that does not rest", partial(change, "website/templates/missing.html", "return here === location.pathname || location.replace(here);", "return location.replace(here);"),
          "tests/test_hands.py::test_a_wrong_address_rests_on_a_host_with_short_addresses", builds=True),
    Fault("a wrong repository address", partial(change, "website/addresses.py", r"(?:\.git)?/?", "/?"),
          "tests/test_build.py::test_repository_from_the_remote"),
    Fault("an address of the site in two forms", partial(change, "website/addresses.py", 'given.rstrip("/") + "/"', "given"),
          "tests/test_build.py::test_the_address_of_the_site_has_one_form"),
    Fault("another folder's environment", partial(change, "tools/book.py", "{sys.version} {ROOT}", "{sys.version}"),
          "tests/test_build.py::test_an_environment_is_made_anew_where_it_is_not_its_folders_own"),
    Fault("another folder's package", partial(change, "tools/book.py", """os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *others])""", "pass"),
          "tests/test_build.py::test_notebooks_of_a_copy_are_executed_with_its_package"),
    Fault("a reader's own settings", partial(change, "tools/book.py", '"IPYTHONDIR": SETTINGS / "ipython", ', ""),
          "tests/test_build.py::test_the_note_holds_what_was_right_and_no_more"),
    Fault("a command that outlives its task", partial(change, "tools/book.py", "            end(child)\n", ""),
          "tests/test_build.py::test_what_a_task_has_started_ends_with_it"),
    Fault("two makes at a time", partial(change, "tools/book.py", "pass_fds=LOCKS, ", ""),
          "tests/test_build.py::test_one_make_at_a_time"),
    Fault("a site that is gone before the next one stands", partial(change, "tools/book.py", "    sphinx(inputs, pages)\n", "    remove(SITE)\n    sphinx(inputs, pages)\n"),
          "tests/test_build.py::test_the_last_site_stays_until_the_new_one_stands_and_sphinx_keeps_what_it_knows"),
    Fault("a page that fails to build is taken for built", partial(change, "tools/book.py", "    for name in changed:      #", "    for name in ():      #"),
          "tests/test_build.py::test_the_last_site_stays_until_the_new_one_stands_and_sphinx_keeps_what_it_knows"),
    Fault("a change that the build does not see", partial(change, "tools/book.py", '"attnkit/**/*", ', '"attnkit/*", '),
          "tests/test_build.py::test_a_change_of_what_the_site_is_made_from_is_seen"),
    Fault("a document that names what is not there", partial(append, "CONTRIBUTING.md", "\nSee `tools/nothing.py`.\n"),
          "tests/test_repository.py::test_documents_name_what_exists"),
]


# ---- running

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

    def builds(self):
        """Build the site from nothing."""
        shutil.rmtree(self.folder / "_build", ignore_errors=True)
        return self.run(*book.BUILD)

    def asks(self, catcher):
        """Run one test or one notebook."""
        options = ["--nbval", "--nbval-current-env"] if catcher.endswith(".ipynb") else []
        return self.run(sys.executable, "-m", "pytest", "-q", "-x", *options, catcher)

    def catches(self, fault):
        """Plant, build if need be, run the catcher, take the fault out again; whether it was caught, and what was said."""
        before = {path: path.read_bytes() for path in self.files()}
        try:
            fault.plant(self.folder)
            if fault.catcher == BUILD:
                code, said = self.builds()
                return code != 0 and "warning" in said.lower(), said
            if fault.builds:
                code, said = self.builds()
                if code:
                    return False, f"the build failed\n{said}"
            code, said = self.asks(fault.catcher)
            return code == 1, said           # 1: a test failed; anything else is a mistake of this file
        except LookupError as error:
            return False, str(error)
        finally:
            for path, held in before.items():
                if path.read_bytes() != held:
                    path.write_bytes(held)
            if fault.builds or fault.catcher == BUILD:
                self.site()

    def files(self):
        """What a fault may change."""
        kinds = {".py", ".js", ".css", ".ipynb", ".yml", ".json", ".md", ""}
        return [p for p in self.folder.rglob("*") if p.suffix in kinds and p.is_file()
                and not {"_build", ".venv", "node_modules"} & set(p.relative_to(self.folder).parts)]


def main():
    """In two copies, which go when it ends or is interrupted."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        sys.exit(plant_all(" ".join(sys.argv[1:]), [Copy(f"{folder}/{k}") for k in (1, 2)]))


def plant_all(wanted, copies):
    """Control first, then every fault of which the name holds what is wanted, and a table; 1 if anything was missed."""
    faults = [fault for fault in FAULTS if wanted in fault.name]
    catchers = list(dict.fromkeys(fault.catcher for fault in faults))
    start, free = time.monotonic(), queue.Queue()
    for copy in copies:
        free.put(copy)

    def borrowed(job):
        copy, began = free.get(), time.monotonic()
        try:
            return *job(copy), time.monotonic() - began
        finally:
            free.put(copy)

    def control(catcher):
        def job(copy):
            code, said = copy.builds() if catcher == BUILD else copy.asks(catcher)
            if catcher == BUILD:
                copy.site()
            return code == 0, said
        return job

    bad = 0
    with ThreadPoolExecutor(2) as pool:
        for k, (catcher, (passed, said, seconds)) in enumerate(zip(catchers, pool.map(borrowed, map(control, catchers))), 1):
            bad += not passed
            print(f"[{k} of {len(catchers)}] nothing planted, {catcher}: {'passes' if passed else 'FAILS'} ({seconds:.0f} s)"
                  + ("" if passed else f"\n{said[-3000:]}"), flush=True)
        rows = []
        for k, (fault, (caught, said, seconds)) in enumerate(
                zip(faults, pool.map(borrowed, [partial(lambda fault, copy: copy.catches(fault), f) for f in faults])), 1):
            rows.append((fault, caught, seconds))
            print(f"[{k} of {len(faults)}] {fault.name}: {'caught' if caught else 'NOT caught'} ({seconds:.0f} s)"
                  + ("" if caught else f"\n{said[-3000:]}"), flush=True)
    wide = max(len(fault.name) for fault in faults)
    print(f"\n{'fault':{wide}}  caught  by")
    for fault, caught, _ in rows:
        print(f"{fault.name:{wide}}  {'yes   ' if caught else 'NO    '}  {fault.catcher}")
    missed = sum(not caught for _, caught, _ in rows)
    print(f"\n{len(rows)} faults, {len(rows) - missed} caught; {len(catchers)} controls, {bad} failed; "
          f"{(time.monotonic() - start) / 60:.1f} minutes")
    return 1 if missed or bad else 0


if __name__ == "__main__":
    main()
