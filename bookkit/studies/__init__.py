"""The studies behind `data/measured/`: models trained from many random starts, a module for each file of results.

A study is a list of stages. A stage is a function that gets the runs of the stages before it and gives jobs, each a
function with its arguments; a job trains a model on one thread, examines it and gives a run, a dict that is written
down. ``python -m tools.study`` runs them.

Seeds are fixed in each module, before anything was run with them; every run is written down, the bad ones too.
Recall, reviews, reach and digits are contests, so every model is tuned with the same number of trials first, on
examples and seeds of their own, and the trials are written down too.
"""

from importlib import import_module
from pkgutil import iter_modules

_modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
# By the name of the file of results: a module says in its first line what it asks, and in STAGES what is run.
STUDIES = {module.__name__.rpartition(".")[2]: module for module in _modules if hasattr(module, "STAGES")}
