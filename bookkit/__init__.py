"""What the chapters show, train and ask, on top of ``attnkit``: pictures, figures that move, lessons, studies."""
