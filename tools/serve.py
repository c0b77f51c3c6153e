"""Serve the built site to this machine; when a file has changed build it anew, and let the page that is open follow.

    python -m tools.serve [port]
"""

import contextlib
import functools
import http.server
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from website import executed

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
# What a page asks each second while it is served from here: whether it was built from something else by now.
FOLLOW = b"""<script>(() => {
  const ask = () => fetch("/.built-from", {cache: "no-store"}).then(answer => answer.ok ? answer.text() : null);
  const first = ask();
  setInterval(async () => {
    const now = await ask().catch(() => null);
    if (now && now !== await first) location.reload();
  }, 1000);
})()</script>"""


class Server(http.server.SimpleHTTPRequestHandler):
    """The site, its pages with the lines that follow; nothing is kept by the browser."""

    def end_headers(self):
        """Python's hook."""
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def do_GET(self):
        """Python's hook: a page has something added, all else is a file."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if path.suffix != ".html" or not path.is_file():
            super().do_GET()
            return
        text = path.read_bytes() + FOLLOW
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        """Say nothing."""


def dates():
    """When each file of the book was written."""
    found = {}
    for folder, inner, files in os.walk(ROOT):
        inner[:] = set(inner) - executed.APART
        for path in (os.path.join(folder, file) for file in files):
            with contextlib.suppress(FileNotFoundError):      # an editor's own, for a moment
                found[path] = os.stat(path).st_mtime_ns
    return found


def main(port):
    """Serve until Ctrl-C."""
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Server, directory=str(SITE)))
    except OSError as error:
        sys.exit(f"[book] nothing can be served at port {port}: {error.strerror}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"[book] serving at http://localhost:{server.server_port}, and building anew what changes "
          "(stop with Ctrl-C)", flush=True)
    seen = dates()
    try:
        while True:
            time.sleep(0.5)
            if (now := dates()) != seen:
                seen = now
                subprocess.run([sys.executable, ROOT / "tools" / "book.py", "book"])      # which says what is wrong
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
