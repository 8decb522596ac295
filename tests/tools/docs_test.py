"""Pages point to what exists: the files and headings of their links, and the places of the tree
that they name in backticks (`frontend/sema/eval`, `driver/cache/CacheFolder`, `tests/*/code`).

    docs_test.py PROJECT

A page for users opens with what its reader will be able to do, in a paragraph that says "you". Code on its first screen
fits the site's column. The changelog has a line an entry.

Pages with a date, decisions and the changelog tell of the tree as it was: only their links are read.
"""

import glob
import itertools
import pathlib
import re
import sys

FOLDERS = ("backends", "cmake", "docs", "driver", "frontend", "loader", "packager", "tests")
HISTORY = re.compile(r"CHANGELOG\.md|docs/decisions/.*|docs/results/\d{4}-.*")
FENCE = re.compile(r"^\s*```.*?^\s*```", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
PLACE = re.compile(r"`((?:%s)/[^`\s:]*)`" % "|".join(FOLDERS))
HEADING = re.compile(r"^#+ +(.*?)\s*$", re.M)
FOR_USERS = re.compile(r"docs/((howto/|language/)?[^/]+|(examples|messages|results)/README)\.md")
SCREEN, COLUMN = 30, 88  # lines, characters
ENTRY = 110


def pages(root):
    yield from root.glob("*.md")
    for folder in FOLDERS:
        yield from (root / folder).rglob("*.md")


def anchors(text):
    """The names that headings get on the web."""
    seen = {}
    for heading in HEADING.findall(FENCE.sub("", text)):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen[name] = seen.get(name, -1) + 1
        yield f"{name}-{count}" if count else name


def alternatives(place):
    """`a/{b,c}/d` is `a/b/d` and `a/c/d`."""
    parts = re.split(r"\{([^}]*)\}", place)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ("".join(choice) for choice in itertools.product(*choices))


def faults(root, page):
    text = FENCE.sub("", page.read_text())
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists():
            yield f"no file {link}"
        elif anchor and anchor not in anchors(target.read_text()):
            yield f"no heading {link}"
    name = page.relative_to(root).as_posix()
    if FOR_USERS.fullmatch(name):
        yield from first_screen_faults(page.read_text())
    if name == "CHANGELOG.md":
        yield from changelog_faults(page.read_text())
    if HISTORY.fullmatch(name):
        return
    for place in PLACE.findall(text):
        for one in alternatives(place):
            # A class stands for its files, <device> for any name.
            pattern = re.sub("<[^>]*>", "*", one)
            if not (glob.glob(str(root / pattern)) or glob.glob(f"{root / pattern}.*")):
                yield f"nothing at {one}"


def first_screen_faults(text):
    if not re.match(r"# .*\n\n((?!\n\n)(.|\n))*\b[Yy]ou(r|rs)?\b", text):
        yield "its first paragraph does not tell what you will be able to do"
    fenced = False
    for line in text.split("\n")[:SCREEN]:
        fenced ^= line.startswith("```")
        if len(line) > COLUMN and (fenced or line.startswith("    ")):
            yield f"more than {COLUMN} characters of code: {line}"


def changelog_faults(text):
    for line in text.split("\n"):
        if len(line) > ENTRY:
            yield f"more than {ENTRY} characters: {line}"
        elif line.startswith(" "):
            yield f"an entry is one line: {line}"


def main():
    root = pathlib.Path(sys.argv[1])
    all_pages = sorted(pages(root))
    found = [f"{page.relative_to(root)}: {fault}" for page in all_pages for fault in faults(root, page)]
    print(*found, f"{len(all_pages)} pages, {len(found)} faults", sep="\n")
    return 1 if found or not all_pages else 0


if __name__ == "__main__":
    sys.exit(main())
