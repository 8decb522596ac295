"""Calls the package's whole public API with arguments of every wrong kind. Each call must return, or raise an ordinary
Python exception that the call may raise: no crash, no abort, no SystemError, no std::bad_cast.

    python fuzz_arguments.py [--seed N] [--seconds N | --count N]

Each round of a few hundred calls is a process of its own, so a crash is a finding too. The seed of a round that fails is
printed: `--seed N --count 1` repeats it, and SEXTANT_FUZZ_TRACE=1 prints each call before it is made. The caller sets
PYTHONPATH and SEXTANT_COMMAND, as for the tests.
"""
import argparse
import array
import copy
import ctypes
import faulthandler
import gc
import os
import random
import subprocess
import sys
import threading
import time

CALLS = 300  # calls of a round


# --- Arguments ------------------------------------------------------------------------------------------------------


class Raising:
    """Raises in every protocol that it is asked for."""

    def __init__(self, error):
        self.error = error

    def fail(self, *_, **__):
        raise self.error("raised by the fuzzer")

    __index__ = __int__ = __float__ = __bool__ = __len__ = __iter__ = __getitem__ = __repr__ = __str__ = fail
    __dlpack__ = __dlpack_device__ = __eq__ = __call__ = __fspath__ = __cuda_stream__ = tolist = fail
    __hash__ = object.__hash__

    def __getattr__(self, name):
        if name in ("__array_interface__", "__cuda_array_interface__", "requires_grad", "dtype", "device", "cuda_stream"):
            raise self.error("raised by the fuzzer")
        raise AttributeError(name)


class Reentrant:
    """Calls the package again in every protocol, and then answers."""

    def __init__(self, chance, api, depth):
        self.chance, self.api, self.depth = chance, api, depth

    def again(self):
        if self.depth < 2:
            call(self.chance, self.api, self.depth + 1)

    def __index__(self):
        self.again()
        return self.chance.choice((0, 1, 3, -1, 2**70))

    def __float__(self):
        self.again()
        return 1.5

    def __len__(self):
        self.again()
        return 3

    def __getitem__(self, index):
        self.again()
        if isinstance(index, int) and index > 5:
            raise IndexError(index)
        return self.chance.choice((1, 2.0, self, None))

    def __repr__(self):
        self.again()
        return self.chance.choice(("Reentrant", "\ud800", "é" * 1000, "\0"))

    def __dlpack_device__(self):
        self.again()
        return self.chance.choice(((1, 0), (2, 0), (1,), None, ("a", "b"), (2**40, 0), (-1, -1)))

    def __dlpack__(self, **options):
        self.again()
        return self.chance.choice((None, 3, self.api.np.zeros(4, "f4").__dlpack__(), self.api.capsule()))

    def __getattr__(self, name):
        if name == "__array_interface__":
            self.again()
            return self.interface()
        raise AttributeError(name)

    def interface(self):
        kept = self.api.keep(self.api.np.zeros(4096, self.chance.choice(("f4", "i4", "u1"))))  # enough for all shapes
        facts = dict(kept.__array_interface__)
        facts["shape"] = self.chance.choice(((8,), (2, 4), (0,), [8], None, 8, ("a",), (1.5,), (2**70,)))
        for key in self.chance.sample(sorted(facts), self.chance.randrange(3)):
            if key not in ("data", "shape"):  # an address cannot be checked
                facts[key] = self.chance.choice((None, 3, "x", (), [], (1, 2), "<f4", "\ud800", {}, b"<f4", [("a", "<f4")],
                                                 [("a",)], [("a", "<f4", (2**70,))], [(("t", "a"), "<f4")], [3]))
        if self.chance.random() < 0.2:
            facts.pop(self.chance.choice(sorted(facts)))
        return facts


class Lying:
    """Members that come and go."""

    def __init__(self, chance, values):
        self.chance, self.values = chance, values

    def __getattr__(self, name):
        if name.startswith("__") or self.chance.random() < 0.2:
            raise self.chance.choice((AttributeError, ValueError, KeyError))(name)
        return self.chance.choice(self.values)


class Text(str):
    """A str that is equal to nothing, or fails to say so."""

    def __eq__(self, other):
        raise ValueError("raised by the fuzzer")

    __hash__ = str.__hash__


class Meta(type):
    @property
    def __name__(cls):
        return 3


