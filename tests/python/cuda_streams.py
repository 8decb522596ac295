"""Streams of other libraries, on a stand-in for NVIDIA's driver: which stream a launch goes to, what waits for what,
and what is kept alive. The stand-in records calls and runs no kernels; gpu_check.py is for a machine with a GPU.

Run with the stand-in's folder in LD_LIBRARY_PATH; the tests' ctest target does so.
"""
import contextlib
import ctypes
import gc
import pathlib
import re
import sys
import tempfile
import types
import unittest

import sextant
from support import module

driver = ctypes.CDLL("libcuda.so.1")
for name in ("fakeLastLaunch", "fakeCalled"):
    getattr(driver, name).restype = ctypes.c_void_p
capsules = ctypes.pythonapi
capsules.PyCapsule_New.restype = ctypes.py_object
capsules.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class FakeLaunch(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 64), ("grid", ctypes.c_uint), ("block", ctypes.c_uint),
                ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p), ("bytes", ctypes.c_size_t),
                ("arguments", ctypes.c_ubyte * 256)]


def last() -> FakeLaunch:
    return FakeLaunch.from_address(driver.fakeLastLaunch())


COUNTED = ("cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernel", "cuStreamSynchronize", "cuCtxSynchronize",
           "cuEventSynchronize")


def calls() -> dict:
    """How often each of the driver's functions that queue or wait was called since the last reset."""
    names, index = [], 0
    while address := driver.fakeCalled(index):
        names.append(ctypes.string_at(address).decode())
        index += 1
    return {name: driver.fakeCalls(name.encode()) for name in names if name in COUNTED}


def waits(events: int, launches: int = 1) -> dict:
    """That many waits of a stream for an event, and launches."""
    return {"cuEventRecord": events, "cuStreamWaitEvent": events, "cuLaunchKernel": launches}


# --- A library with DLPack's table of functions, as torch has it ----------------------------------------------------


class DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


View = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DlTensor))
CurrentStream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Table(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
                ("allocate", ctypes.c_void_p), ("take", ctypes.c_void_p), ("give", ctypes.c_void_p), ("view", View),
                ("current", CurrentStream)]


class Library:
    """A library: its tensors' type, and its current stream."""

    def __init__(self):
        self.stream = 0
        self.asked = 0

        @View
        def view(tensor, out):
            out[0] = DlTensor(tensor.address, 2, tensor.device, 1, 2, 32, 1, ctypes.addressof(tensor.shape), None, 0)
            return 0

        @CurrentStream
        def current(_type, _device, out):
            self.asked += 1
            out[0] = self.stream
            return 0

        self.table = Table(1, 2, None, None, None, None, view, current)
        library = self

        class Tensor:
            __dlpack_c_exchange_api__ = capsules.PyCapsule_New(ctypes.addressof(library.table), b"dlpack_exchange_api",
                                                               None)

            def __init__(self, count=4, device=0):
                self.memory = sextant.Array(DEVICE, count, "f32")
                self.address, self.device = self.memory.address, device
                self.shape = (ctypes.c_int64 * 1)(count)

        self.Tensor = Tensor


def new_stream() -> int:
    handle = ctypes.c_void_p()
    context = ctypes.c_void_p()
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert driver.cuCtxPushCurrent_v2(context) == 0
    assert driver.cuStreamCreate(ctypes.byref(handle), 1) == 0
    return handle.value


DEVICE = sextant.Device("cuda:0")
STREAMS = [new_stream() for _ in range(3)]
# The example has no fields, so its launches are only ordered by their arrays.
EXAMPLE = module("--kernel=saxpy.grad", file="../../docs/examples/saxpy.py", targets="cuda:compute_80")
PLAIN = sextant.open(EXAMPLE, DEVICE)
FIELDS = sextant.open(module(targets="cuda:compute_80"), DEVICE)


