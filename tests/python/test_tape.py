"""Tapes: gradients of computations of several launches."""
import gc
import random
import sys
import threading
import unittest
import weakref

import numpy as np

import sextant
from support import HERE, module

SOURCE = HERE + "/../gradients/tape.py"
GRADIENTS = [f"--kernel={name}.{kind}" for kind in ("grad", "dual")
             for name in ("square", "scale", "product", "total", "weigh", "gather", "pull", "move", "turn", "inertia",
                          "moments", "advance")]


def program() -> sextant.Program:
    return sextant.open(module("--keep-overwritten", *GRADIENTS, file=SOURCE), "cpu")


def array(*values):
    return np.array(values, np.float64)


class Tapes(unittest.TestCase):
    def setUp(self):
        self.app = program()

    def test_gradients_of_overwritten_arrays(self):
        """x becomes x^4 and y x^8, so x has to be what it was before each."""
        x, y, loss = array(1, 2, -3), np.zeros(3), np.zeros(1)
        with sextant.Tape() as tape:
            self.app.square(x, y)
            self.app.square(y, x)
            self.app.square(x, y)
            self.app.total(y, loss)
        self.assertEqual((len(tape), tape.kept_bytes), (4, 48))
        tape.backward(loss)
        self.assertEqual(tape.gradient(x).numpy().tolist(), [8, 8 * 128, 8 * -2187])
        self.assertEqual((x.tolist(), y.tolist(), loss.tolist()), ([1, 16, 81], [1, 256, 6561], [6818]))
        tape.backward(loss)  # begins at zero
        self.assertEqual(tape.gradient(x).numpy().tolist(), [8, 8 * 128, 8 * -2187])
        tape.backward()  # without a loss it adds; the gradients of x and y were those of their last content
        self.assertEqual(tape.gradient(loss).numpy().tolist(), [1])

    def test_the_end_of_the_block_goes_back(self):
        x, y, loss = array(1, 2), np.zeros(2), np.zeros(1)
        with sextant.Tape(loss) as tape:
            self.app.square(x, y)
            self.app.total(y, loss)
        self.assertEqual(tape.gradient(x).numpy().tolist(), [2, 4])
        with self.assertRaisesRegex(RuntimeError, "enough"), sextant.Tape(loss) as tape:
            self.app.square(x, y)
            raise RuntimeError("enough")
        self.app.square(x, y)  # outside of the block
        self.assertEqual(len(tape), 1)

    def test_gradients_and_seeds_of_the_application(self):
        x, y, x_grad, y_grad = array(1, 2), np.zeros(2), array(100, 200), array(1, 10)
        with sextant.Tape() as tape:
            self.app.square(x, y)
        tape.set_gradient(x, x_grad)
        tape.set_gradient(y, y_grad)
        self.assertIs(tape.gradient(x), x_grad)
        part = tape.gradient(x[1:])
        tape.backward()
        self.assertEqual((x_grad.tolist(), y_grad.tolist()), ([102, 240], [0, 0]))
        self.assertEqual(part.numpy().tolist(), [240])
        tape.zero()
        self.assertEqual(x_grad.tolist(), [0, 0])
        count = sys.getrefcount(x_grad)
        tape.reset()
        self.assertEqual(sys.getrefcount(x_grad), count - 2)  # the part has it, the tape had it and its memory
        del part
        self.assertEqual(sys.getrefcount(x_grad), count - 3)
        with tape:
            self.app.square(x, y)
        with self.assertRaisesRegex(sextant.SignatureError, "another type or shape"):
            tape.set_gradient(x, np.zeros(3))
        with self.assertRaisesRegex(sextant.SignatureError, "another type or shape"):
            tape.set_gradient(x, np.zeros(2, np.int64))

    def test_several_rows_of_a_jacobian(self):
        """Seeds one after the other: the tape can go back any number of times."""
        x, y, z = array(1, 2), np.zeros(2), np.zeros(2)
        with sextant.Tape() as tape:
            self.app.square(x, y)
            self.app.square(y, z)
        rows = []
        for i in range(2):
            tape.zero()
            tape.gradient(z).view()[i] = 1
            tape.backward()
            rows.append(tape.gradient(x).numpy().tolist())
        self.assertEqual(rows, [[4, 0], [0, 32]])

    def test_one_array_in_two_arguments(self):
        x, loss = array(1, 2, 3, 4, 5), np.zeros(1)
        with sextant.Tape(loss) as tape:
            self.app.product(x, x, loss)
            self.app.product(x[:4], x[1:], loss)
        self.assertEqual(tape.gradient(x).numpy().tolist(), [4, 8, 12, 16, 14])
        self.assertEqual(tape.gradient(x[1:3]).numpy().tolist(), [8, 12])
        with self.assertRaisesRegex(sextant.ArgumentError, "do not lie in C order"):
            tape.gradient(x[::2])
        with sextant.Tape(), self.assertRaisesRegex(sextant.ArgumentError, "'y' and 'loss' share memory"):
            self.app.product(x, loss, loss)

    def test_vectors_and_an_array_in_two_shapes(self):
        x, y, loss = np.arange(6.0).reshape(3, 2), np.zeros((3, 2)), np.zeros(1)
        with sextant.Tape(loss) as tape:
            self.app.turn([[1, 2], [3, 4]], x, y)
            self.app.total(y.reshape(-1), loss)
        self.assertEqual(tape.gradient(x).numpy().tolist(), [[1 + 3, 2 + 4]] * 3)
        self.assertEqual(tape.gradient(x[1]).numpy().tolist(), [4, 6])

    def test_structs(self):
        structure = self.app.inertia.parameters[0].structure
        balls, mine = np.zeros(2, sextant.numpy_dtype(structure)), np.zeros(2, sextant.numpy_dtype(structure))
        balls["pos"], balls["mass"], loss = [[1, 2, 3], [4, 5, 6]], [10, 20], np.zeros(1)
        expected = [[20, 40, 60, 1 + 4 + 9], [160, 200, 240, 16 + 25 + 36]]
        with sextant.Tape(loss) as tape:
            self.app.inertia(balls, loss)
        self.assertEqual(tape.gradient(balls).numpy().tolist(), expected)
        tape.set_gradient(balls, mine)
        tape.backward(loss)
        self.assertEqual([[*row["pos"], row["mass"]] for row in mine], expected)

    def test_fields(self):
        weight, x, loss = self.app.field("weight"), array(1, 2, 3, 4), np.zeros(1)
        weight.write(array(5, 6, 7, 8))
        for _ in range(2):
            with sextant.Tape(loss) as tape:
                self.app.weigh(x, loss)
                weight.write(np.zeros(4))  # the tape keeps what was there
                self.app.weigh(x, loss)
            self.assertEqual(tape.gradient(x).numpy().tolist(), [5, 6, 7, 8])
            self.assertEqual(tape.gradient(weight).numpy().tolist(), [1, 2, 3, 4])  # before write()
            self.assertEqual(weight.numpy().tolist(), [0, 0, 0, 0])
            weight.write(array(5, 6, 7, 8))

    def test_what_a_tape_cannot_see_is_told_to_it(self):
        x, y, loss = array(3), np.zeros(1), np.zeros(1)
        with sextant.Tape(loss) as tape:
            self.app.square(x, y)
            self.app.total(y, loss)
            tape.overwrites(x)
            x[0] = 5
            tape.overwrites(y)
            with tape.pause():
                self.app.halve(y)  # has no gradient
            self.app.square(x, y)
            self.app.total(y, loss)
        self.assertEqual((len(tape), tape.gradient(x).numpy().tolist(), x.tolist()), (6, [6], [5]))

    def test_kernels_without_a_gradient(self):
        index, x, y, loss = np.int32([0, 0, 1]), array(1, 2, 3), np.zeros(3), np.zeros(1)
        with sextant.Tape(loss) as tape:
            self.app.gather(x, index, y)
            self.app.count_up(index)  # whole numbers need none
            with self.assertRaisesRegex(sextant.NotFoundError, "by --kernel 'halve.grad'"):
                self.app.halve(x)
            self.app.total(y, loss)
        self.assertEqual((tape.gradient(x).numpy().tolist(), index.tolist()), ([2, 1, 0], [1, 1, 2]))

    def test_without_copies(self):
        x, y, loss = array(1, 2), np.zeros(2), np.zeros(1)
        with sextant.Tape(loss, keep=False) as tape:
            for _ in range(10):
                self.app.scale(3.0, x)  # linear: its gradient reads no array
            self.app.total(x, loss)
        self.assertEqual((tape.gradient(x).numpy().tolist(), tape.kept_bytes), ([59049, 59049], 0))
        with sextant.Tape(keep=False):
            self.app.square(x, y)
            with self.assertRaisesRegex(sextant.ArgumentError, "'x' is overwritten by kernel 'scale', and"):
                self.app.scale(3.0, x)
        self.assertEqual(x.tolist(), [59049, 118098])

    def test_streams(self):
        device = self.app.device
        first, second, n = device.stream(), device.stream(), 100000
        x, y, z, loss = np.full(n, 3.0), np.zeros(n), np.zeros(n), np.zeros(1)
        with sextant.Tape() as tape:
            self.app.square(x, y, stream=first)
            self.app.square(x, z, stream=second)
            first.wait(second.record())
            self.app.product(y, z, loss, stream=first)
        tape.backward(loss, stream=second)
        second.synchronize()
        self.assertTrue((tape.gradient(x).numpy() == 4 * 27).all())

    def test_arrays_of_the_package_and_their_lifetime(self):
        x, y = sextant.Array(self.app.device, 2, "f64"), sextant.Array(self.app.device, 2, "f64")
        loss = sextant.Array(self.app.device, 1, "f64")
        with sextant.Tape() as tape:
            x.write(array(1, 2))
            loss.fill(0)
            self.app.square(x, y)
            self.app.total(y, loss)
            del y  # the tape has it
            x.fill(7)
        tape.backward(loss)
        gradient = tape.gradient(x)
        self.assertEqual((gradient.dtype, gradient.shape), ("f64", (2,)))
        tape.reset()
        self.assertEqual((len(tape), gradient.numpy().tolist()), (0, [2, 4]))
        with self.assertRaisesRegex(sextant.ArgumentError, "recorded no launch"):
            tape.backward(loss)

    def test_errors(self):
        x, y, loss = array(1), np.zeros(1), np.zeros(1)
        with self.assertRaisesRegex(sextant.ArgumentError, "recorded no launch"):
            sextant.Tape().backward(loss)
        with sextant.Tape() as tape:
            self.app.square(x, y)
            launch = self.app.square.prepare(x, y)
            with self.assertRaisesRegex(sextant.UnsupportedError, "not prepared launches"):
                launch.enqueue()
            with self.assertRaises(sextant.SignatureError):
                self.app.square(x, np.zeros(1, np.int32))
        self.assertEqual(len(tape), 1)
        with self.assertRaisesRegex(sextant.NotFoundError, "no recorded launch"):
            tape.backward(loss)
        with self.assertRaisesRegex(sextant.SignatureError, "expected an array, given int"):
            tape.gradient(3)
        with self.assertRaisesRegex(sextant.ArgumentError, "stands in the block"):
            tape.checkpoint(print, 3)

    def test_threads_have_their_own_tapes(self):
        x, y = array(1, 2), np.zeros(2)
        with sextant.Tape() as tape:
            other = threading.Thread(target=self.app.square, args=(x, y))
            other.start()
            other.join()
        self.assertEqual(len(tape), 0)

    def test_tapes_in_a_circle_of_objects_go(self):
        class Simulation:
            def step(self, i):
                app.square(self.x, self.y)

        app, simulation = self.app, Simulation()
        simulation.x, simulation.y = array(1), np.zeros(1)
        with sextant.Tape() as simulation.tape:
            simulation.tape.checkpoint(simulation.step, 2)
        known = weakref.ref(simulation)
        del simulation
        gc.collect()
        self.assertIsNone(known())


