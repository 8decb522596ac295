"""Where the memory of quadrants' ndarrays and fields lies, for kernels that use it in place.

An ndarray has an address. A field lies in a tree of nodes; its address and its strides follow from the sizes and
offsets that the nodes tell. A tree's own address comes from a DLPack capsule of its first field, for which alone
quadrants makes one without torch. Addresses stay as they are until the field's tree is destroyed or `qd.reset()`.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

from quadrants.lang import impl
from quadrants.lang._ndarray import Ndarray
from quadrants.lang.field import Field
from quadrants.lang.matrix import MatrixField
from quadrants.lang.struct import StructField

from .values import leaves_of

SIZES = {"u1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8,
         "u64": 8, "f64": 8}


class NotInPlace(Exception):
    """Memory that kernels of a module cannot use as it lies. The message says why."""


class _Tensor(ctypes.Structure):
    """DLTensor of dlpack.h, up to what is read here."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("dtype", ctypes.c_uint8 * 4), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("offset", ctypes.c_uint64)]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def address_of_ndarray(array: Ndarray) -> int:
    return impl.get_runtime().prog.get_ndarray_data_ptr_as_int(array.arr)


def physical_shape(array: Ndarray | Field) -> tuple[int, ...]:
    """The extents as they are in memory, outermost first; they differ from `shape` where a layout permutes axes."""
    if isinstance(array, Ndarray):
        return tuple(array._physical_shape or array.shape)
    layout = getattr(array, "_qd_layout", None)
    return tuple(array.shape[axis] for axis in layout) if layout else tuple(array.shape)


def place_of_field(field: Field, roots: dict[int, int]) -> tuple[int, tuple[int, ...]]:
    """The address of a field and its extents in memory. `roots`: the addresses of trees, by their number.

    Raises NotInPlace where its elements do not lie side by side, or its tree is not dense.
    """
    if isinstance(field, StructField):
        return place_of_structs(field, roots)
    components = field.vars if isinstance(field, MatrixField) else [field]
    nodes = [component.ptr.snode() if isinstance(field, MatrixField) else field._snode.ptr for component in components]
    size = SIZES[field.dtype.to_string()]
    first = nodes[0].offset_bytes_in_parent_cell
    if any(node.offset_bytes_in_parent_cell != first + i * size for i, node in enumerate(nodes)) or any(
            node.parent.id != nodes[0].parent.id for node in nodes):
        raise NotInPlace("the components of its elements do not lie side by side")
    offset, expected, node = first, len(nodes) * size, nodes[0].parent
    axes: list[int] = []  # that have more than one element, from the outermost in memory
    while node.type.name == "dense":
        if node.cell_size_bytes != expected:
            raise NotInPlace("other fields lie between its elements")
        own = {axis: n // axes_of(node.parent).get(axis, 1) for axis, n in axes_of(node).items()}
        axes = [axis for axis, n in own.items() if n > 1] + axes
        expected *= math.prod(own.values())
        offset += node.offset_bytes_in_parent_cell
        node = node.parent
    if node.type.name != "root":
        raise NotInPlace(f"it lies in a sparse tree ({node.type.name})")
    if axes != sorted(set(axes)):
        raise NotInPlace("its axes are in blocks, or in another order than their names")
    return root_address(node, roots) + offset, physical_shape(field)


def place_of_structs(field: StructField, roots: dict[int, int]) -> tuple[int, tuple[int, ...]]:
    """The same for structs that lie in one piece each, side by side."""
    nodes = [leaf._snode.ptr for leaf in leaves_of(field)]
    cell = nodes[0].parent
    if min(node.offset_bytes_in_parent_cell for node in nodes) != 0 or cell.parent.type.name != "root":
        raise NotInPlace("other fields lie between its structs, or it lies in a tree of its own making")
    return root_address(cell.parent, roots) + cell.offset_bytes_in_parent_cell, physical_shape(field)


def cell_size(field: StructField) -> int:
    """The bytes of one struct of those that lie in one piece each."""
    return leaves_of(field)[0]._snode.ptr.parent.cell_size_bytes


def axes_of(node: Any) -> dict[int, int]:
    """The extents of a node's axes, down from the root."""
    if node.type.name == "root":
        return {}
    axes = [axis for axis in node.get_physical_index_position() if axis >= 0]
    return {axis: node.get_shape_along_axis(index) for index, axis in enumerate(axes)}


def root_address(root: Any, roots: dict[int, int]) -> int:
    """The address of the cell of a tree's root."""
    number = root.get_snode_tree_id()
    if number not in roots:
        node, offset = root, 0
        while not node.is_place():
            node = node.get_ch(0)
            offset += node.offset_bytes_in_parent_cell
        capsule = impl.get_runtime().prog.field_to_dlpack(node, 0, 0, 0, versioned=False)
        tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
        roots[number] = tensor.data + tensor.offset - offset
    return roots[number]
