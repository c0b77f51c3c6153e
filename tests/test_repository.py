"""One place for each fact: versions agree, actions are pinned, documents name what exists."""

import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml
from conftest import NODE, ROOT
from sample import CALLS
from table import each

import attnkit
from bookkit.figures import base
from bookkit.pictures import source
from tools import bench, book, faults, study
from website import measured, toc


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


def test_what_stands_alone_ends_the_lock():
    alone = [line.split("==")[0].split()[0] for line in read("tools/requirements.in").partition(book.ALONE)[2].splitlines() if line.strip()]
    assert alone and alone == re.findall(r"^([\w.-]+)==", read("requirements.lock").partition(book.ALONE)[2], flags=re.M)
    assert f"/^{book.ALONE[:12]}/" in read("postBuild")


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
    pins = {need.name: str(need.specifier).removeprefix("==") for need in map(Requirement, lines)}
    assert len(pins) == len(lines) and all(locked()[name] == version for name, version in pins.items())
    assert read("environment.yml") == book.environment(lines), "make lock writes it"
    wanted = [line.split("#")[0] for line in read("tools/requirements.in").partition("# ---- for the site")[0].splitlines()]
    assert {Requirement(line).name for line in wanted if line.strip()} <= set(pins) and "ipykernel" in pins
    # The packages themselves: what attnkit and bookkit need is there.
    asked = [d for file in ("pyproject.toml", "bookkit/pyproject.toml") for d in tomllib.loads(read(file))["project"]["dependencies"] if "attnkit" not in d]
    needs = [re.match(r"[\w-]+", d)[0] for d in asked]
    assert set(needs) <= set(pins)
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


def test_logo_is_drawn_by_its_code():
    from tools import logo
    assert read("website/static/logo.svg") == logo.logo()
    depths = [float(depth) for depth in re.findall(r'fill-opacity="([\d.]+)"', logo.logo())]
    assert depths == [pytest.approx(0.2 + 0.8 * weight, abs=.006) for row in logo.WEIGHTS for weight in row]
    assert f"published = np.array({logo.WEIGHTS})".replace(" ", "") in "".join(
        json.loads(read("index.ipynb"))["cells"][1]["source"]).replace(" ", "").replace("\n", "")


def test_text_fonts_come_with_their_licence():
    from website import book_fonts
    assert {path.stem for path in book_fonts.FONTS.glob("*.woff2")} == set(book_fonts.FACES)
    assert "SIL Open Font License, Version 1.1" in read("website/static/fonts/LICENSE")
    assert "website/static/fonts/LICENSE" in read("README.md")


def test_katex_fonts_are_those_of_the_bundled_script():
    from sphinxcontrib import katex
    css = read("website/node_modules/katex/dist/katex.min.css")
    assert f'content:"{katex.katex_version}"' in css
    fonts = set(re.findall(r"fonts/([\w-]+\.woff2)", css))
    assert fonts == {p.name for p in (ROOT / "website/node_modules/katex/dist/fonts").glob("*.woff2")}
    assert "MIT" in read("website/node_modules/katex/LICENSE")


WORKFLOWS = ["pages.yml", "tests.yml", "weekly.yml"]
LIMITS = {("weekly.yml", "study"): 240}      # minutes; a task of two hours on two processors
MAY_WRITE = {("pages.yml", "deploy"): {"pages": "write", "id-token": "write"}, ("pages.yml", "colab"): {"contents": "write"}}


def test_every_workflow_is_known():
    assert sorted(path.name for path in (ROOT / ".github/workflows").iterdir()) == WORKFLOWS


@each("name", WORKFLOWS)
def test_workflows(name):
    workflow = yaml.safe_load(read(f".github/workflows/{name}"))
    assert workflow["permissions"] == {"contents": "read"}
    uses = re.findall(r"uses: (\S+)( # v[\d.]+)?", read(f".github/workflows/{name}"))
    assert uses and all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action) and version for action, version in uses)
    for title, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= LIMITS.get((name, title), 60)
        rights = job.get("permissions", {})
        assert rights == MAY_WRITE.get((name, title), {}) or set(rights.values()) == {"read"}, title


