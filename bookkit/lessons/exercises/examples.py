"""The small arrays that the exercises of several chapters use."""

import numpy as np

REVIEW = np.array([[-0.9, -0.6], [0.0, -0.4], [-0.2, 0.0], [0.9, 0.5], [0.2, 0.9]])
WORDS = np.array([[-0.3, 0.8, -0.5], [-0.8, -0.7, 1.0], [0.9, -0.4, -0.2], [0.1, 0.9, -0.6]])
W_QUERY = np.array([[0.0, 1.0], [2.0, 0.0], [2.5, 0.0]])
W_KEY = np.array([[1.5, 0.0], [0.0, 1.5], [0.0, 0.0]])
CONCAT = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [-1.0, -2.0, -3.0]])
