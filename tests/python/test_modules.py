"""Opening: paths and bytes, devices, options, signatures of modules, what errors are; what kernels print."""
import os
import pathlib
import subprocess
import sys
import threading
import unittest

import numpy as np

import sextant
from support import CPU, app, command, folder, module


class Opening(unittest.TestCase):
    def total(self, program):
        return program.sum_of(np.arange(5, dtype=np.int32))

    def test_paths_bytes_devices(self):
        data = pathlib.Path(module()).read_bytes()
        for source in (module(), pathlib.Path(module()), bytearray(data)):
            self.assertEqual(self.total(sextant.open(source, "cpu")), 10)
        self.assertEqual(self.total(sextant.open(data, sextant.Device("cpu"))), 10)
        held = bytearray(data)
        opened = sextant.Module(held)
        with self.assertRaises(BufferError):
            held.clear()  # the loader reads it in place
        self.assertIn("saxpy", opened.kernels)
        del opened
        held.clear()

    def test_options(self):
        with self.assertRaises(sextant.NoVariantError):
            sextant.open(module(), "cpu", variant="cuda").saxpy
        with self.assertRaises(sextant.NoVariantError):
            sextant.open(module(), "cpu", wave=3).saxpy
        with self.assertRaises(sextant.NoVariantError):
            sextant.open(module(), "cpu", blocked="cpu").saxpy
        self.assertEqual(self.total(sextant.open(module(), "cpu", variant="cpu", wave=32)), 10)

    def test_preferences_and_measuring(self):
        path = module(file="checked.py", targets=f"{CPU}/wave8,{CPU}/wave32")
        preferences = os.path.join(folder.name, "prefer.txt")
        program = sextant.open(path, "cpu")
        best = program.checked.variant["target"]
        other = next(v["target"] for v in program.verdicts("checked") if v["usable"] and v["target"] != best)
        pathlib.Path(preferences).write_text(f"checked cpu:{program.device.describe()['arch']} {other}\n")
        self.assertEqual(sextant.open(path, "cpu", preferences=preferences).checked.variant["target"], other)
        measured = program.checked.measure(np.int32([1]), stream=1)
        self.assertGreaterEqual({m["target"] for m in measured}, {best, other})
        fastest = [m for m in measured if m["fastest"]]
        self.assertEqual(len(fastest), 1)
        self.assertEqual(program.checked.variant["target"], fastest[0]["target"])
        self.assertTrue(all(m["median_ms"] > 0 for m in measured if not m["problem"]))

    def test_devices(self):
        self.assertIn("cpu", [device["name"] for device in sextant.devices()])
        facts = sextant.Device("cpu").describe()
        self.assertEqual(facts["backend"], "cpu")
        self.assertIn(32, facts["wave_sizes"])
        with self.assertRaises(sextant.NotFoundError):
            sextant.Device("abacus:1")
        with self.assertRaises(sextant.UnsupportedError):
            sextant.adopt("cpu")

    def test_contexts_close(self):
        with sextant.open(module(), "cpu") as program:
            kernel, field = program.saxpy, program.field("total")
            launch = program.sum_of.prepare(np.zeros(1, np.int32))
        for use in (lambda: program.saxpy, lambda: kernel(0, 1.0, np.zeros(1, "f4"), np.zeros(1, "f4")),
                    launch.enqueue, lambda: field.numpy(), program.explain):
            with self.assertRaisesRegex(ValueError, "the program was closed"):
                use()

    def test_what_a_seed_gives_again(self):
        self.assertIsNone(app().seed(3))  # no kernel draws: nothing happens


