# Updates at data-dependent places go through a table in shared memory, in a loop over the blocks of
# iterations: of each thread one look at the tag, and an atomic there or in device memory. Where the
# device adds reals, lanes that have one place add once. Tables take the 16 KiB that every device has,
# and words only: shared memory may have no atomics of 64 bits. The code of a turn stands there five
# times: four turns load together, others follow.
# RUN: %show_vulkan_adds_wave32 %s | FileCheck %s
# RUN: %show_metal %s | FileCheck %s --check-prefix=MSL
# RUN: %count_vulkan_wave32 %s | FileCheck %s --check-prefix=COUNT
# RUN: %sextant compile %s -o %t.sxt --targets vulkan:1.1/wave32,metal:3.2 -j 1
# RUN: %sextant inspect %t.sxt | FileCheck %s --check-prefix=GRID
import quadrants as qd

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U64 = qd.types.ndarray(dtype=qd.u64, ndim=1)


# COUNT: behind: atomic 1{{$}}
# CHECK-LABEL: "behind_t0"
# CHECK-NOT: _ptr_Workgroup
# CHECK: OpFunctionEnd
@qd.kernel
def behind(x: I32, bins: I32):
    for i in x:
        bins[x[i]] += 1
        x[i] = 0


# GRID-LABEL: kernel counts(
# GRID: task counts_t0 256 threads a block, max(min(x.shape[0], 262144), min(x.shape[0], (x.shape[0] - 2147483647) * 4294967296)) iterations
# GRID: {{ }}16384 {{.*}} block-threads>=256{{$}}
# COUNT: counts: barrier 2 atomic 11 cas 5 bytes 16384
# CHECK-LABEL: "counts_t0"
# CHECK: OpControlBarrier
# CHECK-NOT: OpMemoryBarrier
# CHECK: OpAtomicLoad %uint %{{.*}} %uint_2
# CHECK: OpAtomicCompareExchange %uint %{{.*}} %uint_2
# CHECK: OpAtomicIAdd %uint %{{.*}} %uint_2
# CHECK: OpAtomicIAdd %uint %{{.*}} %uint_1
# CHECK: OpControlBarrier
# CHECK: OpAtomicIAdd %uint %{{.*}} %uint_1
# CHECK-NOT: OpAtomic
# CHECK: OpFunctionEnd
# MSL-LABEL: kernel void counts_t0(
# MSL-COUNT-2: threadgroup uint {{.*}}[2048];
# MSL: threadgroup_barrier(
# MSL: atomic_load_explicit((threadgroup atomic_uint*)
# MSL: atomic_compare_exchange_weak_explicit((threadgroup atomic_uint*)
# MSL: atomic_fetch_add_explicit((threadgroup atomic_uint*)
# MSL: atomic_fetch_add_explicit((device atomic_uint*)
# MSL: threadgroup_barrier(
# MSL: atomic_fetch_add_explicit((device atomic_uint*)
@qd.kernel
def counts(x: I32, bins: I32):
    for i in x:
        bins[x[i]] += 1


# The number of iterations needs no 64 bits: what is negative or large does not run.
# GRID-LABEL: kernel part(
# GRID: {{ }}16384 {{.*}} block-threads>=256{{$}}
# COUNT: part: barrier 2
# CHECK-LABEL: "part_t0"
# CHECK: OpFunctionEnd
@qd.kernel
def part(x: I32, bins: I32, a: qd.i32, b: qd.i32):
    for i, j in qd.ndrange((a, b), (1, b)):
        bins[x[i * b + j]] += 1


# COUNT: sums: barrier 2 {{.*}}bytes 16384
# CHECK-LABEL: "sums_t0"
# CHECK: OpControlBarrier
# CHECK: OpGroupNonUniformAllEqual
# CHECK: OpGroupNonUniformFAdd %float %uint_3 Reduce
# CHECK: OpGroupNonUniformElect
# CHECK-COUNT-2: OpAtomicFAddEXT %float %{{.*}} %uint_2
# CHECK: OpAtomicFAddEXT %float %{{.*}} %uint_1
# CHECK-COUNT-4: OpGroupNonUniformElect
# CHECK: OpControlBarrier
# CHECK: OpAtomicFAddEXT %float %{{.*}} %uint_1
# CHECK-NOT: OpAtomic
# CHECK: OpFunctionEnd
@qd.kernel
def sums(x: I32, v: F32, bins: F32):
    for i in x:
        bins[x[i]] += v[i]


# COUNT: wide: atomic 5{{$}}
# CHECK-LABEL: "wide_t0"
# CHECK-NOT: _ptr_Workgroup
# CHECK: OpFunctionEnd
@qd.kernel
def wide(x: I32, bins: U64):
    for i in x:
        qd.atomic_max(bins[x[i]], qd.u64(i))
