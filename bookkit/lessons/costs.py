"""What attention costs, on paper: operations, weights to be held, keys and values to be kept.

An operation is a multiplication with the addition that goes with it. Who counts the two apart (FLOPs) has twice as
many.
"""

from typing import NamedTuple


class LayerOperations(NamedTuple):
    """The operations of one layer, by what they are for; their sum is the whole."""

    projections: int
    scores: int
    blend: int
    mlp: int = 0


def layer_operations(n, d, *, hidden=0):
    """How many operations a layer takes to read n items of width d.

    Four matrices of d x d numbers meet every item: 4 n d². Every pair of items has a score, and a share in the blend:
    n² d each, over all heads together, so that the number of heads does not count. Only the last two grow with n².
    `hidden` is the units of an MLP behind the attention (Vaswani et al. 2017, table 1).

    >>> layer_operations(10, 3)
    LayerOperations(projections=360, scores=300, blend=300, mlp=0)
    """
    return LayerOperations(4 * n * d * d, n * n * d, n * n * d, 2 * n * d * hidden)


def quadratic_share(n, d, *, hidden=0):
    """The share of a layer's operations that grows with n²: scores and blend; n / (n + 2 d) without an MLP.

    >>> [round(quadratic_share(n, 768), 2) for n in (128, 1536, 8192)]
    [0.08, 0.5, 0.84]
    """
    operations = layer_operations(n, d, hidden=hidden)
    return (operations.scores + operations.blend) / sum(operations)


def count_weights(n, *, heads=1, window=None, causal=False):
    """How many weights n items have for each other, those that a mask leaves, over all heads.

    A query sees `window` positions to either side, everywhere if not given, and if `causal` the past alone.

    >>> count_weights(100), count_weights(100, causal=True), count_weights(100, window=5)
    (10000, 5050, 1070)
    """
    far = n - 1 if window is None else min(window, n - 1)
    missing = far * (far + 1) // 2                        # at one end, where a window reaches beyond the text
    one_side = n * far - missing                          # pairs of different items
    return heads * (n + (1 if causal else 2) * one_side)


def cache_bytes(n, layers, kv_heads, head_width, bytes_each=2):
    """The bytes of the keys and values of n words, kept for whatever is written next (Pope et al. 2023).

    There is a key and a value for each layer and head of keys and values; a number has 2 bytes in the sixteen-bit
    formats that large models keep.

    >>> cache_bytes(1, layers=32, kv_heads=8, head_width=128)     # a word of Llama 3.1 8B
    131072
    """
    return n * layers * 2 * kv_heads * head_width * bytes_each


class ModelSize(NamedTuple):
    """The sizes of a model that has been published, as its report or its config gives them; None is not known, or said.

    `context` is the most words that it was made for; `latent` how many numbers a layer keeps of a word if keys and
    values are made of them when needed, or None; `hidden` the units of an MLP, or of one expert; `total` and `active`
    all numbers and those that a word uses, as they are told, in billions; `tokens` what it has read, in billions;
    `source` the key of its report in the bibliography.
    """

    year: int
    layers: int
    width: int
    heads: int
    kv_heads: int | None
    head_width: int
    hidden: int
    vocabulary: int
    tied: bool
    context: int | None
    total: float
    tokens: float | None
    source: str
    experts: int = 1
    used: int = 1
    active: float | None = None
    latent: int | None = None
    gated: bool = True

    def cache_bytes(self, n, bytes_each=2):
        """The bytes that it keeps of n words."""
        if self.latent is None:
            return cache_bytes(n, self.layers, self.kv_heads, self.head_width, bytes_each)
        return n * self.layers * self.latent * bytes_each

    @property
    def config(self):
        """Its sizes under the names of a config, if `ConfigReader` can count all its numbers, or None."""
        if self.latent or not self.gated or None in (self.context, self.kv_heads):
            return None
        return {"num_hidden_layers": self.layers, "hidden_size": self.width, "num_attention_heads": self.heads,
                "num_key_value_heads": self.kv_heads, "head_dim": self.head_width, "intermediate_size": self.hidden,
                "num_experts": self.experts, "num_experts_per_tok": self.used, "vocab_size": self.vocabulary,
                "tie_word_embeddings": int(self.tied), "max_position_embeddings": self.context}


