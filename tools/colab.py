"""The notebooks as Colab can open them, where each comes alone: the first cell of each fetches the book's packages.

    python -m tools.colab      a repository in _build/colab whose branch, colab, has them

Push that branch to the repository of the book, as its workflow for the site does: then a site that was built with
BOOK_COLAB=colab has a button for Colab on each page.  The fetching was tried from a folder, not on Colab itself.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from website import addresses, toc

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "_build" / "colab"
BRANCH = "colab"
# Colab has numpy, matplotlib and torch. What stands alone in the lock is not to bring what it asks for.
FETCH = """\
# On Colab this notebook comes alone: it fetches the packages of the book
import os, subprocess, sys
from importlib.util import find_spec

if not find_spec("bookkit"):
    if not os.path.isdir("book"):
        subprocess.run(["git", "clone", "--quiet", "--depth=1", "{url}", "book"], check=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "anywidget", "array-api-compat"], check=True)
        alone = open("book/requirements.lock").read().partition("# ---- alone")[2]
        open("book/alone.txt", "w").write("#" + alone)
        subprocess.run([*pip, "--no-deps", "-r", "book/alone.txt"], check=True)
    sys.path.insert(0, os.path.abspath("book"))"""
README = """# The notebooks of *Attention, Step by Step* for Colab

Made from the main branch by tools/colab.py, and made anew with each change. Write there, not here.
"""


def notebook(page, url):
    """A page as it is committed, but for a cell that fetches what it needs, after its title."""
    made = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))
    cells = made["cells"]
    at = next(k for k, cell in enumerate(cells, 1) if cell["cell_type"] == "markdown")
    cells.insert(at, {"cell_type": "code", "id": "fetch", "metadata": {}, "execution_count": None, "outputs": [],
                      "source": FETCH.format(url=url).splitlines(keepends=True)})
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def write(url, folder=FOLDER):
    """Write all notebooks into a folder, as a repository with one branch and one commit; how many they are."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = [page for page in toc.pages() if (ROOT / f"{page}.ipynb").exists()]
    for page in pages:
        file = folder / f"{page}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(notebook(page, url), encoding="utf-8")
    (folder / "README.md").write_text(README, encoding="utf-8")
    who = ["-c", "user.name=Attention, Step by Step", "-c", "user.email=nobody@example.org"]
    for command in (["init", "--quiet", f"--initial-branch={BRANCH}"], ["add", "."],
                    [*who, "commit", "--quiet", "--no-gpg-sign", "-m", "The notebooks for Colab"]):
        subprocess.run(["git", "-C", folder, *command], check=True)
    return len(pages)


if __name__ == "__main__":
    found = addresses.repository()
    if not found:
        sys.exit("[book] Colab fetches the book from GitHub, and where this repository is is not known: "
                 "git remote add origin https://github.com/...")
    print(f"[book] {write(found[0])} notebooks in {FOLDER.relative_to(ROOT)}; for the buttons on the pages:\n"
          f"    git -C {FOLDER.relative_to(ROOT)} push --force {found[0]} {BRANCH}\n"
          f"    BOOK_COLAB={BRANCH} make book")
