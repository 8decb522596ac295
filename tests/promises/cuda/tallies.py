# Updates at data-dependent places go through a table in shared memory, in a loop over the blocks of
# iterations: of each thread one look at the tag, and an atomic there or in device memory. Reals are
# added once for a warp that has one place. Other uses of memory after the update, and old values
# that are used, keep one atomic a thread.
# RUN: %show_cuda_90 %s | FileCheck %s
# RUN: %sextant compile %s -o %t.sxt --targets cuda:sm_90,x86-64-v3/wave8 -j 1
# RUN: %sextant inspect %t.sxt | FileCheck %s --check-prefix=GRID
import quadrants as qd

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)


# GRID-LABEL: kernel behind(
# GRID-NOT: min(
# CHECK-LABEL: .entry behind_t0(
# CHECK-NOT: .shared
# CHECK: {{(red|atom)}}.global.add.u32
# CHECK-NOT: {{(red|atom)\.}}
# CHECK: ret;
@qd.kernel
def behind(x: I32, bins: I32):
    for i in x:
        bins[x[i]] += 1
        x[i] = 0


# GRID-LABEL: kernel counts(
# GRID-DAG: task counts_t0 512 threads a block, max(min(x.shape[0], 262144), min(x.shape[0], (x.shape[0] - 2147483647) * 4294967296)) iterations
# GRID-DAG: task counts_t0 128 threads a block, x.shape[0] iterations
# CHECK-LABEL: .entry counts_t0(
# CHECK-COUNT-2: .shared .align 16 .b8 {{.*}}[16384]
# CHECK: mov.u32 {{.*}}, %nctaid.x
# CHECK: bar.sync
# CHECK-DAG: ld.volatile.shared.u32
# CHECK-DAG: atom.shared.cas.b32
# CHECK-DAG: atom.shared.add.u32
# CHECK-DAG: atom.global.add.u32
# CHECK: bar.sync
# CHECK: atom.global.add.u32
# CHECK: ret;
@qd.kernel
def counts(x: I32, bins: I32):
    for i in x:
        bins[x[i]] += 1


# CHECK-LABEL: .entry sums_t0(
# CHECK: bar.sync
# CHECK: activemask.b32
# CHECK: shfl.sync.idx
# CHECK: vote.sync.all.pred
# CHECK-COUNT-5: shfl.sync.bfly
# CHECK: atom.shared.add.f32
# CHECK: bar.sync
# CHECK: ret;
@qd.kernel
def sums(x: I32, v: F32, bins: F32):
    for i in x:
        bins[x[i]] += v[i]
