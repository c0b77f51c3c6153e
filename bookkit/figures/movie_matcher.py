"""The movie matcher: a viewer's tastes against films, product by product."""

import numpy as np
import traitlets

from bookkit.figures.base import Cell, Figure, NumberArray, number_array, still_cell, still_table
from bookkit.pictures.formats import fixed


class MovieMatcher(Figure):
    """Set a viewer's tastes; every product, the score and the ranking of the films respond.

    `user` holds the viewer's taste for each of d `features`, `films` (n, d) how much of each feature each film has, all
    in [-1, 1]; `titles` are the names of the n films.

    >>> matcher = MovieMatcher([1, -0.5], [[0.5, 0.5], [0.2, -0.8]], ["A", "B"], ["action", "romance"])
    >>> matcher.scores.round(2).tolist(), matcher.ranking
    ([0.25, 0.6], ['B', 'A'])
    """

    kind = "movie_matcher"
    films = traitlets.List().tag(sync=True)
    titles = traitlets.List(traitlets.Unicode()).tag(sync=True)
    features = traitlets.List(traitlets.Unicode()).tag(sync=True)
    user = NumberArray(-1, 1, ("features",)).tag(sync=True, reset=True)

    def __init__(self, user, films, titles, features, caption=""):
        films = number_array(films, "films", -1, 1, (None, None))
        if (len(titles), len(features)) != (len(films), len(films[0])):
            raise ValueError(f"films of shape {(len(films), len(films[0]))} need as many titles and features, "
                             f"got {len(titles)} and {len(features)}")
        super().__init__(films=films, titles=list(titles), features=list(features), user=user, caption=caption)

    @property
    def products(self):
        """Feature by feature, taste times film: shape (n, d)."""
        return np.array(self.films) * np.array(self.user)

    @property
    def scores(self):
        """The dot product of the viewer with each film: shape (n,)."""
        return self.products.sum(axis=1)

    @property
    def order(self):
        """The films' numbers, best match first; equal scores keep the order of the list."""
        rounded = np.floor(self.scores * 1e9 + 0.5)
        return np.argsort(-rounded, kind="stable").tolist()

    @property
    def ranking(self):
        """The titles, best match first."""
        return [self.titles[i] for i in self.order]

    def still(self):
        """The table of products and scores, best match first."""
        def row(i):
            for p, u, f in zip(self.products[i], self.user, self.films[i]):
                note = f"<br><small>{fixed(u, 1)} × {fixed(f, 1)}</small>"
                yield still_cell(p, fixed(p, plus=True), 1, note=note)
            score = fixed(self.scores[i], plus=True)
            yield Cell(f'<td style="text-align:center;padding:4px 8px"><b>{score}</b></td>')
        tastes = [f"{f} ({fixed(u, 1, plus=True)})" for f, u in zip(self.features, self.user)]
        return still_table(["film", *tastes, "score"], [[self.titles[i], *row(i)] for i in self.order])
