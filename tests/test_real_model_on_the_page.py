"""The real model in the page: fetched when asked, never before; it reads as Python does; the book answers.

The page loads it once for all that is asked here.
"""

import base64
import json
import re

import lxml.html
import numpy as np
import pytest
from conftest import ROOT, SITE, node

from bookkit.lessons import minilm, minilm_packed, passages
from bookkit.lessons.measured import results
from bookkit.lessons.stories import stories
from bookkit.studies import ask_the_book
from website import toc
from website.browser import POLICY

PAGES = ["chapters/real_model"]
PAGE = PAGES[0]
ODD = ["", "naïve café, Ångström", "İstanbul’da", "a\u00a0b\u2003c", "tab\tand", "日本語 and 한국어", "emoji 🙂 here", "don't—stop…now", "12,345.67%",
       "x" * 120, "[CLS] [MASK] said", "##ing", "Привет, мир!", "¿Qué? ¡Sí!", "A\u0301\u0327", "word " * 90]
# Read texts one after another in the worker of the page: what Python is compared with, numbers as the bytes of float32.
READ = """async texts => { const out = [];
    const bytes = numbers => { let letters = ''; for (const byte of new Uint8Array(numbers.buffer)) letters += String.fromCharCode(byte); return btoa(letters); };
    for (const text of texts) { const {pieces, weights, vector} = await attnkit.minilm.read(text);
        out.push({pieces, weights: bytes(weights), vector: bytes(vector)}); }
    return out; }"""


def read(w, texts):
    """What the page makes of texts: pieces, weights (72, n, n) and vector of each."""
    found = w.page.evaluate(READ, texts)
    return [(got["pieces"], *(np.frombuffer(base64.b64decode(got[name]), np.float32) for name in ("weights", "vector"))) for got in found]


def sentences():
    """50 that no trial has seen: from the book's own text, and some odd ones."""
    rng = np.random.default_rng(361)
    found = [sentence for passage in passages.passages(ROOT) for sentence in re.split(r"(?<=[.?!]) ", passage.text) if 40 < len(sentence) < 160]
    return [*ODD, *(found[k] for k in rng.permutation(len(found))[:29]), *(" ".join(story) for story in stories(5, seed=77))]


def load(w):
    """Press the button, and wait until the model is there."""
    w.page.locator("[data-ak-once]").first.press("Enter")
    w.page.wait_for_function("() => attnkit.minilm.status.state === 'ready' || attnkit.minilm.status.state === 'failed'")
    assert w.page.evaluate("attnkit.minilm.status.state") == "ready"


def arrived(name):
    """What a file of the site hands over."""
    text = (SITE / f"_static/minilm/{name}.js").read_text(encoding="utf-8")
    return json.loads(re.fullmatch(r'attnkit\.arrive\("[\w/]+", (.*)\);\n', text, flags=re.S)[1])


def part(k):
    """The bytes of a part of the model."""
    return base64.b64decode(re.search(r"/\*(.*)\*/", (SITE / f"_static/minilm/{k}.js").read_text(encoding="utf-8"))[1])


# ---- the files

def test_the_kernel_is_its_source():
    text = (ROOT / "bookkit/figures/kernel.wat").read_text(encoding="utf-8")
    assembled = node("assemble.js", text)
    assert f'"{assembled}"' in (ROOT / "bookkit/figures/minilm.js").read_text(encoding="utf-8")


def test_the_button_says_what_is_fetched():
    """Megabytes: of the parts, the vocabulary and the passages, as they come over a line that compresses."""
    about = arrived("about")
    parts = [part(k) for k in range(len(about["digests"]))]
    assert sum(map(len, parts)) == about["size"] and set(map(len, parts[:-1])) == {about["each"]}
    rest = sum((SITE / f"_static/minilm/{name}.js").stat().st_size for name in ("about", "passages")) / 2.5      # gzip of text
    for figure in ("head_maps", "ask_book"):
        size = int(re.search(r"const SIZE = (\d+);", (ROOT / f"bookkit/figures/{figure}.js").read_text())[1])
        assert abs(about["size"] / 1e6 + rest / 1e6 - size) < 0.6
    assert "Apache" in (SITE / "_static/minilm/LICENSE.txt").read_text()


