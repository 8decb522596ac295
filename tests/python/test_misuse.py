"""Misuse is an ordinary Python error: texts with NUL, libraries that fail, print functions that launch, daemon threads at
the end, subinterpreters, Ctrl-C in a wait. fuzz_arguments.py looks for more."""
import copy
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import sextant
from support import HERE, app, module
from test_streams import ATTEMPTS, ROUNDS, rounds



def process(code: str, *arguments, **options):
    """Runs Python code in a process of its own. It finds the tests' module and the package."""
    return subprocess.run([sys.executable, "-c", code, HERE, *arguments], capture_output=True, text=True, timeout=100,
                          env={**os.environ, "SEXTANT_TEST_MODULE": module()}, **options)


def raising(error):
    """A function that raises an error."""

    def function(*_, **__):
        raise error("raised by the test")
    return function


class Texts(unittest.TestCase):
    CALLS = {
        "kernel": lambda text: app()[text], "attribute": lambda text: getattr(app(), text),
        "field": lambda text: app().field(text), "bind": lambda text: app().bind(text, None),
        "explain": lambda text: app().explain(text), "verdicts": lambda text: app().verdicts(text),
        "attachment": lambda text: app().module.attachment(text), "device": lambda text: sextant.Device(text),
        "adopt": lambda text: sextant.adopt(text), "open": lambda text: sextant.open(module(), text),
        "variant": lambda text: sextant.open(module(), "cpu", variant=text),
        "blocked": lambda text: sextant.open(module(), "cpu", blocked=text),
        "preferences": lambda text: sextant.open(module(), "cpu", preferences=text),
        "dtype": lambda text: sextant.Array(app().device, 1, text), "pointer": lambda text: sextant.Pointer(0, text, 1),
    }

    def test_a_nul_does_not_end_a_text(self):
        right = {"kernel": "saxpy", "attribute": "saxpy", "field": "total", "bind": "total", "explain": "saxpy",
                 "verdicts": "saxpy", "attachment": "x", "device": "cpu", "adopt": "cuda", "open": "cpu", "variant": "cpu",
                 "blocked": "cuda", "preferences": "x", "dtype": "f32", "pointer": "f32"}
        for name, function in self.CALLS.items():
            with self.subTest(name), self.assertRaisesRegex(sextant.ArgumentError, r"x00.*has a NUL"):
                function(right[name] + "\0")

    def test_what_is_not_unicode(self):
        for name, function in self.CALLS.items():
            with self.subTest(name), self.assertRaises(UnicodeEncodeError):
                function("a\ud800")
        with self.assertRaisesRegex(sextant.SignatureError, r"has no argument '\\ud800'"):
            app().saxpy(**{"\ud800": 1})

    def test_other_types_are_type_errors(self):
        for name, function in self.CALLS.items():
            if name not in ("dtype", "pointer", "attribute"):  # a dtype is what its str() says
                for wrong in (3, 1.5, b"saxpy", ["saxpy"], object()):
                    with self.subTest(name, wrong=wrong), self.assertRaises(TypeError):
                        function(wrong)

    def test_a_message_is_not_cut_within_a_character(self):
        class Long:
            def __repr__(self):
                return "é" * 500 + "\ud800"

        with self.assertRaisesRegex(sextant.SignatureError, "'n': expected an integer .*given éééé"):
            app().saxpy(Long(), 1.0, None, None)


