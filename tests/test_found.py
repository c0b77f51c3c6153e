"""How a page is found: what the search ranks first, what a term leads to, and what a page says of itself to others."""

import functools
import re
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup
from conftest import ROOT, SITE, node
from lxml import html

from website import back_matter, book_search, book_sharing, book_terms, toc
from website.browser import POLICY

QUERIES = yaml.safe_load((ROOT / "tests" / "queries.yml").read_text(encoding="utf-8"))


@functools.cache
def read(page):
    """A page of the site, by lxml: thirty times as fast as by Beautiful Soup."""
    return html.parse(SITE / f"{page}.html", html.HTMLParser(encoding="utf-8")).getroot()


# ---- the search

def ranked(questions):
    """The addresses that the search page would show, for each question."""
    folder = SITE / "_static"
    scripts = [(folder / name).read_text(encoding="utf-8") for name in ("language_data.js", "search/minisearch.js", "search/sections.js", "search/search.js")]
    return node("run_search.js", {"scripts": scripts, "questions": questions})


def test_what_learners_type_finds_its_section_among_the_first_three():
    """Nine in ten of the questions that four people wrote down, each without knowing the search; the package's pages come
    after the book's, unless the question has a function's name.
    """
    answers = ranked([query["asked"] for query in QUERIES])
    parts = back_matter.parts(ROOT)
    late = [[parts.get(place.partition("#")[0]) == "The package" for place in places] for places in answers]
    assert all(one == sorted(one) or re.search("[a-z]_[a-z]", query["asked"]) for query, one in zip(QUERIES, late))
    found = [any(place in query["right"] or place.startswith("reference/glossary#") and "reference/glossary" in query["right"] for place in places[:3])
             for query, places in zip(QUERIES, answers)]
    missed = [query["asked"] for query, there in zip(QUERIES, found) if not there]
    assert len(QUERIES) == 208 and len(missed) <= 21, missed


def test_the_questions_name_sections_that_are_there():
    for page in {place.partition("#")[0] for query in QUERIES for place in query["right"]}:
        ids = set(read(page).xpath("//@id"))
        wanted = {place.partition("#")[2] for query in QUERIES for place in query["right"] if place.partition("#")[0] == page} - {""}
        assert wanted <= ids, (page, wanted - ids)


FIRST = [
    ("√d_k", "chapters/matrix_form#why-divide-by-the-square-root-of-the-width"),       # a sign that nobody types, but pastes
    ("multi_head_attention", "reference/mechanism#attnkit.mechanism.multi_head_attention"),
    ("optimizer", "chapters/learning#a-step-downhill"),
    ("optimiser", "chapters/learning#a-step-downhill"),
    ("residaul conection", "chapters/layers#the-sum-a-word-stays-itself"),
    ("„Residual“ #connection", "chapters/layers#the-sum-a-word-stays-itself"),
    ("ﬁne‑tuning", "chapters/taught_with_twelve_sentences#fine-tuning-with-the-loop-in-sight"),     # copied from a PDF
    ("why doesn’t it learn", "chapters/when_it_does_not_learn"),
    ("nan loss", "further/masks#a-row-with-nothing-to-see"),
    ("why multiple heads", "chapters/multi_head"),
    ("learning rate too high", "chapters/learning#"),
    ("logits", "chapters/weights#where-do-the-weights-come-from"),
    ("induction head", "chapters/heads_that_copy#it-has-seen-this-before"),
]


def test_symbols_names_spellings_and_slips():
    found = zip(FIRST, ranked([asked for asked, _ in FIRST]), strict=True)
    assert not [(asked, places) for (asked, first), places in found if not places[0].startswith(first)]


def test_odd_questions_break_nothing():
    odd = ["", "   ", "the of a", "?", "^_^", "(((", "\u0000", "a" * 5000, "\\frac{a}{b}"]
    assert not [asked for asked, places in zip(odd, ranked(odd), strict=True) if not isinstance(places, list)]


@pytest.mark.parametrize("latex, typed", [
    (r"Q K^\top", "Q K^T"), (r"\sqrt{d_k}", "√d_k"), (r"\mathbf{x}_i W^{Q}", "x_i W^Q"), (r"\operatorname{softmax}(s)", "softmax(s)"),
    (r"\lVert\mathbf{q}\rVert^2 - \tfrac12", "‖q‖^2 - 1/2"), (r"\frac{e^{s_i / T}}{\sqrt{d}}", "(e^(s_i / T))/√d"), (r"w \in \{0, 1\}", "w ∈ {0, 1}"),
    (r"\begin{aligned} \alpha &= \sum_{i} \big(b_i\big) \\ \end{aligned}", "α = ∑_i (b_i)")])
def test_a_formula_is_read_as_one_types_it(latex, typed):
    assert book_search.plain_formula(latex) == typed


@pytest.mark.parametrize("page, text", [
    ('<p>A <a>mask</a>, <code class="py">x</code>.</p> <p>Then:</p>', "A mask, x.\nThen:"),
    ("<table><tr><td><p>a</p></td><td><p>b c</p></td></tr></table>", "a | b c"),
    ("<ul><li>one\ntwo</li><li>three</li></ul><dl class='py'><dd>four</dd></dl>", "one two\nthree")])
def test_each_paragraph_and_row_is_a_line(page, text):
    assert book_search.said([html.fragment_fromstring(f"<div>{page}</div>")])[0] == text


