"""The figure of a picture that is built step by step: which drawing is seen, what is said of it, and that nothing jumps."""

import numpy as np
import pytest
from conftest import node
from hand import alone, either_width, fits, press, says

from bookkit.figures import GrowingPicture
from bookkit.pictures import Picture, pipelines
from bookkit.pictures.formats import fixed
from bookkit.pictures.picture import Svg

WORDS, VECTORS = ["see", "that", "girl", "run"], [[.2, -.1], [-.1, .2], [1.2, -.6], [.8, .8]]
SAID = ["Every word has a key.", "The query meets each of them: one score for each word, and however long it takes to say that, the line has the room.",
        "**One** softmax & <b>its</b> weights.", "Each value is weighed.", "Their sum is the output."]


def dots(count, alt=None, wide=60):
    """A picture of some dots."""
    body = "".join(f'<circle cx="{10 + 15 * k}" cy="10" r="5"/>' for k in range(count))
    return Picture(Svg(body, wide, 20, alt=alt or f"{count} dots."))


def growing(**changed):
    given = {"pictures": [pipelines.attention_graph(VECTORS[3], VECTORS, VECTORS, key_names=WORDS, query_name="run", until=until, outline=True)
                          for until in pipelines.UNTIL], "sentences": SAID}
    return GrowingPicture(**(given | changed))


def example():
    return growing(caption="Cap.")


def shown(widget):
    """The sentences, and the numbers of the last picture."""
    weights = np.exp(np.array(VECTORS) @ VECTORS[3])
    output = weights / weights.sum() @ np.array(VECTORS)
    return [*SAID, *map(fixed, weights / weights.sum()), *map(fixed, output), "Outlined: the output."]


CHANGED = ("step", 2)
BAD = [
    (lambda: growing(pictures=[dots(1)], sentences=SAID[:1]), ValueError, "sentences must be 2 to 8, got 1"),
    (lambda: growing(pictures=[dots(1)], sentences="12345"), TypeError, "sentences must be a sequence of texts, got str"),
    (lambda: growing(pictures=[], sentences=[]), ValueError, "pictures must be 2 to 8, got 0"),
    (lambda: growing(pictures=[dots(1)] * 9, sentences=["a"] * 9), ValueError, "pictures must be 2 to 8, got 9"),
    (lambda: growing(sentences=SAID[:4]), ValueError, "sentences must hold one for each of 5 pictures"),
    (lambda: growing(sentences="12345"), TypeError, "sentences must be a sequence of 5, got str"),
    (lambda: growing(step=5), ValueError, "step must be from 0 to 4, the number of one of the steps, got 5"),
]
REFUSED = [("step", 5, ValueError), ("step", -1, ValueError), ("step", "a", TypeError)]


# ---- the arithmetic, and Python's side

def test_sentences_agree():
    rng = np.random.default_rng(5)
    cases = []
    for _ in range(40):
        count = int(rng.integers(2, 9))
        cases.append(GrowingPicture([dots(1)] * count, [f"sentence {k}" for k in rng.permutation(count)], step=int(rng.integers(count))))
    for ours, got in zip(cases, node("run_figures.js", {"figure": "growing_picture", "cases": [one.state() for one in cases]}), strict=True):
        assert got == {"sentence": ours.sentence} == {"sentence": ours.sentences[ours.step]}
    assert {ours.step for ours in cases} == set(range(8))


def test_what_travels_is_drawn_once():
    """To the script goes each drawing as it is, without the image that stands in for it; the still form keeps both."""
    widget = growing()
    assert all("<svg" in html and "<img" not in html and "<style" not in html and "display:none" not in html for html in widget.pictures)
    assert [html.count("<svg") for html in widget.pictures] == [1, 1, 1, 2, 2]
    assert widget.still().count("<svg") == widget.still().count("<img") == 2 and "<li>**One** softmax &amp; &lt;b&gt;its&lt;/b&gt; weights.</li>" in widget.still()


# ---- alone on a page

# The buttons and what is below the figure's picture or above it: where each begins, and how high the figure is.
PLACES = """f => [...f.querySelectorAll('button, .ak-live, .ak-caption'), f].map(e => e.getBoundingClientRect())
    .map(r => [r.left, r.top, r.width, r.height])"""


def seen(found):
    """What the picture that can be seen says it is, drawing by drawing; hidden ones are not found by their role."""
    return " ".join(one.get_attribute("aria-label") for one in found.get_by_role("img").all())


