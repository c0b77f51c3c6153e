"""Training the book's small models, and measuring what came out: plumbing that every trained chapter shares."""

import math

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from attnkit import checks
from bookkit.lessons.progress import progress_bar


def fit(model, loss, num_examples, *, steps, batch_size=64, lr=1e-2, betas=(0.9, 0.999), warmup=0, clip=None,
        callback=None):
    """Train a model by Adam, the rate falling to zero along a cosine; the same on every processor.

    At the start and after each step the weights are rounded to multiples of 2^-17, which forgets where processors
    differ, if the model is in float64 from its first random number on (see `new_model`). In Jupyter a bar shows how far
    the training is.

    Parameters
    ----------
    model : torch.nn.Module
        Left in evaluation mode.
    loss : function
        Gets the numbers of the examples in a batch, a tensor of integers, and gives the number to make small.
    num_examples : int
        How many examples there are; each batch is drawn from them at random, with repetition.
    steps, batch_size : int
    lr : float
        The first learning rate, or the largest if there is a warm-up.
    betas : pair of float
        How much Adam keeps of its averages of the slopes and of their squares.
    warmup : int
        In so many steps the rate rises to `lr`, by the same amount each; less than `steps`.
    clip : float, optional
        Longer gradients, of all weights together, are shortened to this length.
    callback : function, optional
        Called with the number of the step, 0 to `steps`, before each step and after the last, the
        model in evaluation mode; draws no random numbers.

    Returns
    -------
    list of float
        The loss of each step.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> x, y = torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0], [6.0]])
    >>> line = torch.nn.Linear(1, 1, bias=False)
    >>> losses = fit(line, lambda i: ((line(x[i]) - y[i]) ** 2).mean(), 2, steps=300, batch_size=2, lr=0.1)
    >>> round(line.weight.item(), 3)
    3.0

    References
    ----------
    Kingma and Ba (2015), "Adam: A Method for Stochastic Optimization"; Loshchilov and
    Hutter (2017), "SGDR: Stochastic Gradient Descent with Warm Restarts", on the cosine.
    Chapter: translation.
    """
    for name, number in (("num_examples", num_examples), ("steps", steps), ("batch_size", batch_size)):
        checks.count(number, name)
    if checks.count(warmup, "warmup", 0) >= steps:
        raise ValueError(f"warmup must be less than steps, got {warmup} and {steps}")
    optimiser = torch.optim.Adam(model.parameters(), lr=lr, betas=betas)
    schedule = _schedule(optimiser, steps, warmup)
    optimiser.register_step_post_hook(_after_step)
    round_off(model.parameters())
    losses = []
    for step in progress_bar(steps):
        if callback:
            model.eval()
            callback(step)
        model.train()
        value = loss(torch.randint(num_examples, (batch_size,)))
        optimiser.zero_grad()
        value.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()
        schedule.step()
        losses.append(value.item())
    model.eval()
    if callback:
        callback(steps)
    return losses


def _schedule(optimiser, steps, warmup):
    """The rates: up along a line if there is a warm-up, then down along a cosine."""
    if not warmup:
        return torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    return torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: (
        (step + 1) / warmup if step < warmup else (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2))


def new_model(seed, model_class, *args, **options):
    """A module of the class `model_class` with random weights in float64.

    Parameters
    ----------
    seed : int
    model_class : class
    args, options
        What the class is called with.

    Returns
    -------
    torch.nn.Module

    Examples
    --------
    >>> new_model(0, torch.nn.Linear, 1, 1).weight.dtype
    torch.float64
    """
    torch.manual_seed(seed)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return model_class(*args, **options)
    finally:
        torch.set_default_dtype(before)