# ---- what is read out, translated, typed

def test_what_a_screen_reader_or_a_translator_gets():
    """Formulas and code are not translated, no icon is read out as a letter, an exercise has a heading, "/" stays the browser's."""
    for page in toc.pages():
        for fault, path in {
                "a formula or code may be translated": "//*[@class='katex' or self::code or self::pre][not(ancestor-or-self::*[@translate='no'])]",
                "an icon is read out": "//*[self::i or self::span][contains(@class, 'fa-')][not(@aria-hidden)]",
                "an exercise without a heading": "//*[contains(@class, 'ak-exercise')]//p[contains(@class, 'admonition-title')][not(@role='heading')]",
                "a key of the browser's": "//script[contains(., 'ENABLE_SEARCH_SHORTCUTS: true')]"}.items():
            assert not (found := read(page).xpath(path)), (page, fault, html.tostring(found[0])[:200])


# ---- terms

def test_terms_lead_to_the_glossary_once_a_page():
    known = {book_terms.address(term["term"]): term for term in back_matter.terms(ROOT)}
    for page in set(toc.chapters()) - set(toc.checkpoints()):
        links = read(page).xpath("//a[contains(@class, 'ak-to-term')]")
        went = [link.get("href").partition("#")[2] for link in links]
        assert len(went) == len(set(went)), page
        for link, term in zip(links, map(known.__getitem__, went)):
            assert link.get("aria-description") == term["means"] and link.text_content().lower()[:3] == term["term"].lower()[:3], (page, term)
            assert term["page"] != page, f"a term is no link where it is defined: {page}, {term['term']}"
            assert not [*link.iterancestors("a", "pre", "code", "h1", "h2", "h3", "summary", "blockquote", "svg")], (page, term)


def linked(text):
    paragraph = html.fragment_fromstring(f"<p>{text}</p>")
    known = {"key": "what is asked", "mask": "what hides", "dot product": "a sum"}
    lookup = {form: term for term in known for form in book_terms.forms(term)}
    pattern = re.compile(r"\b(?:" + "|".join(sorted(lookup, key=len, reverse=True)) + r")\b")
    book_terms.link_within(paragraph, pattern, lookup, set(known), known, "../")
    assert paragraph.text_content() == BeautifulSoup(text, "html.parser").text, "no word is lost or moved"
    return [link.text for link in paragraph.iter("a")]


@pytest.mark.parametrize("text, links", [
    ("Two dot products, one mask, one key; a second mask.", ["dot products", "mask", "key"]),
    ("Before <em>it</em> a mask, and <b>then</b> keys.", ["mask", "keys"]),
    ("“A mask”, she said. The mask.", ["mask"]),
    ("A key-value store, Mask Of Zorro, unmasked.", []),
    ("Masks hide.", ["Masks"]),
])
def test_what_becomes_a_link(text, links):
    assert linked(text) == links


# ---- what a page says of itself

def test_a_page_describes_itself():
    """And a chapter says how it is cited."""
    titles = back_matter.places(ROOT)
    for page in toc.pages():
        [about] = read(page).xpath("//meta[@name='description']/@content")
        assert 20 < len(about) <= 160, page
        assert not read(page).xpath("//link[@rel='canonical'] | //meta[@property='og:url']"), f"no address is known here: {page}"
        if page in toc.chapters():
            [cite] = read(page).xpath("//details[contains(@class, 'ak-cite')]")
            assert titles[page][0] in cite.find(".//p").text_content() and "Attention, Step by Step" in cite.find(".//p").text_content(), page
            assert re.fullmatch(r"@incollection\{[\w-]+,(\n  \w+ = \{.*\},)+\n\}", cite.find(".//pre").text_content()), page


@pytest.mark.parametrize("figures, shown", [(["soft_dictionary", "alignment"], "soft_dictionary"), ([], "alignment")])
def test_with_an_address_pages_name_it(figures, shown):
    """What is shown beside a link: asked of the function, as this site has no address."""
    class App:
        config = type("Config", (), {"html_baseurl": "https://a.example/b/", "html_title": "T"})
    head = BeautifulSoup(book_sharing.head(App, "chapters/softmax", "Softmax: <em>x</em>", 'About "it"', figures), "html.parser")
    told = {meta.get("property"): meta["content"] for meta in head.find_all("meta")}
    assert told["og:url"] == "https://a.example/b/chapters/softmax.html" and told["og:title"] == "Softmax: x" and told["og:description"] == 'About "it"'
    place, _, file = told["og:image"].rpartition("/")
    assert place == "https://a.example/b/_static/gallery" and file == f"{shown}-light.webp" and (SITE / "_static/gallery" / file).exists()


def test_addresses_that_moved_lead_on():
    moved = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]["redirects"]
    for old, new in moved.items():
        page = (SITE / f"{old}.html").read_text(encoding="utf-8")
        assert f'url={new}"' in page and (SITE / Path(old).parent / new).exists()
        assert old not in toc.pages()


def test_the_policy_that_hosts_are_told_is_the_one_that_pages_keep():
    assert POLICY in (ROOT / "reference" / "using.md").read_text(encoding="utf-8")


def test_the_library_of_the_search_comes_with_its_licence():
    assert "MIT" in (SITE / "_static/search/LICENSE").read_text(encoding="utf-8")
    assert "Luca Ongaro" in (SITE / "_static/search/LICENSE").read_text(encoding="utf-8")
