"""How far a training is, for somebody who waits for it in Jupyter; nothing in a compared or committed output."""

import os
import sys
import time

EVERY = 0.2       # seconds between two looks


def is_watched():
    """Whether somebody waits before a notebook: a Jupyter kernel that neither pytest nor make has started.

    nbval keeps what a cell has shown and taken away again, so this is decided by the environment: pytest names its
    version in it, and what executes the book's notebooks sets ``ATTNKIT_PROGRESS=off``.
    """
    if "PYTEST_VERSION" in os.environ or os.environ.get("ATTNKIT_PROGRESS") == "off" or "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def progress_bar(steps, what="step"):
    """Count from 0 to `steps` - 1, as `range`; where somebody watches, a bar shows how far it is and goes in the end.

    >>> list(progress_bar(3))
    [0, 1, 2]
    """
    if not is_watched():
        yield from range(steps)
        return
    from IPython.display import HTML, display
    start = shown = time.monotonic()
    bar = display(HTML(""), display_id=True)
    try:
        for step in range(steps):
            yield step
            now = time.monotonic()
            if now - shown > EVERY:
                shown, left = now, (now - start) * (steps - step - 1) / (step + 1)
                words = f"{what} {step + 1} of {steps}, about {left:.0f} s left"
                bar.update(HTML(f'<progress max="{steps}" value="{step + 1}" aria-label="{words}"></progress> {words}'))
    finally:
        bar.update(HTML(""))
