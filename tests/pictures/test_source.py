"""Listings are the source itself, as it stands in the package."""

import inspect

import attnkit
from attnkit import modules
from bookkit.pictures import source


def test_listings_are_the_source_itself():
    assert "def dot(" in repr(source.listing(attnkit.dot)) and '"""' not in repr(source.listing(modules.TransformerBlock))
    assert source.listing(attnkit.dot, docstring=True).code == inspect.getsource(attnkit.dot).rstrip()
