"""The Python package as one stub, for the site's reference: stub.py SOURCES OUT

SOURCES is loader/python/sextant. Types come from its stub of the extension, texts from the extension itself, which has
to be importable. What the package adds in Python follows. Names that Python gives a meaning, such as __enter__, are left
out where they have no text.
"""

import ast
import inspect
import pathlib
import re
import sys

import sextant

SPEAK_FOR_THEMSELVES = {"__init__", "__call__", "__getitem__"}


def text_of(thing):
    """The docstring without the signature that nanobind puts above it."""
    text = inspect.getdoc(thing) or ""
    return re.sub(r"\A\w+\(.*\) -> [^\n]*\n*", "", text)


def documented(node, thing):
    """The node of a class or function with the docstring of what it stands for."""
    if isinstance(node, ast.ClassDef):
        node.body = [documented(member, vars(thing).get(member.name)) for member in node.body]
        node.body = list({member.name: member for member in node.body if not is_bare(member)}.values())
    text = text_of(thing) if thing is not None else ""
    if text and text != "Call self as a function.":
        node.body.insert(0, ast.Expr(ast.Constant(text)))
    return node


def is_bare(member):
    return member.name.startswith("__") and member.name not in SPEAK_FOR_THEMSELVES and not ast.get_docstring(member)


def main(sources, out):
    sources = pathlib.Path(sources)
    extension = ast.parse((sources / "_core.pyi").read_text())
    extension.body = [documented(node, getattr(sextant, node.name)) if hasattr(node, "name") else node
                      for node in extension.body]
    errors = re.sub(r"^__all__ = \[.*?\]\n", "", (sources / "_errors.py").read_text(), flags=re.M | re.S)
    package = (sources / "__init__.py").read_text()
    out = pathlib.Path(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(f"{ast.unparse(extension)}\n{errors}\n{package[package.index('def open('):]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
