"""One place for each fact: versions agree, actions are pinned, documents name what exists."""

import importlib
import inspect
import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from conftest import NODE, ROOT
from sample import CALLS

import attnkit
from bookkit.pictures import source
from tools import bench, book, pins, study
from website import measured


def read(name):
    return (ROOT / name).read_text()


def locked():
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", read("requirements.lock"), flags=re.M))


def test_lock_has_one_version_each_with_hashes_and_no_origin():
    lock = "requirements.lock"
    names = re.findall(r"^([\w.-]+)==", read(lock), flags=re.M)
    assert len(names) == len(set(names)) == len(re.findall(r"^[^\s#]", read(lock), flags=re.M)), "a line of another form"
    assert "torch" not in names, "torch has a step of its own"
    assert not re.search(r"https?://|file:|--index-url|--find-links", read(lock))
    for block in re.split(r"^(?=[\w.-]+==)", read(lock), flags=re.M)[1:]:
        assert "--hash=sha256:" in block, block[:60]


def test_what_was_asked_for_is_locked():
    from packaging.requirements import Requirement
    asked = [Requirement(line.split("#")[0]) for line in read("tools/requirements.in").splitlines() if line.split("#")[0].strip()]
    assert asked
    for need in asked:
        assert locked()[need.name] in need.specifier, need.name


def test_environment_for_binder_is_that_of_the_lock():
    """Python and pip from conda and nothing else; every package from the lock, torch from its CPU index."""
    from packaging.requirements import Requirement
    environment = yaml.safe_load(read("environment.yml"))
    conda = dict(line.split("=") for line in environment["dependencies"] if isinstance(line, str))
    assert set(conda) == {"python", "pip"} and re.fullmatch(r"3\.(1[1-9]|[2-9]\d)", conda["python"])
    [[index, torch, *lines]] = [line["pip"] for line in environment["dependencies"] if isinstance(line, dict)]
    assert index == f"--extra-index-url {book.TORCH_CPU_INDEX}" and torch == book.TORCH
    held = {need.name: str(need.specifier).removeprefix("==") for need in map(Requirement, lines)}
    assert len(held) == len(lines) and all(locked()[name] == version for name, version in held.items())
    assert read("environment.yml") == pins.environment(lines), "tools/pins.py writes it"
    assert f"/^{pins.ALONE[:12]}/" in read("postBuild")
    wanted = [line.split("#")[0] for line in read("tools/requirements.in").partition("# ---- for the site")[0].splitlines()]
    assert {Requirement(line).name for line in wanted if line.strip()} <= set(held) and "ipykernel" in held
    # The packages themselves: what attnkit and bookkit need is there.
    asked = [d for file in ("pyproject.toml", "bookkit/pyproject.toml") for d in tomllib.loads(read(file))["project"]["dependencies"] if "attnkit" not in d]
    needs = [re.match(r"[\w-]+", d)[0] for d in asked]
    assert set(needs) <= set(held)
    assert not (ROOT / "binder").exists(), "a binder/ folder makes repo2docker ignore environment.yml"
    steps = [line for line in read("postBuild").splitlines() if line and not line.startswith("#")]
    assert "python -m pip install --no-deps . ./bookkit" in steps and "python -m website.toc | xargs jupyter trust" in steps
    assert (ROOT / "postBuild").stat().st_mode & 0o111


def test_ranges_hold_the_locked_versions():
    from packaging.requirements import Requirement
    project = tomllib.loads(read("pyproject.toml"))["project"]
    kit = tomllib.loads(read("bookkit/pyproject.toml"))["project"]["dependencies"]
    for line in [*project["dependencies"], *(line for line in kit if not line.startswith("attnkit"))]:
        need = Requirement(line)
        assert locked()[need.name] in need.specifier, line
    assert book.TORCH.split("==")[1] in Requirement(project["optional-dependencies"]["torch"][0]).specifier


def test_katex_fonts_are_those_of_the_bundled_script():
    from sphinxcontrib import katex
    css = read("website/node_modules/katex/dist/katex.min.css")
    assert f'content:"{katex.katex_version}"' in css
    fonts = set(re.findall(r"fonts/([\w-]+\.woff2)", css))
    assert fonts == {p.name for p in (ROOT / "website/node_modules/katex/dist/fonts").glob("*.woff2")}
    assert "MIT" in read("website/node_modules/katex/LICENSE")


MAY_WRITE = {("pages.yml", "deploy"): {"pages": "write", "id-token": "write"}, ("pages.yml", "colab"): {"contents": "write"}}