def test_passages_lead_to_their_places():
    ids = {name: set(lxml.html.parse(str(SITE / f"{name}.html")).xpath("//@id")) for name in toc.pages()}
    found = arrived("passages")["passages"]
    assert len(found) > 500 and not [(one["page"], one["anchor"]) for one in found if one["anchor"] not in ids[one["page"]]]


def test_questions_find_their_pages_as_often_as_the_page_says():
    """Of 45 questions, by vectors and by words, with the keys as they travel; texts change, so three may move."""
    given = arrived("passages")
    two = np.frombuffer(base64.b64decode(given["keys"]), np.uint8)
    integers = np.stack([two >> 4, two & 15], axis=1).reshape(len(given["passages"]), given["width"]).astype(int) - 8
    keys = integers * np.array(given["steps"])[:, None]
    found = passages.passages(ROOT)
    assert [one["text"] for one in given["passages"]] == [passage.text for passage in found]
    assert np.linalg.norm(keys, axis=1) == pytest.approx(1, abs=1e-3)
    for run in results("ask_the_book", folder=ROOT)["runs"]:
        now = ask_the_book.counted(run["questions"], found, keys)
        print(run["questions"], now)
        assert all(abs(now[way][rank] - run[way][rank]) <= 3 for way in ("vectors", "words") for rank in ("first", "in three"))


# ---- in a browser

@pytest.fixture(scope="module")
def page(chromium, site):
    """The page with the model loaded; what it asked for before and after."""
    from website import browser
    with browser.Watched(chromium) as w:
        w.open(f"{site}/{PAGE}.html")
        assert not [url for url in w.requests if "minilm/" in url], "nothing may be fetched before the button is pressed"
        load(w)
        yield w
        assert not w.errors and not w.outside


@pytest.mark.browser
def test_it_reads_as_python_does(page):
    """50 sentences: pieces the same, and each number as Python has it with the matrices that travelled, in a few bits.

    What those bits change: dot products by less than .01, a weight by less than .02, in one sentence up to .025.
    Most of it is the vocabulary's, which has eight bits: with ten it would be a quarter, and the model 3 MB heavier.
    """
    model, texts = minilm.loaded(), sentences()
    travelled = minilm_packed.unpack(*minilm_packed.pack(model))
    assert len(texts) == 50 and page.page.evaluate("attnkit.minilm.status.runs") == "WebAssembly"
    ours, theirs, off, same = [], [], [], []
    for text, (pieces, weighed, vector) in zip(texts, read(page, texts), strict=True):
        assert pieces == model.pieces(text, 64), text
        for one, apart in ((model, off), (travelled, same)):
            found = one.trace(one.numbers(text, 64))
            weights = np.stack([found[f"layers.{layer}.weights"] for layer in range(6)])
            apart.append(np.abs(weights.ravel() - weighed).max())
            if one is model:
                ours.append(model.pooled(found))
        theirs.append(vector)
    ours, theirs = np.array(ours), np.array(theirs)
    apart = np.abs(ours @ ours.T - theirs @ theirs.T).max()
    usual, worst = np.sort(off)[-2:]
    print(f"\nlargest difference of a weight {worst:.4f}, in the other sentences {usual:.4f}; of a dot product {apart:.4f}; "
          f"of a weight, from what travelled {max(same):.6f}")
    assert usual < 0.02 and worst < 0.025 and apart < 0.01 and max(same) < 1e-4


@pytest.mark.browser
def test_a_sentence_of_ones_own(page):
    found = page.page.locator(".ak-figure[data-ak-kind=head_maps]")
    found.get_by_role("textbox").fill("My cat chased my dog")
    found.get_by_role("textbox").press("Enter")
    found.get_by_role("button", name="chased").wait_for()
    assert found.locator("tbody:visible tr").count() == 7
    assert found.get_by_role("combobox").evaluate("list => list.selectedOptions[0].textContent") == "your own sentence"
    found.get_by_role("textbox").fill("Would you like some tea?")
    found.get_by_role("button", name="Read it").press("Enter")
    found.get_by_role("button", name="tea", exact=True).wait_for()
    found.get_by_role("textbox").fill("word and " * 40)
    found.get_by_role("textbox").press("Enter")
    found.get_by_text("Only the first 64 pieces are read.").wait_for()
    assert found.locator(".ak-running button").count() == 64
    found.locator(".ak-running button").nth(5).press("Enter")
    assert found.locator(".ak-running [aria-pressed=true]").count() == 1
    found.get_by_role("textbox").fill(" ")
    found.get_by_role("textbox").press("Enter")
    assert found.get_by_text("Type a sentence first.").is_visible()
    found.get_by_role("button", name="Reset").press("Enter")
    assert found.get_by_role("textbox").input_value() == ""


