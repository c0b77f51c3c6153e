"""The story model trained with one bug planted in it, sixteen bugs one at a time, and eight checks that may find them.

A bug is a line of the model or of its training loop that has been changed. Nothing stops or warns: each of these runs
goes through to its last step.
"""

import math
from typing import NamedTuple

import torch
from torch import nn

from attnkit import merge_heads, softmax, split_heads
from attnkit.masks import causal_mask
from bookkit.lessons.storyteller import Readout, StoryBlock, StoryTask, write
from bookkit.lessons.training import new_model, round_off

SOUND = "nothing is wrong"
STEPS, OVERFIT_STEPS = 300, 400
CONTEXT = 64
SAMPLES, SAMPLE_LENGTH = 3, 24           # what a trained model writes: texts, and words of each
CHECKS = ("print input and target", "change a later word", "count parameters", "what has moved?",
          "gradient and step", "largest weights", "overfit ten stories", "test on new stories")


class Bug(NamedTuple):
    """A planted bug: what it is called, the sound line and the planted one, and what gives it away.

    `tells` are the checks that do, the best one first; "the curve" stands for the curve and its first loss.
    """

    name: str
    sound: str
    planted: str
    tells: tuple
    lesson: str


_PAIRS, _LATER, _COUNT, _MOVED, _GRADIENT, _WEIGHTS, _OVERFIT, _NEW = CHECKS
_CURVE = "the curve"
BUGS = (
    Bug("targets are not shifted", "targets = batch[:, 1:]", "targets = batch[:, :-1]", (_PAIRS, _OVERFIT),
        "The model is asked for the word that it has just read, so it learns to say everything twice."),
    Bug("the mask is missing", "mask=causal_mask(n)", "mask=None", (_LATER, _OVERFIT),
        "The model reads the answer. When it writes, there is no answer to read."),
    Bug("the mask is the wrong way round", "mask=causal_mask(n)", "mask=causal_mask(n).T", (_LATER, _OVERFIT),
        "Each word sees itself and what comes after it, the answer included."),
    Bug("heads are merged in the wrong order", "heads.transpose(1, 2).reshape(b, n, d)", "heads.reshape(b, n, d)",
        (_LATER, _OVERFIT),
        "The shapes fit, and rows of different words are mixed, later ones among them."),
    Bug("padding counts in the loss", "ignore_index=0", "ignore_index=-100", (_PAIRS,),
        "Padding is easy to predict, so the loss looks better than it is."),
    Bug("the learning rate is too large", "lr=1e-2", "lr=1", (_GRADIENT, _CURVE),
        "Each step throws away what the last ones found."),
    Bug("the learning rate is too small", "lr=1e-2", "lr=1e-4", (_GRADIENT, _CURVE),
        "Nothing is wrong with the direction, and after all steps the model has hardly left."),
    Bug("gradients are never set to zero", "optimiser.zero_grad()", "", (_GRADIENT, _OVERFIT),
        "Each gradient is added to all gradients before it, so that old stories go on pulling."),
    Bug("softmax is taken twice", "cross_entropy(scores, ...)", "cross_entropy(scores.softmax(-1), ...)",
        (_CURVE, _GRADIENT, _OVERFIT),
        "cross_entropy takes a softmax itself. Of numbers between 0 and 1 it makes nearly equal shares."),
    Bug("the root of d_k is missing", "Q @ K.T / sqrt(d_k)", "Q @ K.T", (_WEIGHTS,),
        "Heads begin sharper than they should. At this small width it costs little."),
    Bug("positions are forgotten", "scores + bias", "scores", (_MOVED,),
        "The numbers for distances exist and are never used. The mask alone tells the model something about order."),
    Bug("the second block is kept in a list", "nn.ModuleList(blocks)", "[blocks[1]]", (_COUNT, _MOVED),
        "torch does not look into lists, so the optimiser never hears of this block. It stays as random as it began."),
    Bug("both blocks are kept in a list", "nn.ModuleList(blocks)", "blocks", (_COUNT, _MOVED, _OVERFIT),
        "Only the table of word vectors and the last norm learn; attention stays random."),
    Bug("word vectors begin ten times too large", "nn.Embedding(words, d)", "10 * nn.Embedding(words, d)",
        (_CURVE, _GRADIENT),
        "The same table makes the scores, so they begin ten times too large as well, and the model is sure and wrong."),
    Bug("a block forgets to add its input", "x = x + attention(norm(x))", "x = attention(norm(x))", (_CURVE, _GRADIENT),
        "The word just read is no longer in the stream. So the model does not expect to hear it again, and the first "
        "loss is too low."),
    Bug("it trains on a hundred stories", "stories(20_000)", "stories(100)", (_NEW,),
        "It learns the stories instead of what makes them stories, and its curve looks better for it."),
)
NAMES = (*(bug.name for bug in BUGS), SOUND)


