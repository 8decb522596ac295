# The form of hints to caches and loops on AMD.
# RUN: %show_gfx942_wave64 %s | FileCheck %s --check-prefixes=CHECK,GFX9
# RUN: %show_gfx1100_wave32 %s | FileCheck %s --check-prefixes=CHECK,GFX11
import quadrants as qd

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
V4 = qd.types.ndarray(dtype=qd.types.vector(4, qd.f32), ndim=1)


# CHECK-LABEL: words_t0:
# GFX9: global_load_dword {{.*}} nt
# GFX11: global_load_b32 {{.*}} slc dlc
# CHECK: global_load_{{dword|b32}} {{.*}}off{{$}}
# GFX9: global_store_dword {{.*}} nt
# GFX11: global_store_b32 {{.*}} glc slc dlc
@qd.kernel
def words(x: F32, y: F32, out: F32):
    for i in x:
        qd.store(out, i, qd.load(x, i, cache="stream") + qd.load(y, i, cache="global"), cache="stream")


# Vectors are one access.
# CHECK-LABEL: vectors_t0:
# GFX9: global_load_dwordx4 {{.*}} nt
# GFX11: global_load_b128 {{.*}} slc dlc
# CHECK-NOT: global_load
# GFX9: global_store_dwordx4 {{.*}} nt
# GFX11: global_store_b128 {{.*}} glc slc dlc
# CHECK-NOT: global_store
@qd.kernel
def vectors(x: V4, out: V4):
    for i in x:
        qd.store(out, i, 2.0 * qd.load(x, i, cache="stream"), cache="stream")


# A value that all lanes read alike, and nobody writes, is read once for the wave.
# CHECK-LABEL: alike_t0:
# CHECK: s_load_{{dword|b32}} s{{[0-9]+}}, s[{{[0-9:]+}}], {{null|0x14}}
# CHECK-NOT: global_load
# CHECK: s_endpgm
@qd.kernel
def alike(x: F32, out: F32):
    for i in out:
        qd.store(out, i, qd.load(x, 5, cache="readonly"), cache="all")


# CHECK-LABEL: by_three_t0:
# CHECK-COUNT-4: v_sin_f32
# CHECK-NOT: v_sin_f32
# CHECK: s_endpgm
@qd.kernel(fast_math=True)
def by_three(x: F32, n: qd.i32):
    for i in x:
        s = x[i]
        qd.loop_config(unroll=3)
        for j in range(n):
            s = qd.sin(s + j)
        x[i] = s


# CHECK-LABEL: never_t0:
# CHECK-COUNT-1: v_sin_f32
# CHECK-NOT: v_sin_f32
# CHECK: s_endpgm
@qd.kernel(fast_math=True)
def never(x: F32):
    for i in x:
        s = x[i]
        qd.loop_config(unroll=1)
        for j in range(4):
            s = qd.sin(s + j)
        x[i] = s
