"""Messages between neighbours: attention on a graph, and a town where all must ask the right friend."""

from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from attnkit import attention, checks, scaled_dot, softmax
from attnkit.modules import xavier
from bookkit.lessons.training import fit, new_model

TOPICS, OPINIONS = 6, 4


def message_passing(query, key, value, edges):
    """Attention as messages: each node asks the nodes that it hears, one after the other, and blends their values.

    It is `attention` under a mask that is True at the edges, written as a loop over the nodes. Query (n, d_k), key (m,
    d_k), value (m, d_v); `edges` are pairs (i, j), node i hears node j, and ``numpy.argwhere(mask)`` makes them of a
    mask. Gives (n, d_v), zero for a node that hears nobody.

    >>> x = np.array([[1.0], [2.0], [6.0]])
    >>> message_passing(0 * x, x, x, [(0, 1), (0, 2), (2, 2)]).tolist()       # with scores of zero: a mean
    [[4.0], [0.0], [6.0]]
    """
    checks.attention_shapes(query, key, value)
    edges = np.asarray(edges, dtype=int).reshape(-1, 2)
    if edges.size and (edges.min() < 0 or (edges.max(0) >= (len(query), len(key))).any()):
        raise ValueError(f"edges must be pairs of a number below {len(query)} and one below {len(key)}, "
                         f"got up to {edges.max(0).tolist()} and down to {edges.min(0).tolist()}")
    output = np.zeros((len(query), value.shape[-1]))
    for node, question in enumerate(query):
        heard = edges[edges[:, 0] == node, 1]
        if len(heard):
            weights = softmax(scaled_dot(question[None], key[heard]))      # (1, number heard)
            output[node] = (weights @ value[heard])[0]
    return output


def leaky_relu(x, slope=0.2):
    """x above zero, `slope` times x below; of a numpy array or a torch tensor."""
    return x * (x > 0) + slope * x * (x <= 0)


def graph_attention_score(query, key, v_query, v_key):
    """The score of graph attention networks, ``leaky_relu(v_query . q_i + v_key . k_j)`` (Veličković et al. 2018).

    With a vector a in two halves it is ``leaky_relu(a . [q_i, k_j])``, q and k being the nodes after one matrix. As
    leaky_relu only rises, the best key is that with the largest ``v_key . k_j``, whatever the query: the score is
    static. Query (..., n, d), key (..., m, d), both vectors (d,); gives (..., n, m).
    """
    return leaky_relu((query @ v_query)[..., :, None] + (key @ v_key)[..., None, :])


def graph_attention_score_v2(query, key, v):
    """The same parts in another order, ``v . leaky_relu(q_i + k_j)``: now the best key may differ from query to query.

    Shapes are those of `graph_attention_score`, `v` (d,); it is equation 7 of Brody et al. (2022).
    """
    return leaky_relu(query[..., :, None, :] + key[..., None, :, :]) @ v


class Questions(NamedTuple):
    """Examples as tensors of numbers, one for each person of a town, all (b, n).

    Which topic each knows about, and wants to hear about, places below TOPICS; what each says, below OPINIONS; and what
    the one friend says who knows the topic that is wanted, -1 where that is not exactly one.
    """

    knows: object             # torch tensors; Sphinx finds no page to link torch's types to
    wants: object
    says: object
    answers: object


class GraphAttention(nn.Module):
    """A layer of a graph attention network: heads of `graph_attention_score` whose outputs stand side by side.

    Each head has one matrix, for queries, keys and values alike, and a vector in two halves (Veličković et al. 2018,
    equation 5, without its bend).
    """

    def __init__(self, width, num_heads=8, head_width=8):
        super().__init__()
        self.matrices = nn.ParameterList(xavier(width, head_width) for _ in range(num_heads))
        self.vectors = nn.ParameterList(xavier(2, head_width) for _ in range(num_heads))

    def forward(self, x, friends):
        """Nodes (b, n, d) and a mask (n, n): outputs (b, n, heads * head_width) and weights (b, heads, n, n)."""
        heads = []
        for matrix, (v_query, v_key) in zip(self.matrices, self.vectors):
            h = x @ matrix                                                                # (b, n, head_width)
            score = partial(graph_attention_score, v_query=v_query, v_key=v_key)
            heads.append(attention(h, h, h, mask=friends, score=score))
        outputs, weights = zip(*heads)
        return torch.cat(outputs, dim=-1), torch.stack(weights, dim=1)


