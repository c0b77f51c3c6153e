"""What the sources say: data/claims.yml is whole, and the cells that settle its claims stand where they belong and show something."""

import collections
import json
import re

import pytest
import yaml
from conftest import ROOT, asked

from website import road, toc

CLAIMS = yaml.safe_load((ROOT / "data/claims.yml").read_text(encoding="utf-8"))
SOURCES = re.findall(r"^@\w+\{(\w+),", (ROOT / "data/references.bib").read_text(encoding="utf-8"), flags=re.M)
CHAPTERS = [toc.slug(page) for page in toc.chapters()]


def cells(page):
    return json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]


def settling(pages):
    """The cells that settle claims, each with its page and the claims."""
    return [(page, cell, cell["metadata"]["claims"]) for page in pages for cell in cells(page) if "claims" in cell["metadata"]]


def where(page, cell):
    return f"{page}, cell {cell['id']}"


def test_the_list_is_whole():
    assert CLAIMS and [claim["id"] for claim in CLAIMS] == list(range(1, len(CLAIMS) + 1)), "numbers in order, none twice, none missing"
    for claim in CLAIMS:
        assert set(claim) - {"formula"} == {"id", "source", "quote", "verdict", "right", "slug"}, claim["id"]
        assert claim["source"] in SOURCES, claim["id"]
        assert 1 <= len(claim["quote"].split()) <= 15, claim["id"]
        assert claim.get("formula", True) is True, claim["id"]
        assert claim["verdict"] in ("true", "conditional", "false"), claim["id"]
        assert len(claim["right"].split()) >= (1 if claim["verdict"] == "true" else 3), claim["id"]
        assert claim["slug"] in CHAPTERS, claim["id"]


def test_claims_are_settled_on_one_page_and_where_they_belong():
    home = {claim["id"]: claim["slug"] for claim in CLAIMS}
    pages = collections.defaultdict(set)
    for page, cell, ids in settling(name.removesuffix(".ipynb") for name in toc.notebooks()):
        assert ids and ids == sorted(set(ids)), where(page, cell)
        for number in ids:
            assert number in home, f"{where(page, cell)}: no claim {number}"
            assert page in (f"chapters/{home[number]}", f"further/{home[number]}"), f"{where(page, cell)}: claim {number}"
            pages[number].add(page)
    assert not {number: found for number, found in pages.items() if len(found) > 1}


@pytest.mark.parametrize("page", asked([page for page in toc.chapters() if page.startswith("chapters/")]))
def test_every_claim_of_a_chapter_is_settled(page):
    slug = toc.slug(page)
    settled = {number for _, _, ids in settling(name for name in toc.chapters() if toc.slug(name) == slug) for number in ids}
    assert not [claim["id"] for claim in CLAIMS if claim["slug"] == slug and claim["id"] not in settled]


@pytest.mark.parametrize("page", asked(toc.chapters()))
def test_what_settles_a_claim_shows_it(page):
    """A calculation shows its result, or asserts what the sentence above it says; a matter of record, or of what the source says, its citation."""
    source = {claim["id"]: claim["source"] for claim in CLAIMS}
    text = "".join(map(road.said, cells(page)))
    for _, cell, ids in settling([page]):
        if cell["cell_type"] == "code":
            shows = any("".join(output.get("text", "")).strip() or output.get("data") for output in cell["outputs"])
            assert shows or re.search(r"^(assert |says\()", "".join(cell["source"]), flags=re.M), where(page, cell)
        assert cell["cell_type"] == "code" or "bibliography.md#" in road.said(cell), where(page, cell)
        for number in ids:
            assert re.search(rf"bibliography\.md#{source.get(number)}\b", text), f"{where(page, cell)}: claim {number}"
