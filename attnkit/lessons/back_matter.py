"""What stands at the back of the book: its terms and the claims of its sources, with where they are.

The lists belong to a copy of the book, not to the package: ``terms.yml`` and ``claims.yml`` are in its folder.
"""

import json
import re
from pathlib import Path

import yaml


def terms(folder=".."):
    """All terms in the order of the alphabet.

    Parameters
    ----------
    folder : path
        Of a copy of the book.

    Returns
    -------
    list of dict
        ``"term"``, ``"slug"`` and ``"means"`` as in the file, and ``"page"``, the path of the page from `folder`, with
        its ``"title"``.
    """
    listed = yaml.safe_load((Path(folder) / "terms.yml").read_text(encoding="utf-8"))
    titles = {page.rpartition("/")[2]: (page, title) for page, title in reversed(pages(folder).items())}
    found = [term | dict(zip(("page", "title"), titles[term["slug"]])) for term in listed]
    return sorted(found, key=lambda term: term["term"].casefold())


def claims(folder=".."):
    """All claims of the sources, page by page in the order of the book.

    Parameters
    ----------
    folder : path
        Of a copy of the book.

    Returns
    -------
    list of dict
        What the file says of each, and ``"title"``, that of its chapter, and ``"where"``, the address from `folder` of
        the section that settles it.
    """
    listed = yaml.safe_load((Path(folder) / "claims.yml").read_text(encoding="utf-8"))
    titles, places = pages(folder), {}
    for page in titles:
        anchor = ""
        for cell in json.loads((Path(folder) / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
            first, *rest = re.split(r"^#+ ", text, flags=re.M)       # the first part belongs to the section above
            settles = cell["metadata"].get("claims", [])
            if first.strip() or not rest:
                places |= {number: f"{page}.ipynb{anchor}" for number in settles}
            if rest:
                anchor = _anchor(rest[-1].splitlines()[0]) if not text.startswith("# ") or len(rest) > 1 else ""
            places |= {number: f"{page}.ipynb{anchor}" for number in settles if number not in places}
    order = {page.rpartition("/")[2]: k for k, page in reversed(list(enumerate(titles)))}
    shown = {page.rpartition("/")[2]: title for page, title in reversed(titles.items())}
    found = [claim | {"title": shown[claim["slug"]], "where": places[claim["id"]]} for claim in listed]
    return sorted(found, key=lambda claim: (order[claim["slug"]], claim["id"]))


def pages(folder=".."):
    """The chapters and their side rooms in the order of the book, with their titles up to a colon."""
    listed = re.findall(r"file: ((?:chapters|further)/\w+)", (Path(folder) / "_toc.yml").read_text(encoding="utf-8"))
    notebooks = {page: Path(folder) / f"{page}.ipynb" for page in listed}
    return {page: _title(path) for page, path in notebooks.items() if path.exists()}


def _title(path):
    first = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
    return first.splitlines()[0].removeprefix("# ").split(":")[0]


def _anchor(heading):
    """The address of a section in its page."""
    plain = re.sub("[‘’“”'$`*]", "", heading.lower())
    return "#" + re.sub("[^a-z0-9]+", "-", plain).strip("-")
