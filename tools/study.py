"""Train the chapters' models over ten seeds and write what came out into measured/, with the command and the machine.

    python -m tools.study [translation] [copying] [multi_head] [recall] [positions] [stories] [story_heads] [layers]
                            [reviews] [reach] [graphs] [linear_recall] [gates]

Seeds are fixed here, before anything was run with them; every run is written down, the bad ones too. Two models
train at a time, one core each. Recall, positions, reviews, reach, graphs, linear_recall and gates are contests, so
every model is tuned with the same number of trials first, on examples and seeds of their own, and the trials are
written down too.
"""

import copy
import inspect
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import torch

from attnkit import softmax
from attnkit.lessons import translation as translators
from attnkit.lessons.coreference import CoreferenceTask
from attnkit.lessons.corpora import copies, english_french
from attnkit.lessons.graphs import GraphModel, TownTask
from attnkit.lessons.layers import ChainModel, ChainTask
from attnkit.lessons.memory_capacity import FullTableTask
from attnkit.lessons.reach import LAYERS, FirstWordTask, gradient_reach
from attnkit.lessons.recall import RecallTask, recall_tables
from attnkit.lessons.review_weights import by_what_settles, compare, examine, train_apart
from attnkit.lessons.reviews import POOLINGS, ReviewTask
from attnkit.lessons.semantic_roles import GiftTask
from attnkit.lessons.stories import PLACES, other_movers, other_receivers
from attnkit.lessons.storyteller import CHAPTER_SEED, StoryTask, Storyteller
from attnkit.lessons.training import new_model
from attnkit.lessons.visual_attention import GATES, NORMALISATIONS, GatedPictures, PatchReader, PictureTask
from attnkit.lessons.word_order import SCHEMES, SETTINGS, OrderTask
from tools.bench import machine

ROOT = Path(__file__).resolve().parent.parent
SEEDS = range(4000, 4010)
FRESH = range(5000, 5010)     # for what was settled after a look at the seeds above
GIFTS = range(7020, 7030)      # the rate was chosen with 7000 to 7009 and twelve others
RECALL = range(6000, 6010)
RECALL_LONG = RECALL[:3]      # a minute each
RECALL_VALIDATION = [6100, 6]     # a list: no training, whose seed is one number, draws the same
RECALL_TRIALS = {800: range(6100, 6112), 4000: range(6200, 6206)}    # by the number of steps: one seed for each trial
RECALL_SIZES = {     # what is tuned beside the learning rate; a network of items runs once for each, so its are smaller
    "width": dict.fromkeys(RecallTask.MODELS, (8, 16, 32)),
    "key_width": dict.fromkeys(("attention", "without softmax"), (4, 8, 16)),
    "hidden": dict.fromkeys(("mean", "concatenation"), (64, 128, 256))
    | dict.fromkeys(("per-item network", "relation network"), (32, 64, 128)),
}
RECALL_SMALL = dict.fromkeys(("per-item network", "relation network"), {"width": 8, "hidden": 16})    # 800 parameters
ORDER = range(7000, 7010)
ORDER_TRIALS = range(7100, 7106)     # one seed for each trial
ORDER_RATES = (3e-3, 1e-2, 3e-2)
ORDER_SETTINGS = {     # two of each; schemes that leave nothing open try each rate twice
    "sinusoidal": (1.0, 0.3), "learned": (1.0, 0.3), "relative bias": (0.0, 0.3), "ALiBi": (1.0, 0.25),
    "rotary": (10_000.0, 100.0),
}
STORIES = range(8100, 8105)
STORY_TRIAL = 8000     # the seed of the stories, and of the training with each rate
STORY_RATES = (5e-3, 1e-2, 2e-2)
TELLERS = {     # what the table calls it, with the options of the model and how many seeds it gets
    "full": ({}, 5), "uniform attention": ({"attention": "uniform"}, 3), "one layer": ({"num_layers": 1}, 3),
    "one head": ({"num_heads": 1}, 3),
}
CHAIN = range(8010, 8020)      # rates, steps and heads were chosen with others: 0 to 41, 8000 to 8006, 8200 to 8203
PARTS = {     # what the table calls it, with the options of the layers
    "everything": {}, "norm after": {"norm": "post"}, "no residual": {"residual": False}, "no norm": {"norm": None},
    "neither": {"residual": False, "norm": None}, "four heads": {"num_heads": 4}, "an MLP": {"mlp": True},
    "an MLP, no norm": {"mlp": True, "norm": None},
}
REVIEWS = range(9000, 9020, 2)     # of a training; the next number is that of its reviews
REVIEW_TRIALS = range(9100, 9106, 2)     # of every setting: a large rate may fail with some seeds only
REVIEW_SETTINGS = [(lr, std) for lr in (3e-3, 1e-2, 3e-2) for std in (0.03, 0.1)]
REVIEW_STRENGTHS = (0.1, 0.3, 1.0)     # how strongly weights are pushed apart
REVIEW_KINDS = {"both": (300, 1000, 3000), "decisive": (300, 1000), "majority": (300,), "not": (1000,)}
FULL_TABLE = range(6300, 6305)
FULL_TABLE_TRIALS = range(6400, 6402)     # of every rate
FULL_TABLE_VALIDATION = [6400, 12]
FULL_TABLE_RATES, FULL_TABLE_WIDTHS = (3e-3, 1e-2, 3e-2), (4, 8, 12, 16)     # the widths of a key
LAMPS = range(9400, 9405)      # 9200 to 9204 showed that channel gates must begin with larger weights
LAMP_TRIALS = range(9500, 9503)     # one for each rate
LAMP_RATES = {GatedPictures: (1e-2, 2e-2, 3e-2), PatchReader: (1e-3, 3e-3, 1e-2)}
LAMP_MODELS = {     # what the table calls it, with the class and its options
    **{gate: (GatedPictures, {"gate": gate}) for gate in GATES},
    "twice the filters": (GatedPictures, {"gate": "none", "filters": 16}),
    "a second convolution": (GatedPictures, {"gate": "none", "mixing": 12}),
    "an MLP": (GatedPictures, {"gate": "none", "mlp": 32}),
    "a vision Transformer": (PatchReader, {}),
    **{f"{gate}, {normalise}": (GatedPictures, {"gate": gate, "normalise": normalise})
       for gate in ("channel", "spatial") for normalise in NORMALISATIONS[1:]},
}
LAMP_KINDS = {     # which models are asked about which pictures
    "place": LAMP_MODELS, "channel": LAMP_MODELS, "both": GATES,
    "several": ["spatial", *(f"spatial, {normalise}" for normalise in NORMALISATIONS[1:])],
}
TRANSLATORS = {     # what the table calls it: the class and its options
    "additive": ("Translator", {}),
    "scaled dot": ("Translator", {"score": "scaled_dot"}),
    "dot": ("Translator", {"score": "dot"}),
    "general": ("Translator", {"score": "general"}),
    "general, scaled": ("Translator", {"score": "general", "scale": 54**-0.5}),
    "distance": ("Translator", {"score": "distance"}),
    "distance, scaled": ("Translator", {"score": "distance", "scale": 54**-0.5}),
    "cosine": ("Translator", {"score": "cosine"}),
    "cosine times 10": ("Translator", {"score": "cosine", "scale": 10.0}),
    "dot, longer": ("Translator", {"score": "dot", "steps": 1800}),
    "general, longer": ("Translator", {"score": "general", "steps": 1800}),
    "cosine, longer": ("Translator", {"score": "cosine", "steps": 1800}),
    "states only": ("StatesOnlyTranslator", {}),
    "Bahdanau": ("BahdanauTranslator", {}),
    "one direction": ("ForwardTranslator", {}),
    "fixed vector": ("FixedVectorTranslator", {}),
    "state alone": ("StateBasedTranslator", {}),
    "position alone": ("PositionBasedTranslator", {}),
}
COPYING = range(9000, 9005)
COPIERS = {"attention": "Translator", "one vector": "FixedVectorTranslator"}

