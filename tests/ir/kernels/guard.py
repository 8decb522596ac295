# A parallel loop is an index, a guard and a body; extents are parameters.
# RUN: %sextant compile %s -o %t.sxt --targets=cpu:x86-64-v3/wave32 --dump-ir=irgen | FileCheck %s
# With -g, instructions carry the lines of this file.
# RUN: %sextant compile %s -g -o %t.sxt --targets=compute_80
# RUN: %sextant disasm %t.sxt | FileCheck %s --check-prefix=LINES
import quadrants as qd


# CHECK: module @saxpy attributes {simt.wave = 32 : i32}
# CHECK: func.func @saxpy_t0(%[[A:.*]]: f32, %[[X:.*]]: !simt.buffer<f32, global>, %[[N:.*]]: i32 {simt.nonnegative}, %[[Y:.*]]: !simt.buffer<f32, global>, %{{.*}}: i32 {simt.nonnegative})
# CHECK-SAME: simt.task = {block_dim = 128 : i32}
# CHECK: %[[I:.*]] = arith.addi
# CHECK: %[[IN:.*]] = arith.cmpi slt, %[[I]], %[[N]] : i32
# CHECK-NEXT: scf.if %[[IN]] {
# CHECK-DAG: %[[XI:.*]] = simt.load %[[X]][%[[I]]] : !simt.buffer<f32, global>, i32
# CHECK-DAG: %[[YI:.*]] = simt.load %[[Y]][%[[I]]] : !simt.buffer<f32, global>, i32
# CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[XI]] : f32
# CHECK: %[[S:.*]] = arith.addf %[[P]], %[[YI]] : f32
# CHECK: simt.store %[[S]], %[[Y]][%[[I]]]
# CHECK-NEXT: }
# CHECK-NEXT: return
@qd.kernel
def saxpy(a: qd.f32, x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    # LINES: .loc 1 [[#@LINE+4]] 20
    # LINES: ld.global.f32
    # LINES: .loc 1 [[#@LINE+2]] 27
    for i in range(x.shape[0]):
        y[i] = a * x[i] + y[i]