class Objects(unittest.TestCase):
    def test_none_begins_a_kernel_with_checkpoints(self):
        x = np.float32([1, 2])
        self.assertIsNone(app().saxpy.resume(None, 2, 1.0, x, x))  # it has no checkpoints: it is done
        self.assertEqual(x.tolist(), [2, 4])
        with self.assertRaises(TypeError):
            app().saxpy.resume("a", 2, 1.0, x, x)

    def test_objects_that_no_constructor_made(self):
        x = np.zeros(4, np.float32)
        for kind in (sextant.Array, sextant.Pointer):
            with self.assertRaisesRegex(TypeError, "was not made by a constructor"):
                app().saxpy(4, 1.0, x, kind.__new__(kind))
        with self.assertRaises(TypeError):
            copy.copy(app().saxpy)(4, 1.0, x, x)
        with self.assertRaises(TypeError):
            sextant.Array.__new__(int)

    def test_derived_classes(self):
        class Pointer(sextant.Pointer):
            pass

        class Array(sextant.Array):  # its memory is not asked for by protocols, which other devices do not have
            @property
            def __array_interface__(self):
                raise RuntimeError("their own")

        x = np.int32([1, 2])
        own = Array(app().device, 2, "i32")
        own.fill(4)
        self.assertEqual(app().sum_of(Pointer(x.ctypes.data, "i32", 2, owner=x)), 3)
        self.assertEqual(app().sum_of(own), 8)

    def test_memory_that_is_none(self):
        gone = memoryview(bytearray(4))
        gone.release()
        with self.assertRaisesRegex(sextant.ArgumentError, "argument 0 'x': .* released memoryview"):
            app().twice_u8(gone, 4)
        own = sextant.Array(app().device, 1, "i32")
        for wrong in (3, own, None, [1]):
            for copying in (own.write, own.read):
                with self.assertRaisesRegex(sextant.SignatureError, "expected memory of the host"):
                    copying(wrong)
        with self.assertRaisesRegex(sextant.HostOrDeviceMemoryError, "2\\^64 bytes"):
            app().bind("total", sextant.Pointer(8, "i32", (2**62 + 1,)))  # 4 bytes and 2^64

    def test_keys(self):
        for wrong, error, words in (("ab" * 32, sextant.SignatureError, "a list of keys, given one str"),
                                    (b"a" * 32, sextant.SignatureError, "a list of keys, given one bytes"),
                                    (["zz"], sextant.ArgumentError, "a public key is 32 bytes"),
                                    ([3], sextant.ArgumentError, "a public key is 32 bytes")):
            with self.assertRaisesRegex(error, words):
                sextant.open(module(), public_keys=wrong)

    def test_endless_sequences(self):
        class Endless:
            def __len__(self):
                return 3

            def __getitem__(self, index):
                return 1.0

        def numbers():
            while True:
                yield 1

        x, y = np.zeros((1, 3), np.float32), np.zeros((1, 1, 2, 3), np.float32)
        app().transform([[1] * 3] * 2, Endless(), x, y)
        self.assertEqual(x.tolist(), [[1, 1, 1]])
        with self.assertRaisesRegex(ValueError, "shape has more than"):
            sextant.Array(app().device, numbers())

    def test_errors_of_the_callers_objects_come_through(self):
        class Failing:
            def __index__(self):
                raise RuntimeError("their own")

            __float__ = __index__

        for at in (0, 1):
            given = [4, 1.0, np.zeros(4, np.float32), np.zeros(4, np.float32)]
            given[at] = Failing()
            with self.assertRaisesRegex(RuntimeError, "their own"):
                app().saxpy(*given)

    def test_an_argument_is_given_once(self):
        x = np.zeros(4, np.float32)
        with self.assertRaisesRegex(TypeError, "'state.step' is given twice"):
            app().advance({"mass": x, "step": 1.0}, 1, **{"state.step": 2.0})


