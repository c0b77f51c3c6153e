"""The figure of a config that is changed: its counts beside Python, what it refuses, typing and arrow keys."""

import numpy as np
import pytest
from conftest import node
from hand import alone, either_width, fits, press, says

from bookkit.figures import ConfigReader
from bookkit.figures.config_reader import KEYS, counted, in_cache
from bookkit.lessons import chat_model
from bookkit.lessons.costs import MODELS

OURS, EXPERTS = MODELS["SmolLM2-135M"].config, MODELS["gpt-oss-120b"].config


def example():
    return ConfigReader({"ours": OURS, "experts": EXPERTS}, caption="Cap.")


def shown(widget):
    return [f"{value:,}" for value in widget.config] + [f"{sum(every for every, _ in counted(widget.told).values()):,}"]


BAD = [
    (lambda: ConfigReader({}), ValueError, "models must be 1 to 16, got 0"),
    (lambda: ConfigReader({"a": OURS | {"num_key_value_heads": 2}}), ValueError, "num_key_value_heads must divide num_attention_heads, got 2 and 9"),
    (lambda: ConfigReader({"a": OURS | {"num_experts_per_tok": 2}}), ValueError, "num_experts_per_tok must be at most num_experts"),
    (lambda: ConfigReader({"a": OURS | {"num_hidden_layers": 0}}), ValueError, "num_hidden_layers must be at least 1, got 0"),
    (lambda: ConfigReader({"a": OURS | {"head_dim": 5000}}), ValueError, "head_dim must be at most 1,024, got 5,000"),
]
REFUSED = [("config", [1, 2, 3], ValueError)]
CHANGED = ("config", list(EXPERTS.values()))


def test_it_is_the_chat_model_s_own_config():
    told = chat_model.config()
    assert {key: int(told[key]) for key in KEYS if key in told} == {key: value for key, value in OURS.items() if key in told}


def test_counts_are_python_s():
    rng, cases, wanted = np.random.default_rng(3), [], []
    for _ in range(100):
        groups, experts = int(rng.integers(1, 9)), int(rng.integers(1, 20))
        config = dict(zip(KEYS, [int(rng.integers(1, 90)), int(rng.integers(1, 9000)), groups * int(rng.integers(1, 9)), groups,
                                 int(rng.integers(1, 200)), int(rng.integers(1, 20_000)), experts, int(rng.integers(1, experts + 1)),
                                 int(rng.integers(1, 200_000)), int(rng.integers(2)), int(rng.integers(1, 100_000))]))
        cases.append({"config": list(config.values())})
        every, used = zip(*counted(config).values())
        wanted.append({"numbers": list(every), "total": sum(every), "active": sum(used), "piece": in_cache(config),
                       "full": in_cache(config) * config["max_position_embeddings"]})
    assert node("run_figures.js", {"figure": "config_reader", "cases": cases}) == wanted


@pytest.mark.browser
@either_width
def test_a_config_is_typed_into(window, tmp_path, width):
    with window(width=width) as w:
        found = alone(w, tmp_path, example())
        assert says(w, found).startswith("134,515,008 numbers: 269 MB at 16 bits, 67 MB at 4. A piece leaves 23 kB in the cache")
        sets = found.get_by_label("num_key_value_heads")
        sets.fill("9")
        sets.press("Enter")
        assert "A piece leaves 69 kB in the cache" in says(w, found)
        sets.fill("2")
        sets.press("Enter")
        assert says(w, found) == "2 sets of keys and values cannot be shared evenly by 9 heads." and sets.input_value() == "9"
        found.get_by_label("num_hidden_layers").press("ArrowUp")
        assert found.get_by_label("num_hidden_layers").input_value() == "31"
        found.get_by_label("tie_word_embeddings").uncheck()
        found.get_by_label("model").select_option("experts")
        assert "of which a piece uses" in says(w, found) and found.locator(".ak-experts > span").count() == 64
        press(found, "Reset")
        assert says(w, found).startswith("134,515,008 numbers:") and fits(w) and not w.errors