@pytest.mark.parametrize("name", ["pages.yml", "tests.yml", "weekly.yml"])
def test_workflows_may_do_little_and_name_what_they_use_by_its_hash(name):
    workflow = yaml.safe_load(read(f".github/workflows/{name}"))
    assert workflow["permissions"] == {"contents": "read"}
    uses = re.findall(r"uses: (\S+)( # v[\d.]+)?", read(f".github/workflows/{name}"))
    assert uses and all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action) and version for action, version in uses)
    for title, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 60
        rights = job.get("permissions", {})
        assert rights == MAY_WRITE.get((name, title), {}) or set(rights.values()) == {"read"}, title


def test_ci_runs_the_same_command():
    """In one, or in the parts of it, all of them, on the site that was built once."""
    assert read(".ci/run").splitlines()[-1] == "REQUIRE_BROWSER=1 REQUIRE_OTHERS=Firefox,WebKit make test ALL=1"
    build, test = yaml.safe_load(read(".github/workflows/tests.yml"))["jobs"].values()
    assert {"run": "make book"} in build["steps"] and test["needs"] == "build"
    assert {"run": "make test PART=${{ matrix.part }}", "env": {"REQUIRE_BROWSER": "1"}} in test["steps"]
    assert test["strategy"]["matrix"]["part"] == list(book.PARTS)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_documents_name_what_exists(name):
    text = read(name)
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name not in ("_build", ".venv", ".git")}
    words = [word for quoted in re.findall(r"`([^`\n]+)`", text) for word in quoted.split()]
    paths = [word for word in words if word.split("/")[0] in folders or re.fullmatch(r"[\w-]+\.(yml|lock|in|toml|bib|cff|ipynb)", word)]
    assert paths
    for path in paths:
        assert (ROOT / path).exists(), path
    assert set(re.findall(r"(?:`|^    )make ([a-z]+)", text, flags=re.M)) <= set(book.TASKS)
    for link in re.findall(r"\]\(((?!http)[^)#]+)", re.sub(r"`[^`]*`", "", text)):
        assert (ROOT / link).exists(), link


def test_style():
    for command in ([sys.executable, "-m", "ruff", "check", "--no-cache", str(ROOT)], [str(NODE), str(book.BIOME), "check", "--error-on-warnings", *book.STYLE]):
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr


def test_lines_under_words_are_seen_in_every_browser():
    """Safari before 26.2 drops `text-decoration` whole where it has more than one value: each stands by its own name."""
    sheets = [*ROOT.glob("bookkit/**/*.css"), *ROOT.glob("website/*.css"), *ROOT.glob("website/static/*.css"), *ROOT.glob("tools/*.css")]
    dropped = [(file.name, line) for file in sheets for line in re.findall(r"text-decoration: *[\w-]+ (?!!important)[^;]*", file.read_text(encoding="utf-8"))]
    assert len(sheets) > 30 and not dropped


