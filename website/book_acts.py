"""Words of the text that act on a figure of their page.

A chapter writes them as a span, which Jupyter shows as plain words: ``<span data-act="alignment: {selected: 2}">``
sets what the figure shows, ``<span data-act="movie_matcher: press Change every sign">`` presses one of its buttons;
after the kind of figure may stand which of several it is, ``alignment 2``.  Here each is checked, and told in JSON to
bookkit/figures/page.js, which also keeps in the page's address what its figures show.
"""

import json
from types import SimpleNamespace

import traitlets
import yaml
from sphinx.errors import ConfigError

from bookkit import figures


def places(page):
    """Every figure of a page but its exercises has an address: its kind, and which of several it is; by address."""
    found = {}
    for place in page.tree.xpath("//*[@data-ak-figure and @data-ak-figure != 'practice']"):
        kind = place.get("data-ak-figure")
        count = sum(known.partition("-")[0] == kind for known in found) + 1
        name = f"{kind}-{count}" if count > 1 else kind
        if page.tree.xpath("//*[@id=$id]", id=name):
            raise ConfigError(f"{page.name}: something else has the id {name}, which a figure wants")
        place.set("id", name)
        found[name] = place
    return found


def acts(page):
    """What words do is what a figure of the page can."""
    found = places(page)
    for words in page.tree.xpath("//*[@data-act]"):
        told = words.attrib.pop("data-act")
        try:
            words.set("data-ak-act", json.dumps(read(told, found), ensure_ascii=False))
        except (ValueError, TypeError, traitlets.TraitError, yaml.YAMLError) as error:
            raise ConfigError(f'{page.name}: data-act="{told}" of “{words.text_content()}”: {error}') from None


def read(told, found):
    """What is told in a chapter, checked: ``{"of": address, "set": state}`` or ``{"of": address, "press": name}``."""
    wanted = yaml.safe_load(told)
    if not isinstance(wanted, dict) or len(wanted) != 1:
        raise ValueError("wanted is one figure, a colon, and a state in braces or “press” with a button's name")
    [(which, act)] = wanted.items()
    address = which.replace(" ", "-")
    if address not in found:
        raise ValueError(f"the page has {', '.join(found) or 'no figure'}, not {address}")
    if isinstance(act, str) and act.startswith("press "):
        return {"of": address, "press": act.removeprefix("press ")}
    if not isinstance(act, dict) or not act:
        raise ValueError(f"a state in braces is wanted, or “press” with a button's name, not {act!r}")
    place = found[address]
    return {"of": address, "set": checked(place.get("data-ak-figure"), json.loads(place.get("data-ak-state")), act)}


def checked(kind, state, changes):
    """Some changes of a figure's state, if its own traits take them."""
    own = getattr(figures, "".join(map(str.capitalize, kind.split("_"))))      # a class is called as its files are
    known = own.class_traits(reset=True)
    # What traits look at: the state, and what follows from it.
    computed = {name: value for one in own.__mro__ for name, value in vars(one).items() if isinstance(value, property)}
    now = type("State", (SimpleNamespace,), computed)(**{**state, **changes})
    for name, value in changes.items():
        if name not in known:
            raise ValueError(f"what one can change of {kind} is {', '.join(sorted(known))}, not {name}")
        if hasattr(known[name], "validate"):
            known[name].validate(now, value)
    return changes
