# From the page "Subgroup primitives": Broadcast the sum to all lanes with reduce_all_add_tiled.
import quadrants as qd
from quadrants.lang.simt import subgroup


@qd.kernel
def normalize32(a: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=32)
    for i in range(a.shape[0]):
        total = subgroup.reduce_all_add_tiled(a[i], 5)
        a[i] = a[i] / total
