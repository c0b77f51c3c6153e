"""The committed notebooks: executed, in order, clean, described.

nbval executes each once more and compares every output; every week they are executed in other ways, too.
"""

import ast
import json
import re

import nbformat
import pytest
from conftest import ROOT, asked

from bookkit.lessons.exercises.grading import RIGHT
from bookkit.lessons.measured import results
from tools import notebooks
from website import measured, road, toc

BOOK = toc.notebooks()


def cells(name, kind="code"):
    notebook = json.loads((ROOT / name).read_text())
    return [c for c in notebook["cells"] if c["cell_type"] == kind and "".join(c["source"]).strip()]


def where(name, cell):
    return f"{name}, cell {cell['id']}"


def test_toc_names_every_notebook_and_page():
    folders = [p for p in ROOT.iterdir() if p.is_dir() and p.name[0] not in "._" and p.name not in ("tests", "node_modules")]
    files = {p.relative_to(ROOT) for top in [ROOT, *folders] for p in (top.glob("*.*") if top == ROOT else top.rglob("*.*"))
             if p.suffix in (".md", ".ipynb") and not {".ipynb_checkpoints", "node_modules"} & set(p.parts)}
    pages = {p.with_suffix("").as_posix() for p in files} - {"README", "CONTRIBUTING"}
    assert pages == set(toc.pages()) and len(toc.pages()) == len(set(toc.pages()))
    assert BOOK[0] == "index.ipynb"


@pytest.mark.parametrize("name", asked(BOOK))
def test_executed_in_order_without_errors(name):
    counts = [c["execution_count"] for c in cells(name)]
    assert counts == list(range(1, len(counts) + 1)), name
    for cell in cells(name):
        for output in cell["outputs"]:
            assert output["output_type"] != "error", where(name, cell)
            assert output.get("name") != "stderr", where(name, cell)
            data = output.get("data", {})
            assert not {"image/png", "image/jpeg", notebooks.WIDGET_VIEW} & set(data), where(name, cell)
            assert not re.search(r"0x[0-9a-f]{6,}", json.dumps(data.get("text/plain", ""))), where(name, cell)
    assert sum(bool(c["outputs"]) for c in cells(name)) >= (3 if name.startswith(("chapters/", "further/")) else 1), f"{name}: nothing to compare"


@pytest.mark.parametrize("name", asked(BOOK))
def test_what_a_cell_shows_is_stored(name):
    """A cell that prints, or ends in an expression, has its output: of a stripped one nbval would compare nothing."""
    for cell in cells(name):
        tree = ast.parse("".join(cell["source"]))
        shows = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)} & {"print", "display"}
        last = tree.body[-1] if tree.body else None
        # torch's settings, `torch.set_...(...)`, and what holds a sentence to its numbers give nothing.
        ends = isinstance(last, ast.Expr) and not ast.unparse(last).startswith(("torch.set_", "says("))
        defines = any(isinstance(node, ast.FunctionDef) for node in tree.body)
        if ends or (shows and not defines):
            assert cell["outputs"], where(name, cell)


def test_running_times_are_measured():
    bench = results("bench", folder=ROOT)
    assert set(BOOK) <= set(bench["chapters"]["seconds"]), "run python -m tools.bench chapters"
    assert all(bench[part]["command"] and bench[part]["machine"]["processor"] for part in bench)


@pytest.mark.parametrize("name", asked(BOOK))
def test_what_was_measured_has_one_loader_and_says_its_command(name):
    """A notebook asks `results` for it and opens no file of its own; nbval compares the numbers, here the reader is told."""
    shown = "".join("".join(cell["source"]) for cell in cells(name, "markdown"))
    for cell in cells(name):
        assert not re.search(r"data/measured/|read_text|\bopen\(", "".join(cell["source"])), where(name, cell)
        shown += "".join("".join(output["data"].get("text/markdown", "")) for output in cell["outputs"] if "data" in output)
    for part in measured.readers().get(name.removesuffix(".ipynb"), []):
        assert f"`{measured.parts()[part]['command']}`" in shown, (name, part)


