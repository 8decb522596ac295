"""Launches of a kernel of a module in place of one of quadrants: its arguments, with their memory as it lies.

A `Bound` is made for one set of objects (ndarrays, fields, containers) and used while a program passes the same ones.
Then only scalars and arrays of other libraries are set anew.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterator

import numpy as np
import sextant
from quadrants.lang._ndarray import Ndarray
from quadrants.lang.field import Field
from quadrants.lang.kernel import Kernel
from quadrants.lang.matrix import Matrix, MatrixType
from quadrants.lang.struct import Struct, StructField, StructType
from quadrants.types import primitive_types

from .levels import Level, count_of, physical_shape, scalars_of
from .memory import Tree, address_of_field, address_of_ndarray, address_of_structs
from .table import leaf
from .values import cell_size, is_container, is_external, member_of

SCALARS = (bool, int, float)


@dataclasses.dataclass(frozen=True)
class Place:
    """The memory of an ndarray or a field: extents and element's extents as they lie there.

    `levels`: of fields whose elements do not lie side by side. The kernels then have an array of scalars, from the
    first to the last; `components` of them are one element.
    """

    address: int
    dtype: str
    shape: tuple[int, ...]
    element: tuple[int, ...]
    owner: Any
    levels: tuple[Level, ...] = ()
    components: int = 1

    @property
    def pointer(self) -> sextant.Pointer:
        return sextant.Pointer(self.address, self.dtype, self.shape, self.element, owner=self.owner)

    @property
    def count(self) -> int:
        return count_of(self.shape, self.element)

    def own(self) -> np.ndarray:
        """The numbers of the scalars that are the field's own, and not of what lies between its elements."""
        if not self.levels:
            return np.arange(self.count)
        numbers = np.arange(self.components)
        for _, extent, stride in reversed(self.levels):
            numbers = np.add.outer(np.arange(extent) * stride, numbers).ravel()
        return np.sort(numbers)


def place_of(value: Any, roots: dict[int, Tree], parameter: Any = None) -> Place:
    """The memory of an ndarray or a field. `parameter`: of the module's kernel, which knows the scalars of structs.

    Raises NotInPlace, where kernels of a module cannot use the memory as it lies.
    """
    if isinstance(value, StructField):
        address, shape = address_of_structs(value, roots), physical_shape(value)
        if parameter is None:
            return Place(address, "u8", shape, (cell_size(value),), value)
        return Place(address, parameter.dtype, shape, tuple(parameter.element_shape), value)
    element = element_shape(value)
    if isinstance(value, Ndarray):
        shape = tuple(value._physical_shape or value.shape)
        return Place(address_of_ndarray(value), value.dtype.to_string(), shape, element, value)
    address, lie = address_of_field(value, roots)
    dtype, components = value.dtype.to_string(), count_of((), element)
    if not lie.levels:
        place = Place(address, dtype, physical_shape(value), element, value)
        if parameter is None or parameter.ndim != 1 or tuple(parameter.element_shape):
            return place
        return dataclasses.replace(place, shape=(place.count,), element=())  # another member of its structs has levels
    return Place(address, dtype, (scalars_of(lie.levels, components),), (), value, lie.levels, components)


class Bound:
    """A prepared launch, and what it must look at again each time.

    `varying`: the numbers of the arguments that each launch sets; `watched`: members of objects that can be set again,
    with the value that they had. `places`: the memory of the arrays and of the kernel's fields, for checks. `copies`:
    of arrays in host memory, by their place in `varying`, where the kernel runs on a GPU.
    """

    def __init__(self, launch: Any, values: list[Any], varying: list[tuple[int, int]],
                 watched: list[tuple[int, tuple[str, ...], Any]], places: dict[str, Place],
                 copies: dict[int, sextant.Array]):
        self.launch, self.values, self.watched, self.places, self.copies = launch, values, watched, places, copies
        self.numbers = [number for number, _ in varying]
        self.varying = tuple([position for _, position in varying])
        self.lives: list[Any] = []

    def run(self, values: tuple) -> None:
        """Launches."""
        if self.copies:
            self.through_copies(values, self.launch.run)
        else:
            self.launch.run(values)

    def through_copies(self, values: tuple, launch: Callable[[tuple], Any]) -> Any:
        """Launches on copies of the arrays in host memory, and copies back what it left, as the JIT does."""
        for place, copy in self.copies.items():
            copy.write(on_host(values[place]))
        result = launch(tuple([self.copies.get(place, value) for place, value in enumerate(values)]))
        for place, copy in self.copies.items():
            copy.read(on_host(values[place]))
        return result

    def call(self, values: tuple) -> Any:
        """Launches, waits, and returns the kernel's results."""
        return self.through_copies(values, self.call_in_place)

    def call_in_place(self, values: tuple) -> Any:
        for number, value in zip(self.numbers, values):
            self.values[number] = argument(value)
        names = (parameter.name for parameter in self.launch.kernel.parameters)
        return self.launch.kernel(**dict(zip(names, self.values)))

    def is_current(self, arguments: tuple) -> bool:
        for position, names, value in self.watched:
            found = arguments[position]
            for name in names:
                found = member_of(found, name)
            if found is not value and (type(found) not in SCALARS or found != value):
                return False
        return True


