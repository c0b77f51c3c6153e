"""A chat model asked and opened: examples, texts that come twice, the first piece, two names, facts, places, limits."""

import re
from functools import cache, partial

import numpy as np

from attnkit import causal_mask
from bookkit.lessons import chat_model, chat_texts
from bookkit.lessons.sentences import DECIDED_LAST

LAYERS, HEADS = chat_model.LAYERS, chat_model.HEADS
SHOTS = (0, 1, 2, 4, 8)
DRAWS = 3                    # of eight examples each, none of them in two draws
PIECES = 40                  # of each text of prose
FAR = 4                      # from this place on a text has begun
MADE = 12                    # layers after which the vector of a first piece is long
MOST = 200                   # pieces of an answer


# ---- what the questions share

@cache
def known():
    """The model, and a list of pieces that begin a word: a blank and three letters or more."""
    model = chat_model.loaded()
    return model, [k for k, word in enumerate(model.words[:30_000]) if re.fullmatch(r" [A-Za-z]{3,}", word)]


def spread(values, digits=3):
    """Mean, standard deviation and count of some numbers.

    >>> spread([1.0, 2.0, 3.0])
    {'mean': 2.0, 'sd': 1.0, 'n': 3}
    """
    values = np.asarray(values, dtype=float).ravel()
    return {"mean": round(float(values.mean()), digits), "sd": round(float(values.std(ddof=1)), digits),
            "n": len(values)}


def listed(numbers, digits=3):
    """An array, as one of (layers, heads), as lists, rounded."""
    return np.round(np.asarray(numbers, dtype=float), digits).tolist()


def named(heads):
    """Pairs of a layer and a head in words, counted from 1.

    >>> named([(18, 6)])
    ['head 7 of layer 19']
    """
    return [f"head {head + 1} of layer {layer + 1}" for layer, head in heads]


def best(scores, count):
    """The heads with the largest of scores (layers, heads), the first the best."""
    return [divmod(int(k), HEADS) for k in np.argsort(-np.ravel(scores), kind="stable")[:count]]


def prose(model):
    """Texts (16, 40) as numbers."""
    return np.array([model.numbers(text)[:PIECES] for text in chat_texts.PARAGRAPHS])


def weights(model, numbers, **options):
    """The weights of each layer, one after the other."""
    return (result for name, result in model.stages(numbers, **options) if name.endswith(".weights"))


def seen_twice(count, length, seed):
    """Sequences (count, 1 + 2 length): an end of text, then random pieces, then the same once more."""
    model, pool = known()
    rng = np.random.default_rng([52, seed])
    drawn = np.array([rng.permutation(pool)[:length] for _ in range(count)])
    return np.concatenate([np.full((count, 1), model.ends[1]), drawn, drawn], axis=1)


# ---- few examples

def few_examples(name):
    """Of a list of pairs: how many of those that are asked are right after some examples, in each draw of them.

    Right is an answer whose every piece is the likeliest. Eight examples are also read without the ten heads that copy
    best, and without ten others; and at last they have each other's answers.
    """
    model, _ = known()
    pairs, copiers = chat_texts.PAIRS[name], best(roles()["copy"], 10)
    asked, right = pairs[8 * DRAWS:], {}
    for shots in SHOTS:
        draws = [pairs[8 * draw:8 * draw + shots] for draw in range(DRAWS if shots else 1)]
        right[str(shots)] = [answered(model, examples, asked) for examples in draws]
    eight = [pairs[8 * draw:8 * draw + 8] for draw in range(DRAWS)]
    fewer = {f"without {name}": [answered(model, examples, asked, heads) for examples in eight]
             for name, heads in (("copiers", copiers), ("ten others", ten_others(copiers, 0)))}
    wrong = []
    for examples in eight:
        questions, answers = zip(*examples)
        wrong.append(answered(model, [*zip(questions, [*answers[1:], answers[0]])], asked))
    return {"kind": "few examples", "list": name, "asked": len(asked), "right": right, **fewer,
            "wrong examples": wrong}


