"""The Transformer of 2017 in small: an encoder reads a sentence, a decoder writes its translation and looks back."""

import torch
from torch import nn

from attnkit import attention, merge_heads, scaled_dot, split_heads
from attnkit.masks import causal_mask
from attnkit.modules import xavier
from attnkit.positions import relative_bias
from bookkit.lessons.storyteller import Readout
from bookkit.lessons.translation import Dropout, evaluating

REACH = 12                   # how many places to each side the bias tells apart


class Look(nn.Module):
    """Items look at items, the same or others: several heads, with a relative bias or without.

    Only the bias keeps its two blocks from being `attnkit.modules.TransformerBlock`.
    """

    def __init__(self, width, num_heads, *, biased):
        super().__init__()
        self.num_heads = num_heads
        self.w_query, self.w_key, self.w_value, self.w_output = (xavier(width, width) for _ in range(4))
        self.bias = nn.Parameter(torch.zeros(num_heads, 2 * REACH + 1)) if biased else None

    def forward(self, x, given, mask=None):
        """What x (b, n, d) finds in `given` (b, m, d), and the weights (b, h, n, m); mask True = may look."""
        query, key, value = (split_heads(items @ w, self.num_heads)
                             for items, w in ((x, self.w_query), (given, self.w_key), (given, self.w_value)))
        scores = scaled_dot(query, key)
        if self.bias is not None:
            scores = scores + relative_bias(self.bias, x.shape[1], given.shape[1])
        heads, weights = attention(query, key, value, mask=mask, score=lambda *_: scores)
        return merge_heads(heads) @ self.w_output, weights


class EncoderBlock(nn.Module):
    """A block of the encoder: every word looks at every word."""

    def __init__(self, width, num_heads, hidden):
        super().__init__()
        self.look, self.mlp = Look(width, num_heads, biased=True), mlp(width, hidden)
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, mask):
        """Items x (b, m, d), mask (b, 1, 1, m)."""
        items = self.norm_1(x)
        x = x + self.look(items, items, mask)[0]
        return x + self.mlp(self.norm_2(x))


class DecoderBlock(nn.Module):
    """A block of the decoder: its words look at the words before them, then at those that the encoder has read."""

    def __init__(self, width, num_heads, hidden):
        super().__init__()
        self.look, self.mlp = Look(width, num_heads, biased=True), mlp(width, hidden)
        self.cross = Look(width, 1, biased=False)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(width) for _ in range(3))

    def forward(self, y, encoded, mask):
        """Items y (b, t, d); what the encoder gives (b, m, d), mask (b, 1, 1, m)."""
        items = self.norm_1(y)
        past = causal_mask(y.shape[1], like=y)
        y = y + self.look(items, items, past)[0]
        seen, weights = self.cross(self.norm_2(y), encoded, mask)
        y = y + seen
        return y + self.mlp(self.norm_3(y)), weights[:, 0]


def mlp(width, hidden):
    """Two layers with a ReLU between."""
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))


class EncoderDecoder(nn.Module):
    """An encoder and a decoder of a few blocks each; it is trained and asked as a `Translator` is.

    Norms stand before the branches, positions are a relative bias in the attention of a language on itself, and the
    scores of target words are dot products with their own vectors.

    Sizes are the numbers of words in the two vocabularies. Cross-attention has one head, so that one picture shows it;
    `dropout` is the share of the numbers in embeddings set to zero while training.
    """

    training_settings = {"betas": (0.9, 0.98), "warmup": 50, "clip": 1.0}

    def __init__(self, source_size, target_size, width=32, *, num_heads=4, num_layers=2, hidden=64, dropout=0.0):
        super().__init__()
        self.source_embedding = nn.Embedding(source_size, width)
        self.target_embedding = nn.Embedding(target_size, width)
        self.encoder = nn.ModuleList(EncoderBlock(width, num_heads, hidden) for _ in range(num_layers))
        self.encoder_norm = nn.LayerNorm(width)
        self.decoder = nn.ModuleList(DecoderBlock(width, num_heads, hidden) for _ in range(num_layers))
        self.decoder_norm = nn.LayerNorm(width)
        self.readout = Readout(self.target_embedding)
        self.dropout = Dropout(dropout)

    def encode(self, source, mask):
        """What the encoder makes of words (b, m), mask (b, 1, 1, m)."""
        x = self.dropout(self.source_embedding(source))
        for block in self.encoder:
            x = block(x, mask)
        return self.encoder_norm(x)

    def decode(self, target, encoded, mask):
        """Scores (b, t, words) of the word after each of the target words (b, t), and the weights of each block."""
        y, looked = self.dropout(self.target_embedding(target)), []
        for block in self.decoder:
            y, weights = block(y, encoded, mask)
            looked.append(weights)
        return self.readout(self.decoder_norm(y)), looked

    def forward(self, source, target, mask=None):
        """Teacher forcing: source (b, m), target (b, t) beginning with the start word, mask (b, m), True = a word.

        Gives the scores of each next word (b, t, words), and where the last block looked to say it (b, t, m).
        """
        seen = (torch.ones_like(source) if mask is None else mask).bool()[:, None, None]
        scores, looked = self.decode(target, self.encode(source, seen), seen)
        return scores, looked[-1]

    @torch.no_grad()
    def translate(self, source, *, start, end, max_length, mask=None):
        """Greedy decoding: for each sentence of source (b, m), words without start and end, and weights (words, m)."""
        seen = (torch.ones_like(source) if mask is None else mask).bool()[:, None, None]
        with evaluating(self):
            encoded = self.encode(source, seen)
            said = torch.full((len(source), 1), start)
            for _ in range(max_length):
                scores, looked = self.decode(said, encoded, seen)
                said = torch.cat([said, scores[:, -1:].argmax(-1)], dim=1)
        sentences = [row[1:].tolist() for row in said]
        lengths = [row.index(end) if end in row else max_length for row in sentences]
        return [row[:n] for row, n in zip(sentences, lengths)], [rows[:n] for rows, n in zip(looked[-1], lengths)]
