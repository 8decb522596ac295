# Every shuffle and broadcast, one result row each. T is the build's.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.i32


@qd.kernel
def move(
    src: qd.types.ndarray(dtype=T, ndim=1),
    lanes: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out: qd.types.ndarray(dtype=T, ndim=2),
):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        v = src[i]
        out[0, i] = subgroup.shuffle(v, qd.cast(lanes[i], qd.u32))
        out[1, i] = subgroup.broadcast(v, qd.u32(subgroup.group_size() - 1))
        out[2, i] = subgroup.broadcast_first(v)
        for k in qd.static(range(subgroup.log2_group_size())):
            out[3 + 3 * k, i] = subgroup.shuffle_xor(v, qd.u32(1 << k))
            out[4 + 3 * k, i] = subgroup.shuffle_down(v, qd.u32(1 << k))
            out[5 + 3 * k, i] = subgroup.shuffle_up(v, qd.u32(1 << k))


@qd.func
def rotate(v, by):
    lane = subgroup.invocation_id()
    return subgroup.shuffle(v, qd.cast((lane + by) % subgroup.group_size(), qd.u32))


@qd.kernel
def placed(
    src: qd.types.ndarray(dtype=T, ndim=1), rounds: qd.i32, out: qd.types.ndarray(dtype=T, ndim=2)
):
    # Where a shuffle may stand: in a function, under a uniform condition, in loops.
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0]):
        v = src[i]
        for r in range(rounds):
            v = rotate(v, 1)
        out[0, i] = v
        w = src[i]
        if rounds > 2:
            w = rotate(w, 2)
        else:
            w = subgroup.broadcast_first(w)
        out[1, i] = w
        r = 0
        u = src[i]
        while r < rounds:
            if r % 2 == 1:
                u = subgroup.shuffle_xor(u, qd.u32(1))
            r += 1
        out[2, i] = u
        # Divergent code around it, uniform again at the shuffle.
        x = src[i]
        if i % 3 == 0:
            x = src[(i + 1) % src.shape[0]]
        out[3, i] = subgroup.shuffle_xor(x, qd.u32(1))