def answered(model, examples, asked, without=()):
    """How many answers are right behind some examples."""
    kept = {}
    if examples:
        told = model.numbers("".join(f"{left} -> {right}\n" for left, right in examples))
        model.go_on(told, kept, without=without)
    return sum(says(model, kept, f"{left} ->", f" {right}", without) for left, right in asked)


def says(model, kept, prompt, answer, without=()):
    """Whether each piece of the answer is the likeliest."""
    kept, numbers = dict(kept), model.numbers(prompt)
    for piece in model.numbers(answer):
        if model.go_on(numbers, kept, without=without).argmax() != piece:
            return False
        numbers = [piece]
    return True


# ---- what it has seen before

def roles():
    """Of all heads, in sequences that come twice: weight on what came after the piece last time, and on one place back.

    And the weight on the first piece, in prose. These sequences are others than those in which heads are taken out.
    """
    model, _ = known()
    length, numbers = 25, seen_twice(8, 25, seed=0)
    again, later = np.arange(length + 1, 2 * length + 1), np.arange(2, 2 * length + 1)
    copy, back = [], []
    for w in weights(model, numbers):                                                        # (b, h, n, n)
        copy.append(w[:, :, again, again - length + 1].mean(axis=(0, 2)))
        back.append(w[:, :, later, later - 1].mean(axis=(0, 2)))
    first = [w[:, :, FAR:, 0].mean(axis=(0, 2)) for w in weights(model, prose(model))]
    return {"kind": "roles", "sequences": len(numbers), "texts": len(prose(model)), "copy": listed(copy),
            "back": listed(back), "first": listed(first), "best copiers": named(best(copy, 10)),
            "best lookers-back": named(best(back, 5)), "median copy": round(float(np.median(copy)), 4),
            "copy above .3": int((np.array(copy) > 0.3).sum()), "back above .3": int((np.array(back) > 0.3).sum())}


def seen_before(length):
    """What pieces at random cost that come twice, in each copy; and with heads taken out that `roles` has found."""
    model, _ = known()
    numbers = seen_twice(12 if length == 25 else 6, length, seed=length)
    found = {"intact": copies(model, numbers, length, curve=True)}
    if length == 25:
        scores = roles()
        copy, back = (np.array(scores[role]) for role in ("copy", "back"))
        copiers, lookers = best(copy, 10), best(back, 3)
        for count in (1, 3, 5, 10):
            found[f"best {count}"] = copies(model, numbers, length, copiers[:count], curve=count == 10)
        found["second best alone"] = copies(model, numbers, length, copiers[1:2])
        found["looker-back"] = copies(model, numbers, length, lookers[:1], curve=True)
        found["second looker-back"] = copies(model, numbers, length, lookers[1:2])
        found["three lookers-back"] = copies(model, numbers, length, lookers)
        for draw in range(5):
            found[f"ten others, draw {draw + 1}"] = copies(model, numbers, length, ten_others(copiers, draw))
    return {"kind": "seen before", "length": length, "sequences": len(numbers), "found": found}


def ten_others(copiers, draw):
    """Ten heads drawn from all that are no copiers."""
    others = [divmod(k, HEADS) for k in range(LAYERS * HEADS) if divmod(k, HEADS) not in copiers]
    return sorted(map(tuple, np.random.default_rng([52, 100 + draw]).permutation(others)[:10].tolist()))


def copies(model, numbers, length, without=(), curve=False):
    """The loss in the first copy and in the second, from its second piece on."""
    losses = model.losses(numbers, without=without)                                          # (b, 2 length)
    found = {"without": named(without), "first": spread(losses[:, :length].mean(axis=1)),
             "second": spread(losses[:, length + 1:].mean(axis=1))}
    return found | ({"by place": listed(losses.mean(axis=0))} if curve else {})


# ---- the first piece

