"""What makes the site: the table of contents read in full, the address, the fingerprint, the line under a title."""

import compileall
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import pytest
from conftest import ROOT
from sphinx.errors import ConfigError

from bookkit.figures import base
from tools import book
from website import addresses, book_maths, book_road, book_sharing, book_site, book_styles, executed, toc

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
    for name in ("_config.yml", "data/references.bib", "requirements.lock", "bookkit/deep/figure.js", "attnkit/masks.py", "website/site.py", "website/deep/site.js", "website/static/fonts/a.woff2",
                 "data/measured/bench.json", "further/picture.png", "README.md", "tests/test_it.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    shutil.copytree(ROOT / "website", tmp_path / "website", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__", "node_modules", "static"))
    monkeypatch.setattr(book, "ROOT", tmp_path)
    for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_REF_NAME", "BOOK_BASEURL", "BOOK_HUB", "BOOK_COLAB"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


STARTUP = "get_ipython().display_formatter.formatters['text/plain'].for_type(int, lambda n, p, cycle: p.text('a number'))"


@pytest.fixture
def other(tmp_path, monkeypatch):
    """A machine with settings of all kinds, and with another attnkit that everything points to."""
    for name, text in (("other/attnkit/__init__.py", ""), ("other/website/__init__.py", ""), ("settings/profile_default/startup/hello.py", STARTUP),
                       ("settings/ipython_config.py", "c.InteractiveShell.colors = 'linux'"), ("settings/matplotlibrc", "axes.linewidth: 9")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    here = str(tmp_path / "settings")
    for name, value in {"PYTHONPATH": str(tmp_path / "other"), "PIP_USER": "1", "PIP_TARGET": here, "PIP_PREFIX": here, "IPYTHONDIR": here,
                        "MATPLOTLIBRC": here, "MPLCONFIGDIR": here, "TZ": "Asia/Tokyo", "LC_ALL": "de_DE.ISO-8859-1", "LANG": "de_DE.ISO-8859-1"}.items():
        monkeypatch.setenv(name, value)
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
    assert toc.trips(small) == toc.lane(small) == []
    (small / "data/lane.yml").write_text("second: told\ndeeper: too\n")
    assert toc.lane(small) == ["chapters/second"]
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


# ---- the fingerprint

MATTERS = ["_toc.yml", "_config.yml", "index.ipynb", "chapters/first.ipynb", "further/deeper.ipynb", "further/picture.png", "chapters/list.md",
           "reference/pages.ipynb", "data/references.bib", "requirements.lock", "bookkit/deep/figure.js", "attnkit/masks.py", "website/site.py", "website/deep/site.js",
           "website/static/fonts/a.woff2", "data/measured/bench.json", "website/road.py", "website/toc.py"]


def test_a_change_of_what_the_site_is_made_from_is_seen(small):
    before, _ = book.made_from()
    assert book.made_from()[0] == before
    for name in MATTERS:
        with (small / name).open("a") as file:
            file.write("\n# changed")
        now, pages = book.made_from()
        assert {other for other in now if now[other] != before.get(other)} == {name}
        before = now
        assert (name in pages) == (name.endswith(("ipynb", ".md"))), name


def test_new_files_and_addresses_are_seen_and_nothing_else(small, monkeypatch):
    before, _ = book.made_from()
    for name in ("README.md", "tests/test_it.py"):
        (small / name).write_text("changed")
    assert book.made_from()[0] == before
    (small / "chapters" / "new.png").write_text("a picture")
    added, _ = book.made_from()
    assert added.keys() - before.keys() == {"chapters/new.png"}
    subprocess.run(["git", "init", "-q"], cwd=small, check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://github.com/somebody/book"], cwd=small, check=True)
    addressed = book.made_from()[0]["addresses"]
    assert addressed != added["addresses"]
    monkeypatch.setenv("BOOK_BASEURL", "https://a.example/b")
    assert book.made_from()[0]["addresses"] not in (added["addresses"], addressed)


# ---- notebooks that need not be executed again

def test_a_notebook_is_taken_over_while_nothing_it_is_made_from_has_changed(small):
    """Its words may change, and what it has not read; its code, what its code shows, and what it read may not."""
    names, own = toc.notebooks(small), ["attnkit/masks.py", "data/measured/bench.json", "bookkit/deep/"]
    made = {name: [f"{small}/{path}" for path in [*own, "bookkit/deep/figure.js", ".venv/lib/numpy.py"]] for name in names}
    assert executed.known(names, small) == set()
    executed.remember({name: made[name] for name in names[1:]}, executed.snapshot(names, small), small)
    assert executed.known(names, small) == set(names[1:])
    assert set(executed.remembered(small)[names[1]]["files"]) == set(own), "neither a figure's script nor what is no part of the book"
    (small / names[1]).write_text(notebook({"cell_type": "markdown", "source": "Other words."}))
    for name in ("_toc.yml", "website/road.py", "data/references.bib", "bookkit/deep/figure.js"):
        (small / name).write_text("changed")
    assert executed.known(names, small) == set(names[1:])
    for change in (code(["x = 1"]), code(["x = 1"], {"text/plain": "1"})):
        (small / names[2]).write_text(notebook(change))
        assert executed.known(names, small) == set(names[1:]) - {names[2]}
        executed.remember({names[2]: []}, executed.snapshot(names, small), small)
        assert executed.known(names, small) == set(names[1:])
    left = set(names[1:]) - {names[2]}
    for name in own:
        path = small / name / "new.py" if name.endswith("/") else small / name
        was = path.read_text() if path.exists() else ""
        path.write_text(was + "# changed")
        assert executed.known(names, small) == {names[2]}, name
        path.write_text(was) if was else path.unlink()
        assert executed.known(names, small) == left | {names[2]}
    before = executed.snapshot(names, small)
    (small / own[0]).write_text("changed while it ran")
    executed.remember({names[0]: made[names[0]]}, before, small)
    assert names[0] not in executed.known(names, small)


def test_the_note_holds_what_was_right_and_no_more(tmp_path, other):
    """Known notebooks are left out, and said to be; one that fails, or of which not all was run, does not become known.

    What is right is so whatever settings the machine has, and with the attnkit of this folder, not another.
    """
    for name in ("data", "attnkit", "bookkit"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in ("website", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "requirements.lock").write_text("")
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests/conftest.py", tmp_path / "tests")
    shutil.copy(other / "settings/matplotlibrc", tmp_path)
    own = (f"import attnkit, time; from bookkit.pictures import plots; 2 * (attnkit.__file__ == '{tmp_path}/attnkit/__init__.py'"
           " and time.tzname[0] == 'UTC' and plots.matplotlib.rcParams['axes.linewidth'] == .8)")
    (tmp_path / "website/far.py").write_text("import website.deep\n")
    (tmp_path / "website/deep.py").write_text("import pathlib; pathlib.Path(__file__).with_name('words.yml').read_text()\n")
    (tmp_path / "website/words.yml").write_text("words\n")
    compileall.compile_dir(tmp_path / "website", quiet=1)      # or its sources would be opened
    own = f"import website.far; {own}"
    lines = {"right": [own], "wrong": ["1 / 0"], "both": ["1 + 1", "2 + 2"], "known": ["1 / 0"]}
    (tmp_path / "_toc.yml").write_text("root: right\nparts:\n- caption: One\n  chapters:\n" + "".join(
        f"  - file: {name}\n" for name in ("wrong", "both", "known")))
    for name in lines:
        cells = [code([line]) | {"id": f"c{k}", "execution_count": k} for k, line in enumerate(lines[name], 1)]
        for k, cell in enumerate(cells, 1):
            cell["outputs"] = [{"output_type": "execute_result", "execution_count": k, "metadata": {}, "data": {"text/plain": str(2 * k)}}]
        (tmp_path / f"{name}.ipynb").write_text(notebook(*cells))
    executed.remember({"known.ipynb": []}, executed.snapshot(["known.ipynb"], tmp_path), tmp_path)
    said = subprocess.run([sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env", "-n", "1", "-p", "no:cacheprovider", "tests",
                           "right.ipynb", "wrong.ipynb", "both.ipynb::Cell 0", "known.ipynb"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert "1 failed, 2 passed" in said and "Taken over: 1 notebook," in said, said
    assert set(executed.remembered(tmp_path)) == {"right.ipynb", "known.ipynb"}
    assert executed.known(toc.notebooks(tmp_path), tmp_path) == {"right.ipynb", "known.ipynb"}
    for name in ("website/deep.py", "website/words.yml"):      # far down
        with (tmp_path / name).open("a") as file:
            file.write("# changed")
        assert executed.known(toc.notebooks(tmp_path), tmp_path) == {"known.ipynb"}
        (tmp_path / name).write_text((tmp_path / name).read_text().removesuffix("# changed"))


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
    assert addresses.repository(small) == (address and (address, "main"))


@pytest.mark.parametrize("hub", ["", "https://hub.example.edu/"])
def test_launch_buttons(small, monkeypatch, hub):
    """Binder where the repository is known, and a Hub where one is named; for what is no address a sentence."""
    subprocess.run(["git", "init", "-q"], cwd=small, check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://github.com/somebody/book"], cwd=small, check=True)
    monkeypatch.setenv("BOOK_HUB", hub)
    config = SimpleNamespace(html_baseurl="", html_theme_options={})
    book_site.take_address(SimpleNamespace(srcdir=small), config)
    buttons = config.html_theme_options["launch_buttons"]
    assert "colab_url" not in buttons
    monkeypatch.setenv("BOOK_COLAB", "colab")
    book_site.take_address(SimpleNamespace(srcdir=small), config)
    assert config.html_theme_options["launch_buttons"] == buttons | {"colab_url": "https://colab.research.google.com"}
    monkeypatch.setenv("BOOK_COLAB", "two words")
    with pytest.raises(ConfigError, match="it is to be a branch"):
        book_site.take_address(SimpleNamespace(srcdir=small), config)
    monkeypatch.delenv("BOOK_COLAB")
    assert buttons["binderhub_url"] == "https://mybinder.org" and buttons.get("jupyterhub_url") == (hub.rstrip("/") or None)
    monkeypatch.setenv("BOOK_HUB", "hub.example.edu")
    with pytest.raises(ConfigError, match="it is to be the address of a JupyterHub"):
        book_site.take_address(SimpleNamespace(srcdir=small), config)


def test_a_book_inside_another_repository_has_not_that_ones_address(small, monkeypatch):
    subprocess.run(["git", "init", "-q"], cwd=small, check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://github.com/somebody/notes"], cwd=small, check=True)
    (small / "unpacked").mkdir()
    assert addresses.repository(small) and addresses.repository(small / "unpacked") is None
    monkeypatch.setenv("GIT_DIR", str(small / ".git"))      # as in a hook
    subprocess.run(["git", "init", "-q", str(small / "own")], env={**os.environ, "GIT_DIR": str(small / "own/.git")}, check=True)
    assert addresses.repository(small / "unpacked") is addresses.repository(small / "own") is None
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://forge.example.org")
    monkeypatch.setenv("GITHUB_REPOSITORY", "somebody/notes")
    assert addresses.repository(small) and addresses.repository(small / "unpacked") is None
    monkeypatch.delenv("GITHUB_REPOSITORY")
    monkeypatch.setenv("PATH", "")
    assert addresses.repository(small) is None, "a machine without git"


@pytest.mark.parametrize("given, found", [
    (None, ""), ("", ""), ("https://a.example/b/", "https://a.example/b/"), ("https://a.example/b", "https://a.example/b/"),
    (" https://a.example ", "https://a.example/"), ("http://a.example/b//", "http://a.example/b/"),
    ("a.example/b", None), ("/b/", None), ("ftp://a.example/", None), ("https://", None), ("https://a.example/?b", None)])
def test_the_address_of_the_site_has_one_form(small, monkeypatch, given, found):
    """With or without its slash; everything that names the site asks the configuration, or what it is asked from."""
    if given is not None:
        monkeypatch.setenv("BOOK_BASEURL", given)
    config = SimpleNamespace(html_baseurl="", html_theme_options={})
    if found is None:
        with pytest.raises(ConfigError, match="it is to be the address of the site, such as https://"):
            book_site.take_address(SimpleNamespace(srcdir=small), config)
    else:
        book_site.take_address(SimpleNamespace(srcdir=small), config)
        assert config.html_baseurl == addresses.site() == found


@pytest.mark.parametrize("known, said", [(None, '`pip install . ./bookkit` in the folder of the book'),
                                         ("https://github.com/a/b", '`pip install git+https://github.com/a/b "git+https://github.com/a/b#subdirectory=bookkit"`')])
def test_a_notebook_taken_along_says_where_it_belongs(small, monkeypatch, known, said):
    monkeypatch.setattr(addresses, "repository", lambda folder: known and (known, "main"))
    shutil.copy(ROOT / "CITATION.cff", small)
    pages = [SimpleNamespace(name=name) for name in ("index", "chapters/first", "genindex")]
    held = code(["é = 1"], {"text/plain": "é"})
    for page in pages[:2]:
        (small / "_sources" / page.name).parent.mkdir(parents=True, exist_ok=True)
        (small / "_sources" / f"{page.name}.ipynb").write_text(notebook(held), encoding="utf-8")
    book_sharing.sign_notebooks(SimpleNamespace(srcdir=small, outdir=small, config=SimpleNamespace(html_baseurl="")), pages)
    for page, folder in zip(pages, ("the folder of the book", "the folder `chapters/` of the book")):
        first, *rest = json.loads((small / "_sources" / f"{page.name}.ipynb").read_text(encoding="utf-8"))["cells"]
        assert rest == [held] and "*Attention, Step by Step*" in first["source"][0] and f"into {folder}, or" in first["source"][0]
        assert first["source"][0].endswith(f"{said}.")


# ---- where it is built

def test_the_last_site_stays_until_the_new_one_stands_and_sphinx_keeps_what_it_knows(tmp_path, monkeypatch):
    """After a change of pages it reads these again; after another, or a build that failed, all that may hang on it."""
    work, site, works = tmp_path / "_build/work", tmp_path / "_build/html", True
    inputs, log = {"a.ipynb": "1", "b.ipynb": "1", "_config.yml": "1"}, []

    def run(*command, **_):
        if "--path-output" in command:
            doctrees, made = work / "_build/.doctrees", work / "_build/html"
            log.append([{path.stem for path in folder.glob("*")} for folder in (doctrees, made)])
            for folder in (doctrees, made):
                folder.mkdir(parents=True, exist_ok=True)
            for name in "ab":
                (doctrees / f"{name}.doctree").touch(), (made / f"{name}.html").write_text(inputs[f"{name}.ipynb"])
            if works is None:
                raise KeyboardInterrupt
            return not works

    def shown():
        return {path.name: path.read_text() for path in site.glob("*.html")}
    for name, value in {"ROOT": tmp_path, "SITE": site, "WORK": work, "LOG": tmp_path / "log", "setup": lambda: None, "npm": lambda *_: None,
                        "run": run, "made_from": lambda: (dict(inputs), {"a.ipynb", "b.ipynb"})}.items():
        monkeypatch.setattr(book, name, value)
    (tmp_path / "log").touch()
    book.book(), book.book()
    assert log == [[set(), set()]] and shown() == {"a.html": "1", "b.html": "1"}
    inputs["b.ipynb"], works = "2", False
    with pytest.raises(SystemExit, match="could not be built"):
        book.book()
    assert log.pop() == [{"a"}, {"a", "b"}] and shown()["b.html"] == "1"
    works = True
    book.book()
    assert log.pop() == [{"a"}, set()] and shown()["b.html"] == "2", "all pages are written again, with their warnings"
    inputs["a.ipynb"] = "3"
    book.book()
    assert log.pop() == [{"b"}, {"a", "b"}] and shown() == {"a.html": "3", "b.html": "2"}
    inputs["a.ipynb"], works = "4", None
    with pytest.raises(KeyboardInterrupt):
        book.book()
    works = True
    book.book()
    assert log.pop() == [set(), set()] and shown()["a.html"] == "4", "what was stopped begins from nothing"
    inputs["_config.yml"], works = "2", False
    with pytest.raises(SystemExit):
        book.book()
    assert log.pop() == [set(), set()] and not work.exists() and shown() == {"a.html": "4", "b.html": "2"}
    assert {path.name for path in site.parent.iterdir()} == {"html"}


# ---- the line under a title

def test_how_long_rounds_the_minutes(small):
    """What a minute is made of, tests/test_road.py asks."""
    text = {"cell_type": "markdown", "source": ["word " * 300, "\n", "word " * 200], "metadata": {}}
    for words, minutes in ((text, 4), (text | {"source": 2 * text["source"]}, 6)):       # 2.5 or 5, and 1.25 minutes
        (small / "chapters/second.ipynb").write_text(notebook(words, code(["x = 1\n"] * 15)))
        assert f">{minutes} min<" in book_road.how_long(small, "chapters/second")


def test_how_long_stands_under_chapters_only(small):
    for name in ("chapters/first", "further/deeper"):
        assert ">0 min<" in book_road.how_long(small, name)
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


def test_only_comments_are_left_out():
    """What the site's scripts do without: not a line of code, nor of a text."""
    text = "a(`\n  b`); // c\n/** @type {D} */\n  // e\n  /**\n   * @param {F} g\n   */\nh();\n"
    assert re.sub(base.COMMENTS, "", text, flags=re.M | re.S) == "a(`\n  b`); // c\nh();\n"


def test_the_site_is_packed_whole_and_the_same_twice(tmp_path, monkeypatch, capsys):
    """All files but the mark of what it was built from and the chat model, under one folder, whatever their dates."""
    monkeypatch.delenv("CHAT", raising=False)
    site = tmp_path / "_build" / "html"
    (site / "chapters").mkdir(parents=True)
    (site / "_static/chat").mkdir(parents=True)
    files = {"index.html": "cover", "chapters/weights.html": "é", ".built-from": "abc"}
    files |= {f"_static/chat/{name}.js": name for name in ("0", "about", "without")}
    for name, text in files.items():
        (site / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(book, "book", lambda: None)
    monkeypatch.setattr(book, "ROOT", tmp_path)
    monkeypatch.setattr(book, "SITE", site)
    found = []
    for _ in range(2):
        book.pack()
        found.append((tmp_path / "_build" / "attention-step-by-step.zip").read_bytes())
        os.utime(site / "index.html", (10**9, 10**9))
    assert found[0] == found[1] and "attention-step-by-step.zip has 0 MB" in capsys.readouterr().out
    with zipfile.ZipFile(tmp_path / "_build" / "attention-step-by-step.zip") as packed:
        names = [name.removeprefix("attention-step-by-step/") for name in packed.namelist()]
        assert names == ["_static/chat/about.js", "chapters/weights.html", "index.html"]
        assert [packed.read(f"attention-step-by-step/{name}").decode() for name in names] == ["without", "é", "cover"]
    monkeypatch.setenv("CHAT", "1")      # the chat model is large, and packed only when asked for
    book.pack()
    with zipfile.ZipFile(tmp_path / "_build" / "attention-step-by-step.zip") as packed:
        assert len(packed.namelist()) == 5 and packed.read("attention-step-by-step/_static/chat/about.js") == b"about"
