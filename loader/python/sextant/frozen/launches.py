"""Launches of a kernel of a module in place of one of quadrants: its arguments, with their memory as it lies.

A `Bound` is made for one set of objects (ndarrays, fields, containers) and used while a program passes the same ones.
Then only scalars and arrays of other libraries are set anew.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import sextant
from quadrants.lang._ndarray import Ndarray
from quadrants.lang.field import Field
from quadrants.lang.kernel import Kernel
from quadrants.lang.matrix import Matrix
from quadrants.lang.struct import StructField
from quadrants.types import primitive_types

from .memory import address_of_ndarray, cell_size, physical_shape, place_of_field
from .table import leaf
from .values import is_container

SCALARS = (bool, int, float)


@dataclasses.dataclass(frozen=True)
class Place:
    """The memory of an ndarray or a field: extents and element's extents as they lie there."""

    address: int
    dtype: str
    shape: tuple[int, ...]
    element: tuple[int, ...]
    owner: Any

    @property
    def pointer(self) -> sextant.Pointer:
        return sextant.Pointer(self.address, self.dtype, self.shape, self.element, owner=self.owner)

    @property
    def count(self) -> int:
        return math.prod(self.shape) * math.prod(self.element)


def place_of(value: Any, roots: dict[int, int], parameter: Any = None) -> Place:
    """The memory of an ndarray or a field. `parameter`: of the module's kernel, which knows the scalars of structs.

    Raises NotInPlace, where kernels of a module cannot use the memory as it lies.
    """
    if isinstance(value, StructField):
        address, shape = place_of_field(value, roots)
        if parameter is None:
            return Place(address, "u8", shape, (cell_size(value),), value)
        return Place(address, parameter.dtype, shape, tuple(parameter.element_shape), value)
    element = element_shape(value)
    if isinstance(value, Ndarray):
        return Place(address_of_ndarray(value), value.dtype.to_string(), physical_shape(value), element, value)
    address, shape = place_of_field(value, roots)
    return Place(address, value.dtype.to_string(), shape, element, value)


class Bound:
    """A prepared launch, and what it must look at again each time.

    `varying`: the numbers of the arguments that each launch sets; `watched`: members of objects that can be set again,
    with the value that they had. `places`: the memory of the arrays and of the kernel's fields, for checks.
    """

    def __init__(self, launch: Any, values: list[Any], varying: list[tuple[int, int]],
                 watched: list[tuple[int, tuple[str, ...], Any]], places: dict[str, Place]):
        self.launch, self.values, self.watched, self.places = launch, values, watched, places
        self.numbers = [number for number, _ in varying]
        self.varying = tuple([position for _, position in varying])
        self.lives: list[Any] = []

    def call(self, values: tuple) -> Any:
        """Launches, waits, and returns the kernel's results."""
        for number, value in zip(self.numbers, values):
            self.values[number] = argument(value)
        names = (parameter.name for parameter in self.launch.kernel.parameters)
        return self.launch.kernel(**dict(zip(names, self.values)))

    def is_current(self, arguments: tuple) -> bool:
        for position, names, value in self.watched:
            found = arguments[position]
            for name in names:
                found = getattr(found, name)
            if found is not value and (type(found) not in SCALARS or found != value):
                return False
        return True


def element_shape(value: Any) -> tuple[int, ...]:
    if isinstance(value, Ndarray):
        return tuple(value.element_shape)
    if not hasattr(value, "n"):
        return ()
    return (value.n,) if value.ndim == 1 else (value.n, value.m)


def argument(value: Any) -> Any:
    """What the module's kernel takes for an argument of quadrants that is no array of its own."""
    return value.to_list() if isinstance(value, Matrix) else value


def bind(kernel: Kernel, module_kernel: Any, instance: dict, arguments: tuple, roots: dict[int, int]) -> Bound:
    """Prepares a launch with these arguments. Raises NotInPlace, sextant.Error."""
    names = [meta.name for meta in kernel.arg_metas]
    values, varying, places = [], [], {}
    for number, parameter in enumerate(module_kernel.parameters):
        first, *rest = parameter.name.split(".")
        value = leaf(kernel, arguments, parameter.name)
        if isinstance(value, (Ndarray, Field)):
            place = places[f"argument `{parameter.name}`"] = place_of(value, roots, parameter)
            values.append(place.pointer)
        else:
            values.append(argument(value))
            if not rest:
                varying.append((number, names.index(first)))
    launch = module_kernel.prepare(**dict(zip((p.name for p in module_kernel.parameters), values)))
    launch.vary(*(number for number, _ in varying))
    watched = []
    for path in {*instance["values"], *(p.name for p in module_kernel.parameters)}:
        first, *rest = path.split(".")
        position = names.index(first)
        if rest and not is_frozen(arguments[position], rest):
            watched.append((position, tuple(rest), raw(arguments[position], rest)))
    return Bound(launch, values, varying, watched, places)


def raw(value: Any, names: list[str]) -> Any:
    for name in names:
        value = getattr(value, name)
    return value


def is_frozen(value: Any, names: list[str]) -> bool:
    """Whether no member on the way to `names` can be set again."""
    for name in names:
        if is_container(value):
            parameters = getattr(type(value), "__dataclass_params__", None)
            if parameters is None or not parameters.frozen:
                return False
        value = getattr(value, name)
    return True


def result_of(kernel: Kernel, values: Any) -> Any:
    """What quadrants returns of these values: numbers as they are, matrices as `qd.Matrix`."""
    if kernel.return_type is None:
        return None
    if len(kernel.return_type) == 1:
        return one_result(kernel.return_type[0], values)
    return tuple(one_result(kind, value) for kind, value in zip(kernel.return_type, values))


def one_result(kind: Any, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return Matrix(value)
    if kind in primitive_types.integer_types or kind is int:
        return int(value)
    return value