@pytest.mark.parametrize("name", asked(BOOK))
def test_what_is_asserted_stands_in_the_words_above(name):
    """`says("0.88", x)` below a sentence holds its number to x: another number there, or none, and nobody would notice."""
    words = ""
    for cell in json.loads((ROOT / name).read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            words = source
            continue
        for call in ast.walk(ast.parse(source)):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "says":
                text = call.args[0].value
                assert re.search(rf"(?<![\d.,]){re.escape(text)}(?![\d]|[.,]\d)", words), f"{where(name, cell)}: {text}"


# Decimals in sentences that nothing on their page computes or compares.
TYPED = {
    "chapters/checkpoint_inside": "0.7",                              # supposed in a question
    "chapters/document_classifier": "0.95 4.6 6.9",                   # asked in an exercise; logs of 100 and of 1,000
    "chapters/dot_product": "2.5",                                    # Mia's numbers, of an earlier page
    "chapters/machine": "4.12 22.7",                                  # the difference of two scores that are shown; a size
    "chapters/real_model": "0.08 0.16",                               # the steps of a hint
    "chapters/taught_with_twelve_sentences": "22.7",                  # a size
    "chapters/today": "2.8",                                          # a published size
    "chapters/tune": "0.21 5.24",                                     # of examples/tune.py, run elsewhere; versions
    "chapters/when_it_does_not_learn": "0.0001 0.001 0.003",          # rates to begin with; an exercise's symptom
    "chapters/writing": "28.5", "further/writing": "3.1 15.6",        # published models
    "chapters/your_own_text": "0.326 38.20",                          # a product of two numbers that are shown; a symptom
    "further/chat_model": "0.0001",                                   # a bound that a study asserts
    "further/from_here": "0.003 0.01 1.82",                           # rates of a study; a published number
    "further/taught_with_twelve_sentences": "0.001 1.25 −1.25",       # settings of a study
    "further/transformer": "1.5 3.1",                                 # a published model; a section
}


@pytest.mark.parametrize("name", asked([name for name in BOOK if name.startswith(("chapters/", "further/"))]))
def test_decimals_of_sentences_are_asserted(name):
    """Each stands in the code of its page, in what it shows, or in its exercises, or in the short list above."""
    page = name.removesuffix(".ipynb")
    exercises = ROOT / f"bookkit/lessons/exercises/{toc.slug(page)}.py"
    there = exercises.read_text() if exercises.exists() else ""
    for cell in cells(name):
        there += "".join(cell["source"])
        for output in cell["outputs"]:
            there += "".join(output.get("text", "")) + "".join("".join(output.get("data", {}).get(kind, "")) for kind in ("text/plain", "text/markdown"))
    apart = r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|<[^>]*>"
    words = re.sub(apart, "", "\n".join("".join(cell["source"]) for cell in cells(name, "markdown")), flags=re.S)
    typed = {number: number.replace("−", "").lstrip("0") for number in re.findall(r"(?<![\w.,])[−-]?\d[\d,]*\.\d+(?!\w)", words)}
    alone = {number for number, digits in typed.items() if digits not in there and digits.rstrip("0") not in there}
    assert alone <= {*TYPED.get(page, "").split()}, sorted(alone)


def test_a_number_that_has_changed_is_named_with_its_sentence(tmp_path):
    """Executing goes on to the end, and says of each such number what was found, in which cell, and where it is said."""
    written = nbformat.v4.new_notebook(cells=[
        nbformat.v4.new_markdown_cell("Some words. The share is 0.88, and *3 more*. Others."),
        nbformat.v4.new_code_cell("from bookkit.pictures.formats import says\nsays('0.88', 0.91)", id="share"),
        nbformat.v4.new_code_cell("says('3', 4)", id="more")])
    nbformat.write(written, tmp_path / "page.ipynb")
    with pytest.raises(AssertionError) as told:
        notebooks.execute(tmp_path / "page.ipynb")
    assert str(told.value).splitlines() == [
        'cell share: the sentence says "0.88", and "0.91" was found', "    The share is 0.88, and *3 more*.",
        'cell more: the sentence says "3", and "4" was found', "    The share is 0.88, and *3 more*."]


@pytest.mark.parametrize("name", asked(BOOK))
def test_metadata(name):
    notebook = json.loads((ROOT / name).read_text())
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert notebook["metadata"]["language_info"] == {"name": "python"}
    for cell in cells(name):
        tags = cell["metadata"].get("tags", [])
        assert set(tags) <= {"hide-input", "hide-cell", "keep-code"}, where(name, cell)
        # Folded on the site and folded live.
        folded = cell["metadata"].get("jupyter", {})
        assert bool({*tags} - {"keep-code"}) == bool(folded.get("source_hidden")), where(name, cell)
        assert ("hide-cell" in tags) == cell["source"][0].startswith("# A solution"), where(name, cell)
        if "hide-cell" in tags:
            assert folded.get("outputs_hidden"), where(name, cell)
            # nbval compares with what is stored: a solution that the check refuses would stay refused.
            said = "".join("".join(output.get("text", "")) for output in cell["outputs"])
            assert said.strip().splitlines()[-1:] == [RIGHT], where(name, cell)


@pytest.mark.parametrize("name", asked(BOOK))
def test_pictures_have_words_and_nothing_is_lost_untrusted(name):
    for cell in cells(name):
        for output in cell["outputs"]:
            html = "".join(output.get("data", {}).get("text/html", ""))
            for svg in re.findall(r"<svg[^>]*>", html):
                assert re.search(r'role="(?:img|group)" aria-label="[^"]{10,}"', svg), where(name, cell)
            for image in re.findall(r"<img[^>]*>", html):
                assert re.search(r'alt="[^"]{10,}"', image), where(name, cell)
            drawn = html.count("<img") - html.count('src="../website/static/gallery/')      # those are files, and stay where they are
            assert html.count("<svg") == drawn, where(name, cell)
            assert drawn == len(re.findall(r'<img[^>]* src="data:image/svg\+xml;base64,[^"]{100,}"', html)), where(name, cell)
            if "data-ak-figure" in html:      # what asks has its question beside it, and at most a list to choose from
                assert "<table" in html or "<img" in html or road.practises(cell), where(name, cell)


@pytest.mark.parametrize("name", asked(BOOK))
def test_what_only_the_site_renders_carries_no_meaning(name):
    for cell in cells(name, "markdown") + cells(name):
        texts = ["".join(cell["source"])] + ["".join(o["data"].get("text/markdown", "")) for o in cell.get("outputs", []) if "data" in o]
        for text in texts:
            directives = set(re.findall(r"^:{3,}\s*\{([\w:-]+)\}|^`{3,}\s*\{([\w:-]+)\}", text, flags=re.M))
            assert {a or b for a, b in directives} <= {"admonition", "dropdown", "exercise", "margin"}, where(name, cell)
            assert not re.search(r"(?<!\$)\{[a-z]+(:[a-z]+)?\}`", text), where(name, cell)            # roles
            assert "\\htmlClass" not in text, where(name, cell)
