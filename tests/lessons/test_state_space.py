"""A state that fades, in three ways."""

import numpy as np
import pytest

from bookkit.lessons.state_space import state_space_attention, state_space_convolution, state_space_scan


@pytest.mark.parametrize("own", [False, True])
def test_a_state_that_fades_in_three_ways(own):
    rng = np.random.default_rng(6)
    x, decay = rng.normal(size=(9, 2)), rng.uniform(-1, 1, size=4)
    write, read = rng.normal(size=(2, 9, 4)) if own else rng.normal(size=(2, 4))
    every_write, every_read = (np.broadcast_to(array, (9, 4)) for array in (write, read))
    expected = [sum((every_read[t] * decay**(t - s) * every_write[s]).sum() * x[s] for s in range(t + 1)) for t in range(9)]
    output, weights = state_space_attention(x, decay, write, read)
    assert np.abs(state_space_scan(x, decay, write, read) - expected).max() < 1e-12
    assert np.abs(output - expected).max() < 1e-12 and np.abs(weights @ x - output).max() < 1e-12 and (np.triu(weights, 1) == 0).all()
    if not own:
        assert np.abs(state_space_convolution(x, decay, write, read) - expected).max() < 1e-12


@pytest.mark.parametrize("call, error, words", [
    (lambda: state_space_scan(np.ones((4, 1)), np.ones((2, 2)), np.ones(2), np.ones(2)), ValueError, r"decay must have one axis.*\(2, 2\)"),
    (lambda: state_space_scan(np.ones((4, 1)), np.ones(2), np.ones(3), np.ones(2)), ValueError, r"write must have shape \(2,\) or \(4, 2\)"),
    (lambda: state_space_attention(np.ones((4, 1)), np.ones(2), np.ones(2), np.ones((3, 2))), ValueError, "read must have shape"),
    (lambda: state_space_convolution(np.ones((4, 1)), np.ones(2), np.ones((4, 2)), np.ones(2)), ValueError, "write and read must have one axis"),
    (lambda: state_space_scan(np.ones(4), np.ones(2), np.ones(2), np.ones(2)), ValueError, "x must have at least two axes"),
])
def test_what_states_refuse(call, error, words):
    with pytest.raises(error, match=words):
        call()