def test_ci_runs_the_same_command():
    """In one, or in the parts of it, all of them, on the site that was built once."""
    assert read(".ci/run").splitlines()[-1] == "REQUIRE_BROWSER=1 REQUIRE_OTHERS=Firefox,WebKit make test ALL=1"
    build, test = yaml.safe_load(read(".github/workflows/tests.yml"))["jobs"].values()
    assert {"run": "make book"} in build["steps"] and test["needs"] == "build"
    assert {"run": "make test PART=${{ matrix.part }}", "env": {"REQUIRE_BROWSER": "1"}} in test["steps"]
    assert test["strategy"]["matrix"]["part"] == list(book.PARTS)


def test_what_takes_long_runs_every_week():
    """Each with twice the time that its task says it takes."""
    jobs = yaml.safe_load(read(".github/workflows/weekly.yml"))["jobs"]
    limits = {step["run"].removeprefix("make "): job["timeout-minutes"] for job in jobs.values() for step in job["steps"] if "run" in step}
    limits |= {task: jobs["task"]["timeout-minutes"] for task in jobs["task"]["strategy"]["matrix"]["task"]}
    assert {"speed", "reproduce", "mutants", "faults", "pages", "study", "versions", "binder", "links", "spelling"} <= set(limits)
    for task in set(limits) & set(book.TASKS):
        takes = re.search(r"\(about (\w+) (minutes|hours)", book.TASKS[task].__doc__)
        minutes = {"two": 120}.get(takes[1]) or int(takes[1])
        assert limits[task] >= 2 * minutes, f"make {task} takes {minutes} minutes and is stopped after {limits[task]}"


@each("fault", faults.FAULTS)
def test_a_fault_can_still_be_planted(fault):
    """The text that it changes is there, and so is the test that is to catch it; whether that one does, `make faults` asks."""
    assert faults.planted(fault, read(fault.file)) != read(fault.file)
    if fault.catcher != faults.BUILD:
        catcher, _, test = fault.catcher.partition("::")
        assert (ROOT / catcher).exists() and (not test or f"\ndef {test.split('[')[0]}(" in read(catcher)), fault.catcher


def make(*arguments):
    """Make as typed in a shell: `make test ALL=1`, which runs this test, hands nothing on."""
    env = {name: value for name, value in os.environ.items() if not re.match(r"MAKE|MFLAGS$|ALL$|ONLY$|PART$", name)}
    return subprocess.run(["make", "--no-print-directory", "-C", str(ROOT), *arguments], capture_output=True, text=True, env=env)


def test_make_hands_everything_to_the_tasks():
    """What there is stands in tools/book.py alone: make lists it, passes options on, and refuses what there is not."""
    listed = dict(re.findall(r"^  make ([a-z]+) +(\S.*)$", make().stdout, flags=re.M))
    assert listed == {name: task.__doc__ for name, task in book.TASKS.items()} and len(listed) > 10
    handed = re.sub(" +", " ", make("-n", "check", "ONLY=softmax masks", "PART=pages", "ALL=1").stdout)
    assert handed.rstrip().endswith('tools/book.py check --only "softmax masks" --part pages --all')
    assert not re.search(r"^(?!help)[a-z]+:", read("Makefile"), flags=re.M), "a target in a second place"
    assert "invalid choice: 'bok'" in make("bok").stderr
    assert "book takes no --only" in make("book", "ONLY=softmax").stderr


@each("name", ["README.md", "CONTRIBUTING.md"])
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


@pytest.fixture
def copy_left_behind():
    """A copy of the book, as an interrupted task leaves it in _build: with a configuration of its own."""
    folder = ROOT / "_build" / "left behind"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "tests" / "javascript.jsonc", folder / "biome.jsonc")
    (folder / "wrong.py").write_text("import nothing")
    yield
    shutil.rmtree(folder)


