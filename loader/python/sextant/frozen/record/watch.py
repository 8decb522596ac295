"""Watches quadrants compile kernels, and keeps what each compilation read: a `Session` a kernel.

Quadrants 1.3 has no hook for this. So four of its methods are replaced while a program is recorded, each by one that
calls the original and notes its result. `supported` says which versions that was tested with.
"""

from __future__ import annotations

import ast
import dataclasses
import os
import sys
import types
from itertools import filterfalse
from typing import Any, Callable

import numpy as np
import quadrants as qd
from quadrants.lang import impl
from quadrants.lang._func_base import FuncBase
from quadrants.lang.ast.ast_transformer import ASTTransformer
from quadrants.lang.ast.ast_transformer_utils import ASTTransformerFuncContext
from quadrants.lang.kernel import Kernel

from ..values import (CLEARS_GRADIENTS, NoText, bound_instance, constant_text, derivative_of, function_of,
                      holds_objects, is_constant, is_container, is_library, is_public, items_of, member_function,
                      member_of, unwrap)
from .reached import chains_of, classes_after, has_made_init, is_local, is_of_program, member_of_class
from .texts import is_marked, place_of, scope_of

LIBRARY = os.path.dirname(os.path.abspath(qd.__file__)) + os.sep
OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@dataclasses.dataclass
class FunctionUse:
    """A function that a compilation went through: the values of the names that it read, and the class it is in."""

    function: types.FunctionType
    owner: type | None
    names: dict[str, Any] = dataclasses.field(default_factory=dict)
    by_python: bool = False  # Python runs it, and not quadrants
    statics: dict[tuple[int, ...], Any] = dataclasses.field(default_factory=dict)  # values that Python found, by place


@dataclasses.dataclass
class Global:
    """A module, or an object, that names of the program lead to: by a name of a function, and then by members."""

    value: Any
    function: types.FunctionType
    path: str
    members: dict[str, Any] = dataclasses.field(default_factory=dict)  # those that were read