REACH = range(9300, 9310)      # of a training, the first five of them; all ten of layers that are not trained
REACH_TRIALS = range(9400, 9402)     # of every rate; lengths, steps and width were chosen with seed 0
REACH_RATES = (3e-3, 1e-2, 3e-2, 1e-1)
REACH_LENGTHS = (5, 10, 20, 40, 80, 160)
REACH_SCALES = (1.0, 0.3, 0.1)     # of the items that layers are given before any training
REACH_RECURRENCES = [     # settings for recurrences alone: what a table calls it, lengths, steps, scale of word vectors
    ("tuned, longer", (20,), 1500, 1.0), ("tuned, small vectors", (20, 40), 300, 0.1),
]
TOWNS = range(9500, 9510)
TOWN_TRIALS = range(9600, 9602)     # of every rate
TOWN_RATES = (3e-3, 1e-2, 3e-2)


def translator(name, seed):
    """One model trained and examined."""
    torch.set_num_threads(1)
    lessons = translators.TranslationTask(*english_french())
    model_class, options = TRANSLATORS[name]
    early = {}

    def watch(step, model):
        if step == 25:
            early.update(sharpness(lessons, model))

    model = lessons.train(seed, getattr(translators, model_class), callback=watch, **options)
    result, first = lessons.evaluate(model), lessons.held_out[0]
    [weights] = lessons.weights(model, [first])
    lengths = {}
    for pair in lessons.held_out:
        lengths.setdefault(len(pair.english), []).append(pair)
    return {"model": name, "seed": seed, "exact": round(result.exact, 4),
            "aer": round(result.aer, 4), "strict": round(result.strict, 4),
            "says": " ".join(lessons.translate(model, first.english)[0]),
            "matrix": [[round(float(w), 3) for w in row] for row in weights],
            "by length": {n: round(lessons.evaluate(model, pairs).exact, 3) for n, pairs in sorted(lengths.items())},
            "de": unseen_cause(lessons, model), "after 25 steps": early, "in the end": sharpness(lessons, model)}


def sharpness(lessons, model):
    """The mean largest weight of a French word, in a hundred sentences, and the alignment error rate there."""
    pairs = lessons.held_out[:100]
    weights = lessons.weights(model, pairs)
    largest = np.mean([row.max().item() for rows in weights for row in rows])
    wrong = translators.alignment_error_rate(weights, [pair.alignment for pair in pairs])
    return {"largest weight": round(float(largest), 4), "aer": round(wrong, 4)}


@torch.no_grad()
def unseen_cause(lessons, model):
    """In held-out sentences "un" and "une" become "de" after a negation: is it said, and does the model look there?"""
    pairs = [pair for pair in lessons.held_out if {"de", "d'"} & set(pair.french)]
    source, target = lessons.encode(pairs)
    scores, weights = model(source, target[:, :-1], source > 0)
    right, looks = [], []
    for i, (english, french, _) in enumerate(pairs):
        place = next(t for t, word in enumerate(french) if word in ("de", "d'"))
        right.append(bool(scores[i, place].argmax() == target[i, place + 1]))
        cause = [j for j, word in enumerate(english) if word in ("do", "does", "not", "never")]
        looks.append(weights[i, place, cause].sum().item())
    return {"number": len(pairs), "right": round(float(np.mean(right)), 4), "weight": round(float(np.mean(looks)), 4)}


