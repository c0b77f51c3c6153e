"""The training of the storyteller, to be looked at: what it writes, what it answers and where it looks, at some steps.

A page shows it, and trains a model of its own that is looked at in the same way: `bookkit.figures.StoryTrainer`.
"""

import json
from pathlib import Path

import numpy as np
import torch

from bookkit.lessons.stories import errors, stories
from bookkit.lessons.storyteller import CHAPTER_SEED, SHORT, START, TRAINED, StoryTask, Storyteller, write
from bookkit.lessons.training import descent, new_model, next_word_loss

STEPS, BATCH_SIZE = 4000, 10
MARKS = (0, 25, 50, 100, 200, 400, 800, 1600, 2400, 4000)      # the steps at which it is looked at
RECENT = 25                  # so many losses make the one of a mark
RECORDED = Path(__file__).with_name("story_training.json")
# The story that the chapter `transformer` asks about, not among those to learn from; its first sentence goes on.
_TOLD = stories(5, seed=[0, 1])[4]
_ASKED = _TOLD[:_TOLD.index("with") + 1]
BEGINNING, SEED, TEMPERATURE = " ".join(_TOLD[:9]), 1, 0.7
# The right answer comes first; a text is what stands before it. `decides` is the place of the word, after <start>, that
# tells who has the thing.
QUESTIONS = [{"asks": "Who has the key?", "text": " ".join(_ASKED), "answers": ["Max", "Eva", "Toby"]},
             {"asks": "Where is it?", "text": f"{' '.join(_ASKED)} Max in the", "answers": ["forest", "school"]}]
DECIDES = _ASKED.index("him") + 1


@torch.no_grad()
def look(model, step, losses):
    """A model at a step of its training, as plain data; `losses` are those so far.

    ``step`` and ``loss``, the mean of the last ones; ``story``, its words, and ``errors``, their kinds and places;
    ``chances``, for each question those of its answers; ``head``, the layer and the number of the one that looks most
    at the word that decides, and ``weights``, what it gives each word from the last one.
    """
    place = {word: k for k, word in enumerate(model.words)}
    results = [model.trace([place[START], *map(place.get, question["text"].split())]) for question in QUESTIONS]
    chances = [torch.tensor(found["scores"][-1]).softmax(0)[list(map(place.get, question["answers"]))].tolist()
               for found, question in zip(results, QUESTIONS)]
    weights = np.stack([results[0][f"layers.{layer}.weights"][:, -1] for layer in range(model.num_layers)])
    layer, head = divmod(int(weights[:, :, DECIDES].argmax()), model.num_heads)
    story = write(model, BEGINNING, temperature=TEMPERATURE, seed=SEED)
    return {"step": step, "loss": float(np.mean(losses[-RECENT:])), "story": list(story),
            "errors": [list(mistake) for mistake in errors(story)], "chances": chances, "head": [layer, head],
            "weights": weights[layer, head].tolist()}


def train(until=STEPS):
    """The training of the chapter up to a step: the model, the marks, and the loss of each step."""
    task, marks, losses = StoryTask(), [], []
    model = new_model(CHAPTER_SEED, Storyteller, task.vocabulary)
    downhill = descent(model, STEPS, lr=0.01, betas=(0.9, 0.98), warmup=STEPS // 80, clip=1.0)
    for step in range(until):
        chosen = torch.randint(len(task.training), (BATCH_SIZE,))
        numbers = task.batch(chosen, short=step < SHORT * STEPS)
        loss = next_word_loss(model(numbers[:, :-1])[0], numbers[:, 1:])
        losses.append(loss.item())
        if step in MARKS:
            marks.append(look(model, step, losses))
        downhill(loss)
    return model.eval(), [*marks, look(model, until, losses)], losses


def curve(losses):
    """Losses as a curve of few points: after each step that is a tenth larger than the last, the mean since then.

    >>> curve([4.0, 3.0, 2.0, 1.0])
    [[1, 4.0], [2, 3.0], [3, 2.0], [4, 1.0]]
    """
    points, last = [], 0
    while last < len(losses):
        step = min(max(last + 1, int(1.1 * last)), len(losses))
        points.append([step, float(np.mean(losses[last:step]))])
        last = step
    return points


def rounded(data):
    """The same data with numbers of three decimals."""
    if isinstance(data, dict):
        return {name: rounded(one) for name, one in data.items()}
    if isinstance(data, list):
        return [rounded(one) for one in data]
    return round(data, 3) if isinstance(data, float) else data


def recording():
    """The chapter's own training as `RECORDED` holds it, and what the model was asked: what `StoryTrainer` shows."""
    told = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {**told, "words": StoryTask().vocabulary, "questions": QUESTIONS, "decides": DECIDES, "beginning": BEGINNING,
            "seed": SEED, "temperature": TEMPERATURE, "chapter_seed": CHAPTER_SEED}


if __name__ == "__main__":
    torch.set_num_threads(1)
    trained, marks, losses = train()
    TRAINED.write_text(json.dumps(trained.packed(), indent=1) + "\n", encoding="utf-8")
    told = {"marks": marks, "losses": curve(losses), "lowest": StoryTask().loss(trained)}
    RECORDED.write_text(json.dumps(rounded(told)) + "\n", encoding="utf-8")