class Session:
    """The values that one compilation of a kernel read."""

    def __init__(self, kernel: Kernel, arguments: tuple, site: str):
        self.kernel, self.arguments, self.site = kernel, arguments, site
        self.functions: dict[types.FunctionType, FunctionUse] = {}
        self.module_names: dict[types.ModuleType, dict[str, Any]] = {}
        self.class_names: dict[type, dict[str, Any]] = {}
        self.globals: dict[int, Global] = {}  # modules and objects that names lead to, by their identity
        self.members: dict[str, Any] = {}  # members of the arguments' objects, by path: `self.x`
        self.paths: dict[int, list[str]] = {}  # paths to objects, by their identity
        self.aliases: dict[str, str] = {}  # members that are objects of other paths: the first path to them
        self.made: set[type] = set()  # classes of which the kernel makes objects
        self.reached: set[tuple[types.FunctionType, type | None]] = set()  # functions that Python runs, and for what class
        self.worked_out: dict[types.FunctionType, dict[str, Any]] = {}  # functions with constant results: their names
        self.loose: set[str] = set()  # members of objects without a name: perhaps the kernel makes them
        self.objects: list[Any] = []  # kept, so that no identity is used again
        self.failure: str | None = None
        for meta, value in zip(kernel.arg_metas, arguments):
            if not is_flattened(meta.annotation):
                self.keep(unwrap(value), meta.name)

    def keep_member(self, value: Any, path: str) -> None:
        """Notes the path to a member. An object that has a path gets no other: the member is its alias."""
        known = self.paths.get(id(value), [])
        if is_container(value) and not is_bound(path) and (first := next(filterfalse(is_bound, known), None)):
            if first != path:
                self.aliases[path] = first
            return
        self.keep(value, path)

    def keep(self, value: Any, path: str) -> None:
        """Notes a path to an object, or to those in a list. Parameters, items of lists and objects that methods are
        bound to have paths of their own; those that go in circles turn once."""
        if holds_objects(value):
            for name, item in items_of(value):
                self.keep(item, f"{path}.{name}")
        if not is_container(value):
            return
        known = self.paths.setdefault(id(value), [])
        circles = [old for old in known if path.startswith(old + ".")]
        if path not in known and len(circles) < 2:
            known.append(path)
            self.objects.append(value)

    def enter(self, function: types.FunctionType, arguments: tuple) -> None:
        if function not in self.functions:
            self.functions[function] = FunctionUse(function, owner_of(function, arguments))

    def make(self, kind: type) -> None:
        """Notes a class of which the kernel makes an object, with what its `__init__` reads."""
        if kind not in self.made and is_of_program(kind) and is_marked_class(kind):
            self.made.add(kind)
            self.reach_member(kind, kind.__mro__, "__post_init__" if has_made_init(kind) else "__init__")

    def reach_member(self, kind: type, classes: tuple[type, ...], name: str) -> None:
        """Notes what an object of a class has by a name of one of these classes."""
        member = member_of_class(classes, name)
        if (function := member_function(member)) is not None:
            self.reach(member, function, kind)
        elif member is not None:
            self.class_names.setdefault(kind, {})[name] = member

    def reach(self, member: Any, function: types.FunctionType, kind: type | None) -> None:
        """Notes a function that Python runs, for an object of `kind` if it is a method, with what it reads."""
        is_static = isinstance(member, staticmethod)
        if is_marked(member.__func__ if is_static else member) or not is_of_program(function) or (
                (function, kind) in self.reached):
            return
        self.reached.add((function, kind))
        self.enter(function, ())
        self.functions[function].by_python = True
        if isinstance(member, classmethod):
            self.make(kind)
        own = "" if kind is None or is_static else "".join(function.__code__.co_varnames[:1])
        scope = scope_of(function)
        for name, *members in chains_of(function):
            if name == own and members:
                self.reach_member(kind, kind.__mro__, members[0])
            elif name == "super()" and members and kind is not None:
                self.reach_member(kind, classes_after(kind, function), members[0])
            elif name in scope and not is_local(function, name):
                self.read_name(function, name, scope[name])
                self.follow(scope[name], members, kind)
            self.loose.update(members)

    def follow(self, value: Any, members: list[str], kind: type | None = None) -> None:
        """Notes what members of a value Python reads, and what it calls there: also methods of a base, for `kind`."""
        for name in members:
            self.read_member(value, name)
            if isinstance(value, type) and (function := member_function(member_of_class(value.__mro__, name))):
                is_base = kind is not None and issubclass(kind, value)
                return self.reach(member_of_class(value.__mro__, name), function, kind if is_base else value)
            value = getattr(value, name, None)
        if isinstance(value, type):
            self.make(value)
        elif isinstance(value, types.FunctionType):
            self.reach(value, value, None)
        elif isinstance(value, types.MethodType):
            kind = value.__self__ if isinstance(value.__self__, type) else type(value.__self__)
            self.reach_member(kind, kind.__mro__, value.__name__)

    def reach_loose(self) -> None:
        """Notes the members of objects that the kernel makes by their names: text does not tell which object has one."""
        known = -1
        while known != (known := len(self.reached) + len(self.made) + len(self.loose)):
            for kind in list(self.made):
                for name in list(self.loose):
                    self.reach_member(kind, kind.__mro__, name)

    def read_name(self, function: types.FunctionType, name: str, value: Any) -> None:
        use = self.functions.get(function)
        if use is not None and not name.startswith("__qd_"):
            use.names[name] = value
            self.keep_global(value, function, name)

    def keep_global(self, value: Any, function: types.FunctionType, path: str) -> None:
        value = unwrap(value)
        if holds_objects(value):
            for name, item in items_of(value):
                self.keep_global(item, function, f"{path}.{name}")
        if not is_library(value) and (isinstance(value, types.ModuleType) or is_container(value)):
            self.globals.setdefault(id(value), Global(value, function, path))

    def read_static(self, function: types.FunctionType, node: ast.expr, value: Any) -> None:
        """Notes what a `qd.static(…)`, or something that Python worked out of constants, was.

        One that had several values, in an unrolled loop, stays as it is.
        """
        if (use := self.functions.get(function)) is not None:
            known = use.statics.setdefault(place_of(node), value)
            if type(known) is not type(value) or constant_text(known) != constant_text(value):
                use.statics[place_of(node)] = ...

    def work_out(self, called: Any) -> None:
        """Notes a function of the program whose result is a constant, with what it reads. Nobody finds a lambda or a
        function in a function by its name, and installed packages are taken to stay as they are."""
        function = function_of(called)
        if function is None or function in self.worked_out or "<" in function.__qualname__ or (
                not is_of_program(function) or not self.is_near(function)):
            return
        try:
            read = {name for name, *_ in chains_of(function) if not is_local(function, name)}
        except OSError:
            return  # it has no source
        scope = scope_of(function)
        names = self.worked_out[function] = {name: scope[name] for name in sorted(read) if name in scope}
        for value in names.values():
            self.work_out(value)

    def is_near(self, function: types.FunctionType) -> bool:
        """True if a function is not of an installed package, or of the one that the kernel is of."""
        package, own = (f.__module__.partition(".")[0] for f in (function, self.kernel.func))
        return package == own or not {"site-packages", "dist-packages"} & set(
            function.__code__.co_filename.split(os.sep))

    def read_member(self, base: Any, name: str) -> None:
        if (known := self.globals.get(id(base))) is not None:
            known.members[name] = getattr(base, name)
            self.keep_global(known.members[name], known.function, f"{known.path}.{name}")
        if isinstance(base, types.ModuleType):
            if not is_library(base):
                self.module_names.setdefault(base, {})[name] = getattr(base, name)
        elif isinstance(base, type):
            if not is_library(base):
                self.class_names.setdefault(base, {})[name] = getattr(base, name)
        elif type(base) in self.made:
            self.reach_member(type(base), type(base).__mro__, name)
        elif paths := self.paths.get(id(base)):
            value = unwrap(getattr(base, name))
            if not is_method(base, name, value):
                for path in list(paths):
                    self.keep_member(value, f"{path}.{name}")
                    self.keep_bound(value, f"{path}.{name}", base)
                    self.members[f"{path}.{name}"] = value
        elif (array := self.array_paths().get(id(base))) and name in ("grad", "dual"):
            self.members[f"{array}.{name}"] = getattr(base, name)
        elif is_container(base):
            self.loose.add(name)

    def keep_bound(self, value: Any, path: str, base: Any) -> None:
        """Notes the objects other than `base` that the methods in a list are bound to, at `PATH.0.instance`."""
        items = enumerate(value) if isinstance(value, (list, tuple)) else [(None, value)]
        for number, item in items:
            if (instance := bound_instance(item)) is not None and instance is not base:
                self.keep(instance, f"{path}.instance" if number is None else f"{path}.{number}.instance")

    def instance_path(self, path: str, number: int) -> str:
        """The path of the members of the object that the method at `PATH.NUMBER` of a list, or at PATH, is bound to."""
        single = bound_instance(self.members.get(path[:-1])) is not None
        return f"{path}instance." if single else f"{path}{number}.instance."

    def object_at(self, path: str) -> Any:
        """The object at a path of the arguments."""
        first, *rest = path.split(".")
        found = next(unwrap(v) for m, v in zip(self.kernel.arg_metas, self.arguments) if m.name == first)
        for name in rest:
            found = member_of(found, name)
        return found

    def array_paths(self) -> dict[int, str]:
        """The paths of the arrays among the arguments and the members that were read."""
        found = {id(unwrap(v)): meta.name for meta, v in zip(self.kernel.arg_metas, self.arguments)}
        return found | {id(v): path for path, v in self.members.items()}


