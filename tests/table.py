"""Tests of many rows that count as one: every row is tried, and those that fail are named."""

import functools
import inspect

import pytest


def each(names, rows):
    """Ask a test of each row, as ``pytest.mark.parametrize`` does, but within one test: for rows that take next to nothing.

    A failure lists all rows that failed, and shows where the first one did.
    """
    names, rows = [name.strip() for name in names.split(",")], list(rows)

    def decorate(test):
        signature = inspect.signature(test)

        @functools.wraps(test)
        def asks(**others):
            __tracebackhide__ = True
            assert rows, "no row to ask of"
            failed = {}
            for k, row in enumerate(rows):
                values = row if len(names) > 1 else [row]
                try:
                    test(**dict(zip(names, values, strict=True)), **others)
                except (Exception, pytest.fail.Exception) as error:
                    failed[f"row {k}: {', '.join(filter(None, map(label, values)))}"] = error
            if failed:
                told = "\n".join(f"{row}\n    {type(error).__name__}: {error}" for row, error in failed.items())
                raise AssertionError(f"{len(failed)} of {len(rows)} rows failed\n{told}") from next(iter(failed.values()))

        # What is left for pytest to bring: the fixtures.
        asks.__signature__ = signature.replace(parameters=[p for p in signature.parameters.values() if p.name not in names])
        return asks
    return decorate


class Questions:
    """Questions that are asked of pages, all those of one page in one test."""

    def __init__(self):
        self.kept = []

    def of(self, pages):
        """Ask a question of these pages."""
        def keep(question):
            self.kept.append((question, set(pages)))
            return question
        return keep

    def ask(self, page, given):
        """Ask all that is asked of a page, of what stands for it; those that it fails are named."""
        each("question", [question for question, pages in self.kept if page in pages])(lambda question: question(given))()


def label(value):
    """A few words for a value; none for a function without a name, which the number of its row stands for."""
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    words = value if isinstance(value, str) else name if isinstance(name, str) else repr(value)
    return "" if words == "<lambda>" else " ".join(words.split())[:60]
