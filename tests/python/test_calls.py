"""Calls: scalars, vectors, matrices, structs of arrays, keywords, results; what help shows."""
import collections
import inspect
import unittest

import numpy as np

import sextant
from support import app, module


class Scalars(unittest.TestCase):
    def given(self, **changed):
        values = dict(flag=True, i1=-128, i2=-32768, i4=-2**31, i8=-2**63, u1=255, u2=65535, u4=2**32 - 1, u8=2**63,
                      f2=1 + 2**-11, f4=0.1, f8=0.1, out=np.zeros(9, np.int64), reals=np.zeros(3))
        return values | changed

    def test_each_type_arrives_exactly(self):
        values = self.given()
        app().scalars(**values)
        expected = [1, -128, -32768, -2**31, -2**63, 255, 65535, 2**32 - 1, -2**63]  # 2^63 as i64
        self.assertEqual(values["out"].tolist(), expected)
        # 1 + 2^-11 is halfway between two f16, and goes to the even one.
        self.assertEqual(values["reals"].tolist(), [1.0, float(np.float32(0.1)), 0.1])

    def test_numpy_scalars_and_integers_for_reals(self):
        values = self.given(flag=np.bool_(False), i1=np.int8(-3), u8=np.uint64(5), f4=3, f8=np.float32(0.5))
        app().scalars(**values)
        self.assertEqual(values["out"].tolist()[:2] + values["out"].tolist()[8:], [0, -3, 5])
        self.assertEqual(values["reals"].tolist()[1:], [3.0, 0.5])

    def test_values_that_do_not_fit_are_refused_by_name(self):
        for name, value, words in [
            ("i1", 128, "argument 1 'i1': expected an integer that i8 holds, -2^7 to 2^7 - 1, given 128"),
            ("i1", -129, "given -129"), ("u1", -1, "'u1': expected an integer that u8 holds, 0 to 2^8 - 1"),
            ("u8", 2**64, "'u8': expected"), ("i8", 2**63, "'i8': expected"), ("i4", 1.5, "given 1.5"),
            ("i4", "3", "given '3'"), ("f4", "3", "'f4': expected a real number"), ("f8", None, "'f8': expected"),
            ("flag", 2, "'flag': expected True or False"), ("flag", 0.0, "'flag': expected True or False"),
            ("f8", 1j, "'f8': expected a real number"), ("i8", np.float64(1), "'i8': expected an integer"),
        ]:
            with self.subTest(name=name, value=value):
                with self.assertRaises(sextant.SignatureError) as raised:
                    app().scalars(**self.given(**{name: value}))
                self.assertIn("kernel 'scalars', argument", str(raised.exception))
                self.assertIn(words, str(raised.exception))


class Matrices(unittest.TestCase):
    def test_by_value_and_as_elements(self):
        m = [[1, 2, 3], [4, 5, 6]]
        x, y = np.zeros((4, 3), np.float32), np.ones((2, 5, 2, 3), np.float32)
        app().transform(m, (0.5, 1, -2), x, y)
        np.testing.assert_array_equal(x, np.tile(np.float32([0.5, 1, -2]), (4, 1)))
        i, j = np.indices((2, 5), np.float32)
        np.testing.assert_array_equal(y, 1 + (i + 10 * j)[..., None, None] * np.float32(m))

    def test_arrays_of_numpy_by_value(self):
        x, y = np.zeros((1, 3), np.float32), np.zeros((1, 1, 2, 3), np.float32)
        app().transform(np.ones((2, 3)), np.float32([1, 2, 3]), x, y)
        self.assertEqual(x.tolist(), [[1, 2, 3]])

    def test_wrong_shapes_are_refused(self):
        x, y = np.zeros((1, 3), np.float32), np.zeros((1, 1, 2, 3), np.float32)
        for m, v, words in [([[1, 2, 3]], (1, 2, 3), "'m': expected a sequence of 2 rows"),
                            ([[1, 2, 3], [1, 2]], (1, 2, 3), "'m': expected a sequence of 3 f32, given [1, 2]"),
                            ([[1] * 3] * 2, (1, 2), "'v': expected a sequence of 3 f32, given (1, 2)"),
                            ([[1] * 3] * 2, 1.0, "'v': expected a sequence"),
                            ([[1] * 3] * 2, "abc", "'v': expected a sequence"),
                            ([[1] * 3, [1, "a", 2]], (1, 2, 3), "'m': expected a real number, given 'a'")]:
            with self.subTest(m=m, v=v), self.assertRaisesRegex(sextant.SignatureError, ".*") as raised:
                app().transform(m, v, x, y)
            self.assertIn(words, str(raised.exception))


