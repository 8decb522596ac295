# The derivative of the springs' energy by their stiffness, by a difference.
import numpy as np


def energy(stiffness, steps):
    x, v = np.ones(8), np.zeros(8)
    for _ in range(steps):
        v -= 0.01 * stiffness * x ** 3
        x += 0.01 * v
    return 0.5 * (v * v).sum()


def slope(steps):
    h = 1e-5
    return (energy(2 + h, steps) - energy(2 - h, steps)) / (2 * h)
