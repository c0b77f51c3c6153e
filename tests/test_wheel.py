"""What `pip install . ./bookkit` brings: attnkit stays small, and what is installed runs without the repository's copy."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest
from conftest import PATIENCE, ROOT

from bookkit.figures import base
from tools import book

PIP = ["-m", "pip", "--disable-pip-version-check"]


def run(*command, cwd, env=None):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd, timeout=PATIENCE, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheels of attnkit and bookkit, built from the sources alone by what the lock has."""
    folder = tmp_path_factory.mktemp("wheels")
    source = folder / "source"
    source.mkdir()
    for name in ("attnkit", "bookkit"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    for project in (source, source / "bookkit"):
        run(sys.executable, *PIP, "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, project, cwd=folder)
    return {name: next(folder.glob(f"{name}-*.whl")) for name in ("attnkit", "bookkit")}


def test_the_wheels_hold_every_file_and_attnkit_stays_small(wheels):
    for name, wheel in wheels.items():
        files = {path.relative_to(ROOT).as_posix() for path in (ROOT / name).rglob("*") if path.is_file() and not {"__pycache__", "build"} & set(path.parts)
                 and ".egg-info" not in path.as_posix() and path.name != "pyproject.toml"}
        packed = {found for found in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in found}
        assert packed - {"bookkit/pyproject.toml"} == files, name
        if name == "attnkit":
            assert len(files) <= 12 and sum(len((ROOT / file).read_text().splitlines()) for file in files) <= 2500


LOADED = """
import importlib, pkgutil
import attnkit
import bookkit
from bookkit.figures import base
from bookkit.lessons import storyteller
for package in (attnkit, bookkit):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
assert all(base.script(kind) for kind in base.kinds()) and base.core_stylesheet()
import matplotlib.pyplot as plt
plt.style.use("bookkit.pictures.book")
assert storyteller.trained().words
print(attnkit.__file__, bookkit.__file__, *base.kinds())
"""

EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient
for name in sys.argv[1:]:
    notebook = nbformat.read(name, as_version=4)
    NotebookClient(notebook, timeout=600, startup_timeout=600, resources={"metadata": {"path": "chapters"}}).execute()
"""


def test_what_is_installed_runs_without_the_sources(wheels, tmp_path):
    """Beside the locked packages, from a copy of the repository without the two: a notebook, and whatever loads a shipped file."""
    installed, copy = tmp_path / "installed", tmp_path / "book"
    run(sys.executable, *PIP, "install", "--quiet", "--no-index", "--no-deps", "--target", installed, *wheels.values(), cwd=tmp_path)
    for name in ("chapters", "data"):
        shutil.copytree(ROOT / name, copy / name)
    env = {**os.environ, "PYTHONPATH": str(installed), "ATTNKIT_PROGRESS": "off"}
    one, other, *kinds = run(sys.executable, "-c", LOADED, cwd=copy, env=env).split()
    assert one.startswith(str(installed)) and other.startswith(str(installed)) and kinds == list(base.kinds())
    run(sys.executable, "-c", EXECUTE, "chapters/weights.ipynb", cwd=copy, env=env)


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


def test_without_extras_the_mechanism_runs_on_numpy_alone(wheels, tmp_path):
    """`pip install .` in a new environment that can reach nothing but numpy and array-api-compat."""
    python = tmp_path / "bare" / "bin" / "python"
    pip = [sys.executable, *PIP, "--python", python]
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare", cwd=tmp_path)
    run(*pip, "install", "--quiet", "--no-index", "--find-links", book.VENV / "wheels", wheels["attnkit"], cwd=tmp_path)
    found = {line.split("==")[0] for line in run(*pip, "list", "--format", "freeze", cwd=tmp_path).split()}
    assert {name.replace("_", "-") for name in found} == {"attnkit", "numpy", "array-api-compat"}
    assert run(python, "-c", ALONE, cwd=tmp_path).startswith("all")
