"""Functions of torch and JAX that are made of kernels. Each library's tests are skipped where it is not installed."""
import importlib.util
import unittest

import numpy as np

import sextant
from test_tape import program


def needs(library):
    return unittest.skipUnless(importlib.util.find_spec(library), f"{library} is not installed")


@needs("torch")
class Torch(unittest.TestCase):
    def setUp(self):
        import torch
        self.torch, self.app = torch, program()

    def numbers(self, *values, grad=True):
        return self.torch.tensor(values, dtype=self.torch.float64, requires_grad=grad)

    def test_an_output_that_is_made(self):
        square = sextant.torch.function(self.app.square, outputs={"y": "x"})
        x = self.numbers(1, 2, -3)
        y = square(x)
        self.assertEqual(y.tolist(), [1, 4, 9])
        (y * self.numbers(1, 10, 100, grad=False)).sum().backward()
        self.assertEqual(x.grad.tolist(), [2, 40, -600])
        self.assertEqual((square.__name__, square(x=x).tolist()), ("square", [1, 4, 9]))

    def test_an_argument_that_is_written_is_copied(self):
        pull = sextant.torch.function(self.app.pull)
        x, v, stiffness = self.numbers(0.5, -0.25), self.numbers(1, 2), self.numbers(2)
        after = pull(x, v, stiffness, 0.1)
        self.assertEqual(v.tolist(), [1, 2])
        after.sum().backward()
        self.assertEqual(v.grad.tolist(), [1, 1])
        # Lengths 0.5, -0.75, 0.25: each force is 2 (l + l^3). The middle spring's cancel in the sum.
        self.assertAlmostEqual(after.sum().item(), 3 + 0.1 * 2 * (0.25 + 0.25 ** 3 - 0.5 - 0.5 ** 3))
        self.assertAlmostEqual(stiffness.grad.item(), 0.1 * (0.25 + 0.25 ** 3 - 0.5 - 0.5 ** 3))
        self.assertAlmostEqual(x.grad[0].item(), -0.1 * 2 * (1 + 3 * 0.25))

    def test_gradcheck(self):
        torch, app = self.torch, self.app
        square = sextant.torch.function(app.square, outputs={"y": lambda values: values["x"].shape})
        pull, move = sextant.torch.function(app.pull), sextant.torch.function(app.move)
        product = sextant.torch.function(app.product, outputs={"loss": 1})

        def simulate(x, v, stiffness):
            for _ in range(3):
                v = pull(x, v, stiffness, 0.1)
                x = move(x, v, 0.1)
            return product(square(x), v)

        inputs = self.numbers(0.5, -0.25, 0.125), self.numbers(1, 2, 3), self.numbers(2)
        self.assertTrue(torch.autograd.gradcheck(simulate, inputs))
        for mask in (True, False, True), (False, True, False):  # some inputs need no gradient
            some = [each.detach().requires_grad_(needed) for each, needed in zip(inputs, mask)]
            self.assertTrue(torch.autograd.gradcheck(simulate, some))
        advance = sextant.torch.function(app.advance)  # its gradient takes what x was before
        self.assertTrue(torch.autograd.gradcheck(lambda x, v: advance(*advance(x, v, 0.1), 0.1), inputs[:2]))
        views = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)  # not contiguous
        self.assertTrue(torch.autograd.gradcheck(lambda x: product(x[:, 1], x[:, 2]), (views,)))

    def test_inputs_without_a_gradient(self):
        gather = sextant.torch.function(self.app.gather, outputs={"y": "index"})
        x, index = self.numbers(1, 2, 3), self.torch.tensor([0, 2, 2, 0, 2], dtype=self.torch.int32)
        y = gather(x, index)
        y.sum().backward()
        self.assertEqual((y.tolist(), x.grad.tolist()), ([1, 3, 3, 1, 3], [2, 0, 3]))
        self.assertFalse(gather(x.detach(), index).requires_grad)

    def test_results(self):
        moments = sextant.torch.function(self.app.moments, outputs={"y": "x"})
        x = self.numbers(1, 2, -3)
        y, sums, count, third = moments(x)
        self.assertEqual((y.tolist(), sums.tolist(), count.item(), third.item()), ([1, 4, 9], [0, 14], 3, -18))
        self.assertEqual((sums.dtype, count.dtype, count.requires_grad), (self.torch.float64, self.torch.int32, False))
        (y.sum() + 10 * sums[0] + 100 * sums[1] + 1000 * third).backward()
        self.assertEqual(x.grad.tolist(), [2 * x + 10 + 200 * x + 3000 * x * x for x in (1, 2, -3)])
        self.assertTrue(self.torch.autograd.gradcheck(lambda x: moments(x)[1], (x,)))

    def test_what_torch_notices(self):
        torch = self.torch
        square = sextant.torch.function(self.app.square, outputs={"y": "x"})
        x = self.numbers(1, 2)
        y = square(x)
        with torch.no_grad():
            x += 1
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.sum().backward()
        slope, = torch.autograd.grad(square(x).sum(), x, create_graph=True)
        self.assertEqual(slope.tolist(), [4, 6])
        with self.assertRaisesRegex(RuntimeError, "they are differentiable once"):
            slope.sum().backward()

    def test_errors(self):
        torch = self.torch
        with self.assertRaisesRegex(sextant.NotFoundError, "by --kernel 'halve.grad'"):
            sextant.torch.function(self.app.halve)
        with self.assertRaisesRegex(sextant.SignatureError, "'square' writes y, and not 'x'"):
            sextant.torch.function(self.app.square, outputs={"x": "y"})
        square = sextant.torch.function(self.app.square, outputs={"y": "x"})
        for call, message in [(lambda: square(), "argument 'x' is missing"),
                              (lambda: square(1, 2), "2 arguments are given, it takes 1: x"),
                              (lambda: square(y=1), "argument 'y' is not one of x"),
                              (lambda: square([1.0]), "expected a tensor of torch, given list"),
                              (lambda: square(torch.ones(3)), "expected a 1-dimensional array of f64")]:
            with self.assertRaisesRegex(sextant.SignatureError, message):
                call()


