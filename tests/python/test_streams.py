"""Asynchronous calls, and those that wait; prepared launches, graphs, events; what stays alive until when."""
import gc
import sys
import threading
import time
import unittest

import numpy as np

import sextant
from support import app

ROUNDS = 30_000_000  # rounds of `slow`: tens of milliseconds
ATTEMPTS = 10  # at what needs a turn while a kernel runs


def rounds(value: int, count: int) -> int:
    """Computes what `slow` does: the affine map, applied count times by squaring."""
    a, c, total_a, total_c = 1664525, 1013904223, 1, 0
    while count:
        if count & 1:
            total_a, total_c = total_a * a % 2**32, (total_c * a + c) % 2**32
        a, c, count = a * a % 2**32, (a + 1) * c % 2**32, count >> 1
    value = (value * total_a + total_c) % 2**32
    return value - 2**32 if value >= 2**31 else value


class Waiting(unittest.TestCase):
    def test_a_call_without_a_stream_is_done(self):
        x = np.int32([1])
        app().slow(ROUNDS, x)
        self.assertEqual(int(x[0]), rounds(1, ROUNDS))

    def test_with_a_stream_it_is_done_after_synchronize(self):
        stream = app().device.stream()
        x, calls, waited = np.int32([1]), 0, False
        # A busy machine may keep this thread from its question until a kernel is done, but not each time.
        while not waited and calls < ATTEMPTS:
            app().slow(ROUNDS, x, stream=stream)
            event = stream.record()
            waited = not event.query()
            stream.synchronize()
            calls += 1
        self.assertTrue(waited)
        self.assertTrue(event.query())
        self.assertEqual(int(x[0]), rounds(1, calls * ROUNDS))

    def test_other_threads_run_meanwhile(self):
        ticks, stop, inside = 0, threading.Event(), threading.Event()

        def tick():
            nonlocal ticks
            while not stop.is_set():
                ticks += inside.is_set()
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        for _ in range(ATTEMPTS):  # until the other thread had its turns on a busy machine
            inside.set()
            app().slow(4 * ROUNDS, np.int32([1]))
            inside.clear()
            if ticks > 3 * ATTEMPTS:
                break
        stop.set()
        thread.join()
        # Around a call that kept Python's lock there is one turn at most on each side.
        self.assertGreater(ticks, 3 * ATTEMPTS)

    def test_streams_of_other_kinds_are_refused(self):
        x = np.int32([1])
        with self.assertRaisesRegex(TypeError, "stream: expected a sextant.Stream"):
            app().slow(1, x, stream="x")
        with self.assertRaisesRegex(NotImplementedError, "streams of cpu have no handle"):
            app().slow(1, x, stream=1234)
        self.assertEqual(app().device.stream().native, 0)


class Lifetimes(unittest.TestCase):
    def test_an_array_lives_until_its_work_is_done(self):
        stream = app().device.stream()
        x = np.zeros(1, np.int32)
        count = sys.getrefcount(x)
        app().slow(ROUNDS, x, stream=stream)
        self.assertEqual(stream.held, 1)
        self.assertGreater(sys.getrefcount(x), count)
        stream.synchronize()
        self.assertEqual(stream.held, 0)
        self.assertEqual(sys.getrefcount(x), count)

    def test_memory_that_could_move_does_not(self):
        stream = app().device.stream()
        numbers = bytearray(4)
        app().twice_u8(numbers, 4, stream=stream)
        with self.assertRaises(BufferError):
            numbers.extend(b"more")
        stream.synchronize()
        numbers.extend(b"more")

    def test_what_a_stream_holds_is_bounded(self):
        stream = app().device.stream()
        most = 0
        for _ in range(3000):
            app().twice_u8(bytearray(16), 16, stream=stream)
            most = max(most, stream.held)
        self.assertLessEqual(most, 32 * 17)
        stream.synchronize()
        self.assertEqual(stream.held, 0)

    def test_an_unfinished_stream_that_goes(self):
        x = np.int32([1])
        count = sys.getrefcount(x)
        app().slow(ROUNDS, x, stream=app().device.stream())  # the stream finishes before it goes
        gc.collect()
        self.assertEqual(int(x[0]), rounds(1, ROUNDS))
        self.assertEqual(sys.getrefcount(x), count)