class GraphModel(nn.Module):
    """One layer that blends what friends say, read beside one's own vector by a network of two layers.

    `kind` says how much each friend counts: "mean", all alike; "graph attention" and "graph attention v2", by the two
    scores above; "graph attention, 8 heads", a `GraphAttention`; "dot product", scaled.
    """

    KINDS = "mean", "graph attention", "graph attention, 8 heads", "graph attention v2", "dot product"

    def __init__(self, kind, width=16):
        super().__init__()
        if kind not in self.KINDS:
            raise ValueError(f"kind must be one of {', '.join(self.KINDS)}, got {kind!r}")
        self.kind = kind
        self.knows, self.wants, self.says = (nn.Embedding(number, width) for number in (TOPICS, TOPICS, OPINIONS))
        if kind == "graph attention, 8 heads":
            self.heads, blended = GraphAttention(width, num_heads=8, head_width=8), 64
        else:
            self.w_query, self.w_key, self.w_value = (xavier(width, width) for _ in range(3))
            self.vectors, blended = xavier(2, width), width
        self.readout = nn.Sequential(nn.Linear(blended + width, 2 * width), nn.ReLU(), nn.Linear(2 * width, OPINIONS))

    def score(self, query, key):
        """Queries (b, n, d) and keys (b, n, d): scores (b, n, n)."""
        if self.kind == "mean":
            return 0 * scaled_dot(query, key)
        if self.kind == "graph attention":
            return graph_attention_score(query, key, *self.vectors)
        if self.kind == "graph attention v2":
            return graph_attention_score_v2(query, key, self.vectors[0])
        return scaled_dot(query, key)

    def blend(self, x, friends):
        """Vectors (b, n, d) and a mask (n, n): what each hears, and the weights."""
        if self.kind == "graph attention, 8 heads":
            return self.heads(x, friends)
        return attention(x @ self.w_query, x @ self.w_key, x @ self.w_value, mask=friends, score=self.score)

    def forward(self, questions, friends):
        """`Questions` (b, n) and a mask (n, n): scores (b, n, 4) and weights (b, n, n), of 8 heads (b, 8, n, n)."""
        x = self.knows(questions.knows) + self.wants(questions.wants) + self.says(questions.says)     # (b, n, d)
        output, weights = self.blend(x, friends)
        return self.readout(torch.cat([output, x], dim=-1)), weights


class TownTask:
    """A town in which everybody wants to know what one friend says: the one who knows about a topic.

    Who is whose friend stays; who knows, wants and says what is new in each example. With `wants` "the same" everybody
    wants to hear of topic 0, with "their own" each of another one.

    >>> TownTask("the same").friends[0].nonzero()[:, 0].tolist()          # whom person 0 hears
    [0, 1, 3, 6, 14, 23]
    """

    def __init__(self, wants="their own", num_people=24, seed=0):
        if wants not in ("the same", "their own"):
            raise ValueError(f"wants must be 'the same' or 'their own', got {wants!r}")
        self.wants = wants
        rng = np.random.default_rng([seed, num_people])
        half = np.triu(rng.random((num_people, num_people)) < 5 / num_people, 1)
        self.friends = torch.tensor(half | half.T | np.eye(num_people, dtype=bool))       # each hears also itself
        self.held_out = self.questions(100, rng)

    def questions(self, num_examples, rng):
        """So many examples at random: `Questions`."""
        friends, shape = self.friends.numpy(), (num_examples, len(self.friends))
        knows, says = rng.integers(TOPICS, size=shape), rng.integers(OPINIONS, size=shape)
        topics = np.eye(TOPICS, dtype=int)[knows]                                       # (b, n, topics)
        fair = (friends.astype(int) @ topics == 1) & (topics == 0)      # one friend knows of it, and not oneself
        wants = np.argmax(fair * rng.random(fair.shape), axis=-1) if self.wants == "their own" else 0 * knows
        asked = np.take_along_axis(fair, wants[..., None], axis=-1)[..., 0]
        right = friends & (knows[:, None, :] == wants[:, :, None])                      # (b, n, n)
        answers = np.where(asked, (right * says[:, None, :]).sum(-1), -1)
        return Questions(*map(torch.tensor, (knows, wants, says, answers)))

    def train(self, seed, kind, *, steps=300, lr=1e-2):
        """A `GraphModel` of one of its kinds, trained from scratch."""
        model, rng = new_model(seed, GraphModel, kind), np.random.default_rng(seed)

        def loss(chosen):            # of which only the number counts: there is no fixed set to choose from
            questions = self.questions(len(chosen), rng)
            scores, _ = model(questions, self.friends)
            return nn.functional.cross_entropy(scores.flatten(0, 1), questions.answers.flatten(), ignore_index=-1)

        fit(model, loss, 1, steps=steps, batch_size=16, lr=lr)
        return model

    @torch.no_grad()
    def evaluate(self, model):
        """The share of what is asked in the held-out examples for which a model is right; a quarter if it guesses."""
        scores, _ = model(self.held_out, self.friends)
        return (scores.argmax(-1) == self.held_out.answers)[self.held_out.answers >= 0].double().mean().item()
