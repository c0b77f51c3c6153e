"""The book's faces: Source Serif for reading, Source Sans for the interface and the figures, Source Code for code.

One family (Frank Grießhammer and Paul D. Hunt for Adobe, SIL Open Font License), drawn to stand together.  The files
in static/fonts are fontsource's (@fontsource-variable/source-serif-4 5.3.1, source-sans-3 5.3.0, source-code-pro
5.3.0: Latin, every weight); the site gets the weights and the letters that its pages show, 45 kB together at most.
KaTeX's faces and the theme's icons are cut in the same way.
"""

import hashlib
import json
import logging
import os
import re
import shutil
from importlib.metadata import version
from pathlib import Path

import pydata_sphinx_theme
from fontTools.subset import Options, Subsetter, load_font, save_font
from fontTools.varLib.instancer import instantiateVariableFont
from lxml import etree

# Its notes on each table would fill the end of the build's log, which is what one reads when something failed.
logging.getLogger("fontTools").setLevel(logging.WARNING)

FONTS = Path(__file__).parent / "static" / "fonts"
KEPT = Path(__file__).parent.parent / "_build" / "fonts"
KATEX_FONTS = Path(__file__).parent / "node_modules/katex/dist/fonts"
ICONS = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static/vendor/fontawesome/webfonts"

# Each file: its family, its style, the weights that are kept, and the features (the figures measure their words as the
# sum of their letters, so the sans has no pairs).
FACES = {
    "serif": ("Source Serif 4", "normal", (400, 650), ["kern"]),
    "serif-italic": ("Source Serif 4", "italic", 400, ["kern"]),
    "sans": ("Source Sans 3", "normal", (400, 600), []),
    "mono": ("Source Code Pro", "normal", 400, []),
}
# Where a face does not come, and until it does, the words stand in one that the reader has, scaled so that a line holds
# as many letters and stands as high.  Average widths of a letter in
# em, from @capsizecss/metrics 4.3.0 (DejaVu: measured on this book's text).
AVERAGE = {
    "Source Serif 4": (0.479, 1.036, 0.335, {
        "Georgia": 913 / 2048, "Times New Roman": 832 / 2048, "Liberation Serif": 832 / 2048, "Noto Serif": 0.481,
        "DejaVu Serif": 0.525}),
    "Source Sans 3": (0.418, 1.024, 0.400, {
        "Arial": 913 / 2048, "Liberation Sans": 913 / 2048, "Roboto": 911 / 2048, "DejaVu Sans": 0.517}),
}


def stack(family):
    """The CSS families after which a text in `family` is looked for: the face, its stand-ins, the generic one."""
    generic = {"Source Serif 4": "serif", "Source Sans 3": "system-ui,sans-serif"}[family]
    return ",".join([f"'{family}'", *(f"'{name} as {family}'" for name in AVERAGE[family][3]), generic])


# KaTeX's own two for nearly all of a formula; its style sheet names them, too, but that is read much later.
MATHS = {"KaTeX_Main-Regular": "normal 1em KaTeX_Main", "KaTeX_Math-Italic": "italic 1em KaTeX_Math"}


SLANTED = "//*[self::em[not(ancestor::dt)] or self::i or self::cite or self::h1 or @lang='fr']"    # signatures are code


def head(address, *, maths):
    """What a page's head says of the faces; `address` leads from the page to a file of the site.

    They are asked for at once, beside the style sheet that the first painting waits for, so they are there by then.
    One that is late is left for the next page ("optional"): however well a stand-in fits, some line would break
    elsewhere when the face came, and what is below would jump.  One that never comes leaves no trace.  (A link
    rel=preload would do the same, but is refused to a page that was opened from the disk.)  A formula in another face
    is no formula, so KaTeX's are never left out, only asked for as early, on a page with `maths`.
    """
    rules, asked = [], []
    for name, (family, style, weight, _) in FACES.items():
        weights = " ".join(map(str, weight)) if isinstance(weight, tuple) else weight
        rules.append(f"@font-face{{font-family:'{family}';font-style:{style};font-weight:{weights};"
                     f"font-display:optional;src:url({address(f'_static/fonts/{name}.woff2')}) format('woff2')}}")
        asked.append(f"{style} 1em '{family}'")
    for name, face in MATHS.items() if maths else ():
        style, _, family = face.split()
        rules.append(f"@font-face{{font-family:{family};font-style:{style};font-weight:400;font-display:block;"
                     f"src:url({address(f'_static/katex/fonts/{name}.woff2')}) format('woff2')}}")
        asked.append(face)
    for family, (width, ascent, descent, locals_) in AVERAGE.items():
        for name, other in locals_.items():
            size = width / other
            rules.append(f"@font-face{{font-family:'{name} as {family}';src:local('{name}');"
                         f"size-adjust:{size:.1%};"
                         f"ascent-override:{ascent / size:.1%};descent-override:{descent / size:.1%};"
                         "line-gap-override:0%}")
    rules.append(f":root{{--ak-serif:{stack('Source Serif 4')};--ak-sans:{stack('Source Sans 3')};"
                 "--ak-mono:'Source Code Pro',ui-monospace,Menlo,Consolas,monospace}")
    return (f"<style>{''.join(rules)}</style>\n"
            f"<script>for (const face of {json.dumps(asked)}) document.fonts.load(face).catch(() => {{}});</script>")


