"""Arrays of other libraries and of the package: shared in place, in both directions; what is refused."""
import array
import ctypes
import gc
import tempfile
import types
import unittest
import warnings
import weakref

import numpy as np
import numpy.ma.mrecords  # noqa: F401

import sextant
from support import app


class Interface:
    """An array that has only the array interface."""

    def __init__(self, of):
        self.of = of
        self.__array_interface__ = of.__array_interface__


class MlArray:
    """Shows what an array of ml_dtypes does: numpy knows its items as raw bytes, the type has a name."""

    def __init__(self, of, name="bfloat16"):
        self.of, self.dtype = of, types.SimpleNamespace(name=name)
        self.__array_interface__ = of.view(f"V{of.itemsize}").__array_interface__
        if name == "float8_e5m2" and of.itemsize == 1:  # ml_dtypes calls it a float of numpy's
            self.__array_interface__["typestr"] = "<f1"


class Dlpack:
    """An array that has only DLPack, of a producer before or after version 1."""

    def __init__(self, of, versioned=True):
        self.of, self.versioned, self.streams = of, versioned, []

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()

    def __dlpack__(self, **options):
        if "max_version" in options and not self.versioned:
            raise TypeError("max_version is unknown")
        self.streams.append(options["stream"])
        return self.of.__dlpack__(**options)


class InPlace(unittest.TestCase):
    def test_each_protocol(self):
        x = np.arange(4, dtype=np.float32)
        for make in (lambda y: y, Interface, Dlpack, lambda y: Dlpack(y, versioned=False), memoryview,
                     lambda y: sextant.Pointer(y.ctypes.data, "f32", (4,), owner=y),
                     lambda y: sextant.Pointer(y.ctypes.data, np.dtype("float32"), 4)):
            y = np.ones(4, np.float32)
            app().saxpy(4, 2.0, x, make(y))
            self.assertEqual(y.tolist(), [1, 3, 5, 7], make)

    def test_the_standard_library(self):
        x, y = array.array("f", [1, 2]), (ctypes.c_float * 2)(10, 20)
        app().saxpy(2, 1.0, x, y)
        self.assertEqual(list(y), [11, 22])
        numbers = bytearray(range(5))
        app().twice_u8(numbers, 5)
        self.assertEqual(list(numbers), [0, 2, 4, 6, 8])

    def test_types_of_elements(self):
        for dtype, name in (("f2", "f16"), ("i8", "i64"), ("u1", "u8"), ("f8", "f64")):
            x = np.array([1, 3, 100], dtype)
            app()[f"twice_{name}"](x, 2)
            self.assertEqual(x.tolist(), [2, 6, 100])
        x = np.array([0x3F80, 0xC040], np.uint16)  # 1.0 and -3.0
        app().twice_bf16(MlArray(x), 2)
        self.assertEqual(x.tolist(), [0x4000, 0xC0C0])
        with self.assertRaises(sextant.SignatureError):
            app().twice_f16(MlArray(x), 2)
        for kernel, name, bits in (("twice_f8e4m3", "float8_e4m3fn", [0x38, 0xC4, 0x7E]),
                                   ("twice_f8e5m2", "float8_e5m2", [0x3C, 0xC2, 0x7B])):
            x = np.array(bits, np.uint8)  # 1, -3, the largest number
            app()[kernel](MlArray(x, name), 2)
            self.assertEqual(x.tolist(), [0x40, 0xCC, 0x7E] if name == "float8_e4m3fn" else [0x40, 0xC6, 0x7B])
            for other in ("bfloat16", "float8_e5m2" if name == "float8_e4m3fn" else "float8_e4m3fn", "float8_e4m3"):
                with self.assertRaises(sextant.SignatureError):
                    app()[kernel](MlArray(x, other), 2)

    def test_no_dimensions_and_no_elements(self):
        x = np.array(5, np.int32)
        app().one(x)
        self.assertEqual(int(x), 12)
        self.assertEqual(app().sum_of(np.zeros(0, np.int32)), 0)
        with self.assertRaisesRegex(sextant.SignatureError, r"a 0-dimensional array of i32, given shape \(1,\)"):
            app().one(np.zeros(1, np.int32))

    def test_parts_and_steps_of_one(self):
        base = np.zeros((3, 8), np.float32)
        app().saxpy(4, 1.0, np.ones(4, np.float32), base[1, 2:6])
        self.assertEqual(base[1].tolist(), [0, 0, 1, 1, 1, 1, 0, 0])
        self.assertEqual(float(base.sum()), 4)
        app().saxpy(1, 1.0, base[1, 2:3], base[:1, 0:1].reshape(1))  # extents of 1 have any stride
        self.assertEqual(base[0, 0], 1)

    def test_structs(self):
        dtype = sextant.numpy_dtype(app().shake.parameters[0].structure)
        self.assertEqual(dtype.itemsize, 48)
        x = np.zeros(3, dtype)
        x["kind"], x["pos"][:, 1], x["spot"]["at"][:, 1], x["turn"][:, 1, 1] = 254, [1, 2, 3], 5, 9
        app().shake(x)
        self.assertEqual(x["kind"].tolist(), [255, 255, 255])
        self.assertEqual(x["pos"].tolist(), [[0, 1.5, 0], [0, 2.5, 0], [0, 3.5, 0]])
        self.assertEqual(x["spot"]["at"].tolist(), [[0, 10]] * 3)
        self.assertEqual(x["spot"]["on"].tolist(), [True] * 3)
        self.assertEqual(x["turn"].tolist(), [[[0, 0], [-i, 9]] for i in range(3)])
        field = app().field("grains")
        self.assertEqual(field.shape, (2, 48))
        for view in (field.view(), field.numpy()):
            self.assertEqual(view.dtype, dtype)
            np.testing.assert_array_equal(view, x[:2])
        field.view()["kind"][1] = 77
        self.assertEqual(field.numpy()["kind"].tolist(), [255, 77])
        raw = x.view(np.uint8).reshape(3, 48)  # the same memory as plain bytes
        app().shake(raw)
        self.assertEqual(x["kind"].tolist(), [0, 0, 0])
        other = np.zeros(3, [("kind", "u1"), ("rest", "u1", 47)])
        with self.assertRaisesRegex(sextant.SignatureError, "argument 0 'x': expected an array of the struct"):
            app().shake(other)


