# Attention by Hopper's unit, of heads of 128 elements: the scores of 64 rows of a warpgroup and 128 of k are 8
# instructions from shared memory, and the product with v another 8, whose left operand lies in registers. There are four
# copies of the loop's body: before the loop, with a test of each score, without, and after it.
# RUN: %sextant compile %s --targets sm_90a -o %t.sxt --save-temps=%t && FileCheck %s < %t/attend.cuda-sm_90a-wave32.ptx
import quadrants as qd

Heads = qd.types.ndarray(qd.bf16, 4)


# CHECK-LABEL: .entry attend_t1_attention(
# CHECK-COUNT-6: cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes
# CHECK-NOT: cp.async.bulk.tensor.4d.shared
# CHECK-COUNT-8: setp.{{ne|eq}}.u32 more, 0, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
# CHECK-NOT: wgmma.mma_async
# CHECK: ex2.approx.ftz.f32
# CHECK: bar.sync
# CHECK-COUNT-16: wgmma.mma_async
# CHECK: bar.arrive
# CHECK: ex2.approx.ftz.f32
# CHECK-COUNT-16: wgmma.mma_async
# CHECK: ex2.approx.ftz.f32
# CHECK-COUNT-8: wgmma.mma_async
# CHECK-NOT: {{wgmma.mma_async|mma.sync}}
# CHECK: cvt.rn.bf16x2.f32
# CHECK-COUNT-2: cp.async.bulk.tensor.4d.global.shared::cta.bulk_group
# CHECK-LABEL: .entry attend_t2_attention_by_blocks(
# CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
# CHECK-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
# CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
@qd.kernel
def attend(q: Heads, k: Heads, v: Heads, out: Heads, workspace: qd.types.ndarray(qd.u64, 1)):
    qd.tensors.attention(q, k, v, out, workspace, 128, causal=True)
