"""The built site in a browser, the outside world cut off: what tests/ looks at."""

import contextlib
import functools
import gzip
import http.server
import re
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
# Letters as a desktop draws them: the shell alone would move each to whole pixels.
FLAGS = ["--font-render-hinting=slight", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
# The content policy that reference/using.md states for hosts: every page that is looked at here keeps it.
POLICY = ("default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
          "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
          "form-action 'self'; base-uri 'none'")
PACKED = r"\.(?:woff2|png)$"      # compressed already
PATIENCE = 300_000                # ms before what hangs is given up: nothing fails because a machine is busy
# What a page has put off for a moment, kept so that it can be had at once, and whether it goes on by itself, frame by
# frame. A page notices nothing of it.
PUT_OFF = """(() => { const {setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame} = window;
    const soon = new Map(), frames = new Set();
    window.setTimeout = (act, wait = 0, ...given) => {
        if (typeof act !== 'function' || wait > 300) return setTimeout(act, wait, ...given);
        const id = setTimeout(() => { soon.delete(id); act(...given); }, wait);
        soon.set(id, () => act(...given));
        return id; };
    window.clearTimeout = id => { soon.delete(id); clearTimeout(id); };
    window.requestAnimationFrame = act => {
        const id = requestAnimationFrame(time => { frames.delete(id); act(time); });
        frames.add(id);
        return id; };
    window.cancelAnimationFrame = id => { frames.delete(id); cancelAnimationFrame(id); };
    window.atOnce = () => { for (const [id, act] of [...soon]) if (soon.has(id)) { window.clearTimeout(id); act(); } };
    window.goesOn = () => frames.size > 0; })()"""


class Server(http.server.SimpleHTTPRequestHandler):
    """The site as a host such as Pages serves it: compressed, cached, silent."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True        # or each answer waits 40 ms for a delayed acknowledgement

    def send_head(self):
        """Answer with the whole file, compressed if it is not already."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        status = 200 if path.is_file() else 404
        path = path if path.is_file() else Path(self.directory) / "404.html"
        if not path.is_file():
            self.send_error(404)
            return None
        body, packed = over_the_line(path)
        kind = self.guess_type(str(path))
        self.send_response(status)
        self.send_header("Content-Type", kind + ("; charset=utf-8" if kind.startswith("text/") else ""))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        if kind == "text/html":
            self.send_header("Content-Security-Policy-Report-Only", POLICY)      # Playwright itself evaluates strings
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)
        return None

    def copyfile(self, source, outputfile):
        """Everything was written by send_head."""

    def log_message(self, *args):
        """Say nothing."""


@functools.cache
def over_the_line(path):
    """The bytes of a file as a host sends them, and whether it compressed them."""
    body = path.read_bytes()
    return (body, False) if re.search(PACKED, path.name) else (gzip.compress(body), True)


@contextlib.contextmanager
def serve(folder=SITE, host=Server):
    """The address of the site, served on this machine as some kind of host does."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(host, directory=str(folder)))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def figures_of(page):
    """The kinds of figures that a page of the built site has."""
    return dict.fromkeys(re.findall(r'data-ak-figure="(\w+)"', page.read_text(encoding="utf-8")))


@contextlib.contextmanager
def launch(executable):
    """A running Chromium that can reach this machine only."""
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, timeout=PATIENCE, args=[
            *FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"])
        yield browser
        browser.close()


class Watched:
    """A page that is opened until its figures have come to life, and what went wrong on it."""

    # Each figure has come to life, or says why it cannot.
    ALIVE = """() => [...document.querySelectorAll('[data-ak-figure]')]
        .every(place => place.querySelector('.ak-figure, .ak-failed'))"""

    def __init__(self, browser, width=1280, dark=False, **context):
        self.context = browser.new_context(viewport={"width": width, "height": 900},
                                           color_scheme="dark" if dark else "light", **context)
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script(PUT_OFF)
        self.page = self.context.new_page()
        self.forget()
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))
        self.page.on("console", self._hear)
        self.page.on("request", lambda r: self._note(r.url))

    def _hear(self, message):
        if message.type in ("error", "warning") and "'unsafe-eval' is not" not in message.text:
            self.errors.append(message.text)

    def _note(self, url):
        self.requests.append(url)
        if not url.startswith(("http://127.0.0.1:", "data:", "blob:", "file://")):
            self.outside.append(url)

    def forget(self):
        """Start with a clean sheet."""
        self.errors, self.outside, self.requests = [], [], []

    def open(self, url):
        """Go there, until everything is fetched and every figure is alive."""
        self.page.goto(url, wait_until="load")
        self.page.wait_for_function(self.ALIVE)
        self.page.evaluate("document.fonts.ready.then(() => true)")

    def settle(self):
        """Let a figure say now what changed, which it does when it has rested for 250 ms."""
        self.page.evaluate("atOnce()")

    def goes_on(self):
        """Whether something on the page goes on by itself, frame by frame."""
        return self.page.evaluate("goesOn()")

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.context.close()