def first_piece():
    """Which share of the weight the first piece gets, how long its stream is, and what is lost without it."""
    model, _ = known()
    numbers, found = prose(model), {}
    lengths = long_streams(model.stages(numbers))                                            # (layers + 1, b, n)

    hidden = np.tri(PIECES, dtype=bool)
    hidden[1:, 0] = False
    but_for_one = np.tri(PIECES, dtype=bool)
    but_for_one[2:, 0] = False
    reads = {"intact": read(model, numbers), "hidden": read(model, numbers, mask=hidden),
             "hidden but from the second": read(model, numbers, mask=but_for_one),
             "zeroed everywhere": read(model, numbers, change=emptied), "zeroed for others": for_others(model, numbers),
             "those of all texts for others": for_others(model, numbers, same_for_all),
             "hidden but from the second, layers 1 to 12": read_in(model, numbers, but_for_one, range(MADE)),
             "hidden but from the second, layers 13 to 30": read_in(model, numbers, but_for_one, range(MADE, LAYERS))}
    for how, (losses, got) in reads.items():
        found[how] = {"loss": spread(losses[:, FAR - PIECES:].mean(axis=1))}
        for name, share in zip(("first", "second"), np.moveaxis(got, -1, 0)):                # (layers, b, h)
            found[how][name] = {"share": spread(share.mean(axis=(0, 2))),
                                "by layer": listed(share.mean(axis=(1, 2))),
                                "heads above half": int((share.mean(axis=1) > 0.5).sum())}
    more = (reads["hidden but from the second"][0] - reads["intact"][0])[:, FAR - PIECES:].mean(axis=1)
    return {"kind": "first piece", "texts": len(numbers), "pieces": PIECES, **found,
            "hidden but from the second, text by text": stand_ins(model, numbers, but_for_one, more),
            "length of first by layer": listed(lengths[:, :, 0].mean(axis=1), 0),
            "length of others by layer": listed(lengths[:, :, FAR:].mean(axis=(1, 2)), 0),
            "longest of others": round(float(lengths[:, :, FAR:].max()))}


def long_streams(stages):
    """How long the stream of each piece is, after the embedding and after each layer (layers + 1, b, n)."""
    return np.array([np.linalg.norm(result, axis=-1) for name, result in stages
                     if name == "embedding" or name.endswith("after_mlp")])


def stand_ins(model, numbers, mask, more):
    """Of each text the later piece with the longest stream after layer 13, its share of the weight, and the cost."""
    lengths = long_streams(model.stages(numbers, mask=mask))[MADE + 1]                       # (b, n)
    share = np.mean([w[:, :, FAR:].mean(axis=(1, 2)) for w in weights(model, numbers, mask=mask)], axis=0)
    found = []
    for text, place in enumerate(1 + lengths[:, 1:].argmax(axis=1)):
        found.append({"place": int(place), "piece": model.words[numbers[text, place]],
                      "length": round(float(lengths[text, place])), "share": round(float(share[text, place]), 3),
                      "more": round(float(more[text]), 3)})
    return found


def read_in(model, numbers, mask, layers):
    """As `read`, with the mask in some layers and the causal one in the others."""
    x, found = model.embedding[numbers], []
    for layer, block in enumerate(model.blocks()):
        seen = mask if layer in layers else causal_mask(PIECES)
        results = chat_model.through(block, x, range(PIECES), seen)
        found.append(early(results["weights"]))
        x = results["after_mlp"]
    return model.costs(x[:, :-1], numbers[:, 1:]), np.array(found)


def read(model, numbers, **options):
    """The losses, and how much of its weight each head gives to the first two pieces (layers, b, h, 2)."""
    return model.losses(numbers, **options), np.array([early(w) for w in weights(model, numbers, **options)])


def early(w):
    """The mean weight (b, h, 2) that the places of a text that has begun give to its first two."""
    return w[:, :, FAR - PIECES:, :2].mean(axis=2)


def emptied(name, result):
    """Values with zeros in the first place, its own among those who look at it."""
    if not name.endswith(".value"):
        return result
    result = result.copy()
    result[..., 0, :] = 0
    return result


def same_for_all(values):
    """The mean of all texts, for each of them."""
    return np.broadcast_to(values.mean(axis=0, keepdims=True), values.shape)


def for_others(model, numbers, put=np.zeros_like):
    """As `read`, if the first piece is as it was, and those after it find its keys, and other values of it.

    `put` makes them of the values of all texts (b, h / 3, 1, d_k).
    """
    first, x, found = model.trace(numbers[:, :1]), model.embedding[numbers[:, 1:]], []
    mask = causal_mask(PIECES - 1, PIECES)
    for layer, block in enumerate(model.blocks()):
        past = first[f"layers.{layer}.key"], put(first[f"layers.{layer}.value"])
        results = chat_model.through(block, x, range(1, PIECES), mask, past=past)
        found.append(early(results["weights"]))
        x = results["after_mlp"]
    return model.costs(x[:, :-1], numbers[:, 2:]), np.array(found)