def copier(name, steps, seed):
    """One model trained to copy words at random, and examined with sentences of each length."""
    torch.set_num_threads(1)
    held_out = {n: copies(400, [n], seed=100 * seed + n) for n in (2, 4, 6, 8, 10, 12)}
    lessons = translators.TranslationTask(copies(8000, range(2, 13), seed=seed), sum(held_out.values(), []))
    model = lessons.train(seed, getattr(translators, COPIERS[name]), steps=steps)
    return {"model": name, "steps": steps, "seed": seed,
            "parameters": sum(p.numel() for p in model.parameters()),
            "by length": {n: round(lessons.evaluate(model, pairs).exact, 4) for n, pairs in held_out.items()}}


def giver_and_receiver(heads, positions, reader, seed):
    """One attention layer trained to name both, and examined: as it is, and with each head taken out."""
    torch.set_num_threads(1)
    lessons = GiftTask()
    start = time.process_time()
    model = lessons.train(seed, num_heads=heads, positions=positions, reader=reader)
    seconds = time.process_time() - start
    weights = lessons.weights(model, lessons.held_out)[:, :, [0, 4]]
    rows = model.attention.w_output.shape[0] // heads           # those of W^O that belong to a head
    without = []
    for head in range(heads if heads > 1 else 0):
        cut = copy.deepcopy(model)
        with torch.no_grad():
            cut.attention.w_output[head * rows:(head + 1) * rows] = 0
        without.append([round(share, 4) for share in lessons.evaluate(cut)])
    return {"task": "who gave", "heads": heads, "positions": positions, "reader": reader, "seed": seed,
            "seconds": round(seconds, 1), "parameters": sum(p.numel() for p in model.parameters()),
            **{name: round(share, 4) for name, share in lessons.evaluate(model)._asdict().items()},
            "in training": round(lessons.evaluate(model, lessons.training).both, 4),
            "weights on the names": weights.mean(0).numpy().round(3).tolist(),
            "their spread": weights.std(0).numpy().round(3).tolist(), "without a head": without}


def what_it_is(layers, seed, rate=5e-3, heads=1):
    """One or two layers trained to name the noun that "it" stands for, and examined."""
    torch.set_num_threads(1)
    lessons = CoreferenceTask()
    start = time.perf_counter()
    model = lessons.train(seed, num_layers=layers, num_heads=heads, lr=rate)
    seconds = time.perf_counter() - start
    accuracy, right, other = lessons.evaluate(model)
    # The first held-out sentence ends in "tired"; the same with "wide". How far "it" leans to the animal with the query
    # of one (rows) and the keys of one (columns), the mean of the heads; and each head's weights on animal and road.
    first = lessons.held_out[0]
    both = lessons.encode([first._replace(words=(*first.words[:-1], ending)) for ending in ("tired", "wide")])[0]
    with torch.no_grad():
        query, key = map(model.split, model.roles(both)[:2])
        nouns = model.head_weights(both)[:, :, [1, 6]]
        held_out, _, right_place, other_place = lessons.encode(lessons.held_out)
        weights, rows = model(held_out)[1], torch.arange(len(held_out))
        prefers = (weights[rows, right_place] > weights[rows, other_place]).double().mean().item()
    leans = [[np.subtract(*softmax((q @ k.mT).numpy() / np.sqrt(q.shape[-1]))[:, 0].mean(0)[[1, 6]]) for k in key]
             for q in query]
    return {"task": "what it is", "layers": layers, "heads": heads, "rate": rate, "seed": seed,
            "parameters": sum(p.numel() for p in model.parameters()), "seconds": round(seconds, 1),
            "accuracy": round(accuracy, 4), "right noun": round(right, 3), "other noun": round(other, 3),
            "right noun before other": round(prefers, 4), "leans": np.round(leans, 3).tolist(),
            "heads on animal and road": nouns.numpy().round(3).tolist()}


def recaller(lessons, stage, setting, name, seed, steps, lr, sizes):
    """One model trained to say who ordered what, and what is to be written down of it."""
    torch.set_num_threads(1)
    start = time.process_time()                    # of this process alone: other work on the machine does not count
    model = lessons.train(seed, name, steps=steps, lr=lr, **sizes)
    seconds = time.process_time() - start
    return model, {"stage": stage, "setting": setting, "model": name, "seed": seed, "steps": steps, "lr": lr, **sizes,
                   "parameters": sum(p.numel() for p in model.parameters()), "seconds": round(seconds, 1)}


def recall_trial(*job):
    """One setting judged by tables of six guests that nothing else is asked."""
    lessons = RecallTask()
    model, run = recaller(lessons, "tuning", *job)
    *table, answers = tables = recall_tables(2000, seed=RECALL_VALIDATION)
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(model(*table), answers).item()
    return run | {"validation": round(lessons.evaluate(model, tables=tables), 4), "validation loss": round(loss, 5)}


def recall_final(*job):
    """One model examined with 3, 6 and 12 guests, on tables that are not those of the chapter."""
    lessons = RecallTask(seed=RECALL[0])
    model, run = recaller(lessons, "final", *job)
    # Laid end to end are as many as in training, no more and no fewer.
    takes = [lessons.TRAINED_WITH] if run["model"] == "concatenation" else list(lessons.held_out)
    run["accuracy"] = {n: round(lessons.evaluate(model, n), 4) if n in takes else None for n in lessons.held_out}
    if run["model"] == "attention":
        run["weight"] = {n: round(lessons.evaluate_weights(model, n), 4) for n in lessons.held_out}
    return run


