"""The figure of gates for channels and for places."""

import re
from html import unescape

import numpy as np
import pytest
import torch
from conftest import WIDE, blocks, counted, node, on
from hand import alone, figure, fits, live, pages, press, says

from attnkit import channel_and_spatial_attention, channel_attention, softmax, spatial_attention
from bookkit.figures import GateAxes, gate_axes
from bookkit.lessons import visual_attention
from bookkit.pictures import draw
from bookkit.pictures.formats import fixed

PAGES = pages(["gate_axes"])


def gating(**changed):
    """Models with random numbers for each axis look at two small pictures; three answers, with their shapes."""
    models = {axis: gate_axes.random_model(k, axis, filters=3, hidden=3, answers=3) for k, axis in enumerate(gate_axes.AXES)}
    given = {"models": models, "pictures": np.random.default_rng(60).uniform(size=(2, 4, 5, 3)).round(2), "labels": [2, 0],
             "names": {"plus": [" # ", "###", " # "], "bar": ["#"], "a & b": ["# ", " #"]}, "axis": "both", "lit": [[0, 1, 0, 0], [0, 0, 1, 1]]}
    return GateAxes(**(given | changed))


def ungated(axis="both", **changed):
    """Models in one of which parts are changed; None leaves one out."""
    models = {name: dict(model) for name, model in gating().models.items()}
    models[axis] = {name: part for name, part in (models[axis] | changed).items() if part is not None}
    return {"models": models}


def example():
    return gating(caption="Cap.")


def shown(widget):
    return [fixed(v) for v in [*widget.features.mean(axis=0), *widget.channel_gates, *widget.gated.max(axis=0), *widget.chances,
                               widget.place_gates.min(), widget.place_gates.max()]]


BAD = [
    (lambda: gating(**ungated(filters=np.zeros((9, 9)))), ValueError, "the model 'both' must have at most 8 filters, got 9"),
    (lambda: gating(**ungated(b_filters=[0, 1])), ValueError, r"b_filters of the model 'both' must have shape \(3,\), got \(2,\)"),
    (lambda: gating(**ungated(w_excite=np.zeros((3, 8)))), ValueError, r"w_excite of the model 'both' must have shape \(3, 9\), got \(3, 8\)"),
    (lambda: gating(**ungated("spatial", weight=np.zeros(6))), ValueError, r"weight of the model 'spatial' must have shape \(9, 1\), got \(6,\)"),
    (lambda: gating(**ungated("none", readout=np.zeros((3, 2)))), ValueError, r"readout of the model 'none' must have shape \(3, 3\), got \(3, 2\)"),
    (lambda: gating(pictures=np.zeros((2, 4, 5))), ValueError, r"pictures must have shape \(any, any, any, 3\), got \(2, 4, 5\)"),
    (lambda: gating(pictures=np.full((2, 4, 5, 3), 1.5)), ValueError, "pictures must lie between 0 and 1"),
    (lambda: gating(pictures=np.zeros((2, 4, 17, 3))), ValueError, r"pictures must be at most 8 of 16 by 16 pixels, got \(2, 4, 17, 3\)"),
    (lambda: gating(pictures=np.zeros((9, 4, 4, 3))), ValueError, r"got \(9, 4, 4, 3\)"),
    (lambda: gating(labels=[0]), ValueError, r"labels must hold one for each of 2 pictures, got \[0\]"),
    (lambda: gating(labels=[0, 3]), ValueError, "labels must be from 0 to 2, the number of one of the names, got 3"),
    (lambda: gating(names=list("abcdefghi")), ValueError, "names must be 1 to 8, got 9"),
    (lambda: gating(names={"a": []}), ValueError, "the shape of 'a' must be rows of text"),
    (lambda: gating(lit=[[0, 0, 0, 0]]), ValueError, "lit must hold one for each of 2 pictures"),
    (lambda: gating(lit=[[0, 0, 0, 0], [0, 0, 2, 0]]), ValueError, r"lit must be 0 or 1 for each of the four quarters, got \[0, 0, 2, 0\]"),
    (lambda: gating(lit=[[0, 0, 0, 0], [0, 0]]), ValueError, r"lit must be 0 or 1 for each of the four quarters, got \[0, 0\]"),
    (lambda: gating(lamp=[0, 1]), ValueError, r"lamp must have shape \(3,\), got \(2,\)"),
    (lambda: gating(axis="places"), ValueError, "axis must be one of none, channel, spatial, both, got 'places'"),
    (lambda: gating(picture=2), ValueError, "picture must be from 0 to 1, the number of one of the pictures, got 2"),
]

