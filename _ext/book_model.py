"""The real model's files on the site: made from its package at each build, fetched by a page when a reader asks.

Each is a script that hands over a text, as a page from the disk can read nothing else (attnkit/figures/minilm.js).
"""

import base64
import json
from pathlib import Path

from attnkit.lessons import minilm, minilm_packed

EACH = 1_500_000             # bytes in a part; a script of two megabytes is read without a stall


def setup(app):
    """Sphinx's entry point."""
    app.connect("builder-inited", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write(app):
    """What the model is, and its numbers in parts."""
    about, data = minilm_packed.pack(minilm.loaded())
    parts = [data[k:k + EACH] for k in range(0, len(data), EACH)]
    folder = Path(app.outdir) / "_static" / "minilm"
    folder.mkdir(parents=True, exist_ok=True)
    arrive(folder, "about", {"about": about, "parts": len(parts), "size": len(data), "each": EACH})
    for k, part in enumerate(parts):
        arrive(folder, str(k), base64.b64encode(part).decode())
    (folder / "LICENSE.txt").write_text(LICENCE, encoding="utf-8")


def arrive(folder, name, value):
    """A file that hands a value over by its name."""
    text = json.dumps(value, ensure_ascii=False)
    (folder / f"{name}.js").write_text(f"attnkit.arrive({json.dumps(name)}, {text});\n", encoding="utf-8")


LICENCE = """\
The numbers in this folder are those of all-MiniLM-L6-v2, rounded to ten bits or eight, by the authors of
sentence-transformers (https://www.sbert.net), made from MiniLM-L6-H384-uncased. They are published under the Apache
License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0), and so are these files.
"""