def test_style(copy_left_behind):
    for command in ([sys.executable, "-m", "ruff", "check", "--no-cache", str(ROOT)], [str(NODE), str(book.BIOME), "check", "--error-on-warnings", *book.STYLE]):
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr


def types(*arguments, cwd=ROOT):
    return subprocess.run([str(NODE), str(book.TSC), *arguments], capture_output=True, text=True, cwd=cwd)


def test_lines_under_words_are_seen_in_every_browser():
    """Safari before 26.2 drops `text-decoration` whole where it has more than one value: each stands by its own name."""
    sheets = [*ROOT.glob("bookkit/**/*.css"), *ROOT.glob("website/*.css"), *ROOT.glob("website/static/*.css"), *ROOT.glob("tools/*.css")]
    dropped = [(file.name, line) for file in sheets for line in re.findall(r"text-decoration: *[\w-]+ (?!!important)[^;]*", file.read_text(encoding="utf-8"))]
    assert len(sheets) > 30 and not dropped


def test_types():
    done = types("--project", "tests/jsconfig.json")
    assert done.returncode == 0, done.stdout


MISTAKES = [     # in dense_heads.js: what stands there, what is planted, what TypeScript says
    ("max: 40,", "", "Property 'max' is missing"),
    ('trait: "sharpness"', 'trait: "sharpnes"', """Type '"sharpnes"' is not assignable"""),
    ("update({ sharpness })", "update({ sharp })", "Property 'sharp' does not exist"),
    ('figure.given("items", "blocks")', 'figure.given("items", "blok")', """'"blok"' is not assignable"""),
    ("attnkit.write(node, fixed(value))", "attnkit.write(node, value)", "'number' is not assignable to parameter of type 'string'"),
    ("const pieces = reads.map((row, i) => attnkit.dot(row, blocks[i]))", "const pieces = reads.map((row, i) => attnkit.dot(row, blocks))", "'Matrix' is not assignable to parameter of type 'number[]'"),
    ("attnkit.compact(gap)", "attnkit.compcat(gap)", "Property 'compcat' does not exist"),
    ('vmax, kind);', 'vmax, "weights");', """'"weights"' is not assignable to parameter of type 'Fill"""),
    ("parts: [element, controls(figure)]", "parts: [table(blocks)]", "'parts'"),
]


def test_the_types_catch_mistakes(tmp_path):
    """Each mistake, planted in a copy of a figure's script, is found, and nothing is found in the script itself."""
    folder = tmp_path / "bookkit" / "figures"
    shutil.copytree(ROOT / "bookkit" / "figures", folder, ignore=lambda _, names: {n for n in names if n not in ("core.js", "attnkit.d.ts")})
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "jsconfig.json", tmp_path / "tests")
    script = (ROOT / "bookkit" / "figures" / "dense_heads.js").read_text()
    (folder / "planted.js").write_text(script)
    for k, (old, new, _) in enumerate(MISTAKES):
        assert script.count(old) == 1, old
        (folder / f"planted{k}.js").write_text(script.replace(old, new))
    found = re.split(r"^(?=bookkit/)", types("--project", "tests/jsconfig.json", "--pretty", "false", cwd=tmp_path).stdout, flags=re.M)
    for k, (_, new, message) in enumerate(MISTAKES):
        said = [text for text in found if text.startswith(f"bookkit/figures/planted{k}.js(")]
        assert any(message in text for text in said), (new, said)
    assert all(re.match(r"bookkit/figures/planted\d+\.js", text) for text in found if text)


def fields(script, name):
    """The names in a type of a script: `@typedef {{ a: number, b: string }} Name`, or a composition of such types by &."""
    kind = re.search(rf"@typedef \{{(.*)\}} {name}\b", script)
    if kind is None:
        return set()
    flat = kind[1]
    while (inner := re.sub(r"\[[^\[\]{}]*\]|(?<=: )\{[^{}]*\}|<[^<>]*>", "", flat)) != flat:
        flat = inner
    return set(re.findall(r"(\w+)\??:", flat)) | {own for part in re.findall(r"[A-Z]\w+", re.sub(r"\{.*?\}", "", flat)) for own in fields(script, part)}


