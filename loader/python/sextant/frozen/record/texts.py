"""The text of functions as a kernel file has it: their own lines, under the decorators that kernels know."""

from __future__ import annotations

import ast
import functools
import itertools
import re
import textwrap
import types
from typing import Any, Callable, Iterator

import quadrants as qd
from quadrants.lang._quadrants_callable import QuadrantsCallable

from ..values import NoText, annotation_text, constant_text, is_container, is_library, source_of


def parsed(function: types.FunctionType) -> tuple[ast.FunctionDef, list[str], int]:
    """The tree of a function, its lines without indentation, and the number of its first line in the file."""
    lines, first, _ = source_of(function)
    if function.__name__ == "<lambda>":
        raise NoText("kernel files have no `lambda`; write it as a function with a name")
    lines = textwrap.dedent("".join(lines)).splitlines()
    return ast.parse("\n".join(lines)).body[0], lines, first


def decorators(function: types.FunctionType, owner: type | None, is_kernel: bool, kernel: Any = None) -> list[str]:
    found = []
    if owner is not None:
        made = vars(owner).get(function.__name__)
        if isinstance(made, (staticmethod, classmethod)):
            found.append(f"@{type(made).__name__}")
        if isinstance(made, (property, functools.cached_property)):
            return ["@property"]
        if function.__name__ == "__init__":
            return []
    if is_kernel:
        options = [f"{name}=True" for name, on in
                   (("graph", kernel.use_graph), ("checkpoints", kernel.use_checkpoints)) if on]
        found.append(f"@qd.kernel({', '.join(options)})" if options else "@qd.kernel")
    else:
        found.append("@qd.func")
    return found


def function_text(function: types.FunctionType, marks: list[str], statics: dict,
                  is_bare: bool = False) -> tuple[str, int]:
    """The text under these decorators, and the line of its `def` in its file; `is_bare`: without annotations.

    What only Python can work out is replaced by its value. The functions of quadrants itself name types by modules of
    their own, and ask in `qd.static` for what only they know. So theirs get plain annotations, and the values that
    `statics` has.
    """
    tree, lines, first = parsed(function)
    if is_library(function):
        lines = replaced(lines, [*plain_annotations(function, tree), *plain_statics(tree, statics),
                                 *plain_modules(function, tree)])
    else:
        lines = replaced(lines, [*plain_python(tree, statics), *(no_annotations(tree, lines) if is_bare else [])])
    begin = tree.lineno - 1
    return "\n".join(marks + [line.rstrip() for line in lines[begin:]]) + "\n", first + begin


def method_text(function: types.FunctionType, statics: dict, is_bare: bool) -> tuple[str, int, str]:
    """The text of a method as a function without its first parameter, its line, and that parameter's name; of a
    static method, "" for the name."""
    text, line = function_text(function, ["@qd.func"], statics, is_bare)
    tree, _, _ = parsed(function)
    if any(ast.unparse(mark) == "staticmethod" for mark in tree.decorator_list) or not tree.args.args:
        return text, line, ""
    first = tree.args.args[0].arg
    head = rf"(def {function.__name__}\(\s*){first}\b\s*(?::[^,)]*)?,?\s*"
    return re.sub(head, r"\1", text, count=1), line, first


def no_annotations(tree: ast.FunctionDef, lines: list[str]) -> Iterator[tuple[Any, str]]:
    """Takes the annotations away from a function that Python runs: to Python they mean nothing."""
    arguments = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs, tree.args.vararg, tree.args.kwarg]
    for argument in arguments:
        if argument is not None and argument.annotation is not None:
            yield place(argument.lineno, argument.col_offset, argument.annotation), argument.arg
    if tree.returns is not None:
        before = lines[tree.returns.lineno - 1].encode()[:tree.returns.col_offset]
        if (arrow := before.rfind(b"->")) >= 0:
            yield place(tree.returns.lineno, len(before[:arrow].rstrip()), tree.returns), ""


def place(line: int, column: int, end: ast.expr) -> Any:
    """Returns the place from a column of a line to the end of an expression, as `replaced` takes it."""
    return types.SimpleNamespace(lineno=line, col_offset=column, end_lineno=end.end_lineno,
                                 end_col_offset=end.end_col_offset)


def plain_annotations(function: types.FunctionType, tree: ast.FunctionDef) -> Iterator[tuple[ast.expr, str]]:
    scope = scope_of(function)
    for argument in tree.args.args:
        if argument.annotation is not None:
            yield argument.annotation, annotation_text(eval(ast.unparse(argument.annotation), scope))


def plain_modules(function: types.FunctionType, tree: ast.FunctionDef) -> Iterator[tuple[ast.expr, str]]:
    """`ops.cast` is `qd.cast` to users."""
    scope = scope_of(function)
    for node in ast.walk(ast.Module(tree.body, [])):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and hasattr(qd, node.attr):
            if isinstance(module := scope.get(node.value.id), types.ModuleType) and is_library(module) and (
                    getattr(module, node.attr, None) is getattr(qd, node.attr)):
                yield node, f"qd.{node.attr}"