REFUSED = [
    ("axis", "places", ValueError),
    ("axis", 1, ValueError),
    ("picture", 2, ValueError),
    ("picture", 1.0, TypeError),
    ("lamps", [1, 0], ValueError),
    ("lamps", 1, TypeError),
]


# ---- the arithmetic, and Python's side

def gates_seen():
    """Figures of random models and pictures, with every axis."""
    rng = np.random.default_rng(61)
    for k in range(100):
        axis = list(gate_axes.AXES)[k % 4]
        size = {"filters": int(rng.integers(1, 7)), "hidden": int(rng.integers(1, 9)), "answers": int(rng.integers(1, 6))}
        models = {axis: gate_axes.random_model(k, axis, **size, spread=float(rng.choice([0.3, 1, 5])))}
        pictures = rng.uniform(size=(int(rng.integers(1, 4)), *rng.integers(1, 10, 2), 3)).round(3)
        labels = rng.integers(0, size["answers"], len(pictures))
        lit = rng.integers(0, 2, (len(pictures), 4)) if k % 3 else None
        widget = GateAxes(models, pictures, labels, [str(n) for n in range(size["answers"])], axis, int(rng.integers(len(pictures))), lit=lit,
                          lamp=rng.uniform(size=3).round(2))
        if k % 3 == 2:
            widget.lamps = rng.integers(0, 2, 4)
        yield widget


def under_lamps(widget):
    """The picture of a figure, light added in the quarters that were switched on and taken away where off, pixel by pixel."""
    picture = np.array(widget.pictures[widget.picture])
    height, width = picture.shape[:2]
    for i, j in np.ndindex(height, width):
        if widget.lit:
            quarter = 2 * (i >= height / 2) + (j >= width / 2)
            picture[i, j] += np.array(widget.lamp) * (widget.lamps[quarter] - widget.lit[widget.picture][quarter])
    return picture.clip(0, 1)


def test_gate_axes_arithmetic():
    """A convolution with groups, the gates of the package, the largest of each channel added over colours."""
    figures_ = list(gates_seen())
    for ours, got in zip(figures_, node("run_figures.js", {"figure": "gate_axes", "cases": [widget.state() for widget in figures_]})):
        model, x = {name: np.array(part) for name, part in ours.models[ours.axis].items()}, torch.tensor(under_lamps(ours))
        kernels = torch.tensor(model["filters"]).T.reshape(-1, 1, 3, 3)                                 # one colour at a time goes through them
        features = torch.relu(torch.conv2d(x.permute(2, 0, 1)[:, None], kernels, torch.tensor(model["b_filters"]), padding=1))
        features = features.flatten(2).permute(2, 0, 1).flatten(1).numpy()                              # (n, 3 f), first all of red
        assert np.allclose(got["pixels"], x, rtol=0, atol=1e-12) and np.allclose(ours.pixels, x, rtol=0, atol=1e-12)
        biases = {name: model[name] for name in ("b_squeeze", "b_excite") if name in model}
        channels = channel_attention(features, model["w_squeeze"], model["w_excite"], **biases)[1][0] if biases else None
        gated = features if channels is None else features * channels
        places = spatial_attention(gated, model["weight"], bias=model["bias"])[1][:, 0] if "weight" in model else None
        gated = gated if places is None else gated * places[:, None]
        if ours.axis == "both":
            own = channel_and_spatial_attention(features, model["w_squeeze"], model["w_excite"], model["weight"], **biases, bias=model["bias"])[0]
            assert np.allclose(gated, own, rtol=0, atol=1e-12)
        pooled = sum(np.split(gated.max(axis=0), 3))
        chances = softmax(pooled @ model["readout"] + model["b_readout"])
        for name, wanted in (("features", features), ("channels", channels), ("places", places), ("gated", gated), ("chances", chances)):
            mine = getattr(ours, {"channels": "channel_gates", "places": "place_gates"}.get(name, name))
            assert (got[name] is None) == (mine is None) == (wanted is None), name
            if wanted is not None:
                theirs = np.transpose(got[name]) if name in ("features", "gated") else got[name]               # which are lists of channels
                assert np.allclose(theirs, wanted, rtol=0, atol=1e-9) and np.allclose(mine, wanted, rtol=0, atol=1e-9), name
        assert np.allclose(got["means"], features.mean(axis=0), rtol=0, atol=1e-9) and np.allclose(got["pooled"], pooled, rtol=0, atol=1e-9)


