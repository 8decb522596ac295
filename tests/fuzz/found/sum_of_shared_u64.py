# gfx12: a 64-bit sum over lanes of a value that they share did not compile: LLVM's DPP addition
# had a scalar register where only a vector register may be.
#
# launch k
# scalar p u64 - 80000000ffffffff
# array y u64 64 zero
# array z u64 64 zero
# end
import quadrants as qd
from quadrants.lang.simt import subgroup


@qd.kernel
def k(
    p: qd.u64, y: qd.types.ndarray(dtype=qd.u64, ndim=1), z: qd.types.ndarray(dtype=qd.u64, ndim=1)
):
    qd.loop_config(block_dim=64)
    for i in range(64):
        y[i] = subgroup.reduce_all_add(p)
        z[i] = subgroup.inclusive_add(p * p)