def full_table(stage, name, key_width, seed, lr):
    """One model trained with twelve guests to say who ordered what, examined with 3, 6 and 12 if it is a final one."""
    torch.set_num_threads(1)
    lessons = FullTableTask(seed=FULL_TABLE[0])
    start = time.process_time()
    model = lessons.train(seed, name, steps=2000, lr=lr, width=32, key_width=key_width)
    seconds = time.process_time() - start
    run = {"stage": stage, "model": name, "key_width": key_width, "seed": seed, "steps": 2000, "lr": lr, "width": 32,
           "parameters": sum(p.numel() for p in model.parameters()), "seconds": round(seconds, 1)}
    if stage == "final":
        return run | {"accuracy": {n: round(lessons.evaluate(model, n), 4) for n in lessons.held_out}}
    accuracy, loss = lessons.validate(model, recall_tables(2000, guests=12, seed=FULL_TABLE_VALIDATION))
    return run | {"validation": round(accuracy, 4), "validation loss": round(loss, 5)}


def orderer(lessons, stage, setting, question, scheme, seed, steps, lr, own):
    """One model trained to answer a question about order, and what is to be written down of it."""
    torch.set_num_threads(1)
    start = time.process_time()
    model = lessons.train(seed, scheme, question=question, steps=steps, lr=lr, setting=own)
    seconds = time.process_time() - start
    return model, {"stage": stage, "setting": setting, "question": question, "scheme": scheme, "seed": seed,
                   "steps": steps, "lr": lr, "of the scheme": own,
                   "parameters": sum(p.numel() for p in model.parameters()), "seconds": round(seconds, 1)}


def order_trial(*job):
    """One setting judged by sentences of twelve words, the longest in training, that nothing else is asked."""
    lessons = OrderTask(seed=ORDER_TRIALS[0])
    model, run = orderer(lessons, "tuning", *job)
    with torch.no_grad():
        loss = lessons.loss(model, lessons.held_out(model.question)).item()
    return run | {"validation": round(lessons.evaluate(model), 4), "validation loss": round(loss, 5)}


def order_final(*job):
    """One model examined at lengths in training and beyond, on sentences that are not those of the chapter."""
    lessons = OrderTask(seed=ORDER[0])
    model, run = orderer(lessons, "final", *job)
    lengths = (5, 12) if model.question.startswith("place") else (12, 24, 48)
    run["accuracy"] = {n: round(lessons.evaluate(model, n), 4) for n in lengths}
    if model.question != "place without a start":
        run["weight"] = {n: round(lessons.evaluate_weights(model, n), 4) for n in lengths}
    return run


def storyteller(lessons, stage, name, seed, lr):
    """One model trained to write stories, and what is to be written down of it."""
    torch.set_num_threads(1)
    start = time.process_time()
    model = lessons.train(seed, lr=lr, **TELLERS[name][0])
    seconds = time.process_time() - start
    return model, {"stage": stage, "model": name, "seed": seed, "lr": lr, "seconds": round(seconds, 1),
                   "parameters": sum(p.numel() for p in model.parameters() if p.requires_grad),
                   "loss": round(lessons.loss(model), 4),
                   "right": {kind: round(share, 4) for kind, share in lessons.evaluate(model).items()}}


def story_trial(*job):
    """One rate judged by stories that nothing else is asked."""
    return storyteller(StoryTask(seed=STORY_TRIAL), "tuning", *job)[1]


def story_final(*job):
    """One model examined on stories that are not those of the chapter: what it says next, and what it writes."""
    lessons = StoryTask(seed=STORIES[0])
    model, run = storyteller(lessons, "final", *job)
    for temperature in (1, 0.7):
        share, mistakes = lessons.evaluate_writing(model, temperature=temperature)
        run[f"consistent at {temperature}"], run[f"mistakes at {temperature}"] = share, mistakes
    if run["model"] == "full":
        run["right in eight bits"] = round(lessons.evaluate(Storyteller.unpacked(model.packed()))["all"], 4)
    return run


def teller_examined(seed):
    """A storyteller of the chapter's stories: what it loses with each head, whether it follows when a story changes."""
    torch.set_num_threads(1)
    lessons = StoryTask()
    model = lessons.train(seed)

    def without(layer, head):
        found = copy.deepcopy(model)
        with torch.no_grad():
            found.blocks[layer].w_output[head * 8:head * 8 + 8] = 0
        return rounded(lessons.evaluate(found))

    @torch.no_grad()
    def says(words):
        return lessons.vocabulary[model(lessons.encode([words])[:, :-1])[0][0, -1].argmax()]

    def follow(changes, gap):
        """Of stories that are changed so that another word is right: is it said, and was the old one said before?"""
        pairs = [(words, *pair) for words in things for pair in changes(words)]
        now = np.array([says(changed) == answer for _, changed, answer in pairs])
        before = np.array([says(words[:gap]) == words[gap] for words, *_ in pairs])
        return {"number": len(pairs), "before": share(before), "after": share(now), "both": share(now & before)}

    def share(found):
        return round(float(np.mean(found)), 4)

    things = [words for words in lessons.held_out if "coins" not in words]
    places = {}
    for words in things:
        named = [word for word in words[:-2] if word in PLACES]
        kind = ("only place" if len(set(named)) == 1 else f"{'' if words[-2] == named[0] else 'not '}where they met, "
                f"{'' if words[-2] == named[-1] else 'not '}last named")
        places.setdefault(kind, []).append(says(words[:-2]) == words[-2])
    return {"seed": seed, "right": rounded(lessons.evaluate(model)),
            "without": [[without(layer, head) for head in range(4)] for layer in range(2)],
            "another receiver": follow(other_receivers, -5), "another mover": follow(other_movers, -2),
            "places": {kind: {"number": len(found), "right": share(found)} for kind, found in places.items()}}