MODELS = {
    # Half of it, the decoder, is counted here; a translator of sentences, it was made for no length of its own.
    "Transformer, big": ModelSize(2017, 6, 1024, 16, 16, 64, 4096, 37_000, True, None, 0.213, None, "vaswani2017",
                                  gated=False),
    "GPT-2 XL": ModelSize(2019, 48, 1600, 25, 25, 64, 6400, 50_257, True, 1024, 1.56, None, "radford2019", gated=False),
    # Every other layer of GPT-3 sees a band only (section 2.1); what could be dropped there is counted as kept.
    "GPT-3 175B": ModelSize(2020, 96, 12_288, 96, 96, 128, 49_152, 50_257, True, 2048, 175, 300, "brown2020",
                            gated=False),
    "Llama 7B": ModelSize(2023, 32, 4096, 32, 32, 128, 11_008, 32_000, False, 2048, 6.7, 1000, "touvron2023"),
    "DeepSeek-V2": ModelSize(2024, 60, 5120, 128, 128, 128, 1536, 102_400, False, 131_072, 236, 8100, "deepseek2024",
                             experts=160, used=6, active=21, latent=512 + 64),
    "Llama 3.1 8B": ModelSize(2024, 32, 4096, 32, 8, 128, 14_336, 128_256, False, 131_072, 8, 15_000, "llama2024"),
    "Llama 3.1 70B": ModelSize(2024, 80, 8192, 64, 8, 128, 28_672, 128_256, False, 131_072, 70, 15_000, "llama2024"),
    "Llama 3.1 405B": ModelSize(2024, 126, 16_384, 128, 8, 128, 53_248, 128_256, False, 131_072, 405, 15_600,
                                "llama2024"),
    "DeepSeek-V3": ModelSize(2024, 61, 7168, 128, 128, 128, 2048, 129_280, False, 131_072, 671, 14_800,
                             "deepseek2024v3", experts=256, used=8, active=37, latent=512 + 64),
    "SmolLM2-135M": ModelSize(2024, 30, 576, 9, 3, 64, 1536, 49_152, True, 8192, 0.135, 2000, "allal2025"),
    "Gemma 3 27B": ModelSize(2025, 62, 5376, 32, 16, 128, 21_504, 262_144, True, 131_072, 27, 14_000, "gemma2025"),
    "Qwen3-235B-A22B": ModelSize(2025, 94, 4096, 64, 4, 128, 1536, 151_936, False, 32_768, 235, 36_000, "qwen2025",
                                 experts=128, used=8, active=22),
    "gpt-oss-120b": ModelSize(2025, 36, 2880, 64, 8, 64, 2880, 201_088, False, 131_072, 117, None, "openai2025",
                              experts=128, used=4, active=5.1),
    "GLM-5": ModelSize(2026, 78, 6144, 64, 64, 256, 2048, 154_880, False, 202_752, 744, 28_500, "glm2026",
                       experts=256, used=8, active=40, latent=512 + 64),
    # Five of six layers look at the last 1,024 words only, with 16 sets of keys and values; the sixth has four, wider.
    "Gemma 4 31B": ModelSize(2026, 60, 5376, 32, None, 256, 21_504, 262_144, True, 262_144, 31, None, "gemma2026"),
}


class Measured(NamedTuple):
    """What others have measured of one way to compute attention: operations, bytes between the memories, time."""

    gflops: float
    gigabytes: float
    ms: float


# Forward and backward, 16 heads of width 64 on 64 texts of 1,024 words, on an A100 (Dao et al., 2022, figure 2 left).
FLASH = {"plain": Measured(66.6, 40.3, 41.7), "in blocks": Measured(75.2, 4.4, 7.3)}
# An A100: bytes a second, at most, of its slow and of its fast memory; bytes that each holds, of the slow at least
# (Dao et al., 2022, section 2.1); multiply-adds a second, at most, half as many as its operations (Dao, 2023, 3.1).
A100 = {"slow": 2.0e12, "fast": 19e12, "slow holds": 40e9, "fast holds": 108 * 192e3, "multiply-adds": 312e12 / 2}
