"""A wave of one lane: each subgroup operation on itself. wave1.sh has the results."""
import quadrants as qd
from quadrants.lang.simt import block, subgroup


@qd.func
def last(a, b):
    return b


@qd.kernel
def alone(x: qd.types.ndarray(dtype=qd.i32, ndim=1), y: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    qd.loop_config(block_dim=4)
    for i in range(4):
        v = x[i]
        y[i, 0] = subgroup.group_size()
        y[i, 1] = qd.cast(subgroup.invocation_id(), qd.i32)
        y[i, 2] = subgroup.reduce_all_add(v) + subgroup.reduce_max(v) * 100
        y[i, 3] = subgroup.inclusive_add(v)
        y[i, 4] = subgroup.exclusive_add(v)
        y[i, 5] = qd.cast(subgroup.ballot(v > 1), qd.i32)
        y[i, 6] = qd.cast(subgroup.any_true(v > 1), qd.i32) * 10 + qd.cast(subgroup.all_true(v > 1), qd.i32)
        y[i, 7] = subgroup.broadcast_first(v) + subgroup.shuffle(v, qd.cast(0, qd.u32)) * 100
        y[i, 8] = block.reduce_all_add(v, block_dim=4, dtype=qd.i32)
        y[i, 9] = block.exclusive_add(v, block_dim=4, dtype=qd.i32)
        y[i, 10] = block.sync_count_nonzero(qd.cast(v > 1, qd.i32))
