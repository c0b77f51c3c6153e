"""Pictures under lamps: what is in them, gates as by hand, patches as words."""

import json

import numpy as np
import pytest
import torch
from table import each
from torch import nn

from bookkit.lessons.training import new_model
from bookkit.lessons.visual_attention import (
    GATES,
    KINDS_OF_PICTURES,
    SHAPES,
    GatedPictures,
    PatchReader,
    PictureTask,
    lamp_pictures,
    patches,
    travelling,
    windows,
)
from lessons.by_hand import close, relu, scatter

QUARTERS = [(slice(8 * i, 8 * i + 8), slice(8 * j, 8 * j + 8)) for i in (0, 1) for j in (0, 1)]
MARKS = np.array([[[mark == "#" for mark in row] for row in rows] for rows in SHAPES.values()])


def seen_by_eye(picture):
    """What a reader sees in (16, 16, 3): (shape, quarter, colour) of all, which quarters are lit, the colour of the frame."""
    steps = picture[0] - picture[1], picture[-1] - picture[-2], picture[:, 0] - picture[:, 1], picture[:, -1] - picture[:, -2]
    frame = np.flatnonzero(np.min([step.mean(0) for step in steps], axis=0) > 0.15)
    lit = np.array([np.median(picture[quarter][..., 2]) > 0.3 for quarter in QUARTERS])
    found = []
    for quarter, part in enumerate(QUARTERS):
        for colour in range(3):
            bright = picture[part][1:-1, 1:-1, colour] > (0.9 if lit[quarter] and colour == 2 else 0.55)
            if bright.any():
                row, column = np.argwhere(bright).min(0)
                box = bright[row:row + 3, column:column + 3]
                [shape] = [k for k, mark in enumerate(MARKS) if np.array_equal(mark, box) and bright.sum() == 5]
                found.append((shape, quarter, colour))
    return found, lit, frame.tolist()


@each("kind", KINDS_OF_PICTURES)
def test_lamp_pictures(kind):
    """The answer is what a reader would say who sees nothing but the pixels."""
    pictures = lamp_pictures(200, kind, seed=1)
    assert pictures.pixels.shape == (200, 256, 3) and 0 <= pictures.pixels.min() and pictures.pixels.max() <= 1
    for pixels, label, lit, frame in zip(*(part.numpy() for part in pictures)):
        found, seen_lit, seen_frame = seen_by_eye(pixels.reshape(16, 16, 3))
        assert np.array_equal(seen_lit, lit) and seen_frame == ([] if frame < 0 else [frame])
        shapes, _, colours = zip(*found)
        assert len(set(shapes)) == len(shapes) == (3 if kind == "channel" else 4)
        shown = {shape for shape, quarter, _ in found if lit[quarter]}
        if kind == "channel":
            assert not lit.any() and sorted(colours) == [0, 1, 2] and (label, frame) in zip(shapes, colours)
        elif kind == "place":
            assert lit.sum() == 1 and shown == {label} and set(colours) <= {0, 1}
        else:
            assert sorted(colours) == [0, 0, 1, 1] and len(shown) == 2
            assert [(shape, colour) for shape, quarter, colour in found if lit[quarter] and colour == frame] == [(label, frame)]
    assert (torch.bincount(pictures.labels, minlength=4) > 30).all()
    again, other = lamp_pictures(200, kind, seed=1), lamp_pictures(200, kind, seed=2)
    assert all(map(torch.equal, pictures, again)) and not torch.equal(pictures.pixels, other.pixels)


@each("call, words", [
    (lambda: lamp_pictures(3, "odd"), "kind must be one of place, channel, both, got 'odd'"),
    (lambda: GatedPictures(gate="odd"), "gate must be one of none, channel, spatial, both, got 'odd'"),
    (lambda: patches(torch.ones(1, 256, 3), 3), "size must divide 16, got 3")])
