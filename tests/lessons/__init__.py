"""A package, so that a file may be called here as one in tests/pictures: test_graphs.py is in both."""