def is_flattened(annotation: Any) -> bool:
    """True if quadrants makes a parameter of each member of the dataclass that a parameter is annotated with."""
    return isinstance(annotation, type) and dataclasses.is_dataclass(annotation)


def is_marked_class(kind: type) -> bool:
    """True if kernels can make objects of a class: it, or a base, has the mark `@qd.data_oriented`."""
    return any("_data_oriented" in vars(base) for base in kind.__mro__)


def is_bound(path: str) -> bool:
    """True if a path leads to an object that a method is bound to, or below one: kernels have no such object."""
    return ".instance." in path + "."


def is_method(base: Any, name: str, value: Any) -> bool:
    """True if a member is a method of its object's class, and not a function that was put there."""
    function = function_of(value)
    if function is None or not callable(value) or isinstance(value, type):
        return False
    known = [vars(kind).get(name) for kind in type(base).__mro__]
    return any(function_of(made) is function or isinstance(made, (staticmethod, classmethod)) for made in known)


def owner_of(function: types.FunctionType, arguments: tuple) -> type | None:
    """The class that a method is defined in, found by the objects that it was called with or by its name."""
    parts = function.__qualname__.split(".")
    if len(parts) < 2 or parts[-2] == "<locals>":
        return None
    for value in arguments[:1]:
        for base in type(value).__mro__:
            if member_function(vars(base).get(function.__name__)) is function:
                return base
    found: Any = sys.modules.get(function.__module__)
    for part in parts[:-1]:
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None


