"""The instances that a module was recorded with, and which of them fits a launch."""

from __future__ import annotations

import builtins
import json
import sys
import types
from typing import Any, Iterator

from quadrants.lang.kernel import Kernel
from quadrants.lang.struct import StructField, StructType

from . import SCHEMA
from .values import (NoText, constant_text, file_hash, function_of, is_interleaved, is_library, items_of,
                     known_text, member_function, member_of, source_hash, struct_type, text_of, unwrap)


class Missing(Exception):
    """The module has no kernel for a launch. The message says why."""


OTHER_VALUES = "the module has it for other values"


def read_table(text: bytes | str, where: str) -> dict[tuple[str, str, str], list[dict]]:
    """The instances by module and qualified name of their kernel, and what derivative they are."""
    data = json.loads(text)
    if data.get("schema") != SCHEMA:
        raise ValueError(f"{where} was frozen by another version of Sextant; freeze it again")
    table: dict[tuple[str, str, str], list[dict]] = {}
    for instance in data["instances"]:
        instance.setdefault("aliases", {})  # older modules have none
        key = instance["module"], instance["qualname"], instance.setdefault("derivative", "")
        table.setdefault(key, []).append(instance)
    return table


def leaf(kernel: Kernel, arguments: tuple, path: str) -> Any:
    """The value at `self.x.grad`: an argument, and then its attributes."""
    first, *rest = path.split(".")
    for meta, value in zip(kernel.arg_metas, arguments):
        if meta.name == first:
            for name in rest:
                value = member_of(unwrap(value), name)
            return unwrap(value)
    raise AttributeError(first)


def fitting(instances: list[dict], kernel: Kernel, arguments: tuple) -> list[dict]:
    """The instances whose values these arguments have. Raises Missing, with what differs from the nearest one."""
    found, nearest, fewest = [], "", 1 << 30
    for instance in instances:
        differences = []
        for part, read in ("values", text_at), ("checked", known_at):
            for path, text in instance[part].items():
                live = read(kernel, arguments, path)
                if live != text:
                    differences.append(f"{path} is {live}, not {text}")
        for path, first in instance["aliases"].items():
            if not is_same(kernel, arguments, path, first):
                differences.append(f"{path} is another object than {first}")
        if not differences:
            found.append(instance)
        elif len(differences) < fewest:
            nearest, fewest = "; ".join(differences[:3]), len(differences)
    if not found:
        raise Missing(f"{OTHER_VALUES}: {nearest}")
    return found


def text_at(kernel: Kernel, arguments: tuple, path: str) -> str:
    try:
        annotation = next((m.annotation for m in kernel.arg_metas if m.name == path), None)
        value = leaf(kernel, arguments, path)
        return constant_text(value) if "." in path else text_of(value, annotation)
    except (AttributeError, LookupError, NoText) as error:
        return f"missing ({error})"


def known_at(kernel: Kernel, arguments: tuple, path: str) -> str:
    try:
        return known_text(leaf(kernel, arguments, path))
    except (AttributeError, LookupError, NoText) as error:
        return f"missing ({error})"


def is_same(kernel: Kernel, arguments: tuple, path: str, other: str) -> bool:
    """True if two paths lead to one object."""
    try:
        return leaf(kernel, arguments, path) is leaf(kernel, arguments, other)
    except (AttributeError, LookupError):
        return False


def check_sources(instance: dict, kernel: Kernel) -> dict[str, Any]:
    """Tests that the functions of an instance are those that run now, and finds the fields that their names mean.

    Returns the fields by their names in the module, `file.py:name`. Raises Missing
    """
    fields: dict[str, Any] = {}
    for record in instance["functions"]:
        functions = list(live_functions(record, kernel))
        differences = [difference_of(function, record) for function in functions]
        if not functions:
            raise Missing(f"the program has no `{record['module']}.{record['qualname']}` any more")
        if None not in differences:
            raise Missing(differences[0])
        function = functions[differences.index(None)]
        if record["fields"] and differences.count(None) > 1:
            raise Missing(f"several functions are `{record['qualname']}`, and may have other fields")
        for place, name in record["fields"].items():
            fields |= dict(parts_of_field(place, unwrap(value_of_name(function, name))))
    return fields


