# Whole products by Hopper's unit: a step of 64 elements is four instructions of each warpgroup, from shared memory,
# where one bulk copy for A and four for B bring it.
# RUN: %sextant compile %s --targets sm_90a -o %t.sxt --save-temps=%t && FileCheck %s < %t/product.cuda-sm_90a-wave32.ptx
import quadrants as qd

Half = qd.types.ndarray(qd.f16, 2)


# CHECK-LABEL: .entry product_t1_matmul(
# CHECK-COUNT-5: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
# CHECK-NOT: cp.async.bulk.tensor.2d.shared
# CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
# CHECK-NOT: {{wgmma.mma_async|mma.sync}}
# CHECK: cp.async.bulk.wait_group.read 0;
# CHECK-COUNT-4: cp.async.bulk.tensor.2d.global.shared::cta.bulk_group
# CHECK-NOT: cp.async.bulk.tensor
# CHECK: cp.async.bulk.wait_group.read 0;
# CHECK-LABEL: .entry product_t2_matmul_by_blocks(
@qd.kernel
def product(a: Half, b: Half, c: Half, workspace: qd.types.ndarray(qd.u64, 1)):
    qd.tensors.matmul(a, b, c, workspace)
