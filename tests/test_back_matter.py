"""The pages at the back that are made from data: they hold all of it, and nothing else."""

import json
import re
from html import unescape
from importlib.metadata import version

import yaml
from bs4 import BeautifulSoup
from conftest import ROOT

from website import lists, road, toc
from website.back_matter import claims, letters, moving, pages, places, sections, subjects, terms

TERMS, CLAIMS, SUBJECTS = (yaml.safe_load((ROOT / "data" / f"{name}.yml").read_text(encoding="utf-8"))
                           for name in ("terms", "claims", "subjects"))


def cells(name):
    return json.loads((ROOT / "reference" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


def text(name):
    return "\n\n".join(map(road.said, cells(name)))


def made(name):
    """The HTML that the cells of a page have made."""
    return BeautifulSoup("".join("".join(output.get("data", {}).get("text/html", "")) for cell in cells(name) for output in cell.get("outputs", [])), "html.parser")


def test_pages_come_in_the_order_of_the_book():
    found = pages(ROOT)
    assert list(found)[:2] == ["chapters/weights", "further/weights"] and found["chapters/weights"] == "Weights"
    assert set(found) >= {page for page in toc.chapters() if page.startswith(("chapters/", "further/"))}
    assert set(places(ROOT)) == set(toc.pages()) and places(ROOT)["reference/using"] == ("Using this book", ".md")


def test_sections_have_their_words():
    found = {at: (title, words) for at, title, words in sections("chapters/softmax", ROOT)}
    assert "One divisor" in found["chapters/softmax#temperature"][1] or "temperature" in found["chapters/softmax#temperature"][1]
    assert next(iter(found)) == "chapters/softmax" and len(found) > 6


def test_the_glossary_has_every_term_and_subject_in_the_order_of_the_alphabet():
    entries = {entry[0]: entry[1:] for entry in (block.split("\n: ") for block in text("glossary").split("\n\n") if "\n: " in block)}
    found = subjects(ROOT)
    assert list(entries) == [entry["subject"] for entry in found] and len({entry["subject"].casefold() for entry in SUBJECTS}) == len(SUBJECTS)
    assert {entry["subject"] for entry in found} == {entry["subject"] for entry in SUBJECTS} | {term["term"] for term in TERMS}
    means = {entry.get("term") or entry["subject"]: [entry["means"]] for entry in [*SUBJECTS, *TERMS] if "means" in entry}
    for entry in found:
        *meaning, places = entries[entry["subject"]]
        assert meaning == means.get(entry["subject"], []) and places.startswith(f"Also {', '.join(entry['also'])}. [" if entry["also"] else "[")
        leads = re.findall(r"\]\(\.\./([^)]*)\)", places)
        assert [re.sub(r"\.(ipynb|md)", "", place) for place in leads] == [re.sub(r"#.*\..*", "", place) for place in entry["where"]] != []
    assert all(term["page"].startswith("chapters/") for term in terms(ROOT)), "a term is defined on the page itself, not in its side room"


def test_a_term_leads_to_the_section_where_it_is_in_bold():
    for term in terms(ROOT):
        words = next(words for at, _, words in sections(term["page"], ROOT) if at == term["where"])
        assert f"**{term['term']}**".casefold() in words.casefold()


def test_every_claim_stands_there_once_with_its_verdict_and_the_page_that_settles_it():
    rows = made("claims").select(".ak-claims li")
    assert sorted(int(row["id"].removeprefix("claim-")) for row in rows) == [claim["id"] for claim in CLAIMS]
    known = {claim["id"]: claim for claim in claims(ROOT)}
    for row in rows:
        claim, shown = known[int(row["id"].removeprefix("claim-"))], unescape(row.text)
        assert set(row["class"]) == {f"s-{claim['source']}", f"v-{claim['verdict']}"} and row.find("b").text == claim["verdict"]
        assert row.parent.parent["class"] == [f"p-{claim['slug']}"]
        bare = str.maketrans("", "", "_^()\"‘’")          # what is set low or high, and marks within marks
        for part in ("quote", "right"):
            assert " ".join(str(claim[part]).split()).translate(bare) in shown.translate(bare), claim["id"]
        assert row.find("a")["href"] == f"../{claim['where']}"
    first = made("claims").find("ol").find_all("li")
    wrong = [(f"no. {claim['id']}", f"../{claim['where']}") for claim in claims(ROOT) if claim["verdict"] == "false"]
    assert [(row.find("small").text.split(", ")[-1], row.find("a")["href"]) for row in first] == wrong


def test_the_filters_offer_every_source_verdict_and_page():
    offered = [[option["value"] for option in choice.find_all("option")] for choice in made("claims").select(".ak-claims select")]
    for kind, of, values in zip("svp", ("source", "verdict", "slug"), offered):
        assert values[0] == "" and set(values[1:]) == {f"{kind}-{claim[of]}" for claim in CLAIMS}


def test_a_claim_leads_to_the_cell_that_settles_it():
    """To the page that has the cell, and to the last heading above it."""
    for claim in claims(ROOT):
        page, _, anchor = claim["where"].partition(".ipynb")
        there = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
        at = [k for k, cell in enumerate(there) if claim["id"] in cell["metadata"].get("claims", [])]
        above = "\n".join("".join(cell["source"]) for cell in there[:at[0] + 1] if cell["cell_type"] == "markdown")
        words = [re.sub("[^a-z0-9]+", "-", re.sub("[‘’“”'$`*]", "", heading.lower())).strip("-") for heading in re.findall(r"^## (.+)", above, flags=re.M)]
        assert at and (anchor.removeprefix("#") in words or not anchor), claim["id"]


def test_every_letter_has_its_row():
    rows = [line.strip("| ").split(" | ") for line in text("glossary").splitlines() if line.startswith("| $")]
    assert rows == [[f"${letter['letter']}$", letter["means"], f"${letter['shape']}$" if "shape" in letter else "a number", f"[{letter['title']}](../{letter['page']}.ipynb)",
                     *(f"${letter[text]}$" if text in letter else "–" for text in ("humt", "wikipedia", "merrell"))] for letter in letters(ROOT)]


def test_the_lists_fit_the_pages():
    assert list(lists.problems()) == []


PLANTED = [
    ("terms", "slug: softmax", "slug: softmaxx", "names the page 'softmaxx', and there is none"),
    ("terms", "- term: dot product", "- term: budget line", "'budget line' is nowhere in bold on its page chapters/dot_product"),
    ("subjects", "#a-step-downhill", "#a-step-uphill", "names the section chapters/learning#a-step-uphill, and there is none"),
    ("letters", "slug: positions", "slug: postions", "names the page 'postions', and there is none"),
    ("claims", "slug: softmax", "slug: hardmax", "names the page 'hardmax', and there is none"),
    ("lane", "masks: >-", "hardmax: >-", "names the page 'hardmax', and the road has none")]


def test_what_does_not_fit_is_named(tmp_path):
    (tmp_path / "data").mkdir()
    for path in ["_toc.yml", "data/terms.yml", "data/subjects.yml", "data/letters.yml", "data/claims.yml", "data/lane.yml", "chapters", "further", "reference", "index.ipynb"]:
        (tmp_path / path).symlink_to(ROOT / path)
    for name, there, planted, _ in PLANTED:
        path = tmp_path / "data" / f"{name}.yml"
        text = path.read_text(encoding="utf-8")
        assert there in text
        path.unlink(missing_ok=True)
        path.write_text(text.replace(there, planted, 1), encoding="utf-8")
    found = list(lists.problems(tmp_path))
    missed = [said for *_, said in PLANTED if sum(said in problem for problem in found) != 1]
    assert not missed and len(found) == len(PLANTED), (missed, found)


def test_the_gallery_has_every_figure_and_a_picture_of_it_as_it_is_now():
    from tools import gallery
    cards = made("gallery").select(".ak-gallery > li")
    assert [card.a["href"].removeprefix("../") for card in cards] == [places[0][0] for places in moving(ROOT).values()]
    shots = {image["src"].rpartition("/")[2] for image in made("gallery").select("img")}
    assert shots == {file.name for file in gallery.FOLDER.glob("*.webp")}
    taken = json.loads(gallery.KEPT.read_text(encoding="utf-8"))
    assert taken == {kind: made_of for kind, (_, made_of) in gallery.wanted().items()}, "run make gallery"


def test_what_is_listed_as_shipped_is_there():
    """The text of each licence, in the book's folder or in an installed package."""
    rows = re.findall(r"^\| .* \| (in the package )?`(.+)` \|$", (ROOT / "reference" / "colophon.md").read_text(encoding="utf-8"), flags=re.M)
    assert len(rows) > 8 and all(version(place) if package else (ROOT / place).exists() for package, place in rows)


def test_the_sessions_of_the_plan_are_of_ninety_minutes_and_name_every_page_of_the_road():
    plan = (ROOT / "reference" / "teaching.md").read_text(encoding="utf-8")
    sessions_of = re.findall(r"^### Session \d\..*?(?=^##)", plan, flags=re.M | re.S)
    assert [sum(map(int, re.findall(r"(\d+) minutes", re.sub(r"\n\n(The|Project).*", "", one, flags=re.S)))) for one in sessions_of] == [90] * 7
    for page in toc.road()[1:]:
        assert f"](../{page}.ipynb)" in plan, page
        assert page in toc.checkpoints() or f'href="../{page}.html?present"' in plan, page