class Libraries(unittest.TestCase):
    """Libraries that do not share an array: the error names the argument."""

    def test_dlpack_that_refuses(self):
        class Refusing:
            def __init__(self, device, error):
                self.device, self.error = device, error

            def __dlpack_device__(self):
                if isinstance(self.device, Exception):
                    raise self.device
                return self.device

            def __dlpack__(self, **_):
                raise self.error

        # The errors that torch raises for a tensor with a gradient, and for one on `meta`.
        for given, words in ((Refusing((1, 0), BufferError("tensors that require gradient")), "that require gradient"),
                             (Refusing(ValueError("Unknown device type meta"), None), "device type meta"),
                             (Refusing((99, 0), None), "another kind of device")):
            with self.assertRaisesRegex(sextant.ArgumentError, f"kernel 'sum_of', argument 0 'x': .*{words}"):
                app().sum_of(given)
        for device in ((1,), None, ("a", "b"), (2**70, 0)):
            with self.subTest(device=device), self.assertRaises((TypeError, ValueError, IndexError)):
                app().sum_of(Refusing(device, None))

    def test_descriptions_that_are_none(self):
        """Each error names the kernel and the argument."""
        x = np.zeros(4, np.int32)
        huge = 2**70
        wrong = {"typestr": (3, None, b"<i4", "\ud800", [], "<i4x"), "shape": (3, None, [4], ("a",), (1.5,), (huge,), (-1,)),
                 "data": (None, 3, (huge, False), (-1, False), ("a", False), (1,), (), b"", (1.5, False)),
                 "strides": (3, [4], (4, 4), ("a",), (huge,)), "mask": (x,), "descr": ()}
        dlpack = [{"__dlpack_device__": lambda _, device=device: device}
                  for device in ((1,), None, ("a", "b"), (huge, 0), (2**32 + 1, 0), 3)]
        dlpack += [{"__dlpack_device__": lambda _: (1, 0), "__dlpack__": lambda _, result=result, **__: result}
                   for result in (None, 3, x)]
        dlpack += [{"__dlpack_device__": lambda _: (1, 0), "__dlpack__": raising(error)}
                   for error in (TypeError, ValueError, BufferError, RuntimeError, NotImplementedError)]
        dlpack += [{"__dlpack_device__": raising(TypeError)}, {}]
        given = [{"__array_interface__": {**x.__array_interface__, key: value}}
                 for key, values in wrong.items() for value in values]
        given += [{"__array_interface__": {k: v for k, v in x.__array_interface__.items() if k != key}}
                  for key in ("typestr", "shape", "data")]
        for members in given + [{"__dlpack__": x.__dlpack__, **each} for each in dlpack]:
            value = type("Lying", (), members)()
            for name, use in {"call": app().sum_of, "prepare": app().sum_of.prepare,
                              "graph": lambda v: sextant.Graph(app().device).add(app().sum_of, v)}.items():
                with self.subTest(name, members=members), \
                        self.assertRaisesRegex(sextant.Error, "^kernel 'sum_of', argument 0 'x': "):
                    use(value)

    def exchanging(self, result, **members):
        """An object whose type has DLPack's table of functions, which answers so."""

        @ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
        def view(_, out):
            ctypes.memset(out, 0, 48)
            return result

        table = (ctypes.c_void_p * 8)(1, None, None, None, None, ctypes.cast(view, ctypes.c_void_p), None, None)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        kind = type("Tensor", (), {"__dlpack_c_exchange_api__": new(ctypes.addressof(table), b"dlpack_exchange_api", None),
                                   "kept": (view, table), **members})
        return kind()

    def test_the_table_of_functions(self):
        for given, error, words in (
            (self.exchanging(0, requires_grad=True), sextant.ArgumentError, r"argument 0 'x': it requires a gradient.*detach"),
            (self.exchanging(-1), sextant.ArgumentError, "argument 0 'x': .* failed without an exception"),
            (self.exchanging(0, requires_grad=False), sextant.ArgumentError, "another kind of device"),
        ):
            with self.subTest(words), self.assertRaisesRegex(error, words):
                app().sum_of(given)


class Streams(unittest.TestCase):
    def test_a_stream_of_another_device(self):
        class Torch:
            cuda_stream = 0
            device = type("device", (), {"type": "cuda", "index": 1})

        class Cupy:
            ptr, device_id = 0, 1

        class Core:
            device = type("Device", (), {"device_id": 1})

            def __cuda_stream__(self):
                return 0, 0

        x = np.int32([1])
        own = sextant.Array(app().device, 1, "i32")
        event = app().device.event()
        for given in (Torch(), Cupy(), Core()):
            for use in (lambda: app().slow(1, x, stream=given), lambda: own.read(bytearray(4), stream=given),
                        lambda: app().slow.prepare(1, x).enqueue(given), lambda: event.record(given),
                        lambda: sextant.Graph(app().device).enqueue(given), lambda: app().seed(1, stream=given)):
                with self.assertRaisesRegex(sextant.ArgumentError, "stream: it belongs to device 1, and the call to cpu"):
                    use()
        with self.assertRaisesRegex(TypeError, "__cuda_stream__"):
            app().slow(1, x, stream=type("Odd", (), {"__cuda_stream__": lambda self: 3})())

    def test_first_waits_that_meet(self):
        """They ask Python for its main thread, which lets other threads run."""
        code = """if True:
            import sys, threading, time
            import sextant
            known = threading.main_thread
            threading.main_thread = lambda: time.sleep(0.1) or known()
            device = sextant.Device("cpu")
            for thread in [threading.Thread(target=device.synchronize) for _ in range(2)]:
                thread.start()
        """
        out = process(code)
        self.assertEqual((out.returncode, out.stderr), (0, ""))


