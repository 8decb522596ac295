"""Rewrites what tests expect to what they got, for review in the diff: update.py BUILD PROJECT [FOLDER | FILE…].

`# error: ` in tests/sema/errors/*.py, and texts in tests of C++: `CHECK(… == "text")`, also of several literals or a raw
one. A failed check whose right side is another thing is named, and stays. Without arguments: tests/syntax, hir and sema.
"""

import ast
import collections
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

FOLDERS = ["tests/syntax", "tests/hir", "tests/sema"]
ERRORS = "tests/sema/errors"
MARK = "# error: "


# The errors of kernel files.

def updated_errors(text, errors):
    """The file's text with these errors (line, text), and the errors that it cannot have: a line has one at most."""
    lines = text.split("\n")
    exact = "# exact" in lines
    got, left = {}, []
    for number, message in errors:
        if number in got:
            left.append((number, message))
        else:
            got[number] = message
    for number, line in enumerate(lines, 1):
        code, mark, wanted = line.partition(MARK)
        message = got.get(number)
        if message is None:
            lines[number - 1] = code.rstrip() if mark else line
        elif not mark or not (message == wanted if exact else wanted in message):
            lines[number - 1] = (code if mark else line + "  ") + MARK + message
    return "\n".join(lines), left


def update_errors(dump, file):
    """Rewrites a kernel file; returns what it cannot write."""
    answer = subprocess.run([dump, "--errors", file], capture_output=True, text=True, check=True).stdout
    errors = [(int(number), message) for number, message in (line.split("\t", 1) for line in answer.splitlines())]
    text, left = updated_errors(file.read_text(), errors)
    file.write_text(text)
    return [f"{file}:{number}: a second error of the line: {message}" for number, message in left]


# The texts of C++ tests.

TOKEN = re.compile(r'R"(\w*)\((?s:.*?)\)\1"|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//[^\n]*|/\*(?s:.*?)\*/|==|[()]|[\w.:]+|\S')
LITERALS = re.compile(r'\s*((?:(?:R"(\w*)\((?s:.*?)\)\2"|"(?:\\.|[^"\\])*")\s*)+)')


def value_of(literals):
    """The text that adjacent literals of C++ are."""
    parts = []
    for raw in re.finditer(r'R"(\w*)\(((?s:.*?))\)\1"|("(?:\\.|[^"\\])*")', literals):
        parts.append(raw[2] if raw[3] is None else ast.literal_eval(raw[3]))
    return "".join(parts)


def literal_of(text, line):
    """Where the literals on the right side of the check that ends at a line, or begins there, begin and end; None if it
    has another right side."""
    end = sum(len(one) + 1 for one in text.split("\n")[:line])
    checks = list(re.finditer(r"\b(?:CHECK|REQUIRE)\(", text[:end]))
    if not checks:
        return None
    check = checks[-1]
    depth, equals = 1, None
    for token in TOKEN.finditer(text, check.end()):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            break
        if token[0] == "==" and depth == 1:
            equals = token.end()
    found = equals and LITERALS.match(text, equals)
    if not found or found.end() != token.start():
        return None
    return found.start(1), found.start(1) + len(found[1].rstrip())


def literal(value, old):
    """A literal of the old one's form."""
    if old.startswith('R"'):
        return f'R"({value})"'
    return json.dumps(value, ensure_ascii=False)


def got_of(expanded, wanted):
    """The left side of a failed comparison as Catch shows it."""
    found = re.fullmatch(r'"((?s:.*))"\s+==\s+"' + re.escape(wanted) + '"', expanded.strip())
    return found and found[1]


def update_texts(program, place):
    """Runs tests and rewrites the files that `place` gives for theirs; returns what it cannot write, and the files."""
    # Catch ends with the number of failures.
    report = subprocess.run([program, "-r", "xml"], capture_output=True, text=True, check=False).stdout
    failed = collections.defaultdict(set)
    for one in ElementTree.fromstring(report).iter("Expression"):
        if one.get("success") == "false":
            failed[place(one.get("filename")), int(one.get("line"))].add(one.findtext("Expanded"))
    left, written = [], set()
    # From the end on, so that lines keep their numbers.
    for (file, line), shown in sorted(failed.items(), reverse=True):
        if file is None:
            continue
        text = file.read_text()
        span = literal_of(text, line)
        old = span and text[span[0]:span[1]]
        got = {span and got_of(one, value_of(old)) for one in shown}
        if len(got) != 1 or None in got:
            left.append(f"{file}:{line}: not a text on the right side, or several results")
        else:
            file.write_text(text[:span[0]] + literal(got.pop(), old) + text[span[1]:])
            written.add(file)
    return left, written


def programs_of(build, folder):
    """The test programs of a folder, by CTest's list."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, check=True).stdout
    begin = str(build / folder) + "/"
    commands = (test["command"][0] for test in json.loads(listed)["tests"] if test.get("command"))
    return sorted({command for command in commands if command.startswith(begin) and command.endswith("-tests")})


def update(build, project, what):
    """Rewrites the expectations in a folder, or in a file; returns what cannot be written."""
    path = (project / what).resolve()
    if not path.exists():
        sys.exit(f"update: there is no {what}")
    folder = (path if path.is_dir() else path.parent).relative_to(project)
    left = []
    errors = [file for file in sorted((project / ERRORS).glob("*.py")) if path == file or path in file.parents]
    programs = programs_of(build, folder) if path.suffix != ".py" and str(folder) != ERRORS else []
    targets = [pathlib.Path(program).name for program in programs] + ["sextant-sema-dump"] * bool(errors)
    if not targets:
        sys.exit(f"update: {what} has no expectation that can be rewritten")
    subprocess.run(["ninja", "-C", build, *targets], check=True, stdout=subprocess.DEVNULL)
    for file in errors:
        left += update_errors(build / "tests/sema/sextant-sema-dump", file)

    def place(name):
        file = pathlib.Path(name).resolve()
        return file if path == file or path in file.parents else None

    for program in programs:
        more, written = update_texts(program, place)
        left += more
        if written:
            subprocess.run(["clang-format-19", "-i", *written], check=True)
    return left


def main():
    build, project = (pathlib.Path(one).resolve() for one in sys.argv[1:3])
    left = []
    for what in sys.argv[3:] or FOLDERS:
        left += update(build, project, what)
    print("\n".join(left + ["review the difference: git diff tests"]))
    return len(left) > 0


if __name__ == "__main__":
    sys.exit(main())
