"""The torch modules: torch's own as oracle, shapes and gradients."""

from copy import deepcopy
from itertools import product

import pytest
import torch
from torch import nn

import attnkit
from attnkit import multi_head_attention, relative_bias, scaled_dot
from attnkit.modules import AttentionPooling, MultiHeadAttention, TransformerBlock
from bookkit.lessons.translation import Translator

SCORES = ["additive", "general", "dot", "scaled_dot", "distance", "cosine"]


def spread(module):
    """Random numbers in every parameter: torch starts biases at zero and norms at one, which hides mistakes."""
    for p in module.parameters():
        nn.init.normal_(p, std=0.4)
    return module.double().eval()


def close(a, b):
    return a.shape == b.shape and (a - b).abs().max() < 1e-12


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("heads, width, key_width, value_width", [(3, 15, None, None), (1, 7, None, None), (5, 5, 11, 13)])
def test_loading_multi_head_attention(bias, heads, width, key_width, value_width):
    torch.manual_seed(width)
    theirs = spread(nn.MultiheadAttention(width, heads, bias=bias, kdim=key_width, vdim=value_width, batch_first=True))
    ours = MultiHeadAttention.from_torch(theirs)
    x = [torch.randn(2, n, w or width, dtype=torch.double) for n, w in ((7, width), (11, key_width), (11, value_width))]
    hidden = torch.rand(7, 11) < 0.4                         # torch's module: True = may NOT attend
    hidden[:, 0] = False
    expected, weights = theirs(*x, attn_mask=hidden, average_attn_weights=False)
    output, found = ours(*x, mask=~hidden)
    assert close(output, expected) and close(found, weights)
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())
    assert all(p.requires_grad for p in ours.parameters())
    with torch.no_grad():                                    # a copy: the original stays its own
        before = theirs.out_proj.weight.clone()
        ours.w_output += 1
    assert torch.equal(theirs.out_proj.weight, before)


def test_parametrized_weights():
    """Pruned and normalised weights are attributes, not parameters of that name."""
    attend = nn.utils.parametrizations.weight_norm(MultiHeadAttention(4, 2), "w_query")
    x = torch.randn(3, 4)
    assert attend(x)[0].shape == (3, 4) and list(attend.arrays())[:2] == ["w_query", "w_key"]
    assert MultiHeadAttention(4, 2, bias=False).arrays()["b_query"] is None


def test_self_and_cross_attention():
    torch.manual_seed(0)
    attend = MultiHeadAttention(6, 2, head_width=5)
    x, y = torch.randn(3, 6), torch.randn(7, 6)
    assert close(attend(x)[0], attend(x, x, x)[0]) and close(attend(x, y)[0], attend(x, y, y)[0])
    assert attend(x, y)[1].shape == (2, 3, 7) and attend.w_query.shape == (6, 10)
    bias = relative_bias(torch.tensor([[1.0, 0.0, -1.0], [0.0, 2.0, 3.0]]), 3)          # (2, 3, 3), a table for each head
    score = lambda q, k: scaled_dot(q, k) + bias   # noqa: E731
    expected = multi_head_attention(x, x, x, num_heads=2, score=score, **attend.arrays())
    assert close(attend(x, score=score)[0], expected[0]) and not close(attend(x, score=score)[1], attend(x)[1])
    assert repr(attend) == "MultiHeadAttention(width=6, num_heads=2, head_width=5)"
    assert sum(p.numel() for p in attend.parameters()) == 4 * 60 + 3 * 10 + 6, "biases are the default"


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu", nn.GELU(), nn.GELU(approximate="tanh"), nn.ReLU(), nn.functional.gelu])
@pytest.mark.parametrize("bias", [True, False])
def test_loading_an_encoder_layer(norm_first, activation, bias):
    torch.manual_seed(1)
    theirs = spread(nn.TransformerEncoderLayer(15, 3, 11, activation=activation, norm_first=norm_first, batch_first=True,
                                               layer_norm_eps=1e-3, bias=bias))
    ours = TransformerBlock.from_torch(theirs)
    x = torch.randn(2, 7, 15, dtype=torch.double)
    hidden = torch.triu(torch.ones(7, 7, dtype=torch.bool), 1)
    with torch.inference_mode(False):
        for mask in (None, hidden):
            output, weights = ours(x, mask=None if mask is None else ~mask)
            assert close(output, theirs(x, src_mask=mask)) and weights.shape == (2, 3, 7, 7)
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())