@torch.no_grad()
def round_off(weights):
    """Bring every weight to the nearest multiple of 2^-17, about a hundred-thousandth.

    Processors differ in the last digits, and a training of some hundred steps makes a visible difference of them.
    Rounded off after each step, they are forgotten, and every machine comes to the same model.

    Parameters
    ----------
    weights : iterable of tensors
        Changed in place.
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

    Examples
    --------
    >>> reproducible()
    >>> weight = torch.nn.Parameter(torch.tensor([0.1]))
    >>> weight.grad = torch.tensor([1.0])
    >>> torch.optim.SGD([weight], lr=0.001).step()
    >>> (weight * 2**17).item()
    12976.0
    """
    global _hook
    _hook = _hook or register_optimizer_step_post_hook(_after_step)


_hook = None                 # what torch calls after each step, once there is one


def encode(sentences, vocabulary):
    """Sentences as one array of word numbers, the shorter ones filled up with zeros.

    Parameters
    ----------
    sentences : list of sequences of str
    vocabulary : list of str
        A word's number is its place in it, and place 0 is for padding.

    Returns
    -------
    tensor of integers, shape (sentences, max_length)

    Raises
    ------
    ValueError
        A word is not in the vocabulary; a sentence is empty, or there is none.

    Examples
    --------
    >>> encode([("a", "b"), ("b",)], ["<pad>", "a", "b"]).tolist()
    [[1, 2], [2, 0]]
    """
    if not sentences or not all(sentences):
        raise ValueError("sentences must be at least one, each with at least one word")
    place = {word: i for i, word in enumerate(vocabulary)}
    missing = sorted({word for sentence in sentences for word in sentence} - set(place))
    if missing:
        raise ValueError(f"not in the vocabulary: {', '.join(map(repr, missing))}")
    encoded = torch.zeros(len(sentences), max(map(len, sentences)), dtype=torch.long)
    for row, sentence in zip(encoded, sentences):
        row[:len(sentence)] = torch.tensor([place[word] for word in sentence])
    return encoded


def next_word_loss(scores, words):
    """The mean of -log of the probability given to each right next word, padding left out.

    Parameters
    ----------
    scores : tensor, shape (b, t, words in the vocabulary)
        Of the word after each.
    words : tensor of integers, shape (b, t)
        The words that were right; 0 is padding.

    Returns
    -------
    tensor, shape ()
        In nats.

    Examples
    --------
    >>> import torch
    >>> next_word_loss(torch.zeros(1, 2, 8), torch.tensor([[5, 0]])).exp().round(decimals=4).item()
    8.0
    """
    return nn.functional.cross_entropy(scores.flatten(0, 1), words.flatten(), ignore_index=0)


def alignment_error_rate(weights, alignments):
    """How often attention points at the wrong word.

    Each output word is linked to the input word that it gives most weight to. A link that is acceptable but not
    certain counts as half an error: the rate is 0 when all links are certain and 1 when none is even acceptable.

    Parameters
    ----------
    weights : list of arrays, each of shape (n, m)
        One for each sentence: a row for each output word, or more, the others after them.
    alignments : list of sequences of n tuples of int
        For each output word the right input words, the certain one first.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        There are not as many alignments as arrays, or no word at all; a sentence has fewer weights than words.

    Examples
    --------
    >>> import torch
    >>> weights = torch.tensor([[0.8, 0.1, 0.1], [0.1, 0.3, 0.6], [0.2, 0.2, 0.6]])
    >>> alignment_error_rate([weights], [[(0,), (2,), (1, 2)]])        # the last one acceptable, not certain
    0.16666666666666663

    References
    ----------
    Och and Ney (2003), "A Systematic Comparison of Various Statistical Alignment Models".
    Chapter: translation.
    """
    if len(weights) != len(alignments):
        raise ValueError(f"weights and alignments must be equally many, got {len(weights)} and {len(alignments)}")
    links = sum(map(len, alignments))
    if not links or not all(right for alignment in alignments for right in alignment):
        raise ValueError("alignments must have at least one word, and each word at least one position")
    credit = 0
    for rows, alignment in zip(weights, alignments):
        if len(rows) < len(alignment):
            raise ValueError(f"a sentence of {len(alignment)} words has weights for {len(rows)}")
        for row, right in zip(rows, alignment):
            looked_at = int(row.argmax())
            credit += (looked_at == right[0]) + (looked_at in right)
    return 1 - credit / (2 * links)