def free_text(function: types.FunctionType, name: str, statics: dict, instance: Any,
              method: Callable[[str], str]) -> str:
    """The text of a method without its object, `instance`, whose members it has as constants. Raises NoText.

    method: gives the name of the function that another method of the object is without it.
    """
    tree, lines, _ = parsed(function)
    first, *others = tree.args.args
    if first.lineno != tree.lineno:
        raise NoText(f"the method `{function.__qualname__}` of another object has its parameters on several lines")
    texts = list(plain_python(tree, statics))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if isinstance(node.func.value, ast.Name) and node.func.value.id == first.arg:
                texts.append((node.func, method(node.func.attr)))
    texts += constants_of(tree, first.arg, instance, [node for node, _ in texts])
    lines = replaced(lines, texts)
    head = lines[tree.lineno - 1].encode()
    end = others[0].col_offset if others and others[0].lineno == first.lineno else first.end_col_offset
    head = head[:first.col_offset] + head[end:]
    lines[tree.lineno - 1] = head.decode().replace(f"def {function.__name__}(", f"def {name}(", 1)
    if re.search(rf"\b{first.arg}\b", "\n".join(lines[tree.lineno - 1:])):
        raise NoText(f"the method `{function.__qualname__}` of another object needs the object itself")
    return "\n".join(["@qd.func", *(line.rstrip() for line in lines[tree.lineno - 1:])]) + "\n"


def constants_of(tree: ast.AST, name: str, instance: Any, known: list[Any]) -> Iterator[tuple[ast.expr, str]]:
    """The members of an object that a method reads as `NAME.a.b`, the longest chains that are constants. `known`: what
    has a text already."""
    for node in ast.iter_child_nodes(tree):
        if node in known:
            continue
        chain = ast.unparse(node).split(".") if isinstance(node, ast.Attribute) else [""]
        value = member_at(instance, chain[1:]) if chain[0] == name else instance
        if value is instance or callable(value) or is_container(value):
            yield from constants_of(node, name, instance, known)
        else:
            yield node, constant_text(value)


def member_at(value: Any, names: list[str]) -> Any:
    """A member of a member; of one that is not there, the value itself."""
    for name in names:
        value = getattr(value, name, value)
    return value


def place_of(node: ast.expr) -> tuple[int, ...]:
    """Where an expression begins and ends. Those that begin at one place, as in `f(x)[0].y`, end at several."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def plain_statics(tree: ast.FunctionDef, statics: dict) -> Iterator[tuple[ast.expr, str]]:
    for node in ast.walk(tree):
        value = statics.get(place_of(node), ...) if isinstance(node, ast.Call) else ...
        if value is not ...:
            try:
                yield node.args[0], constant_text(value)
            except NoText:
                pass


def plain_python(tree: ast.AST, statics: dict) -> Iterator[tuple[ast.expr, str]]:
    """The values of what Python worked out while the kernel was compiled, such as `float(np.nextafter(…))`, or
    `weights.shape[0]` of an array of numpy. Where an item of such an array had several, its indices stand in brackets
    of their own, since the array is a tuple of rows to kernels."""
    for node in ast.iter_child_nodes(tree):
        value = statics.get(place_of(node)) if isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)) else None
        is_static = isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "static"
        if value is not None and value is not ... and not is_static:
            yield node, constant_text(value)
            continue
        if value is ... and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            for left, right in itertools.pairwise(node.slice.elts):
                yield between(left, right), "]["
        yield from plain_python(node, statics)


def between(left: ast.expr, right: ast.expr) -> Any:
    """The place from the end of an expression to the beginning of the next."""
    return types.SimpleNamespace(lineno=left.end_lineno, col_offset=left.end_col_offset,
                                 end_lineno=right.lineno, end_col_offset=right.col_offset)


def replaced(lines: list[str], texts: list[tuple[ast.expr, str]]) -> list[str]:
    """The lines with other texts for some expressions, none of which lies in another."""
    lines = list(lines)
    for node, text in sorted(texts, key=lambda item: (-item[0].lineno, -item[0].col_offset)):
        first, last = lines[node.lineno - 1].encode(), lines[node.end_lineno - 1].encode()
        lines[node.lineno - 1:node.end_lineno] = [(first[:node.col_offset] + text.encode() +
                                                   last[node.end_col_offset:]).decode()]
    return lines


def annotation_names(function: types.FunctionType) -> list[ast.expr]:
    """The annotations of a function's parameters and result, as trees."""
    if is_library(function):
        return []
    tree, _, _ = parsed(function)
    arguments = tree.args.posonlyargs + tree.args.args + tree.args.kwonlyargs
    found = [a.annotation for a in arguments if a.annotation is not None] + ([tree.returns] if tree.returns else [])
    return [ast.parse(n.value, mode="eval").body if isinstance(n, ast.Constant) and isinstance(n.value, str) else n
            for n in found]


def scope_of(function: types.FunctionType) -> dict[str, Any]:
    """Returns the meaning of a function's names: the module's, and above them those of the functions around it."""
    scope = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            scope[name] = cell.cell_contents
        except ValueError:
            pass
    return scope


def is_marked(value: Any) -> bool:
    return isinstance(value, QuadrantsCallable)


def names_in(text: str) -> set[str]:
    """The names that a function's text has."""
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
