"""Where the memory of quadrants' ndarrays and fields lies, for kernels that use it in place.

An ndarray has an address. A field has one in its tree (levels.py), and quadrants tells a tree's own address: by a
DLPack capsule of a field that it makes one of without torch, or by a kernel. Addresses stay as they are
until the field's tree is destroyed or `qd.reset()`.
"""

from __future__ import annotations

import ctypes
from typing import Any, Iterator, NamedTuple

import quadrants as qd
from quadrants.lang import impl
from quadrants.lang._ndarray import Ndarray
from quadrants.lang.field import Field
from quadrants.lang.kernel import Kernel
from quadrants.lang.struct import StructField

from .levels import Lie, lie_of
from .values import leaves_of


class _Tensor(ctypes.Structure):
    """DLTensor of dlpack.h, up to what is read here."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("dtype", ctypes.c_uint8 * 4), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("offset", ctypes.c_uint64)]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
CAPSULES = ("i32", "i64", "f32", "f64")  # types that quadrants makes capsules of


class Tree(NamedTuple):
    """Where a tree of fields lies."""

    address: int
    size: int


def address_of_ndarray(array: Ndarray) -> int:
    return impl.get_runtime().prog.get_ndarray_data_ptr_as_int(array.arr)


def address_of_field(field: Field, roots: dict[int, Tree]) -> tuple[int, Lie]:
    """The address of a field. `roots`: the trees by their number. Raises NotInPlace."""
    lie = lie_of(field)
    return root_address(lie, field, roots) + lie.offset, lie


def address_of_structs(field: StructField, roots: dict[int, Tree]) -> int:
    """The same for structs that lie in one piece each, side by side."""
    first = min(leaves_of(field), key=lambda leaf: lie_of(leaf).offset)
    return address_of_field(first, roots)[0]


def root_address(lie: Lie, field: Field, roots: dict[int, Tree]) -> int:
    """The address of the cell of a tree's root."""
    number = lie.root.get_snode_tree_id()
    if number not in roots:
        node = next((node for node in leaf_nodes(lie.root) if node.data_type().to_string() in CAPSULES
                     and offset_in_tree(node) == 0), None)  # quadrants asks torch whether it takes other offsets
        address = address_by_kernel(field) - lie.offset if node is None else address_by_capsule(node)
        roots[number] = Tree(address, lie.root.cell_size_bytes)
    return roots[number].address


def leaf_nodes(node: Any) -> Iterator[Any]:
    """The nodes of fields below one, as far as nodes are dense."""
    for number in range(node.get_num_ch()):
        child = node.get_ch(number)
        if child.is_place():
            yield child
        elif child.type.name == "dense":
            yield from leaf_nodes(child)


def offset_in_tree(node: Any) -> int:
    """Where the first element of a field lies."""
    offset, above = node.offset_bytes_in_parent_cell, node.parent
    while above.type.name != "root":
        offset, above = offset + above.offset_bytes_in_parent_cell, above.parent
    return offset


def address_by_capsule(node: Any) -> int:
    """The address of the first element of a tree."""
    capsule = impl.get_runtime().prog.field_to_dlpack(node, 0, 0, 0, versioned=False)
    tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    return tensor.data + tensor.offset


JIT = Kernel.__call__  # before runtime.py takes its place


@qd.kernel
def address_of_first(x: qd.template(), index: qd.template()) -> qd.u64:
    return qd.get_addr(x, index)


def address_by_kernel(field: Field) -> int:
    scalar = field.get_scalar_field(*[0] * field.ndim) if hasattr(field, "n") else field
    return JIT(address_of_first._primal, scalar, (0,) * len(field.shape))
