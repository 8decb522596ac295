"""From what a compilation read to files of a `Recording`.

`Placement` finds the file of each function and class, and writes what their names mean into it: imports of what other
files define, values as text.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import hashlib
import os
import sys
import types
import typing
from typing import Any

import numpy as np
import quadrants as qd
from quadrants.lang.field import Field
from quadrants.lang.matrix import MatrixField
from quadrants.lang.struct import StructField, StructType
from quadrants.types import ndarray_type

from ..values import (NoText, annotation_text, bound_instance, constant_text, function_of, has_derivative, is_constant,
                      is_container, is_interleaved, is_library, is_public, items_of, levels_text, source_of, struct_class,
                      struct_method, struct_type, text_of, type_text, unwrap)
from .reached import has_made_init, made_init
from .recording import PLAIN, File, Recording
from .texts import annotation_names, decorators, free_text, function_text, is_marked, method_text, names_in, scope_of
from .watch import FunctionUse, Session, is_method


class Placement:
    """Puts one session into a recording. Raises NoText where something has no text in the kernel language."""

    def __init__(self, recording: Recording, session: Session, root: str):
        self.recording, self.session, self.root = recording, session, root
        self.homes: dict[Any, str] = {}  # for functions, classes and modules: the file's name
        self.object_homes: dict[int, str] = {}  # for objects that names lead to, by their identity
        self.method_homes: dict[types.FunctionType, set[str]] = {}  # for their methods

    # --- Files ---

    def module_of(self, name: str) -> tuple[str, str, str]:
        """The name, the path among the kernel files, and the origin of a module's file."""
        module = sys.modules.get(name)
        origin = getattr(module, "__file__", None) or ""
        if name == "__main__":
            name = os.path.splitext(os.path.basename(origin or "main"))[0].replace("-", "_")
        if is_library(module):
            name = name.replace("quadrants", "quadrants_library", 1)
        path = name.replace(".", "/")
        return name, path + ("/__init__.py" if hasattr(module, "__path__") else ".py"), self.shown(origin)

    def shown(self, path: str) -> str:
        """A path as the files show it: from the program's folder, or from the folder of packages."""
        for folder in [self.root, *sorted(filter(None, sys.path), key=len, reverse=True)]:
            folder = os.path.join(os.path.abspath(folder), "")
            if path.startswith(folder):
                return path[len(folder):]
        return os.path.basename(path)

    def settle(self, base: tuple[str, str, str], names: dict[str, dict]) -> str:
        """Puts these names into the first file of a module where they mean the same, and returns the file's name."""
        name, path, origin = base
        count = 1
        while True:
            suffix = "" if count == 1 else f"_{count}"
            key = name + suffix
            stem = stem_of(path)
            place = stem + suffix + path[len(stem):]
            file = self.recording.files.get(key) or File(place, origin)
            needed = {n: import_made(f"import {key}", key, n) if made["kind"] == "itself" else made
                      for n, made in names.items() if (made.get("home"), made.get("original")) != (key, n)}
            if file.has_room(needed):
                file.add(needed)
                self.recording.files[key] = file
                return key
            count += 1

    # --- Functions and classes ---

    def base_of(self, function: types.FunctionType, inner: int = 1) -> tuple[str, str, str]:
        """The file of a function: its module's, or one for what the function around it makes.

        inner: the last names of the function's path that do not count: 2 for a method's class
        """
        name, path, origin = self.module_of(function.__module__)
        around = [p for p in function.__qualname__.split(".")[:-inner] if p != "<locals>"]
        if "<locals>" not in function.__qualname__:
            return name, path, origin
        tail = "__" + "_".join(around)
        return name + tail, stem_of(path) + tail + ".py", origin

    def names_of(self, use: FunctionUse) -> dict[str, dict]:
        """The definitions that a function's file needs for its names, in the body and in annotations. Names in what
        Python worked out are not in its text any more."""
        scope = scope_of(use.function)
        kept = names_in(self.definition_of(use)["text"])
        names = {name: value for name, value in use.names.items() if name in kept}
        for tree in [] if use.by_python else annotation_names(use.function):
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    module = scope.get(node.value.id)
                    if isinstance(module, types.ModuleType) and not is_library(module) and hasattr(module, node.attr):
                        self.session.module_names.setdefault(module, {})[node.attr] = getattr(module, node.attr)
                if isinstance(node, ast.Name) and node.id in scope:
                    names[node.id] = scope[node.id]
        found = {}
        for name, value in names.items():
            self.define_into(found, name, value)
        return found

    def define_into(self, names: dict[str, dict], name: str, value: Any) -> None:
        """Adds the definition of a name, and that of the enumeration whose member it is."""
        if (made := self.define(name, value)) is not None:
            names |= with_needs(name, made)

    def place_function(self, function: types.FunctionType) -> str:
        if function not in self.homes:
            use = self.session.functions.get(function) or FunctionUse(function, None)
            if use.owner is not None:
                return self.place_class(use.owner)
            self.homes[function] = self.base_of(function)[0]
            names = self.names_of(use)
            names[function.__name__] = self.definition_of(use)
            self.homes[function] = self.settle(self.base_of(function), names)
        return self.homes[function]

    def definition_of(self, use: FunctionUse) -> dict:
        kernel = self.session.kernel
        is_kernel = use.function is kernel.func
        marks = decorators(use.function, use.owner, is_kernel, kernel)
        text, line = function_text(use.function, marks, use.statics, use.by_python)
        return {"kind": "function", "text": text, "line": line}

    def place_class(self, owner: type) -> str:
        """Puts a class with what this session used of it into a file."""
        if owner in self.homes:
            return self.homes[owner]
        name, path, origin = self.module_of(owner.__module__)
        self.homes[owner] = name
        made = {"kind": "class", "head": class_head(owner), "line": line_of(owner), **{p: {} for p in
                ("bases", "members", "constants", "methods")}}
        names: dict[str, dict] = {}
        for use in list(self.session.functions.values()):
            if use.owner is owner:
                names |= self.names_of(use)
                made["methods"][use.function.__name__] = self.definition_of(use)
        if owner in self.session.made and has_made_init(owner):
            made["methods"]["__init__"] = {"kind": "function", "text": made_init(owner), "line": 0}
        if issubclass(owner, enum.Enum):
            made["constants"] = {name: text_of(m.value) for name, m in owner.__members__.items()}
        for key, value in self.session.class_names.get(owner, {}).items():
            if not callable(value) and not isinstance(value, (enum.Enum, property)):
                made["constants"][key] = text_of(value)
        if dataclasses.is_dataclass(owner):
            made["members"] = self.members_of(owner, names)
        for index, base in enumerate(owner.__mro__[1:]):
            if any(use.owner is base for use in self.session.functions.values()):
                made["bases"][base.__name__] = index
                names[base.__name__] = self.import_of(base.__name__, self.place_class(base), base.__name__)
        names.pop(owner.__name__, None)
        names[owner.__name__] = made
        self.homes[owner] = self.settle((name, path, origin), names)
        return self.homes[owner]

    def members_of(self, owner: type, names: dict[str, dict]) -> dict[str, str]:
        """The annotated members of a dataclass that mean something to kernels."""
        found = {}
        for field in dataclasses.fields(owner):
            kind = field.type
            if isinstance(kind, str):
                try:
                    kind = typing.get_type_hints(owner).get(field.name)
                except Exception:
                    kind = None
            if isinstance(kind, type) and dataclasses.is_dataclass(kind):
                names |= self.define_class(kind.__name__, kind)
                found[field.name] = kind.__name__
            elif isinstance(kind, ndarray_type.NdarrayType) and kind.dtype is None:
                found[field.name] = "qd.types.ndarray()"
            else:
                try:
                    found[field.name] = annotation_text(kind)
                except Exception:
                    found[field.name] = "qd.types.ndarray()"
        return found

    def define_class(self, name: str, value: type) -> dict[str, dict]:
        return {name: self.import_of(name, self.place_class(value), value.__name__)}

    def place_struct(self, value: StructType) -> str:
        """Puts the class of a struct type, with the methods that this session used of it, into a file."""
        method = struct_method(value)
        members = {name: type_text(kind) for name, kind in value.members.items()}
        key = method.__module__, method.__qualname__.rpartition(".")[0], *members.items()
        if key not in self.homes:
            base = self.base_of(method, inner=2)
            self.homes[key] = base[0]
            names = self.structs_in(*value.members.values())
            made = {"kind": "class", "head": ["@qd.dataclass"], "line": 0, "bases": {}, "constants": {}, "methods": {},
                    "members": members}
            used = [f for f in map(function_of, value.methods.values()) if f in self.session.functions]
            for function in used:
                use = self.session.functions[function]
                names |= self.names_of(use)
                made["methods"][function.__name__] = self.definition_of(dataclasses.replace(use, owner=None))
            names[struct_class(value)] = made
            home = self.homes[key] = self.settle(base, names)
            for function in used:
                self.method_homes.setdefault(function, set()).add(home)
        return self.homes[key]

    def structs_in(self, *kinds: Any) -> dict[str, dict]:
        """The definitions of the classes that the texts of these types name."""
        found = {}
        for kind in kinds:
            if isinstance(kind, StructType) and (known := struct_class(kind)):
                found[known] = self.import_of(known, self.place_struct(kind), known)
            elif isinstance(kind, StructType):
                found |= self.structs_in(*kind.members.values())
        return found

    def functions_in(self, home: str, path: str, values: Any) -> list[str]:
        """The names of functions in a list at `path`. Methods of other objects become functions without the object."""
        names = []
        for number, value in enumerate(values):
            function = function_of(value)
            if bound_instance(value) is None:
                there, name = self.place_function(function), function.__name__
            else:
                there, name = self.place_free(function, self.session.instance_path(path, number))
            names.append(name if there == home else self.name_in(home, there, name))
        return names

    def name_in(self, home: str, there: str, name: str) -> str:
        """Imports what another file defines, under its name, or under one with the file's if that is taken."""
        for own in name, f"_{there.replace('.', '_')}_{name}":
            made = {own: self.import_of(own, there, name)}
            if self.recording.files[home].has_room(made):
                self.recording.files[home].add(made)
                return own
        raise NoText(f"`{own}` of an argument has the name of something else in '{self.recording.files[home].path}'")

    def place_free(self, function: types.FunctionType, prefix: str) -> tuple[str, str]:
        """Puts a method without its object into a file, under a name that its text makes unique."""
        instance = self.session.object_at(prefix[:-1])
        use = self.session.functions.get(function) or FunctionUse(function, None)
        names = self.names_of(use)

        def method(attribute: str) -> str:
            other = function_of(getattr(instance, attribute, None))
            if other is None or other is function:
                raise NoText(f"`{attribute}` of the object of `{function.__qualname__}` is not a function")
            there, name = self.place_free(other, prefix)
            names[name] = self.import_of(name, there, name)
            return name

        text = free_text(function, function.__name__, use.statics, instance, method)
        name = f"{function.__name__}_{hashlib.sha256(text.encode()).hexdigest()[:6]}"
        names[name] = {"kind": "function", "line": function.__code__.co_firstlineno,
                       "text": free_text(function, name, use.statics, instance, method)}
        return self.settle(self.base_of(function), names), name

    # --- What a name means ---

    def import_of(self, name: str, home: str, original: str) -> dict:
        """Defines a name that another file defines; the file itself leaves it out (`settle`)."""
        return {**import_made(f"from {home} import {original}", original, name), "home": home, "original": original}

    def define(self, name: str, value: Any) -> dict | None:
        """The definition of a name in a kernel file; None for what each file has."""
        value = unwrap(value)
        if isinstance(value, types.ModuleType):
            return self.define_module(name, value)
        if is_library(value) and not isinstance(value, (Field, StructType)) and getattr(value, "__name__", None):
            for public in (qd, qd.math):
                if getattr(public, value.__name__, None) is value:
                    return import_made(f"from {public.__name__} import {value.__name__}", value.__name__, name)
            if function_of(value) is None or is_public(value) or not is_marked(value):
                return import_made(f"from {value.__module__} import {value.__name__}", value.__name__, name)
        if isinstance(value, StructType) and (known := struct_class(value)):
            return self.import_of(name, self.place_struct(value), known)
        if isinstance(value, StructType):
            return {"kind": "value", "text": type_text(value), "line": 0, "needs": self.structs_in(value)}
        if (function := function_of(value)) is not None:
            home = self.place_function(function)
            return self.import_of(name, home, function.__name__)
        if isinstance(value, enum.Enum) and value.name in type(value).__members__:
            alias = f"_{type(value).__name__}"  # the name itself may be that of a value, too
            needs = {alias: self.import_of(alias, self.place_class(type(value)), type(value).__name__)}
            return {"kind": "value", "text": f"{alias}.{value.name}", "line": 0, "needs": needs}
        if isinstance(value, type) and value.__module__ not in ("builtins", "numpy"):
            home = self.place_class(value)
            return self.import_of(name, home, value.__name__)
        if isinstance(value, Field):
            made = {"kind": "value", "text": field_text(value), "line": 0}
            if isinstance(value, StructField):
                made["needs"] = self.structs_in(struct_type(value))
            return made
        if is_container(value):
            home = self.place_object(name, value)
            return {**import_made(f"import {home}", home, name), "home": home}
        if getattr(value, "__module__", None) == "builtins" and callable(value):
            return None if value.__name__ == name else {"kind": "value", "text": value.__name__, "line": 0}
        if isinstance(value, (list, tuple, dict)) and not is_constant(value):
            return self.define_items(name, value)
        if (home := python_home(value)) is not None:
            return import_made(f"from {home} import {value.__name__}", value.__name__, name)
        try:
            return {"kind": "value", "text": constant_text(value), "line": 0}
        except NoText as error:
            try:
                return {"kind": "value", "text": annotation_text(value), "line": 0}
            except Exception:
                raise NoText(f"`{name}`: {error}") from None

    def define_items(self, name: str, value: list | tuple | dict) -> dict:
        """A list or a dictionary of what has no text of its own, such as objects and fields: each item has a name of
        its own."""
        needs: dict[str, dict] = {}
        texts = []
        for key, item in items_of(value):
            own = item_name(name, key)
            if not own.isidentifier() or own in needs:
                raise NoText(f"the key {key!r} of `{name}` is not one that makes a name")
            self.define_into(needs, own, item)
            texts.append(own if own in needs else constant_text(item))
        if isinstance(value, dict):
            text = "{" + ", ".join(f"{text_of(key)}: {text}" for key, text in zip(value, texts)) + "}"
        else:
            text = f"[{', '.join(texts)}]" if isinstance(value, list) else f"({', '.join(texts)},)"
        return {"kind": "value", "text": text, "line": 0, "needs": needs}

    def define_module(self, name: str, module: types.ModuleType) -> dict:
        if is_library(module) or module.__name__ in PLAIN:
            return import_made(f"import {module.__name__}", module.__name__, name)
        home = self.place_module(module)
        return {**import_made(f"import {home}", home, name), "home": home}

    def place_object(self, name: str, value: Any) -> str:
        """Puts an object that a name leads to into a file of its own, with its members as names and its methods as
        functions. The name of their first parameter means the file itself there."""
        if id(value) not in self.object_homes:
            module, path, origin = self.module_of(type(value).__module__)
            base = f"{module}__{name}", f"{stem_of(path)}__{name}.py", origin
            self.object_homes[id(value)] = base[0]
            names: dict[str, dict] = {}
            methods = []
            known = self.session.globals.get(id(value))
            for attribute, member in (known.members if known else {}).items():
                function = function_of(member)
                if function is None or not is_method(value, attribute, member):
                    self.define_into(names, attribute, member)
                    continue
                use = self.session.functions.get(function) or FunctionUse(function, None)
                names |= self.names_of(use)
                text, line, itself = method_text(function, use.statics, use.by_python)
                names[function.__name__] = {"kind": "function", "text": text, "line": line}
                methods.append(function)
                if itself:
                    names[itself] = {"kind": "itself"}
            home = self.object_homes[id(value)] = self.settle(base, names)
            for function in methods:
                self.method_homes.setdefault(function, set()).add(home)
        return self.object_homes[id(value)]

    def place_module(self, module: types.ModuleType) -> str:
        """Puts the names that this session read of a module into its file."""
        if module not in self.homes:
            base = self.module_of(module.__name__)
            self.homes[module] = base[0]
            names = {}
            for name, value in self.session.module_names.get(module, {}).items():
                self.define_into(names, name, value)
            self.homes[module] = self.settle(base, names)
        return self.homes[module]