@each("kind", base.kinds())
def test_types_name_the_traits(kind):
    """The scripts say what Python gives them: `State` is what the reader can change, `Given` is the rest."""
    module = importlib.import_module(f"bookkit.figures.{kind}")
    [figure] = [made for made in vars(module).values() if isinstance(made, type) and issubclass(made, base.Figure) and vars(made).get("kind") == kind]
    own = {name for name, trait in figure.class_traits(sync=True).items() if trait.this_class is figure}
    changed = set(figure.class_traits(reset=True))
    script = base.source(kind)
    assert fields(script, "State") == changed
    assert fields(script, "Given") == own - changed


def test_types_list_what_scripts_share():
    """Attnkit, as attnkit.d.ts describes it, is what core.js and the shared scripts beside it make."""
    text = read("bookkit/figures/attnkit.d.ts")
    listed = set(re.findall(r"^  (\w+)[<(:]", re.search(r"^interface Attnkit \{(.*?)^\}", text, flags=re.M | re.S)[1], flags=re.M))
    code = f"for (const name of {['core', 'page', *base.NEEDS]}) require({str(ROOT / 'bookkit/figures')!r} + '/' + name + '.js'); console.log(Object.keys(attnkit).join())"
    done = subprocess.run([str(NODE), "-e", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.strip().split(",")) == listed


def test_licences_and_citation():
    assert "MIT License" in read("LICENSE") and "Attribution 4.0 International" in read("LICENSE-text")
    citation = yaml.safe_load(read("CITATION.cff"))
    assert citation["title"] == "Attention, Step by Step" and citation["license"] == ["MIT", "CC-BY-4.0"]


def test_what_is_not_the_package_is_imported_from_one_place():
    """website and tools are found from the book's folder, named once for pytest and once for Sphinx; no wheel holds them."""
    settings = tomllib.loads(read("pyproject.toml"))["tool"]
    assert settings["pytest"]["ini_options"]["pythonpath"] == ["."] and settings["setuptools"]["packages"]["find"]["include"] == ["attnkit*"]
    assert set(yaml.safe_load(read("_config.yml"))["sphinx"]["local_extensions"].values()) == {"."}
    for folder in ("website", "tests", "tools"):
        for path in (ROOT / folder).rglob("*.py"):
            # Two tools write it into notebooks that come alone.
            assert not re.search(r"\bsys\.path\b", path.read_text()) or path.name in ("test_repository.py", "homework.py", "colab.py"), path


# ---- which tests are about which modules

@each("room", ["lessons", "pictures"])
def test_tests_of_a_module_have_its_name(room):
    """Who changes a module finds its tests by the name."""
    for path in (ROOT / "tests" / room).glob("test_*.py"):
        module = f"bookkit.{room}.{path.stem.removeprefix('test_')}"
        assert path.stem == "test_every_picture" or importlib.util.find_spec(module), f"{path}: there is no {module}"


def test_pages_that_import_a_module(tmp_path):
    (tmp_path / "_toc.yml").write_text("{format: jb-book, root: index, parts: [{caption: One, chapters: [{file: a/b}]}]}")
    (tmp_path / "a").mkdir()
    for name, lines in (("index", "import one.two\nfrom three import four, five"), ("a/b", "def f():\n    from one import two as six")):
        (tmp_path / f"{name}.ipynb").write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "from x import y"}, {"cell_type": "code", "source": lines}]}))
    assert toc.importing("one.two", tmp_path) == ["index", "a/b"] and toc.importing("three.five", tmp_path) == ["index"]
    assert toc.importing("three", tmp_path) == ["index"] and not toc.importing("six", tmp_path) and not toc.importing("x", tmp_path)


def test_generated_things_stay_out_of_git():
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True)
    if done.returncode == 0:
        assert not re.search(r"^(_build|\.venv|.*node_modules|.*__pycache__)", done.stdout, flags=re.M)


