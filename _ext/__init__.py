"""Sphinx extensions: how the site is made."""