def python_home(value: Any) -> str | None:
    """The module that a kernel file imports a function or type of Python's libraries from, as it is: `math`."""
    home = "numpy" if isinstance(value, np.ufunc) else getattr(value, "__module__", None)
    return home if home in PLAIN and callable(value) else None


def stem_of(path: str) -> str:
    """A kernel file's path without its ending; that of a package is the folder."""
    return path.removesuffix("/__init__.py").removesuffix(".py")


def item_name(name: str, key: str) -> str:
    """The name that a kernel file has for an item of a list or a dictionary."""
    return f"_{name}_{key}"


def import_made(text: str, original: str, name: str) -> dict:
    """The definition of a name by an import, under another name if they differ."""
    return {"kind": "import", "text": text if name == original else f"{text} as {name}", "line": 0}


def with_needs(name: str, made: dict) -> dict[str, dict]:
    """A definition, and the definitions that it needs beside it."""
    needs = {n: m for need, made in made.pop("needs", {}).items() for n, m in with_needs(need, made).items()}
    return {**needs, name: made}


def class_head(owner: type) -> list[str]:
    """The decorators of a class, or the base of an enumeration."""
    if issubclass(owner, enum.Enum):
        return ["enum.IntEnum" if issubclass(owner, int) else "enum.Enum"]
    is_data = dataclasses.is_dataclass(owner)
    marks = ["@qd.data_oriented"] if getattr(owner, "_data_oriented", False) or not is_data else []
    return marks + (["@dataclasses.dataclass"] if is_data else [])


def line_of(owner: type) -> int:
    try:
        return source_of(owner)[1]
    except (OSError, TypeError):
        return 0


def field_text(field: Field) -> str:
    """A field of a kernel file: `qd.field(…)`, with its shape."""
    shape = tuple(field.shape)
    derivatives = [name for name in ("grad", "dual") if has_derivative(field, name)]
    needs = "".join(f", needs_{name}=True" for name in derivatives)
    levels = levels_text(field)
    if any(levels_text(getattr(field, name)) != levels for name in derivatives):
        raise NoText("a field's gradient or tangent has another layout than the field")
    layout = f", layout={levels}" if levels else ""
    if isinstance(field, StructField):
        layout = ", layout=qd.Layout.AOS" if is_interleaved(field) else layout
        return f"{type_text(struct_type(field))}.field(shape={shape}{needs}{layout})"
    if isinstance(field, MatrixField):
        sizes = f"{field.n}" if field.ndim == 1 else f"{field.n}, {field.m}"
        kind = "Vector" if field.ndim == 1 else "Matrix"
        return f"qd.{kind}.field({sizes}, {type_text(field.dtype)}, shape={shape}{needs}{layout})"
    return f"qd.field({type_text(field.dtype)}, shape={shape}{needs}{layout})"
