"""Training the book's small models, and measuring what came out: plumbing that every trained chapter shares."""

import math

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from bookkit.lessons.progress import progress_bar


def fit(model, loss, num_examples, *, steps, batch_size=64, lr=1e-2, betas=(0.9, 0.999), warmup=0, clip=None,
        callback=None):
    """Train a model by Adam, the rate falling to zero along a cosine; the same on every processor.

    At the start and after each step the weights are rounded to multiples of 2^-17, which forgets where processors
    differ, if the model is in float64 from its first random number on (see `new_model`). In Jupyter a bar shows how far
    the training is. At the end the model is in evaluation mode. Gives the loss of each step.

    `loss` gets the numbers of the examples in a batch, a tensor of integers, drawn at random from `num_examples` with
    repetition, and gives the number to make small. `lr` is the first learning rate, or the largest if there is a
    `warmup`, so many steps, fewer than `steps`, in which the rate rises by the same amount each; `betas` say how much
    Adam keeps of its averages of the slopes and of their squares. Gradients longer than `clip`, of all weights
    together, are shortened to it. `callback` is called with the number of the step, 0 to `steps`, and the model in
    evaluation mode, before each step and after the last; it draws no random numbers.

    Adam: Kingma and Ba (2015); the cosine: Loshchilov and Hutter (2017).
    """
    downhill = descent(model, steps, lr=lr, betas=betas, warmup=warmup, clip=clip)
    losses = []
    for step in progress_bar(steps):
        if callback:
            model.eval()
            callback(step)
        model.train()
        value = loss(torch.randint(num_examples, (batch_size,)))
        downhill(value)
        losses.append(value.item())
    model.eval()
    if callback:
        callback(steps)
    return losses


def descent(model, steps, *, lr=1e-2, betas=(0.9, 0.999), warmup=0,
            clip=None):
    """A function that takes one of so many steps when it is given a loss; for the arguments see `fit`."""
    if not 0 <= warmup < steps:
        raise ValueError("warmup must be at least 0 and less than steps, "
                         f"got {warmup} and {steps}")
    optimiser = torch.optim.Adam(model.parameters(), lr=lr, betas=betas)
    schedule = _schedule(optimiser, steps, warmup)
    optimiser.register_step_post_hook(_after_step)
    round_off(model.parameters())

    def downhill(loss):
        optimiser.zero_grad()
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()
        schedule.step()

    return downhill


def _schedule(optimiser, steps, warmup):
    """The rates: up along a line if there is a warm-up, then down along a cosine."""
    if not warmup:
        return torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    return torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: (
        (step + 1) / warmup if step < warmup else (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2))


def new_model(seed, model_class, *args, **options):
    """A module of the class `model_class`, called with the arguments, with random weights in float64."""
    torch.manual_seed(seed)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return model_class(*args, **options)
    finally:
        torch.set_default_dtype(before)


@torch.no_grad()
def round_off(weights):
    """Bring every weight, in place, to the nearest multiple of 2^-17, about a hundred-thousandth.

    Processors differ in the last digits, and a training of some hundred steps makes a visible difference of them.
    Rounded off after each step, they are forgotten, and every machine comes to the same model.
    """
    for weight in weights:
        weight.mul_(2.0**17).round_().mul_(2.0**-17)


def _after_step(optimiser, *_):
    for group in optimiser.param_groups:
        round_off(group["params"])


def reproducible():
    """Let every training of this session come to the same model on every processor: see `round_off`.

    Chapters call it in a folded cell, so that their training loops are those that one would write anywhere. Without it
    they give other late digits, and nothing else.
    """
    global _hook
    _hook = _hook or register_optimizer_step_post_hook(_after_step)


_hook = None                 # what torch calls after each step, once there is one


def encode(sentences, vocabulary):
    """Sentences as one tensor (sentences, max_length) of the words' places in a vocabulary, filled up with zeros.

    >>> encode([("a", "b"), ("b",)], ["<pad>", "a", "b"]).tolist()
    [[1, 2], [2, 0]]
    """
    if not sentences or not all(sentences):
        raise ValueError("sentences must be at least one, each with at least one word")
    place = {word: i for i, word in enumerate(vocabulary)}
    missing = sorted({word for sentence in sentences for word in sentence} - set(place))
    if missing:
        raise ValueError(f"not in the vocabulary: {', '.join(map(repr, missing))}")
    longest = max(map(len, sentences))
    return torch.tensor([[*map(place.get, sentence), *[0] * (longest - len(sentence))] for sentence in sentences])


def next_word_loss(scores, words):
    """The mean of -log, in nats, of the probability given to each right next word, padding left out.

    The scores (b, t, words in the vocabulary) are of the word after each, and `words` (b, t) were right; 0 is padding.
    """
    return nn.functional.cross_entropy(scores.flatten(0, 1), words.flatten(), ignore_index=0)


def alignment_error_rate(weights, alignments):
    """How often attention points at the wrong word, from 0 to 1 (after Och and Ney 2003).

    Each output word is linked to the input word that it gives most weight to. A link that is acceptable but not certain
    counts as half an error: the rate is 0 when all links are certain and 1 when none is even acceptable. The weights
    are arrays (n, m), one for each sentence, with a row for each output word, or more, the others after them; an
    alignment has a tuple for each output word, the right input words, the certain one first.

    >>> weights = torch.tensor([[0.8, 0.1, 0.1], [0.1, 0.3, 0.6], [0.2, 0.2, 0.6]])
    >>> alignment_error_rate([weights], [[(0,), (2,), (1, 2)]])        # the last one acceptable, not certain
    0.16666666666666663
    """
    if len(weights) != len(alignments):
        raise ValueError(f"weights and alignments must be equally many, got {len(weights)} and {len(alignments)}")
    links = sum(map(len, alignments))
    credit = 0
    for rows, alignment in zip(weights, alignments):
        if len(rows) < len(alignment):
            raise ValueError(f"a sentence of {len(alignment)} words has weights for {len(rows)}")
        for row, right in zip(rows, alignment):
            looked_at = int(row.argmax())
            credit += (looked_at == right[0]) + (looked_at in right)
    return 1 - credit / (2 * links)