def test_gate_axes_follow_their_traits():
    widget = gating()
    assert widget.defaults == {"axis": "both", "lamps": [0, 1, 0, 0], "picture": 0} and list(widget.models) == list(gate_axes.AXES)
    assert (widget.features.shape, widget.channel_gates.shape, widget.place_gates.shape) == ((20, 9), (9,), (20,))
    assert ((0 < widget.channel_gates) & (widget.channel_gates < 1)).all() and abs(widget.place_gates.sum() - 1) > 0.1
    before = widget.features
    widget.axis = "channel"
    assert widget.place_gates is None and widget.channel_gates.shape == (9,) and widget.features.shape == (20, 9)
    widget.axis = "none"
    assert widget.channel_gates is None and np.array_equal(widget.gated, widget.features)
    widget.axis, widget.picture = "both", 1
    assert not np.allclose(widget.features, before) and widget.lamps == [0, 0, 1, 1]
    widget.lamps = np.array([1, 0, 1, 1])
    assert widget.lamps == [1, 0, 1, 1] and np.allclose((widget.pixels - widget.pictures[1])[2:], 0) and (widget.pixels - widget.pictures[1])[0, 0, 2] > 0
    widget.picture = 0
    assert widget.lamps == widget.defaults["lamps"] == [0, 1, 0, 0] and np.array_equal(widget.pixels, widget.pictures[0])
    assert gating(lit=None).lamps == [] and gating(lit=None, picture=1).defaults["lamps"] == []


def answered(widget):
    """What the status line says of the answer."""
    best, right = int(widget.chances.argmax()), widget.labels[widget.picture]
    if widget.lit and widget.lamps != widget.lit[widget.picture]:
        return f"The model says {widget.names[best]}, {fixed(widget.chances[best])}."
    verdict = ", which is right." if best == right else f"; the right answer is {widget.names[right]}."
    return f"The model says {widget.names[best]}, {fixed(widget.chances[best])}{verdict}"


def test_gate_axes_draw_a_still_picture():
    widget = gating()
    still = widget.still()
    assert answered(widget) in unescape(still) and still.count("<image ") == 1
    assert f"The gates of the channels, {fixed(widget.channel_gates.min())} to " in still and f"The gates of the places, {fixed(widget.place_gates.min())} to {fixed(widget.place_gates.max())}." in still
    widget.axis = "none"
    assert "<td>none</td>" in widget.still() and "The gates of the places" not in widget.still() and "Picture 1, gates for none. " in widget.still()
    widget.lamps = [1, 1, 1, 1]
    assert "Picture 1 with other lamps, gates for none. " in widget.still() and "right" not in widget.still().split("The model says")[1]
    assert gating(names=["a", "b", "c"]).shapes == [] and gating().shapes[0] == [[0, 1, 0], [1, 1, 1], [0, 1, 0]]


def test_gate_axes_without_lamps_switch_none():
    widget = gating(lit=None)
    with pytest.raises(ValueError, match="lamps can be switched only where lit says which quarters are lit"):
        widget.lamps = [0, 0, 0, 1]
    assert widget.lamps == []


def test_gate_axes_offer_only_what_has_a_model():
    with pytest.raises(ValueError, match="axis must be one of none, spatial, got 'both'"):
        gating(models={axis: gating().models[axis] for axis in ("spatial", "none")})