# ---- two names

def givings():
    """64 sentences with two names, each with what it is when the other gives, the right name and the one that gives."""
    rng, found = np.random.default_rng([52, 1]), []
    for k in range(64):
        one, other = rng.choice(chat_texts.NAMES, 2, replace=False).tolist()
        gives, gets = (one, other) if k // 4 % 2 else (other, one)
        text = chat_texts.GIVING[k % 4]
        found.append((text.format(one, other, gives), text.format(one, other, gets), gets, gives))
    return [found[k] for k in rng.permutation(64)]


def names(part):
    """Who gets it? Chances of the two names, what each head adds and where it looks, and heads put in from elsewhere.

    In the first 24 sentences heads are chosen, in the other 40 they are tried.
    """
    model, _ = known()
    numbers = {name: model.numbers(f" {name}")[0] for name in chat_texts.NAMES}
    given = givings()[:24] if part == "chosen" else givings()[24:]
    chances, margins, adds, looks, patched, tried = [], [], [], [], [], {}
    groups, steered = {} if part == "chosen" else tried_heads(), []
    for text, swapped, right, other in given:
        pair, read = (numbers[right], numbers[other]), model.numbers(text)
        results = model.trace(read)
        chances.append(shares(results["scores"][-1], pair))
        margins.append(margin(results["scores"][-1], pair))
        places = [read.index(pair[0]), read.index(pair[1]), len(read) - 1 - read[::-1].index(pair[1])]
        looks.append([results[f"layers.{layer}.weights"][:, -1, places] for layer in range(LAYERS)])
        parts = model.contributions(results, *pair)
        adds.append([[parts[layer, head] for head in range(HEADS)] for layer in range(LAYERS)])
        elsewhere = model.trace(model.numbers(swapped))
        if part == "chosen":
            every = [[(layer, head)] for layer in range(LAYERS) for head in range(HEADS)]
            scores = put_in(model, read, results, elsewhere, every)
            patched.append(margin(scores, pair).reshape(LAYERS, HEADS) - margins[-1])
        else:
            scores = put_in(model, read, results, elsewhere, list(groups.values()))
            tried.setdefault("swapped sentence", []).append(margin(elsewhere["scores"][-1], pair))
            for name, value in zip(groups, margin(scores, pair)):
                tried.setdefault(name, []).append(value)
            moved = model.trace(read, change=partial(as_elsewhere, elsewhere, groups["best 2"][1]))
            steered.append([moved[f"layers.{layer}.weights"][:, -1, places] for layer in range(LAYERS)])
    looks = np.mean(looks, axis=0)                                                           # (layers, h, 3)
    found = {"kind": "names", "part": part, "sentences": len(given), "right name": spread([one for one, _ in chances]),
             "other name": spread([other for _, other in chances]), "right": ahead(margins),
             "margin": spread(margins), "adds": listed(np.mean(adds, axis=0)), "looks at right": listed(looks[..., 0]),
             "looks at other, first": listed(looks[..., 1]), "looks at other, repeated": listed(looks[..., 2])}
    if part == "chosen":
        return found | {"moved by": listed(np.mean(patched, axis=0)), "first sentence": given[0][0]}
    [earlier], steered = named(groups["best 2"][1:]), np.mean(steered, axis=0)
    looks = {"looks at right": listed(steered[..., 0]), "looks at other, repeated": listed(steered[..., 2])}
    return found | {"tried": {name: {"heads": named(groups.get(name, [])), "right": ahead(values),
                                     "margin": spread(values)} for name, values in tried.items()},
                    f"with {earlier} put in": looks}


def tried_heads():
    """Groups of heads: those that move the answer most in the chosen sentences, together and alone."""
    moved = best(-np.array(names("chosen")["moved by"]), 5)
    together = {f"best {count}": moved[:count] for count in (2, 3, 5)}
    return together | {f"{name} alone": [head] for name, head in zip(named(moved), moved)}


