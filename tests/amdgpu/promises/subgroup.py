# What subgroup operations take, counted in the code of kernels as users write them (count.awk
# tells what the words mean). No operation has a barrier, no reduction or scan touches shared
# memory; sorts and shuffles between the halves of a wave of 64 go through it on gfx10.
# RUN: %count_gfx90a_wave64 | FileCheck %s --check-prefix=G9
# RUN: %count_gfx942_wave64 | FileCheck %s --check-prefix=G9
# RUN: %count_gfx1030_wave32 | FileCheck %s --check-prefix=W32
# RUN: %count_gfx1100_wave32 | FileCheck %s --check-prefix=W32
# RUN: %count_gfx1201_wave32 | FileCheck %s --check-prefix=W32
# RUN: %count_gfx1030_wave64 | FileCheck %s --check-prefix=G10W64
# RUN: %count_gfx1100_wave64 | FileCheck %s --check-prefix=G11W64
# RUN: %count_gfx1201_wave64 | FileCheck %s --check-prefix=G11W64
import quadrants as qd
from quadrants.lang.simt import subgroup


# G9: {{^}}shuffle: dpp 0 permlane 0 lane 0 crossbar 1 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}shuffle: dpp 0 permlane 0 lane 0 crossbar 1 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}shuffle: dpp 0 permlane 0 lane 0 crossbar 0 lds 2 global 0 cas 0 barrier 0 bytes 512{{$}}
# G11W64: {{^}}shuffle: dpp 0 permlane 1 lane 0 crossbar 2 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def shuffle(x: qd.types.ndarray(dtype=qd.i32, ndim=1), n: qd.types.ndarray(dtype=qd.u32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.shuffle(x[i], n[i])


# G9: {{^}}shuffle_f64: dpp 0 permlane 0 lane 0 crossbar 2 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}shuffle_f64: dpp 0 permlane 0 lane 0 crossbar 2 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}shuffle_f64: dpp 0 permlane 0 lane 0 crossbar 0 lds 4 global 0 cas 0 barrier 0 bytes 512{{$}}
# G11W64: {{^}}shuffle_f64: dpp 0 permlane 2 lane 0 crossbar 4 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def shuffle_f64(x: qd.types.ndarray(dtype=qd.f64, ndim=1), n: qd.types.ndarray(dtype=qd.u32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.shuffle(x[i], n[i])


# G9: {{^}}broadcast: dpp 0 permlane 0 lane 2 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}broadcast: dpp 0 permlane 0 lane 2 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}broadcast: dpp 0 permlane 0 lane 2 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}broadcast: dpp 0 permlane 0 lane 2 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def broadcast(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.broadcast(x[i], qd.u32(5)) + subgroup.broadcast_first(x[i])


# G9: {{^}}shuffle_xor: dpp 1 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}shuffle_xor: dpp 1 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}shuffle_xor: dpp 1 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}shuffle_xor: dpp 1 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def shuffle_xor(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.shuffle_xor(x[i], qd.u32(1))


# G9: {{^}}elect: dpp 0 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}elect: dpp 0 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}elect: dpp 0 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}elect: dpp 0 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def elect(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.elect() + subgroup.invocation_id() * 2 + subgroup.group_size() * 128


# G9: {{^}}votes: dpp 0 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}votes: dpp 0 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}votes: dpp 0 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}votes: dpp 0 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def votes(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        v = x[i]
        x[i] = subgroup.all_true(v) + subgroup.any_true_tiled(v, 3) * 2


# G9: {{^}}all_equal: dpp 0 permlane 0 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}all_equal: dpp 0 permlane 0 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}all_equal: dpp 0 permlane 0 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}all_equal: dpp 0 permlane 0 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def all_equal(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = qd.cast(subgroup.all_equal(x[i]), qd.f32)


# G9: {{^}}reduce_add: dpp 6 permlane 0 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}reduce_add: dpp 4 permlane 1 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}reduce_add: dpp 4 permlane 1 lane 2 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}reduce_add: dpp 4 permlane 2 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def reduce_add(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_add(x[i])


# G9: {{^}}reduce_all_max: dpp 6 permlane 0 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}reduce_all_max: dpp 4 permlane 1 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}reduce_all_max: dpp 4 permlane 1 lane 2 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}reduce_all_max: dpp 4 permlane 2 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def reduce_all_max(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_all_max(x[i])


# G9: {{^}}reduce_all_add_tiled: dpp 3 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}reduce_all_add_tiled: dpp 3 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}reduce_all_add_tiled: dpp 3 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}reduce_all_add_tiled: dpp 3 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def reduce_all_add_tiled(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_all_add_tiled(x[i], 3)


# G9: {{^}}reduce_add_i64: dpp 12 permlane 0 lane 2 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}reduce_add_i64: dpp 8 permlane 2 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}reduce_add_i64: dpp 8 permlane 2 lane 4 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}reduce_add_i64: dpp 8 permlane 4 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def reduce_add_i64(x: qd.types.ndarray(dtype=qd.i64, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_add(x[i])


# G9: {{^}}inclusive_add: dpp 6 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}inclusive_add: dpp 5 permlane 1 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}inclusive_add: dpp 6 permlane 1 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}inclusive_add: dpp 6 permlane 1 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def inclusive_add(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.inclusive_add(x[i])


# G9: {{^}}inclusive_mul: dpp 6 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}inclusive_mul: dpp 4 permlane 1 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}inclusive_mul: dpp 4 permlane 1 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}inclusive_mul: dpp 4 permlane 1 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def inclusive_mul(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.inclusive_mul(x[i])


# G9: {{^}}exclusive_max: dpp 7 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}exclusive_max: dpp 6 permlane 1 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}exclusive_max: dpp 7 permlane 1 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}exclusive_max: dpp 7 permlane 1 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def exclusive_max(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.exclusive_max(x[i])


# G9: {{^}}segmented: dpp 4 permlane 0 lane 3 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}segmented: dpp 4 permlane 0 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}segmented: dpp 4 permlane 0 lane 3 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}segmented: dpp 4 permlane 0 lane 3 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def segmented(x: qd.types.ndarray(dtype=qd.i32, ndim=1), head: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.segmented_reduce_add(x[i], head[i])


# G9: {{^}}segmented_row: dpp 4 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}segmented_row: dpp 4 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}segmented_row: dpp 4 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}segmented_row: dpp 4 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def segmented_row(
    x: qd.types.ndarray(dtype=qd.i32, ndim=1), head: qd.types.ndarray(dtype=qd.i32, ndim=1)
):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.segmented_reduce_add_tiled(x[i], head[i], 4)


# G9: {{^}}sort: dpp 44 permlane 0 lane 0 crossbar 6 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}sort: dpp 28 permlane 2 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}sort: dpp 36 permlane 4 lane 0 crossbar 0 lds 4 global 0 cas 0 barrier 0 bytes 512{{$}}
# G11W64: {{^}}sort: dpp 36 permlane 6 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def sort(k: qd.types.ndarray(dtype=qd.f32, ndim=1), v: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(k.shape[0]):
        key, value = subgroup.bitonic_sort_kv(k[i], v[i])
        k[i] = key
        v[i] = value


# G9: {{^}}sort_tile: dpp 24 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}sort_tile: dpp 20 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}sort_tile: dpp 20 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}sort_tile: dpp 20 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def sort_tile(k: qd.types.ndarray(dtype=qd.f32, ndim=1), v: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(k.shape[0]):
        key, value = subgroup.bitonic_sort_kv_tiled(k[i], v[i], 4)
        k[i] = key
        v[i] = value
