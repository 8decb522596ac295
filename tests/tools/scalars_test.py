"""Every scalar type is wherever the rows of loader/abi/ScalarTypes.def do not reach.

What the compiler, the loader and the Python package know of a type comes from its row. The places below have to
spell types out, in the language of their readers. Each has all types, or all that it is about, and no others.

    scalars_test.py SOURCE_ROOT
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".")
ROW = re.compile(r'^SCALAR_TYPE\((\w+), (\d+), "(\w+)", "(\w+)", (\w+), (\d+), (\d+), "([\w:]+)", (\w+)\)', re.M)


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


ROWS = ROW.findall(text("loader/abi/ScalarTypes.def"))
ALL = {short for _, _, short, *_ in ROWS}
REALS = {short for _, _, short, _, kind, *_ in ROWS if kind == "Real"}


def types_in(path, pattern):
    """The types that the group of the pattern names in a file."""
    found = re.search(pattern, text(path), re.S)
    assert found, f"{path} has nothing like {pattern}"
    return set(re.findall(r"\b(?:u|i|f|bf)\d+(?:e\dm\d)?\b", found.group(1)))


class Scalars(unittest.TestCase):
    def test_rows(self):
        self.assertGreater(len(ROWS), 12)
        self.assertEqual(text("loader/abi/ScalarTypes.def").count("\nSCALAR_TYPE("), len(ROWS))

    def test_c_interface(self):
        numbers = dict(re.findall(r"\bSXT_DTYPE_(\w+) = ([1-9]\d*)\b", text("loader/include/sextant/sextant.h")))
        self.assertEqual(numbers, {name.upper(): number for name, number, *_ in ROWS})

    def test_cpp_interface(self):
        named = set(re.findall(r"\bSXT_DTYPE_(\w+)", text("loader/include/sextant/sextant.hpp")))
        self.assertEqual(named, {name.upper() for name, *_ in ROWS})

    def test_types_of_headers(self):
        """Written headers name the types that the wrapper has for reals."""
        elements = re.findall(r"struct Element<(\w+)> : ScalarElement<SXT_DTYPE_(\w+)>",
                              text("loader/include/sextant/sextant.hpp"))
        self.assertEqual({number: name for name, number in elements},
                         {name.upper(): cpp.removeprefix("sextant::")
                          for name, _, _, _, kind, _, _, cpp, _ in ROWS if kind == "Real"})

    def test_library(self):
        tiles = "frontend/library/algorithms/tiles.py"
        self.assertEqual(types_in(tiles, r"\n_SCALARS = (\(.*?\))"), ALL)
        self.assertEqual(types_in(tiles, r"\n_REALS = (\(.*?\))"), REALS)

    def test_conformance(self):
        """The suite has kernels of each type."""
        sys.path.insert(0, str(ROOT / "tests/conformance"))
        import surface
        self.assertEqual(set(surface.ALL), ALL)


if __name__ == "__main__":
    unittest.main()
