"""What the weights of a reader explain: each change of them as by hand."""


import numpy as np
import pytest
import torch
from torch import nn

from bookkit.lessons.review_weights import (
    by_what_settles,
    compare,
    examine,
    left_out,
    shuffled,
)
from bookkit.lessons.reviews import Reviews, ReviewTask
from lessons.by_hand import close, random_reader, read_by_hand


@pytest.fixture(scope="module")
def review_task():
    return ReviewTask()


def test_weights_of_reviews_changed_as_by_hand(review_task):
    """Shuffled and left out: the logits of a reader that is handed the changed weights."""
    model, documents = random_reader("attention"), review_task.held_out.documents[:3]
    p = {name: tensor.detach().numpy() for name, tensor in model.named_parameters()}
    leaves = left_out(model, documents)
    for i, row in enumerate(documents.numpy()):
        for j in (0, 5, 99):
            assert abs(read_by_hand(p, "attention", np.delete(row, j))[0] - leaves[i, j]) < 1e-9
    anew = shuffled(model, documents, times=4, seed=1)
    assert anew.shape == (3, 4) and torch.equal(anew, shuffled(model, documents, times=4, seed=1))
    assert len(set(anew[0].tolist())) == 4 and not torch.equal(anew, shuffled(model, documents, times=4, seed=2))
    same = documents[:, :1].expand(-1, 100)
    assert close(shuffled(model, same, times=2), model(same)[0][:, None].expand(-1, 2)), "of one word, all orders are alike"
    with pytest.raises(ValueError, match="a maximum, which has no weights"):
        left_out(random_reader("max"), documents)


class Pointer(nn.Module):
    """Reads one number of each word, with weights of its own choice: the logit is their weighted mean."""

    def __init__(self, numbers, scores):
        super().__init__()
        self.embedding = lambda documents: torch.tensor(numbers).double()[documents][..., None]
        self.pool = lambda x: ((self.weigh(x)[:, None] @ x)[:, 0], self.weigh(x))
        self.readout, self.scores = nn.Identity(), scores

    def weigh(self, x):
        return torch.tensor(self.scores).double().expand(len(x), -1)

    def forward(self, documents):
        pooled, weights = self.pool(self.embedding(documents))
        return pooled[:, 0], weights


def test_examine_weights():
    """Three words of 8, -1 and -1 with weights of 0.5, 0.3 and 0.2: without the first, or with another in its place, the answer turns."""
    reviews = Reviews(torch.tensor([[0, 1, 2]]), torch.tensor([1]), torch.tensor([0]))
    found = examine(Pointer([8, -1, -1], [0.5, 0.3, 0.2]), reviews, times=3000)
    before, after = torch.tensor([3.5, -1, 8 * 5 / 7 - 3 / 7 * 1 - 1 / 7 * 0, 0]).sigmoid(), torch.tensor([1.7, 0.8]).sigmoid()
    assert found["without the top word"] == (pytest.approx((before[0] - before[1]).item()), 1)
    assert found["shuffled"].change == pytest.approx(((before[0] - after).sum() / 3).item(), abs=0.01) and found["shuffled"].flips == 0
    # Without the second word 8 * 5/7 - 2/7, without the third 8 * 5/8 - 3/8: the first counts most, then the second.
    left = torch.tensor([38 / 7, 37 / 8]).sigmoid()
    assert found["without another word"] == (pytest.approx((left - before[0]).mean().item()), 0)
    blind = examine(Pointer([1, 1, -90], [0.5, 0.3, 0.2]), reviews)
    assert blind["without another word"].flips == 0.5


def test_compare_readers_of_reviews():
    reviews = Reviews(torch.tensor([[0, 1], [1, 0]]), torch.tensor([1, 0]), torch.tensor([0, -1]))
    one, other = Pointer([4, -4], [0.75, 0.25]), Pointer([4, -4], [0.25, 0.75])
    assert compare(one, one, reviews) == (1, 0, 0)
    assert compare(one, other, reviews) == (0, pytest.approx(np.tanh(1)), 0.5)
    parts = by_what_settles(reviews)
    assert [part.labels.tolist() for part in parts.values()] == [[1], [0]] and list(parts) == ["decisive", "majority"]
