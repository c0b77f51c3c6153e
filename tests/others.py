"""Firefox and WebKit, as readers have them, driven by what each brings along: no package stands in between.

Firefox listens by itself (WebDriver BiDi, a socket); WebKitGTK, the nearest to Safari on Linux, has a driver (WebDriver,
http) and wants a screen that nobody sees.  Either opens the site in a frame, whose width is a reader's window.
"""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import websocket
from lxml import html

from bookkit.figures import base
from website import browser, toc

PATIENCE = 300      # seconds before what hangs is given up
SMALL = {"width": 200, "height": 200}      # the frame is as large as it says, and what is not seen need not be painted
# They may not look at the world outside, nor greet whoever opens them.
PREFERENCES = {"network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9, "network.proxy.ssl": "127.0.0.1",
               "network.proxy.ssl_port": 9, "app.update.enabled": False, "browser.aboutwelcome.enabled": False,
               "datareporting.policy.dataSubmissionEnabled": False}
# What a page does wrong is written down from its first line on.
LISTENS = b"""<script>window.wrong = []; addEventListener('error', e => wrong.push(e.message ?? `${e.target.src} did not come`), true);
    addEventListener('unhandledrejection', e => wrong.push(String(e.reason)));</script>"""
FRAME = b"<!doctype html><title>A reader's window</title><style>body { margin: 0 } iframe { border: 0; height: 900px }</style><iframe></iframe>"


ALL = "chapters/all"


def all_figures(*exercises):
    """A page of the site, with the first figure of each kind for its words, and some exercises."""
    found = {}
    for page in filter(lambda page: (browser.SITE / f"{page}.html").exists(), toc.chapters()):
        for place in html.parse(str(browser.SITE / f"{page}.html")).xpath("//*[@data-ak-figure]"):
            name = next((name for name in exercises if f'"{name}"' in place.get("data-ak-state")), place.get("data-ak-figure"))
            found.setdefault(name, html.tostring(place, encoding="unicode", with_tail=False))
    kinds = [kind for kind in found if kind not in exercises]
    needed = dict.fromkeys(["core", *(name for kind in kinds for name in base.scripts(kind))])
    style = "".join(base.stylesheet(kind) for kind in kinds)
    head = f"<style>{style}</style>" + "".join(f'<script defer src="../_static/figures/{name}.js"></script>' for name in needed)
    text = (browser.SITE / "chapters/parts.html").read_text(encoding="utf-8")
    text = re.sub(r'<script defer src="[^"]*"></script>', "", text)      # those of whole pages have nothing to do here
    text = re.sub(r"(<article[^>]*>.*?</h1>).*</article>", lambda match: f"{match[1]}{''.join(found.values())}</section></article>", text, flags=re.S)
    return text.replace("</head>", f"{head}</head>", 1)


class Host(browser.Server):
    """The site, each page with somebody who listens; the page with the frame; and one with all figures."""

    def do_GET(self):
        """Answer; pages are not compressed."""
        file = Path(self.translate_path(self.path))
        body = FRAME if self.path == "/frame" else None
        if file.suffix == ".html" and (file.is_file() or self.path == f"/{ALL}.html"):
            text = file.read_bytes() if file.is_file() else all_figures().encode()
            body = text.replace(b"<head>", b"<head>" + LISTENS, 1)
        if body is None:
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None


class Window:
    """What both do: a page of the site in a frame of some width, and functions that run in it."""

    def open(self, site, name, width):
        """Open a page until its figures have come to life."""
        if not self.here.startswith(site):
            self.go(f"{site}/frame")
            self.here = site
        self.run(f"""async () => {{ const frame = document.querySelector('iframe'); frame.style.width = '{width}px';
            await new Promise(resolve => {{ frame.onload = resolve; frame.src = '/{name}.html'; }});
            await frame.contentDocument.fonts.ready; }}""")
        alive = browser.Watched.ALIVE
        self.run(f"""async () => {{ const page = document.querySelector('iframe').contentWindow, end = performance.now() + {PATIENCE * 1000};
            while (!page.eval({json.dumps(alive)})() && performance.now() < end) await new Promise(resolve => setTimeout(resolve, 20)); }}""")

    def ask(self, function, *widths):
        """What a function says that runs in the page, at each of some widths; nothing is painted in between, which takes time."""
        return self.run(f"""async () => {{ const frame = document.querySelector('iframe'), found = [];
            for (const width of {json.dumps(widths)}) {{ frame.style.width = `${{width}}px`;
                found.push(frame.contentWindow.eval({json.dumps(f"({function})")})()); }}
            return found; }}""")


