"""Texts to ask a chat model about: pairs for lists of examples, facts, two names in a sentence, questions, prose."""

import json
from pathlib import Path

_TEXTS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

# Pairs for lists of examples: the first 24 make three draws of eight, the others are asked.
PAIRS = {name: list(pairs.items()) for name, pairs in _TEXTS["pairs"].items()}

# The subject, what is said of it, and the answer's beginning.
FACTS = _TEXTS["facts"]

# Two names; who gives is one of them, and the other is to come.
NAMES = "Mary John Tom Anna Paul Lisa Mark Sarah Peter Jane James Kate Alice David Emma Jack".split()
GIVING = _TEXTS["giving"]

# A question, and what a right answer holds.
QUESTIONS = _TEXTS["questions"]
LETTERS = "strawberry banana piano window butterfly chair mountain guitar apple elephant river kitchen".split()
NUMBERS = [2, 7, 9, 13, 15, 21, 23, 27, 29, 31, 33, 39]      # six of them are prime

# Questions with an answer of one word, to learn from and to be asked.
LEARN, ASK = ([(question, answer) for question, answer in _TEXTS[part]] for part in ("learn", "ask"))

# Sixteen texts about nothing in particular, with at least forty pieces each.
PARAGRAPHS = _TEXTS["paragraphs"]

# To teach a model to say that it does not know: questions about what there is, with answers, and about what we
# invented. Those that are "new" are never learned from; "plain" names are invented, too, "odd" ones are real, "beside"
# is no question about a name. A name that we invented may belong to somebody all the same.
KNOWN = _TEXTS["known"]
