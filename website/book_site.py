"""What this book does to Jupyter Book's pages.

The site makes no third-party request, its maths is rendered at build time, and a page weighs a fraction of the stock
theme's.  What a page is made of is chosen before it is written: by _config.yml, the templates, and `choose_files`.  The
rest is done on the finished pages, in `finish`.  tests/test_site.py looks at the result in a browser.
"""

import gc
import os
import re
import shutil
from html import escape
from pathlib import Path

import lightningcss
from sphinx.errors import ConfigError

from bookkit.figures import base
from website import (
    addresses,
    book_cells,
    book_fonts,
    book_pages,
    book_road,
    book_search,
    book_sharing,
    book_styles,
    lists,
    toc,
)


def setup(app):
    """Sphinx's entry point."""
    # Trees of pages are large and stay: to look through them for garbage at every step takes a tenth of the time.
    gc.set_threshold(200_000, 50, 50)
    app.setup_extension("website.book_maths")
    app.setup_extension("website.book_chat")
    app.setup_extension("website.book_model")
    app.setup_extension("website.book_road")
    if os.environ.get("BOOK_BASEURL"):
        app.setup_extension("sphinx_sitemap")      # which warns where there is no address
    app.connect("config-inited", take_address)
    app.connect("config-inited", ask_lists)
    app.connect("builder-inited", write_figures)
    app.connect("builder-inited", write_slides)
    app.connect("builder-inited", copy_maths)
    app.connect("env-updated", name_citations)
    app.connect("env-updated", all_if_outlines_changed)
    app.connect("doctree-resolved", book_cells.arrange)
    app.connect("html-collect-pages", missing_page)
    app.connect("html-page-context", choose_files, priority=900)       # after theme and extensions have put in theirs
    app.connect("build-finished", finish, priority=900)                # after the theme has written its colours of code
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


# ---- before the build

def take_address(app, config):
    """Launch and source buttons and canonical links, only where an address is known."""
    try:
        config.html_baseurl = addresses.site() or config.html_baseurl
        hub, colab, _ = addresses.hub(), addresses.colab(), addresses.models()
    except ValueError as error:
        raise ConfigError(str(error)) from None
    found = addresses.repository(app.srcdir)
    if found:
        url, branch = found
        launch = {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}
        config.html_theme_options = {
            **config.html_theme_options, "repository_url": url, "repository_branch": branch, "path_to_docs": "",
            "use_repository_button": True, "use_issues_button": True,
            "launch_buttons": launch | ({"jupyterhub_url": hub} if hub else {})
            | ({"colab_url": "https://colab.research.google.com"} if colab else {}),
        }
    config.sitemap_url_scheme = "{link}"
    config.sitemap_excludes = ["search.html", "genindex.html", "py-modindex.html", "404.html", "_modules/*"]


def ask_lists(app, config):
    """The lists in data/ fit the pages, or nothing is built."""
    if wrong := list(lists.problems(Path(app.srcdir))):
        raise ConfigError("\n".join(wrong))


def write_figures(app):
    """The figures' scripts and styles, made from the package: the core, and a file of either kind for each figure.

    They are no `html_static_path` of the site, where every page would load each of them: a page names what it needs.
    """
    files = {"core.js": base.script("core") + base.script("page") + base.MOUNT, "core.css": base.core_stylesheet()}
    files |= {f"{name}.js": base.script(name) for name in base.SHARED if name not in ("core", "page")}
    for kind in base.kinds():
        style = lightningcss.process_stylesheet(base.stylesheet(kind), minify=True)
        files |= {f"{kind}.js": base.script(kind), f"{kind}.css": style}
    folder = Path(app.outdir) / "_static" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        if text:
            (folder / name).write_text(text, encoding="utf-8")


def copy_maths(app):
    """KaTeX's style sheet and fonts, of the version that renders the formulas, and their licence."""
    katex, folder = Path(app.srcdir) / "website/node_modules/katex", Path(app.outdir) / "_static" / "katex"
    (folder / "fonts").mkdir(parents=True, exist_ok=True)
    for file in [katex / "LICENSE", katex / "dist/katex.min.css", *(katex / "dist/fonts").glob("*.woff2")]:
        shutil.copy(file, folder / "fonts" / file.name if file.suffix == ".woff2" else folder)


def write_slides(app):
    """What shows a page as slides: few ask for it, so it lies where Jupyter Book does not put it on every page."""
    here, folder = Path(app.srcdir) / "website", Path(app.outdir) / "_static" / "present"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "present.js").write_text(base.light((here / "present.js").read_text(encoding="utf-8")), encoding="utf-8")
    style = lightningcss.process_stylesheet((here / "present.css").read_text(encoding="utf-8"), minify=True)
    (folder / "present.css").write_text(style, encoding="utf-8")


def name_citations(app, env):
    """Let ``[Author (year)](bibliography.md#key)`` find its entry.

    An ordinary link reads well live, where JupyterLab knows no citation role, and a key that is not in
    data/references.bib is still an unknown reference, which fails the build.
    """
    page = "chapters/bibliography"
    slugs = env.metadata[page].setdefault("myst_slugs", {})
    for key in env.get_domain("cite").bibdata.data.entries:
        slugs[key] = (1, key, key)


def outline(env, page):
    """What other pages show or link to of a page: its title and sections, every place that has a name, its exercises,
    where a side trip begins, and where the fast lane goes, with its minutes.
    """
    named, root = env.get_domain("std"), Path(env.srcdir)
    plan = book_road.plan(root)
    lane = page in plan.lane and (toc.on_lane(root), book_road.lane_minutes(root))
    places = [(name, *place) for name, place in {**named.anonlabels, **named.labels}.items() if place[0] == page]
    return (env.titles[page].astext(), env.tocs[page].pformat(), sorted(places), env.metadata[page].get("myst_slugs"),
            book_road.asked(root, page), plan.trips.get(page), lane)


