"""Runs a launch twice, by the JIT and from the module, and compares all that the two left.

Integers must be equal. Reals may differ by the order of sums and by fast math, which the JIT has on unless
`qd.init(fast_math=False)`: by TOLERANCE, of the value or of the array's largest one over 100, whichever is more; and by
64 units in the last place of the largest number in any array of the launch, since sums may cancel, plus 4 for each
square root of the number of scalars, since the rounding of sums grows with it.

Launches that draw random numbers are not compared: the module has another generator than the JIT. Each launch begins
with what the one before left, for both; so those after it are compared on the same numbers.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
from quadrants.lang import runtime_ops
from quadrants.lang.struct import StructField

from .._core import SCALAR_TYPES
from .launches import Place, element_shape, on_host
from .levels import SIZES, count_of
from .values import cell_size, derivative_of, is_external, leaves_of, offset_in_cell

TYPES = {dtype: np.dtype(word) for dtype, (_, word) in SCALAR_TYPES.items()}
REALS = {dtype: t.type for dtype, t in TYPES.items() if t.kind == "f"}
# Types that numpy knows as raw bytes, and truth values, are compared by their bits.
INTEGERS = {dtype: t.type if t.kind in "iu" else getattr(np, f"uint{8 * t.itemsize}")
            for dtype, t in TYPES.items() if t.kind != "f"}
EPSILON = float(np.finfo(np.float32).eps)  # for results, whose types are not known
COUNTER = "qd_random"
TOLERANCE = {"f16": 1e-2, "f32": 1e-3, "f64": 1e-6}


class Difference(Exception):
    """The module's kernel and the JIT's left different values. The message names the kernel, argument and element."""


def compare(frozen: Any, kernel: Any, bound: Any, arguments: tuple) -> Any:
    """Launches by both, leaves what the module's kernel left, and returns its results. Raises Difference."""
    host = HostMemory()
    device = host if frozen.device.name == "cpu" else CudaMemory()
    places = [(device if is_there else host, *place) for is_there, *place in memory_of(kernel, bound, arguments)]
    before = [memory.read(address, bytes_of(dtype, count)) for memory, _, address, dtype, count, _ in places]
    expected_result = frozen.original(kernel, *arguments)
    runtime_ops.sync()
    expected = [memory.read(address, len(old)) for (memory, _, address, *_), old in zip(places, before)]
    for (memory, _, address, *_), old in zip(places, before):
        memory.write(address, old)
    drawn = launches_that_drew(frozen)
    result = frozen.launch(kernel, bound, arguments)
    frozen.device.synchronize()
    if launches_that_drew(frozen) != drawn:
        frozen.counts.drew += 1
        return result
    name = f"{kernel.func.__module__}.{kernel.func.__qualname__}"
    largest = max((largest_in(scalars(dtype, data, own)) for data_of_all in (before, expected)
                   for (*_, dtype, _, own), data in zip(places, data_of_all) if dtype in REALS), default=0.0)
    units = 64 + 4 * math.sqrt(max((len(own) for *_, own in places), default=0))
    for (memory, what, address, dtype, _, own), old, other in zip(places, before, expected):
        found = memory.read(address, len(other))
        if found == other:
            continue
        left, right = scalars(dtype, found, own), scalars(dtype, other, own)
        if derivative_of(kernel):  # the module's clears gradients that it has used; the JIT's leaves them
            left = np.where((left == 0) & (right == scalars(dtype, old, own)), right, left)
        difference(name, what, dtype, left, right, units * largest)
    for found, other in zip(flat(result), flat(expected_result)):
        tolerance, floor = (1e-3, units * largest * EPSILON) if isinstance(other, float) else (0.0, 0.0)
        if not close(np.float64(found), np.float64(other), tolerance, floor).all():
            raise Difference(f"{name}: the module's kernel returns {found}, the JIT's {other}")
    return result


def launches_that_drew(frozen: Any) -> int:
    """How many launches of the module drew random numbers; the program counts them (library/random.py)."""
    return int(frozen.program.field(COUNTER).numpy()[1]) if COUNTER in frozen.program.fields else 0