def test_gate_axes_say_what_the_trained_models_say():
    """Models as they travel, under the lamps they were trained with: in Python and on the page the gates and answers of torch."""
    task = visual_attention.PictureTask("both", num_pictures=200)
    models = {gate: task.train(0, gate=gate, steps=30).double() for gate in visual_attention.GATES}
    pixels = task.held_out.pixels[:4].double().round(decimals=2)
    widget = GateAxes({gate: visual_attention.travelling(model) for gate, model in models.items()}, pixels.view(-1, 16, 16, 3).numpy(), task.held_out.labels[:4],
                      visual_attention.SHAPES, lit=task.held_out.lit[:4])
    cases = []
    for gate, model in models.items():
        with torch.no_grad():
            for numbers in model.parameters():
                numbers.copy_(numbers.round(decimals=4))            # as they travel
            logits, gates = model(pixels)
        for k in range(4):
            widget.axis, widget.picture = gate, k
            cases.append((widget.state(), logits[k].softmax(0).numpy(), [gates[kind][k].flatten().numpy() if kind in gates else None
                                                                        for kind in ("channel", "spatial")]))
            for ours, wanted in zip((widget.chances, widget.channel_gates, widget.place_gates), (cases[-1][1], *cases[-1][2])):
                assert (ours is None) == (wanted is None) and (wanted is None or np.allclose(ours, wanted, rtol=0, atol=1e-6))
    for (_, chances, gates), got in zip(cases, node("run_figures.js", {"figure": "gate_axes", "cases": [case for case, *_ in cases]})):
        assert np.allclose(got["chances"], chances, rtol=0, atol=1e-6)
        assert all(wanted is None or np.allclose(got[name], wanted, rtol=0, atol=1e-6) for name, wanted in zip(("channels", "places"), gates))


# ---- alone on a page

# What a figure shows: the picture's red, green and blue, the depth of all gates and whether they are in sight, all words.
SHOWN_GATES = """f => { const all = (name, read) => [...f.querySelectorAll(name)].map(read), size = b => Number(b.style.transform.match(/[\\d.]+/)[0]);
    const pixels = canvas => { const copy = document.createElement('canvas'), context = copy.getContext('2d', {willReadFrequently: true});
        context.drawImage(canvas, 0, 0); const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        return Array.from({length: data.length / 4}, (_, i) => [...data.slice(4 * i, 4 * i + 4)]); };
    return { picture: pixels(f.querySelector('.ak-stack canvas')), gates: all('.ak-gates canvas', c => pixels(c).map(p => p[3])), seen: all('.ak-gates', e => e.checkVisibility()),
        off: f.querySelector('.ak-gates').dataset.off, chances: all('.ak-answer .ak-fill', size), rows: all('.ak-colours span', e => e.textContent),
        lamps: all('.ak-lamp', e => e.ariaPressed === 'true'), told: all('.ak-sides p', e => e.checkVisibility() ? e.textContent : '').filter(Boolean),
        answers: all('.ak-answer', e => e.innerText.trim().split(/\\s*\\n\\s*/)), chosen: all('.ak-answer', e => e.dataset.chosen === 'true').indexOf(true) }; }"""


def lit(found, widget):
    """The page shows the state of a figure in Python: the picture as light, the depth of the gates, the answers."""
    page, gates = found.evaluate(SHOWN_GATES), (widget.place_gates, widget.channel_gates)
    assert np.abs(np.array(page["picture"])[:, :3] - 255 * widget.pixels.reshape(-1, 3)).max() <= 0.51
    none = all(its is None for its in gates)
    assert page["seen"] == [none or gates[0] is not None, gates[1] is not None] and page["off"] == str(none).lower()
    for depths, its in zip(page["gates"], gates):
        assert np.allclose(depths, 0 if its is None else [255 * draw.opacity(gate, 1) for gate in its], atol=0.51)
    named = [f"gates of {what}" for what, its in zip(("places", "channels"), gates) if its is not None]
    assert page["told"] == (["no gates"] if none else [*named, "the deeper the pink, the more open"]) and page["rows"] == list(gate_axes.COLOURS)
    assert np.allclose(page["chances"], widget.chances, rtol=0, atol=6e-4)
    right = widget.labels[widget.picture]
    assert page["answers"] == [[name, fixed(p), *["right"] * (k == right and widget.lamps == (widget.lit[widget.picture] if widget.lit else []))] for k, (name, p) in enumerate(zip(widget.names, widget.chances))]
    assert page["chosen"] == widget.chances.argmax() and page["lamps"] == [bool(lamp) for lamp in widget.lamps]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_the_axis_is_switched_on_the_page(window, tmp_path, width):
    with window(width=width, reduced_motion="reduce") as w:
        widget = gating(axis="spatial")
        found = alone(w, tmp_path, widget)
        lit(found, widget)
        for axis, words in gate_axes.AXES.items():
            press(found, words)
            widget.axis = axis
            lit(found, widget)
            assert answered(widget) in says(w, found) and says(w, found) in unescape(widget.still())
        press(found, "2")
        widget.picture = 1
        lit(found, widget)
        assert says(w, found).startswith("Picture 2, gates for both. The model says ")
        press(found, "lamp upper right")
        found.get_by_role("button", name="lamp lower left").click()
        widget.lamps = [0, 1, 0, 1]
        lit(found, widget)
        assert says(w, found).startswith("Picture 2 with other lamps, gates for both") and says(w, found).endswith(f"{fixed(widget.chances.max())}.")
        assert says(w, found) in unescape(widget.still())
        press(found, "1")
        lit(found, gating())
        press(found, "lamp lower right")
        press(found, "Reset")
        lit(found, gating(axis="spatial"))
        assert fits(w) and not w.errors


