# Bulk copies between device memory and shared memory by NVIDIA's Hopper (PTX ISA, "Tensor" and
# "mbarrier"), and the tensor maps that describe an array to them.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import subgroup

_MAP = 16  # u64 of a tensor map


# The first element of `workspace` that lies at a multiple of 128 bytes.
@qd.func
def _first(workspace: qd.template()):
    address = subgroup._address(workspace, 0)
    return qd.cast((qd.u64(0) - address) >> 3 & 15, qd.i32)


# PTX's number of an element's type.
@qd.func
def _map_type(dtype: qd.template()):
    if qd.static(dtype == qd.f16):
        return 6
    elif qd.static(dtype == qd.bf16):
        return 10
    else:
        return 7 if qd.static(dtype == qd.f32) else 0


# Makes the tensor map of an array, of which copies take boxes of `rows` by 128 bytes. `axes` are the array's, those of the
# columns and of the rows first. One thread makes it, in a task before those that use it. A map of zeros with all of its fields replaced has
# the 64 bytes that the driver's cuTensorMapEncodeTiled gives the hardware (seen on an H200, driver 580).
@qd.func
def _make_map(
    workspace: qd.template(),
    number: qd.template(),
    array: qd.template(),
    rows: qd.template(),
    axes: qd.template() = (1, 0),
):
    first = _first(workspace) + number * _MAP
    for i in range(_MAP):
        workspace[first + i] = qd.u64(0)
    to = subgroup._address(workspace, first)
    size = qd.static(tensors._size(array.dtype))
    _replace(to, "global_address", "b64", "#", subgroup._address(array, [0 for _ in qd.static(range(len(axes)))]))
    _replace(to, "rank", "b32", f"{len(axes) - 1}")
    for n in qd.static(range(len(axes))):
        _replace(to, "box_dim", "b32", f"{n}, {128 // size if n == 0 else rows if n == 1 else 1}")
        _replace(to, "global_dim", "b32", f"{n}, #", qd.u32(array.shape[axes[n]]))
        _replace(to, "element_stride", "b32", f"{n}, 1")
        if qd.static(n > 0):
            stride = qd.u64(size)
            for axis in qd.static(range(axes[n] + 1, len(axes))):
                stride = stride * qd.u64(array.shape[axis])
            _replace(to, "global_stride", "b64", f"{n - 1}, #", stride)
    _replace(to, "elemtype", "b32", f"{_map_type(array.dtype)}")
    _replace(to, "interleave_layout", "b32", "0")
    _replace(to, "swizzle_mode", "b32", "3")
    _replace(to, "fill_mode", "b32", "0")
    subgroup._instruction("fence.proxy.tensormap::generic.release.gpu;", None, (), True, True)


@qd.func
def _replace(to, field: qd.template(), width: qd.template(), value: qd.template(), operand: qd.template() = None):
    text = qd.static(f"tensormap.replace.tile.{field}.global.b1024.{width} [#], {value};")
    if qd.static(operand is None):
        subgroup._instruction(text, None, (to,), True, True)
    else:
        subgroup._instruction(text, None, (to, operand), True, True)


# The address of a map, of which this thread may then use what another task has written.
@qd.func
def _map(workspace: qd.template(), number: qd.template()):
    address = subgroup._address(workspace, _first(workspace) + number * _MAP)
    subgroup._instruction("fence.proxy.tensormap::generic.acquire.gpu [#], 128;", None, (address,), True, True)
    return address


# ---- Copies -----------------------------------------------------------------------------


# Starts the copy of a box, which begins at a row and a column, to shared memory. It arrives at a barrier. `more` are the
# indices along the map's other axes.
@qd.func
def _load(to, map_address, row, col, barrier, more: qd.template() = ()):
    rank = qd.static(2 + len(more))
    subgroup._instruction(
        f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes [#], [#, {{{rank}}}], [#];",
        None,
        (to, map_address, qd.i32(col), qd.i32(row), more, barrier),
        True,
        True,
    )


# Starts the copy of a box from shared memory. What lies outside of the array is left out.
@qd.func
def _store(map_address, row, col, source, more: qd.template() = ()):
    rank = qd.static(2 + len(more))
    subgroup._instruction(
        f"cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group [#, {{{rank}}}], [#];",
        None,
        (map_address, qd.i32(col), qd.i32(row), more, source),
        True,
        True,
    )


# Ends a group of such copies; waits until all have been read from shared memory.
@qd.func
def _end_stores():
    subgroup._instruction("cp.async.bulk.commit_group;", None, (), True, True)


@qd.func
def _await_stores():
    subgroup._instruction("cp.async.bulk.wait_group.read 0;", None, (), True, True)


# Shows bulk copies and matrix units what threads wrote to shared memory.
@qd.func
def _show_writes():
    subgroup._instruction("fence.proxy.async.shared::cta;", None, (), True, True)


# ---- Barriers ---------------------------------------------------------------------------


@qd.func
def _make_barrier(barrier, arrivals: qd.template()):
    subgroup._instruction(f"mbarrier.init.shared::cta.b64 [#], {arrivals};", None, (barrier,), True, True)


@qd.func
def _show_barriers():
    subgroup._instruction("fence.mbarrier_init.release.cluster;", None, (), True, True)


@qd.func
def _arrive(barrier):
    subgroup._instruction("mbarrier.arrive.shared::cta.b64 _, [#];", None, (barrier,), True, True)


# Arrives, and lets the barrier wait for so many bytes of copies.
@qd.func
def _expect(barrier, bytes: qd.template()):
    subgroup._instruction(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [#], {bytes};", None, (barrier,), True, True)


# Waits until the barrier's phase of that parity is over.
@qd.func
def _await(barrier, parity):
    subgroup._instruction(
        "{ .reg .pred over; again: mbarrier.try_wait.parity.shared::cta.b64 over, [#], #; "
        "@over bra on; bra again; on: }",
        None,
        (barrier, parity),
        True,
        True,
    )
