# The demands of a loop on its blocks.
import quadrants as qd
from quadrants.lang.simt import subgroup, block

A = qd.types.ndarray(dtype=qd.f32, ndim=1)

@qd.kernel
def sizes(a: A):
    qd.loop_config(block_dim=0)  # error: `block_dim` of `qd.loop_config` has to be between 1 and 1024, not 0
    for i in range(4):
        a[i] = 1
    qd.loop_config(block_dim=a.shape[0])  # error: `block_dim` of `qd.loop_config` has to be a compile-time integer, not a run-time i32
    for i in range(4):
        a[i] = 1
