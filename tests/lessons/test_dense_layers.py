"""Dense layers and attention on orders of drinks: each model as by hand."""

import pytest
import torch
from torch import nn

from bookkit.lessons.corpora import DRINKS
from bookkit.lessons.dense_layers import ConcatenationClassifier, DrinkTask, PoolingClassifier
from lessons.by_hand import close, scatter


def test_drink_task_encodes():
    task = DrinkTask()
    sentences, named = task.encode(task.late)
    assert sentences.shape == (1000, 12) and task.encode(task.longer)[0].shape == (1000, 24)
    for words, numbers, drink in zip(task.late, sentences, named):
        assert [task.vocabulary[k] for k in numbers] == list(words) and DRINKS[drink] in words[6:]
    assert set(task.vocabulary[3:]) == {word for words in task.training for word in words}


def test_drink_models_are_what_they_say():
    """Each kind as by hand; a mean and attention take any length and any order, dense layers and places do not."""
    task = DrinkTask()
    sentences, _ = task.encode(task.late[:7])
    longer, _ = task.encode(task.longer[:7])
    for kind, (model_class, options) in task.MODELS.items():
        torch.manual_seed(0)
        model = model_class(num_words=len(task.vocabulary), num_answers=4, **options).double()
        scatter(model)
        assert 490 < sum(p.numel() for p in model.parameters()) < 550, kind
        scores, x = model(sentences), model.embedding(sentences)
        assert scores.shape == (7, 4)
        if isinstance(model, ConcatenationClassifier):
            layers = [layer for layer in model.readout if isinstance(layer, nn.Linear)]
            hidden = x.flatten(1)
            for layer in layers[:-1]:
                hidden = (hidden @ layer.weight.T + layer.bias).clamp(min=0)
            assert close(scores, hidden @ layers[-1].weight.T + layers[-1].bias), kind
        else:
            x = x if model.positions is None else x + model.positions
            weights = torch.full((7, 12), 1 / 12, dtype=torch.double) if model.pool is None else model.pool(x)[1]
            assert close(scores, (weights[..., None] * x).sum(1) @ model.readout.weight.T + model.readout.bias), kind
        free = kind in ("attention", "mean")
        assert close(model(sentences.flip(1)), scores) == free, kind
        if free:
            assert model(longer).shape == (7, 4)
        else:
            with pytest.raises(RuntimeError):
                model(longer)


def test_contributions_add_up_to_the_scores():
    torch.manual_seed(0)
    dense, blend = ConcatenationClassifier(9, 5, 3, width=4).double(), PoolingClassifier(9, 3, width=4, hidden=2).double()
    sentences = torch.randint(9, (20, 5))
    assert close(dense(sentences), dense.contributions()[torch.arange(5), sentences].sum(1) + dense.readout[0].bias)
    scores, readings = blend.contributions()
    weights = scores[sentences].softmax(1)
    assert close(blend(sentences), (weights[..., None] * readings[sentences]).sum(1) + blend.readout.bias)
    for model, words in ((ConcatenationClassifier(9, 5, 3, width=4, hidden=2), "no sum over words"), (PoolingClassifier(9, 3, width=4), "with attention"),
                         (PoolingClassifier(9, 3, width=4, hidden=2, length=5), "without places")):
        with pytest.raises(ValueError, match=words):
            model.contributions()