class Prints(unittest.TestCase):
    def tearDown(self):
        sextant.set_print(None)

    def test_the_function_may_call_the_package(self):
        code = """if True:
            import sys
            sys.path.insert(0, sys.argv[1])
            import numpy as np, sextant
            from support import app
            stream, texts = app().device.stream(), []
            def receive(text):
                texts.append(text)
                number = int(text.split()[-1])
                if number < 3:
                    app().speak(np.int32([number + 1]), stream=stream)
                    stream.synchronize()
                    app().speak(np.int32([7]))
                    app().field("total").numpy()
                    sextant.set_print(receive)
            sextant.set_print(receive)
            app().speak(np.int32([1]), stream=stream)
            stream.synchronize()
            print(sorted(int(text.split()[-1]) for text in texts))
        """
        out = process(code)
        self.assertEqual((out.returncode, out.stdout, out.stderr), (0, "[1, 2, 3, 7, 7]\n", ""))

    def test_what_it_raises_leaves_the_call_as_it_is(self):
        def fail(_):
            raise ValueError("their own")

        seen = []
        sys.unraisablehook, hook = lambda args: seen.append(str(args.exc_value)), sys.unraisablehook
        try:
            sextant.set_print(fail)
            app().speak(np.int32([1]))
        finally:
            sys.unraisablehook = hook
        self.assertEqual(seen, ["their own"])
        with self.assertRaisesRegex(TypeError, "set_print"):
            sextant.set_print(3)


