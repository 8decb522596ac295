"""The names that values of a Python program have in the kernel language.

The recorder writes these texts into kernel files and instances; the runtime compares the texts of the values that it
meets with those that a module was built for. So one function, `text_of`, decides for both.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import inspect
import math
import types
from typing import Any

import numpy as np
import quadrants as qd
from quadrants._kernels import clear_gradients
from quadrants._tensor_wrapper import Tensor
from quadrants.lang._ndarray import Ndarray
from quadrants.lang._quadrants_callable import BoundQuadrantsCallable, QuadrantsCallable
from quadrants.lang.field import Field
from quadrants.lang.matrix import Matrix, MatrixField, MatrixNdarray, MatrixType, VectorNdarray, VectorType
from quadrants.lang.struct import StructField, StructType
from quadrants.lang.util import is_data_oriented
from quadrants.types import ndarray_type, primitive_types
from quadrants.types.enums import AutodiffMode

from .._core import SCALAR_TYPES
from .levels import ROOT_ALIGNMENT, SIZES, NotInPlace, lie_of

DTYPES = {id(t): f"qd.{t.to_string()}" for t in primitive_types.all_types if hasattr(t, "to_string")}
NUMPY = {name: f"qd.{dtype}" for dtype, (name, _) in SCALAR_TYPES.items()}


def supported_version() -> tuple[str, bool]:
    """The version of quadrants, and whether it is one that this package was made for."""
    version = qd.__version__
    text = ".".join(map(str, version)) if isinstance(version, tuple) else str(version)
    return text, text.startswith(("1.3.", "1.4."))


class NoText(Exception):
    """A value that the kernel language has no text for. The message says why, in words for the user."""


def unwrap(value: Any) -> Any:
    """The ndarray or field that a `qd.Tensor` holds; any other value as it is."""
    return value._unwrap() if isinstance(value, Tensor) else value


def is_array(value: Any) -> bool:
    return isinstance(value, (Ndarray, Field)) or is_external(value)


def is_external(value: Any) -> bool:
    """An array of numpy or torch, or of a class that is derived from theirs."""
    if isinstance(value, np.ndarray):
        return True
    return any(kind.__module__ == "torch" and kind.__name__ == "Tensor" for kind in type(value).__mro__)


def is_container(value: Any) -> bool:
    """An object whose members are values of their own: of a dataclass, or of a class of the program."""
    if isinstance(value, (type, enum.Enum, types.ModuleType, BaseException)) or callable(value):
        return False
    if is_data_oriented(value) or dataclasses.is_dataclass(value):
        return True
    package = type(value).__module__.partition(".")[0]
    return package not in ("builtins", "quadrants", "numpy", "torch") and not hasattr(value, "dtype")


def function_of(value: Any) -> types.FunctionType | None:
    """Returns the Python function that `@qd.func` or `@qd.kernel` wrapped, or a plain function itself."""
    if isinstance(value, BoundQuadrantsCallable):
        return value.quadrants_callable.fn
    if isinstance(value, QuadrantsCallable):
        return value.fn
    if isinstance(value, types.MethodType):
        return value.__func__
    return value if isinstance(value, types.FunctionType) else None


def member_function(member: Any) -> types.FunctionType | None:
    """The Python function that a member of a class is, also a static method, a class method or a property."""
    if isinstance(member, (staticmethod, classmethod)):
        member = member.__func__
    if isinstance(member, property):
        member = member.fget
    if isinstance(member, functools.cached_property):
        member = member.func
    return function_of(member)


def is_python_type(value: Any) -> bool:
    """True if a value is one of the types of Python that kernels know."""
    return value is int or value is float or value is bool


def dtype_text(dtype: Any) -> str:
    if text := DTYPES.get(id(dtype)):
        return text
    if is_python_type(dtype):
        return dtype.__name__
    name = dtype.to_string() if hasattr(dtype, "to_string") else str(dtype)
    if not hasattr(qd, name):
        raise NoText(f"the type {name} is not one of kernels")
    return f"qd.{name}"


def type_text(value: Any) -> str:
    """The text of a type: a scalar's, a vector's, a matrix' or a struct's."""
    if isinstance(value, VectorType):
        return f"qd.types.vector({value.n}, {dtype_text(value.dtype)})"
    if isinstance(value, MatrixType):
        return f"qd.types.matrix({value.n}, {value.m}, {dtype_text(value.dtype)})"
    if isinstance(value, StructType):
        if name := struct_class(value):
            return name
        return f"qd.types.struct({', '.join(f'{k}={type_text(v)}' for k, v in value.members.items())})"
    return dtype_text(value)


def struct_method(value: StructType) -> types.FunctionType | None:
    """A method of the class that a struct type was made of; only methods know that class."""
    functions = map(function_of, value.methods.values())
    return next((f for f in functions if f is not None and "." in f.__qualname__), None)


def struct_class(value: StructType) -> str | None:
    """The name of the class that a struct type was made of."""
    method = struct_method(value)
    return method and method.__qualname__.split(".")[-2]


def element_text(value: Any) -> str:
    """The element type of an ndarray or field."""
    if isinstance(value, StructField):
        return type_text(struct_type(value))
    if isinstance(value, (MatrixField, MatrixNdarray)) or isinstance(value, VectorNdarray):
        rows, columns = value.n, getattr(value, "m", 1)
        vector = isinstance(value, VectorNdarray) or getattr(value, "ndim", 2) == 1
        if vector:
            return f"qd.types.vector({rows}, {dtype_text(value.dtype)})"
        return f"qd.types.matrix({rows}, {columns}, {dtype_text(value.dtype)})"
    return dtype_text(value.dtype)


def is_interleaved(field: StructField) -> bool:
    """True if the structs lie in one piece each, side by side, and not each member in an array of its own."""
    members = leaves_of(field)
    cells = {member._snode.ptr.parent.id: member._snode.ptr.parent for member in members}
    if len(members) < 2 or len(cells) != 1:
        return False
    [cell] = cells.values()
    offsets, size, _ = record_of(field)
    is_whole = cell.get_num_ch() == sum(len(getattr(m, "vars", [m])) for m in members)
    is_alike = size == cell.cell_size_bytes and offsets == [offset_in_cell(member) for member in members]
    return is_whole and is_alike and cell.parent.type.name == "root" and (
        cell.offset_bytes_in_parent_cell % min(size & -size, ROOT_ALIGNMENT) == 0)


def record_of(field: StructField) -> tuple[list[int], int, int]:
    """Where the kernel language has the leaves of a struct that lies in one piece, and the struct's size and alignment.

    Structs in it have an alignment and an end of their own, as in C. Quadrants lays their members as those of the
    outer one, so the two may differ.
    """
    offsets: list[int] = []
    end, alignment = 0, 1
    for member in field.field_dict.values():
        if isinstance(member, StructField):
            inner, size, own = record_of(member)
        else:
            own = SIZES[member.dtype.to_string()]
            inner, size = [0], own * getattr(member, "n", 1) * getattr(member, "m", 1)
        begin = rounded_up(end, own)
        offsets += [begin + offset for offset in inner]
        end, alignment = begin + size, max(alignment, own)
    return offsets, rounded_up(end, alignment), alignment


def rounded_up(value: int, step: int) -> int:
    return -(-value // step) * step


def offset_in_cell(field: Any) -> int:
    """Where a member of a struct that lies in one piece begins."""
    return field._snode.ptr.offset_bytes_in_parent_cell


def cell_size(field: StructField) -> int:
    """The bytes of one struct of those that lie in one piece each."""
    return leaves_of(field)[0]._snode.ptr.parent.cell_size_bytes


def levels_text(field: Field) -> str:
    """The layout of a field that is not plain, for the kernel language; of structs, that of each member. Else ""."""
    try:
        if not isinstance(field, StructField):
            return str(lie_of(field).levels) if lie_of(field).levels else ""
        if is_interleaved(field) or not any(lie_of(leaf).levels for leaf in leaves_of(field)):
            return ""
        return "{" + ", ".join(f'"{name}": {all_levels_text(member)}' for name, member in field.field_dict.items()) + "}"
    except NotInPlace as error:
        raise NoText(str(error)) from None


def all_levels_text(member: Field) -> str:
    """The layout of a member of structs of which another one is not plain: its levels, also where it is plain."""
    if isinstance(member, StructField):
        return "{" + ", ".join(f'"{name}": {all_levels_text(m)}' for name, m in member.field_dict.items()) + "}"
    return str(lie_of(member, always=True).levels)


def leaves_of(field: Field) -> list[Field]:
    """The fields of scalars, vectors and matrices that a field of structs is made of."""
    if not isinstance(field, StructField):
        return [field]
    return [leaf for member in field.field_dict.values() for leaf in leaves_of(member)]


def struct_type(field: StructField) -> StructType:
    members = {}
    for name, member in field.field_dict.items():
        if isinstance(member, StructField):
            members[name] = struct_type(member)
        elif isinstance(member, MatrixField):
            vector = getattr(member, "ndim", 2) == 1
            members[name] = (qd.types.vector(member.n, member.dtype) if vector else
                             qd.types.matrix(member.n, member.m, member.dtype))
        else:
            members[name] = member.dtype
    return StructType(**members, __struct_methods=field.struct_methods)


DERIVATIVES = {AutodiffMode.NONE: "", AutodiffMode.REVERSE: "grad", AutodiffMode.FORWARD: "dual"}
CLEARS_GRADIENTS = clear_gradients._primal.func  # tapes call it; its argument is what only quadrants' compiler knows


def derivative_of(kernel: Any) -> str | None:
    """Returns what a kernel of the program is of one of the module's: "" for itself, "grad" and "dual" for its reverse
    and forward mode; None for what only the JIT has."""
    return DERIVATIVES.get(kernel.autodiff_mode)


def has_derivative(field: Field, name: str) -> bool:
    """True if a field, or a member of one of structs, has a gradient (`grad`) or a tangent (`dual`) in memory."""
    if isinstance(field, StructField):
        return any(has_derivative(member, name) for member in field.field_dict.values())
    made = getattr(field, name, None)
    if getattr(made, "_snode", None) is None:
        return False
    try:
        return made.shape is not None
    except Exception:
        return False


def array_text(value: Any, annotation: Any = None) -> str:
    """`ndarray(ELEMENT, DIMENSIONS)` of an ndarray, a field, or an array of numpy or torch."""
    if isinstance(value, (Ndarray, Field)):
        layout = tuple(getattr(value, "_qd_layout", None) or ())
        order = f", layout={layout}" if list(layout) != sorted(layout) else ""
        if isinstance(value, StructField) and is_interleaved(value):
            order = ", layout=Layout.AOS"
        if isinstance(value, Field) and (levels := levels_text(value)):
            order = f", layout={levels}"
        return f"ndarray({element_text(value)}, {len(value.shape)}{order})"
    dtype = NUMPY.get(str(value.dtype).split(".")[-1])
    if dtype is None:
        raise NoText(f"an array of {value.dtype} is not one of kernels")
    element = annotation.dtype if isinstance(annotation, ndarray_type.NdarrayType) else None
    if isinstance(element, MatrixType):
        inner = 1 if isinstance(element, VectorType) else 2
        shape = tuple(value.shape)[value.ndim - inner:]
        kind = "vector" if inner == 1 else "matrix"
        return f"ndarray(qd.types.{kind}({', '.join(map(str, shape))}, {dtype}), {value.ndim - inner})"
    return f"ndarray({dtype}, {value.ndim})"


def number_text(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "qd.math.nan" if math.isnan(value) else f"{'-' if value < 0 else ''}qd.math.inf"


def text_of(value: Any, annotation: Any = None) -> str:
    """The text of a value in the kernel language. Raises NoText."""
    value = unwrap(value)
    if value is None or isinstance(value, (bool, str)):
        return repr(value)
    if isinstance(value, enum.Enum):
        known = value.name in type(value).__members__  # a union of flags has no name
        return f"{type(value).__name__}.{value.name}" if known else text_of(value.value)
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return number_text(float(value))
    if type(value).__module__ == "numpy" and type(value).__name__ != "ndarray" and hasattr(value, "item"):
        return text_of(value.item())
    if id(value) in DTYPES or isinstance(value, (MatrixType, StructType)) or is_python_type(value):
        return type_text(value)
    if is_array(value):
        return array_text(value, annotation)
    if isinstance(value, (tuple, list)):
        texts = [text_of(v) for v in value]
        inside = ", ".join(texts) + ("," if len(texts) == 1 and isinstance(value, tuple) else "")
        return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
    if isinstance(value, range):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text_of(k)}: {text_of(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Matrix):
        entries = value.to_list()
        return f"qd.{'Matrix' if isinstance(entries[0], list) else 'Vector'}({text_of(entries)})"
    if (function := function_of(value)) is not None:
        return function.__name__
    if isinstance(value, type):
        return value.__name__
    if is_container(value):
        return type(value).__name__
    raise NoText(f"a value of {type(value).__module__}.{type(value).__qualname__} has no text in the kernel language")


def constant_text(value: Any) -> str:
    """The text of what a name, or a member of an object, means: an array of numpy is a constant there, a tuple of its
    rows."""
    return text_of(nested(unwrap(value)))


def nested(value: Any) -> Any:
    """A value with tuples of rows in place of arrays of numpy, also in lists and dictionaries. A set is a tuple, too."""
    if isinstance(value, (set, frozenset)):
        return tuple(sorted(value, key=repr))
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)(map(nested, value))
    if isinstance(value, dict):
        return {key: nested(item) for key, item in value.items()}
    return rows(value.tolist()) if is_external(value) and hasattr(value, "tolist") else value


def rows(value: Any) -> Any:
    return tuple(map(rows, value)) if isinstance(value, list) else value


def known_text(value: Any) -> str:
    """The text by which a module knows what a name means; of a long one the beginning and a hash."""
    text = constant_text(meaning_of(value))
    return text if len(text) < 200 else f"{text[:40]}… ({hashlib.sha256(text.encode()).hexdigest()[:16]})"


def meaning_of(value: Any, around: tuple = ()) -> Any:
    """A value with full names in place of functions, classes, modules, and objects, also in lists and dictionaries:
    the texts that files have for them may be those of others, too. A function in a function has its variables.

    around: the functions that have it for a variable
    """
    value = unwrap(value)
    if id(value) in DTYPES or is_python_type(value) or is_array(value):
        return value
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)([meaning_of(item, around) for item in value])
    if isinstance(value, dict):
        return {key: meaning_of(item, around) for key, item in value.items()}
    if isinstance(value, StructType):
        return [struct_class(value), {name: meaning_of(member) for name, member in value.members.items()}]
    if isinstance(value, enum.Enum):
        return [meaning_of(type(value)), value.name, meaning_of(value.value)]
    if isinstance(value, types.ModuleType):
        return value.__name__
    if is_container(value):
        value = type(value)
    named = function_of(value) or value
    if not callable(named) or not hasattr(named, "__name__"):
        return value
    name = f"{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', named.__name__)}"
    variables = variables_of(named) if isinstance(named, types.FunctionType) and named not in around else {}
    return [name, {n: meaning_of(v, (*around, named)) for n, v in variables.items()}] if variables else name


def variables_of(function: types.FunctionType) -> dict[str, Any]:
    """The variables that a function has of those around it, where they have a text."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            text_of(nested(unwrap(cell.cell_contents)))
        except (NoText, ValueError):  # an object without a text, or a variable without a value
            continue
        found[name] = cell.cell_contents
    return found