def all_if_outlines_changed(app, env):
    """Then every page is written again, where otherwise only those are that were read: lists and links follow."""
    before = getattr(env, "book_outlines", None)
    env.book_outlines = {page: outline(env, page) for page in env.found_docs}       # kept with all that Sphinx knows
    if before == env.book_outlines:
        return []
    shutil.rmtree(Path(app.outdir) / "_modules", ignore_errors=True)      # listings have lists, too
    return list(env.found_docs)


def missing_page(app):
    """The page that a host shows for a wrong address."""
    yield "404", {"title": "No page has this address"}, "missing.html"


# ---- each page, before it is written

# The book's own, on every page.
SCRIPTS = ("contents.js", "progress.js")

# Of Sphinx's and its theme's scripts, those that do nothing here: tabs, indexes, words that another search has found.
NEEDLESS = tuple(f"_static/{name}.js"
                 for name in ("documentation_options", "design-tabs", "doctools", "sphinx_highlight"))

COPIES = ("_static/clipboard.min.js", "_static/copybutton.js")      # code, where there is any


def to_branch(groups):
    """The button for Colab opens the branch that is for it; the theme knows one branch only."""
    for button in (button for group in groups for button in group.get("buttons", [])):
        if button["text"] == "Colab":
            button["url"] = re.sub(r"/blob/[^/]+/", f"/blob/{addresses.colab()}/", button["url"])


def choose_files(app, pagename, templatename, context, doctree):
    """What the head of a page names: website/templates/layout.html writes it down."""
    to_branch(context.get("header_buttons", []))
    static = Path(app.outdir) / "_static"
    kinds = list(dict.fromkeys(re.findall(r'data-ak-figure="(\w+)"', context.get("body") or "")))
    needed = dict.fromkeys(name for kind in kinds for name in base.scripts(kind))
    at_once = base.scripts(kinds[0]) if pagename == "index" else needed      # behind the cover's doors wait the others
    for name in ["core", *at_once] if kinds else []:
        app.add_js_file(f"figures/{name}.js")
    # A figure's own style is part of its page; what all pages share is in one sheet (book_styles).
    styles = [static / f"figures/{kind}.css" for kind in kinds]
    context["figure_styles"] = "\n".join(file.read_text(encoding="utf-8") for file in styles if file.exists())
    for priority, name in enumerate(("basic.css", "styles/pydata-sphinx-theme.css")):      # before all others
        app.add_css_file(name, priority=priority)
    app.add_css_file("figures/core.css")
    for priority, name in enumerate(("bootstrap", "pydata-sphinx-theme"), 900):            # after all others
        app.add_js_file(f"scripts/{name}.js", priority=priority)
    choose_scripts(app, context, static)
    context["metatags"] = context.get("metatags", "") + book_fonts.head(
        lambda file: context["pathto"](file, 1), maths='class="katex"' in (context.get("body") or ""))
    if "loading" in needed and addresses.models():      # then the page may ask that host, and no other
        policy = f"connect-src 'self' {addresses.models()}"
        context["metatags"] += f'\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    if doctree is not None:
        paragraphs = (node.astext() for node in doctree.findall(lambda node: node.tagname == "paragraph"))
        first = next((words for words in paragraphs if len(words) > 40), context["title"])      # not a quoted example
        words = shortened(re.sub(r"\s+", " ", first), 160)
        context["metatags"] += f'\n<meta name="description" content="{escape(words)}">\n'
        context["metatags"] += book_sharing.head(
            app, pagename, context["title"], words, [kind for kind in kinds if kind != "practice"])


def shortened(words, most):
    """The beginning of a text that ends with a whole word."""
    return words if len(words) <= most else words[:most - 1].rpartition(" ")[0].rstrip(",;:") + "…"


def choose_scripts(app, context, static):
    """Scripts wait until the page is read; the options, ten lines that the others ask for, are part of it."""
    options = (static / "documentation_options.js").read_text(encoding="utf-8")
    options = options.replace("SEARCH_SHORTCUTS: true", "SEARCH_SHORTCUTS: false")      # "/" is the browser's
    app.add_js_file(None, body=options, priority=100)
    needless = NEEDLESS if 'class="highlight' in (context.get("body") or "") else (*NEEDLESS, *COPIES)
    context["script_files"] = [script for script in context["script_files"] if script.filename not in needless]
    for script in context["script_files"]:
        if script.filename:
            script.attributes["defer"] = "defer"


# ---- after the build

def finish(app, exception):
    """The passes over each page, then what needs all pages: one style sheet, and fonts with the letters in use."""
    if exception or app.builder.name != "html":
        return
    out = Path(app.outdir)
    pages = book_pages.read(app)
    for page in pages:
        for change in book_pages.PASSES if page.fresh else ():
            change(page)
    book_search.write(app, pages)
    book_sharing.sign_notebooks(app, pages)
    (out / ".nojekyll").touch()      # or hosts that know Jekyll leave out every folder that begins with _
    loaded = sorted({(page.file.parent / script.partition("?")[0]).resolve()
                     for page in pages for script in page.tree.xpath("//script/@src") if "_static/" in script})
    scripts = "\n".join(script.read_text(encoding="utf-8") for script in loaded)
    for script in SCRIPTS:
        text = (Path(app.srcdir) / "website" / "static" / script).read_text(encoding="utf-8")
        (out / "_static" / script).write_text(base.light(text), encoding="utf-8")
    sheet = book_styles.one_sheet(out, pages, scripts)
    book_fonts.cut_all(out, pages, sheet)
    for page in pages:
        page.write()