def rounded(shares):
    """Shares with four decimals."""
    return {name: round(share, 4) for name, share in shares.items()}


def stacker(experiment, layers, question, parts, seed, steps, lr):
    """A stack trained to say who stands some places further on, or what hands tell, and examined before and after."""
    torch.set_num_threads(1)
    lessons, options = ChainTask(seed=CHAIN[0]), PARTS[parts]
    untrained = lessons.anatomy(new_model(seed, ChainModel, layers, question, **options))
    start = time.process_time()
    model = lessons.train(seed, layers, question, steps=steps, lr=lr, **options)
    seconds = time.process_time() - start
    looks = {further: [round(weight, 3) for weight in lessons.evaluate_weights(model, further)]
             for further in range(-2, 4)}
    anatomies = {when: {name: [float(f"{number:.3g}") for number in numbers]
                        for name, numbers in anatomy._asdict().items()}
                 for when, anatomy in (("untrained", untrained), ("trained", lessons.anatomy(model)))}
    return {"task": "chain", "experiment": experiment, "layers": layers, "question": question, "parts": parts,
            "seed": seed, "steps": steps, "lr": lr, "parameters": sum(p.numel() for p in model.parameters()),
            "seconds": round(seconds, 1), "accuracy": round(lessons.evaluate(model), 4), "looks": looks, **anatomies}


def reviewer(stage, setting, kind, number, pooling, seed, steps, lr, std):
    """One model trained to tell good reviews from bad, and what is to be written down of it."""
    torch.set_num_threads(1)
    lessons = ReviewTask(number, kind, seed=seed + 1)
    start = time.process_time()
    model = lessons.train(seed, pooling, steps=steps, lr=lr, std=std)
    seconds = time.process_time() - start
    run = {"stage": stage, "setting": setting, "kind": kind, "reviews": number, "model": pooling, "seed": seed,
           "steps": steps, "lr": lr, "std": std, "parameters": sum(p.numel() for p in model.parameters()),
           "seconds": round(seconds, 1)}
    return lessons, model, run


def review_trial(*job):
    """One setting judged by held-out reviews that nothing else is asked."""
    lessons, model, run = reviewer("tuning", *job)
    return run | {"validation": round(lessons.evaluate(model), 4), "validation loss": round(lessons.loss(model), 5)}


def review_final(*job):
    """One model examined, beside simple rules; and what attention gives to decisive words."""
    lessons, model, run = reviewer("final", *job)
    run |= {"accuracy": round(lessons.evaluate(model), 4), "rules": rounded(lessons.evaluate_rules()),
            "in training": round(lessons.evaluate(model, lessons.training), 4)}
    if run["model"] == "attention" and run["kind"] != "majority":
        run["on decisive"] = rounded(lessons.evaluate_on_decisive(model)._asdict())
    return run


def review_explained(*job):
    """Do its weights explain a model? They are changed, and it is compared with other models that say the same."""
    lessons, model, run = reviewer("explained", *job)
    seed = run["seed"]
    others = {"another seed": lessons.train(seed + 1000),
              "another seed, longer": lessons.train(seed + 1000, steps=1800),
              "equal weights": lessons.train(seed, "mean")}
    others |= {f"apart, {strength}": train_apart(lessons, model, seed + 1000, strength=strength)
               for strength in REVIEW_STRENGTHS}

    def about(found):
        return {"accuracy": round(lessons.evaluate(found), 4),
                "on decisive": rounded(lessons.evaluate_on_decisive(found)._asdict())}

    changed = {name: {what: rounded(value._asdict()) if isinstance(value, tuple) else round(value, 4)
                      for what, value in examine(model, reviews).items()}
               for name, reviews in by_what_settles(lessons.held_out).items()}
    return run | about(model) | {"changed": changed, "others": {
        name: about(other) | rounded(compare(model, other, lessons.held_out)._asdict())
        | {"in training": rounded(compare(model, other, lessons.training)._asdict())}
        for name, other in others.items()}}


def rememberer(stage, setting, kind, length, seed, steps, scale, lr):
    """One model trained to say which name came first, and what is to be written down of it."""
    torch.set_num_threads(1)
    lessons = FirstWordTask(length, seed=seed)
    start = time.process_time()
    model = lessons.train(seed, kind, steps=steps, scale=scale, lr=lr)
    seconds = time.process_time() - start
    return model, {"task": "first word", "stage": stage, "setting": setting, "model": kind, "length": length,
                   "seed": seed, "steps": steps, "scale": scale, "lr": lr,
                   "parameters": sum(p.numel() for p in model.parameters()), "seconds": round(seconds, 1),
                   "accuracy": round(lessons.evaluate(model), 4), "loss": round(lessons.loss(model), 5)}


def reach_trial(*job):
    """One setting judged by held-out words that nothing else is asked."""
    return rememberer("tuning", *job)[1]


def reach_final(*job):
    """One model examined, and how strongly its last output depends on the first item and on the last, once trained."""
    model, run = rememberer("final", *job)
    first, *_, last = gradient_reach(model.layer, run["length"], 16, seed=run["seed"], scale=run["scale"])
    return run | {"gradient": {"first": float(f"{first:.3g}"), "last": float(f"{last:.3g}")}}


def reach_untrained(kind, scale, seed):
    """How strongly the last of 64 outputs depends on each item before any training, the farthest first."""
    torch.set_num_threads(1)
    gradients = gradient_reach(new_model(seed, LAYERS[kind], 16, 64), 64, 16, seed=seed, scale=scale)
    return {"task": "gradients", "model": kind, "scale": scale, "seed": seed,
            "norms": [float(f"{norm:.3g}") for norm in gradients]}