class Chain:
    """Springs that get harder with their length, between two walls."""
    dt = 0.05

    def __init__(self, app, hardness=2.0):
        self.app = app
        self.x, self.v = array(0.5, -0.2, 0.3, 0.1, -0.4), np.zeros(5)
        self.stiffness, self.loss = array(hardness), np.zeros(1)
        self.calls = 0

    def step(self, i):
        self.calls += 1
        self.app.pull(self.x, self.v, self.stiffness, self.dt)
        self.app.move(self.x, self.v, self.dt)

    def end(self):
        self.app.product(self.v, self.v, self.loss)

    @staticmethod
    def energy(x, hardness, steps):
        """The loss, by numpy."""
        x, v = np.array(x), np.zeros(5)
        for _ in range(steps):
            length = np.diff(x, prepend=0.0, append=0.0)
            force = hardness * (length + length ** 3)
            v += Chain.dt * (force[1:] - force[:-1])
            x += Chain.dt * v
        return (v * v).sum()


class Simulations(unittest.TestCase):
    def setUp(self):
        self.app = program()

    def recorded(self, steps):
        chain = Chain(self.app)
        with sextant.Tape(chain.loss) as tape:
            for i in range(steps):
                chain.step(i)
            chain.end()
        return chain, tape

    def test_against_differences(self):
        chain, tape = self.recorded(40)
        self.assertAlmostEqual(chain.loss[0], Chain.energy(array(0.5, -0.2, 0.3, 0.1, -0.4), 2, 40), 12)
        h = 1e-5
        for i in range(5):
            at = array(0.5, -0.2, 0.3, 0.1, -0.4)
            more, less = at + h * np.eye(5)[i], at - h * np.eye(5)[i]
            slope = (Chain.energy(more, 2, 40) - Chain.energy(less, 2, 40)) / (2 * h)
            self.assertAlmostEqual(tape.gradient(chain.x).numpy()[i], slope, 7)
        slope = (Chain.energy(at, 2 + h, 40) - Chain.energy(at, 2 - h, 40)) / (2 * h)
        self.assertAlmostEqual(tape.gradient(chain.stiffness).numpy()[0], slope, 7)

    def test_a_thousand_steps_by_snapshots(self):
        """Bit by bit what recording all steps gives, in a fraction of the memory."""
        whole, full = self.recorded(1000)
        self.assertEqual(full.kept_bytes, 1000 * 40)  # x before each step moved it
        for every, snapshots in (1, 32), (50, 20), (1, 5):
            chain = Chain(self.app)
            with sextant.Tape() as tape:
                tape.checkpoint(chain.step, 1000, every=every, snapshots=snapshots)
                chain.end()
            self.assertEqual((chain.calls, len(tape), tape.kept_bytes), (1000, 2, snapshots * 80))
            tape.backward(chain.loss)
            # Snapshots and the end have x and v, and recorded steps x. There are copies of the gradients of v and of
            # the loss, while product() has v twice.
            self.assertLessEqual(tape.most_kept_bytes, (snapshots + 1) * 80 + every * 40 + 48)
            for name in "x", "stiffness", "v":
                self.assertEqual(tape.gradient(getattr(chain, name)).numpy().tolist(),
                                 full.gradient(getattr(whole, name)).numpy().tolist())
            self.assertEqual((chain.x.tolist(), chain.v.tolist()), (whole.x.tolist(), whole.v.tolist()))

    def test_a_step_that_raises(self):
        chain = Chain(self.app)

        def step(i):
            if i == limit:
                raise KeyError(i)
            chain.step(i)

        limit = 2
        with sextant.Tape() as tape, self.assertRaises(KeyError):
            tape.checkpoint(step, 5)
        with self.assertRaisesRegex(sextant.ArgumentError, "the step of a loop failed: reset the tape"):
            tape.backward(chain.loss)
        tape.reset()
        limit = -1
        with tape:
            tape.checkpoint(step, 5)
            chain.end()
        limit, before = 3, chain.x.tolist()
        with self.assertRaises(KeyError):
            tape.backward(chain.loss)
        self.assertEqual(chain.x.tolist(), before)  # arrays are as they were
        with self.assertRaisesRegex(sextant.ArgumentError, "at least one snapshot"), tape:
            tape.checkpoint(step, 5, snapshots=0)