def as_elsewhere(elsewhere, head, name, result):
    """What a head gives at the last place, as it is in other results."""
    if name != f"layers.{head[0]}.heads":
        return result
    result = result.copy()
    result[head[1], -1] = elsewhere[name][head[1], -1]
    return result


def put_in(model, numbers, results, elsewhere, groups):
    """The scores after the last place if heads of a group have there what they have elsewhere, for each group.

    All groups are read at once: copies of the last place, each of which sees the places before it and itself.
    """
    count, n = len(groups), len(numbers)
    x = np.repeat(model.embedding[numbers[-1:]], count, axis=0)                              # (groups, d)
    mask = np.concatenate([np.ones((count, n - 1), dtype=bool), np.eye(count, dtype=bool)], axis=1)
    for layer, block in enumerate(model.blocks()):
        rows = [(k, head) for k, group in enumerate(groups) for at, head in group if at == layer]

        def moved(name, result, layer=layer, rows=rows):
            if name != "heads" or not rows:
                return result
            result = result.copy()
            for k, head in rows:
                result[head, k] = elsewhere[f"layers.{layer}.heads"][head, -1]
            return result

        past = [results[f"layers.{layer}.{name}"][:, :-1] for name in ("key", "value")]
        x = chat_model.through(block, x, [n - 1] * count, mask, past=past, change=moved)["after_mlp"]
    return model.so_far(x)


def margin(scores, pair):
    """By how much the first piece of a pair is ahead of the second."""
    return scores[..., pair[0]] - scores[..., pair[1]]


def ahead(margins):
    """How many are positive."""
    return int((np.array(margins) > 0).sum())


def shares(scores, pieces):
    """The chances of some pieces."""
    chances = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return chances[..., list(pieces)] / chances.sum(axis=-1, keepdims=True)


# ---- facts

def facts():
    """Where an answer can be read first, and what brings it back when the subject is drowned in noise.

    Asked is for the first piece of an answer; looked into are the facts that the model knows.
    """
    model, _ = known()
    right, ranks, clean, noised, restored = [], [], [], [], {}
    windows = [range(start, start + 6) for start in range(0, LAYERS, 6)]
    for k, (subject, said, answer) in enumerate(chat_texts.FACTS):
        numbers, [piece, *_] = model.numbers(f"{subject} {said}"), model.numbers(f" {answer}")
        results = model.trace(numbers)
        right.append(bool(results["scores"][-1].argmax() == piece))
        if not right[-1]:
            continue
        stages = ["embedding", *(f"layers.{layer}.after_mlp" for layer in range(LAYERS))]
        scores = model.so_far(np.array([results[stage][-1] for stage in stages]))            # (stages, pieces)
        ranks.append(1 + (scores > scores[:, [piece]]).sum(axis=1))
        clean.append(shares(scores[-1], [piece])[0])
        end = len(model.numbers(subject))
        for seed in range(2):
            noise = np.random.default_rng([52, k, seed]).normal(size=(end, model.embedding.shape[1]))
            noise = (3 * model.embedding.std() * noise).astype(np.float32)
            noised.append(chance(model, numbers, piece, results, noise))
            for where, place in (("subject", end - 1), ("last place", len(numbers) - 1)):
                for part in ("mlp", "attention"):
                    for window in windows:
                        name = f"{part} of layers {window[0] + 1} to {window[-1] + 1}, {where}"
                        back = {f"layers.{layer}.{part}" for layer in window}
                        found = chance(model, numbers, piece, results, noise, back, place)
                        restored.setdefault(name, []).append(found)
    ranks = np.array(ranks)
    return {"kind": "facts", "asked": len(right), "known": sum(right),
            "median rank by layer": np.median(ranks, axis=0).tolist(),
            "first by layer": listed((ranks == 1).mean(axis=0)),
            "chance": spread(clean), "with noise": spread(noised),
            "restored": {name: spread(values) for name, values in restored.items()}}