def is_named(value: Any) -> bool:
    """True if a value, or an item of it, has a text that another one may have, too."""
    return isinstance(value, (enum.Enum, type, StructType)) or is_container(value) or (
        function_of(value) is not None or any(is_named(item) for _, item in items_of(value)))


def is_constant(value: Any) -> bool:
    """True if a value has a text of its own: numbers and arrays of numpy, strings, and lists and tuples of them."""
    if isinstance(value, (list, tuple, dict)):
        return all(is_constant(item) for _, item in items_of(value))
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "biuf"
    return isinstance(value, (bool, int, float, str))


def bound_instance(value: Any) -> Any:
    """The object that a method of kernels is bound to, or None."""
    return value.instance if isinstance(value, BoundQuadrantsCallable) else None


def annotation_text(value: Any) -> str:
    """The text of an annotation of an array or of a template; of other types `type_text`."""
    if isinstance(value, ndarray_type.NdarrayType):
        parts = [] if value.dtype is None else [f"dtype={type_text(value.dtype)}"]
        if value.ndim is not None:
            parts.append(f"ndim={value.ndim}")
        return f"qd.types.ndarray({', '.join(parts)})"
    if value is ndarray_type.NdarrayType:
        return "qd.types.ndarray()"
    if value is Tensor:
        return "qd.Tensor"
    if value is qd.template or isinstance(value, qd.template):
        return "qd.template()"
    return type_text(value)


