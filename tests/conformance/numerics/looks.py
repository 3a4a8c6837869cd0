"""What a quick look at an output leaves, of all its windows."""

import numpy as np


def masks(look, shape):
    """The elements that a look leaves suspect, bool of that shape."""
    left = np.zeros(shape, bool)
    for window, suspects in look.suspects():
        left[window] = suspects
    return left