class RandomPrograms(unittest.TestCase):
    """Launches on parts of one memory, which overlap. The map J of its content has J v by tangents (forward mode, which
    overwrites as it goes) and w J by a tape, so w (J v) and (w J) v are one number."""
    SIZE = 24

    def setUp(self):
        self.app = program()

    def launch(self, choose):
        """A random launch: a name, and arguments, of which those in a slice are parts of the memory."""
        while True:
            name = choose.choice(["square", "scale", "product", "total", "gather", "pull", "move"])
            n = choose.randint(1, 6)
            part = lambda count: slice(begin := choose.randrange(self.SIZE - count + 1), begin + count)
            a, b, one = part(n), part(n), part(1)
            arguments, written = {
                "square": ([a, b], b), "scale": ([choose.uniform(-1, 1), a], None), "product": ([a, b, one], one),
                "total": ([a, one], one),
                "gather": ([a, np.int32([choose.randrange(n) for _ in range(n)]), b], b),
                "pull": ([a, b, one, 0.1], b), "move": ([a, b, 0.1], a)}[name]
            others = [each for each in arguments if isinstance(each, slice) and each is not written]
            if written is None or not any(each.start < written.stop and written.start < each.stop for each in others):
                return name, arguments

    def code(self, choose, depth=0):
        """Launches, and loops of launches: (steps, every, snapshots, body)."""
        return [(choose.randint(0, 9), choose.randint(1, 4), choose.randint(1, 4), self.code(choose, depth + 1))
                if depth < 2 and choose.random() < 0.3 else self.launch(choose)
                for _ in range(choose.randint(1, 5 - depth))]

    def run_code(self, code, call, loop):
        for each in code:
            if len(each) == 2:
                call(*each)
            else:
                steps, every, snapshots, body = each
                loop(lambda i, body=body: self.run_code(body, call, loop), steps, every, snapshots)

    def test_tangents_and_gradients_are_one_derivative(self):
        compared = 0
        for seed in range(40):
            choose, numbers = random.Random(seed), np.random.default_rng(seed)
            code = [self.launch(choose), *self.code(choose), *self.code(choose)]
            memory, tangent = numbers.uniform(-1, 1, self.SIZE), numbers.uniform(-1, 1, self.SIZE)
            weights, direction, again = numbers.uniform(-1, 1, self.SIZE), tangent.copy(), memory.copy()

            def launch(name, arguments):
                at = lambda whole: [whole[each] if isinstance(each, slice) else each for each in arguments]
                self.app[name](*at(memory))

            def launch_dual(name, arguments):
                values = [again[each] if isinstance(each, slice) else each for each in arguments]
                duals = [tangent[each] for each in arguments if isinstance(each, slice)]
                self.app[name].dual(*values, *duals)

            def repeat(step, steps, every, snapshots):
                for i in range(steps):
                    step(i)

            with sextant.Tape() as tape:
                def loop(step, steps, every, snapshots):
                    tape.checkpoint(step, steps, every=every, snapshots=snapshots)
                self.run_code(code, launch, loop)
            self.run_code(code, launch_dual, repeat)
            if not np.isfinite(tangent).all():
                continue  # it grew too large
            compared += 1
            gradient = tape.gradient(memory)
            for _ in range(2):
                gradient.write(weights)
                tape.backward()
                self.assertEqual(memory.tolist(), again.tolist(), seed)
                found = gradient.numpy()
                forward, backward = weights @ tangent, found @ direction
                size = np.abs(weights * tangent).sum() + np.abs(found * direction).sum()
                self.assertLess(abs(forward - backward), 1e-12 * size, (seed, forward, backward, code))
        self.assertGreater(compared, 30)


if __name__ == "__main__":
    unittest.main()