class TheEnd(unittest.TestCase):
    def test_daemon_threads(self):
        """They are in any call, and in any Python code that it calls, while the interpreter ends."""
        code = """if True:
            import sys, threading, time
            sys.path.insert(0, sys.argv[1])
            import numpy as np, sextant
            from support import app, module
            x, i = np.zeros(4, np.float32), np.int32([1])
            def loop(*_):
                for _ in range(300):
                    pass
            def object_with(**methods):
                return type("Object", (), methods)()
            def answer(value):
                def method(*_, **__):
                    loop()
                    return value
                return method
            class Facts(dict):
                __del__ = loop
            def saxpy(n=4, a=1.0, y=x, **options):
                try:
                    app().saxpy(n, a, x, y, **options)
                except sextant.SignatureError:
                    pass
            kinds = {
                "launch": saxpy, "wait": lambda: app().slow(300000, i), "result": lambda: app().sum_of(i),
                "stream": lambda: saxpy(stream=app().device.stream()), "print": lambda: app().speak(i),
                "error": lambda: saxpy(a="a"), "repr": lambda: saxpy(a=object_with(__repr__=answer("a"))),
                "index": lambda: saxpy(n=object_with(__index__=answer(4))),
                "array": lambda: saxpy(y=object_with(__array_interface__=property(answer(x.__array_interface__)))),
                "dealloc": lambda: saxpy(y=object_with(
                    __array_interface__=property(lambda _: Facts(x.__array_interface__)))),
                "dlpack": lambda: saxpy(y=object_with(__dlpack_device__=answer((1, 0)), __dlpack__=x.__dlpack__)),
                "path": lambda: sextant.Module(object_with(__fspath__=answer(module()))),
                "receiver": lambda: sextant.set_print(object_with(__call__=loop, __del__=loop)),
                "doc": lambda: app().saxpy.__doc__,
            }
            if len(sys.argv) == 2:
                sys.exit(" ".join(kinds))
            use = kinds[sys.argv[2]]
            sextant.set_print(loop)
            use()
            sys.setswitchinterval(1e-6)  # the end finds them between any two lines
            def work():
                while True:
                    use()
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.02)
        """
        for kind in process(code).stderr.split():
            out = process(code, kind)
            with self.subTest(kind):
                self.assertEqual((out.returncode, out.stderr), (0, ""))

    def test_memory_that_is_shared_beyond_the_end(self):
        code = """if True:
            import sys
            sys.path.insert(0, sys.argv[1])
            import numpy as np, sextant
            from support import app
            sys.kept = np.from_dlpack(sextant.Array(app().device, 4, "f32"))
        """
        self.assertEqual(process(code).returncode, 0)

    def test_subinterpreters_are_refused(self):
        """The main interpreter's package works on, whichever of them imports it first."""
        code = """if True:
            import sys
            try:
                import _interpreters as interpreters
            except ImportError:  # before 3.13
                import _xxsubinterpreters as interpreters
            sys.path.insert(0, sys.argv[1])

            def refused():
                number = interpreters.create()
                interpreters.run_string(number, '''if True:
                    for _ in range(2):
                        try:
                            import sextant
                        except ImportError as error:
                            print("interpreter" in str(error), flush=True)  # ours or, from 3.12 on, Python's
                ''')
                return number

            if sys.argv[2] == "they":
                interpreters.destroy(refused())
            import numpy as np, sextant
            from support import app, module
            x, own = np.int32([1, 2]), sextant.Array(app().device, 2, "i32")
            own.fill(4)
            kernel = app().sum_of
            def use():
                opened = sextant.open(module(), "cpu")
                made = sextant.Array(opened.device, 2, "i32")
                made.fill(3)
                print(kernel(x), kernel(own), opened.sum_of(x), opened.sum_of(made), len(sextant.devices()) > 0, flush=True)
                try:
                    kernel(3)
                except sextant.SignatureError:
                    pass
            numbers = []
            for _ in range(3):
                numbers.append(refused())
                use()
            for number in numbers:
                interpreters.destroy(number)
                use()
        """
        for first, before in (("main", 0), ("they", 2)):
            out = process(code, first)
            used = "3 8 3 6 True\n"
            self.assertEqual((out.returncode, out.stdout, out.stderr),
                             (0, before * "True\n" + 3 * ("True\nTrue\n" + used) + 3 * used, ""))

    def test_a_second_import_gives_the_same_module(self):
        """Tools take modules out of sys.modules, and reload them."""
        code = """if True:
            import importlib, sys
            sys.path.insert(0, sys.argv[1])
            import numpy as np, sextant
            from support import app, module
            x = np.int32([1, 2])
            kernel, core = app().sum_of, sys.modules["sextant._core"]
            for name in [name for name in sys.modules if name.split(".")[0] == "sextant"]:
                del sys.modules[name]
            import sextant as again
            importlib.reload(again)
            importlib.reload(core)
            print(again.Program is sextant.Program, kernel(x), again.open(module(), "cpu").sum_of(x))
        """
        out = process(code)
        self.assertEqual((out.returncode, out.stdout, out.stderr), (0, "True 3 3\n", ""))


class Leaving(BaseException):
    pass


