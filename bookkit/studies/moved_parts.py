"""Which part of the model that writes stories makes the difference between two stories, and whether others do it so."""

from bookkit.lessons.stories import DOGS, MEN, WOMEN, other_receivers
from bookkit.lessons.storyteller import CHAPTER_SEED, START, StoryTask
from bookkit.studies.runs import rounded

STORIES = 100                # of each kind
STAGES_OF_THE_STREAM = ("embedding", "layers.0.after_attention", "layers.0.after_mlp", "layers.1.after_attention",
                        "layers.1.after_mlp")


def moved_parts(seed):
    """Of a storyteller: how often a part of a changed story, put into this one at its last word, turns the answer.

    The change is another last receiver, or another name for the owner, wherever it stands. Counted are held-out
    stories in which both answers are right.
    """
    lessons = StoryTask()
    return {"seed": seed} | measured(lessons.train(seed), lessons.held_out)


def measured(model, held_out):
    """What `moved_parts` counts, of one model: how often each part turns the answer, and where the owner shows."""
    things = [words[:words.index("now") + 6] for words in held_out if "coins" not in words]
    changes = {"receiver": [(words, *other_receivers(words)[0]) for words in things if other_receivers(words)]}
    for kind, names in (("woman", WOMEN), ("man", MEN), ("dog", DOGS)):
        changes[kind] = [renamed(words, names) for words in things if words[-1] in names]
    return {"flips": {kind: flips(model, pairs) for kind, pairs in changes.items()},
            "read": rounded(read(model, things[:400]))}


def renamed(words, names):
    """A story, the same with another name for its owner up to the last word, and that name."""
    other = names[(names.index(words[-1]) + 1) % len(names)]
    return words, [other if word == words[-1] else word for word in words[:-1]], other


def flips(model, pairs):
    """For each part, in how many of the pairs it alone brings the other answer along."""
    counts, found = {}, 0
    for words, changed, answer in pairs:
        this, other = (run(model, text) for text in (words[:-1], changed))
        if said(model, this) != words[-1] or said(model, other) != answer:
            continue
        for name, moved in parts(model, other).items():
            counts[name] = counts.get(name, 0) + (said(model, run(model, words[:-1], moved)) == answer)
        if (found := found + 1) == STORIES:
            break
    return {"stories": found} | counts


def read(model, things):
    """For each stage of the stream the share of stories whose owner is the likeliest word there."""
    right = dict.fromkeys(STAGES_OF_THE_STREAM, 0)
    for words in things:
        found = run(model, words[:-1])
        for stage in right:
            right[stage] += model.words[model.so_far(found[stage][-1]).argmax()] == words[-1]
    return {stage: count / len(things) for stage, count in right.items()}


def numbers(model, words):
    """The numbers of the words, the start before them."""
    return [model.words.index(word) for word in (START, *words)]


def run(model, words, moved=None):
    """All that the model computes of some words; see `Storyteller.trace`."""
    return model.trace(numbers(model, words), moved)


def said(model, results):
    """The likeliest next word."""
    return model.words[results["scores"][-1].argmax()]


def parts(model, results):
    """What can be moved at the last word, by name: each head's blend, and what each MLP adds."""
    found = {}
    for layer in range(model.num_layers):
        for head, blends in enumerate(results[f"layers.{layer}.heads"]):
            found[f"head {head + 1} of layer {layer + 1}"] = {(layer, head): blends[-1]}
        found[f"MLP {layer + 1}"] = {(layer, "mlp"): results[f"layers.{layer}.mlp"][-1]}
    return found


def finals(_):
    """The chapter's model and four neighbours."""
    return [(moved_parts, seed) for seed in range(CHAPTER_SEED - 2, CHAPTER_SEED + 3)]


STAGES = [finals]
