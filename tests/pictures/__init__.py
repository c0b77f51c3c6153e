"""A package, so that a file may be called here as one in tests/lessons: test_graphs.py is in both."""
