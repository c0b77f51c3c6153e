"""What make calls; each is a command, ``python -m tools.NAME``, in the folder of the book."""
