"""One place for each fact: versions agree, actions are pinned, documents name what exists."""

import re
import subprocess
import sys
import tomllib

import book
import pytest
import yaml
from conftest import ROOT


def read(name):
    return (ROOT / name).read_text()


def locked():
    return {name: version for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", read("requirements.lock"), flags=re.M)}


def test_lock_has_one_version_each_with_hashes_and_no_origin():
    names = re.findall(r"^([\w.-]+)==", read("requirements.lock"), flags=re.M)
    assert len(names) == len(set(names)) > 100
    assert "torch" not in names, "torch has a step of its own"
    assert not re.search(r"https?://|file:|--index-url|--find-links", read("requirements.lock"))
    for block in re.split(r"^(?=[\w.-]+==)", read("requirements.lock"), flags=re.M)[1:]:
        assert "--hash=sha256:" in block, block[:60]


def test_what_was_asked_for_is_locked():
    for line in read("requirements.in").splitlines():
        match = re.match(r"([\w.-]+)(==([\w.]+))?", line.split("#")[0].strip())
        if match:
            assert match[1] in locked(), match[1]
            assert match[3] in (None, locked()[match[1]]), match[1]


def test_environment_for_binder_agrees_with_the_lock():
    environment = yaml.safe_load(read("environment.yml"))
    conda = [d for d in environment["dependencies"] if isinstance(d, str)]
    pip = next(d["pip"] for d in environment["dependencies"] if isinstance(d, dict))
    pins = dict(re.fullmatch(r"([\w.-]+)={1,2}([\w.]+)", d).groups() for d in conda + pip)
    assert re.fullmatch(r"3\.(1[1-9]|[2-9]\d)", pins.pop("python"))
    assert f"torch=={pins.pop('pytorch-cpu')}" == book.TORCH
    pins.pop("pip")
    assert {"matplotlib-base", "jupyterlab-myst", "anywidget", "jupyterlab"} <= set(pins)
    for name, version in pins.items():
        assert locked()[name.removesuffix("-base")] == version, name
    assert locked()["jupyterlab"].startswith("4.5.")
    # The package itself: what attnkit needs is there.
    needs = [re.match(r"[\w-]+", d)[0] for d in tomllib.loads(read("pyproject.toml"))["project"]["dependencies"]]
    assert {n.replace("matplotlib", "matplotlib-base") for n in needs} <= set(pins)
    assert not (ROOT / "binder").exists(), "a binder/ folder makes repo2docker ignore environment.yml"
    assert "pip install --no-deps ." in read("postBuild") and "jupyter trust" in read("postBuild")
    assert (ROOT / "postBuild").stat().st_mode & 0o111


def test_ranges_hold_the_locked_versions():
    from packaging.requirements import Requirement
    project = tomllib.loads(read("pyproject.toml"))["project"]
    for line in project["dependencies"]:
        need = Requirement(line)
        assert locked()[need.name] in need.specifier, line
    assert book.TORCH.split("==")[1] in Requirement(project["optional-dependencies"]["torch"][0]).specifier


def test_katex_fonts_are_those_of_the_bundled_script():
    from sphinxcontrib import katex
    css = read("_static/katex/katex.min.css")
    assert f'content:"{katex.katex_version}"' in css
    fonts = set(re.findall(r"fonts/([\w-]+\.woff2)", css))
    assert fonts == {p.name for p in (ROOT / "_static/katex/fonts").glob("*")}
    assert "MIT" in read("_static/katex/LICENSE")


@pytest.mark.parametrize("path", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda p: p.name)
def test_workflows(path):
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    uses = re.findall(r"uses: (\S+)( # v[\d.]+)?", path.read_text())
    assert uses and all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action) and version for action, version in uses)
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 60


def test_ci_runs_the_same_command():
    assert "make test" in read(".ci/run") and "REQUIRE_BROWSER" in read(".ci/run")


