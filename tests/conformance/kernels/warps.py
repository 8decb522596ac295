# CUDA's operations on warps of 32 lanes, `qd.simt.warp`.
import quadrants as qd
from quadrants.lang.simt import warp

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
floats = qd.types.ndarray(dtype=qd.f32, ndim=1)
FULL = 0xFFFFFFFF


@qd.kernel
def shuffles(x: ints, y: floats, by: ints, out: ints, reals: floats):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        k = by[i]
        out[4 * i] = warp.shfl_sync_i32(qd.u32(FULL), x[i], k)
        out[4 * i + 1] = warp.shfl_up_i32(FULL, x[i], k)
        out[4 * i + 2] = warp.shfl_down_i32(-1, x[i], k)
        out[4 * i + 3] = warp.shfl_xor_i32(qd.u32(FULL), x[i], k)
        reals[3 * i] = warp.shfl_sync_f32(qd.u32(FULL), y[i], k)
        reals[3 * i + 1] = warp.shfl_up_f32(qd.u32(FULL), y[i], k)
        reals[3 * i + 2] = warp.shfl_down_f32(qd.u32(FULL), y[i], k)


@qd.kernel
def votes(x: ints, out: ints):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        out[6 * i] = warp.all_nonzero(qd.u32(FULL), x[i])
        out[6 * i + 1] = warp.any_nonzero(qd.u32(FULL), x[i])
        out[6 * i + 2] = warp.unique(qd.u32(FULL), x[i])
        out[6 * i + 3] = warp.ballot(x[i])
        out[6 * i + 4] = warp.match_any(qd.u32(FULL), x[i])
        out[6 * i + 5] = warp.match_all(qd.u32(FULL), x[i])