def call_site() -> str:
    """The line of the program that launched the kernel: the innermost one outside of quadrants and of this package."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((LIBRARY, OURS, "<")) and "contextlib" not in name:
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return "?"


def runs_in_python(called: Any, node: ast.Call) -> bool:
    """True if a call is one that only Python can make: of a library such as `math`, of a function or method of the
    program without a decorator of quadrants, of a method of Python's values, of `float` around a member."""
    if called in (int, float, bool):
        return any(isinstance(inner, ast.Attribute) for inner in ast.walk(node))
    if getattr(called, "_is_quadrants_function", False):  # it may store, whatever it returns
        return False
    if isinstance(called, (types.FunctionType, types.MethodType)):
        return not is_library(called)
    if isinstance(called, types.BuiltinMethodType) and not isinstance(called.__self__, types.ModuleType):
        return True
    module = getattr(called, "__module__", None) or type(called).__module__ or ""
    return module.partition(".")[0] not in ("builtins", "quadrants")


def is_of_python(value: Any) -> bool:
    """True if a value's members and items are found by Python: an array of numpy, a named tuple, a string."""
    kind = type(value)
    return isinstance(value, (tuple, str)) or kind.__module__.partition(".")[0] in ("builtins", "numpy", "torch") and (
        not isinstance(value, (type, types.ModuleType)) and not callable(value))


def is_library_code(function: types.FunctionType) -> bool:
    return function.__code__.co_filename.startswith(LIBRARY) and is_public(function)


