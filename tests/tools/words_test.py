"""Samples for words.py: texts that it has to find, at their lines, and right English that it has to leave.

    words_test.py
"""

import pathlib
import tempfile
import unittest

import words

BEGIN = "begin with the subject"


class Words(unittest.TestCase):
    def found(self, name, *lines):
        """The hits in a file of these lines, as pairs of line and rule."""
        return [(line, instead) for line, _, instead in sorted(words.hits(name, "\n".join(lines) + "\n"))]

    def rules(self, text):
        return [instead for _, instead in self.found("page.md", text)]

    def test_beginnings_of_comments(self):
        self.assertEqual(self.found("a.cpp", "// What a launch takes.", "int a; ///< of each task", "int b; // by number"),
                         [(1, BEGIN), (2, BEGIN), (3, BEGIN)])
        self.assertEqual(self.found("a.h", "/** Whether it runs. */", "int c; /**< of a row */"), [(1, BEGIN), (2, BEGIN)])
        self.assertEqual(self.found("a.py", '"""What it does."""', "x = 1  # of a block", "def f():", '    """By name."""'),
                         [(1, BEGIN), (2, BEGIN), (4, BEGIN)])
        self.assertEqual(self.found("CMakeLists.txt", "set(a b) # of the toolchain", "# What is left."),
                         [(1, BEGIN), (2, BEGIN)])
        self.assertEqual(self.found("a.c", "f(); // which waits", "// Whoever opens it sees all.", "", "// Which one runs."),
                         [(2, BEGIN), (4, BEGIN)])
        self.assertEqual(self.found("tool", "#!/bin/sh", "# By hand: one, two."), [(2, BEGIN)])

    def test_other_places_may_begin_so(self):
        self.assertEqual(self.found("a.cpp", "// Returns the sum", "// of both, and", "// what is left.",
                                    'say("what a module holds");'), [])
        self.assertEqual(self.found("a.cpp", "int a; // the place", "       // of an array"), [])
        self.assertEqual(self.found("a.py", "x = 1  # a place", "y = 'of it'", "# Offsets, and what they mean.", "z = 1  # where it begins"), [])
        self.assertEqual(self.found("a.md", "# What you need", "", "By default there is one."), [])
        self.assertEqual(self.found("a.cpp", "int bytes; // what is it?", 'auto url = "https://of.example/a b";'), [(1, BEGIN)])

    def test_begins_after_directives(self):
        self.assertEqual(self.found("a.mlir", "// RUN: %opt is no pass", "// What is left."), [(2, BEGIN)])
        self.assertEqual(self.found("a.py", "x = f()  # error: `f` is no function"), [])

    def test_is_no(self):
        for text in ("It is no file.", "They are no\nfiles.", "It was no file."):
            self.assertEqual(self.rules(text), ["is not a …"], text)
        for text in ("There is no file.", "If there\nare no files", "It is no longer there.", "It is no more than 4.",
                     "They are no\nlonger there.", "It has no name.", "It is not a file."):
            self.assertEqual(self.rules(text), [], text)

    def test_none(self):
        for text in ("The second is none.", "names that are none"):
            self.assertEqual(self.rules(text), ["is not one"], text)
        for text in ("Null if there is none.", "It is None.", "none is left", "there\nare none"):
            self.assertEqual(self.rules(text), [], text)

    def test_alone(self):
        self.assertEqual(self.rules("This loader alone. That kernel alone."), ["only, by itself"] * 2)
        for text in ("It leaves the memory alone.", "It stands alone.", "They are left alone, let alone changed."):
            self.assertEqual(self.rules(text), [], text)

    def test_behind(self):
        self.assertEqual(self.rules("the words behind the header"), ["after, past, under"])
        for text in ("No file stays behind.", "It leaves threads\nbehind.", "The device falls behind."):
            self.assertEqual(self.rules(text), [], text)

    def test_other_words(self):
        self.assertEqual(self.rules("places that data tells"), ["data-dependent"])
        self.assertEqual(self.rules("summon a lonely worker"), ["wake, advertise, unclaimed"] * 2)
        self.assertEqual(self.rules("A silent excellent client arouses it; numbers tell."), [])

    def test_messages(self):
        self.assertEqual(self.found("a.cpp", "// A comment.", 'fail("it is no number");'), [(2, "is not a …")])
        self.assertEqual(self.found("a.py", "raise Error(f'{name} is no number')"), [(1, "is not a …")])
        self.assertEqual(self.found("a.sh", 'echo "it is no number"'), [(1, "is not a …")])
        self.assertEqual(self.found("a.cpp", 'block("alone");', "int alone = 1;"), [])  # names

    def test_pages_have_code(self):
        self.assertEqual(self.found("a.md", "```", "is no number", "```", "[a](is-alone.md) and `is no x`", "is no x"),
                         [(5, "is not a …")])

    def test_numbers_and_quotes(self):
        self.assertEqual(self.found("a.cpp", "int a = 1'000; // of a \"row\"", "char b = '\"'; // of b"), [(1, BEGIN), (2, BEGIN)])
        self.assertEqual(self.found("a.cpp", 'auto a = R"(// what is no comment)";'), [(1, "is not a …")])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("loader/a.cpp", "loader/golden/b.cpp", "driver/c.cpp", "docs/d.md", "docs/decisions/e.md", "f.md"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("text")
            read = [name.as_posix() for name in words.files(root, ())]
            self.assertEqual(sorted(read), ["docs/d.md", "docs/decisions/e.md", "driver/c.cpp", "f.md", "loader/a.cpp"])
            self.assertEqual([name.as_posix() for name in words.files(root, ("driver",))], ["driver/c.cpp"])


if __name__ == "__main__":
    unittest.main()