def neighbour(stage, wants, kind, seed, lr):
    """One model trained to ask the right friend."""
    torch.set_num_threads(1)
    lessons = TownTask(wants, seed=seed)
    start = time.process_time()
    model = lessons.train(seed, kind, lr=lr)
    return {"task": "town", "stage": stage, "wants": wants, "model": kind, "seed": seed, "lr": lr,
            "parameters": sum(p.numel() for p in model.parameters()),
            "seconds": round(time.process_time() - start, 1), "accuracy": round(lessons.evaluate(model), 4)}
def gater(stage, setting, kind, name, seed, steps, lr):
    """One model trained to say which shape is asked for, and what is to be written down of it."""
    torch.set_num_threads(1)
    lessons = PictureTask(kind, seed=LAMPS[0] if stage == "final" else LAMP_TRIALS[0])
    model_class, options = LAMP_MODELS[name]
    start = time.process_time()
    model = lessons.train(seed, model_class, steps=steps, lr=lr, **options)
    seconds = time.process_time() - start
    run = {"stage": stage, "setting": setting, "kind": kind, "model": name, "seed": seed, "steps": steps, "lr": lr,
           "parameters": sum(p.numel() for p in model.parameters()), "seconds": round(seconds, 1)}
    return lessons, model, run


def gate_trial(*job):
    """One rate judged by held-out pictures that nothing else is asked."""
    lessons, model, run = gater("tuning", *job)
    with torch.no_grad():
        loss = lessons.loss(model).item()
    return run | {"validation": round(lessons.evaluate(model), 4), "validation loss": round(loss, 5)}


def gate_final(*job):
    """One model examined, and what its gates come to."""
    lessons, model, run = gater("final", *job)
    run |= {"accuracy": round(lessons.evaluate(model), 4),
            "in training": round(lessons.evaluate(model, lessons.training), 4)}
    if not isinstance(model, GatedPictures) or model.gate == "none":
        return run
    with torch.no_grad():
        gates = model(lessons.held_out.pixels)[1]
    run["sums"] = {axis: [round(found.sum((1, 2)).quantile(q).item(), 2) for q in (0, 0.5, 1)]     # least, middle, most
                   for axis, found in gates.items()}
    if "spatial" in gates and run["kind"] != "channel":
        run["lit, elsewhere"] = [float(f"{gate:.3g}") for gate in lessons.evaluate_places(model)]
    if "channel" in gates and run["kind"] in ("channel", "both"):
        run["by frame"] = lessons.evaluate_channels(model).numpy().round(3).tolist()
    return run


def translation(_):
    """Every kind of translator with every seed."""
    return [(translator, name, seed) for name in TRANSLATORS for seed in SEEDS]


def copying(_):
    """Attention and one vector with the same training, and one vector with four times as much."""
    return ([(copier, name, 600, seed) for name in COPIERS for seed in COPYING]
            + [(copier, "one vector", 2400, seed) for seed in COPYING[:3]])


def multi_head(_):
    """Who gave, with and without positions and heads; and what "it" is, with one layer and two."""
    kinds = [(True, "linear"), (False, "linear"), (True, "mlp")]
    who = [(giver_and_receiver, heads, positions, reader, seed)
           for positions, reader in kinds for heads in (1, 2, 4) for seed in GIFTS]
    it = [(what_it_is, layers, seed, rate) for layers, rate in ((1, 5e-3), (2, 5e-3), (2, 1e-2)) for seed in FRESH]
    return who + it


def recall_trials(_):
    """Settings at random: the same rates, and the same places in the lists of sizes, for every model."""
    jobs = []
    for steps, seeds in sorted(RECALL_TRIALS.items(), reverse=True):
        rng = np.random.default_rng(seeds[0])
        for seed in seeds:
            lr = float(f"{10 ** rng.uniform(-3, np.log10(3e-2)):.2g}")
            width, inner = rng.integers(3, size=2)
            for name in RecallTask.MODELS:
                sizes = {size: lists[name][width if size == "width" else inner]
                         for size, lists in RECALL_SIZES.items() if name in lists}
                jobs.append((recall_trial, "tuned", name, seed, steps, lr, sizes))
            if steps == 800:
                jobs += [(recall_trial, "tuned, small", name, seed, steps, lr, sizes)
                         for name, sizes in RECALL_SMALL.items()]
    return jobs


def recall_finals(trials):
    """Each model with the setting of its best trial, each as the chapter trains it, and one rival for much longer.

    The best trial is the most accurate; of several, the one with the smallest loss.
    """
    jobs = [(recall_final, "longer", "concatenation", seed, 20_000, 2e-3, {"width": 32, "hidden": 256})
            for seed in RECALL_LONG]
    contests = {}
    for run in trials:
        contests.setdefault((run["setting"], run["model"], run["steps"]), []).append(run)
    for (setting, name, steps), runs in contests.items():
        best = min(runs, key=lambda run: (-run["validation"], run["validation loss"]))
        sizes = {size: best[size] for size in RECALL_SIZES if size in best}
        jobs += [(recall_final, setting, name, seed, steps, best["lr"], sizes) for seed in RECALL]
    for name, model_class in RecallTask.MODELS.items():
        usual = inspect.signature(model_class).parameters
        sizes = {size: usual[size].default for size in RECALL_SIZES if size in usual}
        jobs += [(recall_final, "the chapter's", name, seed, 800, 1e-2, sizes) for seed in RECALL]
    return jobs


def order_trials(_):
    """The same rates for every scheme, each with two settings of what the scheme leaves open."""
    return [(order_trial, "tuned", question, scheme, ORDER_TRIALS[2 * i + j], 600, lr, own)
            for question in ("previous", "third", "last drink") for scheme in SCHEMES
            for i, lr in enumerate(ORDER_RATES) for j, own in enumerate(ORDER_SETTINGS.get(scheme, (None, None)))]