class Nameless(metaclass=Meta):
    pass


TEXTS = ["", "saxpy", "saxpy\0", "\0", "\ud800", "x" * 5000, "é", "cpu", "cpu\0", "cuda:99", "cpu:-1", "total", "n", "a", "x",
         "y", "state", "state.mass", "stream", "f32", "f16", "bf16", "nothing", "%s%n%d", "{}", "__class__", "__doc__",
         "/nonexistent", "\x1b[31m", Text("saxpy"), Text("n")]
NUMBERS = [0, 1, -1, 2, 3, 4, 7, 127, 128, 255, 256, 2**31 - 1, 2**31, -2**31, 2**32, 2**63 - 1, 2**63, -2**63, 2**64, -2**64,
           2**1000, True, False, 0.0, -0.0, 1.5, 1e308, -1e400, float("nan"), float("inf"), 1j]


class Api:
    """The package with the objects of one round."""

    def __init__(self, chance):
        import numpy as np
        import sextant
        self.np, self.sextant, self.chance = np, sextant, chance
        # Half of the rounds have kernels that check their indices, the others only those that are right for any arguments.
        self.checked = chance.random() < 0.5
        self.path = os.environ["SEXTANT_FUZZ_CHECKED" if self.checked else "SEXTANT_TEST_MODULE"]
        with open(self.path, "rb") as file:
            self.data = file.read()
        self.grain = sextant.numpy_dtype(sextant.open(self.path, "cpu").shake.parameters[0].structure)
        self.kept = []
        self.objects = []
        self.renew()

    def keep(self, thing):
        self.kept.append(thing)
        return thing

    def capsule(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(8, self.chance.choice((b"other", b"used_dltensor", b"DLTensor")), None)

    def renew(self):
        sextant = self.sextant
        program = sextant.open(self.path, "cpu")
        device = program.device
        array_ = sextant.Array(device, self.chance.choice((4, (2, 2), 0, ())), self.chance.choice(("f32", "i32", "bf16", "u1")))
        graph = sextant.Graph(device)
        stream = device.stream()
        self.program = program
        x = self.np.zeros(8, "f4")
        self.objects += [program, program.module, device, array_, graph, stream, stream.record(), device.default_stream,
                         device.event(), program.sum_of, program.transform, program.several, program.field("grains"),
                         program.field("table"), program.sum_of.prepare(self.np.zeros(4, "i4"))]
        if self.checked:
            self.objects += [program.saxpy, program.advance, program.shake, program.speak, program.twice_bf16,
                             program.saxpy.prepare(4, 1.0, x, x)]
        self.objects = self.objects[-60:]


def arrays(chance, api):
    np = api.np
    kinds = ["f4", ">f4", "f8", "i4", ">i4", "u1", "u2", "S2", "V2", "U1", "?", "c8", "O", "M8[s]", "f2", "i8", "V48",
             [("a", "u4"), ("b", "f4")], api.grain]
    shape = chance.choice([4, 8, (2, 2), 0, (), (4, 3), (1, 1, 2, 3), (3, 48), (2,) * 12, (4, 0)])
    x = np.zeros(shape, chance.choice(kinds))
    if x.ndim and chance.random() < 0.3:
        x = chance.choice((lambda: x[::-1], lambda: x[::2], lambda: x.T, lambda: np.broadcast_to(x, (2, *x.shape)),
                           lambda: x[..., None]))()
    if chance.random() < 0.2:
        x = x.copy()
        x.flags.writeable = False
    wrap = chance.random()
    try:
        if wrap < 0.15:
            return memoryview(x)
        if wrap < 0.25:
            return x.__dlpack__()
    except (ValueError, BufferError, RuntimeError):
        pass
    return x


def made(kind):
    """An object of the package that no constructor has made, as copies are; or the type."""
    try:
        return kind.__new__(kind)
    except TypeError:
        return kind


def other(chance, api, depth):
    """An argument of no particular kind."""
    np, sextant = api.np, api.sextant
    return chance.choice([
        lambda: None, lambda: chance.choice(NUMBERS), lambda: chance.choice(TEXTS), lambda: chance.choice(api.objects),
        lambda: arrays(chance, api), lambda: arrays(chance, api),
        lambda: bytes(chance.randrange(20)), lambda: bytearray(16), lambda: array.array("f", [1, 2, 3, 4]),
        lambda: (ctypes.c_float * 4)(), lambda: (ctypes.c_uint16 * 4)(), lambda: [], lambda: (), lambda: {},
        lambda: [other(chance, api, 9) for _ in range(chance.randrange(4))] if depth < 9 else 3,
        lambda: tuple(chance.choice(NUMBERS) for _ in range(chance.randrange(12))),
        lambda: (n for n in (1, 2, 3)), lambda: iter(int, 1), lambda: range(3), lambda: range(2**62), lambda: object(),
        lambda: int, lambda: len, lambda: Nameless(), lambda: np.float32(1), lambda: np.int64(3), lambda: np.bool_(True),
        lambda: np.dtype("f4"), lambda: Raising(chance.choice((ValueError, TypeError, BufferError, OverflowError, KeyError,
                                                               RuntimeError, MemoryError, RecursionError, AttributeError,
                                                               SystemExit, GeneratorExit))),
        lambda: Reentrant(chance, api, depth),
        lambda: Lying(chance, [1, 1.0, None, np.zeros(4, "f4"), np.zeros(4, "f4")]),
        lambda: {"mass": np.zeros(4, "f4"), "step": 1.0}, lambda: {"mass": 3}, lambda: {3: 4},
        lambda: np.zeros(4, "f4"), lambda: np.zeros(4, "i4"), lambda: [[1, 2, 3], [4, 5, 6]], lambda: (1, 2, 3),
        lambda: made(chance.choice((sextant.Array, sextant.Kernel, sextant.Pointer, sextant.Device, sextant.Stream))),
        lambda: threading.Lock(), lambda: sys.modules[__name__], lambda: lambda *a: None,
    ])()


# --- Calls ----------------------------------------------------------------------------------------------------------

# Methods that may block, or that need right addresses.
LEFT_OUT = {"measure"}
# The public parts: everything with a name, and the protocols that Python itself calls.
SPECIAL = ("__getitem__", "__len__", "__dlpack__", "__dlpack_device__", "__array_interface__", "__repr__", "__call__", "__enter__",
           "__exit__", "__doc__", "__signature__", "__dir__", "__getattr__", "__init__", "__new__", "__hash__", "__eq__")


def right(chance, api, target, name):
    """Arguments that fit, of which a call then changes some."""
    np, sextant = api.np, api.sextant
    kernels = {"saxpy": lambda: [4, 1.0, np.zeros(8, "f4"), np.zeros(8, "f4")], "sum_of": lambda: [np.zeros(4, "i4")],
               "transform": lambda: [[[1] * 3] * 2, (1, 2, 3), np.zeros((2, 3), "f4"), np.zeros((1, 1, 2, 3), "f4")],
               "advance": lambda: [{"mass": np.zeros(4, "f4"), "step": 1.0}, 2], "speak": lambda: [np.zeros(1, "i4")],
               "shake": lambda: [np.zeros(3, api.grain)],
               "several": lambda: [1.5], "twice_bf16": lambda: [np.zeros(4, "V2"), 2]}
    if isinstance(target, sextant.Kernel):
        given = kernels[target.name]()
        return [None, *given] if name == "resume" else given
    if isinstance(target, sextant.Graph) and name == "add":
        return [next(o for o in api.objects if isinstance(o, sextant.Kernel) and o.name == "sum_of"), *kernels["sum_of"]()]
    if isinstance(target, sextant.Array) and name in ("read", "write"):
        return [bytearray(target.nbytes)]
    if isinstance(target, sextant.Launch) and name == "set":
        return [chance.choice(("n", "a", "x", "y", 0, 1, 2, 3)), chance.choice((4, 1.0, np.zeros(8, "f4"), np.zeros(8, "i4")))]
    return [other(chance, api, 5) for _ in range(chance.randrange(4))]


def functions(api):
    sextant = api.sextant
    return [lambda kind=api.chance.choice(api.objects): copy.copy(kind), sextant.open, sextant.Module, sextant.Program, sextant.Device, sextant.Event, sextant.Graph, sextant.Array,
            sextant.Pointer, sextant.adopt, sextant.devices, sextant.set_print, sextant.numpy_dtype, sextant.structure_layout,
            sextant.Parameter]


def words(given) -> str:
    """An argument for messages, without asking it."""
    return ascii(given) if type(given) in (int, float, str, bool, type(None)) else object.__repr__(given).split(" at ")[0]


def call(chance, api, depth=0):
    """Makes one call. Raises only what is a finding."""
    sextant = api.sextant
    if chance.random() < 0.2:
        function = chance.choice(functions(api))
        target, name = None, getattr(function, "__name__", "?")
        given = {"open": lambda: [api.path, "cpu"], "Module": lambda: [api.data], "Event": lambda: [api.program.device],
                 "Program": lambda: [sextant.Module(api.path), "cpu"], "Graph": lambda: [api.program.device],
                 "Array": lambda: [api.program.device, 4, "f32"], "Pointer": lambda: [0, "f32", 4]}.get(name, lambda: [])()
    else:
        target = chance.choice(api.objects)
        names = [n for n in dir(type(target)) if not n.startswith("_") and n not in LEFT_OUT] + list(SPECIAL)
        name = chance.choice(names)
        given = right(chance, api, target, "call" if name == "__call__" else name)
        function = None
    for at in range(len(given)):
        if chance.random() < 0.25:
            given[at] = other(chance, api, depth)
    if chance.random() < 0.15:
        given.insert(chance.randrange(len(given) + 1), other(chance, api, depth))
    if given and chance.random() < 0.1:
        given.pop(chance.randrange(len(given)))
    keywords = {}
    if chance.random() < 0.25:
        key = chance.choice(TEXTS + ["stream", "stream", "variant", "wave", "owner", "shape", "dtype", "element_shape",
                                     "max_version", "copy", "public_keys"])
        keywords[key] = other(chance, api, depth)
    if name == "Pointer" and function is not None and len(given) > 1 and depth == 0:
        given[0] = 0  # any other address is the caller's word
    shown = f"{type(target).__name__}.{name}({[words(g) for g in given]}, {sorted(map(ascii, keywords))})"
    if os.environ.get("SEXTANT_FUZZ_TRACE"):
        print(shown, flush=True)
    try:
        if function is None:
            function = getattr(target, name)
        result = function(*given, **keywords) if callable(function) else function
        if not isinstance(result, sextant.Pointer) or result.address == 0:
            if type(result).__module__.startswith("sextant") and chance.random() < 0.3:
                if not isinstance(result, (sextant.Kernel, sextant.Pointer, sextant.Parameter)):
                    api.objects.append(result)
        repr(result)
    except SystemError:
        print(shown, file=sys.stderr)
        raise
    except (Exception, KeyboardInterrupt, SystemExit, GeneratorExit) as error:
        text = "".join(map(str, error.args[:1])) if error.args and isinstance(error.args[0], str) else ""
        if "bad_cast" in text or "bad_alloc" in text or "std::" in text:
            print(shown, file=sys.stderr)
            raise


def round_of_calls(seed, calls=CALLS):
    faulthandler.enable()
    chance = random.Random(seed)
    api = Api(chance)
    for number in range(calls):
        call(chance, api)
        if number % 100 == 99:
            api.sextant.set_print(None)
            api.renew()
            gc.collect()
    api.sextant.set_print(None)
    x = api.np.int32([1, 2, 3])
    if api.sextant.open(api.path, "cpu").sum_of(x) != 6:
        raise SystemError("the package computes wrongly after the round")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--round", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.round:
        return round_of_calls(options.seed)
    import support
    environment = {**os.environ, "SEXTANT_TEST_MODULE": support.module(), "SEXTANT_FUZZ_CHECKED": support.module("--check")}
    end, seed, findings = time.monotonic() + options.seconds, options.seed, []
    while seed - options.seed < options.count if not options.seconds else time.monotonic() < end:
        try:
            out = subprocess.run([sys.executable, "-B", __file__, "--round", "--seed", str(seed)], capture_output=True,
                                 env=environment, timeout=120)
            failed = out.returncode != 0
            text = out.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired as late:
            failed, text = True, f"it hangs\n{(late.stderr or b'').decode(errors='replace')}"
        if failed:
            findings.append(seed)
            print(f"seed {seed}:\n{text[-3000:]}", flush=True)
        seed += 1
    print(f"{seed - options.seed} rounds of {CALLS} calls from seed {options.seed}: {len(findings)} findings {findings}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
