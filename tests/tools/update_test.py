"""`./dev update` rewrites what is wrong, and nothing else: update_test.py BUILD PROJECT DUMP SAMPLE."""

import pathlib
import shutil
import sys
import tempfile
import unittest

import update

build, project, dump, sample = (pathlib.Path(one).resolve() for one in sys.argv[1:5])


class Errors(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.file = pathlib.Path(scratch.name) / "kernels.py"

    def updated(self, text):
        self.file.write_text(text)
        self.assertEqual(update.update_errors(dump, self.file), [])
        return self.file.read_text()

    def test_broken_expectations_are_mended(self):
        right = (project / "tests/sema/errors/loops.py").read_text()
        lines = right.split("\n")
        begin, end = (k for k, line in enumerate(lines) if "`axes` has to name" in line or "4096" in line)
        wrong, missing = list(lines), list(lines)
        wrong[begin] = wrong[begin].partition("# error: ")[0] + "# error: nothing of the kind"
        missing[end] = missing[end].partition("  # error: ")[0]
        self.assertEqual(self.updated("\n".join(wrong)), right)
        self.assertEqual(self.updated("\n".join(missing)), right)

    def test_an_error_that_is_no_more(self):
        text = "import quadrants as qd\n\n\n@qd.kernel\ndef k(n: qd.i32):\n    a = n{}\n    b = c  # error: c\n"
        self.assertEqual(self.updated(text.format("  # error: no n")), text.format(""))

    def test_right_ones_stay(self):
        for name in "loops", "dispatch", "problems_values":  # parts of messages, and whole ones with fixes
            right = (project / f"tests/sema/errors/{name}.py").read_text()
            self.assertEqual(self.updated(right), right)

    def test_a_line_names_one_error(self):
        text, left = update.updated_errors("x\ny  # error: old", [(1, "one"), (1, "two"), (2, "new")])
        self.assertEqual(text, "x  # error: one\ny  # error: new")
        self.assertEqual(left, [(1, "two")])

    def test_exact_files_have_whole_messages(self):
        text = "# exact\nx  # error: part"
        self.assertEqual(update.updated_errors(text, [(2, "part of it | fix")])[0], "# exact\nx  # error: part of it | fix")


class Texts(unittest.TestCase):
    def test_texts_of_each_form(self):
        source = project / "tests/tools/UpdateSample.cpp"
        with tempfile.TemporaryDirectory() as scratch:
            copy = pathlib.Path(shutil.copy(source, scratch))
            left, written = update.update_texts(sample, lambda name: copy if pathlib.Path(name).name == copy.name else None)
            self.assertEqual(written, {copy})
            got = copy.read_text()
        want = source.read_text()
        for old, new in (('R"(wrong\n)"', 'R"(first\n  "two"\n)"'),
                         ('"wrong\\n"\n                            "  twice"', r'"second (\n  \"two\"\n"'),
                         ('"wrong")', r'"third\n  \"two\"\n")')):
            self.assertEqual(want.count(old), 1)
            want = want.replace(old, new)
        self.assertEqual(got, want)
        lines = [number for number, line in enumerate(source.read_text().split("\n"), 1)
                 if "head.size()" in line or "dump(name)" in line]
        self.assertEqual(sorted(int(one.split(":")[1]) for one in left), lines)

    def test_an_unknown_place(self):
        with self.assertRaises(SystemExit) as ended:
            update.update(build, project, "tests/none")
        self.assertIn("there is no tests/none", str(ended.exception))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