def order_finals(trials):
    """Each scheme with the setting of its best trial, and as the chapter trains it; and what a causal mask lets count.

    The best trial is the most accurate; of several, the one with the smallest loss.
    """
    jobs, contests = [], {}
    for run in trials:
        contests.setdefault((run["question"], run["scheme"]), []).append(run)
    for (question, scheme), runs in contests.items():
        best = min(runs, key=lambda run: (-run["validation"], run["validation loss"]))
        tuned = best["lr"], best["of the scheme"]
        for setting, lr, own in (("tuned", *tuned), ("the chapter's", 1e-2, SETTINGS[scheme])):
            jobs += [(order_final, setting, question, scheme, seed, 600, lr, own) for seed in ORDER]
    jobs += [(order_final, "a flat slope", question, "ALiBi", seed, 600, 1e-2, 1 / 8)
             for question in ("previous", "last drink") for seed in ORDER]
    jobs += [(order_final, "the chapter's", question, scheme, seed, 1000, 1e-2, None)
             for question in ("place", "place without a start") for scheme in SCHEMES[:2] for seed in ORDER]
    return jobs


def story_trials(_):
    """The full model with each rate."""
    return [(story_trial, "full", STORY_TRIAL, lr) for lr in STORY_RATES]


def story_finals(trials):
    """Each model with the rate of the trial with the smallest loss."""
    lr = min(trials, key=lambda run: run["loss"])["lr"]
    return [(story_final, name, seed, lr) for name, (_, seeds) in TELLERS.items() for seed in STORIES[:seeds]]


def story_heads(_):
    """The chapter's model and two neighbours."""
    return [(teller_examined, seed) for seed in (CHAPTER_SEED - 1, CHAPTER_SEED, CHAPTER_SEED + 1)]


def layers(_):
    """How far stacks of layers look, what parts they can do without; and what "it" is, with more layers or heads."""
    kinds = [("depth", depth, k, "four heads", 800, 1e-2)
             for depth, far in ((1, (2, 3, 4)), (2, (2, 3, 4, 5)), (3, (3, 4, 5))) for k in far]
    kinds += [("one head", depth, k, "everything", 800, 1e-2) for depth, k in ((1, 2), (2, 3))]
    kinds += [("bare", depth, k, "no residual", 800, 3e-3) for depth, k in ((1, 2), (1, 3), (2, 3), (3, 4))]
    kinds += [("parts", 6, 3, parts, 400, 3e-3) for parts in list(PARTS)[:5]]
    kinds += [("parts", depth, k, "no residual", 400, 3e-3) for depth, k in ((2, 3), (3, 3), (4, 3), (6, 1))]
    kinds += [("mlp", 1, "hands", parts, 800, 1e-2) for parts in ("everything", "an MLP", "no norm", "an MLP, no norm")]
    jobs = [(stacker, experiment, depth, question, parts, seed, steps, lr)
            for experiment, depth, question, parts, steps, lr in kinds for seed in CHAIN]
    kinds = (1, 1), (1, 4), (2, 1)
    return jobs + [(what_it_is, depth, seed, 5e-3, heads) for depth, heads in kinds for seed in FRESH]


def review_trials(_):
    """The same rates and first word vectors for every pooling and kind of reviews, three seeds each."""
    return [(review_trial, "tuned", kind, numbers[0], pooling, seed, 600, lr, std)
            for kind, numbers in REVIEW_KINDS.items() for pooling in POOLINGS
            for lr, std in REVIEW_SETTINGS for seed in REVIEW_TRIALS]


def review_finals(trials):
    """Each pooling with its best setting for that kind, also for five times as long, and as the chapter trains it.

    The best setting is the most accurate in the mean of its trials; of several, the one with the smallest loss.
    """
    def best(kind, pooling):
        found = {}
        for run in trials:
            if (run["kind"], run["model"]) == (kind, pooling):
                found.setdefault((run["lr"], run["std"]), []).append((-run["validation"], run["validation loss"]))
        return min(found, key=lambda setting: tuple(np.mean(found[setting], axis=0)))

    jobs = []
    for kind, numbers in REVIEW_KINDS.items():
        for number in numbers:
            for pooling in POOLINGS:
                settings = [("tuned", 600, *best(kind, pooling))]
                if (kind, number) == ("both", 300):
                    settings += [("tuned, longer", 3000, *best(kind, pooling)), ("the chapter's", 600, 1e-2, 0.03)]
                jobs += [(review_final, setting, kind, number, pooling, seed, *options)
                         for setting, *options in settings for seed in REVIEWS]
    return jobs


def reviews_explained(_):
    """The chapter's model."""
    return [(review_explained, "the chapter's", "both", 300, "attention", seed, 600, 1e-2, 0.03) for seed in REVIEWS]


def reach_trials(_):
    """The same rates for every layer at every length, two seeds each; recurrences also in other settings."""
    contests = [("tuned", kind, length, 300, 1.0) for length in REACH_LENGTHS for kind in LAYERS]
    contests += [(setting, kind, length, steps, scale) for setting, lengths, steps, scale in REACH_RECURRENCES
                 for length in lengths for kind in LAYERS if kind.endswith("recurrence")]
    return [(reach_trial, setting, kind, length, seed, steps, scale, lr)
            for setting, kind, length, steps, scale in contests for lr in REACH_RATES for seed in REACH_TRIALS]


