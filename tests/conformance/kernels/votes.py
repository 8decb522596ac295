# Votes, ballots, lane masks. T is the build's: predicates may have any type.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.i32


@qd.kernel
def vote(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        v = src[i]
        for k in qd.static(range(subgroup.log2_group_size() + 1)):
            out[3 * k, i] = subgroup.all_true_tiled(v, k)
            out[3 * k + 1, i] = subgroup.any_true_tiled(v, k)
            out[3 * k + 2, i] = subgroup.all_equal_tiled(v, k)


@qd.kernel
def vote_full(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0]):
        out[0, i] = subgroup.all_true(src[i])
        out[1, i] = subgroup.any_true(src[i])
        out[2, i] = subgroup.all_equal(src[i])
        out[3, i] = subgroup.elect()
        out[4, i] = subgroup.invocation_id()
        out[5, i] = subgroup.group_size()
        out[6, i] = subgroup.log2_group_size()


@qd.kernel
def ballots(
    src: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out32: qd.types.ndarray(dtype=qd.u32, ndim=2),
    out64: qd.types.ndarray(dtype=qd.u64, ndim=1),
):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        out64[i] = subgroup.ballot(src[i])
        out32[0, i] = subgroup.ballot_first_n(src[i], 1)
        out32[1, i] = subgroup.ballot_first_n(src[i], 5)
        out32[2, i] = subgroup.ballot_first_n(src[i], 31)
        out32[3, i] = subgroup.ballot_first_n(src[i], 32)
        lane = i % 32
        out32[4, i] = subgroup.lanemask_lt(lane)
        out32[5, i] = subgroup.lanemask_le(lane)
        out32[6, i] = subgroup.lanemask_eq(lane)
        out32[7, i] = subgroup.lanemask_gt(lane)
        out32[8, i] = subgroup.lanemask_ge(lane)