def memory_of(kernel: Any, bound: Any, arguments: tuple):
    """The arrays of a launch and the fields of its kernel: whether it lies on the device, a name, the address, the
    type, the number of scalars there, and which of them are its own."""
    for name, place in bound.places.items():
        if isinstance(place.owner, StructField):
            yield from members_of(name, place.owner, place)
        else:
            yield True, name, place.address, place.dtype, place.count, place.own()
    for number, position in zip(bound.numbers, bound.varying):
        value = arguments[position]
        if is_external(value):
            address = value.data_ptr() if hasattr(value, "data_ptr") else value.ctypes.data
            size = value.element_size() if hasattr(value, "element_size") else value.itemsize
            dtype = bound.launch.kernel.parameters[number].dtype
            count = math.prod(value.shape) * size // SIZES[dtype]
            name = f"argument `{kernel.arg_metas[position].name}`"
            yield on_host(value) is None, name, address, dtype, count, np.arange(count)


def members_of(name: str, field: StructField, place: Place):
    """The same of structs that lie in one piece each, member by member: each has all of the memory, as its own type."""
    cell, first = cell_size(place.owner), min(offset_in_cell(leaf) for leaf in leaves_of(place.owner))
    for member, inner in field.field_dict.items():
        if isinstance(inner, StructField):
            yield from members_of(f"{name}.{member}", inner, place)
            continue
        dtype, cells = inner.dtype.to_string(), math.prod(place.shape)
        size = SIZES[dtype]
        numbers = (offset_in_cell(inner) - first) // size + np.arange(count_of((), element_shape(inner)))
        own = np.add.outer(np.arange(cells) * (cell // size), numbers).ravel()
        yield True, f"{name}.{member}", place.address, dtype, cells * cell // size, own


def bytes_of(dtype: str, count: int) -> int:
    return SIZES[dtype] * count


def scalars(dtype: str, data: bytes, own: np.ndarray) -> np.ndarray:
    """The scalars of a field or an array, reals as f64."""
    found = np.frombuffer(data, INTEGERS.get(dtype) or REALS[dtype])[own]
    return found.astype(np.float64) if dtype in REALS else found


def largest_in(numbers: np.ndarray) -> float:
    """The largest finite number of an array of reals."""
    return float(np.max(np.abs(numbers), initial=0.0, where=np.isfinite(numbers)))


def difference(kernel: str, what: str, dtype: str, left: np.ndarray, right: np.ndarray, floor: float) -> None:
    floor = floor * float(np.finfo(REALS[dtype]).eps) if dtype in REALS else 0.0
    wrong = np.flatnonzero(~close(left, right, TOLERANCE.get(dtype, 0.0), floor))
    if wrong.size:
        first = wrong[0]
        raise Difference(f"{kernel}: {what}: {wrong.size} of {left.size} scalars differ; scalar {first} is "
                         f"{left[first]} from the module and {right[first]} by the JIT")


def close(left: np.ndarray, right: np.ndarray, tolerance: float, floor: float = 0.0) -> np.ndarray:
    if tolerance == 0:
        return left == right
    finite = right[np.isfinite(right)] if right.ndim else right
    scale = np.maximum(np.abs(right), np.max(np.abs(finite), initial=0.0) / 100)
    with np.errstate(invalid="ignore"):
        return (left == right) | (np.isnan(left) & np.isnan(right)) | (
            np.abs(left - right) <= np.maximum(tolerance * scale, floor))


def flat(value: Any) -> list[Any]:
    if value is None:
        return []
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if hasattr(value, "to_list"):
        value = value.to_list()
    value = list(value.values()) if isinstance(value, dict) else value
    return [x for v in value for x in flat(v)] if isinstance(value, (list, tuple)) else [value]


class HostMemory:
    """Memory that this process can read as it is."""

    def read(self, address: int, size: int) -> bytes:
        return ctypes.string_at(address, size)

    def write(self, address: int, data: bytes) -> None:
        ctypes.memmove(address, data, len(data))


class CudaMemory:
    """Memory of the current CUDA context, copied by the driver, which waits for the work before it."""

    def __init__(self) -> None:
        self.driver = ctypes.CDLL("libcuda.so.1")

    def read(self, address: int, size: int) -> bytes:
        data = ctypes.create_string_buffer(size)
        self.test(self.driver.cuMemcpyDtoH_v2(data, ctypes.c_uint64(address), ctypes.c_size_t(size)))
        return data.raw

    def write(self, address: int, data: bytes) -> None:
        self.test(self.driver.cuMemcpyHtoD_v2(ctypes.c_uint64(address), data, ctypes.c_size_t(len(data))))

    def test(self, status: int) -> None:
        if status:
            raise RuntimeError(f"CUDA's driver cannot copy memory of the GPU (error {status})")
