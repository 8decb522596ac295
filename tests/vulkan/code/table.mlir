// With buffer-addresses, arrays come in a table of addresses, which a task of few arrays reads where
// it begins, and the values follow it. Accesses tell their alignment. A buffer that is reached as
// elements and as words has two types of pointers.
// RUN: sextant-opt %s --emit=asm --target=vulkan:1.1+buffer-addresses/wave32 | FileCheck %s

// CHECK: OpCapability PhysicalStorageBufferAddresses
// CHECK: OpExtension "SPV_KHR_physical_storage_buffer"
// CHECK: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// CHECK-NOT: Binding {{[1-9]}}
// CHECK-DAG: %_struct_[[F32:[0-9]+]] = OpTypeStruct %_runtimearr_float
// CHECK-DAG: %_struct_[[I64:[0-9]+]] = OpTypeStruct %_runtimearr_ulong
// CHECK-DAG: %_struct_[[BYTES:[0-9]+]] = OpTypeStruct %_runtimearr_uchar
// CHECK-DAG: %_struct_[[WORDS:[0-9]+]] = OpTypeStruct %_runtimearr_uint
// CHECK: OpFunction
// CHECK: [[AT:%[0-9]+]] = OpAccessChain %{{.*}} %{{[0-9]+}} %uint_0 %uint_0
// CHECK: [[A:%[0-9]+]] = OpLoad %_ptr_PhysicalStorageBuffer__struct_[[F32]] [[AT]]
// CHECK: [[AT:%[0-9]+]] = OpAccessChain %{{.*}} %{{[0-9]+}} %uint_0 %uint_1
// CHECK: [[B:%[0-9]+]] = OpLoad %_ptr_PhysicalStorageBuffer__struct_[[I64]] [[AT]]
// CHECK: [[AT:%[0-9]+]] = OpAccessChain %{{.*}} %{{[0-9]+}} %uint_0 %uint_2
// CHECK: [[W:%[0-9]+]] = OpLoad %_ptr_PhysicalStorageBuffer__struct_[[WORDS]] [[AT]]
// CHECK: [[AT:%[0-9]+]] = OpAccessChain %{{.*}} %{{[0-9]+}} %uint_0 %uint_2
// CHECK: [[C:%[0-9]+]] = OpLoad %_ptr_PhysicalStorageBuffer__struct_[[BYTES]] [[AT]]
// CHECK: [[E:%[0-9]+]] = OpAccessChain %_ptr_PhysicalStorageBuffer_float [[A]] %uint_0 %{{[0-9]+}}
// CHECK: OpLoad %float [[E]] Aligned 4
// CHECK: OpStore %{{[0-9]+}} %{{[0-9]+}} Aligned 4
// CHECK: [[E:%[0-9]+]] = OpAccessChain %_ptr_PhysicalStorageBuffer_ulong [[B]] %uint_0 %{{[0-9]+}}
// CHECK: OpLoad %ulong [[E]] Volatile|Aligned 8
// CHECK: OpStore %{{[0-9]+}} %{{[0-9]+}} Aligned 8
// CHECK: [[E:%[0-9]+]] = OpAccessChain %_ptr_PhysicalStorageBuffer_uchar [[C]] %uint_0 %{{[0-9]+}}
// CHECK: OpLoad %uchar [[E]] Aligned 1
// CHECK: OpAccessChain %_ptr_PhysicalStorageBuffer_uint [[W]] %uint_0
// CHECK: OpAtomicCompareExchange
module attributes {simt.wave = 32 : i32} {
  func.func @table(%a: !simt.buffer<f32, global>, %n: i32, %b: !simt.buffer<i64, global>,
                   %c: !simt.buffer<i8, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %a[%t] : !simt.buffer<f32, global>, i32
    simt.store %v, %a[%n] : !simt.buffer<f32, global>, i32
    %w = simt.load volatile %b[%t] : !simt.buffer<i64, global>, i32
    simt.store %w, %b[%n] : !simt.buffer<i64, global>, i32
    %x = simt.load %c[%t] : !simt.buffer<i8, global>, i32
    %old = simt.atomic_rmw addi %x, %c[%n] : !simt.buffer<i8, global>, i32
    return
  }
}
