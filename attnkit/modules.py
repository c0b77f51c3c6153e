"""What the models of the book are built from: torch modules that hold weights and call the functions.

Everything is batch first, rows are items, masks are True where attention may go
(torch.nn.MultiheadAttention means the opposite by its boolean masks), and every
module returns ``(output, weights)``.
"""

from copy import deepcopy

import torch
from torch import nn

from attnkit import checks
from attnkit.mechanism import attention, multi_head_attention


def xavier(rows, columns):
    """A matrix to be learned, its numbers drawn so that variances stay about the same (Glorot and Bengio, 2010)."""
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(rows, columns)))


def _bias(columns, wanted):
    return nn.Parameter(torch.zeros(columns)) if wanted else None


def _count_or(default, value, name):
    """An integer of at least one, or the default in place of None."""
    return default if value is None else checks.count(value, name)


class MultiHeadAttention(nn.Module):
    """The eight arrays that `multi_head_attention` needs, to be learned.

    Parameters
    ----------
    width : int
        d, the width of the queries' items and of the output.
    num_heads : int
        h
    key_width, value_width : int, optional
        The widths of the items that keys and values are made from; `width` if not given.
    head_width : int, optional
        The width of a query, a key and a value in one head; width / h, which must then be whole, if not given.
    bias : bool
        Whether to add one after each projection.

    Raises
    ------
    ValueError
        `head_width` is not given and h does not divide d.

    Examples
    --------
    >>> import torch
    >>> attend = MultiHeadAttention(6, num_heads=2)
    >>> x = torch.ones(5, 4, 6)                 # five sequences of four items
    >>> output, weights = attend(x)
    >>> tuple(output.shape), tuple(weights.shape)
    ((5, 4, 6), (5, 2, 4, 4))

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.2.
    Chapter: multi_head.
    """

    def __init__(self, width: int, num_heads: int, *, key_width: int | None = None, value_width: int | None = None,
                 head_width: int | None = None, bias: bool = True):
        super().__init__()
        width, self.num_heads = checks.count(width, "width"), checks.count(num_heads, "num_heads")
        if head_width is None and width % self.num_heads:
            raise ValueError(f"num_heads must divide width, or give head_width; got {num_heads} and {width}")
        head_width = _count_or(width // self.num_heads, head_width, "head_width")
        inner = self.num_heads * head_width
        key_width, value_width = _count_or(width, key_width, "key_width"), _count_or(width, value_width, "value_width")
        self.w_query, self.b_query = xavier(width, inner), _bias(inner, bias)
        self.w_key, self.b_key = xavier(key_width, inner), _bias(inner, bias)
        self.w_value, self.b_value = xavier(value_width, inner), _bias(inner, bias)
        self.w_output, self.b_output = xavier(inner, width), _bias(width, bias)

    def forward(self, query, key=None, value=None, *, mask=None, score=None):
        """Self-attention of `query` alone, or attention of `query` to `key` and `value` (`key` if not given).

        `mask` and `score` are those of `multi_head_attention`.
        """
        key = query if key is None else key
        value = key if value is None else value
        for name, items in (("query", query), ("key", key), ("value", value)):
            checks.width(name, items, getattr(self, f"w_{name}").shape[0])
        return multi_head_attention(query, key, value, num_heads=self.num_heads, mask=mask, score=score,
                                    **self.arrays())

    def arrays(self):
        """The weights under the names that `multi_head_attention` gives them."""
        return {f"{kind}_{name}": getattr(self, f"{kind}_{name}")
                for kind in "wb" for name in ("query", "key", "value", "output")}

    def extra_repr(self):
        """What torch prints for this module."""
        width, inner = self.w_query.shape
        return f"width={width}, num_heads={self.num_heads}, head_width={inner // self.num_heads}"

    @classmethod
    def from_torch(cls, module):
        """One with the weights of a torch.nn.MultiheadAttention.

        Called batch first and with masks turned round it gives the same numbers, weights for each head.
        """
        if not isinstance(module, nn.MultiheadAttention):
            raise TypeError(f"module must be a torch.nn.MultiheadAttention, got {type(module).__name__}")
        if module.bias_k is not None or module.add_zero_attn:
            raise ValueError("bias_k and add_zero_attn of torch.nn.MultiheadAttention have no counterpart here")
        if module.in_proj_weight is not None:
            w_query, w_key, w_value = module.in_proj_weight.chunk(3)
        else:
            w_query, w_key, w_value = module.q_proj_weight, module.k_proj_weight, module.v_proj_weight
        biased = module.in_proj_bias is not None
        copy = cls(module.embed_dim, module.num_heads, key_width=module.kdim, value_width=module.vdim, bias=biased)
        # torch keeps a layer's weights as (columns out, columns in).
        weights = {"w_query": w_query.T, "w_key": w_key.T, "w_value": w_value.T, "w_output": module.out_proj.weight.T}
        if biased:
            weights |= dict(zip(("b_query", "b_key", "b_value"), module.in_proj_bias.chunk(3)))
            weights["b_output"] = module.out_proj.bias
        return _loaded(copy, weights, module.out_proj.weight)


class AttentionPooling(nn.Module):
    """One vector for a set of any size: the average of its items, weighted by how well each answers a learned query.

    Parameters
    ----------
    width : int
        d, the width of an item.
    hidden : int, optional
        With it, keys are tanh(x W + b) of this width; without, the items are their own keys.

    Examples
    --------
    >>> import torch
    >>> pool = AttentionPooling(3)
    >>> output, weights = pool(torch.ones(2, 5, 3))
    >>> tuple(output.shape), weights.shape == (2, 5), bool((weights == 1 / 5).all())
    ((2, 3), True, True)

    References
    ----------
    Yang et al. (2016), "Hierarchical Attention Networks for Document Classification", section 2.2.
    Chapter: document_classifier.
    """

    def __init__(self, width: int, hidden: int | None = None):
        super().__init__()
        keys = _count_or(checks.count(width, "width"), hidden, "hidden")
        self.query = xavier(1, keys)
        self.w_key, self.b_key = (None, None) if hidden is None else (xavier(width, keys), _bias(keys, True))

    def forward(self, x, mask=None):
        """Items x (..., m, d) and mask (..., m), True = counts; gives output (..., d) and weights (..., m)."""
        checks.width("x", x, self.query.shape[1] if self.w_key is None else self.w_key.shape[0])
        key = x if self.w_key is None else torch.tanh(x @ self.w_key + self.b_key)
        if mask is not None:
            checks.mask(mask, x.shape[:-1], x)
            if not mask.ndim:
                raise ValueError(f"mask must have an axis of {x.shape[-2]} items, got shape ()")
            mask = mask[..., None, :]
        output, weights = attention(self.query, key, x, mask=mask, scale=1.0)      # (..., 1, d), (..., 1, m)
        return output[..., 0, :], weights[..., 0, :]

    def extra_repr(self):
        """What torch prints for this module."""
        return f"hidden={self.query.shape[1]}" if self.w_key is not None else f"width={self.query.shape[1]}"


class TransformerBlock(nn.Module):
    """Attention between items, then an MLP on each, both added to what came in (the residual connections).

    Parameters
    ----------
    width : int
        d
    num_heads : int
        h, a divisor of d.
    hidden : int, optional
        The hidden units of the MLP; 4 d if not given.
    norm : "post" or "pre"
        Layer normalisation of each sum (the original), or of what goes into each part.
    cross : bool
        With a second attention, from the items to a `memory`: a decoder's block.

    Raises
    ------
    ValueError
        `norm` is neither word, or h does not divide d.

    Examples
    --------
    >>> import torch
    >>> block = TransformerBlock(8, num_heads=2, norm="pre")
    >>> output, weights = block(torch.ones(5, 4, 8))
    >>> tuple(output.shape), tuple(weights.shape)
    ((5, 4, 8), (5, 2, 4, 4))

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", section 3.1; Xiong et al.
    (2020), "On Layer Normalization in the Transformer Architecture", on the place of the norm.
    Chapter: transformer.
    """

    def __init__(self, width: int, num_heads: int, *, hidden: int | None = None, norm: str = "post",
                 cross: bool = False):
        super().__init__()
        if norm not in ("post", "pre"):
            raise ValueError(f"norm must be 'post' or 'pre', got {norm!r}")
        self.norm = norm
        hidden = _count_or(4 * width, hidden, "hidden")
        self.self_attention, self.self_attention_norm = MultiHeadAttention(width, num_heads), nn.LayerNorm(width)
        if cross:
            self.cross_attention, self.cross_attention_norm = MultiHeadAttention(width, num_heads), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))
        self.mlp_norm = nn.LayerNorm(width)

    def forward(self, x, memory=None, *, mask=None, memory_mask=None):
        """Items x (..., n, d); gives output (..., n, d) and weights (..., h, n, n).

        A block with `cross` needs a `memory` (..., m, d), and its weights are a
        pair: those over the items and those over the memory (..., h, n, m).
        """
        cross = hasattr(self, "cross_attention")
        if cross != (memory is not None):
            raise ValueError("a memory goes with a block made with cross=True, "
                             f"got cross={cross} and memory {'missing' if cross else 'given'}")
        x, weights = self._add(x, self.self_attention_norm, lambda x: self.self_attention(x, mask=mask))
        if cross:
            x, to_memory = self._add(x, self.cross_attention_norm,
                                     lambda x: self.cross_attention(x, memory, mask=memory_mask))
            weights = (weights, to_memory)
        x, _ = self._add(x, self.mlp_norm, lambda x: (self.mlp(x), None))
        return x, weights

    def _add(self, x, norm, part):
        """x plus what a part makes of it, with the normalisation where it belongs."""
        added, weights = part(norm(x) if self.norm == "pre" else x)
        return (x + added if self.norm == "pre" else norm(x + added)), weights

    def extra_repr(self):
        """What torch prints for this module."""
        return f"norm={self.norm!r}"

    @classmethod
    def from_torch(cls, layer):
        """One with the weights of a torch.nn.TransformerEncoderLayer or TransformerDecoderLayer.

        Called batch first and with masks turned round it gives the layer's numbers, without dropout.
        """
        cross = isinstance(layer, nn.TransformerDecoderLayer)
        if not cross and not isinstance(layer, nn.TransformerEncoderLayer):
            raise TypeError("layer must be a torch.nn.TransformerEncoderLayer or TransformerDecoderLayer, "
                            f"got {type(layer).__name__}")
        activations = {nn.functional.relu: nn.ReLU(), nn.functional.gelu: nn.GELU()}
        activation = activations.get(layer.activation, layer.activation)
        if not isinstance(activation, nn.Module):
            raise ValueError(f"the layer's activation must be relu, gelu or a module, got {activation}")
        block = cls(layer.linear1.in_features, layer.self_attn.num_heads, norm="pre" if layer.norm_first else "post")
        block.self_attention = MultiHeadAttention.from_torch(layer.self_attn)
        block.self_attention_norm = deepcopy(layer.norm1)
        if cross:
            block.cross_attention = MultiHeadAttention.from_torch(layer.multihead_attn)
            block.cross_attention_norm = deepcopy(layer.norm2)
        block.mlp = nn.Sequential(*deepcopy([layer.linear1, activation, layer.linear2]))
        block.mlp_norm = deepcopy(layer.norm3 if cross else layer.norm2)
        return block


def _loaded(module, weights, like):
    """A module with these weights copied in, in the dtype and on the device of `like`."""
    module = module.to(like)
    module.load_state_dict({name: weight.detach() for name, weight in weights.items()})
    return module