class ExactTypes(unittest.TestCase):
    """An array of another type is refused, also if its items have the size of the parameter's."""

    # Each type of numpy that has items of 1, 2, 4 or 8 bytes, and which scalar type of kernels it is.
    FOREIGN = ["S1", "V1", "S2", "V2", ">i2", ">u2", ">f2", "U1", "S4", "V4", ">i4", ">u4", ">f4", "S8", "V8", "U2",
               ">i8", ">u8", ">f8", "c8", ">c8", "M8[s]", "m8[ns]", "O", [("a", "u1")], [("a", ">u2")],
               [("a", "<u2")], [("a", "<f4")], [("a", "<f2"), ("b", "<f2")], [("a", "<f8")], ("u1", 2), "<f4,<f4"]
    KNOWN = {"?": "u1", "i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64", "u1": "u8", "u2": "u16", "u4": "u32",
             "u8": "u64", "f2": "f16", "f4": "f32", "f8": "f64"}
    KERNELS = ("f16", "bf16", "f8e4m3", "f8e5m2", "i64", "u8", "f64")  # types of twice

    def refused(self, kernel, x):
        with self.assertRaisesRegex(sextant.SignatureError, "argument 0 'x': expected a 1-dimensional array of"):
            kernel(x, 2)

    def test_scalars(self):
        for name in self.KERNELS:
            kernel = app()[f"twice_{name}"]
            for foreign in self.FOREIGN:
                x = np.zeros(2, foreign)
                with self.subTest(kernel=name, given=foreign):
                    if x.dtype.kind not in "MmO" and x.ndim == 1:
                        self.refused(kernel, x)
                        self.refused(kernel, memoryview(x))
                    if x.ndim == 1:
                        self.refused(kernel, Interface(x))
            for known, is_for in self.KNOWN.items():
                x = np.ones(2, known)
                for given in (x, memoryview(x), Interface(x), Dlpack(x)):
                    with self.subTest(kernel=name, given=known, by=type(given)):
                        if is_for == name:
                            kernel(given, 2)
                        else:
                            self.refused(kernel, given)
                self.assertEqual(x.tolist(), [16, 16] if is_for == name else [1, 1])
            x = np.zeros(2, "u2")
            if name != "bf16":
                self.refused(kernel, MlArray(x))
            self.refused(kernel, MlArray(x, "float16"))
            self.refused(kernel, MlArray(x, "float8_e5m2"))

    def test_formats_of_other_exporters(self):
        """ctypes and the standard library write the same types in other ways."""
        x = (ctypes.c_int64 * 2)(3, 4)
        app().twice_i64(x, 2)
        self.assertEqual(list(x), [6, 8])
        for wrong in ((ctypes.c_uint64 * 2)(), (ctypes.c_double * 2)(), (ctypes.c_int64.__ctype_be__ * 2)(),
                      (ctypes.c_void_p * 2)(), (ctypes.c_char * 16)(), array.array("d", [1, 2])):
            self.refused(app().twice_i64, wrong)
        self.refused(app().twice_u8, (ctypes.c_bool * 2)())
        self.refused(app().twice_u8, (ctypes.c_char * 2)())

    def test_lying_descriptions(self):
        x = np.zeros(2, np.float64)
        for typestr in ("<f4", "f8", "<f8x", "<f", "", "=f8", "<f800000000000000000000", "|f8", "<g8"):
            lying = Interface(x)
            lying.__array_interface__ = {**x.__array_interface__, "typestr": typestr}
            with self.subTest(typestr=typestr):
                self.refused(app().twice_f64, lying)
        masked = Interface(x)
        masked.__array_interface__ = {**x.__array_interface__, "mask": np.zeros(2, bool)}
        with self.assertRaisesRegex(sextant.SignatureError, "argument 0 'x': .* has a mask"):
            app().twice_f64(masked, 2)

    def test_arrays_with_a_mask(self):
        """Their memory is not what they mean. Other subclasses of numpy's arrays are their memory."""
        class Own(np.ma.MaskedArray):
            pass

        class Third:  # as astropy's
            mask = filled = None

            def __init__(self, of):
                self.__array_interface__ = of.__array_interface__

        x, y = np.ones(2, "f4"), np.ones(2, "f4")
        points, blocks, rows = np.zeros((1, 3), "f4"), np.zeros((1, 1, 2, 3), "f4"), [[1] * 3] * 2
        heats = np.zeros(2, [("mass", "u4"), ("heat", "f4")])
        own = sextant.Array(app().device, 2, "f32")
        prepared, graph = app().saxpy.prepare(2, 1.0, x, y), sextant.Graph(app().device)
        step = graph.add(app().saxpy, 2, 1.0, x, y)
        arrays = [np.ma.array(x, mask=[1, 0]), np.ma.array(x), np.ma.masked_all(2, "f4"), Own(x), Third(x)]
        ones = [np.ma.masked, np.ma.array(1.0), np.ma.array(1.0, mask=True), np.ma.array(1, mask=True)]
        vector = np.ma.array([1, 2, 3], "f4")
        refused = [
            *((lambda m=m: app().saxpy(2, 1.0, m, y)) for m in arrays),
            *((lambda m=m: app().saxpy(n=2, a=1.0, x=x, y=m)) for m in arrays),
            *((lambda m=m: app().advance({"mass": m, "step": 1.0}, 2)) for m in arrays),
            *((lambda m=m: prepared.set("y", m)) for m in arrays), *((lambda m=m: graph.set(step, "y", m)) for m in arrays),
            *((lambda m=m: app().saxpy(2, m, x, y)) for m in ones), *((lambda m=m: app().saxpy(m, 1.0, x, y)) for m in ones),
            *((lambda m=m: prepared.set("a", m)) for m in ones),
            lambda: app().warm(np.ma.array(heats)), lambda: app().warm(np.ma.mrecords.fromarrays([[1], [2.0]])),
            lambda: app().one(np.ma.array(np.int32(1))), lambda: app().transform(rows, vector, points, blocks),
            lambda: app().transform(rows, (1, 2, np.ma.masked), points, blocks),
            lambda: app().transform(np.ma.array(rows), (1, 2, 3), points, blocks),
            lambda: app().transform([vector, vector], (1, 2, 3), points, blocks),
        ]
        for number, use in enumerate(refused):
            with self.subTest(number), self.assertRaisesRegex(
                    sextant.SignatureError, r"kernel '\w+', argument \d '[\w.]+': .*mask.*x\.data.*x\.filled"):
                use()
        for use in (lambda: own.write(arrays[0]), lambda: own.read(arrays[0]), lambda: own.fill(ones[0])):
            with self.assertRaisesRegex(sextant.Error, r"mask.*x\.data.*x\.filled"):
                use()
        self.assertEqual((y.tolist(), points.any(), blocks.any(), heats["mass"].tolist()), ([1, 1], False, False, [0, 0]))

        app().saxpy(2, 1.0, arrays[0].filled(5), arrays[1].data)
        self.assertEqual(x.tolist(), [6, 2])
        app().warm(heats.view(np.recarray))
        self.assertEqual(heats["heat"].tolist(), [0.5, 0.5])
        named = np.zeros(2, [("mask", "f4"), ("filled", "f4")]).view(np.recarray)  # members, not a mask
        app().saxpy(1, 1.0, x, named.view("f4").view(np.ndarray))
        with self.assertRaisesRegex(sextant.SignatureError, "an array of the struct"):
            app().warm(named)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            matrices = np.matrix(rows), np.asmatrix(points)
        app().transform(matrices[0], (1, 2, 3), matrices[1], blocks)
        self.assertEqual(points.tolist(), [[1, 2, 3]])
        with tempfile.TemporaryFile() as file:
            mapped = np.memmap(file, "f4", "w+", shape=2)
            app().saxpy(2, 1.0, x, mapped)
            self.assertEqual(mapped.tolist(), [6, 2])

    def test_structs_member_by_member(self):
        dtype = sextant.numpy_dtype(app().shake.parameters[0].structure)
        names, fields = list(dtype.names), dtype.fields

        def changed(**members):
            formats = [members.get(name, fields[name][0]) for name in names]
            return np.dtype({"names": names, "formats": formats, "offsets": [fields[name][1] for name in names],
                             "itemsize": dtype.itemsize})

        spot = fields["spot"][0]
        others = [
            changed(kind="i1"), changed(kind="?"), changed(kind="S1"), changed(pos=(">f4", 3)), changed(pos=("<i4", 3)),
            changed(pos=("<f4", (1, 3))), changed(pos=("<f4", 2)), changed(pos="V12"), changed(turn=("<u2", (2, 2))),
            changed(turn=("<i2", 4)), changed(turn=(">i2", (2, 2))), changed(spot="V24"), changed(spot=("<f8", 3)),
            changed(spot=np.dtype({"names": ["on", "at"], "formats": ["?", (">f8", 2)], "offsets": [0, 8],
                                   "itemsize": 24})),
            changed(spot=np.dtype({"names": ["on", "to"], "formats": ["?", ("<f8", 2)], "offsets": [0, 8],
                                   "itemsize": 24})),
            np.dtype({"names": ["sort", *names[1:]], "formats": [fields[n][0] for n in names],
                      "offsets": [fields[n][1] for n in names], "itemsize": 48}),
            np.dtype({"names": names, "formats": [fields[n][0] for n in names], "offsets": [1, 4, 16, 40],
                      "itemsize": 48}),
            np.dtype({"names": names[:3], "formats": [fields[n][0] for n in names[:3]], "offsets": [0, 4, 16],
                      "itemsize": 48}),
            np.dtype({"names": names, "formats": [fields[n][0] for n in names],
                      "offsets": [fields[n][1] for n in names], "itemsize": 56}),
            np.dtype(list(zip(names, [fields[n][0] for n in names]))),  # packed
        ]
        self.assertEqual(spot.itemsize, 24)
        for other in others:
            x = np.zeros(3, other)
            for given in (x, memoryview(x), Interface(x)):
                with self.subTest(given=other, by=type(given)), self.assertRaises(sextant.SignatureError):
                    app().shake(given)
            self.assertEqual(bytes(x), bytes(x.nbytes))
        x = np.zeros(2, dtype)
        for given in (x, memoryview(x), Interface(x)):
            app().shake(given)
        self.assertEqual(x["kind"].tolist(), [3, 3])

    def test_structs_as_their_scalars(self):
        x = np.zeros((3, 48), np.uint8)
        app().shake(x)
        self.assertEqual(x[:, 0].tolist(), [1, 1, 1])
        for wrong in ("S1", "V1", "?", "i1", [("a", "u1")]):
            with self.subTest(given=wrong), self.assertRaises(sextant.SignatureError):
                app().shake(np.zeros((3, 48), wrong))

    def test_structs_of_ctypes(self):
        class Pair(ctypes.Structure):
            _fields_ = [("mass", ctypes.c_uint32), ("heat", ctypes.c_float)]

        class Swapped(ctypes.Structure):
            _fields_ = [("heat", ctypes.c_float), ("mass", ctypes.c_uint32)]

        x = (Pair * 2)((1, 0.5), (2, 1.5))
        app().warm(x)
        self.assertEqual([(p.mass, p.heat) for p in x], [(2, 1.0), (3, 2.0)])
        bits = np.zeros((2, 2), np.uint32)
        app().warm(bits)  # both members are of 4 bytes: the scalars are u32
        self.assertEqual(bits.view([("mass", "u4"), ("heat", "f4")])[:, 0].tolist(), [(1, 0.5), (1, 0.5)])
        for wrong in (*(np.zeros((2, 2), t) for t in (">u4", "U1", "S4", "V4", "f4", "i4")), (Swapped * 2)(),
                      (Pair.__ctype_be__ * 2)() if hasattr(Pair, "__ctype_be__") else (ctypes.c_uint64 * 2)()):
            with self.subTest(given=wrong), self.assertRaises(sextant.SignatureError):
                app().warm(wrong)


