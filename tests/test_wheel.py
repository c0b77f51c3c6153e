"""What `pip install .` brings: the wheel holds all of attnkit, and what is installed runs without the repository's copy."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest
from conftest import PATIENCE, ROOT

from attnkit.figures import base
from tools import book

PIP = ["-I", "-m", "pip", "--disable-pip-version-check"]      # apart from this folder


def run(*command, cwd, env=None):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd, timeout=PATIENCE, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from the sources alone by what the lock has."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    shutil.copytree(ROOT / "attnkit", source / "attnkit", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    run(sys.executable, *PIP, "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source, cwd=folder)
    return next(folder.glob("attnkit-*.whl"))


def test_every_file_of_the_package_is_in_the_wheel(wheel):
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "attnkit").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == files and {"attnkit/lessons/storyteller.json", "attnkit/figures/core.js", "attnkit/pictures/book.mplstyle"} < packed


LOADED = """
import importlib, pkgutil
import attnkit
from attnkit.figures import base
from attnkit.lessons import storyteller
for module in pkgutil.walk_packages(attnkit.__path__, "attnkit."):
    importlib.import_module(module.name)
assert all(base.script(kind) for kind in base.kinds()) and base.core_stylesheet()
import matplotlib.pyplot as plt
plt.style.use("attnkit.pictures.book")
assert storyteller.trained().words
print(attnkit.__file__, *base.kinds())
"""

EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient
for name in sys.argv[1:]:
    notebook = nbformat.read(name, as_version=4)
    NotebookClient(notebook, timeout=600, startup_timeout=600, resources={"metadata": {"path": "chapters"}}).execute()
"""


def test_what_is_installed_runs_without_the_sources(wheel, tmp_path):
    """Beside the locked packages, from a copy of the repository without attnkit/: two notebooks, and whatever loads a shipped file."""
    installed, copy = tmp_path / "installed", tmp_path / "book"
    run(sys.executable, *PIP, "install", "--quiet", "--no-index", "--no-deps", "--target", installed, wheel, cwd=tmp_path)
    for name in ("chapters", "measured"):
        shutil.copytree(ROOT / name, copy / name)
    env = {**os.environ, "PYTHONPATH": str(installed), "ATTNKIT_PROGRESS": "off"}
    where, *kinds = run(sys.executable, "-c", LOADED, cwd=copy, env=env).split()
    assert where.startswith(str(installed)) and kinds == list(base.kinds())
    run(sys.executable, "-c", EXECUTE, "chapters/weights.ipynb", "chapters/writing.ipynb", cwd=copy, env=env)


ALONE = """
import doctest, importlib, importlib.util, pkgutil, sys
import attnkit
names = [module.name for module in pkgutil.iter_modules(attnkit.__path__) if not module.ispkg and module.name != "modules"]
tested = sum(doctest.testmod(importlib.import_module(f"attnkit.{name}"), raise_on_error=True).attempted for name in names)
assert tested >= len(attnkit.__all__), "each function has an example"
for missing in ("torch", "matplotlib", "anywidget", "ipywidgets", "traitlets"):
    assert importlib.util.find_spec(missing) is None and missing not in sys.modules, missing
try:
    attnkit.modules
except ModuleNotFoundError as error:
    assert "torch" in str(error)
print("all", tested)
"""


def test_without_extras_the_mechanism_runs_on_numpy_alone(wheel, tmp_path):
    """`pip install .` in a new environment that can reach nothing but numpy and array-api-compat."""
    python = tmp_path / "bare" / "bin" / "python"
    run(sys.executable, "-m", "venv", tmp_path / "bare", cwd=tmp_path)
    before = set(run(python, *PIP, "list", "--format", "freeze", cwd=tmp_path).split())
    run(python, *PIP, "install", "--quiet", "--no-index", "--find-links", book.VENV / "wheels", wheel, cwd=tmp_path)
    found = {line.split("==")[0] for line in set(run(python, *PIP, "list", "--format", "freeze", cwd=tmp_path).split()) - before}
    assert {name.replace("_", "-") for name in found} == {"attnkit", "numpy", "array-api-compat"}
    assert run(python, "-I", "-c", ALONE, cwd=tmp_path).startswith("all")
