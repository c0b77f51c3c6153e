"""What tools, tests and the site's extension know of the book: its pages, a page's measures, the site in a browser."""