class Watch:
    """Replaces the methods of quadrants between `start` and `stop`. `done` gets a session after each compilation."""

    def __init__(self, done: Callable[[Session], None]):
        self.done = done
        self.session: Session | None = None
        self.saved: list[tuple[type, str, Any]] = []

    def note(self, read: Callable[..., None], *what: Any) -> None:
        """Notes what a compilation read. A fault of that is a reason not to record the kernel; the JIT goes on."""
        try:
            read(*what)
        except Exception as error:
            if self.session is not None and self.session.failure is None:
                fault = "" if isinstance(error, NoText) else f"a fault of the recorder: {type(error).__name__}: "
                self.session.failure = f"{fault}{error}"

    def replace(self, owner: type, name: str, make: Callable[[Any], Any]) -> None:
        original = owner.__dict__[name]
        self.saved.append((owner, name, original))
        setattr(owner, name, make(original))

    def start(self) -> None:
        self.replace(Kernel, "materialize", self.materialize)
        self.replace(Kernel, "_try_load_fastcache", lambda original: no_fastcache)
        self.replace(FuncBase, "get_tree_and_ctx", self.get_tree_and_ctx)
        self.replace(ASTTransformerFuncContext, "get_var_by_name", self.get_var_by_name)
        self.replace(ASTTransformer, "build_Attribute", self.told(self.read_attribute))
        self.replace(ASTTransformer, "build_Subscript", self.told(self.read_item))
        self.replace(ASTTransformer, "build_Call", self.told(self.read_call))

    def stop(self) -> None:
        for owner, name, original in reversed(self.saved):
            setattr(owner, name, original)
        self.saved.clear()

    def materialize(self, original):
        def materialize(kernel, key, py_args, arg_features=None):
            if key in kernel.materialized_kernels or derivative_of(kernel) is None or (
                    kernel.func is CLEARS_GRADIENTS):
                return original(kernel, key=key, py_args=py_args, arg_features=arg_features)
            try:
                session = Session(kernel, py_args, call_site())
            except Exception as error:
                session = Session(kernel, (), "?")
                session.failure = f"a fault of the recorder: {type(error).__name__}: {error}"
            outer, self.session = self.session, session
            try:
                original(kernel, key=key, py_args=py_args, arg_features=arg_features)
                session.used = set(kernel.used_py_dataclass_parameters_by_key_enforcing.get(key) or ())
            except BaseException as error:
                session.failure = f"quadrants does not compile it: {error}"
                raise
            finally:
                self.session = outer
                self.done(session)

        return materialize

    def get_tree_and_ctx(self, original):
        def get_tree_and_ctx(base, *args, **kwargs):
            if self.session is not None:
                self.note(self.enter, base, args, kwargs)
            return original(base, *args, **kwargs)

        return get_tree_and_ctx

    def enter(self, base: FuncBase, args: tuple, kwargs: dict) -> None:
        if kwargs.get("is_kernel", True) or not is_library_code(base.func):
            self.session.enter(base.func, kwargs.get("py_args") or (args[0] if args else ()))

    def get_var_by_name(self, original):
        def get_var_by_name(context, name):
            result = original(context, name)
            if self.session is not None:
                self.note(self.read_name, context, name)
            return result

        return get_var_by_name

    def read_name(self, context: ASTTransformerFuncContext, name: str) -> None:
        is_local = any(name in scope for scope in context.local_scopes)
        if not is_local and name in context.global_vars and name not in context.template_vars:
            self.session.read_name(context.func.func, name, context.global_vars[name])

    def told(self, read: Callable[[ASTTransformerFuncContext, Any], None]) -> Callable[[Any], Any]:
        """Makes the replacement of a method that builds a node: the session reads each node then."""
        def make(original):
            build = original.__func__ if isinstance(original, staticmethod) else original

            def build_node(context, node):
                result = build(context, node)
                if self.session is not None:
                    self.note(read, context, node)
                return result

            return staticmethod(build_node)

        return make

    def read_attribute(self, context: ASTTransformerFuncContext, node: ast.Attribute) -> None:
        self.session.read_member(getattr(node.value, "ptr", None), node.attr)
        self.read_python(context, node)

    def read_item(self, context: ASTTransformerFuncContext, node: ast.Subscript) -> None:
        use = self.session.functions.get(context.func.func)
        if isinstance(getattr(node.value, "ptr", None), np.ndarray) or use and place_of(node.value) in use.statics:
            self.read_python(context, node)

    def read_python(self, context: ASTTransformerFuncContext, node: ast.Attribute | ast.Subscript) -> None:
        if is_of_python(getattr(node.value, "ptr", None)) and is_constant(node.ptr):
            self.session.read_static(context.func.func, node, node.ptr)

    def read_call(self, context: ASTTransformerFuncContext, node: ast.Call) -> None:
        called = getattr(node.func, "ptr", None)
        is_static = called is impl.static and len(node.args) == 1
        if is_constant(node.ptr) and (is_static or runs_in_python(called, node)):
            self.session.read_static(context.func.func, node, node.ptr)
            self.session.work_out(called)
        elif isinstance(called, (type, types.FunctionType, types.MethodType)):
            self.session.follow(called, [])
            self.session.reach_loose()


def no_fastcache(kernel, args, key):
    """In place of Kernel._try_load_fastcache: a kernel out of that cache would not be compiled, and so not seen."""
    kernel._l1_key = kernel._pruning_paths_from_l1 = kernel.fast_checksum = None
    return None
