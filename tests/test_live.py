"""Live: a real Jupyter server, a chapter in JupyterLab in Chromium, and a figure that Python and the reader share."""

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

import pytest
from conftest import PATIENCE, ROOT
from others import free

from website import toc

pytestmark = pytest.mark.browser
CHAPTER = f"{toc.chapter('dot_product')}.ipynb"
RAW = r":::|\{(exercise|dropdown|admonition|cite)\}"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A Jupyter server on a copy of the notebooks, with settings of its own, for all tests here."""
    folder = tmp_path_factory.mktemp("lab")
    for name in [*toc.notebooks(), "_toc.yml"]:
        (folder / "book" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "book" / name)
    shutil.copytree(ROOT / "data", folder / "book" / "data")
    env = {**os.environ, "HOME": str(folder), "JUPYTER_CONFIG_DIR": str(folder / "config"), "JUPYTER_DATA_DIR": str(folder / "data"),
           "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(folder / "spaces")}
    # Every cell at once, not only those in view.
    notebook = folder / "settings" / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings"
    notebook.parent.mkdir(parents=True)
    notebook.write_text('{"windowingMode": "none"}')
    port = free()
    log = (folder / "log").open("w")
    server = subprocess.Popen([sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ip=127.0.0.1",
                               "--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True", "--LabApp.news_url=",
                               f"--ServerApp.root_dir={folder / 'book'}"], env=env, stdout=log, stderr=log)
    try:
        for _ in range(2 * PATIENCE):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=2).close()
                break
            except OSError:
                assert server.poll() is None, (folder / "log").read_text()
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}", env, folder / "book"
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)
        log.close()


def open_chapter(page, address, chapter=CHAPTER):
    page.goto(f"{address}/lab/tree/{chapter}?reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.wait_for_function("window.jupyterapp && window.jupyterapp.shell.currentWidget?.sessionContext?.isReady")
    # All cells are there, and each output has been drawn.
    page.wait_for_function("""() => { const held = window.jupyterapp.shell.currentWidget.content;
        return document.querySelectorAll('.jp-Notebook .jp-Cell').length === held.model.cells.length
            && document.querySelectorAll('.jp-Notebook .jp-MarkdownCell:not(.jp-mod-rendered)').length === 0 }""")


PYTHON = """async code => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({code});
  let text = '';
  future.onIOPub = m => { text += m.content.text || m.content.evalue || ''; };
  await future.done;
  return text.trim(); }"""


def all_cells(page):
    """The outputs and errors of the open notebook, as its model holds them (the page shows only what is in view)."""
    return page.evaluate("window.jupyterapp.shell.currentWidget.content.model.toJSON().cells")


def run_all(page):
    """Run every cell; none fails."""
    page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function("""() => { const s = window.jupyterapp.shell.currentWidget.sessionContext;
        const cells = window.jupyterapp.shell.currentWidget.content.model.toJSON().cells.filter(c => c.cell_type === 'code');
        return s.session.kernel.status === 'idle' && cells.every(c => c.execution_count) }""")
    assert not [o for c in all_cells(page) for o in c.get("outputs", []) if o["output_type"] == "error"]


def shows_pictures(page, trusted):
    """Before it is run, the pictures stand: inline and alive to the theme if trusted, as images if not."""
    # What the site renders, JupyterLab renders too: no directive or role stays as raw text (a moment's raw text is
    # what a cell shows before it is rendered).
    page.wait_for_function("raw => !new RegExp(raw).test(document.querySelector('.jp-Notebook').innerText)", arg=RAW)
    seen = page.evaluate("""() => { const shown = s => [...document.querySelectorAll('.jp-OutputArea ' + s)]
        .filter(e => e.getBoundingClientRect().height > 20 && getComputedStyle(e).display !== 'none').length;
        return {svg: shown('.ak-picture svg, figure svg[role=img]'), img: shown('img[src^="data:image/svg"]'),
                table: shown('.jp-RenderedHTML table'), words: document.querySelector('.jp-Notebook').innerText} }""")
    assert (seen["svg"] > 0) == trusted and (seen["img"] > 0) == (not trusted), seen
    assert seen["table"] >= 1 and "+0.96" in seen["words"]
    # The words of a drawing that JupyterLab dropped are not left behind.
    assert "actionromance" not in re.sub(r"\s", "", seen["words"]) or trusted


def test_a_notebook_is_trusted_run_and_shares_its_figure_with_the_kernel(watched, lab):
    address, env, folder = lab
    with watched(width=1100) as w:
        page = w.page
        open_chapter(page, address)
        shows_pictures(page, trusted=False)
        subprocess.run([sys.executable, "-m", "jupyter", "trust", str(folder / CHAPTER)], check=True, env=env, capture_output=True)
        open_chapter(page, address)
        shows_pictures(page, trusted=True)
        run_all(page)
        figure = page.locator(".jp-OutputArea [data-ak-kind=movie_matcher]")
        figure.scroll_into_view_if_needed()

        # The reader moves a control: Python sees it.
        slider = figure.get_by_role("slider", name="romance")
        slider.focus()
        slider.press("End")
        slider.press("ArrowLeft")
        becomes(page, "print(matcher.user, matcher.ranking[0])", "[0.8, 0.9, 0.3] The Great Mix-up")

        # Python sets the state: the figure follows, and refuses what is out of range.
        page.evaluate(PYTHON, "matcher.user = [-1, -1, -1]")
        page.wait_for_function("f => f.querySelector('tbody th').textContent === '1. Quiet Harbour'", arg=figure.element_handle())
        assert figure.get_by_role("slider", name="action").input_value() == "-1"
        assert "user must lie between -1 and 1" in page.evaluate(PYTHON, "matcher.user = [5, 0, 0]")
        figure.get_by_role("button", name="Reset").click()
        becomes(page, "print(matcher.user)", "[0.8, -0.5, 0.3]")

        # JupyterLab turned dark, the figure is painted anew.
        fills = "() => [...document.querySelectorAll('.jp-OutputArea .ak-figure *')].map(e => getComputedStyle(e).backgroundColor).join()"
        light = page.evaluate(fills)
        page.evaluate("window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
        page.wait_for_function(f"light => document.body.dataset.jpThemeLight === 'false' && ({fills})() !== light", arg=light)

        # An exercise is answered where it stands, as on the site.
        asked = page.locator(".jp-OutputArea [data-ak-kind=practice]").filter(has=page.locator("input[type=text]")).first
        asked.get_by_role("textbox").fill("0,26")
        asked.get_by_role("textbox").press("Enter")
        wrong = "Not yet: the size is right, the sign is not."
        page.wait_for_function("([f, words]) => f.querySelector('[role=status]').textContent === words", arg=[asked.element_handle(), wrong])


def becomes(page, code, wanted):
    """Ask the kernel until it answers so; what a reader does reaches it a moment later."""
    page.wait_for_function(f"async ([code, wanted]) => await ({PYTHON})(code) === wanted", arg=[code, wanted])