def test_lamp_pictures_refuse(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def random_gates(gate="both", seed=0, **options):
    """A small model with random numbers in every parameter, biases too."""
    model = new_model(seed, GatedPictures, gate, filters=2, hidden=5, **options)
    scatter(model)
    return model


PIXELS = lamp_pictures(3, "both", seed=5).pixels


def sigmoid(raw):
    return 1 / (1 + np.exp(-raw))


def pictures_by_hand(p, gate, pixels):
    """Logits and gates of pixels (256, 3), by numpy, from the names and numbers of what travels."""
    f, image = len(p["filters"][0]), np.pad(pixels.reshape(16, 16, 3), ((1, 1), (1, 1), (0, 0)))
    x = np.array([[relu(sum(image[i + k // 3, j + k % 3, colour] * p["filters"][k][m] for k in range(9)) + p["b_filters"][m])
                   for colour in range(3) for m in range(f)] for i in range(16) for j in range(16)])
    gates = {}
    if gate in ("channel", "both"):
        hidden = relu(x.mean(0, keepdims=True) @ p["w_squeeze"] + p["b_squeeze"])
        gates["channel"] = sigmoid(hidden @ p["w_excite"] + p["b_excite"])
        x = x * gates["channel"]
    if gate in ("spatial", "both"):
        gates["spatial"] = sigmoid(x @ p["weight"] + p["bias"])
        x = x * gates["spatial"]
    pooled = sum(x.max(0)[colour * f:(colour + 1) * f] for colour in range(3))
    return pooled @ p["readout"] + p["b_readout"], gates


@each("gate", GATES)
def test_gated_pictures_are_what_they_say(gate):
    """As by hand, and what travels says the same, to the digits it has."""
    model = random_gates(gate)
    logits, gates = model(PIXELS)
    exact = {name: p.detach().numpy() for name, p in model.named_parameters()}
    exact |= {"readout": exact["readout.weight"].T, "b_readout": exact["readout.bias"]}
    sent = json.loads(json.dumps(travelling(model)))
    assert sent.pop("gate") == gate and sent.pop("shapes") == list(SHAPES)
    assert all((np.round(part, 4) == part).all() for part in sent.values())
    sent = {name: np.array(part) for name, part in sent.items()}
    for i, pixels in enumerate(PIXELS.numpy()):
        by_hand, its = pictures_by_hand(exact, gate, pixels)
        assert close(logits[i], torch.tensor(by_hand)) and gates.keys() == its.keys()
        assert all(close(gates[axis][i], torch.tensor(its[axis])) for axis in its)
        assert abs(pictures_by_hand(sent, gate, pixels)[0] - by_hand).max() < 5e-3


def test_what_cannot_travel():
    for kind in (random_gates(mlp=4), random_gates(mixing=4)):
        with pytest.raises(ValueError, match="only a model without mixing and mlp can travel"):
            travelling(kind)


def test_without_gates_colours_and_quarters_are_all_one():
    """Colours that change places, or quarters that do, change nothing without gates, and something with the right ones."""
    turned = PIXELS[..., [1, 2, 0]]
    moved = PIXELS.view(3, 2, 8, 2, 8, 3).flip(1, 3).reshape(3, 256, 3)
    inner = torch.zeros(16, 16, dtype=torch.bool)
    inner[2:6, 2:6] = inner[2:6, 10:14] = inner[10:14, 2:6] = inner[10:14, 10:14] = True
    kept = [image * inner.view(256, 1) for image in (PIXELS, moved)]             # no window sees two quarters
    for gate in GATES:
        model = random_gates(gate)
        assert close(model(PIXELS)[0], model(turned)[0]) == (gate == "none")
        assert close(*(model(image)[0] for image in kept)), "no gate knows by itself where a place is"


def test_larger_pictures_models():
    """The convolution is torch's, a second one sees all channels; with an MLP all pooled channels are read."""
    model = random_gates("none", mixing=5)
    assert model.channels(PIXELS).shape == (3, 256, 5) and model(PIXELS)[0].shape == (3, 4)
    plain = random_gates("none")
    with torch.no_grad():
        plain.filters.copy_(model.filters)
        plain.b_filters.copy_(model.b_filters)
        first = nn.functional.conv2d(PIXELS.mT.reshape(9, 1, 16, 16), model.filters.T.reshape(2, 1, 3, 3), model.b_filters, padding=1)
        assert close(torch.relu(first).view(3, 6, 256).mT, plain.channels(PIXELS))
        seen = windows(plain.channels(PIXELS)).flatten(2)
        assert close(torch.relu(seen @ model.mixing.weight.view(5, 54).T + model.mixing.bias), model.channels(PIXELS))
    model = random_gates("none", mlp=7)
    assert close(model(PIXELS)[0], model.readout(model.channels(PIXELS).amax(1))) and model.readout[0].in_features == 6
    assert sum(p.numel() for p in random_gates("spatial").parameters()) == 9 * 2 + 2 + 6 + 1 + 2 * 4 + 4


def test_patch_reader():
    """Patches hold their pixels; without positions their order does not matter, with positions it does."""
    numbered = torch.arange(256.0)[None, :, None] + torch.tensor([0, 1000, 2000])
    cut = patches(numbered, 4)
    assert cut.shape == (1, 16, 48) and cut[0, 6, :6].tolist() == [72, 1072, 2072, 73, 1073, 2073]
    assert sorted(cut.flatten().tolist()) == sorted(numbered.flatten().tolist())
    model = new_model(0, PatchReader, size=8, width=8, num_heads=2, num_layers=1)
    logits, weights = model(PIXELS)
    assert [layer.shape for layer in weights] == [(3, 2, 4, 4)] and model.positions.shape == (4, 8)
    moved = PIXELS.view(3, 2, 128, 3).flip(1).reshape(3, 256, 3)
    assert not close(model(moved)[0], logits)
    with torch.no_grad():
        model.positions.zero_()
        assert close(model(moved)[0], model(PIXELS)[0])


def test_picture_task():
    task = PictureTask("place", 40, seed=3)
    assert len(task.training.labels) == 40 and len(task.held_out.labels) == 1000
    assert torch.equal(task.held_out.pixels, PictureTask("place", 20, seed=3).held_out.pixels)
    one, same, other = (task.train(seed, steps=3, gate="spatial", filters=2) for seed in (1, 1, 2))
    assert torch.equal(one.filters, same.filters) and not torch.equal(one.filters, other.filters)
    right = nn.functional.one_hot(task.held_out.labels).double()
    gates = task.held_out.lit.view(-1, 2, 1, 2, 1).expand(-1, 2, 8, 2, 8).reshape(1000, 256, 1).double() * 0.5 + 0.25

    def certain(pixels):
        return 50 * right, {"spatial": gates}

    assert task.evaluate(certain) == 1 and task.loss(certain).item() < 1e-12 and task.evaluate_places(certain) == (0.75, 0.25)
    some = type(task.held_out)(*(part[:10] for part in task.held_out))
    assert task.evaluate(lambda pixels: (-right[:10], {}), some) == 0
    assert task.loss(lambda pixels: (0 * right[:10], {}), some).item() == pytest.approx(np.log(4))
    framed = PictureTask("channel", 10)
    frames = framed.held_out.frames

    def by_frame(pixels):
        return None, {"channel": (frames[:, None] + torch.arange(6)).double()[:, None]}

    assert framed.evaluate_channels(by_frame).tolist() == [[[i + 2 * j, i + 2 * j + 1] for j in range(3)] for i in range(3)]
    for ask, model, complaint in ((task.evaluate_channels, one, "a model with channel gates is needed, this one has spatial"),
                                  (task.evaluate_places, random_gates("none"), "this one has none"),
                                  (framed.evaluate_places, random_gates(), "a lamp is needed"),
                                  (task.evaluate_channels, random_gates(), "a frame is needed")):
        with pytest.raises(ValueError, match=complaint):
            ask(model)


def test_the_right_gate_finds_the_shape():
    """And the wrong one does not; the gates are open where they should be."""
    place, channel = PictureTask("place"), PictureTask("channel")
    spatial, wrong = (place.train(0, gate=gate, filters=6, steps=steps) for gate, steps in (("spatial", 400), ("channel", 150)))
    assert place.evaluate(spatial) > 0.97 and abs(place.evaluate(wrong) - 0.25) < 0.08
    lit, elsewhere = place.evaluate_places(spatial)
    assert lit > 2 * elsewhere
    gated = channel.train(0, gate="channel", steps=300)
    means = channel.evaluate_channels(gated).mean(2)
    assert channel.evaluate(gated) > 0.97 and (means.argmax(1) == torch.arange(3)).all()
