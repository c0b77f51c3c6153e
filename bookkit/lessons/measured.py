"""What was measured once, not recomputed: running times, and what models trained from many random starts did."""

import json
from pathlib import Path


def results(name, *, folder="."):
    """What stands in the book's `data/measured/` under a name, with the command that wrote it and the machine.

    The folder belongs to a copy of the book, not to the package, which may be installed elsewhere: it is looked for
    where the work is done, and above.

    Parameters
    ----------
    name : str
        ``"bench"`` for running times, or a study, as ``"stories"``: the name of the file, without its suffix.
    folder : path
        Where the search begins, the working directory if not given; a notebook's is the folder that it stands in.

    Returns
    -------
    dict
        ``"command"``, ``"machine"`` and a study's ``"runs"``, a dict for each; the parts of ``"bench"`` have a command
        and a machine each.

    Raises
    ------
    ValueError
        Nothing of that name was measured.
    FileNotFoundError
        No folder `data/measured` with results is there or above.

    Examples
    --------
    >>> results("reviews")["command"]
    'make study'
    >>> results("bench")["loops"]["command"]
    'make bench'
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