class Refused(unittest.TestCase):
    def check(self, error, words, call):
        with self.assertRaises(error) as raised:
            call()
        self.assertIn(words, str(raised.exception))

    def test_by_name(self):
        x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
        saxpy, fixed = app().saxpy, np.zeros(4, np.float32)
        fixed.flags.writeable = False
        name = "kernel 'saxpy', argument 3 'y': "
        self.check(TypeError, name + "expected a 1-dimensional array of f32, given shape (4,) of float64",
                   lambda: saxpy(4, 1.0, x, np.zeros(4)))
        self.check(TypeError, name + "expected a 1-dimensional array of f32, given shape (2, 2) of float32",
                   lambda: saxpy(4, 1.0, x, y.reshape(2, 2)))
        self.check(ValueError, name + "its strides are (2,) in elements", lambda: saxpy(2, 1.0, x, y[::2]))
        self.check(ValueError, name + "its strides are (-1,) in elements", lambda: saxpy(4, 1.0, x, y[::-1]))
        self.check(ValueError, name + "its strides are (0,) in elements",
                   lambda: saxpy(4, 1.0, x, np.lib.stride_tricks.as_strided(y, (4,), (0,))))
        grain = np.zeros(4, [("a", "f4"), ("b", "u1")])  # 5 bytes from one f4 to the next
        self.check(ValueError, name + "its strides are", lambda: saxpy(4, 1.0, x, grain["a"]))
        self.check(ValueError, "pass a contiguous copy", lambda: saxpy(4, 1.0, x, Dlpack(y[::2])))
        self.check(ValueError, "pass a contiguous copy", lambda: saxpy(4, 1.0, x, memoryview(y)[::2]))
        self.check(ValueError, "'y': its strides are",
                   lambda: app().transform([[0] * 3] * 2, [0] * 3, np.zeros((1, 3), "f4"), np.zeros((2, 2, 3, 2), "f4").mT))
        self.check(ValueError, name + "it is read-only", lambda: saxpy(4, 1.0, x, fixed))
        self.check(ValueError, name + "it is read-only", lambda: saxpy(4, 1.0, x, Interface(fixed)))
        self.check(ValueError, name + "it is read-only", lambda: saxpy(4, 1.0, x, bytes(16)))
        self.check(TypeError, name + "expected an array (DLPack", lambda: saxpy(4, 1.0, x, [1.0]))
        points, blocks = np.zeros((1, 3), "f4"), np.zeros((1, 1, 2, 3), "f4")
        for text in ("abc", b"abc"):
            self.check(TypeError, "kernel 'transform', argument 1 'v': expected a sequence of 3 f32, given",
                       lambda text=text: app().transform([[0] * 3] * 2, text, points, blocks))
        self.check(TypeError, name + "expected an array (DLPack", lambda: saxpy(4, 1.0, x, None))
        self.check(TypeError, name + "expected a 1-dimensional array of f32, given shape (4,) of complex64",
                   lambda: saxpy(4, 1.0, x, Interface(y.astype("c8"))))
        self.check(TypeError, name + "expected a 1-dimensional array of f32, given shape (4,) of typestr '>f4'",
                   lambda: saxpy(4, 1.0, x, Interface(y.astype(">f4"))))
        self.check(TypeError, name + "expected a 1-dimensional array of f32, given shape (4,) of format '>f'",
                   lambda: saxpy(4, 1.0, x, y.astype(">f4")))
        self.check(TypeError, "'x': expected a 1-dimensional array of vectors of 3 f32, that is a shape that ends with "
                   "3, given shape (4,) of float32",
                   lambda: app().transform([[0] * 3] * 2, [0] * 3, x, np.zeros((1, 1, 2, 3), "f4")))
        self.check(ValueError, "its address is not a multiple of 4 bytes",
                   lambda: saxpy(1, 1.0, x, np.zeros(9, np.uint8)[1:5].view(np.float32)))
        self.assertEqual(y.tolist(), [0] * 4)

    def test_memory_of_other_devices(self):
        class Elsewhere:
            def __dlpack_device__(self):
                return (2, 1)

            def __dlpack__(self, **options):
                raise AssertionError("nothing is exported that will be refused")

        self.check(ValueError, "argument 0 'x': it is in memory of cuda:1, and the kernel runs on cpu",
                   lambda: app().sum_of(Elsewhere()))

    def test_producers_that_fail(self):
        class Failing:
            def __dlpack_device__(self):
                return (1, 0)

            def __dlpack__(self, **options):
                raise KeyError("their own")

        class Odd(Failing):
            def __dlpack__(self, **options):
                return 3

        with self.assertRaisesRegex(KeyError, "their own"):
            app().sum_of(Failing())
        self.check(TypeError, "did not return a DLPack capsule", lambda: app().sum_of(Odd()))

    def test_pointers(self):
        self.check(ValueError, "dtype 'f80' is unknown", lambda: sextant.Pointer(64, "f80", 1))
        self.check(ValueError, "extents are not negative", lambda: sextant.Pointer(64, "f32", (-1,)))
        self.check(ValueError, "it has neither a buffer nor an address",
                   lambda: app().sum_of(sextant.Pointer(0, "i32", 1)))
        self.check(TypeError, "given shape (1, 2) of int32",
                   lambda: app().sum_of(sextant.Pointer(64, "i32", 1, element_shape=2)))