@needs("jax")
class Jax(unittest.TestCase):
    def setUp(self):
        import jax
        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)
        self.jax, self.app = jax, program()

    def test_values_and_gradients(self):
        jax = self.jax
        square = sextant.jax.function(self.app.square, outputs={"y": "x"})
        x = jax.numpy.array([1.0, 2.0, -3.0])
        self.assertEqual(square(x).tolist(), [1, 4, 9])
        fourth = jax.jit(lambda x: square(square(x)).sum())
        self.assertEqual(fourth(x), 98)
        self.assertEqual(jax.grad(fourth)(x).tolist(), [4, 32, -108])
        self.assertEqual(jax.vmap(square)(jax.numpy.ones((2, 3))).tolist(), [[1] * 3] * 2)

    def test_against_differences(self):
        from jax.test_util import check_grads
        pull, move = sextant.jax.function(self.app.pull), sextant.jax.function(self.app.move)
        product = sextant.jax.function(self.app.product, outputs={"loss": 1})

        def simulate(x, v, stiffness):
            for _ in range(3):
                v = pull(x, v, stiffness, 0.1)
                x = move(x, v, dt=0.1)
            return product(x, v)

        number = self.jax.numpy.array
        advance = sextant.jax.function(self.app.advance)  # its gradient takes what x was before
        check_grads(lambda x, v: advance(*advance(x, v, 0.1), 0.1),
                    (number([0.5, -0.25, 0.125]), number([1.0, 2.0, 3.0])), 1, ["rev"])
        check_grads(simulate, (number([0.5, -0.25, 0.125]), number([1.0, 2.0, 3.0]), number([2.0])), 1, ["rev"])

    def test_results(self):
        moments = sextant.jax.function(self.app.moments, outputs={"y": "x"})

        def loss(x):
            y, sums, count, third = moments(x)
            return y.sum() + 10 * sums[0] + 100 * sums[1] + 1000 * third + count

        x = self.jax.numpy.array([1.0, 2.0, -3.0])
        self.assertEqual(loss(x), 14 + 1400 - 18000 + 3)
        self.assertEqual(self.jax.grad(loss)(x).tolist(), [2 * x + 10 + 200 * x + 3000 * x * x for x in (1, 2, -3)])

    def test_inputs_without_a_gradient(self):
        gather = sextant.jax.function(self.app.gather, outputs={"y": "index"})
        x, index = self.jax.numpy.array([1.0, 2.0, 3.0]), np.int32([0, 2, 2, 0, 2])
        slope = self.jax.grad(lambda x: gather(x, index).sum())(x)
        self.assertEqual((gather(x, index).tolist(), slope.tolist()), ([1, 3, 3, 1, 3], [2, 0, 3]))


if __name__ == "__main__":
    unittest.main()
