"""Gathers the pages of the site in a folder, for Sphinx: what `./dev docs` does before it builds.

    prepare.py PROJECT OUT SEXTANT PICTURES

The pages are docs/, of which site/index.md is the front page, README.md, and what they link to: other pages, and
sources, which become pages that show them. A link to what is not a page, such as a folder, becomes its text. Each message
of the compiler gets a page of its own, with what SEXTANT says: docs/messages has a file for each kind, with a heading
for each message.
PICTURES is a folder with NAME.png of the example NAME, as the example drew it, and waves.png of the tutorial.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/tools"))
import messages_test  # which compiles the same kernels

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^\s*```.*?^\s*```[^\n]*$)", re.M | re.S)
PICTURES = (".png", ".svg")
LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".hpp": "cpp", ".toml": "toml", ".txt": "cmake"}
# The navigation: by heading, labels and pages. What is not here is found by links and by search.
CHAPTERS = {
    "Start": {"Overview": "readme", "Tutorial": "tutorial", "Examples": "examples/README"},
    "Guides": {
        "All guides": "howto/README", "Ship a program": "shipping", "Sign modules": "howto/sign", "Use torch": "howto/torch",
        "Profile kernels": "howto/profile", "Debug kernels": "debugging", "Choose variants": "howto/variants",
        "Tune constants": "tuning", "Freeze programs": "freeze", "Set up editors": "editors", "Make wheels": "python-wheels",
        "Make packages": "packages", "Build on farms": "farm"},
    "The language": {
        "First kernel": "language", "Files and arguments": "language/kernels", "Fields": "language/fields",
        "Structs and classes": "language/structs", "Types and values": "language/types",
        "Statements": "language/statements", "Tasks and launches": "language/tasks", "Device loops": "language/graphs",
        "Atomics and waits": "language/atomics", "Blocks and tiles": "language/simt", "Checks": "language/checks",
        "Code for targets": "language/targets", "Gradients": "autodiff", "Functions": "functions",
        "Algorithms": "algorithms", "Messages": "messages/README"},
    "Tools": {
        "Command": "command", "Manifests": "manifest", "Environment": "environment", "Loader manual": "loader-api",
        "C API": "reference/c", "C++ API": "reference/cpp", "Python manual": "python",
        "Python API": "reference/python/sextant/index"},
    "Facts": {
        "Support matrix": "support-matrix", "Math accuracy": "math-accuracy", "Operation costs": "instruction-promises",
        "Vulkan images": "vulkan-abi", "Module format": "module-format", "Results": "results/README"},
    "Explanation": {
        "Architecture": "architecture", "New operations": "adding-an-op", "Decisions": "decisions/index",
        "Releases": "release"},
}


class Site:
    def __init__(self, root, out):
        self.root, self.out = root, out
        self.places = {}  # file of the project: page of the site
        self.waiting = []

    def place(self, path):
        """The page of a file of the project, or None. The page is made later."""
        if path.is_dir():
            path = path / "README.md"
        if not path.is_file() or self.root not in path.parents:
            return None
        if path not in self.places:
            inside = path.relative_to(self.root)
            name = inside.relative_to("docs") if inside.parts[0] == "docs" else "tree" / inside
            if path == self.root / "README.md":
                name = pathlib.Path("readme.md")
            elif path == self.root / "docs/site/index.md":
                name = pathlib.Path("index.md")
            elif path.suffix in PICTURES:
                pass
            elif path.suffix != ".md":
                name = pathlib.Path(f"{name}.md")
            self.places[path] = name
            self.waiting.append(path)
        return self.places[path]

    def text(self, path):
        """A page's text, with links that lead to pages of the site."""
        here = self.places[path].parent

        def link(match):
            mark, label, target = match.groups()
            if re.match(r"[a-z]+:|#", target):
                return match[0]
            file, _, anchor = target.partition("#")
            page = self.place((path.parent / file).resolve())
            if page is None:
                return label
            if anchor and page.parent.name == "messages" and page.stem != "README":  # pages_of_messages
                page, anchor = page.with_name(f"{anchor}.md"), ""
            return f"{mark}[{label}]({os.path.relpath(page, here)}{'#' + anchor if anchor else ''})"

        # A file of the tutorial has its name above it.
        text = re.sub(r"^```(\w+) (\S+)$", r"```{code-block} \1\n:caption: \2\n", path.read_text(), flags=re.M)
        parts = FENCE.split(text)
        return "".join(part if i % 2 else LINK.sub(link, part) for i, part in enumerate(parts))

    def write(self, name, text):
        target = self.out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def make(self, path):
        if path.suffix == ".md":
            self.write(self.places[path], self.text(path))
        elif path.suffix in PICTURES:
            (self.out / self.places[path]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, self.out / self.places[path])
        else:
            language = LANGUAGES.get(path.suffix, "none")
            self.write(self.places[path], f"# {path.name}\n\n`{path.relative_to(self.root)}`\n\n"
                       f"````{language}\n{path.read_text()}````\n")