class PlantedBlock(StoryBlock):
    """A block of the story model with one of the bugs, or with none."""

    def __init__(self, width, num_heads, hidden, bug):
        super().__init__(width, num_heads, hidden)
        self.bug = bug

    def forward(self, x):
        """Items (b, n, d): what goes on, of the same shape, and weights (b, h, n, n)."""
        items = self.attention_norm(x)                                                       # (b, n, d)
        query, key, value = (split_heads(items @ w, self.num_heads)                          # (b, h, n, d_k)
                             for w in (self.w_query, self.w_key, self.w_value))
        root = 1 if self.bug == "the root of d_k is missing" else math.sqrt(query.shape[-1])
        scores = query @ key.mT / root                                                       # (b, h, n, n)
        if self.bug != "positions are forgotten":
            scores = scores + self.distances(x.shape[1], x.shape[1])
        weights = softmax(scores.masked_fill(~self._mask(x), -math.inf))                     # (b, h, n, n)
        heads = weights @ value                                                              # (b, h, n, d_k)
        wrong = self.bug == "heads are merged in the wrong order"
        looked = (heads.reshape(x.shape) if wrong else merge_heads(heads)) @ self.w_output   # (b, n, d)
        x = looked if self.bug == "a block forgets to add its input" else x + looked         # (b, n, d)
        return x + self.mlp(self.mlp_norm(x)), weights

    def _mask(self, x):
        mask = causal_mask(x.shape[1], like=x)                                               # (n, n)
        if self.bug == "the mask is missing":
            return torch.ones_like(mask)
        return mask.mT if self.bug == "the mask is the wrong way round" else mask


class PlantedModel(nn.Module):
    """The story model with one of the bugs of `NAMES`, or with none; then it is a `Storyteller`, number for number."""

    context = CONTEXT

    def __init__(self, words, bug=SOUND, *, width=32, num_heads=4, num_layers=2, hidden=64):
        super().__init__()
        if bug not in NAMES:
            raise ValueError(f"bug must be a name of NAMES, got {bug!r}")
        self.words, self.bug = list(words), bug
        self.embedding = nn.Embedding(len(self.words), width)
        blocks = [PlantedBlock(width, num_heads, hidden, bug) for _ in range(num_layers)]
        unseen = {"both blocks are kept in a list": num_layers, "the second block is kept in a list": 1}.get(bug, 0)
        self.blocks = nn.ModuleList(blocks[:num_layers - unseen])
        self.in_list = blocks[num_layers - unseen:]           # torch does not look into a list
        self.norm = nn.LayerNorm(width)
        self.readout = Readout(self.embedding)
        if bug == "word vectors begin ten times too large":
            with torch.no_grad():
                self.embedding.weight.mul_(10)

    def forward(self, numbers, cache=None):
        """Numbers of words (b, n): scores of the next word (b, n, words), and weights (b, h, n, n) of each block.

        `write` hands over a cache, which stays None here.
        """
        x, weights = self.embedding(numbers), []                                             # (b, n, d)
        for block in (*self.blocks, *self.in_list):
            x, looks = block(x)
            weights.append(looks)
        return self.readout(self.norm(x)), weights                                           # (b, n, words)

    def tensors(self):
        """All its numbers by name, those that torch does not see among them."""
        yield from self.named_parameters()
        for k, block in enumerate(self.in_list, start=len(self.blocks)):
            for name, tensor in block.named_parameters():
                yield f"blocks.{k}.{name}", tensor


