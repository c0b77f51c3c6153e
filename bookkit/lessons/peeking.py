"""Two small models that learn to guess the next word of a story: one sees what came before, the other sees all."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attnkit import attention, causal_mask, relative_bias, scaled_dot
from bookkit.lessons.training import reproducible

REACH = 8        # words to each side whose distance a head knows


class Reader(nn.Module):
    """One head of attention; beside what it finds stands the word's own vector, and both give a score to each word.

    `hides` says whether a word sees only itself and the words before it.
    """

    def __init__(self, words, hides, d=32):
        super().__init__()
        self.hides, self.words, self.out = hides, nn.Embedding(words, d), nn.Linear(2 * d, words)
        self.w_query, self.w_key, self.w_value = (nn.Parameter(torch.randn(d, d) / d**0.5) for _ in range(3))
        self.far = nn.Parameter(torch.zeros(1, 2 * REACH + 1))

    def forward(self, numbers):
        """Scores of the next word (stories, n, words) at each word of some stories (stories, n)."""
        x, n = self.words(numbers), numbers.shape[1]
        found, _ = attention(x @ self.w_query, x @ self.w_key, x @ self.w_value,
                             mask=causal_mask(n, like=x) if self.hides else None,
                             score=lambda q, k: scaled_dot(q, k) + relative_bias(self.far, n)[0])
        return self.out(torch.cat([x, found], dim=-1))

    def loss(self, numbers):
        """The mean loss of all guesses in some stories, padding left out."""
        return cross_entropy(self(numbers[:, :-1]).mT, numbers[:, 1:], ignore_index=0)


def trained(task, hides, seed, steps=150):
    """A reader after some seconds with a task's stories, 16 at a step."""
    reproducible()
    torch.manual_seed(seed)
    texts, reader = task.encode(task.training), Reader(len(task.vocabulary), hides).double()
    optimiser = torch.optim.Adam(reader.parameters(), lr=0.01)
    for _ in range(steps):
        loss = reader.loss(texts[torch.randint(len(texts), (16,))])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return reader


@torch.no_grad()
def write(task, reader, most=11, seed=0):
    """The first words of a story that a reader writes, each drawn by its chances; it may end the story earlier."""
    torch.manual_seed(seed)
    names = task.vocabulary
    told = [names.index("<start>")]
    while len(told) <= most:
        scores = reader(torch.tensor([told]))[0, -1]
        told.append(int(torch.multinomial(scores[2:].softmax(-1), 1)) + 2)      # neither padding nor a start
        if names[told[-1]] == "<end>":
            return " ".join(names[k] for k in told[1:-1])
    return " ".join(names[k] for k in told[1:])