def test_a_checkout_has_the_same_bytes_everywhere(tmp_path):
    """Where git is told to write carriage returns, too: they would break postBuild and .ci/run, hashes and comparisons."""
    names = ["postBuild", ".ci/run", "index.ipynb", "tools/book.py", "_static/fonts/mono.woff2", *(f"{kind}.{kind}" for kind in ("png", "webp"))]
    git = ["git", "-c", "core.autocrlf=true", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q", tmp_path / "one"], check=True)
    for name in [".gitattributes", *names]:
        (tmp_path / "one" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "one" / name).write_bytes((ROOT / name).read_bytes() if (ROOT / name).exists() else b"a line\r\n")
    for command in (["add", "."], ["commit", "-qm", "all"], ["clone", "-q", ".", tmp_path / "two"]):
        subprocess.run([*git, *command], cwd=tmp_path / "one", check=True, capture_output=True)
    for name in names:
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes(), name


def defined(module, kind):
    """The public functions or classes that a module defines, by their names."""
    return {name: thing for name, thing in vars(importlib.import_module(module)).items()
            if kind(thing) and thing.__module__ == module and not name.startswith("_")}


def mechanism():
    """Every public function and class of the mechanism."""
    return {name: getattr(attnkit, name) for name in attnkit.__all__} | defined("attnkit.modules", inspect.isclass)


def test_attnkit_offers_every_function_of_its_modules():
    """A function that is written, but not offered, would be checked by nothing."""
    modules = {getattr(attnkit, name).__module__ for name in attnkit.__all__}
    assert {name for module in modules for name in defined(module, inspect.isfunction)} == set(attnkit.__all__)


def test_every_function_of_arrays_is_called_in_the_tests_of_all():
    """CALLS brings the tests that hold for every function; what makes an array from numbers, a mask, has no place there."""
    takes_arrays = {name for name in attnkit.__all__
                    if re.search(r"\nParameters\n-+\n\w+ : (floating-point )?array,", inspect.getdoc(getattr(attnkit, name)))}
    assert {name.split(",")[0] for name in CALLS} == takes_arrays


def test_the_mechanism_is_documented_in_full():
    """Every public function and class: on a page, and with every part of its docstring."""
    for name, thing in mechanism().items():
        module = thing.__module__.removeprefix("attnkit.")
        page = module.replace("gates", "equivalences")
        assert f".. automodule:: attnkit.{module}\n" in read(f"reference/{page}.md"), name
        parts = ["Parameters", "Examples", "References"] + ([] if inspect.isclass(thing) else ["Returns", "Raises"])
        for part in parts:
            assert f"\n{part}\n{'-' * len(part)}\n" in inspect.getdoc(thing), (name, part)
        assert re.search(r"\nChapter: \w+\.$", inspect.getdoc(thing)), name
        described = re.search(r"\nParameters\n-+\n(.*?)(?=\n\n\w+\n--|$)", inspect.getdoc(thing), flags=re.S)[1]
        names = {word for head in re.findall(r"^(\S.*?)(?: : .*)?$", described, flags=re.M) for word in re.findall(r"\w+", head)}
        assert set(inspect.signature(thing).parameters) <= names, (name, names)
        site = ROOT / "_build" / "html" / "reference" / f"{page}.html"
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


def test_mutants_are_explained():
    """The list that `make mutants` compares with: each entry takes lines away that stand in the function it names."""
    entries = yaml.safe_load(read("tests/equivalent_mutants.yml"))
    assert len({(entry["in"], entry["to"]) for entry in entries}) == len(entries) > 0
    for entry in entries:
        assert set(entry) == {"in", "from", "to", "why"} and len(entry["why"]) > 10
        module, _, names = entry["in"].removeprefix("attnkit.").partition(".")
        thing = importlib.import_module(f"attnkit.{module}")
        for name in names.split("."):
            thing = getattr(thing, name)
        text = " ".join(line.strip() for line in inspect.getsource(thing).splitlines())
        assert entry["from"] in text and entry["to"] not in text, entry


# ---- what was measured once

@each("one, other, found", [
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
