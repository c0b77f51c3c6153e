"""The notebooks for Colab: as committed but for one cell, which brings what a notebook needs that comes alone."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT

from tools import colab
from website import book_site, toc

RUN = """
import subprocess, sys
# The environment of these tests has the packages that pip would bring, and the book's, which are hidden here.
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
real, asked = subprocess.run, []
subprocess.run = lambda command, **more: asked.append(command) if "pip" in command else real(command, **more)
for code in {codes!r}:
    exec(code, globals())
import bookkit
print(len(asked), bookkit.__file__)
"""


@pytest.fixture(scope="module")
def branch(tmp_path_factory):
    folder = tmp_path_factory.mktemp("colab")
    assert colab.write("https://github.com/somebody/book", folder) == len(list(folder.rglob("*.ipynb"))) > 40
    return folder


@pytest.mark.parametrize("page", [page for page in toc.pages() if (ROOT / f"{page}.ipynb").exists()])
def test_a_notebook_is_as_committed_but_for_one_cell(branch, page):
    ours, theirs = (json.loads((folder / f"{page}.ipynb").read_text(encoding="utf-8")) for folder in (ROOT, branch))
    [at] = [k for k, cell in enumerate(theirs["cells"]) if cell["id"] == "fetch"]
    assert theirs["cells"][at - 1]["cell_type"] == "markdown"
    fetch = "".join(theirs["cells"].pop(at)["source"])
    assert theirs == ours and '"https://github.com/somebody/book"' in fetch
    assert all(cell["cell_type"] == "markdown" for cell in ours["cells"][:at])      # nothing runs before it


def test_a_notebook_that_comes_alone_fetches_the_book(branch, tmp_path):
    """From a folder that stands for the address; beside the packages nothing is fetched."""
    cells = json.loads((branch / "chapters/softmax.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"][:3]
    assert "fetches" in code[0] and "bookkit" in code[1]
    codes = [text.replace("https://github.com/somebody/book", ROOT.as_uri()) for text in code]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", RUN.format(codes=codes)], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == f"2 {tmp_path / 'book' / 'bookkit' / '__init__.py'}"
    models = (tmp_path / "book/alone.txt").read_text(encoding="utf-8").splitlines()
    assert models[0].startswith("#") and sum("==" in line for line in models) == 3
    done = subprocess.run([sys.executable, "-c", codes[0]], cwd=branch, env=env, capture_output=True, text=True)
    assert done.returncode == 0 and not (branch / "book").exists()


def test_the_button_opens_the_branch(monkeypatch):
    monkeypatch.setenv("BOOK_COLAB", "colab")
    at = "https://colab.research.google.com/github/somebody/book/blob/{}/chapters/softmax.ipynb"
    binder = {"text": "Binder", "url": "https://mybinder.org/v2/gh/somebody/book/main"}
    groups = [{"type": "link"}, {"buttons": [dict(binder), {"text": "Colab", "url": at.format("main")}]}]
    book_site.to_branch(groups)
    assert groups[1]["buttons"] == [binder, {"text": "Colab", "url": at.format("colab")}]