class Prepared(unittest.TestCase):
    def setUp(self):
        self.x, self.y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
        self.launch = app().saxpy.prepare(4, 1.0, self.x, self.y)

    def test_set_and_enqueue(self):
        self.launch.enqueue()
        self.launch.set("a", 10)
        self.launch.set(0, 2)
        self.launch.enqueue()
        self.assertEqual(self.y.tolist(), [0, 11, 2, 3])
        z = np.ones(4, np.float32)
        self.launch.set("y", z)
        self.launch.enqueue()
        self.assertEqual(z.tolist(), [1, 11, 1, 1])

    def test_run_sets_what_varies(self):
        self.launch.vary("a", 0)
        self.launch.run((2.0, 4))
        self.launch.run((0.5, 2))
        self.assertEqual(self.y.tolist(), [0, 2.5, 4, 6])
        with self.assertRaisesRegex(TypeError, r"run\(\) expects a tuple of 2 values"):
            self.launch.run((1.0,))
        with self.assertRaisesRegex(TypeError, "argument 1 'a': expected a real number"):
            self.launch.run(("1", 1))
        with self.assertRaises(LookupError):
            self.launch.vary(7)

    def test_after_an_error_the_launch_is_as_before(self):
        for argument, value, error in (("y", np.zeros(4), TypeError), ("n", 2**40, TypeError),
                                       (9, 1, IndexError), ("b", 1, TypeError)):
            with self.assertRaises(error):
                self.launch.set(argument, value)
        self.launch.enqueue()
        self.assertEqual(self.y.tolist(), [0, 1, 2, 3])

    def test_it_keeps_its_arrays_and_queued_work_those_that_were_replaced(self):
        stream = app().device.stream()
        x, z = np.int32([1]), np.int32([2])
        counts = sys.getrefcount(x), sys.getrefcount(z)
        launch = app().slow.prepare(ROUNDS, x)
        self.assertGreater(sys.getrefcount(x), counts[0])
        launch.enqueue(stream)
        launch.set("x", z)
        self.assertGreater(sys.getrefcount(x), counts[0])  # the stream has it
        launch.enqueue(stream)
        del launch
        self.assertGreater(sys.getrefcount(z), counts[1])
        stream.synchronize()
        self.assertEqual((sys.getrefcount(x), sys.getrefcount(z)), counts)
        self.assertEqual([int(x[0]), int(z[0])], [rounds(1, ROUNDS), rounds(2, ROUNDS)])

    def test_one_thread_at_a_time(self):
        launch = app().slow.prepare(4 * ROUNDS, np.int32([1]))
        thread = threading.Thread(target=launch.enqueue)
        thread.start()
        refused = None
        while thread.is_alive() and not refused:
            try:
                launch.set("rounds", 4 * ROUNDS)
                time.sleep(0.0005)
            except sextant.ArgumentError as error:
                refused = str(error)
        thread.join()
        self.assertIn("in use by another thread", refused)


class Graphs(unittest.TestCase):
    def test_launches_copies_fills(self):
        device = app().device
        x, y = (sextant.Array(device, 4, "f32") for _ in range(2))
        graph = sextant.Graph(device)
        graph.add_fill(x, 3.0)
        graph.add_copy(y, x)
        step = graph.add(app().saxpy, 4, 2.0, x=x, y=y)
        graph.enqueue()
        self.assertEqual(y.numpy().tolist(), [9] * 4)
        graph.set(step, "a", -1)
        host = np.float32([0, 1, 2, 3])
        graph.set(step, 2, host)
        graph.enqueue()
        self.assertEqual(y.numpy().tolist(), [3, 2, 1, 0])
        self.assertEqual(graph.describe()["step_count"], 3)
        with self.assertRaises(IndexError):
            graph.set(0, "a", 1)
        with self.assertRaisesRegex(ValueError, "the destination has 8 bytes, the source 16"):
            graph.add_copy(sextant.Array(device, 2, "f32"), x)

    def test_a_graph_keeps_its_arrays(self):
        x = np.zeros(4, np.float32)
        count = sys.getrefcount(x)
        graph = sextant.Graph(app().device)
        graph.add(app().saxpy, 4, 1.0, x, x)
        self.assertGreater(sys.getrefcount(x), count)
        del graph
        self.assertEqual(sys.getrefcount(x), count)


class Events(unittest.TestCase):
    def test_one_stream_waits_for_another(self):
        device = app().device
        x, y = np.int32([1]), np.int32([0])
        with device.stream() as first, device.stream() as second:
            begin = first.record()
            app().slow(ROUNDS, x, stream=first)
            done = first.record()
            second.wait(done)
            app().slow(0, y, stream=second)
            second.synchronize()
            self.assertTrue(done.query())
            self.assertGreater(done.elapsed_since(begin), 0.1)
        with self.assertRaisesRegex(ValueError, "elapsed time"):
            device.event().elapsed_since(done)


if __name__ == "__main__":
    unittest.main()