@pytest.mark.parametrize("norm_first", [False, True])
def test_loading_a_decoder_layer(norm_first):
    torch.manual_seed(2)
    theirs = spread(nn.TransformerDecoderLayer(15, 3, 11, norm_first=norm_first, batch_first=True))
    ours = TransformerBlock.from_torch(theirs)
    x, memory = torch.randn(2, 7, 15, dtype=torch.double), torch.randn(2, 5, 15, dtype=torch.double)
    hidden, padding = torch.triu(torch.ones(7, 7, dtype=torch.bool), 1), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    expected = theirs(x, memory, tgt_mask=hidden, memory_key_padding_mask=padding)
    output, (own, to_memory) = ours(x, memory, mask=~hidden, memory_mask=~padding[:, None, None, :])
    assert close(output, expected) and own.shape == (2, 3, 7, 7) and (to_memory[1, ..., 3:] == 0).all()


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("cross", [False, True])
def test_block_is_its_parts(norm, cross):
    """The parts of a block, put together by hand."""
    torch.manual_seed(6)
    block = spread(TransformerBlock(6, 2, norm=norm, cross=cross))
    x, memory = torch.randn(5, 6, dtype=torch.double), torch.randn(3, 6, dtype=torch.double)
    found = block(x, memory)[0] if cross else block(x)[0]
    parts = [(block.self_attention_norm, lambda x: block.self_attention(x)[0])]
    parts += [(block.cross_attention_norm, lambda x: block.cross_attention(x, memory)[0])] if cross else []
    parts += [(block.mlp_norm, lambda x: block.mlp[2](block.mlp[0](x).relu()))]
    for normalise, part in parts:
        x = x + part(normalise(x)) if norm == "pre" else normalise(x + part(x))
    assert close(found, x) and block.mlp[0].out_features == 24 and f"norm='{norm}'" in repr(block)
    small = TransformerBlock(6, 2, hidden=5)
    assert small.mlp[2].in_features == 5 and small.norm == "post"


@pytest.mark.parametrize("hidden", [None, 4])
def test_pooling(hidden):
    torch.manual_seed(3)
    pool = spread(AttentionPooling(3, hidden))
    assert pool.query.shape == (1, hidden or 3)
    assert repr(pool) == ("AttentionPooling(hidden=4)" if hidden else "AttentionPooling(width=3)")
    x = torch.randn(2, 5, 3, dtype=torch.double)
    mask = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    output, weights = pool(x, mask)
    key = x if hidden is None else torch.tanh(x @ pool.w_key + pool.b_key)
    expected = torch.softmax((key @ pool.query[0]).masked_fill(~mask, -torch.inf), dim=-1)
    assert close(weights, expected) and close(output, (expected[..., None] * x).sum(1))
    order = torch.randperm(5)
    assert close(pool(x[:, order])[0], pool(x)[0]), "a set has no order"
    assert close(pool(x[1, :2])[0], output[1]), "masked is left out"


@pytest.mark.parametrize("score", SCORES)
def test_translator(score):
    torch.manual_seed(4)
    model = spread(Translator(11, 13, width=6, score=score))
    source, target = torch.tensor([[3, 4, 5, 6, 7], [8, 9, 3, 0, 0]]), torch.tensor([[1, 5, 6], [1, 7, 8]])
    mask = source > 0
    scored, weights = model(source, target, mask)
    assert scored.shape == (2, 3, 13) and weights.shape == (2, 3, 5)
    assert (weights[1, :, 3:] == 0).all() and torch.allclose(weights.sum(-1), torch.ones(2, 3, dtype=torch.double))
    alone, its = model(source[1:, :3], target[1:])
    assert close(alone[0], scored[1]) and close(its[0], weights[1, :, :3]), "padding changes nothing"
    later = target.clone()
    later[:, 2] = 12
    assert torch.equal(model(source, later, mask)[0][:, :2], scored[:, :2]), "a later word changes nothing before it"
    scored.sum().backward()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in model.parameters())
    words, looked = model.translate(source, start=1, end=2, max_length=4, mask=mask)
    for i, sentence in enumerate(words):                     # greedy decoding is teacher forcing with one's own words
        assert 2 not in sentence and looked[i].shape == (len(sentence), 5)
        again, its = model(source[i:i + 1], torch.tensor([[1, *sentence]]), mask[i:i + 1])
        assert again[0].argmax(-1).tolist()[:len(sentence)] == sentence
        assert close(its[0, :len(sentence)], looked[i])


def test_translator_steps_by_hand():
    """The same numbers from torch's parts alone, sentence by sentence, each as long as it is, in any order of length."""
    torch.manual_seed(7)
    model = spread(Translator(11, 13, width=6, states=2, score="dot", scale=0.5))
    source, target = torch.tensor([[3, 4, 0, 0], [8, 9, 3, 5], [7, 0, 0, 0]]), torch.tensor([[1, 5, 6], [1, 7, 8], [1, 2, 9]])
    scored, weights = model(source, target, source > 0)
    for i, length in enumerate((2, 4, 1)):
        words = model.source_embedding(source[i, :length])
        states = model.encoder(words[:, None])[0][:, 0]               # forward 2, backward 2
        annotations = torch.cat([states, words], dim=-1)
        state = model.initial_state
        for t in range(3):
            shares = torch.softmax(annotations @ state / 2, dim=0)
            word = model.target_embedding(target[i, t])
            context = shares @ annotations
            state = model.decoder(torch.cat([word, context])[None], state[None])[0]
            assert close(weights[i, t, :length], shares) and close(scored[i, t], model.readout(torch.cat([state, context, word])))
    assert Translator(5, 5).decoder.hidden_size == 54 and Translator(5, 5).score_name == "additive"
    assert Translator(5, 5).encoder.hidden_size == 11 and Translator(5, 5).encoder.input_size == 32
    assert Translator(5, 5, 30, states=4).encoder.input_size == 22
    assert 0.25 < Translator(400, 5).source_embedding.weight.std() < 0.35
    assert 0.8 < Translator(5, 5, width=400).v.norm() < 1.2