class WhatIsNoError(unittest.TestCase):
    """SystemExit, KeyboardInterrupt and their like pass through, wherever the caller's object raises them."""

    def setUp(self):
        self.leaving = None

    def leave(self, *_, **__):
        raise self.leaving

    def object(self, *methods, properties=(), meta=type, **members):
        """An object whose methods and properties raise."""
        return meta("Object", (), {**{name: self.leave for name in methods},
                                   **{name: property(self.leave) for name in properties}, **members})()

    def meta(self, attribute):
        return type("Meta", (type,), {attribute: property(self.leave)})

    def passes(self, uses):
        for name, use in uses.items():
            for self.leaving in (SystemExit(7), KeyboardInterrupt("their own"), GeneratorExit(), Leaving("their own")):
                with self.subTest(name, leaving=self.leaving):
                    try:
                        use()
                    except BaseException as error:
                        self.assertIs(error, self.leaving)
                    else:
                        self.fail("it was swallowed")

    def test_arrays(self):
        x = np.zeros(4, np.int32)
        facts, bad, none = x.__array_interface__, self.object("__index__", "__bool__"), {"__array_interface__": None}

        def interface(**changed):
            return self.object(__array_interface__={**facts, **changed})

        class Key:
            def __hash__(_):
                return hash("mask")

            __eq__ = self.leave

        given = {
            "interface": self.object(properties=["__array_interface__"]),
            "CUDA's": self.object(properties=["__cuda_array_interface__"], __array_interface__=facts),
            "its shape": interface(shape=(bad,)), "strides": interface(strides=(bad,)), "flag": interface(data=(0, bad)),
            "its keys": self.object(__array_interface__={Key(): 1, **facts}),
            "its bfloat16": self.object(properties=["dtype"], __array_interface__={**facts, "typestr": "|V2"}),
            "dtype's name": self.object(dtype=self.object(properties=["name"]),
                                        __array_interface__={**facts, "typestr": "|V2"}),
            "DLPack": self.object(properties=["__dlpack__"]),
            "DLPack's method": self.object("__dlpack__", __dlpack_device__=lambda _: (1, 0)),
            "its device": self.object("__dlpack_device__", __dlpack__=x.__dlpack__, **none),
            "the device's property": self.object(properties=["__dlpack_device__"], __dlpack__=x.__dlpack__, **none),
            "the device's type": self.object(__dlpack__=x.__dlpack__, __dlpack_device__=lambda _: (bad, 0)),
            "its fallback": self.object(properties=["__array_interface__"], __dlpack_device__=lambda _: (1, 0),
                                        __dlpack__=raising(BufferError)),
            "its second call": self.object(__dlpack_device__=lambda _: (1, 0), __dlpack__=lambda _, **options: (
                self.leave() if "max_version" not in options else raising(TypeError)())),
            "the table": self.object(meta=self.meta("__dlpack_c_exchange_api__")),
            "a mask": self.object(meta=self.meta("mask")),
            "the type's name": self.object(meta=self.meta("__name__")),
        }
        if sys.version_info >= (3, 12):  # classes have no buffer before
            given["the buffer"] = self.object("__buffer__", **none)
        self.passes({name: lambda value=value: app().sum_of(value) for name, value in given.items()})
        tensor = Libraries.exchanging(self, 0, requires_grad=property(self.leave))
        self.passes({"the gradient": lambda: app().sum_of(tensor)})

    def test_values(self):
        x = np.zeros(4, np.float32)
        flag = [0] * 11 + [np.zeros(12, np.int64), np.zeros(12)]
        points, blocks, matrix = np.zeros((1, 3), np.float32), np.zeros((1, 1, 2, 3), np.float32), [[1] * 3] * 2
        sequence = {"__getitem__": lambda *_: 1.0, "__len__": lambda _: 3}
        truth = type("bool_", (), {"__bool__": self.leave, "dtype": 1})()
        vectors = {
            "tolist": self.object(properties=["tolist"], **sequence), "its call": self.object("tolist", **sequence),
            "length": self.object("__len__", __getitem__=sequence["__getitem__"]),
            "item": self.object("__getitem__", __len__=sequence["__len__"]),
            "scalar": [self.object("__float__"), 1, 1], "message": [self.object("__repr__"), 1, 1]}
        self.passes({
            "integer": lambda: app().saxpy(self.object("__index__"), 1.0, x, x),
            "real": lambda: app().saxpy(4, self.object("__float__"), x, x),
            "message": lambda: app().saxpy(self.object("__repr__"), 1.0, x, x),
            "bool": lambda: app().scalars(truth, *flag),
            "bool's type": lambda: app().scalars(type("bool_", (), {"dtype": property(self.leave)})(), *flag),
            "member": lambda: app().advance(self.object(properties=["mass"]), 1),
            "checkpoint": lambda: app().saxpy.resume(self.object("__index__"), 4, 1.0, x, x),
            "prepared": lambda: app().saxpy.prepare(4, 1.0, x, x).set("a", self.object("__float__")),
            "its argument": lambda: app().saxpy.prepare(4, 1.0, x, x).set(self.object("__eq__"), 1.0),
            **{name: lambda v=v: app().transform(matrix, v, points, blocks) for name, v in vectors.items()}})

    def test_other_calls(self):
        device, own, x = app().device, sextant.Array(app().device, 2, "f32"), np.zeros(4, np.float32)
        index, each = self.object("__index__"), self.object("__iter__")
        self.passes({
            "address": lambda: sextant.Pointer(index, "f32", 1), "extent": lambda: sextant.Array(device, (index,)),
            "shape": lambda: sextant.Array(device, each), "element": lambda: sextant.Array(device, 1, "f32", each),
            "next": lambda: sextant.Array(device, self.object("__next__", __iter__=lambda self: self)),
            "dtype": lambda: sextant.Array(device, 1, self.object("__str__")),
            "fill": lambda: own.fill(self.object("__float__")),
            "seed": lambda: app().seed(index), "wave": lambda: sextant.open(module(), "cpu", wave=index),
            "context": lambda: sextant.adopt("cuda", index), "its stream": lambda: sextant.adopt("cuda", 0, index),
            "step": lambda: sextant.Graph(device).set(index, "a", 1), "path": lambda: sextant.open(self.object("__fspath__")),
            "keys": lambda: sextant.open(module(), "cpu", public_keys=each),
            "version": lambda: own.__dlpack__(max_version=(index, 0)),
            **{f"stream's {name}": lambda name=name: app().saxpy(4, 1.0, x, x, stream=self.object(properties=[name]))
               for name in ("device", "device_id", "index", "cuda_stream", "__cuda_stream__", "ptr")}})

    def test_the_function_of_set_print(self):
        stream, x, seen = app().device.stream(), [np.int32([i]) for i in range(3)], []

        def receive(text):
            seen.append(int(text.split()[-1]))
            if len(seen) == 1:
                self.leave()

        sextant.set_print(receive)
        try:
            for self.leaving in (KeyboardInterrupt("their own"), SystemExit(7)):
                seen.clear()
                for each in x:
                    app().speak(each, stream=stream)
                with self.assertRaises(type(self.leaving)) as raised:
                    stream.synchronize()
                self.assertIs(raised.exception, self.leaving)
                stream.synchronize()  # hands out the rest
                self.assertEqual(seen, [0, 1, 2])
        finally:
            sextant.set_print(None)

    def test_the_function_of_set_print_while_an_object_goes(self):
        """The stream goes when the exception of its wait is on its way, and hands out the rest."""
        streams, seen = [app().device.stream()], []
        for number in range(3):
            app().speak(np.int32([number]), stream=streams[0])
        sys.unraisablehook, hook = lambda args: seen.append(args.exc_value), sys.unraisablehook
        self.leaving = SystemExit(7)
        sextant.set_print(self.leave)
        try:
            with self.assertRaises(SystemExit) as raised:
                streams.pop().synchronize()
        finally:
            sys.unraisablehook = hook
            sextant.set_print(None)
        self.assertIs(raised.exception, self.leaving)
        self.assertEqual(seen, [self.leaving] * 2)


