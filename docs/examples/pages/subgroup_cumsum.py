# From the page "Subgroup primitives": Inclusive scan with inclusive_add_tiled.
import quadrants as qd
from quadrants.lang.simt import subgroup


@qd.kernel
def cumsum(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=32)
    for i in range(a.shape[0]):
        a[i] = subgroup.inclusive_add_tiled(a[i], 5)
