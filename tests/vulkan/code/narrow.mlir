// 8- and 16-bit integers are carried in 32 bits: buffers need the storage features, and
// nothing needs 8- or 16-bit arithmetic. Arrays of the block and the thread hold words.
// RUN: %spirv | FileCheck %s

// CHECK-NOT: OpCapability Int8
// CHECK-NOT: OpCapability Int16
// CHECK: OpCapability StorageBuffer16BitAccess
// CHECK: OpCapability StorageBuffer8BitAccess
// CHECK-NOT: OpCapability Int8
// CHECK-NOT: OpCapability Int16
// CHECK: OpExtension "SPV_KHR_8bit_storage"
module attributes {simt.wave = 32 : i32} {
  // CHECK: OpDecorate %_runtimearr_uchar ArrayStride 1
  // CHECK: OpDecorate %_runtimearr_ushort ArrayStride 2
  // CHECK: %_arr_uint_uint_16 = OpTypeArray %uint %uint_16
  // CHECK: OpVariable %_ptr_Workgroup__arr_uint_uint_16 Workgroup
  // CHECK: OpVariable %_ptr_Function__arr_uint_uint_4 Function
  // CHECK: %[[A:.*]] = OpLoad %uchar
  // CHECK: %[[B:.*]] = OpUConvert %uint %[[A]]
  // The sum wraps at 8 bits, and its sign counts in the comparison.
  // CHECK: %[[S:.*]] = OpIAdd %uint %[[B]] %[[B]]
  // CHECK: OpBitwiseAnd %uint %[[S]] %uint_255
  // CHECK: OpBitFieldSExtract %uint %{{.*}} %uint_0 %uint_8
  // CHECK: OpSLessThan %bool
  // CHECK: OpUConvert %ushort
  func.func @narrow(%x: !simt.buffer<i8, global>, %y: !simt.buffer<i16, global>, %k: i32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "tile" : !simt.buffer<i8, shared, 16>
    %p = simt.private : !simt.buffer<i16, private, 4>
    %t = simt.thread_idx
    %a = simt.load %x[%t] : !simt.buffer<i8, global>, i32
    %b = arith.addi %a, %a : i8
    simt.store %b, %s[%k] : !simt.buffer<i8, shared, 16>, i32
    %c = simt.load %s[%t] : !simt.buffer<i8, shared, 16>, i32
    %q = arith.cmpi slt, %b, %c : i8
    %e = arith.extui %q : i1 to i16
    simt.store %e, %p[%k] : !simt.buffer<i16, private, 4>, i32
    %f = simt.load %p[%t] : !simt.buffer<i16, private, 4>, i32
    simt.store %f, %y[%t] : !simt.buffer<i16, global>, i32
    return
  }
}