@unittest.skipUnless(hasattr(signal, "pthread_kill"), "signals of POSIX")
class CtrlC(unittest.TestCase):
    """SIGINT ends the wait, and leaves the work and the objects as they are."""

    def interrupted(self, wait):
        """Returns True if SIGINT ended the wait. On a busy machine, the wait may end first."""
        is_over = False
        timer = threading.Timer(0.1, signal.pthread_kill, (threading.get_ident(), signal.SIGINT))
        timer.start()
        try:
            wait()
            is_over = True
            time.sleep(60)
        except KeyboardInterrupt:
            timer.join()
            return not is_over
        self.fail("SIGINT was lost")

    def test_waits_for_streams_events_devices_and_copies(self):
        device = app().device
        for name, wait in {"stream": lambda s: s.synchronize, "event": lambda s: s.record().synchronize,
                           "device": lambda s: device.synchronize, "copy": lambda s: lambda: own.numpy(stream=s),
                           "with": lambda s: lambda: s.__exit__(None, None, None)}.items():
            with self.subTest(name):
                stream, own = device.stream(), sextant.Array(device, 1, "i32")
                own.fill(5)
                x, calls, goes_on = np.int32([1]), 0, False
                count = sys.getrefcount(x)
                while not goes_on and calls < ATTEMPTS:
                    app().slow(8 * ROUNDS, x, stream=stream)
                    before = stream.record()
                    is_kept = self.interrupted(wait(stream)) and sys.getrefcount(x) > count
                    goes_on = is_kept and not before.query()
                    while not before.query():
                        time.sleep(0.01)
                    calls += 1
                self.assertTrue(goes_on)  # the work does, and keeps what it uses
                self.assertEqual(int(x[0]), rounds(1, calls * 8 * ROUNDS))
                # The wait that was left returns on a thread of its own, soon after.
                for _ in range(1000):
                    stream.synchronize()
                    if sys.getrefcount(x) == count:
                        break
                    time.sleep(0.01)
                self.assertEqual(sys.getrefcount(x), count)
                self.assertEqual(own.numpy().tolist(), [5])

    def test_calls_that_wait(self):
        kernel = app().slow
        launch = kernel.prepare(8 * ROUNDS, y := np.int32([2]))
        for x, use in ((np.int32([1]), lambda: kernel(8 * ROUNDS, x)), (y, launch.enqueue),
                       (np.int32([3]), lambda: kernel.call(8 * ROUNDS, x))):
            first, calls, goes_on = int(x[0]), 0, False
            while not goes_on and calls < ATTEMPTS:
                before = int(x[0])
                goes_on = self.interrupted(use) and int(x[0]) == before
                app().device.synchronize()
                calls += 1
            self.assertTrue(goes_on)
            self.assertEqual(int(x[0]), rounds(first, calls * 8 * ROUNDS))
        launch.set("rounds", 0)
        launch.enqueue()  # the launch is not in use any more

    def test_the_end_of_a_program(self):
        """Nobody catches the exception: the program ends with it, and with nothing else."""
        code = """if True:
            import os, signal, sys, threading
            sys.path.insert(0, sys.argv[1])
            import numpy as np
            from support import app
            app().slow
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            app().slow(250_000_000, np.int32([1]))
        """
        out = process(code)
        self.assertEqual(out.returncode, -signal.SIGINT)
        self.assertEqual([line for line in out.stderr.splitlines() if not line.startswith(" ")],
                         ["Traceback (most recent call last):", "KeyboardInterrupt"])

    def test_a_handler_that_does_not_raise_does_not_end_a_wait(self):
        seen = []

        def handle(*_):
            x = np.int32([1])
            app().saxpy(1, 1.0, np.ones(1, "f4"), np.ones(1, "f4"), stream=(s := app().device.stream()))
            s.synchronize()
            seen.append(int(x[0]))

        old = signal.signal(signal.SIGINT, handle)
        timer = threading.Timer(0.1, signal.pthread_kill, (threading.get_ident(), signal.SIGINT))
        timer.start()
        try:
            x = np.int32([1])
            app().slow(8 * ROUNDS, x)
        finally:
            timer.join()
            signal.signal(signal.SIGINT, old)
        self.assertEqual((seen, int(x[0])), ([1], rounds(1, 8 * ROUNDS)))


class Fuzz(unittest.TestCase):
    def test_a_few_rounds(self):
        out = subprocess.run([sys.executable, "-B", os.path.join(HERE, "fuzz_arguments.py"), "--seed", "1", "--count", "4"],
                             capture_output=True, text=True, timeout=100,
                             env={**os.environ, "SEXTANT_TEST_MODULE": module()})
        self.assertEqual(out.returncode, 0, out.stdout + out.stderr)


if __name__ == "__main__":
    unittest.main()