class Own(unittest.TestCase):
    def test_made_filled_shared(self):
        x = sextant.Array(app().device, (2, 3), "i32")
        x.fill(-7)
        view = np.from_dlpack(x)
        self.assertEqual(view.tolist(), [[-7] * 3] * 2)
        view[1, 2] = 5
        self.assertEqual(x.numpy().tolist(), [[-7] * 3, [-7, -7, 5]])
        np.asarray(x)[0, 0] = 1
        self.assertEqual(int(view[0, 0]), 1)
        x.write(np.arange(6, dtype=np.int32))
        out = bytearray(24)
        x.read(out)
        self.assertEqual(np.frombuffer(out, np.int32).tolist(), [0, 1, 2, 3, 4, 5])
        with self.assertRaisesRegex(ValueError, "the memory has 4 bytes, the array 24"):
            x.write(b"abcd")
        with self.assertRaises(BufferError):
            x.read(bytes(24))
        self.assertEqual((x.shape, x.dtype, x.nbytes, len(x)), ((2, 3), "i32", 24, 2))
        self.assertFalse(hasattr(x, "__cuda_array_interface__"))

    def test_wide_scalars_and_elements(self):
        x = sextant.Array(app().device, 3, "f64")
        x.fill(0.1)
        app().twice_f64(x, 2)
        self.assertEqual(x.numpy().tolist(), [0.2, 0.2, 0.1])
        v = sextant.Array(app().device, 2, "f32", element_shape=3)
        self.assertEqual((v.shape, v.element_shape), ((2, 3), (3,)))
        with self.assertRaisesRegex(ValueError, "element_shape has 3 extents"):
            sextant.Array(app().device, 2, "f32", element_shape=(1, 2, 3))

    def test_names_of_types(self):
        for dtype, name in ((np.float16, "f16"), (np.uint64, "u64"), (np.dtype("i2"), "i16"), ("float64", "f64"), (bool, "u1"),
                            ("bf16", "bf16"), (type("bfloat16", (), {}), "bf16"),
                            ("float8_e5m2", "f8e5m2"), (type("float8_e4m3fn", (), {}), "f8e4m3")):
            with self.subTest(dtype):
                self.assertEqual(sextant.Array(app().device, 1, dtype).dtype, name)
                self.assertEqual(sextant.Pointer(0, dtype, 1).dtype, name)
        for unknown in (float, int, object, "f4", np.dtype(">f4"), np.dtype("S2"), [("a", "f4")], np.str_):
            with self.subTest(unknown), self.assertRaisesRegex(sextant.ArgumentError, "dtype '.*' is unknown"):
                sextant.Array(app().device, 1, unknown)

    def test_views_keep_their_array(self):
        for share in (np.from_dlpack, np.asarray):
            x = sextant.Array(app().device, 4, "i32")
            x.fill(3)
            gone = weakref.finalize(x, lambda: None)
            view = share(x)
            del x
            gc.collect()
            self.assertTrue(gone.alive)
            self.assertEqual(view.tolist(), [3] * 4)
            del view
            gc.collect()
            self.assertFalse(gone.alive)

    def test_a_capsule_that_nobody_takes(self):
        x = sextant.Array(app().device, 4, "i32")
        gone = weakref.finalize(x, lambda: None)
        capsules = [x.__dlpack__(), x.__dlpack__(max_version=(1, 1))]
        del x
        self.assertTrue(gone.alive)
        del capsules
        self.assertFalse(gone.alive)

    def test_fields(self):
        app().fill_table(2.0)
        field = app().field("table")
        expected = np.array([[[2.0 * i, j] for j in range(4)] for i in range(3)], np.float32)
        np.testing.assert_array_equal(field.numpy(), expected)
        np.testing.assert_array_equal(np.from_dlpack(field), expected)
        with self.assertRaises(LookupError):
            app().field("nothing")


if __name__ == "__main__":
    unittest.main()
