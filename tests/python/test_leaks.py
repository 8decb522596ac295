"""Nothing grows over many calls, also those that fail: references, Python's memory, the process's memory."""
import gc
import os
import subprocess
import sys
import tracemalloc
import unittest

import numpy as np

import sextant
from support import HERE, app, module


def resident() -> int:
    """The process's memory in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def collect():
    """Frees what nothing uses. Python's cache of attributes would keep names that the package looked up."""
    gc.collect()
    sys._clear_type_cache()


class Leaks(unittest.TestCase):
    def setUp(self):
        self.x, self.y = np.ones(16, np.float32), np.zeros(16, np.float32)
        self.mass = np.zeros(16, np.float32)
        self.stream = app().device.stream()
        self.launch = app().saxpy.prepare(0, 1.0, self.x, self.y)
        self.launch.vary("n", "a")
        self.matrix = [[1, 2, 3], [4, 5, 6]]
        self.points, self.blocks = np.zeros((1, 3), np.float32), np.zeros((1, 1, 2, 3), np.float32)
        self.own = sextant.Array(app().device, 16, "f32")

    def fails(self, error, call):
        try:
            call()
        except error:
            return
        raise AssertionError("no error")

    def once(self):
        x, y = self.x, self.y
        app().saxpy(2, 1.0, x, y)
        app().saxpy(n=2, a=1.0, x=self.own, y=y, stream=self.stream)
        app().advance({"mass": self.mass, "step": 1.0}, 2)
        app().transform(self.matrix, (1, 2, 3), self.points, self.blocks)
        app().several(2.0)
        self.launch.run((1, 2.0))
        self.launch.run((1, 2.0), self.stream)
        self.launch.set("y", y)
        app().saxpy(0, 1.0, sextant.Pointer(x.ctypes.data, "f32", 16, owner=x), np.from_dlpack(self.own))
        self.own.__dlpack__()
        self.own.fill(1.0)
        self.own.numpy()
        app().field("total").numpy()
        app().saxpy.parameters, app().saxpy.__doc__, app().explain("saxpy")
        graph = sextant.Graph(app().device)
        graph.add(app().saxpy, 1, 1.0, x, y)
        graph.enqueue(self.stream)
        with sextant.Tape(y) as tape:
            app().saxpy(2, 1.0, x, y)
            tape.checkpoint(lambda i: app().saxpy(2, 1.0, x, y), 3, snapshots=2)
            self.fails(sextant.NotFoundError, lambda: app().advance({"mass": self.mass, "step": 1.0}, 2))
        tape.gradient(x).numpy()
        tape.set_gradient(y, self.mass)
        tape.zero()
        self.fails(ValueError, lambda: tape.gradient(x[::2]))
        self.fails(TypeError, lambda: app().saxpy(2, "a", x, y))
        self.fails(TypeError, lambda: app().saxpy(2, 1.0, x, 7))
        self.fails(TypeError, lambda: app().saxpy(2, 1.0, x, z=y))
        self.fails(ValueError, lambda: app().saxpy(2, 1.0, x, y[::2]))
        self.fails(TypeError, lambda: self.launch.set("y", 3))
        self.fails(TypeError, lambda: app().transform(self.matrix, (1, 2), self.points, self.blocks))
        self.stream.synchronize()

    def test_nothing_grows(self):
        for _ in range(50):
            self.once()
        collect()
        objects = [self.x, self.y, self.mass, self.own, self.stream, self.launch, self.matrix, app().saxpy, None, True]
        references = [sys.getrefcount(each) for each in objects[:-2]]
        resident()  # imports what it needs
        tracemalloc.start()
        for _ in range(100):  # the interpreter and numpy keep something once
            self.once()
        collect()
        python, process = tracemalloc.get_traced_memory()[0], resident()
        for _ in range(600):
            self.once()
        collect()
        python = tracemalloc.get_traced_memory()[0] - python
        tracemalloc.stop()
        self.assertEqual([sys.getrefcount(each) for each in objects[:-2]], references)
        # A leak of the smallest object at each round is 14400 bytes or more of Python's memory.
        self.assertLess(python, 12_000)
        self.assertLess(resident() - process, 6 << 20)

    def test_programs_that_are_opened_and_closed(self):
        with open(module(), "rb") as file:
            data = file.read()

        def use(rounds):
            for number in range(rounds):
                with sextant.open(module() if number % 2 else data, "cpu") as program:
                    program.saxpy(4, 1.0, self.x, self.y)
                    program.field("total")
                    program.saxpy.prepare(4, 1.0, self.x, self.y).enqueue(stream := program.device.stream())
                    stream.synchronize()

        use(100)
        process = resident()
        use(1000)
        self.assertLess(resident() - process, 3 << 20)  # 3 KiB a program

    def test_the_end_of_a_process_leaves_nothing(self):
        """nanobind reports what is alive when the interpreter ends."""
        code = """if True:
            import sys
            sys.path.insert(0, sys.argv[1])
            import numpy as np, sextant
            program = sextant.open(sys.argv[2], "cpu")
            x = np.zeros(4, np.float32)
            program.saxpy(4, 1.0, x, x)
            stream = program.device.stream()
            launch = program.saxpy.prepare(4, 1.0, x, x)
            launch.enqueue(stream)
            field = np.asarray(program.field("total"))
            sextant.set_print(print)
            try:
                program.saxpy(1)
            except TypeError:
                pass
            with sextant.Tape() as tape:
                program.saxpy(4, 1.0, x, np.zeros(4, np.float32))
                tape.checkpoint(lambda i: program.saxpy(4, 1.0, x, np.zeros(4, np.float32)), 3)
            program.saxpy(4, 1.0, x, x, stream=stream)  # and nobody waits
        """
        out = subprocess.run([sys.executable, "-c", code, HERE, module()], capture_output=True, text=True, timeout=60)
        self.assertEqual((out.returncode, out.stdout, out.stderr), (0, "", ""))

    def test_import_needs_neither_numpy_nor_torch(self):
        code = "import sys, sextant; print([m for m in ('numpy', 'torch', 'inspect', 'typing') if m in sys.modules])"
        out = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(out.stdout, "[]\n")


if __name__ == "__main__":
    unittest.main()
