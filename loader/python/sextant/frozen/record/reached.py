"""Names that functions of Python read while a kernel is compiled: the `__init__` of objects that kernels make,
their properties, and functions without a mark. Quadrants does not see their names, so their text tells them.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
import types
from typing import Any, Iterator

from ..values import NoText, is_library, member_function, text_of
from .texts import parsed


def chains_of(function: types.FunctionType) -> Iterator[tuple[str, ...]]:
    """The names that a function reads, each with the members that it reads of them: `self.lens.bend`. What `super()`
    has begins with that."""
    tree, _, _ = parsed(function)
    for statement in tree.body:
        yield from chains_in(statement)


def chains_in(node: ast.AST) -> Iterator[tuple[str, ...]]:
    members, inner = [], node
    while isinstance(inner, ast.Attribute):
        members.append(inner.attr)
        inner = inner.value
    if is_super(inner):
        yield "super()", *reversed(members)
    elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
        yield inner.id, *reversed(members)
    else:
        for child in ast.iter_child_nodes(inner):
            yield from chains_in(child)


def is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def is_local(function: types.FunctionType, name: str) -> bool:
    return name in function.__code__.co_varnames or name in function.__code__.co_cellvars


def is_of_program(value: Any) -> bool:
    """True if a function or a class is the program's, and not one of Python, of numpy or of quadrants."""
    package = (getattr(value, "__module__", None) or "").partition(".")[0]
    return not is_library(value) and package not in sys.stdlib_module_names | {"numpy", "torch"}


def member_of_class(classes: tuple[type, ...], name: str) -> Any:
    """Returns the member of the first of these classes that has the name; None if there is none."""
    return next((vars(kind)[name] for kind in classes if name in vars(kind)), None)


def classes_after(kind: type, function: types.FunctionType) -> tuple[type, ...]:
    """The classes in which `super()` looks in a method of an object of `kind`."""
    order = kind.__mro__
    for number, owner in enumerate(order):
        if member_function(vars(owner).get(function.__name__)) is function:
            return order[number + 1:]
    return ()


def has_made_init(kind: type) -> bool:
    """True if `dataclasses` made the `__init__` of a class, so that it has no text."""
    init = member_of_class(kind.__mro__, "__init__")
    try:
        inspect.getsource(init)
    except (OSError, TypeError):
        return dataclasses.is_dataclass(kind) and isinstance(init, types.FunctionType)
    return False


def made_init(kind: type) -> str:
    """The text that the `__init__` has which `dataclasses` made for a class. Raises NoText."""
    fields = dataclasses.fields(kind)
    parameters = ["self", *(parameter_text(field) for field in fields if field.init)]
    body = [f"self.{field.name} = {field.name if field.init else default_text(field)}" for field in fields]
    if hasattr(kind, "__post_init__"):
        body.append("self.__post_init__()")
    return "\n    ".join([f"def __init__({', '.join(parameters)}):", *(body or ["pass"])]) + "\n"


def parameter_text(field: dataclasses.Field) -> str:
    return field.name if field.default is dataclasses.MISSING else f"{field.name}={default_text(field)}"


def default_text(field: dataclasses.Field) -> str:
    if field.default is dataclasses.MISSING:
        raise NoText(f"the default of `{field.name}` is made by a function")
    return text_of(field.default)
