"""Questions to the book: how often the right page is found by vectors of a real model, and by the words."""

import numpy as np

from bookkit.lessons import minilm
from bookkit.lessons.passages import Library, by_words

# Written before anything was asked, from the list of pages. A page's side room is right where the page is.
QUESTIONS = {
    "the book's words": [
        ("Why do we divide the scores by the root of the key's width?", "matrix_form softmax"),
        ("What is the difference between a query and a key?", "queries_keys_values"),
        ("What does the value matrix do?", "queries_keys_values"),
        ("How does softmax turn scores into weights?", "softmax"),
        ("What does the temperature of a softmax change?", "softmax"),
        ("Why do the weights of attention sum to one?", "weights softmax"),
        ("How do you hide the future from a word?", "masks"),
        ("What happens to padding in a batch of sentences?", "masks"),
        ("Why does attention not know the order of words?", "positions"),
        ("How do sine waves encode a position?", "positions"),
        ("What is rotary position embedding?", "positions"),
        ("Why use several heads instead of one?", "multi_head"),
        ("What does the output matrix after the heads do?", "multi_head"),
        ("What is a residual connection good for?", "layers"),
        ("What does layer normalization do?", "layers"),
        ("What is the difference between an encoder and a decoder?", "transformer"),
        ("How is the next word chosen from the chances?", "writing"),
        ("What is a key value cache?", "writing cost"),
        ("How long does attention take for long texts?", "cost"),
        ("What is linear attention?", "cost recurrence_and_graphs"),
        ("Which head knows who owns the key?", "machine"),
        ("What does [CLS] do in a real model?", "real_model"),
        ("How does a translation model align words of two languages?", "translation"),
        ("What is additive attention by Bahdanau?", "score_functions translation"),
        ("Is cosine similarity better than the dot product?", "score_functions dot_product"),
        ("Can a convolution be written as attention?", "convolution"),
        ("How does attention differ from a fully connected layer?", "fully_connected"),
        ("What are squeeze and excitation channel weights?", "convolution"),
        ("Are attention weights an explanation of the answer of a classifier?", "document_classifier"),
        ("How are the query and key matrices learned by gradient descent?", "learning"),
    ],
    "everyday words": [
        ("How do you find a film that somebody will like?", "dot_product"),
        ("What if I look something up and nothing fits exactly?", "soft_dictionary"),
        ("Why can the machine not peek at what comes next?", "masks"),
        ("Does it matter in which order I say the words?", "positions"),
        ("Why does it get so slow with a whole book?", "cost"),
        ("How can it write stories by itself?", "writing"),
        ("Who gets how much of the attention, and why is it a budget?", "weights"),
        ("How does it learn from its mistakes?", "learning"),
        ("Can it tell whether a review is good or bad?", "document_classifier"),
        ("How do you translate a sentence from French?", "translation"),
        ("Why does the same word mean different things?", "basic_attention real_model"),
        ("What do the letters and arrows stand for?", "notation"),
        ("How did people do it before, one word after the other?", "recurrence_and_graphs"),
        ("Can it look at pictures, too?", "convolution"),
        ("Why stack one thing on top of another?", "layers"),
    ],
}


def ask_the_book(kind):
    """Of the questions of a kind: how many have a right page first, and among the first three, by either way."""
    library = Library(minilm.loaded())
    return {"questions": kind, "passages": len(library.passages)} | counted(kind, library.passages, library.keys)


def counted(kind, passages, keys):
    """What `ask_the_book` counts, with the keys (m, d) of some passages."""
    model, texts = minilm.loaded(), [passage.words for passage in passages]
    ways = {"vectors": lambda question: keys @ model.vector(question),
            "words": lambda question: by_words(question, texts)}
    found = {}
    for way, score in ways.items():
        places = [place(passages, score(question), right.split()) for question, right in QUESTIONS[kind]]
        found[way] = {"asked": len(places), "first": sum(k == 0 for k in places),
                      "in three": sum(k < 3 for k in places)}
    return found


def place(passages, scores, right):
    """At which place, counted from 0, the first right page stands among the pages of the passages in order."""
    pages = dict.fromkeys(passages[k].page.split("/")[1] for k in np.argsort(-scores, kind="stable"))
    return min(list(pages).index(page) for page in right)


STAGES = [lambda runs: [(ask_the_book, kind) for kind in QUESTIONS]]
