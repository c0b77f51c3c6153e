"""What makes the site: the table of contents read in full, the address, the fingerprint, the line under a title."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from conftest import NODE, ROOT

from _ext import book_maths, book_road, book_site, book_styles
from attnkit.figures import base
from booklib import executed, toc
from tools import book

TOC = """
format: jb-book
root: index
parts:
  - caption: One
    chapters:
      - file: chapters/first
        sections:
          - file: further/first
            sections:
              - file: further/deeper
      - file: chapters/second
  - caption: Back
    chapters:
      - file: reference/pages
      - file: chapters/list
"""
NOTEBOOKS = ["index", "chapters/first", "further/first", "further/deeper", "chapters/second", "reference/pages"]


def notebook(*cells):
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def code(source, *outputs, tags=()):
    return {"cell_type": "code", "source": source, "metadata": {"tags": list(tags)} if tags else {},
            "outputs": [{"output_type": "display_data", "data": data} for data in outputs]}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A book of seven pages, three of them nested."""
    (tmp_path / "_toc.yml").write_text(TOC)
    for name in NOTEBOOKS:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.ipynb").write_text(notebook())
    (tmp_path / "chapters/list.md").write_text("# A list")
    for name in ("_config.yml", "references.bib", "requirements.lock", "attnkit/deep/figure.js", "_ext/site.py", "_ext/deep/site.js", "_static/fonts/a.woff2",
                 "measured/bench.json", "further/picture.png", "README.md", "tests/test_it.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    shutil.copytree(ROOT / "booklib", tmp_path / "booklib", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(book, "ROOT", tmp_path)
    for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_REF_NAME", "BOOK_BASEURL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


# ---- the table of contents

def test_toc_is_read_at_every_depth(small):
    assert toc.pages(small) == [*NOTEBOOKS, "chapters/list"]
    assert toc.parents(small)["further/deeper"] == "further/first" and toc.parents(small)["chapters/second"] is None
    (small / "_toc.yml").write_text(TOC.replace("file: chapters/second", "file: further/first"))
    assert toc.pages(small).count("further/first") == 2, "a page named twice is seen"
    (small / "_toc.yml").write_text(TOC)
    assert toc.notebooks(small) == [f"{name}.ipynb" for name in NOTEBOOKS]
    assert toc.chapters(small) == NOTEBOOKS[1:5]
    assert toc.road(small) == ["index", "chapters/first", "chapters/second"]
    assert toc.trips(small) == []
    (small / "_toc.yml").write_text(TOC.replace("caption: Back", 'caption: "Side trips: one"\n    chapters:\n      - file: chapters/third\n  - caption: Back'))
    (small / "chapters/third.ipynb").write_text(notebook({"cell_type": "markdown", "source": "Back to [first](first.ipynb), or on."}, code("1")))
    assert toc.trips(small) == ["chapters/third"] and toc.road(small)[-1] == "chapters/second" and toc.branch("chapters/third", small) == "chapters/first"
    (small / "chapters/third.ipynb").write_text(notebook({"cell_type": "markdown", "source": "Next: [first](first.ipynb)."}))
    assert toc.branch("chapters/third", small) is None
    (small / "_toc.yml").write_text(TOC)
    assert toc.slug("chapters/first.ipynb") == toc.slug("further/first") == "first"
    assert toc.chapter("first", small) == "chapters/first" and toc.chapter("deeper", small) == "further/deeper"
    assert toc.chapter("nothing", small) is None
    assert book.toc() == toc.notebooks(small) and book.toc("--pages") == toc.pages(small)
    assert book.toc("--slugs") == ["first", "first", "deeper", "second"]


def test_one_chapter_must_exist(small, monkeypatch):
    monkeypatch.setattr(book, "setup", lambda: None)
    with pytest.raises(SystemExit, match="there is no chapter 'third'; there are first, deeper, second"):
        book.test("third")
    with pytest.raises(SystemExit, match="there is no chapter 'third'"):
        book.notebooks("third")


# ---- the fingerprint

MATTERS = ["_toc.yml", "_config.yml", "index.ipynb", "chapters/first.ipynb", "further/deeper.ipynb", "further/picture.png", "chapters/list.md",
           "reference/pages.ipynb", "references.bib", "requirements.lock", "attnkit/deep/figure.js", "_ext/site.py", "_ext/deep/site.js",
           "_static/fonts/a.woff2", "measured/bench.json", "booklib/road.py", "booklib/toc.py"]


@pytest.mark.parametrize("name", MATTERS)
def test_fingerprint_sees_a_change_of_what_the_site_is_made_from(small, name):
    before = book.fingerprint()
    assert book.fingerprint() == before
    with (small / name).open("a") as file:
        file.write("\n# changed")
    assert book.fingerprint() != before


def test_fingerprint_sees_new_files_and_addresses_and_nothing_else(small, monkeypatch):
    before = book.fingerprint()
    for name in ("README.md", "tests/test_it.py"):
        (small / name).write_text("changed")
    assert book.fingerprint() == before
    (small / "chapters" / "new.png").write_text("a picture")
    added = book.fingerprint()
    assert added != before
    monkeypatch.setenv("GITHUB_REPOSITORY", "somebody/book")
    addressed = book.fingerprint()
    assert addressed not in (before, added)
    subprocess.run(["git", "init", "-q"], cwd=small, check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://github.com/somebody/book"], cwd=small, check=True)
    assert book.fingerprint() not in (before, added, addressed)


# ---- one chapter alone

def test_only_chooses_what_is_about_a_chapter():
    """Its notebook and its side room's, what is asked of their pages, and the tests of its figures; nothing of another page."""
    files = ["tests/figures", "tests/test_site.py", "tests/test_road.py", "tests/lessons/test_exercises.py", "tests/lessons/test_stories.py",
             "chapters/writing.ipynb", "further/writing.ipynb", "chapters/weights.ipynb"]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--only", "writing", "--nbval", "--nbval-current-env", *files]
    chosen = [line for line in subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines() if "::" in line]
    for wanted in ("chapters/writing.ipynb::Cell 0", "further/writing.ipynb::Cell 0", "test_story_writer.py::test_a_story_by_hand",
                   "test_story_writer.py::test_story_writer_arithmetic", "test_static_form[story_writer", "test_loads_cleanly[chapters/writing, ",
                   "test_accessible[further/writing, ", "test_road.py::test_a_page_takes_no_longer_than_its_minutes[chapters/writing]",
                   "test_every_control_changes_something_by_keyboard[chapters/writing, ", "test_exercises.py::", "test_stories.py::"):
        assert any(wanted in line for line in chosen), f"--only writing leaves out {wanted}"
    others = {toc.slug(page) for page in toc.chapters()} - {"writing"}
    strange = [line for line in chosen if any(re.search(rf"[\[/]{slug}(\.ipynb|[\],/])", line) for slug in others) or (
        re.search(r"tests/figures/test_(\w+)\.py", line) or ["", "story_writer"])[1] not in ("story_writer", "practice", "every_figure", "on_the_page")]
    assert not strange, strange[:5]


# ---- notebooks that need not be executed again

def test_a_notebook_is_taken_over_while_nothing_it_is_made_from_has_changed(small):
    names = toc.notebooks(small)
    assert executed.known(names, small) == set()
    executed.remember(executed.fingerprints(names[1:], small), small)
    assert executed.known(names, small) == set(names[1:])
    (small / names[2]).write_text(notebook(code(["x = 1"])))
    assert executed.known(names, small) == set(names[1:]) - {names[2]} and executed.cells(names[2], small) == 1
    executed.remember(executed.fingerprints(names[:1], small), small)
    assert executed.known(names, small) == set(names) - {names[2]}, "what was known stays known"


@pytest.mark.parametrize("name", ["attnkit/deep/figure.js", "measured/bench.json", "requirements.lock", "_toc.yml", "booklib/road.py"])
def test_what_a_notebook_is_made_from_counts(small, name):
    executed.remember(executed.fingerprints(toc.notebooks(small), small), small)
    with (small / name).open("a") as file:
        file.write("\n# changed")
    assert executed.known(toc.notebooks(small), small) == set()


def test_the_note_holds_what_was_right_and_no_more(tmp_path):
    """Known notebooks are left out, and said to be; one that fails, or of which not all was run, does not become known."""
    for name in ("measured", "attnkit"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "booklib", tmp_path / "booklib")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "requirements.lock").write_text("")
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests/conftest.py", tmp_path / "tests")
    lines = {"right": ["1 + 1"], "wrong": ["1 / 0"], "both": ["1 + 1", "2 + 2"], "known": ["1 / 0"]}
    (tmp_path / "_toc.yml").write_text("root: right\nparts:\n- caption: One\n  chapters:\n" + "".join(
        f"  - file: {name}\n" for name in ("wrong", "both", "known")))
    for name in lines:
        cells = [code([line]) | {"id": f"c{k}", "execution_count": k} for k, line in enumerate(lines[name], 1)]
        for k, cell in enumerate(cells, 1):
            cell["outputs"] = [{"output_type": "execute_result", "execution_count": k, "metadata": {}, "data": {"text/plain": str(2 * k)}}]
        (tmp_path / f"{name}.ipynb").write_text(notebook(*cells))
    executed.remember(executed.fingerprints(["known.ipynb"], tmp_path), tmp_path)
    said = subprocess.run([sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env", "-n", "1", "-p", "no:cacheprovider", "tests",
                           "right.ipynb", "wrong.ipynb", "both.ipynb::Cell 0", "known.ipynb"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert "1 failed, 2 passed" in said and "Taken over: 1 notebook," in said, said
    assert set(executed.remembered(tmp_path)) == {"right.ipynb", "known.ipynb"}
    assert executed.known(toc.notebooks(tmp_path), tmp_path) == {"right.ipynb", "known.ipynb"}


# ---- the address of the repository

@pytest.mark.parametrize("remote, address", [
    ("https://github.com/some.body/a-book", "https://github.com/some.body/a-book"),
    ("https://github.com/some.body/a-book.git", "https://github.com/some.body/a-book"),
    ("git@github.com:somebody/a.book.git", "https://github.com/somebody/a.book"),
    ("ssh://git@github.com/somebody/book/", "https://github.com/somebody/book"),
    ("https://example.org/somebody/book", None),
    ("https://github.com.example.org/somebody/book", None),
    ("/home/somebody/book", None),
    (None, None)])
def test_repository_from_the_remote(small, remote, address):
    subprocess.run(["git", "init", "-q"], cwd=small, check=True)
    if remote:
        subprocess.run(["git", "remote", "add", "origin", remote], cwd=small, check=True)
    assert book_site.repository(small) == (address and (address, "main"))


def test_repository_from_the_ci_comes_first(small, monkeypatch):
    subprocess.run(["git", "init", "-q"], cwd=small, check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://github.com/somebody/book"], cwd=small, check=True)
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://forge.example.org")
    assert book_site.repository(small) == ("https://github.com/somebody/book", "main"), "the name is missing"
    monkeypatch.setenv("GITHUB_REPOSITORY", "them/theirs")
    assert book_site.repository(small) == ("https://forge.example.org/them/theirs", "main")
    monkeypatch.setenv("GITHUB_REF_NAME", "draft")
    assert book_site.repository(small) == ("https://forge.example.org/them/theirs", "draft")


# ---- the line under a title

def test_how_long_rounds_the_minutes_and_names_the_seconds(small):
    """What a minute is made of, tests/test_road.py asks."""
    text = {"cell_type": "markdown", "source": ["word " * 300, "\n", "word " * 200], "metadata": {}}
    (small / "chapters/second.ipynb").write_text(notebook(text, code(["x = 1\n"] * 15)))      # 2.5 and 1.25 minutes
    (small / "measured/bench.json").write_text(json.dumps({"chapters": {"seconds": {"chapters/second.ipynb": 7.6}}}))
    line = book_road.how_long(small, "chapters/second")
    assert "About 4 minutes to read, without the exercises; its code runs in 8 s (measured once)." in line
    text["source"] *= 2
    (small / "chapters/second.ipynb").write_text(notebook(text, code(["x = 1\n"] * 15)))
    assert "About 6 minutes to read" in book_road.how_long(small, "chapters/second")


def test_how_long_stands_under_chapters_only(small):
    (small / "measured/bench.json").write_text(json.dumps({"chapters": {"seconds": {}}}))
    for name in ("chapters/first", "further/deeper"):
        line = book_road.how_long(small, name)
        assert "About 0 minutes to read" in line and "run in" not in line
    for name in ("index", "reference/pages", "chapters/list", "search"):
        assert book_road.how_long(small, name) == ""


# ---- maths

def test_a_formula_is_rendered_once_and_a_wrong_one_named():
    book_maths.prepare_katex()
    one = book_maths.rendered(r"\frac{1}{2}")
    assert one is book_maths.rendered(r"\frac{1}{2}") is book_maths.formula(r"\frac{1}{2}", False)
    shown = book_maths.rendered(r"\frac{1}{2}", {"displayMode": True})
    assert shown != one and "katex-display" in shown and "<math" in one
    with pytest.raises(book_maths.katex.KaTeXError):
        book_maths.formula(r"\frac{1}{", False)


def test_rules_without_a_use_are_left_out():
    """A rule goes only if each of its selectors needs a class that nobody names; all else stays, in its order."""
    sheet = """.used{a:1} .unused{a:2} p.unused,.used .unused{a:3} .unused,p{a:4} .used:not(.unused){a:5}
        @media print{.unused{a:6} .used{a:7}} @media screen{.unused{a:8}} html[x]{.unused{a:9}} #used .a{a:10}"""
    unused = book_styles.unused(sheet, {"used", "a"})
    assert unused == {"unused"}
    assert book_styles.used_rules(sheet, unused) == (
        ".used{a:1}.unused,p{a:4}.used:not(.unused){a:5}@media print{.used{a:7}}#used .a{a:10}")


BARE = """const ts = require(process.argv[1]);
    const bare = (text) => ts.transpileModule(text, {compilerOptions: {removeComments: true, target: "esnext"}}).outputText;
    console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map((pair) => pair.map(bare))));"""


def test_only_comments_are_left_out():
    """What the site's scripts do without is comments, as TypeScript sees them: not a line of code, nor of a text."""
    scripts = {kind: base.source(kind) for kind in [*base.SHARED, *base.kinds()]}
    pairs = [(text, base.script(kind)) for kind, text in scripts.items()]
    done = subprocess.run([str(NODE), "-e", BARE, str(book.TSC.parent.parent)], input=json.dumps(pairs), capture_output=True, text=True, check=True)
    for kind, (_, bare), (whole, shipped) in zip(scripts, pairs, json.loads(done.stdout)):
        assert whole == shipped, kind
        assert not re.search(r"^\s*(//.*|/\*.*\*/|\*/?)$", bare, flags=re.M), kind
    text = "a(`\n  b`); // c\n/** @type {D} */\n  // e\n  /**\n   * @param {F} g\n   */\nh();\n"
    assert re.sub(base.COMMENTS, "", text, flags=re.M | re.S) == "a(`\n  b`); // c\nh();\n"


def test_the_site_is_packed_whole_and_the_same_twice(tmp_path, monkeypatch, capsys):
    """All files but the mark of what it was built from, under one folder, whatever their dates."""
    site = tmp_path / "_build" / "html"
    (site / "chapters").mkdir(parents=True)
    for name, text in (("index.html", "cover"), ("chapters/weights.html", "é"), (".built-from", "abc")):
        (site / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(book, "book", lambda: None)
    monkeypatch.setattr(book, "ROOT", tmp_path)
    monkeypatch.setattr(book, "SITE", site)
    found = []
    for _ in range(2):
        book.zip()
        found.append((tmp_path / "_build" / "attention-step-by-step.zip").read_bytes())
        os.utime(site / "index.html", (10**9, 10**9))
    assert found[0] == found[1] and "attention-step-by-step.zip has 0 MB" in capsys.readouterr().out
    with zipfile.ZipFile(tmp_path / "_build" / "attention-step-by-step.zip") as packed:
        assert packed.namelist() == ["attention-step-by-step/chapters/weights.html", "attention-step-by-step/index.html"]
        assert packed.read("attention-step-by-step/chapters/weights.html").decode() == "é"
