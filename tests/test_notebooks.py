"""The committed notebooks: executed, in order, clean, described.

nbval executes each once more and compares every output; `make reproduce` executes them in other ways and compares bytes.
"""

import json
import re

import notebooks
import pytest
import toc
from conftest import ROOT

BOOK = toc.notebooks()


def cells(name, kind="code"):
    notebook = json.loads((ROOT / name).read_text())
    return [c for c in notebook["cells"] if c["cell_type"] == kind and "".join(c["source"]).strip()]


def where(name, cell):
    return f"{name}, cell {cell['id']}"


def test_toc_names_every_notebook_and_page():
    files = {p.relative_to(ROOT).with_suffix("").as_posix() for folder in ("chapters", "further", "reference")
             for p in (ROOT / folder).glob("*.*") if p.suffix in (".md", ".ipynb")}
    assert files | {"index"} == set(toc.pages()) and len(toc.pages()) == len(set(toc.pages()))
    assert BOOK[0] == "index.ipynb" and len(BOOK) >= 3


@pytest.mark.parametrize("name", BOOK)
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
    assert sum(bool(c["outputs"]) for c in cells(name)) >= 3, f"{name}: nothing to compare"


@pytest.mark.parametrize("name", BOOK)
def test_last_expression_has_an_output(name):
    """A cell that ends in a picture, a figure or a check shows it: a stripped notebook would compare nothing."""
    for cell in cells(name):
        source = "".join(cell["source"]).rstrip()
        if re.search(r"^(draw\.|plots\.picture|Markdown\(|check\(|Alignment\()", source, flags=re.M):
            assert cell["outputs"], where(name, cell)


def test_running_times_are_measured():
    measured = json.loads((ROOT / "measured" / "bench.json").read_text())
    assert set(BOOK) <= set(measured["chapters"]["seconds"]), "run tools/bench.py chapters"
    assert all(measured[part]["command"] and measured[part]["machine"]["processor"] for part in measured)


@pytest.mark.parametrize("name", BOOK)
def test_metadata(name):
    notebook = json.loads((ROOT / name).read_text())
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert notebook["metadata"]["language_info"] == {"name": "python"}
    for cell in cells(name):
        tags = cell["metadata"].get("tags", [])
        assert set(tags) <= {"hide-input", "hide-cell"}, where(name, cell)
        # Folded on the site and folded live.
        folded = cell["metadata"].get("jupyter", {})
        assert bool(tags) == bool(folded.get("source_hidden")), where(name, cell)
        if "hide-cell" in tags:
            assert folded.get("outputs_hidden") and cell["source"][0].startswith("# A solution"), where(name, cell)


@pytest.mark.parametrize("name", BOOK)
def test_pictures_have_words_and_nothing_is_lost_untrusted(name):
    for cell in cells(name):
        for output in cell["outputs"]:
            html = "".join(output.get("data", {}).get("text/html", ""))
            for svg in re.findall(r"<svg[^>]*>", html):
                assert re.search(r'role="img" aria-label="[^"]{10,}"', svg), where(name, cell)
            for image in re.findall(r"<img[^>]*>", html):
                assert re.search(r'alt="[^"]{10,}"', image), where(name, cell)
            assert html.count("<svg") == html.count("<img"), where(name, cell)
            if "data-ak-figure" in html:
                assert "<table" in html or "<img" in html, where(name, cell)


@pytest.mark.parametrize("name", BOOK)
def test_what_only_the_site_renders_carries_no_meaning(name):
    for cell in cells(name, "markdown") + cells(name):
        source = "".join(cell["source"])
        assert not re.search(r"\{(glue|cite|numref|literalinclude|ref|doc)[:}`]", source), where(name, cell)
        assert "\\htmlClass" not in source and "{solution-start}" not in source, where(name, cell)


@pytest.mark.parametrize("name", [n for n in BOOK if n.startswith("chapters/")])
def test_a_chapter_is_whole(name):
    text = "\n".join("".join(c["source"]) for c in cells(name, "markdown"))
    code = "\n".join("".join(c["source"]) for c in cells(name))
    for heading in ("By hand", "With a loop", "As a matrix product", "With the package", "Exercises", "In one paragraph"):
        assert re.search(rf"^#+ {heading}$", text, flags=re.M), f"{name}: no {heading}"
    assert "**You need:**" in text and "predict" in text.lower()
    assert text.count(":::{exercise}") == text.count(":::{dropdown} Hint") >= 3
    assert code.count("# A solution") == text.count(":::{exercise}")
    assert len(re.findall(r"^%?assert ", code, flags=re.M)) >= 5
