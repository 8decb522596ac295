"""Gradients and tangents of kernels, by the kernel's own attributes."""
import inspect
import unittest

import numpy as np

from support import app


class Gradients(unittest.TestCase):
    """saxpy stores a * x + y to y, in its first n elements."""

    def test_gradients_go_from_what_is_written_to_what_is_read(self):
        x, y = np.float32([1, 2, 3, 4]), np.float32([5, 6, 7, 8])
        x_grad, y_grad = np.float32([10, 20, 30, 40]), np.float32([1, 2, 3, 4])
        app().saxpy.grad(3, 2.0, x, y, x_grad, y_grad=y_grad)
        self.assertEqual(x_grad.tolist(), [12, 24, 36, 40])
        self.assertEqual(y_grad.tolist(), [1, 2, 3, 4])
        self.assertEqual((x.tolist(), y.tolist()), ([1, 2, 3, 4], [5, 6, 7, 8]))

    def test_tangents_go_along_with_the_kernel(self):
        x, y = np.float32([1, 2, 3, 4]), np.float32([5, 6, 7, 8])
        x_dual, y_dual = np.float32([1, 0, 2, 5]), np.float32([0, 1, 1, 7])
        app().saxpy.dual(3, 2.0, x, y, x_dual, y_dual)
        self.assertEqual(y.tolist(), [7, 10, 13, 8])
        self.assertEqual((x_dual.tolist(), y_dual.tolist()), ([1, 0, 2, 5], [2, 1, 5, 7]))

    def test_signature(self):
        self.assertEqual(list(inspect.signature(app().saxpy.grad).parameters),
                         ["n", "a", "x", "y", "x_grad", "y_grad", "stream"])
        self.assertEqual(app().saxpy.grad.name, "saxpy_grad")

    def test_a_module_without_them_says_what_it_has(self):
        self.assertFalse(hasattr(app().sum_of, "grad"))
        with self.assertRaisesRegex(AttributeError, "sum_of_grad"):
            app().sum_of.grad


if __name__ == "__main__":
    unittest.main()
