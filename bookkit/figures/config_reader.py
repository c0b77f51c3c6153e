"""The config of a language model, to be changed: how many numbers it has then, and how many bytes."""

import traitlets

from attnkit import checks
from bookkit.figures.base import Figure, different, few, index, still_table
from bookkit.pictures.formats import fixed, in_bytes

KEYS = {"num_hidden_layers": 200, "hidden_size": 30_000, "num_attention_heads": 256, "num_key_value_heads": 256,
        "head_dim": 1024, "intermediate_size": 200_000, "num_experts": 1024, "num_experts_per_tok": 64,
        "vocab_size": 1_000_000, "tie_word_embeddings": 1, "max_position_embeddings": 20_000_000}      # at most
PARTS = ("tables", "attention", "MLPs", "norms")
BYTES = 2                    # of a number of the cache


def counted(config):
    """How many numbers the parts of a model have, all and those that one piece uses: a dict of pairs.

    >>> from bookkit.lessons.costs import MODELS
    >>> found = counted(MODELS["SmolLM2-135M"].config)
    >>> sum(every for every, _ in found.values()), found["MLPs"][0]
    (134515008, 79626240)
    """
    layers, width, heads, groups, depth, hidden, experts, used, words, tied, _ = (config[key] for key in KEYS)
    mlp, router = 3 * width * hidden, width * experts * (experts > 1)
    return {"tables": ((2 - tied) * words * width,) * 2,
            "attention": (layers * 2 * width * depth * (heads + groups),) * 2,
            "MLPs": tuple(layers * (router + count * mlp) for count in (experts, used)),
            "norms": (layers * 2 * width + width,) * 2}


def in_cache(config):
    """How many bytes of keys and values a piece leaves in the cache."""
    return 2 * BYTES * config["num_hidden_layers"] * config["num_key_value_heads"] * config["head_dim"]


class ConfigReader(Figure):
    """Change the config of a model, or take that of another; see it drawn, its numbers and bytes counted.

    `models` are configs by name, each a dict with KEYS; `chosen` is the number of the one that is changed first.
    `config` holds its values, in the order of KEYS.
    """

    kind = "config_reader"
    labels = traitlets.List(list(KEYS)).tag(sync=True)
    largest = traitlets.List(list(KEYS.values())).tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    models = traitlets.List().tag(sync=True)
    config = traitlets.List().tag(sync=True, reset=True)

    def __init__(self, models, *, chosen=0, caption=""):
        names = different(few(list(models), "models", 1, 16), "models")
        listed = [[models[name][key] for key in KEYS] for name in names]
        super().__init__(names=names, models=[self._right(config) for config in listed],
                         config=listed[index(chosen, "chosen", len(names), "models")], caption=caption)

    @traitlets.validate("config")
    def _check_config(self, proposal):
        return self._right(proposal["value"])

    @staticmethod
    def _right(config):
        """A config, if its numbers are such that a model can be made of them."""
        if len(config) != len(KEYS):
            raise ValueError(f"config must hold {len(KEYS)} numbers, got {len(config)}")
        for (key, largest), value in zip(KEYS.items(), config):
            if checks.count(value, key, least=int(key != "tie_word_embeddings")) > largest:
                raise ValueError(f"{key} must be at most {largest:,}, got {value:,}")
        told = dict(zip(KEYS, config))
        if told["num_attention_heads"] % told["num_key_value_heads"]:
            raise ValueError("num_key_value_heads must divide num_attention_heads, got "
                             f"{told['num_key_value_heads']} and {told['num_attention_heads']}")
        if told["num_experts_per_tok"] > told["num_experts"]:
            raise ValueError("num_experts_per_tok must be at most num_experts")
        return list(config)

    @property
    def told(self):
        """The config as a dict."""
        return dict(zip(KEYS, self.config))

    def still(self):
        """The config, and what it comes to."""
        found = counted(self.told)
        total = sum(every for every, _ in found.values())
        rows = [[key, f"{value:,}"] for key, value in self.told.items()]
        counts = [[part, f"{found[part][0]:,}", fixed(found[part][0] / total)] for part in PARTS]
        piece = in_cache(self.told)
        said = (f"<p>{total:,} numbers, {in_bytes(2 * total)} at sixteen bits. A piece leaves {in_bytes(piece)} in the "
                f"cache, a full context {in_bytes(piece * self.told['max_position_embeddings'])}.</p>")
        return still_table(["config", "value"], rows) + still_table(["part", "numbers", "share"], counts) + said