@pytest.mark.browser
def test_the_book_answers(page):
    """A question that it answers, one that it does not: weights sum to one for both, scores tell them apart."""
    found = page.page.locator(".ak-figure[data-ak-kind=ask_book]")
    best = {}
    for question in ("Why can a word not see what comes next?", "How long does bread stay in the oven?"):
        found.get_by_role("textbox").fill(question)
        found.get_by_role("textbox").press("Enter")
        found.locator("ol li:visible").first.wait_for()
        page.page.wait_for_function("question => document.querySelector('[data-ak-kind=ask_book] .ak-live') && !document.querySelector('[data-ak-kind=ask_book]').innerText.includes('Reading ...')", arg=question)
        page.settle()
        places = [link.get_attribute("href") for link in found.get_by_role("link").all()]
        assert len({*places}) == len(places) == 6, "a section is shown twice"
        best[question] = float(found.locator(".ak-head .ak-num").first.inner_text())
        if "word" in question:
            assert "masks" in found.get_by_role("link").first.get_attribute("href")
    assert list(best.values())[0] > 0.5 > 0.35 > list(best.values())[1]
    found.get_by_role("button", name="Reset").press("Enter")
    assert not found.get_by_role("link").first.is_visible()


@pytest.mark.browser
def test_without_webassembly_it_reads_the_same(watched, site, page):
    """Where the content policy allows no WebAssembly, JavaScript does the products."""
    texts = ["Tennis is played by two or four players", "word " * 70]
    wanted = read(page, texts)
    with watched() as w:
        def policed(route, request):
            answer = route.fetch()
            route.fulfill(response=answer, headers={**answer.headers, "content-security-policy": POLICY.replace(" 'wasm-unsafe-eval'", "")})
        w.page.route(f"**/{PAGE}.html", policed)
        w.open(f"{site}/{PAGE}.html")
        load(w)
        assert w.page.evaluate("attnkit.minilm.status.runs") == "JavaScript"
        for (pieces, weights, _), (same, others, _) in zip(read(w, texts), wanted):
            assert pieces == same and np.abs(weights - others).max() < 1e-4
        assert not w.outside and not [error for error in w.errors if "WebAssembly" not in error]


@pytest.mark.browser
def test_loading_can_be_stopped_and_fails_with_a_word(watched, site):
    with watched() as w:
        w.open(f"{site}/{PAGE}.html")
        held = []
        w.page.route("**/minilm/5.js", lambda route: held.append(route))
        button, stop = w.page.locator("[data-ak-once]").first, w.page.get_by_role("button", name="Stop").first
        button.press("Enter")
        w.page.wait_for_function("attnkit.minilm.status.part === 5")
        assert w.page.evaluate("document.activeElement.textContent") == "Stop" and not button.is_visible()
        assert w.page.get_by_role("progressbar", name="Loading the model").first.evaluate("bar => bar.value") == pytest.approx(5 / len(arrived("about")["digests"]))
        stop.press("Enter")
        assert button.is_visible() and w.page.evaluate("attnkit.minilm.status.state") == "absent"
        assert w.page.evaluate("document.activeElement.hasAttribute('data-ak-once')")
        held.pop().abort()
        w.page.unroute("**/minilm/5.js")
        w.page.route("**/minilm/7.js", lambda route: route.abort())
        button.press("Enter")
        message = w.page.get_by_text("The file minilm/7.js could not be read. Is there a connection?").first
        message.wait_for()
        assert button.is_visible()
        w.page.unroute("**/minilm/7.js")
        load(w)
        assert not message.is_visible() and not w.outside


@pytest.mark.browser
def test_it_loads_from_the_disk(watched):
    with watched(width=360) as w:
        w.open(f"{SITE.as_uri()}/{PAGE}.html")
        load(w)
        [(pieces, weights, _)] = read(w, ["Tennis is played by two or four players"])
        n = len(pieces)
        assert weights.reshape(6, 12, n, n)[0, 1, 8, 1] > 0.95 and not w.errors and not w.outside