def test_types():
    done = subprocess.run([str(NODE), str(book.TSC), "--project", "tests/jsconfig.json"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout


def defined(module, kind):
    """The public functions or classes that a module defines, by their names."""
    return {name: thing for name, thing in vars(importlib.import_module(module)).items()
            if kind(thing) and thing.__module__ == module and not name.startswith("_")}


def mechanism():
    """Every public function and class of the mechanism."""
    return {name: getattr(attnkit, name) for name in attnkit.__all__} | defined("attnkit.modules", inspect.isclass)


def test_attnkit_offers_every_function_and_class_of_its_modules():
    """What is written, but not offered, would be checked by nothing."""
    modules = {getattr(attnkit, name).__module__ for name in attnkit.__all__}
    assert {name for module in modules for kind in (inspect.isfunction, inspect.isclass) for name in defined(module, kind)} == set(attnkit.__all__)


def test_every_function_of_arrays_is_called_in_the_tests_of_all():
    """CALLS brings the tests that hold for every function; what makes an array from numbers, a mask, has no place there."""
    takes_arrays = {name for name in attnkit.__all__
                    if re.search(r"\nParameters\n-+\n\w+ : (floating-point )?array,", inspect.getdoc(getattr(attnkit, name)))}
    assert {name.split(",")[0] for name in CALLS} == takes_arrays


def test_the_mechanism_is_documented_in_full():
    """Every public function and class: on a page, and with every part of its docstring."""
    for name, thing in mechanism().items():
        module = thing.__module__.removeprefix("attnkit.")
        assert f".. automodule:: attnkit.{module}\n" in read(f"reference/{module}.md"), name
        parts = ["Parameters", "Examples", "References"] + ([] if inspect.isclass(thing) else ["Returns", "Raises"])
        for part in parts:
            assert f"\n{part}\n{'-' * len(part)}\n" in inspect.getdoc(thing), (name, part)
        assert re.search(r"\nChapter: \w+\.$", inspect.getdoc(thing)), name
        described = re.search(r"\nParameters\n-+\n(.*?)(?=\n\n\w+\n--|$)", inspect.getdoc(thing), flags=re.S)[1]
        names = {word for head in re.findall(r"^(\S.*?)(?: : .*)?$", described, flags=re.M) for word in re.findall(r"\w+", head)}
        assert set(inspect.signature(thing).parameters) <= names, (name, names)
        site = ROOT / "_build" / "html" / "reference" / f"{module}.html"
        assert f'id="attnkit.{module}.{name}"' in site.read_text(), name
    # The picture of the package knows every one of them.
    assert all(word in source.package_map().html() for word in mechanism())


def test_nothing_of_lessons_and_pictures_is_left_over():
    """Each module is asked for by a page, or by another."""
    asking = {path: path.read_text(encoding="utf-8") for folder in ("attnkit", "bookkit", "website", "tools", "chapters", "further", "reference", "index.ipynb")
              for path in (ROOT.glob(folder) if "." in folder else (*ROOT.glob(f"{folder}/**/*.py"), *ROOT.glob(f"{folder}/*.ipynb")))}
    for room in ("lessons", "pictures"):
        for file in (ROOT / "bookkit" / room).glob("[a-z]*.py"):
            name = rf"bookkit\.{room}\.{file.stem}\b|from bookkit\.{room} import [^#]*?\b{file.stem}\b"
            assert any(re.search(name, text) for path, text in asking.items() if path != file), file.name


# ---- what was measured once

@pytest.mark.parametrize("one, other, found", [
    (lambda n: n**2, lambda n: 700 * n, 700), (lambda n: 3 * n**2, lambda n: 40 * n**1.5, 178), (lambda n: n, lambda n: n / 2, 64),
    (lambda n: 1 + n**2, lambda n: n**2, 64), (lambda n: n, lambda n: 2 * n, None), (lambda n: 700 * n, lambda n: n**2, None),
    (lambda n: n, lambda n: n, None)])
def test_where_measured_lines_cross(one, other, found):
    """Powers of the length are straight lines; theirs cross where their formulas are equal, or not at all."""
    lengths = [2**k for k in range(6, 13)]
    assert bench.crossing(lengths, [one(n) for n in lengths], [other(n) for n in lengths]) == found


def test_a_crossing_is_the_last_one():
    """What is slower again further on was no crossing; and rows where one was not measured are left out."""
    assert bench.crossing([10, 100, 1000, 10_000], [2, 1, 10, 10], [1, 2, 100, 1]) == round(1000 * 10**0.5)
    rows = [{"n": 10, "ms": {"a": 1, "b": 10}}, {"n": 100, "ms": {"a": 10, "b": 1}}, {"n": 1000, "ms": {"b": 9}}]
    assert bench.crossings(rows, [("a", "b"), ("b", "a")]) == [{"from": "a", "to": "b", "n": 32}, {"from": "b", "to": "a", "n": None}]


MAKERS = {f"bench/{name}": part for name, part in bench.PARTS.items()} | study.STUDIES


def test_what_was_measured_says_what_it_is_and_names_its_command_and_machine():
    """Each file and each part of bench.json has what writes it, and nothing is left of what does not exist any more."""
    assert set(measured.parts()) == set(MAKERS)
    for name, part in measured.parts().items():
        assert set(part["machine"]) >= {"processor", "cores", "python", "numpy"}, name
        assert part["command"] == ("make bench" if name.startswith("bench/") else "make study"), name
        assert part["about"] == bench.first_line(MAKERS[name]), name


def test_what_was_measured_is_shown():
    """No page asks for what is not there, and nothing was measured for nobody."""
    asked = set().union(*measured.readers().values())
    assert set(measured.parts()) == asked | set(measured.BY_THE_SITE) and not asked & set(measured.BY_THE_SITE)


def test_a_page_says_which_numbers_are_not_recomputed():
    """The table on the site: a row for each part, with all pages that show it."""
    page = (ROOT / "_build/html/reference/colophon.html").read_text(encoding="utf-8").partition('id="changes"')[0]
    rows = re.findall(r"<tr class=.*?</tr>", page, flags=re.S)[1:]
    linked = [set(re.findall(r'href="\.\./((?:chapters|further)/\w+|)\.html"|href="(attnkit)\.html"', row)) for row in rows]
    assert len(linked) == len(measured.parts())
    for name, links in zip(measured.parts(), linked):
        assert {chapter or f"reference/{package}" for chapter, package in links} == {
            page for page, asked in measured.readers().items() if name in asked}, name