class PlantedRun:
    """A training with one of the bugs of `NAMES`, or with none, and the checks one can make.

    `task` has the stories, if they are there already. Once it is trained, `losses` and `strides` have for each step the
    loss, and how long the step was for the length of all numbers.
    """

    def __init__(self, bug, seed=0, task=None):
        few = bug == "it trains on a hundred stories"
        self.task = StoryTask(100) if few else task or StoryTask()
        self.held_out = (task or self.task).held_out
        self.bug, self.seed = bug, seed
        self.model = new_model(seed, PlantedModel, self.task.vocabulary, bug)
        self.numbers = self.task.encode(self.task.training)
        self.losses, self.strides = [], []

    def ten_stories(self, step):
        """The numbers of ten stories (10, n), as the story model is trained: at first of the shorter ones."""
        chosen = torch.randint(len(self.numbers), (10,))
        if step < 0.15 * STEPS:
            chosen = chosen // 4
        batch = self.numbers[chosen]
        return batch[:, :int((batch > 0).sum(1).max())]

    def loss(self, model, batch):
        """The loss as this run computes it."""
        scores, _ = model(batch[:, :-1])
        if self.bug == "softmax is taken twice":
            scores = scores.softmax(-1)
        targets = batch[:, :-1] if self.bug == "targets are not shifted" else batch[:, 1:]
        ignored = -100 if self.bug == "padding counts in the loss" else 0
        return nn.functional.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=ignored)

    def train(self, steps=STEPS, batch=None):
        """Train, with the same ten stories at each step if a batch of them is given; the run itself."""
        lr = {"the learning rate is too large": 1.0, "the learning rate is too small": 1e-4}.get(self.bug, 1e-2)
        optimiser = torch.optim.Adam(self.model.parameters(), lr=lr, betas=(0.9, 0.98))
        warmup = steps // 80
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: (
            (step + 1) / warmup if step < warmup else (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2))
        round_off(self.model.parameters())
        for step in range(steps):
            value = self.loss(self.model, self.ten_stories(step) if batch is None else batch)
            self.clear(optimiser)
            value.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            before = [p.detach().clone() for p in self.model.parameters()]
            optimiser.step()
            schedule.step()
            round_off(self.model.parameters())
            self.strides.append(_length(p - q for p, q in zip(self.model.parameters(), before)) / _length(before))
            self.losses.append(value.item())
        return self

    def clear(self, optimiser):
        """What this run does before it asks for a gradient: forget the last one, or not."""
        if self.bug != "gradients are never set to zero":
            optimiser.zero_grad()

    # ---- the checks: numbers by name

    def pairs(self):
        """Of ten stories: the first three pairs of input and target, how many pairs count, how many are padding."""
        torch.manual_seed(self.seed)
        batch = self.ten_stories(STEPS)
        targets = batch[:, :-1] if self.bug == "targets are not shifted" else batch[:, 1:]
        words = self.task.vocabulary
        first = [[words[a], words[b]] for a, b in zip(batch[0, :3], targets[0, :3])]
        padding, counted = int((targets == 0).sum()), int((targets > 0).sum())
        if self.bug != "padding counts in the loss":
            padding = 0
        return {"first": first, "count": counted + padding, "padding": padding}

    @torch.no_grad()
    def moved_by_later(self, num_stories=20):
        """By how much, at most, the scores at earlier places move if the word in the middle of a story is another."""
        found = 0.0
        for story in self.held_out[:num_stories]:
            numbers = self.task.encode([story])[:, :-1]
            middle = numbers.shape[1] // 2
            other = numbers.clone()
            other[0, middle] = 3 + (numbers[0, middle] - 3 + 1) % (len(self.task.vocabulary) - 3)
            change = self.model(numbers)[0] - self.model(other)[0]
            found = max(found, change[0, :middle].abs().max().item())
        return found

    def parameters(self):
        """How many numbers the optimiser has been given."""
        return sum(p.numel() for p in self.model.parameters())

    def unmoved(self):
        """The names of the tensors that are as they were before the training."""
        start = dict(new_model(self.seed, PlantedModel, self.task.vocabulary, self.bug).tensors())
        round_off(tensor for name, tensor in start.items() if name in dict(self.model.named_parameters()))
        return [name for name, tensor in self.model.tensors() if torch.equal(tensor, start[name])]

    def gradient(self):
        """At the start: how long the gradient of ten stories is, and the one that the loop gets with the same again."""
        model = new_model(self.seed, PlantedModel, self.task.vocabulary, self.bug)
        optimiser = torch.optim.Adam(model.parameters())
        torch.manual_seed(self.seed)
        batch, lengths = self.ten_stories(STEPS), []
        for _ in range(2):
            self.clear(optimiser)
            self.loss(model, batch).backward()
            lengths.append(_length(p.grad for p in model.parameters() if p.grad is not None))
        return lengths

    @torch.no_grad()
    def sharpest(self, trained, num_stories=100):
        """The mean of the largest weight of a row, of the last words of stories, at the start or after training."""
        model = self.model if trained else new_model(self.seed, PlantedModel, self.task.vocabulary, self.bug)
        found = []
        for story in self.held_out[:num_stories]:
            for weights in model(self.task.encode([story])[:, :-1])[1]:
                found.append(weights[0, :, -10:].max(-1).values.mean().item())
        return sum(found) / len(found)

    def overfit(self):
        """The loss of the last of 400 steps with the same ten stories, by a model that begins anew."""
        run = PlantedRun.__new__(PlantedRun)
        run.__dict__ = self.__dict__ | {"losses": [], "strides": [], "model": new_model(
            self.seed, PlantedModel, self.task.vocabulary, self.bug)}
        torch.manual_seed(self.seed)
        return run.train(OVERFIT_STEPS, self.ten_stories(STEPS)).losses[-1]

    @torch.no_grad()
    def tested(self, num_stories=500):
        """Loss on stories of the training and on new ones, and the share of decided words that are right there."""
        def loss(texts):
            numbers = self.task.encode(texts)
            return self.loss(self.model, numbers).item()

        seen = self.task.training[::max(1, len(self.task.training) // num_stories)][:num_stories]
        new = self.held_out[:num_stories]
        return loss(seen), loss(new), self.task.evaluate(self.model, new)["all"]

    def examined(self):
        """The curve, what the model writes and what all checks find, rounded, as it is written down."""
        seen, new, right = self.tested()
        first, last = self.losses[0], sum(self.losses[-20:]) / 20
        groups = [self.losses[k:k + 5] for k in range(0, len(self.losses), 5)]
        return {
            "first": round(first, 2), "last": round(last, 3), "curve": [round(sum(five) / 5, 2) for five in groups],
            "written": self.written(), "pairs": self.pairs(), "moved by later": round(self.moved_by_later(), 2),
            "parameters": self.parameters(), "unmoved": self.unmoved(),
            "gradient": [round(length, 3) for length in self.gradient()],
            "stride": round(sum(self.strides[50:150]) / 100, 5),
            "sharpest": [round(self.sharpest(trained), 2) for trained in (False, True)],
            "overfit": round(self.overfit(), 3), "seen": round(seen, 3), "new": round(new, 3), "right": round(right, 3),
        }

    def written(self):
        """What the model writes from nothing, seeds 0, 1 and 2."""
        return [" ".join(words) for words in write(self.model, seed=range(SAMPLES), max_length=SAMPLE_LENGTH,
                                                   cached=False)]


def _length(tensors):
    """The length of all numbers of some tensors, as one vector."""
    return math.sqrt(sum(t.detach().square().sum().item() for t in tensors))


def said(run):
    """What the checks of `CHECKS` say of a run, in words; the run is what `PlantedRun.examined` gives, or is written
    down of it.
    """
    pairs = "; ".join(f"{a} → {b}" for a, b in run["pairs"]["first"])
    padding = run["pairs"]["padding"]
    unmoved = run["unmoved"]
    if not unmoved:
        moved = "All 29 tensors have changed."
    else:
        which = " and ".join(unmoved) if len(unmoved) < 3 else f"all that begin with {_beginnings(unmoved)}"
        moved = f"{len(unmoved)} of 29 tensors are as they began: {which}."
    first, again = run["gradient"]
    before, after = run["sharpest"]
    return [
        f"{pairs}; and so on. {run['pairs']['count']} pairs of ten stories count"
        + (f", and {padding} of them ask for padding." if padding else ", none of them for padding."),
        f"The scores of earlier words move by {run['moved by later']:.2f}." if run["moved by later"] else
        "The scores of earlier words stay as they are.",
        f"The optimiser has {run['parameters']:,} numbers.",
        moved,
        f"The gradient is {first:.2f} long, for the same stories once more {again:.2f}. "
        f"A later step changes the numbers by {100 * run['stride']:.2f} %.",
        f"The largest weight of a row is {before:.2f} before training, {after:.2f} after, in the mean.",
        f"After {OVERFIT_STEPS} steps with the same ten stories the loss is {run['overfit']:.3f}.",
        f"Loss {run['seen']:.2f} on stories of the training, {run['new']:.2f} on new ones, "
        f"where {round(100 * run['right'])} of 100 decided words are right.",
    ]


def _beginnings(names):
    return " and ".join(dict.fromkeys(".".join(name.split(".")[:2]) for name in names))


def drawn(run):
    """A run as `bookkit.figures.BugHunt` takes it."""
    return {"curve": run["curve"], "first": run["first"], "last": run["last"], "samples": run["written"],
            "found": said(run), "bug": NAMES.index(run["bug"])}


def finds(run, sound, floor):
    """Which checks, of `CHECKS` and "the curve", tell a run from sound ones, by half or more.

    The run is what `PlantedRun.examined` gives, `sound` the same of runs without a bug, from several seeds. `floor` is
    the least loss with ten stories that are learned by heart; below half of it, the answers must be in sight.
    """
    def off(number, numbers, factor=1.5):
        return (number > factor * max(numbers)
                or number < min(numbers) / factor)

    def of(name, k=None):
        return [one[name] if k is None else one[name][k]
                for one in sound]

    (first, again), before = run["gradient"], run["sharpest"][0]
    seen, padding = run["pairs"]["first"], run["pairs"]["padding"]
    found = {
        _CURVE: run["last"] > 1.5 * max(of("last"))
        or run["first"] < min(of("first")) - 0.5
        or run["first"] > max(of("first")) + 0.5,
        _PAIRS: padding > 0 or any(a == b for a, b in seen),
        _LATER: run["moved by later"] > 0,
        _COUNT: run["parameters"] != of("parameters")[0],
        _MOVED: bool(run["unmoved"]),
        _GRADIENT: again > 1.5 * first
        or off(first, of("gradient", 0))
        or off(run["stride"], of("stride")),
        _WEIGHTS: off(before, of("sharpest", 0)),
        _OVERFIT: run["overfit"] > 1.5 * max(of("overfit"))
        or run["overfit"] < floor / 2,
        _NEW: run["new"] > 1.2 * run["seen"],
    }
    return {check for check, tells in found.items() if tells}
