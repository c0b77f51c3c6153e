"""Exercises of the chapter `recurrence_and_graphs`."""

import numpy as np

from bookkit.lessons.exercises.grading import Guess, Value

ITSELF = np.eye(4, dtype=bool)
HEARS = ITSELF | (np.arange(4) == 0)[:, None]      # node 0 hears all
STAR = HEARS | HEARS.T

EXERCISES = {
    "layers": Value([100, 8], mistakes=[
        ([66, 8], "kernels of neighbouring layers share an item: each layer reaches 2 items further back, not 3."),
        ([67, 8], "kernels of neighbouring layers share an item: each layer reaches 2 items further back, not 3."),
        ([99, 8], "99 layers reach 198 items back, and item 1 is 199 before item 200."),
        ([199, 8], "this is for a kernel of two; with three each layer reaches 2 items further back."),
        ([100, 7], "seven dilations, 1 to 64, add up to 127 items back; 199 are needed."),
        ([8, 100], "these are the two numbers, the other way round.")],
        labels=["kernel of 3", "dilated"]),
    "edges": Value(STAR, mistakes=[
        (STAR & ~ITSELF, "each node hears itself, too."),
        (HEARS, "node 0 hears all, but the others do not hear node 0."),
        (HEARS.T, "all hear node 0, but node 0 does not hear them."),
        (~STAR, "True is where attention may go: this is turned round."),
        (np.ones((4, 4), dtype=bool), "this is the graph in which everybody hears everybody.")]),
    "shrink": Value(44, mistakes=[
        (43, "after 43 steps it is 0.0108, still above 0.01."),
        (10, "each step multiplies by 0.9: it takes a tenth of what is left, not of the start."),
        (22, "this is where it falls below 0.1.")]),
}

GUESSES = {
    "window": Guess(low=1, high=31, step=1, digits=0, unit=" steps", right=11, within=1),
}
