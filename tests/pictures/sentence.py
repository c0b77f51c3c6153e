"""A sentence of four words, its features, and the matrices of one head: several drawings are tried on them."""

import numpy as np

SENTENCE = ["see", "that", "girl", "run"]
FEATURES = ["living", "action", "pointing"]
X = np.array([[-0.3, 0.8, -0.5], [-0.8, -0.7, 1.0], [0.9, -0.4, -0.2], [0.1, 0.9, -0.6]])
W = {"query": np.array([[0, 1], [2, 0], [2.5, 0]]), "key": np.array([[1.5, 0], [0, 1.5], [0, 0]]), "value": np.array([[1.0, 0], [0, 1], [0, 0]])}
QUERY, KEY, VALUE = (X @ w for w in W.values())
