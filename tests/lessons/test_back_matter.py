"""The pages at the back that are made from data: they hold all of it, and nothing else."""

import json
import re

import yaml
from conftest import ROOT

from attnkit.lessons.back_matter import claims, pages, terms
from booklib import road, toc
from booklib.toc import importing

PAGES = importing("attnkit.lessons.back_matter")
TERMS, CLAIMS = (yaml.safe_load((ROOT / name).read_text(encoding="utf-8")) for name in ("terms.yml", "claims.yml"))


def text(name):
    return "\n\n".join(map(road.said, json.loads((ROOT / "reference" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]))


def test_pages_come_in_the_order_of_the_book():
    found = pages(ROOT)
    assert list(found)[:2] == ["chapters/weights", "further/weights"] and found["chapters/weights"] == "Weights"
    assert set(found) >= {page for page in toc.chapters() if page.startswith(("chapters/", "further/"))}


def test_the_glossary_has_every_term_in_the_order_of_the_alphabet():
    entries = re.findall(r"^(.+)\n: (.+) \[.+\]\(\.\./((?:chapters|further)/\w+)\.ipynb\)$", text("glossary"), flags=re.M)
    assert [term for term, *_ in entries] == sorted((term["term"] for term in TERMS), key=str.casefold) == [term["term"] for term in terms(ROOT)]
    assert {term: (means, toc.slug(page)) for term, means, page in entries} == {term["term"]: (term["means"], term["slug"]) for term in TERMS}
    assert all(page.startswith("chapters/") for *_, page in entries), "a term is defined on the page itself, not in its side room"


def test_every_claim_stands_there_once_with_its_verdict_and_the_page_that_settles_it():
    whole = text("claims")[text("claims").index("## Page by page"):]
    rows = re.findall(r"^- (\d+), \*(\w+)\*: .* \[Settled here\]\(\.\./(?:chapters|further)/(\w+)\.ipynb[^)]*\)\.$", whole, flags=re.M)
    assert sorted(int(number) for number, *_ in rows) == [claim["id"] for claim in CLAIMS]
    assert {int(number): (verdict, slug) for number, verdict, slug in rows} == {claim["id"]: (claim["verdict"], claim["slug"]) for claim in CLAIMS}
    shown = whole.replace("\\", "")
    assert not [claim["id"] for claim in CLAIMS if claim["quote"] not in shown or " ".join(str(claim["right"]).split()) not in shown]
    first = text("claims")[:text("claims").index("## Page by page")]
    assert re.findall(r"^- (\d+), \*false\*", first, flags=re.M) == [str(claim["id"]) for claim in claims(ROOT) if claim["verdict"] == "false"]


def test_a_claim_leads_to_the_cell_that_settles_it():
    """To the page that has the cell, and to the last heading above it."""
    for claim in claims(ROOT):
        page, _, anchor = claim["where"].partition(".ipynb")
        cells = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
        places = [k for k, cell in enumerate(cells) if claim["id"] in cell["metadata"].get("claims", [])]
        above = "\n".join("".join(cell["source"]) for cell in cells[:places[0] + 1] if cell["cell_type"] == "markdown")
        words = [re.sub("[^a-z0-9]+", "-", re.sub("[‘’“”'$`*]", "", heading.lower())).strip("-") for heading in re.findall(r"^## (.+)", above, flags=re.M)]
        assert places and (anchor.removeprefix("#") in words or not anchor), claim["id"]
