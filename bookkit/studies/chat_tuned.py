"""The chat model tuned to answer in one word, in many layers or few; and asked by prompt what a message is about."""

import numpy as np

from bookkit.lessons import minilm
from bookkit.lessons.chat_texts import ASK, LEARN
from bookkit.lessons.chat_tuned import answers, asked, judged, learns, ordinary, tune
from bookkit.lessons.few_sentences import REQUESTS, taught
from bookkit.studies.chat_model import known, prose

SEEDS = (9000, 9001, 9002)
# The first layer that is changed, counted from 0, the last being the thirtieth; and steps.
TUNED = ((12, 24), (24, 24), (24, 72))
BESIDE = ("Write a haiku.", "Why is the sky blue?", "Tell me a story about a cat.")      # no word is an answer to these
KINDS = ("weather", "food", "travel", "health", "money", "repair")
MESSAGES = 100


def examined(model):
    """What it answers to the questions held out and to others, and what prose costs it."""
    pairs = ASK
    said = answers(model, pairs)
    return judged(pairs, said) | {"said": said, "ordinary": round(ordinary(model, prose(model)), 3),
                                  "beside": answers(model, [(question, "") for question in BESIDE], most=40)}


def untuned():
    """The model as it is."""
    return {"kind": "untuned", "learned from": len(LEARN), "asked": len(ASK),
            **examined(known()[0])}


def tuned(first, steps, seed):
    """The model tuned in the layers from one on."""
    model, losses = tune(known()[0], LEARN, first=first, steps=steps, seed=seed)
    return {"kind": "tuned", "first": first, "steps": steps, "seed": seed, "learns": learns(first),
            "losses": [round(loss, 3) for loss in losses], **examined(model)}


def messages(seed):
    """A hundred messages of six kinds, none of them one of the two of each that stand in the prompt: texts, kinds."""
    others = [(text, kind) for kind in KINDS for text in REQUESTS[kind][2:]]
    rng = np.random.default_rng(seed)
    return [others[k] for k in rng.permutation(len(others))[:MESSAGES]]


def prompted(labels, seed):
    """Sort messages by prompt: the share of right answers.

    The examples stand in the prompt in an order of their own, a line for each, and of the labels the one is the answer
    whose first piece is the likeliest. The `labels` are the "names" of the kinds, or "letters" from A to F instead, or
    "names alone": no example stands in the prompt.
    """
    model, rng, new = known()[0], np.random.default_rng([seed, 1]), messages(SEEDS[0])
    examples = [(text, kind) for kind in KINDS for text in REQUESTS[kind][:2]] if labels != "names alone" else []
    said = dict(zip(KINDS, "ABCDEF" if labels == "letters" else KINDS))
    firsts = [model.numbers(f" {said[kind]}")[0] for kind in KINDS]
    lines, kept = "".join(f"{examples[k][0]} -> {said[examples[k][1]]}\n" for k in rng.permutation(len(examples))), {}
    if lines:
        model.go_on(model.numbers(lines), kept)
    found = [KINDS[int(np.argmax(model.go_on(model.numbers(f"{text} ->"), dict(kept))[firsts]))] for text, _ in new]
    return {"kind": "prompted", "labels": labels, "seed": seed, "messages": len(new), "right": share(found, new),
            "found": {kind: found.count(kind) for kind in KINDS}}


def without_examples():
    """The same hundred asked in a chat, without examples, and sorted by the matrix that two examples of each taught."""
    model, reader, new = known()[0], minilm.loaded(), messages(SEEDS[0])
    told = f"Is this message about {', '.join(KINDS[:-1])} or {KINDS[-1]}? Answer in one word."
    said = [model.text(model.write(asked(model, f"{told}\n\n{text}"), 8)).lower() for text, _ in new]
    held = [[kind for kind in KINDS if kind in one] for one in said]
    vectors = np.array([reader.vector(text) for kind in KINDS for text in REQUESTS[kind][:2]])
    M = taught(vectors, np.repeat(range(len(KINDS)), 2), len(KINDS))
    by_matrix = [KINDS[int((reader.vector(text) @ M).argmax())] for text, _ in new]
    by_name = [one[0] if len(one) == 1 else "" for one in held]
    return {"kind": "asked", "messages": len(new), "right": share(by_name, new),
            "names one": sum(len(one) == 1 for one in held) / len(new), "said": said[:12],
            "matrix": share(by_matrix, new)}


def share(found, new):
    """The share of right answers."""
    return round(float(np.mean([one == kind for one, (_, kind) in zip(found, new, strict=True)])), 4)


STAGES = [lambda _: [(untuned,), *((tuned, first, steps, seed) for first, steps in TUNED for seed in SEEDS),
                     (without_examples,),
                     (prompted, "names alone", SEEDS[0]),
                     *((prompted, labels, seed) for labels in ("names", "letters") for seed in SEEDS)]]
