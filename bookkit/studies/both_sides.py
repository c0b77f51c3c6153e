"""The story model trained to guess hidden words from both sides, beside the one that guesses from the left."""

import torch
from torch import nn

from bookkit.lessons import storyteller
from bookkit.lessons.encoder_decoder import EncoderBlock
from bookkit.lessons.stories import determined
from bookkit.lessons.storyteller import Readout, StoryTask
from bookkit.lessons.training import fit, new_model, next_word_loss
from bookkit.studies import runs

SEEDS = (8400, 8401, 8402)
STEPS, HIDDEN = 3000, 0.15           # the share of the words that are hidden in training
ASKED = 200                          # held-out stories
KEY = ("Max and Eva met Toby in the forest . Max found a key . then he gave the key to Toby . Toby ran to the school . "
       "now the key is with Toby in the school .")


class Reader(nn.Module):
    """An encoder over the words of a story, and over a mark for a hidden one, the last of its table."""

    def __init__(self, num_words, *, width=32, num_heads=4, num_layers=2, hidden=64):
        super().__init__()
        self.embedding = nn.Embedding(num_words + 1, width)
        self.blocks = nn.ModuleList(EncoderBlock(width, num_heads, hidden) for _ in range(num_layers))
        self.norm, self.readout = nn.LayerNorm(width), Readout(self.embedding)

    def forward(self, numbers):
        """Numbers of words (b, n), 0 for padding: scores of the word at each place (b, n, words)."""
        x, mask = self.embedding(numbers), (numbers > 0)[:, None, None]
        for block in self.blocks:
            x = block(x, mask)
        return self.readout(self.norm(x))


def train(lessons, seed):
    """A reader that has guessed hidden words."""
    model, mark = new_model(seed, Reader, len(lessons.vocabulary)), len(lessons.vocabulary)
    numbers, lengths = lessons.encode(lessons.training), torch.tensor([len(s) + 2 for s in lessons.training])

    def loss(chosen):
        words = numbers[chosen, :lengths[chosen].max()]
        hides = (torch.rand(words.shape) < HIDDEN) & (words > 2)
        return next_word_loss(model(words.masked_fill(hides, mark)), words * hides)

    fit(model, loss, len(numbers), steps=STEPS, batch_size=20, betas=(0.9, 0.98), warmup=50, clip=1.0)
    return model


@torch.no_grad()
def from_both(lessons, model, story):
    """Scores (n, words) of each word of a story while it alone is hidden."""
    places = torch.arange(1, len(story) + 1)
    hidden = lessons.encode([story]).repeat(len(story), 1)
    hidden[places - 1, places] = len(lessons.vocabulary)
    return model(hidden)[places - 1, places]


@torch.no_grad()
def from_left(lessons, model, story):
    """Scores (n, words) of each word of a story, from the words before it."""
    return model(lessons.encode([story])[:, :-1])[0][0, :len(story)]


def both_sides(seed):
    """Shares of words that are right, of those that the left decides and of the others, and the chance of one."""
    lessons = StoryTask()
    model, run = runs.trained(train, lessons, seed)
    found = {"seed": seed, **run}
    for way, scores, one in (("both", from_both, model), ("left", from_left, storyteller.trained())):
        right = {"decided": [], "others": []}
        for story in lessons.held_out[:ASKED]:
            said = scores(lessons, one, story).argmax(-1)
            for word, kind, guess in zip(story, determined(story), said.tolist()):
                right["decided" if kind else "others"].append(lessons.vocabulary[guess] == word)
        told = KEY.split()
        chances = scores(lessons, one, told)[told.index("key")].softmax(-1)
        found[way] = runs.rounded({kind: sum(some) / len(some) for kind, some in right.items()}
                                  | {"key": chances[lessons.vocabulary.index("key")].item()})
    return found


STAGES = [lambda _: [(both_sides, seed) for seed in SEEDS]]
