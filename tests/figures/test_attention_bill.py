"""The figure of attention's bill: operations, memory and time."""

import re

import numpy as np
import pytest
import torch
from conftest import WIDE, node, on
from hand import CUT, alone, figure, fits, live, pages, press, says
from table import each

from attnkit import attention, memory, multi_head_attention, window_mask
from bookkit.figures import AttentionBill, attention_bill
from bookkit.lessons import costs
from bookkit.pictures.formats import in_bytes, in_time, in_words

PAGES = pages(["attention_bill"])
TALL = ["window", "linear", "memory", "time"]
TARGETS = ".ak-controls .ak-buttons > button, .ak-sharing > button"

TIMES = {"lengths": [128, 2048, 8192], "ms": {"whole": [0.12, 14.5, 216.0], "blocks": [0.14, 13.1, 193.5], "window": [None, 4.1, 17.0],
                                              "linear": [0.08, 0.8, None], "torch kernel": [0.05, 6.6, 109.5]}}


def billed(**changed):
    return AttentionBill(**({"length": 2048, "width": 512, "heads": 8, "measured": TIMES} | changed))


def example():
    return billed(caption="Cap.")


def shown(widget):
    return [text for method in attention_bill.METHODS for bill in [widget.of(method)]
            for text in [*[in_words(bill[name]) for name in ("projections", "attention", "operations")],
                         *[in_bytes(bill[name]) for name in ("weights", "cache")],
                         *[in_time(bill[name]) for name in ("measured", "estimate")]]]


BAD = [
    (lambda: billed(length=4095), ValueError, "length must be a power of two from 128 to 1,048,576, got 4,095"),
    (lambda: billed(width=2**15), ValueError, "width must be a power of two from 128 to 16,384, got 32,768"),
    (lambda: billed(heads=0), ValueError, "heads must be at least 1, got 0"),
    (lambda: billed(heads=256), ValueError, "heads must be a power of two from 1 to 128, got 256"),
    (lambda: billed(method="sparse"), ValueError, "method must be one of whole, blocks, window, linear, got 'sparse'"),
    (lambda: billed(sharing=["x"]), ValueError, "sharing must be one of multi-head, grouped-query, multi-query"),
    (lambda: billed(shown="time", measured=None), ValueError, "shown cannot be time: there are no measured times"),
    (lambda: billed(window=0), ValueError, "window must be at least 1, got 0"),
    (lambda: billed(window=5000), ValueError, "window must be from 1 to 4,096, got 5,000"),
    (lambda: billed(measured={"lengths": [8], "ms": {"fast": [1]}}), ValueError, "a method of measured must be one of whole, blocks, window, linear, torch kernel, got 'fast'"),
    (lambda: billed(measured={"lengths": [8], "ms": {"whole": [1, 2]}}), ValueError, r"the times of whole must hold one for each of 1 lengths, got \[1, 2\]"),
    (lambda: billed(measured={"lengths": [8], "ms": {"blocks": [1]}}), ValueError, "measured must hold a time of whole"),
    (lambda: billed(measured={"lengths": [8], "ms": {"whole": [None]}}), ValueError, "measured must hold a time of whole"),
]

REFUSED = [
    ("length", 5000, ValueError),
    ("length", 2**21, ValueError),
    ("width", 64, ValueError),
    ("heads", 8.0, TypeError),
    ("method", "sparse", ValueError),
    ("sharing", 4, ValueError),
    ("shown", "price", ValueError),
]


# ---- the arithmetic, and Python's side

def test_attention_bill_arithmetic():
    rng = np.random.default_rng(41)
    figures_ = []
    for k in range(300):
        pick = {name: str(rng.choice(words)) for name, words in (("method", attention_bill.METHODS), ("sharing", attention_bill.SHARING))}
        figures_.append(AttentionBill(2 ** int(rng.integers(7, 21)), 2 ** int(rng.integers(7, 15)), 2 ** int(rng.integers(8)), **pick,
                                      window=int(rng.integers(1, 4097)), measured=TIMES if k % 3 else None))
    for ours, got in zip(figures_, node("run_figures.js", {"figure": "attention_bill", "cases": [widget.state() for widget in figures_]})):
        written = got.pop("written")
        assert got.keys() == ours.bill.keys()
        for name, value in ours.bill.items():
            assert got[name] == (value if value is None else pytest.approx(value, rel=1e-12)), name
            write = in_time if name in ("measured", "estimate") else in_bytes if name in ("weights", "cache") else in_words
            assert written[name] == ("not measured" if value is None else write(value))