def member_of(value: Any, name: str) -> Any:
    """The member of an object, or the item of a list or a dictionary that `items_of` names so."""
    if isinstance(value, dict):
        return value[name if name in value else int(name)]
    if name in ("grad", "dual"):
        if isinstance(value, Field) and not has_derivative(value, name):
            return None  # quadrants gives each field objects for them
        if is_external(value):
            return getattr(value, name, None)
    return value[int(name)] if name.isdigit() else getattr(value, name)


def items_of(value: Any) -> list[tuple[str, Any]]:
    """The items of a list or a dictionary, with their names in paths."""
    if isinstance(value, dict):
        return [(str(key), unwrap(item)) for key, item in value.items()]
    return [(str(n), unwrap(item)) for n, item in enumerate(value)] if isinstance(value, (list, tuple)) else []


def holds_objects(value: Any) -> bool:
    """True if a value is a list or a dictionary with objects whose members kernels read."""
    return any(is_container(item) for _, item in items_of(value))


def is_library(value: Any) -> bool:
    """True if a value is part of quadrants itself."""
    module = getattr(value, "__module__", None) or getattr(value, "__name__", "")
    return isinstance(module, str) and (module == "quadrants" or module.startswith("quadrants."))


def is_public(value: Any) -> bool:
    """True if a function of quadrants is one of the language: `qd.NAME`, `qd.math.NAME`, a member of `qd.simt`."""
    name = getattr(value, "__name__", "")
    places = [qd, qd.math, qd.simt, *vars(qd.simt).values()]
    return any(function_of(vars(place).get(name)) is function_of(value) for place in places
               if isinstance(place, (types.ModuleType, type)) and function_of(vars(place).get(name)) is not None)


def source_of(function: types.FunctionType) -> tuple[list[str], int, str]:
    """The lines of a function, the number of the first, and its file. Raises OSError where there is no source."""
    lines, first = inspect.getsourcelines(function)
    return lines, first, inspect.getsourcefile(function) or ""


def source_hash(function: types.FunctionType) -> str:
    """A hash of the lines of a function, by which a module knows the program that it was recorded from."""
    lines, _, _ = source_of(function)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


@functools.cache
def file_hash(path: str) -> str:
    """A hash of a source file, "" where there is none. Equal files have equal functions, and this is quicker."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()[:16]
    except OSError:
        return ""