class Members(unittest.TestCase):
    """Arguments whose names have dots."""

    class State:
        def __init__(self, mass, step):
            self.mass, self.step = mass, step

    def test_objects_dictionaries_and_dotted_keywords(self):
        mass = np.float32([1, 2, 3])
        kernel = app().advance
        kernel(self.State(mass, 0.5), 2)
        self.assertEqual(mass.tolist(), [1.5, 2.5, 3])
        kernel(n=3, state={"mass": mass, "step": 1})
        self.assertEqual(mass.tolist(), [2.5, 3.5, 4])
        kernel(**{"state.mass": mass, "state.step": -2, "n": 1})
        self.assertEqual(mass.tolist(), [0.5, 3.5, 4])

    def test_items_of_lists_are_members(self):
        reals, ints = np.float32([1, 2, 3]), np.int32([10, 20, 30])
        Step = collections.namedtuple("Step", ["step"])
        for arrays in ([reals, ints], (reals, ints), {"0": reals, "1": ints}):
            app().add_all({"arrays": arrays, "steps": [None, Step(2)]}, 2)
        self.assertEqual((reals.tolist(), ints.tolist()), ([7, 8, 3], [16, 26, 30]))
        with self.assertRaisesRegex(sextant.SignatureError, "argument 'self.arrays.1': a list has no member '1'"):
            app().add_all({"arrays": [reals], "steps": [None, Step(2)]}, 2)

    def test_missing_members_are_named(self):
        with self.assertRaisesRegex(sextant.SignatureError, "argument 'state.step': a dict has no member 'step'"):
            app().advance({"mass": np.zeros(1, np.float32)}, 1)
        with self.assertRaisesRegex(sextant.SignatureError, "no value for 'n'"):
            app().advance({"mass": np.zeros(1, np.float32), "step": 1})


class Keywords(unittest.TestCase):
    def test_numbers_and_names_that_are_wrong(self):
        x = np.zeros(2, np.float32)
        for call, words in [
            (lambda: app().saxpy(2, 1.0, x, x, x), "takes 4 arguments, given 5"),
            (lambda: app().saxpy(2, 1.0, x), "no value for 'y'"),
            (lambda: app().saxpy(2, 1.0, x, x, z=x), "has no argument 'z'; it has n, a, x, y"),
            (lambda: app().saxpy(2, 1.0, x, x, n=2), "argument 'n' is given twice"),
        ]:
            with self.assertRaises(TypeError) as raised:
                call()
            self.assertIn(words, str(raised.exception))

    def test_a_parameter_called_stream(self):
        kernel = sextant.open(module(file="checked.py"), "cpu").checked
        self.assertEqual(list(inspect.signature(kernel).parameters), ["x", "stream", "stream_"])
        x = np.int32([3])
        kernel(x, stream=3, stream_=kernel.device.default_stream)
        kernel.device.synchronize()
        self.assertEqual(x.tolist(), [4])


class Results(unittest.TestCase):
    def test_one_and_several(self):
        self.assertEqual(app().sum_of(np.arange(100, dtype=np.int32)), 4950)
        vector, matrix, flag, number = app().several(1.5)
        self.assertEqual(vector, [1.5, 3.0, 4.5])
        self.assertEqual(matrix, [[1.5, 0.0, 1.0], [2.0, 3.0, 1.5]])
        self.assertIs(flag, True)
        self.assertEqual(number, -5000000000)

    def test_launch_discards_and_call_of_none(self):
        x = np.arange(4, dtype=np.int32)
        self.assertIsNone(app().sum_of.launch(x))
        self.assertEqual(int(np.asarray(app().field("total"))), 6)
        y = np.zeros(4, np.float32)
        self.assertIsNone(app().saxpy.call(4, 1.0, np.float32(x), y))
        self.assertEqual(y.tolist(), [0, 1, 2, 3])


class Descriptions(unittest.TestCase):
    def test_signature_and_help(self):
        kernel = app().saxpy
        self.assertEqual(str(inspect.signature(kernel)), "(n: 'i32', a: 'f32', x: 'array(f32, ndim=1)', "
                         "y: 'array(f32, ndim=1)', *, stream=None) -> 'None'")
        self.assertEqual(kernel.__doc__, "saxpy(n: i32, a: f32, x: array(f32, ndim=1), y: array(f32, ndim=1)) -> None"
                         "\n\nAdds a multiple of x to y.\n\nBoth have at least n elements.")
        self.assertEqual(kernel.__name__, "saxpy")
        self.assertIn("several(a: f32) -> (f32[3], f32[2x3], u1, i64)", app().several.__doc__)
        self.assertIn("advance(state: {mass: array(f32, ndim=1), step: f32}, n: i32)", app().advance.__doc__)

    def test_parameters_and_results(self):
        m, v, x, y = app().transform.parameters
        self.assertEqual(m, ("m", "matrix", "f32", 0, (2, 3), ""))
        self.assertEqual((v.kind, v.element_shape), ("matrix", (3,)))
        self.assertEqual((x.kind, x.ndim, x.element_shape), ("array", 1, (3,)))
        self.assertEqual((y.ndim, y.element_shape), (2, (2, 3)))
        self.assertEqual([p.name for p in app().advance.parameters], ["state.mass", "state.step", "n"])
        self.assertEqual([(r.dtype, r.element_shape) for r in app().several.results],
                         [("f32", (3,)), ("f32", (2, 3)), ("u1", ()), ("i64", ())])
        structure, size = sextant.structure_layout(app().shake.parameters[0].structure)
        self.assertEqual(size, 48)
        self.assertEqual([(member[0], member[3]) for member in structure],
                         [("kind", 0), ("pos", 4), ("spot", 16), ("turn", 40)])

    def test_programs_list_what_they_have(self):
        self.assertIn("saxpy", app().kernels)
        self.assertEqual(set(app().fields), {"grains", "table", "total"})
        self.assertIn("twice_f16", dir(app()))
        self.assertEqual(app().saxpy.variant["backend"], "cpu")
        self.assertTrue(app().explain("saxpy").startswith("> cpu:"))
        self.assertIn("sum_of:\n> cpu:", app().explain())
        first = app().verdicts("saxpy")[0]
        self.assertTrue(first["usable"] and first["selected"] and first["reason"])
        self.assertIs(app().saxpy, app()["saxpy"])


if __name__ == "__main__":
    unittest.main()
