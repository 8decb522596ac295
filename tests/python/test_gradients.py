"""Gradients and tangents of kernels, by the kernel's own attributes."""
import inspect
import unittest

import numpy as np

import sextant
from support import app, module
from test_tape import program


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

    def test_gradients_have_the_shape_of_their_arrays(self):
        x, y = np.ones(4, np.float32), np.ones(4, np.float32)
        for kernel, name in (app().saxpy.grad, "y.grad"), (app().saxpy.dual, "y.dual"):
            with self.assertRaisesRegex(sextant.SignatureError,
                                        f"'{name}': it has the shape of 'y', whose axis 0 has 4 elements, given 3"):
                kernel(3, 2.0, x, y, np.ones(4, np.float32), np.ones(3, np.float32))

    def test_signature(self):
        self.assertEqual(list(inspect.signature(app().saxpy.grad).parameters),
                         ["n", "a", "x", "y", "x_grad", "y_grad", "stream"])
        self.assertEqual(app().saxpy.grad.name, "saxpy_grad")

    def test_a_module_without_them_says_what_it_has(self):
        self.assertFalse(hasattr(app().sum_of, "grad"))
        with self.assertRaisesRegex(AttributeError, "sum_of_grad"):
            app().sum_of.grad


class Results(unittest.TestCase):
    """moments stores squares, and returns sums of numbers and squares, their count, and the sum of their cubes."""

    def test_gradients_of_results(self):
        x, y, x_grad, y_grad = np.float64([1, 2, -3]), np.float64([1, 4, 9]), np.zeros(3), np.float64([1, 1, 1])
        program().moments.grad(x, y, x_grad, y_grad, [10, 100], return2_grad=1000)
        self.assertEqual(x_grad.tolist(), [2 * x + 10 + 200 * x + 3000 * x * x for x in (1, 2, -3)])

    def test_tangents_of_results(self):
        x, y, x_dual, y_dual = np.float64([1, 2, -3]), np.zeros(3), np.float64([1, 0, 2]), np.zeros(3)
        self.assertEqual(program().moments.dual(x, y, x_dual, y_dual), ([0, 14], 3, -18, [3, 2 - 12], 3 + 54))
        self.assertEqual(y_dual.tolist(), [2, 0, -12])


class Memory(unittest.TestCase):
    def setUp(self):
        kernels = ("weigh.grad", "inertia.grad", "inertia.dual", "Spring.energy.grad[self.stiffness=f32]")
        self.program = sextant.open(module(*(f"--kernel={kernel}" for kernel in kernels), file="gradients.py"), "cpu")
        self.ball = [("pos", np.float32, 3), ("mass", np.float32)]

    def test_fields_with_a_gradient_take_part(self):
        x, w = np.float32([1, 2, 3, 4]), np.float32([1, 1, 2, 2])
        x_grad, loss, found = np.zeros(4, np.float32), np.zeros(1, np.float32), np.zeros(4, np.float32)
        self.program.field("weight").write(w)
        self.program.weigh.grad(x, loss, x_grad, np.ones(1, np.float32))
        self.program.field("weight.grad").read(found)
        self.assertEqual(x_grad.tolist(), (2 * w * x).tolist())
        self.assertEqual(found.tolist(), (x * x).tolist())
        self.assertNotIn("bias.grad", self.program.fields)

    def test_structs_in_one_piece(self):
        balls = np.zeros(3, self.ball)
        balls["pos"], balls["mass"] = np.arange(9).reshape(3, 3), [1, 2, 3]
        self.program.field("balls").write(balls)
        self.program.inertia.grad(np.zeros(1, np.float32), np.ones(1, np.float32))
        found = np.zeros(3, self.ball)
        self.program.field("balls.grad").read(found)
        self.assertEqual(found["pos"].tolist(), (2 * balls["pos"] * balls["mass"][:, None]).tolist())
        self.assertEqual(found["mass"].tolist(), (balls["pos"] ** 2).sum(1).tolist())

    def test_a_method_with_a_member_that_calls_pass(self):
        x, x_grad = np.float32([1, 2, 3]), np.zeros(3, np.float32)
        name, = (name for name in self.program.kernels if name.startswith("Spring"))
        self.program[name]({"stiffness": 3}, x, np.zeros(1, np.float32), x_grad, np.ones(1, np.float32))
        self.assertEqual(x_grad.tolist(), [6, 12, 18])


if __name__ == "__main__":
    unittest.main()