@pytest.mark.browser
@either_width
def test_a_picture_grows_by_hand(window, tmp_path, width):
    with window(width=width, has_touch=width == 360) as w:
        widget, found = example(), alone(w, tmp_path, example())
        alts = [pipelines.attention_graph(VECTORS[3], VECTORS, VECTORS, key_names=WORDS, query_name="run", until=until, outline=True).alt for until in pipelines.UNTIL]

        def use(name):
            button = found.get_by_role("button", name=name, exact=True)
            (button.tap if width == 360 else button.click)()

        def check(step):
            widget.step = step
            assert says(w, found) == f"Step {step + 1} of 5: {widget.sentence}" and seen(found) == alts[step]
            assert found.locator(":not([role=status])").and_(found.get_by_text(SAID[step])).filter(visible=True).count() == 1, "the sentence is seen twice"
            pressed = found.get_by_role("toolbar", name="step").get_by_role("button", pressed=True)
            assert pressed.all_inner_texts() == [str(step + 1)]
            assert [found.get_by_role("button", name=name).is_disabled() for name in ("Back", "Next step")] == [step == 0, step == 4]
            return found.evaluate(PLACES)

        start = check(0)
        picture, line, button = (found.locator(css).first.bounding_box() for css in ("svg", ".ak-live", "button"))
        assert button["y"] < line["y"] < picture["y"] and button["y"] < 100, "the picture may be higher than the screen"
        for step in range(1, 5):
            use("Next step")
            assert np.allclose(check(step), start, atol=.1), "something jumps"
        next_button = found.get_by_role("button", name="Next step")
        next_button.press("Enter")                      # the last step is the last, and the focus stays for whoever goes back
        check(4)
        assert next_button.evaluate("b => b === document.activeElement")
        for step in (3, 2):
            press(found, "Back")
            check(step)
        use("5")
        check(4)
        use("2")
        check(1)
        use("1")
        found.get_by_role("button", name="Back").press("Space")
        check(0)
        use("4")
        press(found, "Reset")
        assert check(0) == start and fits(w) and not w.errors
        sizes = found.get_by_role("button").evaluate_all("all => all.map(b => Math.min(b.offsetWidth, b.offsetHeight))")
        assert len(sizes) == 8 and min(sizes) >= 24


RUNS = """f => new Promise((done) => new MutationObserver((all, watch) => {
    const came = all.flatMap(one => [...one.addedNodes]).filter(node => node.classList?.contains('ak-runs'));
    watch.disconnect();
    done(came.map(copy => [copy.textContent, copy.getAnimations().map(a => a.effect.getTiming().duration)]));
}).observe(f.querySelector('.ak-stack'), {childList: true, subtree: true}))"""


@pytest.mark.browser
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_comes_runs_from_what_it_comes_of(window, tmp_path, motion):
    """Keys and query into the scores, scores into their weights, values into their sum; then the copies are gone."""
    with window(reduced_motion=motion) as w:
        found = alone(w, tmp_path, example())
        query, keys = "0.80.8", ["0.2−0.1", "−0.10.2", "1.2−0.6", "0.80.8"]
        scores, weights = ["0.08", "0.08", "0.48", "1.28"], ["0.15", "0.15", "0.22", "0.49"]
        for wanted in ([text for key in keys for text in (query, key)], scores, weights, keys):
            if motion == "reduce":
                press(found, "Next step")
                assert found.locator(".ak-runs").count() == 0
                continue
            w.page.evaluate("f => { window.came = (" + RUNS + ")(f); }", found.element_handle())
            press(found, "Next step")
            came = w.page.evaluate("window.came")
            assert sorted(text for text, _ in came) == sorted(wanted) and all(times == [900] for _, times in came)
            w.page.wait_for_function("!document.querySelector('.ak-runs')")
        press(found, "Back")
        assert found.locator(".ak-runs").count() == 0 and not w.errors


@pytest.mark.browser
def test_a_picture_of_eight_steps_and_of_sizes_that_differ(window, tmp_path):
    """The room is that of the largest; words that look like HTML are words."""
    with window(width=360) as w:
        alt = 'A "dot" <script>throw 1</script> & <img src=x onerror="throw 2">.'
        found = alone(w, tmp_path, GrowingPicture([dots(k + 1, alt, wide=30 + 90 * k).captioned("<i>cap</i>") for k in range(8)], [f"<u>{k}</u>" for k in range(8)]))
        start = found.evaluate(PLACES)
        for k in range(8):
            press(found, str(k + 1))
            assert says(w, found) == f"Step {k + 1} of 8: <u>{k}</u>" and seen(found) == alt and fits(w)
            assert found.get_by_role("img").locator("circle").count() == k + 1 and found.get_by_text("<i>cap</i>").filter(visible=True).count() == 1
            assert np.allclose(found.evaluate(PLACES), start, atol=.1)
        assert found.locator("script, img, i, u").count() == 0 and not w.errors


# ---- one picture whose parts come one by one

PARTS = """f => [...f.querySelectorAll('[data-ak-from], [data-ak-at]')].map(e => [e.dataset.akFrom ?? '', e.dataset.akAt ?? '', e.dataset.akAt ? Number(e.style.opacity) : 'akPale' in e.dataset])"""


@pytest.mark.browser
def test_parts_come_when_they_say(window, tmp_path):
    """Of each step the outline is seen at it alone, and what comes later is pale."""
    body = "".join(f'<g data-ak-from="{k}"><circle cx="{10 + 15 * k}" cy="10" r="5"/></g><rect data-ak-at="{k}" opacity="0" width="9" height="9"/>'
                   for k in range(3))
    widget = GrowingPicture([Picture(Svg(body, 60, 20, alt="Three dots."))], ["One.", "Two.", "Three."])
    with window() as w:
        found = alone(w, tmp_path, widget)
        for step in range(3):
            press(found, str(step + 1))
            seen = found.evaluate(PARTS)
            assert [pale for begins, _, pale in seen if begins] == [k > step for k in range(3)]
            assert [o for _, at, o in seen if at] == [int(k == step) for k in range(3)]
