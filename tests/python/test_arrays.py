"""Arrays of other libraries and of the package: shared in place, in both directions; what is refused."""
import array
import ctypes
import gc
import unittest
import weakref

import numpy as np

import sextant
from support import app


class Interface:
    """An array that has only the array interface."""

    def __init__(self, of):
        self.of = of
        self.__array_interface__ = of.__array_interface__


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
        x = np.array([0x3F80, 0xC040], np.uint16).view("V2")  # 1.0 and -3.0, as numpy holds bfloat16
        app().twice_bf16(x, 2)
        self.assertEqual(x.view(np.uint16).tolist(), [0x4000, 0xC0C0])
        with self.assertRaises(sextant.SignatureError):
            app().twice_f16(x, 2)  # opaque items are bfloat16 at most

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
        self.check(ValueError, name + "it is read-only", lambda: saxpy(4, 1.0, x, fixed))
        self.check(ValueError, name + "it is read-only", lambda: saxpy(4, 1.0, x, Interface(fixed)))
        self.check(ValueError, name + "it is read-only", lambda: saxpy(4, 1.0, x, bytes(16)))
        self.check(TypeError, name + "expected an array (DLPack", lambda: saxpy(4, 1.0, x, [1.0]))
        self.check(TypeError, name + "expected an array (DLPack", lambda: saxpy(4, 1.0, x, None))
        self.check(TypeError, name + "expected a 1-dimensional array of f32, given shape (4,) of complex64",
                   lambda: saxpy(4, 1.0, x, Interface(y.astype("c8"))))
        self.check(TypeError, "the machine's byte order", lambda: saxpy(4, 1.0, x, Interface(y.astype(">f4"))))
        self.check(TypeError, name + "expected a 1-dimensional", lambda: saxpy(4, 1.0, x, y.astype(">f4")))
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
