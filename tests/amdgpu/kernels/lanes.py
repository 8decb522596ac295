# Shuffles of every kind and distance, the lane index divergent, uniform or constant.
# Row by row; T is the build's.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.i32
KIND = 0  # which of `constants`: xor, up, down, index, broadcast


@qd.func
def move(kind: qd.template(), v, lane):
    r = v
    if qd.static(kind == 0):
        r = subgroup.shuffle_xor(v, lane)
    elif qd.static(kind == 1):
        r = subgroup.shuffle_up(v, lane)
    elif qd.static(kind == 2):
        r = subgroup.shuffle_down(v, lane)
    elif qd.static(kind == 3):
        r = subgroup.shuffle(v, lane)
    else:
        r = subgroup.broadcast(v, lane)
    return r


@qd.kernel
def divergent(
    src: qd.types.ndarray(dtype=T, ndim=1),
    lanes: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out: qd.types.ndarray(dtype=T, ndim=2),
):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        for k in qd.static(range(4)):
            out[k, i] = move(k, src[i], qd.cast(lanes[i], qd.u32))


@qd.kernel
def uniform(
    src: qd.types.ndarray(dtype=T, ndim=1), lane: qd.i32, out: qd.types.ndarray(dtype=T, ndim=2)
):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        for k in qd.static(range(5)):
            out[k, i] = move(k, src[i], qd.cast(lane, qd.u32))


@qd.kernel
def constants(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        v = src[i]
        for lane in qd.static(range(subgroup.group_size())):
            out[lane, i] = move(KIND, v, qd.u32(lane))


@qd.kernel
def partly(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    # Only some lanes want the result; all give their value.
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        v = src[i] * 3
        lane = subgroup.invocation_id()
        for k in qd.static(range(subgroup.log2_group_size())):
            moved = move(KIND, v, qd.u32(1 << k))
            if lane % 5 == 1:
                out[k, i] = moved


@qd.kernel
def crowded(
    src: qd.types.ndarray(dtype=T, ndim=1),
    lanes: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out: qd.types.ndarray(dtype=T, ndim=2),
):
    # Every byte of shared memory is the kernel's own.
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        all_of_it = qd.simt.block.SharedArray((16384,), qd.i32)
        tid = qd.simt.block.thread_idx()
        for k in qd.static(range(4)):
            all_of_it[tid + k * 5418] = tid * 7 + k
        for k in qd.static(range(4)):
            out[k, i] = move(k, src[i], qd.cast(lanes[i], qd.u32))
        for k in qd.static(range(4)):
            out[4 + k, i] = qd.cast(all_of_it[tid + k * 5418], T)


@qd.kernel
def patterns(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    # Indices that are functions of the lane.
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        v = src[i]
        lane = subgroup.invocation_id()
        row = lane & ~15
        out[0, i] = subgroup.shuffle(v, qd.cast(lane ^ 11, qd.u32))
        out[1, i] = subgroup.shuffle(v, qd.cast((lane // 4) * 4 + 3 - lane % 4, qd.u32))
        out[2, i] = subgroup.shuffle(v, qd.cast((lane & ~3) | 2, qd.u32))
        out[3, i] = subgroup.shuffle(v, qd.cast(row | ((lane - 5) & 15), qd.u32))
        out[4, i] = subgroup.shuffle(v, qd.cast(lane & ~7, qd.u32))
        out[5, i] = subgroup.shuffle(v, qd.cast((row ^ 16) | ((lane * 7) & 15), qd.u32))
        out[6, i] = subgroup.shuffle(v, qd.cast((lane + 1) & 31, qd.u32))
