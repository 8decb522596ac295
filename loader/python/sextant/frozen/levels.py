"""How the elements of a field lie in its tree of nodes, by what the nodes tell of sizes and offsets.

Most fields are plain: elements side by side, row by row, at an address that suits a whole element. Others have levels:
`(axis, extent, stride)`, from the outermost to the innermost, with the stride in scalars. So lie fields that share
cells, that are in blocks, that have their axes in another order, and vectors where only their scalars are aligned.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from quadrants.lang.field import Field
from quadrants.lang.matrix import MatrixField

from .._core import SCALAR_TYPES
from .._signatures import size_of

SIZES = {dtype: size_of(dtype) for dtype in SCALAR_TYPES}
ROOT_ALIGNMENT = 16  # the least of what quadrants allocates for a tree


class NotInPlace(Exception):
    """Memory that kernels of a module cannot use as it lies. The message says why."""


Level = tuple[int, int, int]


@dataclasses.dataclass(frozen=True)
class Lie:
    """The bytes from the root's cell to a field, and its levels; none where it is plain."""

    root: Any
    offset: int
    levels: tuple[Level, ...]


def lie_of(field: Field, always: bool = False) -> Lie:
    """Raises NotInPlace where the tree is sparse, or an element is not in one piece.

    always: gives the levels of a plain field, too.
    """
    nodes = [c.ptr.snode() for c in field.vars] if isinstance(field, MatrixField) else [field._snode.ptr]
    size = SIZES[field.dtype.to_string()]
    first = nodes[0].offset_bytes_in_parent_cell
    if any(node.offset_bytes_in_parent_cell != first + i * size or node.parent.id != nodes[0].parent.id
           for i, node in enumerate(nodes)):
        raise NotInPlace("the components of its elements do not lie side by side")
    if any(nodes[0].offset):
        raise NotInPlace("its indices begin at an offset")
    offset, node = first, nodes[0].parent
    axes = dict(zip(sorted(extents_of(node)), axes_in_memory(field)))  # a field may have the axes of `qd.ik`
    levels: list[Level] = []
    while node.type.name == "dense":
        stride = node.cell_size_bytes
        if stride % size:
            raise NotInPlace("its elements are not apart by whole scalars")
        above = extents_of(node.parent)
        for axis, extent in sorted(extents_of(node).items(), reverse=True):
            own = extent // above.get(axis, 1)
            if own > 1:
                levels.insert(0, (axes[axis], own, stride // size))
            stride *= own
        offset += node.offset_bytes_in_parent_cell
        node = node.parent
    if node.type.name != "root":
        raise NotInPlace(f"it lies in a sparse tree ({node.type.name})")
    if not always and is_plain(levels, axes_in_memory(field), len(nodes), offset, size):
        return Lie(node, offset, ())
    missing = set(range(len(axes))) - {axis for axis, _, _ in levels}
    levels += [(axis, 1, 1) for axis in sorted(missing)]
    return Lie(node, offset, tuple(levels) or ((0, 1, 1),))


def is_plain(levels: list[Level], axes: tuple[int, ...], components: int, offset: int, size: int) -> bool:
    element = components * size
    if offset % min(element & -element, ROOT_ALIGNMENT):
        return False
    if [axis for axis, _, _ in levels] != [a for a in axes if a in {axis for axis, _, _ in levels}]:
        return False
    expected = components
    for _, extent, stride in reversed(levels):
        if stride != expected:
            return False
        expected *= extent
    return True


def axes_in_memory(field: Field) -> tuple[int, ...]:
    """The axes that the nodes' axes are: `order` and `layout` of a field permute them."""
    return tuple(getattr(field, "_qd_layout", None) or range(len(field.shape)))


def extents_of(node: Any) -> dict[int, int]:
    """The extents of a node's axes, down from the root."""
    if node.type.name == "root":
        return {}
    axes = [axis for axis in node.get_physical_index_position() if axis >= 0]
    return {axis: node.get_shape_along_axis(index) for index, axis in enumerate(axes)}


def scalars_of(levels: tuple[Level, ...], components: int) -> int:
    """The scalars from the first to the last one of a field."""
    return sum((extent - 1) * stride for _, extent, stride in levels) + components


def physical_shape(array: Any) -> tuple[int, ...]:
    """The extents of a plain field as they are in memory, outermost first."""
    return tuple(array.shape[axis] for axis in axes_in_memory(array))


def count_of(shape: tuple[int, ...], element: tuple[int, ...]) -> int:
    return math.prod(shape) * math.prod(element)