@pytest.mark.browser
def test_gates_set_in_python_are_shown(window, tmp_path):
    """Live, the kernel hears of each change, and the figure follows the kernel; an axis without a model has no button."""
    with window() as w:
        widget = gating(models={axis: gating().models[axis] for axis in ("none", "spatial")}, axis="spatial", names=["a", "b", "c"], lit=None)
        found = live(w, tmp_path, widget, "axis", "picture")
        assert found.get_by_role("button").all_inner_texts() == ["none", "places", "1", "2", "Reset"]
        for name in ("none", "2"):
            press(found, name)
        assert w.page.evaluate("sent") == [["none", 0], ["none", 1]]
        w.page.evaluate("() => { model.set('axis', 'spatial'); model.set('picture', 0); }")
        lit(found, widget)


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_the_largest_gates_have_room(window, tmp_path, width):
    """The most pixels, channels, pictures and answers: nothing is wider than the page or cut, and a redraw is small."""
    with window(width=width) as w:
        models = {axis: gate_axes.random_model(5, axis, filters=6, hidden=6, answers=8) for axis in gate_axes.AXES}
        pictures = np.random.default_rng(7).uniform(size=(8, 16, 16, 3)).round(2)
        widget = GateAxes(models, pictures, np.arange(8), ["notched corner", *"abcdefg"], axis="both")
        found = alone(w, tmp_path, widget)
        assert fits(w)
        cut = found.locator("span, p").evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth).map(e => e.textContent)")
        assert not cut and found.evaluate("f => f.querySelectorAll('*').length") < 150
        before = found.bounding_box()["height"]
        for name in ("none", "places", "channels", "both", "8"):
            press(found, name)
        print(f"\n{before} pixels high, {found.bounding_box()['height']} at last")
        changes = found.evaluate("""async f => { let changes = 0; new MutationObserver(found => changes += found.length)
            .observe(f, {attributes: true, childList: true, characterData: true, subtree: true});
            f.querySelectorAll('.ak-controls button')[4].click(); await new Promise(done => setTimeout(done)); return changes; }""")
        assert 0 < changes < 60 and not w.errors


@pytest.mark.browser
def test_switching_the_axis_costs_little(watched, tmp_path):
    """The work of a redraw, counted as the pages count it, with the most pixels and channels."""
    with watched(reduced_motion="reduce") as w:
        models = {axis: gate_axes.random_model(5, axis, filters=6, hidden=6) for axis in gate_axes.AXES}
        pictures = np.random.default_rng(7).uniform(size=(2, 16, 16, 3)).round(2)
        profile = counted(w)
        found = alone(w, tmp_path, GateAxes(models, pictures, [0, 1], ["a", "b"], axis="none"))
        ran = {"coming to life": blocks(profile)}
        for name in ("both", "channels", "2"):
            press(found, name)
            ran[name] = blocks(profile)
        print(f"\nblocks: {ran}")
        assert 0 < max(ran.values()) < 40_000 and not w.errors


# ---- on the page of the book

@pytest.mark.browser
@on(PAGES, WIDE)
def test_the_lamp_moves_and_the_answer_goes_with_it(opened):
    """Gates for places follow the light; gates for channels cannot tell the quarters apart."""
    w, found = opened, figure(opened, "gate_axes")
    assert "gates for places" in says(w, found) and says(w, found).endswith("which is right.")
    found.get_by_role("button", name="channels", exact=True).click()
    assert float(re.search(r"says \w+, (0\.\d+)", says(w, found))[1]) < 0.5
    found.get_by_role("button", name="places", exact=True).click()
    before = says(w, found)
    found.locator("button.ak-lamp").first.click()
    assert says(w, found) != before