def on_host(value: Any) -> Any:
    """An array of numpy or torch in host memory, in C order, as one of numpy; None for all else."""
    if not is_external(value):
        return None
    if hasattr(value, "data_ptr"):
        if value.device.type != "cpu":
            return None
        value = value.detach().numpy()
    return value if value.flags.c_contiguous and value.flags.writeable else None


def element_shape(value: Any) -> tuple[int, ...]:
    if isinstance(value, Ndarray):
        return tuple(value.element_shape)
    if not hasattr(value, "n"):
        return ()
    return (value.n,) if value.ndim == 1 else (value.n, value.m)


def argument(value: Any) -> Any:
    """Returns what the module's kernel takes for an argument of quadrants that is not an array of its own."""
    return value.to_list() if isinstance(value, Matrix) else value


def bind(kernel: Kernel, module_kernel: Any, instance: dict, arguments: tuple, roots: dict[int, Tree],
         device: sextant.Device) -> Bound:
    """Prepares a launch with these arguments. Raises NotInPlace, sextant.Error."""
    names = [meta.name for meta in kernel.arg_metas]
    values, varying, places, copies = [], [], {}, {}
    for number, parameter in enumerate(module_kernel.parameters):
        first, *rest = parameter.name.split(".")
        value = leaf(kernel, arguments, parameter.name)
        if isinstance(value, (Ndarray, Field)):
            place = places[f"argument `{parameter.name}`"] = place_of(value, roots, parameter)
            values.append(place.pointer)
        else:
            host = on_host(value) if device.name != "cpu" and not rest else None
            if host is not None:
                copies[len(varying)] = value = sextant.Array(device, host.shape, parameter.dtype)
            values.append(argument(value))
            if not rest:
                varying.append((number, names.index(first)))
    launch = module_kernel.prepare(**dict(zip((p.name for p in module_kernel.parameters), values)))
    launch.vary(*(number for number, _ in varying))
    watched = []
    for path in {*instance["values"], *instance["aliases"].values(), *(p.name for p in module_kernel.parameters)}:
        first, *rest = path.split(".")
        position = names.index(first)
        if rest and not is_frozen(arguments[position], rest):
            watched.append((position, tuple(rest), raw(arguments[position], rest)))
    return Bound(launch, values, varying, watched, places, copies)


def raw(value: Any, names: list[str]) -> Any:
    for name in names:
        value = member_of(value, name)
    return value


def is_frozen(value: Any, names: list[str]) -> bool:
    """True if no member on the way to `names` can be set again."""
    for name in names:
        if isinstance(value, list):
            return False
        if is_container(value):
            parameters = getattr(type(value), "__dataclass_params__", None)
            if parameters is None or not parameters.frozen:
                return False
        value = member_of(value, name)
    return True


def result_of(kernel: Kernel, values: Any) -> Any:
    """Returns these values as quadrants does: numbers as they are, matrices as `qd.Matrix`, structs as `qd.Struct`,
    of which a launch returns the members, also those of structs in them, one after the other."""
    kinds = kernel.return_type
    if kinds is None:
        return None
    given = iter(values if sum(map(count_of_results, kinds)) > 1 else [values])
    results = tuple(one_result(kind, given) for kind in kinds)
    return results[0] if len(kinds) == 1 else results


def count_of_results(kind: Any) -> int:
    return sum(map(count_of_results, kind.members.values())) if isinstance(kind, StructType) else 1


def one_result(kind: Any, given: Iterator[Any]) -> Any:
    if isinstance(kind, StructType):
        members = {name: one_result(member, given) for name, member in kind.members.items()}
        result = Struct({**members, "__struct_methods": kind.methods})
        result._Struct__dtype = kind.dtype
        return result
    value = next(given)
    if isinstance(kind, MatrixType):
        return kind([scalar for row in value for scalar in (row if isinstance(row, (list, tuple)) else [row])])
    if isinstance(value, (list, tuple)):
        return Matrix(value)
    if kind in primitive_types.integer_types or kind is int:
        return int(value)
    return value
