"""The pages at the back that are made from data: they hold all of it, and nothing else."""

import json
import re

import yaml
from conftest import ROOT

from booklib import road

TERMS, CLAIMS = (yaml.safe_load((ROOT / name).read_text(encoding="utf-8")) for name in ("terms.yml", "claims.yml"))


def text(name):
    return "\n\n".join(map(road.said, json.loads((ROOT / "reference" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]))


def test_the_glossary_has_every_term_in_the_order_of_the_alphabet():
    entries = re.findall(r"^(.+)\n: (.+) \[.+\]\(\.\./(?:chapters|further)/(\w+)\.ipynb\)$", text("glossary"), flags=re.M)
    assert [term for term, *_ in entries] == sorted((term["term"] for term in TERMS), key=str.casefold)
    assert {term: (means, slug) for term, means, slug in entries} == {term["term"]: (term["means"], term["slug"]) for term in TERMS}


def test_every_claim_stands_there_once_with_its_verdict_and_the_page_that_settles_it():
    rows = re.findall(r"^- (\d+), \*(\w+)\*: .* \[Settled here\]\(\.\./(?:chapters|further)/(\w+)\.ipynb[^)]*\)\.$", text("claims"), flags=re.M)
    assert sorted(map(int, dict.fromkeys(number for number, *_ in rows))) == [claim["id"] for claim in CLAIMS] and len(rows) == len(CLAIMS)
    assert {int(number): (verdict, slug) for number, verdict, slug in rows} == {claim["id"]: (claim["verdict"], claim["slug"]) for claim in CLAIMS}
    shown = text("claims").replace("\\", "")
    assert not [claim["id"] for claim in CLAIMS if claim["quote"] not in shown or str(claim["right"]).strip() not in shown]
    assert f"{len(CLAIMS)} statements" in shown