class CurrentStreams(unittest.TestCase):
    def setUp(self):
        self.torch = Library()
        self.x, self.y = self.torch.Tensor(), self.torch.Tensor()
        DEVICE.synchronize()
        driver.fakeReset()

    def launch(self, *arrays, stream=None):
        x, y = arrays or (self.x, self.y)
        PLAIN.saxpy(4, 2.0, x, y, stream=stream)

    def test_a_launch_goes_to_the_current_stream_and_nothing_else_happens(self):
        for stream in (STREAMS[0], STREAMS[1], 0, STREAMS[0]):
            self.torch.stream = stream
            self.launch()
            self.assertEqual(last().stream or 0, stream)
        self.assertEqual(calls(), {"cuLaunchKernel": 4})
        self.assertEqual(self.torch.asked, 4)  # once a launch
        self.assertEqual(ctypes.string_at(ctypes.addressof(last().arguments) + 8, 8),
                         self.x.address.to_bytes(8, "little"))

    def test_its_arrays_are_not_kept(self):
        self.torch.stream = STREAMS[0]
        count = sys.getrefcount(self.x)
        for _ in range(100):
            self.launch()
        self.assertEqual(sys.getrefcount(self.x), count)

    def test_a_given_stream_waits_for_the_current_one_and_keeps_the_arrays(self):
        self.torch.stream = STREAMS[0]
        mine = DEVICE.stream()
        count = sys.getrefcount(self.x)
        self.launch(stream=mine)
        self.assertEqual(calls(), waits(1))
        self.assertEqual(last().stream, mine.native)
        self.assertEqual(sys.getrefcount(self.x), count + 1)
        mine.synchronize()
        self.assertEqual(sys.getrefcount(self.x), count)

    def test_a_given_stream_that_is_the_current_one(self):
        class TorchStream:
            cuda_stream = STREAMS[1]

        self.torch.stream = STREAMS[1]
        count = sys.getrefcount(self.x)
        for given in (STREAMS[1], TorchStream()):
            self.launch(stream=given)
            self.assertEqual(last().stream, STREAMS[1])
        self.assertEqual(calls(), {"cuLaunchKernel": 2})
        self.assertEqual(sys.getrefcount(self.x), count)

    def test_two_libraries_wait_for_each_other(self):
        other = Library()
        self.torch.stream, other.stream = STREAMS[0], STREAMS[1]
        self.launch(self.x, other.Tensor())
        self.assertEqual(last().stream, STREAMS[0])
        self.assertEqual(calls(), waits(2))

    def test_arrays_of_the_package_follow_the_calls_from_stream_to_stream(self):
        own = sextant.Array(DEVICE, 4, "f32")
        own.fill(0.0)
        driver.fakeReset()
        self.torch.stream = STREAMS[0]
        self.launch(self.x, own)  # after the fill, in the default stream
        self.assertEqual(calls(), waits(1))
        self.launch(self.x, own)
        self.assertEqual(calls(), waits(1, launches=2))
        own.read(bytearray(16))  # back in the default stream
        self.assertEqual(calls(), waits(2, launches=2) | {"cuStreamSynchronize": 1})

    def test_programs_with_fields_do_too(self):
        FIELDS.fill_table(1.0)
        driver.fakeReset()
        self.torch.stream = STREAMS[2]
        FIELDS.saxpy(4, 2.0, self.x, self.y)
        self.assertEqual(calls(), waits(1))

    def test_prepared_launches_and_graphs_ask_each_time(self):
        launch = PLAIN.saxpy.prepare(4, 2.0, self.x, self.y)
        for stream in STREAMS:
            self.torch.stream = stream
            launch.enqueue()
            self.assertEqual(last().stream, stream)
        self.assertEqual(calls(), {"cuLaunchKernel": 3})

    def test_host_memory_and_other_devices_are_refused(self):
        with self.assertRaisesRegex(ValueError, "argument 2 'x': it is in host memory, and the kernel runs on cuda:0"):
            self.launch(memoryview(bytearray(16)).cast("f"), self.y)
        with self.assertRaisesRegex(ValueError, "argument 3 'y': it is in memory of cuda:1"):
            self.launch(self.x, self.torch.Tensor(device=1))
        self.assertEqual(calls(), {})


class Tapes(unittest.TestCase):
    def test_gradients_come_after_the_launches_of_all_streams(self):
        torch = Library()
        x, y, z = (torch.Tensor() for _ in range(3))
        count = sys.getrefcount(x)
        DEVICE.synchronize()
        driver.fakeReset()
        with sextant.Tape() as tape:
            for stream, arrays in zip(STREAMS, ((x, y), (y, z))):
                torch.stream = stream
                PLAIN.saxpy(4, 2.0, *arrays)
                self.assertEqual(last().stream, stream)
        self.assertEqual(calls(), {"cuLaunchKernel": 2})
        self.assertEqual(sys.getrefcount(x), count + 1)
        torch.stream = STREAMS[2]
        tape.backward(z)
        self.assertTrue(last().name.startswith(b"saxpy_grad"))
        self.assertEqual(last().stream, STREAMS[1])  # the last launch's
        # It waits for the other launch and for arrays of the package; later launches there wait for it.
        self.assertEqual(calls(), waits(3, launches=4))
        tape.backward(z, stream=STREAMS[2])
        self.assertEqual(last().stream, STREAMS[2])
        self.assertEqual(calls(), waits(3 + 4, launches=6))
        tape.reset()
        self.assertEqual(sys.getrefcount(x), count)


