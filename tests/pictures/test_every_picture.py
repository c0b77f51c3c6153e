"""What holds for all pictures; which are tried stands in the tests of their modules, as NARROW and BAD."""

import importlib

import pytest
from conftest import ROOT
from table import each

from bookkit.pictures.picture import PHONE, Svg

TESTS = [importlib.import_module(f"pictures.{path.stem}") for path in sorted((ROOT / "tests" / "pictures").glob("test_*.py"))
         if path.name != "test_every_picture.py"]
NARROW = {name: draw_it for tests in TESTS for name, draw_it in getattr(tests, "NARROW", {}).items()}


@each("name", NARROW)
def test_phones_have_room(name):
    """The pictures that chapters come back to are not pushed aside on a phone."""
    picture = NARROW[name]()
    assert all(part.least <= PHONE for part in picture.parts if isinstance(part, Svg)) and "tabindex" not in picture.html()


@each("call, error, words", [row for tests in TESTS for row in getattr(tests, "BAD", [])])
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
