# The sort example of the subgroup page; its block is one wave of 32.
# waves: 4 8 16 32
import quadrants as qd
from quadrants.lang.simt import subgroup

@qd.kernel
def sort_contacts(keys: qd.types.ndarray(dtype=qd.f32, ndim=1),
                  idxs: qd.types.ndarray(dtype=qd.i32, ndim=1),
                  n_con: qd.i32):
    qd.loop_config(block_dim=32)
    for tid in range(32):
        # Load real data into the low n_con lanes; sentinel-pad the rest. +inf compares greater than every real
        # key, so the sentinels drift to the high end of the sort.
        my_key = qd.f32(1.0e30)
        my_idx = qd.i32(-1)
        if tid < n_con:
            my_key = keys[tid]
            my_idx = idxs[tid]
        my_key, my_idx = subgroup.bitonic_sort_kv(my_key, my_idx)
        if tid < n_con:
            keys[tid] = my_key
            idxs[tid] = my_idx