def cut(source, target, points, *, weight=None, features=("*",)):
    """Write the part of a font that draws these code points, in one weight or between two.

    What was cut before is kept in _build: a sentence seldom brings a letter that no page had.
    """
    wanted = f"{sorted(points)} {weight} {features} {version('fonttools')}".encode() + source.read_bytes()
    kept = KEPT / f"{hashlib.sha256(wanted).hexdigest()}.woff2"
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        cut_anew(source, kept, points, weight, features)
    shutil.copyfile(kept, target)


def cut_anew(source, target, points, weight, features):
    """The same, without looking whether it was done before."""
    options = Options(flavor="woff2", layout_features=list(features), notdef_outline=True, hinting=False)
    font = load_font(str(source), options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=points | {0x20})
    subsetter.subset(font)
    if weight:
        font = instantiateVariableFont(font, {"wght": weight})
    beside = target.with_suffix(f".{os.getpid()}")      # as another build may be at it
    save_font(font, str(beside), options)
    beside.replace(target)


def cut_all(out, pages, sheet):
    """Rewrite the site's fonts with only the glyphs that some page, script or style sheet draws."""
    cut_faces(out, pages)
    cut_maths(out, [page.tree for page in pages])
    # Icons are what rules put before or after an element, characters that are no letters of any script; the font has
    # letters and digits, too, which nobody asks it for.
    icons = {ord(letter) for letter in re.findall("[\ue000-\uf8ff]", sheet)}
    for font in sorted(ICONS.glob("*.woff2")):
        cut(font, out / "_static/vendor/fontawesome/webfonts" / font.name, icons)


def cut_faces(out, pages):
    """Text, interface and code: the letters of all pages and figures; the italic, of what is slanted.

    Whole modules, which may hold a language's accents, are set in the face of code alone.
    """
    every = {letter for file in out.glob("_static/figures/*.js") for letter in file.read_text(encoding="utf-8")}
    slanted, code = set(), set()
    for page in pages:
        # Those of a formula, too: few, and quickly told.
        (code if page.name.startswith("_modules/") else every).update(etree.tostring(page.tree, encoding="unicode"))
        for element in page.tree.xpath(SLANTED):
            slanted.update(element.text_content())
    letters = {"serif": every, "serif-italic": slanted, "sans": every, "mono": every | code}
    for name, (_, _, weight, features) in FACES.items():
        cut(FONTS / f"{name}.woff2", out / f"_static/fonts/{name}.woff2", {ord(letter) for letter in letters[name]},
            weight=weight, features=features)


def cut_maths(out, trees):
    """KaTeX's: the three that every page of formulas needs have their own letters, the others all that is drawn."""
    drawn, kinds = set(), {"mathnormal": set(), "mathbf": set(), "": set()}
    for tree in trees:
        for text in tree.xpath("//*[@class='katex-html']//text()"):
            classes = text.getparent().get("class") or ""
            kinds[next(kind for kind in kinds if kind in classes)].update(text)
            drawn.update(text)
    own = {"KaTeX_Math-Italic": kinds["mathnormal"], "KaTeX_Main-Bold": kinds["mathbf"],
           "KaTeX_Main-Regular": kinds[""]}
    for font in sorted(KATEX_FONTS.glob("*.woff2")):
        cut(font, out / "_static/katex/fonts" / font.name, {ord(letter) for letter in own.get(font.stem, drawn)})