def test_makefile_and_script_agree():
    targets = set(re.findall(r"^([a-z]+):.*##", read("Makefile"), flags=re.M)) - {"help"}
    done = subprocess.run([sys.executable, str(ROOT / "tools/book.py"), "--help"], capture_output=True, text=True, check=True)
    assert all(target in done.stdout for target in targets)
    assert targets == set(re.search(r"\.PHONY: (.*)", read("Makefile"))[1].split()) - {"help"}


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_documents_name_what_exists(name):
    text = read(name)
    for path in re.findall(r"`((?:attnkit|tests|tools|chapters|_ext|_static|\.github)/[\w./-]*|[\w-]+\.(?:yml|lock|in|toml|bib|cff))`", text):
        assert (ROOT / path).exists(), path
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), flags=re.M))
    assert set(re.findall(r"(?:`|^    )make ([a-z]+)", text, flags=re.M)) <= targets
    for link in re.findall(r"\]\(((?!http)[^)#]+)", re.sub(r"`[^`]*`", "", text)):
        assert (ROOT / link).exists(), link


def test_style():
    done = subprocess.run([sys.executable, "-m", "ruff", "check", "--no-cache", str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_licences_and_citation():
    assert "MIT License" in read("LICENSE") and "Attribution 4.0 International" in read("LICENSE-text")
    citation = yaml.safe_load(read("CITATION.cff"))
    assert citation["title"] == "Attention, Step by Step" and citation["license"] == ["MIT", "CC-BY-4.0"]


def test_generated_things_stay_out_of_git():
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True)
    if done.returncode == 0:
        assert not re.search(r"^(_build|\.venv|.*node_modules|.*__pycache__)", done.stdout, flags=re.M)


def test_the_reference_is_whole():
    """Every public function and class: on a page, and with every part of its docstring."""
    import inspect

    import attnkit
    from attnkit import modules, reading
    things = {name: getattr(attnkit, name) for name in attnkit.__all__}
    things |= {name: thing for name, thing in vars(modules).items()
               if inspect.isclass(thing) and thing.__module__ == "attnkit.modules" and not name.startswith("_")}
    assert len(things) >= 27
    for name, thing in things.items():
        module = thing.__module__.removeprefix("attnkit.")
        assert f".. automodule:: attnkit.{module}\n" in read(f"reference/{module}.md"), name
        parts = ["Parameters", "Examples", "References"] + ([] if inspect.isclass(thing) else ["Returns", "Raises"])
        for part in parts:
            assert f"\n{part}\n{'-' * len(part)}\n" in inspect.getdoc(thing), (name, part)
        assert re.search(r"\nChapter: \w+\.$", inspect.getdoc(thing)), name
        assert set(inspect.signature(thing).parameters) <= set(re.findall(r"\w+", inspect.getdoc(thing))), name
        site = ROOT / "_build" / "html" / "reference" / f"{module}.html"
        assert f'id="attnkit.{module}.{name}"' in site.read_text(), name
    # The picture of the package knows every one of them.
    assert all(word in reading.package_map().html() for word in attnkit.__all__)
    with pytest.raises(TypeError, match="must be a Python function or class, got int"):
        reading.listing(3)
    assert "def dot(" in repr(reading.listing(attnkit.dot)) and '"""' not in repr(reading.listing(modules.Translator))
    assert reading.listing(attnkit.dot, docstring=True).code == inspect.getsource(attnkit.dot).rstrip()


def test_mutants_are_explained():
    """The list that `make mutants` compares with: each entry names a line that is one change away from one in the package."""
    import difflib
    source = [line.strip() for path in (ROOT / "attnkit").glob("*.py") for line in path.read_text().splitlines()]
    for entry in yaml.safe_load(read("tests/equivalent_mutants.yml")):
        assert set(entry) == {"in", "to", "why"}
        near = difflib.get_close_matches(entry["to"], source, n=1, cutoff=0.8)
        assert near and near[0] != entry["to"], entry
