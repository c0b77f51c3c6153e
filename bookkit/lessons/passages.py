"""The book as a soft dictionary: its passages, found by the vector of a question, and by their words for comparison."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import log
from pathlib import Path

import numpy as np

from bookkit.lessons.minilm import MiniLM

SHORTEST, LONGEST = 30, 120          # words of a passage
LEFT_OUT = {"Exercises", "In one paragraph", "Ask the book"}      # the last names questions itself
PIECES = 128                         # of a passage that are read


@dataclass(frozen=True)
class Passage:
    """Some sentences of the book, and where they stand."""

    page: str            # its path without the suffix, "chapters/softmax"; a sentence of no page has "" here and below
    title: str
    heading: str         # of its section; the title, above the first one
    text: str

    @property
    def anchor(self):
        """The name of the section in the page."""
        return re.sub(r"[^a-z0-9]+", "-", re.sub(r"[‘’“”']", "", self.heading).lower()).strip("-")

    @property
    def words(self):
        """What the model reads, with title and heading in front."""
        return ". ".join(filter(None, [*dict.fromkeys([self.title, self.heading]), self.text]))


# ---- cutting

def passages(folder):
    """All passages of the book, from the notebooks in ``chapters`` and ``further`` of a folder.

    They are sentences of the text, and of what cells have written as text. Exercises and what they say at the end are
    left out. A passage has 30 to 120 words, fewer where a section is shorter.
    """
    paths = [path for room in ("chapters", "further") for path in sorted((Path(folder) / room).glob("*.ipynb"))]
    return [passage for path in paths for passage in of_page(path)]


def of_page(path):
    """The passages of a notebook."""
    page, title, heading, found = f"{path.parent.name}/{path.stem}", "", "", []
    for block in blocks(json.loads(path.read_text(encoding="utf-8"))):
        if mark := re.match(r"(#+) (.*)", block):
            heading = plain(mark[2])
            title = title or heading
        elif heading not in LEFT_OUT and (text := plain(block)):
            found += [(heading, part) for part in parts(text)]
    joined = []
    for heading, text in found:
        if joined and joined[-1][0] == heading and len(f"{joined[-1][1]} {text}".split()) <= LONGEST:
            joined[-1] = heading, f"{joined[-1][1]} {text}"
        else:
            joined.append((heading, text))
    return [Passage(page, title, heading, text) for heading, text in joined if len(text.split()) >= SHORTEST // 2]


NEEDLESS = (r"^(```|:::+)\{(?:exercise|solution|figure|list-table|glossary|raw|image)[\s\S]*?^\1\s*$",
            r"^```[\s\S]*?^```\s*$", r"\$\$[\s\S]*?\$\$", r"^[:`]{3,}.*$", r"^\|.*$", r"^:\w+:.*$", r"<[^>]+>",
            r"^\([\w-]+\)=$")


def blocks(notebook):
    """The paragraphs of a notebook in Markdown, without exercises, listings, formulas and tables."""
    texts = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            texts.append("".join(cell["source"]))
        for output in cell.get("outputs", []):
            texts.append("".join(output.get("data", {}).get("text/markdown", "")))
    text = "\n\n".join(texts)
    for needless in NEEDLESS:
        text = re.sub(needless, "", text, flags=re.M)
    return [block.strip() for block in re.split(r"\n\s*\n|(?m:^(?=#))|(?m:(?<=^)(?=[-*] ))", text) if block.strip()]


def plain(text):
    """Markdown as it is read aloud: links are their words, formulas their letters."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\$([^$]*)\$", lambda formula: spoken(formula[1]), text)
    text = re.sub(r"^\s*(?:#+|>|[-*]|\d+\.) ", "", text, flags=re.M)
    return " ".join(re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", text).split())


def spoken(formula):
    """A short formula without the signs of TeX."""
    formula = re.sub(r"\\(?:mathrm|text|operatorname|mathbf)\{([^{}]*)\}", r"\1", formula)
    formula = re.sub(r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)", formula)
    formula = re.sub(r"\\(?:top|mathsf\{T\}|intercal)", "T", formula)
    return re.sub(r"[\\{}]", "", re.sub(r"\\[,;! ]", " ", formula))


def parts(text):
    """A paragraph, cut between sentences where it is longer than a passage."""
    found = [""]
    for sentence in re.split(r"(?<!\bal\.)(?<=[.?!:]) ", text):
        if found[-1] and len(f"{found[-1]} {sentence}".split()) > LONGEST:
            found.append("")
        found[-1] = f"{found[-1]} {sentence}".strip()
    return found


# ---- finding

def light(model):
    """The same model in float32, which is enough to find passages and takes half the time."""
    return MiniLM(model.words, {name: tensor.astype(np.float32) for name, tensor in model.tensors.items()})


def key(model, passage):
    """The vector of a passage (d,)."""
    return model.pooled(model.trace(model.numbers(passage.words, PIECES)))


class Library:
    """The passages of a copy of the book, or those `given`, to be asked.

    The book is looked for, when it is asked, in the folder and above it; if none is given, in the working directory,
    which of a notebook is the folder that it stands in.
    """

    def __init__(self, model, folder=".", given=None):
        self._model, self._folder, self._given = model, folder, given

    @cached_property
    def passages(self):
        """All of them."""
        if self._given is not None:
            return self._given
        start = Path(self._folder).resolve()
        for place in (start, *start.parents):
            if (place / "chapters").is_dir() and (place / "_toc.yml").is_file():
                return passages(place)
        raise FileNotFoundError(f"no copy of the book in {start} or above it: the passages are read from its notebooks")

    @cached_property
    def keys(self):
        """Their vectors (m, d); the first time this takes half a minute."""
        model = light(self._model)
        return np.stack([key(model, passage) for passage in self.passages])

    def ask(self, question):
        """The vector of a question (d,), and its dot products with all keys (m,)."""
        query = self._model.vector(question)
        return query, self.keys @ query


# ---- the same by words

COMMON = frozenset("a an and are as at be by can do does for from has have how i in is it its not of on or so that the "
                   "them then there they this to was we what when where which who why will with you your".split())


def by_words(question, texts, k=1.2, b=0.75):
    """The scores of texts by BM25: rare words of the question count more, their repetition and long texts less.

    `k` and `b` say how soon repetition is enough, and how much the length of a text counts (Robertson and Zaragoza
    2009).

    >>> by_words("the softmax", ["one softmax", "one mask"]).round(2).tolist()
    [0.69, 0.0]
    """
    counts = [Counter(content(text)) for text in texts]
    long = np.array([sum(count.values()) for count in counts])
    scores = np.zeros(len(texts))
    for word in set(content(question)):
        has = np.array([count[word] for count in counts])
        n = (has > 0).sum()
        rare = log(1 + (len(texts) - n + 0.5) / (n + 0.5))
        scores += rare * has * (k + 1) / (has + k * (1 - b + b * long / long.mean()))
    return scores


def content(text):
    """The words of a text that say something, in small letters, without a plural's s."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return [re.sub(r"(?<=[a-z]{3})s$", "", word) for word in words if word not in COMMON]
