"""Take the pictures of the gallery: every figure that moves, as it stands on its page, light and dark.

    python -m tools.gallery            those whose figure has changed

The built site and a browser are needed.  What each picture was taken of is kept beside them, in taken.json, and a test
compares; without that file every picture is taken.
"""

import hashlib
import io
import json
import os
import re

import lightningcss
from PIL import Image, ImageChops

from bookkit.figures import base
from website import back_matter, browser

FOLDER = browser.ROOT / "website" / "static" / "gallery"
KEPT = FOLDER / "taken.json"
# What stays in sight on a page would lie on the figure; and of the figure itself, the picture alone is wanted.
OVER_IT = """.bd-header-article, #pst-skip-link, .skip-link, .ak-figure :is(.ak-buttons, .ak-controls, .ak-last-row,
    .ak-caption, .ak-live, .ak-room[aria-hidden], .ak-loader, .ak-note, p.ak-small, select):not(.ak-over *)
    { display: none !important }"""
WIDTH, HEIGHT = 420, 336        # pixels of a picture
NARROW = 360                    # pixels: as on a phone, where letters are nearly as large as in the picture
# Of a picture that grows, all of it.
GROWN = """figure => { const next = [...figure.querySelectorAll('button')].find(one => one.textContent === 'Next step');
    for (let k = 0; k < 30; k++) next.click(); }"""


def made_of(kind, address):
    """A hash of what a figure looks like: its scripts and its style, as they travel, and how its notebook shows it."""
    notebook = json.loads((browser.ROOT / address.partition("#")[0]).read_text(encoding="utf-8"))
    shown = ["".join(output["data"]["text/html"]) for cell in notebook["cells"] for output in cell.get("outputs", [])
             if f'data-ak-figure="{kind}"' in "".join(output.get("data", {}).get("text/html", ""))]
    style = lightningcss.process_stylesheet(base.stylesheet(kind), minify=True)
    return hashlib.sha256("\0".join([*map(base.script, base.scripts(kind)), style, shown[0]]).encode()).hexdigest()[:16]


def wanted():
    """Of every figure where it stands first and what it is made of."""
    first = {kind: places[0][0] for kind, places in back_matter.moving(browser.ROOT).items()}
    return {kind: (address, made_of(kind, address)) for kind, address in first.items()}


def take(watched, site, kind, address, theme):
    """One picture: what a figure shows, from its top, without what works it."""
    page = re.sub(r"\.ipynb.*", ".html", address)
    watched.open(f"{site}/{page}")
    watched.page.add_style_tag(content=OVER_IT)
    figure = watched.page.locator(f'[data-ak-figure="{kind}"]').first
    figure.scroll_into_view_if_needed()
    if kind == "growing_picture":
        figure.evaluate(GROWN)
    watched.settle()
    picture = trimmed(Image.open(io.BytesIO(figure.screenshot(animations="disabled"))).convert("RGB"))
    picture = picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    picture.save(FOLDER / f"{kind}-{theme}.webp", quality=45, method=6)


def trimmed(picture):
    """A picture without its empty edges, on a ground of the shape that is wanted; of a high one the upper part."""
    ground = picture.getpixel((12, picture.height - 4))
    left, top, right, bottom = ImageChops.difference(picture, Image.new("RGB", picture.size, ground)).getbbox()
    bottom = min(bottom, top + round((right - left) * HEIGHT / WIDTH))
    wide = round(1.08 * max(right - left, (bottom - top) * WIDTH / HEIGHT))
    whole = Image.new("RGB", (wide, round(wide * HEIGHT / WIDTH)), ground)
    whole.paste(picture.crop((left, top, right, bottom)),
                ((whole.width - right + left) // 2, (whole.height - bottom + top) // 2))
    return whole


def main():
    """Take what has changed, and remove what is no more."""
    FOLDER.mkdir(exist_ok=True)
    taken = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    now = wanted()
    with browser.serve() as site, browser.launch(os.environ["CHROMIUM"]) as chromium:
        for theme in ("light", "dark"):
            with browser.Watched(chromium, width=NARROW, dark=theme == "dark", device_scale_factor=1.5) as watched:
                for kind, (address, made) in now.items():
                    if taken.get(kind) != made:
                        take(watched, site, kind, address, theme)
    for file in FOLDER.glob("*.webp"):
        if file.stem.rpartition("-")[0] not in now:
            file.unlink()
    KEPT.write_text(json.dumps({kind: made for kind, (_, made) in now.items()}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
