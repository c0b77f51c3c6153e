"""How the site is made, and what tools and tests know of the book: its pages, their measures, the site in a browser."""