def reach_finals(trials):
    """Each layer with its best rate for that setting and length; and none trained at all.

    The best rate is the most accurate in the mean of its trials; of several, the one with the smallest loss.
    """
    jobs, contests = [], {}
    for run in trials:
        contest = tuple(run[key] for key in ("setting", "model", "length", "steps", "scale"))
        contests.setdefault(contest, {}).setdefault(run["lr"], []).append((-run["accuracy"], run["loss"]))
    for (setting, kind, length, steps, scale), found in contests.items():
        lr = min(found, key=lambda lr: tuple(np.mean(found[lr], axis=0)))
        number = 3 if length == REACH_LENGTHS[-1] else 5
        jobs += [(reach_final, setting, kind, length, seed, steps, scale, lr) for seed in REACH[:number]]
    return jobs + [(reach_untrained, kind, scale, seed) for scale in REACH_SCALES for kind in LAYERS for seed in REACH]


def town_trials(_):
    """The same rates for every kind and question, two seeds each."""
    return [(neighbour, "tuning", wants, kind, seed, lr) for wants in ("the same", "their own")
            for kind in GraphModel.KINDS for lr in TOWN_RATES for seed in TOWN_TRIALS]


def town_finals(trials):
    """Each kind with the rate whose trials were right most often; of several, the smallest."""
    contests = {}
    for run in trials:
        contests.setdefault((run["wants"], run["model"]), {}).setdefault(run["lr"], []).append(run["accuracy"])
    return [(neighbour, "final", *contest, seed, max(found, key=lambda lr: np.mean(found[lr])))
            for contest, found in contests.items() for seed in TOWNS]
def full_table_trials(_):
    """The same rates for every kind of attention and every width of its keys, two seeds each."""
    return [(full_table, "tuning", name, key_width, seed, lr)
            for name in FullTableTask.MODELS for key_width in FULL_TABLE_WIDTHS
            for lr in FULL_TABLE_RATES for seed in FULL_TABLE_TRIALS]


def full_table_finals(trials):
    """Each kind and width with its best rate.

    The best rate is the most accurate in the mean of its trials; of several, the one with the smallest loss.
    """
    jobs = []
    for name in FullTableTask.MODELS:
        for key_width in FULL_TABLE_WIDTHS:
            found = {}
            for run in trials:
                if (run["model"], run["key_width"]) == (name, key_width):
                    found.setdefault(run["lr"], []).append((-run["validation"], run["validation loss"]))
            best = min(found, key=lambda lr: tuple(np.mean(found[lr], axis=0)))
            jobs += [(full_table, "final", name, key_width, seed, best) for seed in FULL_TABLE]
def gate_contests():
    """Kinds of pictures, models and their numbers of steps; softmax gates only where such gates are the right ones."""
    return [(kind, name, 800 if LAMP_MODELS[name][0] is PatchReader else 1200 if kind == "both" else 400)
            for kind, names in LAMP_KINDS.items() for name in names
            if not (", softmax" in name and name.startswith({"place": "channel", "channel": "spatial"}.get(kind, "-")))]


def gate_trials(_):
    """Three rates for every model and kind of pictures."""
    return [(gate_trial, "tuned", kind, name, seed, steps, lr) for kind, name, steps in gate_contests()
            for seed, lr in zip(LAMP_TRIALS, LAMP_RATES[LAMP_MODELS[name][0]])]


def gate_finals(trials):
    """Each model with the rate of its best trial, the one with the smallest loss; some also for longer."""
    jobs = []
    for kind, name, steps in gate_contests():
        lr = min((run for run in trials if (run["kind"], run["model"]) == (kind, name)),
                 key=lambda run: run["validation loss"])["lr"]
        settings = [("tuned", 1)]
        # The last was added after a look: with its 400 steps one of these seeds had learned nothing.
        if kind == "several" or name == "none" and kind != "both" or (kind, name) == ("place", "spatial"):
            settings.append(("tuned, longer", 3))
        jobs += [(gate_final, setting, kind, name, seed, times * steps, lr)
                 for setting, times in settings for seed in LAMPS]
    return jobs


# The stages of each; a stage gets the runs of those before it and gives its jobs.
STUDIES = {"translation": [translation], "copying": [copying], "multi_head": [multi_head],
           "recall": [recall_trials, recall_finals],
           "positions": [order_trials, order_finals], "stories": [story_trials, story_finals],
           "story_heads": [story_heads],
           "layers": [layers], "reviews": [review_trials, review_finals, reviews_explained],
           "reach": [reach_trials, reach_finals], "graphs": [town_trials, town_finals],
           "linear_recall": [full_table_trials, full_table_finals],
           "gates": [gate_trials, gate_finals]}


def run_all(jobs):
    """Run the jobs, two at a time, and say what each came to."""
    with ProcessPoolExecutor(2) as pool:
        for k, waiting in enumerate([pool.submit(*job) for job in jobs], 1):
            run = waiting.result()
            print(f"[{k} of {len(jobs)}] {run}", flush=True)
            yield run


def main():
    """Run all studies, or those that are named."""
    torch.set_num_threads(1)      # as each worker does: it is written down with the machine
    names = sys.argv[1:] or list(STUDIES)
    if unknown := set(names) - set(STUDIES):
        sys.exit(f"there is no study {', '.join(unknown)}; there are {', '.join(STUDIES)}")
    for name in names:
        runs = []
        for stage in STUDIES[name]:
            runs += run_all(stage(runs))
        about = {"command": "make study", "machine": machine()}
        text = ",\n  ".join(json.dumps(run, ensure_ascii=False) for run in runs)
        head = json.dumps(about, ensure_ascii=False)[1:-1]
        (ROOT / "measured" / f"{name}.json").write_text(f'{{{head},\n "runs": [\n  {text}\n ]}}\n', encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