class ThePageOfTorch(unittest.TestCase):
    """The snippet of docs/howto/torch.md, with a module `torch` that has what it names."""

    def test_its_launches_go_to_the_current_streams(self):
        page = (pathlib.Path(__file__).parents[2] / "docs/howto/torch.md").read_text()
        kernels, snippet = re.findall(r"^```python[^\n]*\n(.*?)^```$", page, re.M | re.S)
        library, made, launches = Library(), [], []

        def arange(count, dtype, device):
            self.assertEqual((dtype, device), ("f32", "cuda"))
            made.append(library.Tensor(count))
            return made[-1]

        @contextlib.contextmanager
        def stream(handle):
            library.stream, before = handle, library.stream
            yield
            launches.append(last().stream)
            library.stream = before

        def shown(_):
            launches.append(last().stream)

        cuda = types.SimpleNamespace(Stream=lambda: STREAMS[1], stream=stream)
        torch = types.SimpleNamespace(arange=arange, float32="f32", cuda=cuda)
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "page_of_torch.py")
            source.write_text(kernels)
            code = snippet.replace("app.sxt", str(module(file=str(source), targets="cuda:compute_80")))
            library.stream = STREAMS[0]
            driver.fakeReset()
            sys.modules["torch"] = torch
            try:
                exec(code, {"print": shown})
            finally:
                del sys.modules["torch"]
        self.assertEqual(launches, [STREAMS[0], STREAMS[1]])
        self.assertEqual(driver.fakeCalls(b"cuLaunchKernel"), 2)
        self.assertEqual(ctypes.string_at(ctypes.addressof(last().arguments), 8),
                         made[0].address.to_bytes(8, "little"))


class Interfaces(unittest.TestCase):
    def setUp(self):
        DEVICE.synchronize()
        driver.fakeReset()

    def test_the_stream_of_the_cuda_array_interface(self):
        class Array:
            def __init__(self, stream):
                self.memory = sextant.Array(DEVICE, 4, "f32")
                self.__cuda_array_interface__ = {**self.memory.__cuda_array_interface__, "stream": stream}

        for given, stream in ((STREAMS[0], STREAMS[0]), (1, None), (None, DEVICE.default_stream.native)):
            x = Array(given)
            PLAIN.saxpy(4, 1.0, x, x)
            self.assertEqual(last().stream, stream)
        self.assertNotIn("cuEventSynchronize", calls())

    def test_dlpack_is_told_the_stream(self):
        class Array:
            def __init__(self):
                self.memory, self.told = sextant.Array(DEVICE, 4, "f32"), []

            def __dlpack_device__(self):
                return self.memory.__dlpack_device__()

            def __dlpack__(self, stream=None, **options):
                self.told.append(stream)
                return self.memory.__dlpack__(stream=-1, **options)

        x, mine = Array(), DEVICE.stream()
        PLAIN.saxpy(4, 1.0, x, x)
        PLAIN.saxpy(4, 1.0, x, x, stream=mine)
        self.assertEqual(x.told, [DEVICE.default_stream.native] * 2 + [mine.native] * 2)
        # The library does not know of the launch, so its memory is kept.
        self.assertEqual(mine.held, 2)

    def test_an_export_makes_the_consumer_wait(self):
        x = sextant.Array(DEVICE, 4, "f32")
        x.fill(0.0)
        driver.fakeReset()
        self.assertEqual(x.__dlpack_device__(), (2, 0))
        x.__dlpack__(stream=STREAMS[0])
        self.assertEqual(calls(), {"cuEventRecord": 1, "cuStreamWaitEvent": 1})
        x.__dlpack__(stream=-1)
        self.assertEqual(calls(), {"cuEventRecord": 1, "cuStreamWaitEvent": 1})
        self.assertFalse(hasattr(x, "__array_interface__"))

    def test_adopted_contexts(self):
        adopted = sextant.adopt("cuda", stream=STREAMS[1])
        self.assertEqual(adopted.default_stream.native, STREAMS[1])
        program = sextant.open(EXAMPLE, adopted)
        x = sextant.Array(adopted, 4, "f32")
        program.saxpy(4, 1.0, x, sextant.Pointer(x.address, "f32", 4))
        self.assertEqual(last().stream, STREAMS[1])
        with self.assertRaisesRegex(ValueError, "belongs to device|stream"):
            program.saxpy(4, 1.0, x, x, stream=DEVICE.stream())

    def test_nothing_is_called_wrongly(self):
        gc.collect()
        self.assertEqual(driver.fakeMisuses(), 0)


if __name__ == "__main__":
    unittest.main()
