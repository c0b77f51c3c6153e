"""The real model's files on the site: made from its package at each build, fetched by a page when a reader asks.

Each is a script that hands over a text, as a page from the disk can read nothing else (bookkit/figures/loading.js).
"""

import base64
import hashlib
import json
import shutil
from pathlib import Path

import numpy as np

from bookkit.figures.ask_book import told
from bookkit.lessons import minilm, minilm_packed, passages
from website import addresses

ROOT = Path(__file__).resolve().parent.parent
EACH = 1_500_000             # bytes in a part; a script of two megabytes is read without a stall


def setup(app):
    """Sphinx's entry point."""
    app.connect("builder-inited", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write(app):
    """What the model is, and its numbers in parts; and what the pages say, which may have changed since."""
    folder = Path(app.outdir) / "_static" / "minilm"
    if not stands(folder):
        about, data = minilm_packed.pack(minilm.loaded())
        write_parts(folder, data, LICENCE, about=about)
    arrive(folder, "passages", library(Path(app.srcdir)))


def stands(folder):
    """Whether a model's parts were written, for the host that is named now."""
    named = f'"host": {json.dumps(addresses.models())}'
    return (folder / "LICENSE.txt").exists() and named in (folder / "about.js").read_text(encoding="utf-8")


def write_parts(folder, data, licence, **about):
    """A model's bytes in parts, with the digest of each; parts for another host lie in _build/models, to be put there.

    The licence is written last: where that stands, everything does.
    """
    shutil.rmtree(folder, ignore_errors=True)
    into = ROOT / "_build" / "models" / folder.name if addresses.models() else folder
    for one in (folder, into):
        one.mkdir(parents=True, exist_ok=True)
    parts = [data[k:k + EACH] for k in range(0, len(data), EACH)]
    for k, part in enumerate(parts):
        # In a comment: a browser keeps the text of a script once, and a string in it another time.
        text = base64.b64encode(part).decode()
        (into / f"{k}.js").write_text(f'attnkit.arrive("{folder.name}/{k}", () => {{/*{text}*/}});\n', encoding="utf-8")
    arrive(folder, "about", {"size": len(data), "each": EACH, "host": addresses.models(), **about,
                             "digests": [hashlib.sha256(part).hexdigest() for part in parts]})
    for one in (into, folder):
        (one / "LICENSE.txt").write_text(licence, encoding="utf-8")


def library(book):
    """The passages of the book and their keys, four bits a number, two to a byte; steps make each key one unit long."""
    found = passages.passages(book)
    keys = remembered(found, book / "_build" / "passages.json")
    integers = np.rint(keys / np.abs(keys).max(axis=1, keepdims=True) * 7).astype(int)
    steps = 1 / np.linalg.norm(integers, axis=1)
    two = (16 * (integers[:, 0::2] + 8) + integers[:, 1::2] + 8).astype(np.uint8)
    return {"passages": [told(passage) for passage in found], "width": keys.shape[1],
            "steps": steps.round(6).tolist(), "keys": base64.b64encode(two.tobytes()).decode()}


def remembered(found, file):
    """Their keys (m, d); reading all takes half a minute, so those of an earlier build are taken over."""
    names = [hashlib.sha256(f"{minilm.FILES} {passage.words}".encode()).hexdigest() for passage in found]
    known = json.loads(file.read_text()) if file.exists() else {}
    new = {name: passage for name, passage in zip(names, found) if name not in known}
    if new:
        light = passages.light(minilm.loaded())
        known = {name: known[name] for name in names if name in known}
        known |= {name: passages.key(light, passage).round(4).tolist() for name, passage in new.items()}
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(known))
    return np.array(list(map(known.get, names)))


def arrive(folder, name, value):
    """A file that hands a value over by its name, that of its folder in front."""
    (folder / f"{name}.js").write_text(arriving(f"{folder.name}/{name}", value), encoding="utf-8")


def arriving(name, value):
    """The script that hands a value over."""
    return f'attnkit.arrive("{name}", {json.dumps(value, ensure_ascii=False)});\n'


LICENCE = """\
The numbers in this folder are those of all-MiniLM-L6-v2, rounded to ten bits or eight, by the authors of
sentence-transformers (https://www.sbert.net), made from MiniLM-L6-H384-uncased. They are published under the Apache
License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0), and so are these files.
"""
