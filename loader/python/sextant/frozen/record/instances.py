"""The instance that a compiled kernel is: the texts of its arguments and their members, and what it was made of."""

from __future__ import annotations

import dataclasses
import enum
import types
from typing import Any, Iterator

import numpy as np
import quadrants as qd
from quadrants.lang.field import Field
from quadrants.lang.struct import StructField, StructType
from quadrants.lang.util import is_data_oriented
from quadrants.types import ndarray_type

from ..values import (DTYPES, NoText, bound_instance, constant_text, derivative_of, file_hash, function_of,
                      has_derivative, holds_objects, is_array, is_container, is_library, is_named, items_of, known_text,
                      leaves_of, member_of, source_hash, struct_type, text_of, unwrap)
from .place import Placement, item_name
from .reached import chains_of
from .recording import Instance
from .texts import is_marked
from .watch import is_flattened


def instance_of(placement: Placement) -> Instance:
    """The instance that a session's kernel is, with its file. Raises NoText."""
    session = placement.session
    kernel, function = session.kernel, session.kernel.func
    use = session.functions[function]
    values: dict[str, str] = {}
    for meta, value in zip(kernel.arg_metas, session.arguments):
        values |= given(placement, meta, unwrap(value))
    owner = type(session.arguments[0]) if use.owner is not None else None
    home = placement.place_function(function)
    if owner is not None:
        home = placement.place_class(owner)
    arguments = {meta.name: unwrap(value) for meta, value in zip(kernel.arg_metas, session.arguments)}
    everything = arguments | session.members
    spelled = {}
    for path, value in everything.items():
        if is_function(value) and path in values:
            [spelled[path]] = placement.functions_in(home, path + ".", [value])
        elif path not in session.aliases:
            add_needs(placement, home, value)
    for path, value in session.members.items():
        if path in values and isinstance(value, (list, tuple)) and any(map(function_of, value)):
            spelled[path] = f"[{', '.join(placement.functions_in(home, path + '.', value))}]"
        elif path in values and id(value) in DTYPES:
            spelled[path] = f"dtype({values[path]})"  # a bare type would be an argument of that type
        elif path in values and (instance := bound_instance(value)) is not None:
            if instance is session.object_at(path.rpartition(".")[0]):  # one of its own methods under another name
                spelled[path] = f"{type(instance).__name__}.{function_of(value).__name__}"
            else:
                [spelled[path]] = placement.functions_in(home, path + ".", [value])
    checked = constants({path: value for path, value in everything.items()
                         if (".instance." in path and not is_container(value)) or path in values and is_named(value)})
    if owner is not None:
        values.pop(kernel.arg_metas[0].name, None)
    kernel_name = f"{owner.__name__}.{function.__name__}" if owner else function.__name__
    derivative = derivative_of(kernel)
    if derivative:
        for path in [path for path, text in values.items() if text.startswith("ndarray(")]:
            made = derivative_in(unwrap(session.object_at(path)), derivative, path)
            values[f"{path}.{derivative}"] = constant_text(made)
            if made is None:
                spelled[path] = f"{spelled.get(path, values[path])[:-1]}, needs_grad=False)"
    name = f"{kernel_name}.{derivative}" if derivative else kernel_name
    return Instance(name=name.replace(".", "_"), derivative=derivative, file=home, kernel=kernel_name, module=function.__module__,
                    qualname=function.__qualname__, values=values, functions=functions_of(placement),
                    spelled=spelled, checked=checked, sites=[placement.shown(session.site)],
                    aliases={path: first for path, first in session.aliases.items() if path in values})


def derivative_in(array: Any, name: str, path: str) -> Any:
    """The gradient or tangent, by this name, that an array or field of the program has; None: it is a constant."""
    if getattr(array, "requires_grad", False):
        raise NoText(f"`{path}` is a tensor of torch, whose gradient is the JIT's")
    made = unwrap(member_of(array, name)) if hasattr(array, name) else None
    if isinstance(made, StructField) and not all(has_derivative(each, name) for each in leaves_of(array)):
        raise NoText(f"only some members of `{path}` have a `{name}`")
    if made is not None and constant_text(made) != constant_text(array):  # the compiler gives it the array's type
        raise NoText(f"`{path}.{name}` has another layout than `{path}`")
    return made


def given(placement: Placement, meta: Any, value: Any) -> dict[str, str]:
    """The texts of one argument, by path: itself, or the members of a container that the kernel uses."""
    session, annotation = placement.session, meta.annotation
    if is_flattened(annotation):
        placement.place_class(annotation)
        return dict(members(annotation, value, meta.name, session.used))
    is_template = annotation is qd.template or isinstance(annotation, qd.template) or annotation is qd.Tensor
    if is_container(value) and is_template:
        found = {meta.name: type(value).__name__}
        if dataclasses.is_dataclass(value) and not is_data_oriented(value):
            found |= dict(members(type(value), value, meta.name, None))
        prefix = meta.name + "."
        below = tuple(path + "." for path in session.aliases)  # paths of other objects, which name their own members
        found = {path: text for path, text in found.items() if not path.startswith(below)}
        for path, member in session.members.items():
            if path.startswith(prefix):
                try:
                    if ".instance." not in path:
                        found[path] = constant_text(member)
                except NoText as error:
                    raise NoText(f"`{path}`: {error}") from None
        return found
    if is_template or isinstance(annotation, ndarray_type.NdarrayType) or value is None:
        try:
            return {meta.name: text_of(value, annotation)}
        except NoText as error:
            raise NoText(f"the argument `{meta.name}`: {error}") from None
    return {}


