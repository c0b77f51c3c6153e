"""Questions of the checkpoint after Part III."""

import math

from bookkit.lessons.exercises.grading import Choice, Value

EXERCISES = {
    "moved": Value([2.3, -1.5], within=0.006, labels=["as it is", "with the head moved"], mistakes=[
        ([2.3, 0.3], "this is with the head taken out; here it says what it says in the other story."),
        ([2.3, 0.5], "what it adds in the other story takes the place of what it adds here."),
        ([2.3, -1.8], "this is what the head alone says now; the other parts still add what they did."),
        ([3.5, -0.3], "some parts speak against Max; add them with their signs.")]),
    "bin": Value([0.09, 0.3], within=0.0006, labels=["the mark", "the other word"], mistakes=[
        ([0.9, 0.1], "these are the weights; what is handed over is weight times value."),
        ([0.1, 3.0], "these are the lengths of the values; each counts as much as its weight."),
        ([0.3, 0.09], "these are the right numbers, the wrong way round.")]),
    "config": Value([160, 4], labels=["the matrices", "the cache"], mistakes=[
        ([256, 16], "four heads share one set, so two of the matrices are narrower, and so is the cache."),
        ([160, 16], "only the one set is kept, not one for each head."),
        ([160, 2], "a key and a value are kept."),
        ([80, 4], "there are four matrices: of queries and outputs, and of keys and values.")]),
    "pair": Value([0.2, math.log(1 + math.exp(-0.2))], within=0.002, labels=["margin", "loss"], mistakes=[
        ([-0.2, math.log(1 + math.exp(0.2))], "the better sentence comes first in the difference."),
        ([0.1, math.log(1 + math.exp(-0.1))], "the log of the other fell; taking off a fall adds."),
        ([2.0, math.log(1 + math.exp(-2.0))], "this is the difference; β makes it smaller."),
        ([-0.1, math.log(1 + math.exp(0.1))], "β goes with the difference, and this adds the two.")]),
    "which_test": Choice(
        "Put in what the head gives when the names have changed roles. Does the answer turn?",
        ("Look at its weights in a hundred more such sentences. Are they as large?",
         "then it looks there often. What it makes of what it sees, no weight says."),
        ("Set what the head gives to zero. Does the chance of the answer fall?",
         "zero is something that no text ever gives, so the rest may fail for any reason."),
        ("Read off, after each layer, what it would say. Does the name come up there?",
         "then the answer can be read off. Which head has put it there is another question.")),
    "tuned": Choice(
        "Other questions of the same kind, and others that have nothing to do with it.",
        ("The loss of the last step.", "it is small as soon as the rows are known by heart."),
        ("Whether A B is small beside W.", "a small change can turn an answer, and a large one may not."),
        ("The forty questions once more, with a temperature.", "it has seen the answers of these.")),
}
