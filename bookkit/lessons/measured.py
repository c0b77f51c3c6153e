"""What was measured once, not recomputed: running times, and what models trained from many random starts did."""

import json
from pathlib import Path


def results(name, *, folder="."):
    """What stands in the book's `data/measured/` under a name, with the command that wrote it and the machine.

    The folder belongs to a copy of the book, not to the package, which may be installed elsewhere: it is looked for
    where the work is done, the working directory, which of a notebook is the folder it stands in, and above. A name is
    ``"bench"`` for running times, or a study, as ``"stories"``. There are ``"command"``, ``"machine"`` and a study's
    ``"runs"``, a dict for each; the parts of ``"bench"`` have a command and a machine each.
    """
    start, known = Path(folder).resolve(), []
    for place in (start, *start.parents):
        files = {path.stem: path for path in sorted((place / "data" / "measured").glob("*.json"))}
        if name in files:
            return json.loads(files[name].read_text(encoding="utf-8"))
        known += files
    if known:
        raise ValueError(f"no results are called {name!r}; there are {', '.join(known)}")
    raise FileNotFoundError(f"no folder data/measured/ with results in {start} or above it: results are read from a "
                            "copy of the book, in its folder or in one inside it")