def chance(model, numbers, piece, results, noise, back=(), place=None):
    """The chance of a piece when there is noise on the first pieces, and some results at a place are as without it."""
    def change(name, result):
        if name == "embedding":
            result = result.copy()
            result[:len(noise)] += noise
        elif name in back:
            result = result.copy()
            result[place] = results[name][place]
        return result

    return shares(model.so_far(model.end(numbers, change=change)[-1]), [piece])[0]


# ---- places

def places():
    """What prose costs where its pieces stand elsewhere, and with its words in another order."""
    model, _ = known()
    numbers, found = prose(model), {}
    where = {"as they are": range(PIECES), "1,000 further": range(1000, 1000 + PIECES),
             "doubled": range(0, 2 * PIECES, 2), "halved": np.arange(PIECES) / 2, "all at one place": [0] * PIECES}
    losses = {name: model.losses(numbers, places=at)[:, FAR - 1:].mean(axis=1) for name, at in where.items()}
    rng = np.random.default_rng([52, 2])
    mixed = [" ".join(rng.permutation(text.split())) for text in chat_texts.PARAGRAPHS]
    mixed = np.array([model.numbers(text)[:PIECES] for text in mixed])
    losses["words shuffled"] = model.losses(mixed)[:, FAR - 1:].mean(axis=1)
    for name, values in losses.items():
        found[name] = {"loss": spread(values), "more": spread(values - losses["as they are"])}
    change = np.abs(losses["1,000 further"] - losses["as they are"]).max()
    found["1,000 further"]["largest change"] = float(f"{change:.1e}")
    return {"kind": "places", "texts": len(numbers), "pieces": PIECES, "found": found}


# ---- what it says, and what it cannot

def questions():
    """What it answers to twenty questions."""
    return asked("questions", chat_texts.QUESTIONS)


def letters():
    """How many letters has a word? What it answers for twelve words."""
    return asked("letters", [(f"How many letters are in the word {word}?", str(len(word)))
                             for word in chat_texts.LETTERS])


def primes():
    """Is it a prime number? What it answers for six that are and six that are not."""
    prime = [all(n % k for k in range(2, n)) for n in chat_texts.NUMBERS]
    run = asked("primes", [(f"Is {n} a prime number? Answer yes or no.", "yes" if right else "no")
                           for n, right in zip(chat_texts.NUMBERS, prime)])
    return run | {"prime": sum(prime), "yes": sum(holds(answer, "yes") for *_, answer in run["answers"])}


def asked(kind, pairs):
    """Questions with the word that a right answer holds, each answered without chance; how many answers hold it.

    An answer that holds the word may still be wrong: that is for who reads it to say.
    """
    model, _ = known()
    answers = [(question, wanted, model.answer(question, MOST)) for question, wanted in pairs]
    return {"kind": kind, "asked": len(answers), "holds": sum(holds(answer, wanted) for _, wanted, answer in answers),
            "answers": answers}


def holds(answer, wanted):
    """Whether a word stands in an answer, in small or large letters.

    >>> holds("It has Eight legs.", "eight"), holds("In 2019.", "201")
    (True, False)
    """
    return bool(re.search(rf"\b{re.escape(wanted)}\b", answer, flags=re.IGNORECASE))


def it():
    """Which noun is too tired? Twenty pairs of sentences, decided by their last word alone."""
    model, _ = known()
    right, first, turned = 0, 0, 0
    for one, verb, other, *ends in DECIDED_LAST:
        lead = []
        for end in ends:
            text = f"The {one} did not {verb} the {other} because it was too {end}. What was too {end}? The"
            scores = model.go_on(model.numbers(text), {})
            lead.append(margin(scores, [model.numbers(f" {noun}")[0] for noun in (one, other)]))
        right += (lead[0] > 0) + (lead[1] < 0)
        first += sum(value > 0 for value in lead)
        turned += lead[0] > lead[1]
    return {"kind": "it", "asked": 2 * len(DECIDED_LAST), "right": int(right), "first noun": int(first),
            "pairs that move the right way": int(turned)}


LISTS = tuple(chat_texts.PAIRS)
STAGES = [lambda _: [*((few_examples, name) for name in LISTS), (roles,), (seen_before, 25), (seen_before, 50),
                     (first_piece,), (names, "chosen"), (names, "tried"), (facts,), (places,),
                     (questions,), (letters,), (primes,), (it,)]]