class Firefox(Window):
    """A running Firefox."""

    def __init__(self, program, folder):
        lines = [f'user_pref("{name}", {json.dumps(value)});\n' for name, value in PREFERENCES.items()]
        (folder / "user.js").write_text("".join(lines), encoding="utf-8")
        self.process = subprocess.Popen([program, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(folder)],
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env={**os.environ, "HOME": str(folder)})
        address = next(line.split()[-1] for line in self.process.stderr if "BiDi listening on" in line)
        self.socket = websocket.create_connection(f"{address}/session", timeout=PATIENCE, suppress_origin=True)
        self.count, self.here = 0, ""
        self.send("session.new", capabilities={})
        self.tab = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("browsingContext.setViewport", context=self.tab, viewport=SMALL)

    def send(self, method, **params):
        """Ask for something, and wait for the answer."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while (told := json.loads(self.socket.recv())).get("id") != self.count:
            pass
        assert told["type"] == "success", told
        return told["result"]

    def go(self, address):
        """Open a page."""
        self.send("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def run(self, function):
        """What a function in the page says."""
        told = self.send("script.evaluate", expression=f"({function})().then(found => JSON.stringify(found ?? null))",
                         target={"context": self.tab}, awaitPromise=True)
        assert told["type"] == "success", told
        return json.loads(told["result"]["value"])

    def close(self):
        """End it."""
        self.socket.close()
        self.process.kill()
        self.process.communicate()


class WebKit(Window):
    """A running WebKit."""

    def __init__(self, program, folder):
        read, write = os.pipe()
        self.screen = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x1100x24", "-nolisten", "tcp"], pass_fds=[write],
                                       stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as told:
            display = told.readline().strip()
        port = free()
        self.process = subprocess.Popen([program, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={
            **os.environ, "DISPLAY": f":{display}", "HOME": str(folder), "XDG_CACHE_HOME": str(folder), "GDK_BACKEND": "x11",
            "http_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1"})
        self.address, self.here = f"http://127.0.0.1:{port}/session", ""
        for end in [time.monotonic() + PATIENCE]:
            while True:
                with contextlib.suppress(OSError):
                    self.address += "/" + self.send("", capabilities={})["sessionId"]
                    break
                assert time.monotonic() < end, "WebKit's driver does not answer"
                time.sleep(0.05)
        self.send("/timeouts", script=PATIENCE * 1000, pageLoad=PATIENCE * 1000)
        self.send("/window/rect", x=0, y=0, **SMALL)

    def send(self, method, **params):
        """Ask for something, and wait for the answer."""
        asked = urllib.request.Request(self.address + method, json.dumps(params).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    def go(self, address):
        """Open a page."""
        self.send("/url", url=address)

    def run(self, function):
        """What a function in the page says."""
        script = f"const done = arguments[0]; ({function})().then(found => done([found ?? null]), error => done(String(error)))"
        told = self.send("/execute/async", script=script, args=[])
        assert isinstance(told, list), told
        return told[0]

    def close(self):
        """End it."""
        with contextlib.suppress(OSError), urllib.request.urlopen(urllib.request.Request(self.address, method="DELETE"), timeout=PATIENCE) as told:
            told.read()
        for process in (self.process, self.screen):
            process.kill()
            process.wait()


def free():
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


# Where each is, if it is there.
PROGRAMS = {"Firefox": (Firefox, shutil.which("firefox-esr") or shutil.which("firefox")),
            "WebKit": (WebKit, shutil.which("Xvfb") and shutil.which("WebKitWebDriver"))}


@contextlib.contextmanager
def running(name, folder):
    """One of them, with a folder of its own."""
    kind, program = PROGRAMS[name]
    window = kind(program, folder)
    try:
        yield window
    finally:
        window.close()
