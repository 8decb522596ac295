"""Words that make a reader read twice, in comments, docstrings, messages and pages.

    words.py PROJECT [FOLDER…]

It prints each hit as FILE:LINE with what to write instead. It reads the folders given, or else the whole tree.
words_test.py has a sample of each rule, and of the English that looks like a hit and is right.
"""

import ast
import io
import pathlib
import re
import sys
import tokenize

FOLDERS = (".ci/run", "backends", "cmake", "dev", "docs", "driver", "frontend", "loader", "packager", "tests")

# Sources in forms of their own, data, and the output of other programs.
SKIPPED = re.compile(r"tests/simulators/(amdsim|mslsim)/|tests/tools/words|.*/(golden|corpus|results/\d{4}-)")

C_LIKE = {"c", "cl", "comp", "cpp", "cu", "def", "h", "hpp", "mlir", "td"}
HASH = {"awk", "cmake", "gdb", "in", "sh", "toml", "txt", "yaml", "yml"}

# A comment and a docstring begin with their subject. In lower case, `// which …` goes on from the code before it.
BEGINNING = re.compile(r"\s*(?:(?i:of|what|whether|by)|Who|Whoever|Which)\b")

# The words to write, those that a rule looks for, and those around them that are right English.
RULES = (
    ("is not a …", r"\b(?:is|are|was|were) no\b",
     r"there (?:is|are|was|were) no\b|no (?:longer|more|less|fewer|different|better|worse|faster|one)\b"),
    ("is not one", r"\b(?:is|are|was|were) (?-i:none)\b", r"there (?:is|are|was|were) none"),
    ("only, by itself", r"\balone\b", r"\b(?:lea(?:ve|ves|ving)|left|let|stand(?:s|ing)?)(?: \S+){0,4} alone"),
    ("after, past, under", r"\bbehind\b", r"\b(?:stays?|lea(?:ve|ves|ving)|left|falls?)(?: \S+){0,4} behind"),
    ("data-dependent", r"\bdata tells?\b", None),
    ("wake, advertise, unclaimed", r"\b(?:summon|rous(?:e|es|ing|ed)|lonely|lent)\b", None),
)

C_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""", re.S)
HASH_TOKEN = re.compile(r"""(?:^|(?<=\s))#(?!!)[^\n]*|"(?:\\.|[^"\\\n])*\"""", re.M)
# Lines for FileCheck and lit, and the errors that a line of a sample has.
DIRECTIVE = re.compile(r"^ *[A-Z][A-Z0-9_-]*:.*|\b(?:error|warning): .*", re.M)
# The parts of a page that are not prose: code, and where links lead to.
CODE = re.compile(r"^ *(```|~~~).*?^ *\1|`[^`\n]*`|\]\([^)\s]*\)", re.M | re.S)


def joined(parts):
    """A line that has nothing but a comment continues that of the line before, at the same column."""
    begin = last = None
    lines = []
    for line, column, text, is_own in parts:
        if not (lines and is_own and last == (line - 1, column)):
            if lines:
                yield begin, "comment", "\n".join(lines)
            begin, lines = line, []
        lines.append(text)
        last = line, column
    if lines:
        yield begin, "comment", "\n".join(lines)


def tokens(source, token):
    """Comments and strings by a regular expression: line, column, text, and if nothing stands before it."""
    start, line = 0, 1
    for match in token.finditer(source):
        line += source.count("\n", start, match.start())
        start = match.start()
        before = source[source.rfind("\n", 0, start) + 1:start]
        yield line, len(before), match.group(), not before.strip()


def c_like(source):
    comments = []
    for line, column, text, is_own in tokens(source, C_TOKEN):
        if text.startswith("//"):
            comments.append((line, column, re.sub(r"^//[/!]?<? ?", "", text), is_own))
        elif text.startswith("/*"):
            yield line, "comment", re.sub(r"(?m)^\s*\*(?!\w)", "", text[2:-2].lstrip("*!<"))
        elif text[0] != "'":
            yield line, "string", text
    yield from joined(comments)


def hashes(source):
    comments = []
    for line, column, text, is_own in tokens(source, HASH_TOKEN):
        if text.startswith("#"):
            comments.append((line, column, text.lstrip("# "), is_own))
        else:
            yield line, "string", text
    yield from joined(comments)


def python(source):
    try:
        tree, read = ast.parse(source), list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (SyntaxError, tokenize.TokenError):
        yield from hashes(source)  # a sample of what is wrong
        return
    docstrings = {node.value.lineno for node in ast.walk(tree)
                  if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    comments = []
    for token in read:
        line, column = token.start
        if token.type == tokenize.COMMENT:
            comments.append((line, column, token.string.lstrip("# "), not token.line[:column].strip()))
        elif token.type in (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", None)):
            yield line, "comment" if line in docstrings else "string", token.string.lstrip("rbfuRBFU").lstrip("\"'")
    yield from joined(comments)


def page(source):
    yield 1, "page", CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def texts(name, source):
    """The texts of a file that people read: line, kind, text."""
    ending = name.rsplit(".", 1)[-1]
    if ending == "md":
        return page(source)
    if ending == "py":
        return python(source)
    if ending in C_LIKE:
        return c_like(source)
    if ending in HASH or source.startswith("#!"):
        return hashes(source)
    return ()


def found(rule, text):
    """The matches of a rule, line breaks taken for blanks."""
    _, words, right = (part and part.replace(" ", r"\s+") for part in rule)
    allowed = [match.span() for match in re.finditer(right, text, re.I)] if right else []
    for match in re.finditer(words, text, re.I):
        if not any(begin < match.end() and match.start() < end for begin, end in allowed):
            yield match


def hits(name, source):
    """Each hit: line, words, what to write instead."""
    for line, kind, text in texts(name, source):
        if kind == "string" and " " not in text.strip():
            continue  # a name, and not a message
        if kind == "comment":
            text = DIRECTIVE.sub("", text)
            begin = BEGINNING.match(text)
            if begin and len(text.split()) > 1:
                yield line + begin.group().count("\n"), " ".join(text.split()[:6]), "begin with the subject"
        for rule in RULES:
            for match in found(rule, text):
                yield line + text.count("\n", 0, match.start()), " ".join(match.group().split()), rule[0]


def files(root, folders):
    """The files to read, as paths below the root."""
    listed = [path for path in root.glob("*.md") if not folders]
    for folder in folders or FOLDERS:
        place = root / folder
        listed += place.rglob("*") if place.is_dir() else [place]
    for path in sorted(listed):
        name = path.relative_to(root)
        if path.is_file() and not SKIPPED.match(name.as_posix()):
            yield name


def main(root, *folders):
    root, count = pathlib.Path(root), 0
    for name in files(root, folders):
        try:
            source = (root / name).read_text()
        except UnicodeDecodeError:
            continue
        for line, words, instead in sorted(hits(name.name, source)):
            count += 1
            print(f'{name}:{line}: "{words}": {instead}')
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
