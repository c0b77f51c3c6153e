"""What the chat model says on its pages before a reader loads it, with the likeliest pieces and some weights."""

import numpy as np

from bookkit.figures.chat import record
from bookkit.figures.cut_heads import measure
from bookkit.lessons import chat_model, chat_tuned
from bookkit.lessons.measured import results

LOOKER = (16, 0)             # looks one piece back
HEADS = [(18, 6), LOOKER, (23, 3), (23, 4)]
QUESTIONS = ["What is the capital of France?", "How many letters are in the word mountain?",
             "Who was Ottoline Brackwater?"]
LINE = " river cheap window seven monkey polite carbon ticket under silver march banana"
TWO = "When Mary and John went to the shop, John gave a drink to"
TUNED = ["Who was Rufus Pendlebane?", "What is the capital of Germany?", "Tell me a joke."]


def shown(model):
    """The answers of one model, a run."""
    whole = chat_model.loaded()
    if model == "a chat":
        answers = [record(whole, question, HEADS, 40) for question in QUESTIONS]
    else:
        one = chat_tuned.taught(whole) if model == "taught" else whole
        answers = [record(one, question, most=24, asked=chat_tuned.asked(one, question)) for question in TUNED]
    return {"model": model, "answers": answers}


def cut():
    """Two texts without some heads, the kinds of which the study of the chat model has found."""
    model, runs = chat_model.loaded(), results("chat_model")["runs"]
    copy = np.array(next(run for run in runs if run["kind"] == "roles")["copy"])
    found = next(run for run in runs if run["kind"] == "seen before" and run["length"] == 25)["found"]
    others = sorted((name for name in found if name.startswith("ten others")),
                    key=lambda name: found[name]["second"]["mean"])
    best = np.argsort(-copy, axis=None, kind="stable")[:10].tolist()
    heads = {"one back": [LOOKER], "the best copier": [divmod(best[0], copy.shape[1])],
             "the ten best copiers": [divmod(k, copy.shape[1]) for k in best],
             "ten at random": [(int(words[4]) - 1, int(words[1]) - 1)
                               for words in map(str.split, found[others[2]]["without"])]}
    count = len(model.numbers(LINE))
    texts = [measure(model, "a line, twice", 2 * LINE, heads.values(),
                     parts={"first time": (1, count), "second time": (count + 1, 2 * count)}),
             measure(model, "Mary and John", TWO, heads.values(), names=[" Mary", " John"])]
    return {"cuts": heads, "texts": texts}


STAGES = [lambda _: [*((shown, model) for model in ("a chat", "as it was", "taught")), (cut,)]]