def members(kind: type, value: Any, path: str, used: set[str] | None) -> Iterator[tuple[str, str]]:
    """The texts of a dataclass' members; `used`: the flat names of those that the kernel uses, None: of all."""
    for field in dataclasses.fields(kind):
        inner, member = f"{path}.{field.name}", unwrap(getattr(value, field.name))
        flat = "__qd_" + inner.replace(".", "__qd_")
        if used is not None and flat not in used:
            continue
        if dataclasses.is_dataclass(member) and not isinstance(member, type):
            yield from members(field.type if isinstance(field.type, type) else type(member), member, inner, used)
        elif is_array(member) or "Final" in str(field.type):
            yield inner, text_of(member)


def add_needs(placement: Placement, home: str, value: Any) -> None:
    """Makes the names of an instance's values known in the kernel's file."""
    if holds_objects(value):
        for _, item in items_of(value):
            add_needs(placement, home, item)
    kind = type(value) if is_container(value) or isinstance(value, enum.Enum) else value
    if isinstance(kind, type) and kind.__module__ != "builtins" and not is_library(kind):
        there, name = placement.place_class(kind), kind.__name__
    elif is_function(kind):
        function = function_of(kind)
        there, name = placement.place_function(function), function.__name__
    elif isinstance(kind, (StructField, StructType)):
        structs = placement.structs_in(struct_type(kind) if isinstance(kind, StructField) else kind)
        for name, made in structs.items():
            add_import(placement, home, name, made)
        return
    else:
        return
    add_import(placement, home, name, placement.import_of(name, there, name))


def is_function(value: Any) -> bool:
    return bound_instance(value) is None and (isinstance(value, types.FunctionType) or is_marked(value))


def add_import(placement: Placement, home: str, name: str, made: dict) -> None:
    file = placement.recording.files[home]
    if made["home"] == home:
        return
    if not file.has_room({name: made}):
        raise NoText(f"`{name}` of an argument has the name of something else in '{file.path}'")
    file.add({name: made})


def functions_of(placement: Placement) -> list[dict]:
    """The functions of a kernel with a hash of their source, and the values that their names had."""
    found = []
    kernel = placement.session.kernel.func
    for use in placement.session.functions.values():
        if is_library(use.function) and use.function is not kernel:
            continue  # part of a version of quadrants
        homes = set(placement.method_homes.get(use.function, ()))
        if (home := placement.homes.get(use.owner or use.function)) is not None:
            homes.add(home)
        names, fields = {}, {}
        for name, value in use.names.items():
            names |= extents_of(use.function, name, value) if isinstance(value, np.ndarray) else {name: value}
        for home in homes:
            fields |= fields_in(placement, home, use.names, "")
        for known in placement.session.globals.values():
            if known.function is use.function:
                home = placement.object_homes.get(id(known.value)) or (
                    placement.homes.get(known.value) if isinstance(known.value, types.ModuleType) else None)
                names |= {f"{known.path}.{name}": value for name, value in known.members.items()}
                if home is not None:
                    fields |= fields_in(placement, home, known.members, known.path + ".")
        names |= {f"{name}.{member}": of_class for name, value in use.names.items() if isinstance(value, type)
                  for member, of_class in placement.session.class_names.get(value, {}).items()}
        shapes = {f"{path}.shape": value.shape for name, member in names.items()
                  for _, path, value in fields_at(name, name, unwrap(member))}
        found.append(record_of(use.function, names | shapes, fields))
    return found + [record_of(function, names, {}) for function, names in placement.session.worked_out.items()
                    if function not in placement.session.functions]


def record_of(function: types.FunctionType, names: dict[str, Any], fields: dict[str, str]) -> dict:
    return {"module": function.__module__, "qualname": function.__qualname__, "source": source_hash(function),
            "file": file_hash(function.__code__.co_filename), "line": function.__code__.co_firstlineno,
            "names": constants(names), "fields": fields}


def fields_in(placement: Placement, home: str, names: dict[str, Any], prefix: str) -> dict[str, str]:
    """The fields among names of a file, as the module and as the program calls them."""
    path = placement.recording.files[home].path
    return {f"{path}:{own}": prefix + name for known, value in names.items()
            for own, name, _ in fields_at(known, known, unwrap(value))}


def fields_at(own: str, path: str, value: Any) -> Iterator[tuple[str, str, Field]]:
    """A field, or those in a list, and their gradients and tangents, each with its name in the kernel file and its
    path in the program."""
    if isinstance(value, Field):
        yield own, path, value
        for name in "grad", "dual":
            if has_derivative(value, name):
                yield f"{own}.{name}", f"{path}.{name}", getattr(value, name)
    else:
        for name, item in items_of(value):
            yield from fields_at(item_name(own, name), f"{path}.{name}", item)


def extents_of(function: types.FunctionType, name: str, array: np.ndarray) -> dict[str, Any]:
    """An array by its name; where a function has no more of it than extents, those."""
    read = {members[0] if members else "" for own, *members in chains_of(function) if own == name}
    if read <= {"shape", "size", "ndim"}:
        return {f"{name}.{member}": getattr(array, member) for member in read}
    return {name: array}


def constants(names: dict[str, Any]) -> dict[str, str]:
    """The texts of what names mean, where it has one."""
    found = {}
    for name, value in names.items():
        try:
            found[name] = known_text(value)
        except NoText:
            pass
    return found