def test_translator_dropout_in_training_only():
    torch.manual_seed(8)
    model = Translator(11, 13, width=6, dropout=0.5)
    source, target = torch.tensor([[3, 4, 5]]), torch.tensor([[1, 5, 6]])
    assert not torch.equal(model(source, target)[0], model(source, target)[0])
    assert model.translate(source, start=1, end=2, max_length=5)[0] == model.translate(source, start=1, end=2, max_length=5)[0]
    assert model.training, "translating leaves the mode as it was"
    model.dropout.eval()
    with pytest.raises(IndexError):
        model.translate(source, start=99, end=2, max_length=5)
    assert model.training and not model.dropout.training
    model.eval()
    assert torch.equal(model(source, target)[0], model(source, target)[0])
    model.translate(source, start=1, end=2, max_length=5)
    assert not model.training


def test_translator_dropout_share():
    """It keeps the mean, and is not there after training."""
    torch.manual_seed(9)
    model = Translator(11, 13, width=6, dropout=0.25)
    ones = model.dropout(torch.ones(40_000))
    assert set(ones.unique().tolist()) == {0.0, torch.tensor(1 / 0.75).item()} and abs(ones.mean() - 1) < 0.02
    model.eval()
    assert torch.equal(model.dropout(torch.ones(6)), torch.ones(6))


def test_beam_search():
    """One beam is greedy decoding; with as many beams as there are beginnings it finds the best of all sentences."""
    torch.manual_seed(10)
    model = spread(Translator(7, 5, width=6)).double()
    source = torch.tensor([3, 4, 6])
    kwargs = dict(start=1, end=2, max_length=3)
    [(greedy, total)] = model.beam_search(source, beam_size=1, **kwargs)
    assert greedy == model.translate(source[None], **kwargs)[0][0]

    def log_probability(words):
        given = torch.tensor([[1, *words]])
        logs = torch.log_softmax(model(source[None], given)[0][0], dim=1)
        targets = ([*words, 2])[:3]
        return sum(logs[i, word].item() for i, word in enumerate(targets))

    assert abs(total - log_probability(greedy)) < 1e-12
    others = [word for word in range(5) if word != 2]
    everything = [list(words) for n in range(4) for words in product(others, repeat=n)]
    best = sorted(everything, key=log_probability, reverse=True)
    found = model.beam_search(source, beam_size=200, **kwargs)
    assert [words for words, _ in found[:5]] == best[:5] and len(found) == len(everything)
    assert all(abs(total - log_probability(words)) < 1e-12 for words, total in found)


@pytest.mark.parametrize("score", SCORES)
def test_every_parameter_of_a_translator_gets_a_gradient(score):
    torch.manual_seed(0)
    model = Translator(9, 9, width=8, score=score).double()
    sentences = torch.randint(3, 9, (5, 3))
    scored, _ = model(sentences, sentences)
    nn.functional.cross_entropy(scored.flatten(0, 1), sentences.flatten()).backward()
    silent = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert not silent


def test_under_autocast_dtypes_may_be_mixed():
    """As in torch: what comes out of one layer in sixteen bits goes into the next, and the gradient comes back."""
    torch.manual_seed(0)
    block, pool, linear, heads = TransformerBlock(8, 2), AttentionPooling(8), nn.Linear(8, 8), MultiHeadAttention(8, 2)
    sixteen = deepcopy(heads).bfloat16()
    x, half = torch.randn(2, 5, 8), torch.randn(2, 5, 8).bfloat16()
    cases = {"a layer before": lambda: block(linear(x))[0], "weights in sixteen bits": lambda: sixteen(x)[0], "pooling": lambda: pool(linear(x))[0],
             "one of the three": lambda: attnkit.attention(linear(x), x, linear(x))[0], "a score": lambda: attnkit.attention(x, x, x, score=attnkit.dot)[0],
             "blocks": lambda: attnkit.attention_in_blocks(linear(x), x, x), "linear": lambda: attnkit.linear_attention(linear(x), x, x)}
    for name, call in cases.items():
        expected = heads(x)[0] if name == "weights in sixteen bits" else call()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found = call()
        assert torch.allclose(found.float(), expected, atol=0.1), name
        if found.requires_grad:
            found.float().square().sum().backward()
    assert all(p.grad.isfinite().all() for part in (block, linear, sixteen) for p in part.parameters())
    with pytest.raises(TypeError, match="one dtype is needed"):
        attnkit.attention(half, x, x)