def difference_of(function: types.FunctionType, record: dict) -> str | None:
    """Says how a function is another one than the recorded one; None if it is not."""
    code = function.__code__
    same = record["file"] and file_hash(code.co_filename) == record["file"] and (
        code.co_firstlineno == record.get("line"))  # branches of a function may make functions of one name
    if not same and source_hash(function) != record["source"]:
        return f"`{record['qualname']}` has changed since the module was frozen; freeze it again"
    for name, text in record["names"].items():
        if (found := text_of_name(function, name)) != text:
            return f"`{name}` of `{record['qualname']}` is {found}, and was {text} when the module was frozen"
    return None


def parts_of_field(place: str, field: Any) -> Iterator[tuple[str, Any]]:
    """The fields of the module that a field of the program is: one for each member of structs not in a piece."""
    if not isinstance(field, StructField) or is_interleaved(field):
        yield place, field
    else:
        for name, member in field.field_dict.items():
            yield from parts_of_field(f"{place}.{name}", member)


def live_functions(record: dict, kernel: Kernel) -> Iterator[types.FunctionType]:
    """The functions that a record may mean: the kernel's own, one of a module, or those of one name that others made."""
    if (kernel.func.__module__, kernel.func.__qualname__) == (record["module"], record["qualname"]):
        yield kernel.func
    elif "<locals>" in record["qualname"]:
        yield from (function for function in reached_from(kernel.func)
                    if (function.__module__, function.__qualname__) == (record["module"], record["qualname"]))
    else:
        found: Any = sys.modules.get(record["module"])
        for name in record["qualname"].split("."):
            if isinstance(found, StructType):
                found = found.methods.get(name)
                continue
            found = attribute_of(found, name) if found is not None and hasattr(found, "__dict__") else None
        if (function := member_function(found)) is not None:
            yield function


def attribute_of(owner: Any, name: str) -> Any:
    """Returns what a module or class itself has by this name. Classes of pydantic keep names that begin with _ apart."""
    own = vars(owner)
    return own[name] if name in own else getattr(own.get("__private_attributes__", {}).get(name), "default", None)


def reached_from(function: types.FunctionType) -> Iterator[types.FunctionType]:
    """The functions of the program that a function's variables and names mean, and so on."""
    waiting, seen = [function], {id(function)}
    while waiting:
        function = waiting.pop()
        names = function.__globals__
        values = [cell.cell_contents for cell in function.__closure__ or ()]
        for value in values + [names[name] for name in function.__code__.co_names if name in names]:
            for inner in functions_in(value):
                if id(inner) not in seen and not is_library(inner):
                    seen.add(id(inner))
                    waiting.append(inner)
                    yield inner


def functions_in(value: Any) -> Iterator[types.FunctionType]:
    """A function, those in a list or a dictionary, or the methods of a struct type or of a field of structs, also of
    those in it."""
    if isinstance(value, StructField):
        value = struct_type(value)
    if isinstance(value, StructType):
        for inner in [*value.methods.values(), *value.members.values()]:
            yield from functions_in(inner)
    elif (function := function_of(value)) is not None:
        yield function
    for _, item in items_of(value):
        yield from functions_in(item)


def value_of_name(function: types.FunctionType, path: str) -> Any:
    """Returns what a name of a function means, or a member of that: `camera.position`."""
    name, *members = path.split(".")
    found = value_of_own_name(function, name)
    for member in members:
        found = member_of(unwrap(found), member)
    return found


def value_of_own_name(function: types.FunctionType, name: str) -> Any:
    if name in function.__code__.co_freevars:
        return function.__closure__[function.__code__.co_freevars.index(name)].cell_contents
    return function.__globals__.get(name, getattr(builtins, name, None))


def text_of_name(function: types.FunctionType, name: str) -> str:
    try:
        return known_text(value_of_name(function, name))
    except (NoText, ValueError, AttributeError) as error:
        return f"missing ({error})"
