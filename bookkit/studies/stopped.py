"""The model that writes stories at five widths on few stories, stopped where it is best on others: what size costs."""

from bookkit.lessons.storyteller import SHORT, StoryTask, Storyteller
from bookkit.lessons.training import fit, new_model, next_word_loss

WIDTHS = (8, 16, 24, 32, 48)
STORIES = (100, 400)
SEEDS = (8200,)
EVERY, PATIENCE = 50, 600            # steps from one look to the next, and until nobody hopes any more
LOOKED_AT = 200                      # held-out stories that say when to stop; the others say how good it is then


class _Enough(Exception):
    """The loss on other stories has not fallen for long."""


def stopped(width, num_stories, seed):
    """One model, its loss where it was best, and the step; the schedule is that of all steps, as in `sizes`."""
    lessons, some = StoryTask(), StoryTask(num_stories, num_held_out=1)
    looked_at, others = lessons.held_out[:LOOKED_AT], lessons.held_out[LOOKED_AT:]
    model = new_model(seed, Storyteller, some.vocabulary, width=width, hidden=2 * width)
    best, taken = {"on looked at": float("inf"), "step": 0}, 0

    def loss(chosen):
        nonlocal taken
        numbers = some.batch(chosen, short=taken < SHORT * 4000)
        taken += 1
        return next_word_loss(model(numbers[:, :-1])[0], numbers[:, 1:])

    def look(step):
        if step % EVERY:
            return
        now = lessons.loss(model, looked_at)
        if now < best["on looked at"]:
            best.update({"on looked at": round(now, 4), "step": step, "loss": round(lessons.loss(model, others), 4)})
        elif step - best["step"] >= PATIENCE and step > SHORT * 4000 + PATIENCE:
            raise _Enough

    try:
        fit(model, loss, len(some.training), steps=4000, batch_size=10, lr=1e-2, betas=(0.9, 0.98), warmup=50,
            clip=1.0, callback=look)
    except _Enough:
        pass
    return {"width": width, "stories": num_stories, "seed": seed, **best}


STAGES = [lambda _: [(stopped, width, number, seed) for seed in SEEDS for number in STORIES for width in WIDTHS]]