def work(run):
    """What some products of torch's cost: multiply-adds in all, and the most numbers that one of them made."""
    made = []

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            if func in (torch.ops.aten.mm.default, torch.ops.aten.bmm.default):
                made.append((out.numel() * args[0].shape[-1], out.numel()))
            return out
    with Watch():
        run()
    return sum(cost for cost, _ in made), max(size for _, size in made)


@each("heads", [1, 4])
def test_a_bill_counts_what_attnkit_does(heads):
    """Multiply-adds of the products, and how many weights stand side by side, on real arrays."""
    n, d, window, rng = 1024, 128, 96, np.random.default_rng(42)
    q, k, v = (torch.tensor(rng.normal(size=(heads, n, d // heads))) for _ in range(3))
    bill = {method: AttentionBill(n, d, heads, method, window=window).bill for method in attention_bill.METHODS}

    def costs(run, method):
        multiplied, held = work(run)
        assert 4 * held == bill[method]["weights"]
        return multiplied

    assert costs(lambda: attention(q, k, v), "whole") == bill["whole"]["attention"]
    assert costs(lambda: memory.attention_in_blocks(q, k, v), "blocks") == bill["blocks"]["attention"]
    # A block of 64 queries meets 63 keys more than one query; at the two ends of the text keys are missing.
    per_query = costs(lambda: memory.window_attention(q, k, v, window=window), "window") / bill["window"]["attention"]
    assert per_query == pytest.approx((2 * window + 64) / (2 * window + 1), rel=0.1)
    pairs_ = window_mask(n, window).sum()
    assert 2 * int(pairs_) * d == bill["window"]["attention"] - 2 * d * window * (window + 1)
    # Beside writing and reading, each query meets the sum of the keys once.
    assert work(lambda: memory.linear_attention(q, k, v))[0] == bill["linear"]["attention"] + n * d
    assert 4 * memory.fast_weight_attention(q, k, v)[1].numel() == bill["linear"]["weights"]
    x, w = (torch.tensor(rng.normal(size=size)) for size in ((n, d), (d, d)))
    whole = work(lambda: multi_head_attention(x, x, x, w, w, w, w, num_heads=heads))[0]
    assert whole == bill["whole"]["operations"] == bill["whole"]["projections"] + bill["whole"]["attention"]


@each("n, d, heads", [(1024, 128, 4), (8192, 4096, 32)])
def test_the_bill_of_the_figure_is_that_of_the_page(n, d, heads):
    ours, theirs = AttentionBill(n, d, heads, "whole").bill, costs.layer_operations(n, d)
    assert (ours["projections"], ours["attention"]) == (theirs.projections, theirs.scores + theirs.blend)
    assert (ours["weights"], ours["cache"]) == (costs.weights_bytes(n, heads), costs.cache_bytes(n, 1, heads, d // heads))


def test_scores_and_blend_cross_the_projections_at_twice_the_width():
    for width in (128, 1024, 16384):
        assert (bill := AttentionBill(2 * width, width, 8).bill)["attention"] == bill["projections"]
    assert AttentionBill(4096, 4096, 32).bill["projections"] == 2 * AttentionBill(4096, 4096, 32).bill["attention"]


def test_key_value_heads_of_a_bill():
    caches = {sharing: billed(heads=32, width=4096, sharing=sharing) for sharing in attention_bill.SHARING}
    assert [widget.kv_heads for widget in caches.values()] == [32, 8, 1]
    assert caches["multi-head"].bill["cache"] == 4 * caches["grouped-query"].bill["cache"] == 32 * caches["multi-query"].bill["cache"]
    assert billed(heads=2, sharing="grouped-query").kv_heads == 1


def test_measured_times_of_a_bill():
    widget = billed(length=8192)
    assert widget.bill["measured"] == 216 and widget.bill["estimate"] == pytest.approx(16 * 14.5)
    widget.length = 2048
    assert widget.bill["measured"] == 14.5 == pytest.approx(widget.bill["estimate"])      # it has the median speed
    assert widget.of("window")["estimate"] == pytest.approx(14.5 * 513 / 2048) and widget.of("linear")["measured"] == 0.8
    widget.length = 4096
    assert widget.bill["measured"] is None and "not measured" in widget.still()
    assert billed(measured=None).bill["estimate"] is None and "measured" not in billed(measured=None).still()


# ---- alone on a page

# Words of the chart that stand on one another; their boxes have room above and below the letters.
CROWDED = """f => { const seen = [...f.querySelectorAll('.ak-chart text')].filter(e => e.textContent && e.getClientRects().length
        && e.style.display !== 'none').map(e => [e.textContent, e.getBoundingClientRect()]);
    return seen.flatMap(([name, a], i) => seen.slice(i + 1).filter(([, b]) => a.left < b.right && b.left < a.right && a.top + 4 < b.bottom - 4
        && b.top + 4 < a.bottom - 4).map(([other]) => `${name} meets ${other}`)); }"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_bill_by_keyboard_and_by_hand(window, tmp_path, width):
    with window(width=width) as w:
        widget, heights_ = billed(length=4096, width=4096, heads=32), []
        found = alone(w, tmp_path, widget)
        start = found.inner_text()
        length, wide, heads = (found.get_by_role("slider", name=name) for name in ("length n", "width d", "heads h"))

        def shows():
            said, seen, bill = says(w, found), found.inner_text(), widget.bill
            for name, write in {"operations": in_words, "weights": in_bytes, "cache": in_bytes, "estimate": in_time}.items():
                assert write(bill[name]) in said and write(bill[name]) in seen, name
            assert in_words(bill["attention"]) in seen and (in_time(bill["measured"]) if bill["measured"] else "not measured") in said
            assert found.evaluate(CUT) == [] and fits(w)
            assert found.evaluate(CROWDED) == []
            heights_.append(found.bounding_box()["height"])

        shows()
        assert "n = 2d = 8,192" in start and "33% for scores and blend" in says(w, found)
        for method in ("linear", "window", "blocks", "whole"):
            press(found, method)
            widget.method = method
            shows()
        for name, number in {"8": "grouped-query", "1": "multi-query"}.items():
            press(found, name)
            widget.sharing = number
            shows()
        for slider, trait, key in ((heads, "heads", "Home"), (wide, "width", "Home"), (length, "length", "Home"), (wide, "width", "End"),
                                   (heads, "heads", "End"), (length, "length", "End")):
            slider.press(key)
            setattr(widget, trait, 2 ** int(slider.input_value()))
            for chart in ("memory", "time", "operations"):
                press(found, chart)
                shows()
        assert not found.get_by_role("button", name="2", exact=True).filter(visible=True).count()
        # The chart is pressed, and dragged: the length is where the pointer is.
        found.locator(".ak-hit").scroll_into_view_if_needed()
        box = found.locator(".ak-hit").bounding_box()
        w.page.mouse.click(box["x"] + 4.2 / 13 * box["width"], box["y"] + 30)
        assert length.input_value() == "11"
        w.page.mouse.down()
        w.page.mouse.move(box["x"] + 8 / 13 * box["width"], box["y"] + 60, steps=4)
        w.page.mouse.up()
        widget.length = 2**15
        assert length.input_value() == "15"
        shows()
        press(found, "Reset")
        widget.length, widget.width, widget.heads, widget.sharing = 4096, 4096, 32, "multi-head"
        shows()
        assert found.inner_text() == start and max(heights_) - min(heights_) < 1, "the page below jumps"
        assert not w.errors


# Where a point of the chart stands, as powers of ten: of the length, and of what is drawn upwards.
PLACES = """f => { const at = e => (e.getAttribute('transform') || '').match(/[-.0-9]+/g)?.map(Number);
    return { dot: at(f.querySelector('.ak-dot')), ring: at(f.querySelector('.ak-ring')),
        marks: [...f.querySelectorAll('.ak-mark')].filter(e => e.style.display !== 'none').map(at),
        lines: [...f.querySelectorAll('.ak-line')].map(e => e.getAttribute('d').match(/[.0-9]+/g).map(Number)) }; }"""


@pytest.mark.browser
def test_the_chart_of_a_bill_draws_its_numbers(window, tmp_path):
    """The lines, the dot, the ring and the measured dots stand where one logarithmic scale has them."""
    with window() as w:
        widget = billed(length=512, width=1024, heads=16, method="window")
        found = alone(w, tmp_path, widget)
        places = found.evaluate(PLACES)
        lengths = 2.0 ** np.arange(7, 21)
        names = [*attention_bill.METHODS]
        values = [[AttentionBill(int(n), 1024, 16, method).bill["attention"] for n in lengths] for method in names]
        values.append([AttentionBill(int(n), 1024, 16).bill["projections"] for n in lengths])
        drawn = np.array([line for line in places["lines"][:5]]).reshape(5, 14, 2)
        x, y = (np.polyfit(np.log10(known), drawn[0][:, axis], 1) for axis, known in ((0, lengths), (1, values[0])))
        assert np.allclose(drawn[..., 0], np.polyval(x, np.log10(lengths)), atol=0.1)
        assert np.allclose(drawn[..., 1], np.polyval(y, np.log10(values)), atol=0.1)
        assert places["lines"][5] == places["lines"][2], "the strong line is that of the method"
        assert np.allclose(places["dot"], drawn[2][2], atol=0.1)
        assert np.allclose(places["ring"], drawn[0][4], atol=0.1) and np.allclose(places["ring"], drawn[4][4], atol=0.1)
        assert not places["marks"]
        press(found, "time")
        places = found.evaluate(PLACES)
        known = [(n, time) for name in names for n, time in zip(TIMES["lengths"], TIMES["ms"][name]) if time]
        whole = np.reshape(places["lines"][0], (14, 2))
        y = np.polyfit(np.log10([widget_.bill["estimate"] for widget_ in (billed(length=int(n)) for n in lengths)]), whole[:, 1], 1)
        wanted = [(np.polyval(x, np.log10(n)), np.polyval(y, np.log10(time))) for n, time in known]
        assert np.allclose(sorted(places["marks"]), sorted((round(a, 1), b) for a, b in wanted), atol=0.11)
        press(found, "blocks")
        assert len(found.evaluate(PLACES)["marks"]) == len(known) + 3, "beside an exact method stands torch's kernel"


@pytest.mark.browser
def test_a_bill_set_in_python(window, tmp_path):
    """Live, the figure follows the kernel; without measured times nothing is said of time."""
    with window() as w:
        found = live(w, tmp_path, billed(measured=None))
        assert "time" not in found.get_by_role("button").all_inner_texts() and "measured" not in found.inner_text()
        w.page.evaluate("model.set('method', 'linear'); model.set('length', 1024)")
        assert says(w, found).startswith("Linear, 1,024 words, 8 heads of width 64: 1.1 billion operations")


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_the_bill_says_where_the_square_takes_over(opened):
    """At the width of 4,096 the square is the smaller part at first, half of the work at twice the width, and more beyond."""
    w, found = opened, figure(opened, "attention_bill")
    shares = []
    for _ in range(3):
        shares.append(int(re.search(r"(\d+)% for scores and blend", says(w, found))[1]))
        found.get_by_role("slider", name="length n").press("ArrowRight")
    assert shares == [33, 50, 67]
    found.get_by_role("slider", name="length n").press("End")
    for method in ("window", "linear"):
        found.get_by_role("button", name=method, exact=True).click()
        assert int(re.search(r"(\d+)% for scores and blend", says(w, found))[1]) < 20


@pytest.mark.browser
def test_the_chart_and_its_sliders_at_200_percent(watched, site):
    """1280 x 900 at 200 %: the chart of the bill and all that moves it fit the screen together."""
    with watched(width=640) as w:
        w.page.set_viewport_size({"width": 640, "height": 450})
        w.open(f"{site}/{PAGES[0]}.html")
        found = w.page.locator("[data-ak-kind=attention_bill]")
        chart, controls = found.locator(".ak-chart").bounding_box(), found.locator(".ak-controls").bounding_box()
        both = [min(b["y"] for b in (chart, controls)), max(b["y"] + b["height"] for b in (chart, controls))]
        assert both[1] - both[0] <= 450 - 56, "under the bar of the site"