class Errors(unittest.TestCase):
    def test_classes_and_messages(self):
        for source, error, builtin, name in (
                (os.path.join(folder.name, "absent.sxt"), sextant.FileError, OSError, "SXT_ERROR_IO"),
                (b"no module at all", sextant.BadModuleError, ValueError, "SXT_ERROR_BAD_MODULE")):
            with self.assertRaises(builtin) as raised:
                sextant.Module(source)
            self.assertIs(type(raised.exception), error)
            self.assertIsInstance(raised.exception, sextant.Error)
            self.assertEqual(raised.exception.status_name, name)
            self.assertTrue(str(raised.exception))
        with self.assertRaises(AttributeError):
            app().no_such_kernel
        with self.assertRaisesRegex(LookupError, "the module has no kernel 'saxpi'"):
            app()["saxpi"]
        with self.assertRaises(TypeError):
            sextant.Module(3)
        self.assertEqual(repr(app().saxpy), "<sextant.Kernel saxpy on cpu>")

    def test_faults_of_kernels(self):
        checked = sextant.open(module("--check", file="checked.py"), "cpu")
        checked.checked(np.int32([4]), stream=4)
        with self.assertRaisesRegex(sextant.KernelFaultError, "x differs"):
            checked.checked(np.int32([5]), stream=4)

    def test_damage(self):
        data = bytearray(pathlib.Path(module()).read_bytes())
        with self.assertRaises(sextant.BadModuleError):
            sextant.open(bytes(data[:len(data) // 2]), "cpu")


class Signed(unittest.TestCase):
    def test_only_with_the_right_key(self):
        for name in ("right", "wrong"):
            command("keygen", f"{name}.pem")
        keys = {name: command("keygen", "--show", f"{name}.pem.pub").split()[0] for name in ("right", "wrong")}
        path = os.path.join(folder.name, "signed.sxt")
        command("sign", module(), "--key", "right.pem", "-o", path)
        for key in (keys["right"], bytes.fromhex(keys["right"])):
            program = sextant.open(path, "cpu", public_keys=[key])
            self.assertEqual(program.sum_of(np.int32([1, 2])), 3)
        for source, given in ((path, [keys["wrong"]]), (module(), [keys["right"]])):
            with self.assertRaises(PermissionError) as raised:
                sextant.open(source, "cpu", public_keys=given)
            self.assertIs(type(raised.exception), sextant.UntrustedError)
        for bad in ([], [b"short"], ["00" * 31], [7]):
            with self.assertRaises(ValueError):
                sextant.open(path, "cpu", public_keys=bad)


class Prints(unittest.TestCase):
    def tearDown(self):
        sextant.set_print(None)

    def test_a_function_gets_them(self):
        texts = []
        sextant.set_print(texts.append)
        app().speak(np.int32([42]))
        self.assertIn("x is 42", "".join(texts))
        stream = app().device.stream()
        app().speak(np.int32([43]), stream=stream)
        stream.synchronize()
        self.assertIn("x is 43", "".join(texts))

    def test_threads_that_print_and_wait(self):
        texts = []
        sextant.set_print(texts.append)

        def work(number):
            for _ in range(50):
                app().speak(np.int32([number]), stream=app().device.stream())  # goes unwaited: its end prints

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual("".join(texts).count("x is"), 200)

    def test_without_one_to_stdout(self):
        code = ("import sys, sextant; program = sextant.open(sys.argv[1], 'cpu'); "
                "program.speak(memoryview(bytearray(b'\\x07\\0\\0\\0')).cast('i'))")
        out = subprocess.run([sys.executable, "-c", code, module()], capture_output=True, text=True, check=True)
        self.assertIn("x is 7", out.stdout)
        self.assertEqual(out.stderr, "")


class Threads(unittest.TestCase):
    def test_one_program_from_many(self):
        problems = []

        def work(number):
            try:
                for i in range(200):
                    x = np.full(16, number, np.int32)
                    if app().sum_of(x) not in range(16 * 8):  # the field is shared: sums of others may mix in
                        problems.append("sum")
                    y = np.full(8, number, np.float32)
                    app().saxpy(8, 2.0, y, out := np.zeros(8, np.float32), stream=(s := app().device.stream()))
                    s.synchronize()
                    if out.tolist() != [2.0 * number] * 8:
                        problems.append((number, i, out))
            except Exception as error:  # noqa: BLE001 (reported below)
                problems.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])


if __name__ == "__main__":
    unittest.main()