def printed(sextant, phase, section):
    """The compiler's output for the kernel that a section begins with. Commands have their output on the page."""
    block = re.search(r"^```python\n(.*?)^```", section, re.M | re.S)
    if not block or phase == "Command":
        return ""
    said = messages_test.compiling(sextant, block[1], phase == "Target").stderr.rstrip().splitlines()
    rest = ["…"] if len(said) > 16 else []
    return "\n\nIt is refused so:\n\n```none\n" + "\n".join(said[:16] + rest) + "\n```"


def pages_of_messages(site, sextant):
    """A page a message, made of the sections of docs/messages, and a list of them for each file. They are found by links
    and by search: with hundreds of pages in the navigation, every page would be large and slow to make."""
    phases = messages_test.names(site.root)
    for path in sorted((site.root / "docs/messages").glob("*.md")):
        if path.name == "README.md":
            continue
        head, *sections = re.split(r"^## ", site.text(path), flags=re.M)
        names = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda one: printed(sextant, phases.get(one.partition("\n")[0]), one), sections))
        for section, words in zip(sections, said):
            name, _, body = section.partition("\n")
            body = re.sub(r"^```(python|console)\n", r"Wrong:\n\n```\1\n", body, count=1, flags=re.M)
            first, mark, rest = body.partition("\n```\n")
            rest = re.sub(r"^```(python|console)\n", r"Cured:\n\n```\1\n", rest, count=1, flags=re.M)
            start = (f"[The files of the example]({path.name})" if "```console" in first else
                     "[The kernel around lines that have none](README.md#the-kernel-around-the-lines)")
            around = f"{start} · [more about {path.stem}]({path.name})"
            site.write(f"messages/{name}.md", f"# {name}\n{first}{mark.rstrip()}{words}\n{rest.rstrip()}\n\n{around}\n")
            names.append(name)
        site.write(site.places[path], head + "".join(f"- [{name}]({name}.md)\n" for name in names))


def toctree(caption, pages):
    entries = "\n".join(f"{label} <{page}>" for label, page in pages.items())
    return f"```{{toctree}}\n:caption: {caption}\n:hidden:\n\n{entries}\n```\n"


def without_label(site):
    """The pages for users that the navigation lacks."""
    shown = {page for pages in CHAPTERS.values() for page in pages.values()}
    for pattern in ("*.md", "howto/*.md", "language/*.md"):
        for path in sorted((site.root / "docs").glob(pattern)):
            page = path.relative_to(site.root / "docs").with_suffix("").as_posix()
            if page not in shown:
                yield page


def folder_index(site, folder, title):
    """A page that lists the pages of a folder."""
    names = sorted(path.stem for path in (site.root / "docs" / folder).glob("*.md") if path.stem != "README")
    site.write(f"{folder}/index.md", f"# {title}\n\n```{{toctree}}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n")


def gallery(site, pictures):
    """The pictures of the examples, above their list."""
    page = site.out / "examples/README.md"
    names = [path.stem for path in sorted(pictures.glob("*.png")) if (site.root / "docs/examples" / path.stem).is_dir()]
    shutil.copy(pictures / "waves.png", site.out / "tutorial.png")  # the tutorial's picture, in full size
    (site.out / "examples/pictures").mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copy(pictures / f"{name}.png", site.out / f"examples/pictures/{name}.png")
    shown = "\n".join(f"[![{name}](pictures/{name}.png)]({name}/{name}.cpp.md)\n" for name in names)
    title, _, rest = page.read_text().partition("\n\n")
    page.write_text(f"{title}\n\n:::{{container}} gallery\n{shown}:::\n\n{rest}")


def main(root, out, sextant, pictures):
    site = Site(pathlib.Path(root).resolve(), pathlib.Path(out))
    shutil.rmtree(site.out, ignore_errors=True)
    missing = list(without_label(site))
    if missing:
        sys.exit(f"prepare.py: no label in CHAPTERS for {', '.join(missing)}")
    site.place(site.root / "README.md")
    for path in sorted((site.root / "docs").rglob("*.md")):
        site.place(path)
    while site.waiting:
        site.make(site.waiting.pop())
    pages_of_messages(site, pathlib.Path(sextant).resolve())
    folder_index(site, "decisions", "Decisions")
    manual = "[The manual](../loader-api.md) says how its parts go together."
    site.write("reference/c.md", f"# C\n\nWhat `sextant/sextant.h` declares. {manual}\n\n"
               "```{doxygenfile} sextant.h\n:project: api\n```\n")
    site.write("reference/cpp.md", f"# C++\n\nWhat `sextant/sextant.hpp` declares, with SEXTANT_THROWS. {manual}\n\n"
               "```{doxygennamespace} sextant::throwing\n:project: api\n:content-only:\n:members:\n```\n")
    index = site.out / "index.md"
    index.write_text(index.read_text() + "\n" + "".join(toctree(*chapter) for chapter in CHAPTERS.items()))
    gallery(site, pathlib.Path(pictures))


if __name__ == "__main__":
    main(*sys.argv[1:])
