// Integer arithmetic and conversions of every width.
// RUN: %ptx_75 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry arith_i8(
  // CHECK: ret;
  func.func @arith_i8(%p: !simt.buffer<i8, global>, %f: !simt.buffer<f32, global>, %d: !simt.buffer<f64, global>, %h: !simt.buffer<f16, global>, %a: i8, %b: i8, %x: f32, %y: f64, %z: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %addi = arith.addi %a, %b : i8
    %i0 = arith.constant 0 : i32
    simt.store %addi, %p[%i0] : !simt.buffer<i8, global>, i32
    %subi = arith.subi %a, %b : i8
    %i1 = arith.constant 1 : i32
    simt.store %subi, %p[%i1] : !simt.buffer<i8, global>, i32
    %muli = arith.muli %a, %b : i8
    %i2 = arith.constant 2 : i32
    simt.store %muli, %p[%i2] : !simt.buffer<i8, global>, i32
    %divsi = arith.divsi %a, %b : i8
    %i3 = arith.constant 3 : i32
    simt.store %divsi, %p[%i3] : !simt.buffer<i8, global>, i32
    %divui = arith.divui %a, %b : i8
    %i4 = arith.constant 4 : i32
    simt.store %divui, %p[%i4] : !simt.buffer<i8, global>, i32
    %remsi = arith.remsi %a, %b : i8
    %i5 = arith.constant 5 : i32
    simt.store %remsi, %p[%i5] : !simt.buffer<i8, global>, i32
    %remui = arith.remui %a, %b : i8
    %i6 = arith.constant 6 : i32
    simt.store %remui, %p[%i6] : !simt.buffer<i8, global>, i32
    %andi = arith.andi %a, %b : i8
    %i7 = arith.constant 7 : i32
    simt.store %andi, %p[%i7] : !simt.buffer<i8, global>, i32
    %ori = arith.ori %a, %b : i8
    %i8 = arith.constant 8 : i32
    simt.store %ori, %p[%i8] : !simt.buffer<i8, global>, i32
    %xori = arith.xori %a, %b : i8
    %i9 = arith.constant 9 : i32
    simt.store %xori, %p[%i9] : !simt.buffer<i8, global>, i32
    %shli = arith.shli %a, %b : i8
    %i10 = arith.constant 10 : i32
    simt.store %shli, %p[%i10] : !simt.buffer<i8, global>, i32
    %shrsi = arith.shrsi %a, %b : i8
    %i11 = arith.constant 11 : i32
    simt.store %shrsi, %p[%i11] : !simt.buffer<i8, global>, i32
    %shrui = arith.shrui %a, %b : i8
    %i12 = arith.constant 12 : i32
    simt.store %shrui, %p[%i12] : !simt.buffer<i8, global>, i32
    %minsi = arith.minsi %a, %b : i8
    %i13 = arith.constant 13 : i32
    simt.store %minsi, %p[%i13] : !simt.buffer<i8, global>, i32
    %maxsi = arith.maxsi %a, %b : i8
    %i14 = arith.constant 14 : i32
    simt.store %maxsi, %p[%i14] : !simt.buffer<i8, global>, i32
    %minui = arith.minui %a, %b : i8
    %i15 = arith.constant 15 : i32
    simt.store %minui, %p[%i15] : !simt.buffer<i8, global>, i32
    %maxui = arith.maxui %a, %b : i8
    %i16 = arith.constant 16 : i32
    simt.store %maxui, %p[%i16] : !simt.buffer<i8, global>, i32
    %absi = math.absi %a : i8
    %i17 = arith.constant 17 : i32
    simt.store %absi, %p[%i17] : !simt.buffer<i8, global>, i32
    %ctpop = math.ctpop %a : i8
    %i18 = arith.constant 18 : i32
    simt.store %ctpop, %p[%i18] : !simt.buffer<i8, global>, i32
    %ctlz = math.ctlz %a : i8
    %i19 = arith.constant 19 : i32
    simt.store %ctlz, %p[%i19] : !simt.buffer<i8, global>, i32
    %cttz = math.cttz %a : i8
    %i20 = arith.constant 20 : i32
    simt.store %cttz, %p[%i20] : !simt.buffer<i8, global>, i32
    %ceq = arith.cmpi eq, %a, %b : i8
    %seq = arith.select %ceq, %addi, %b : i8
    %i21 = arith.constant 21 : i32
    simt.store %seq, %p[%i21] : !simt.buffer<i8, global>, i32
    %cne = arith.cmpi ne, %a, %b : i8
    %sne = arith.select %cne, %addi, %b : i8
    %i22 = arith.constant 22 : i32
    simt.store %sne, %p[%i22] : !simt.buffer<i8, global>, i32
    %cslt = arith.cmpi slt, %a, %b : i8
    %sslt = arith.select %cslt, %addi, %b : i8
    %i23 = arith.constant 23 : i32
    simt.store %sslt, %p[%i23] : !simt.buffer<i8, global>, i32
    %csle = arith.cmpi sle, %a, %b : i8
    %ssle = arith.select %csle, %addi, %b : i8
    %i24 = arith.constant 24 : i32
    simt.store %ssle, %p[%i24] : !simt.buffer<i8, global>, i32
    %csgt = arith.cmpi sgt, %a, %b : i8
    %ssgt = arith.select %csgt, %addi, %b : i8
    %i25 = arith.constant 25 : i32
    simt.store %ssgt, %p[%i25] : !simt.buffer<i8, global>, i32
    %csge = arith.cmpi sge, %a, %b : i8
    %ssge = arith.select %csge, %addi, %b : i8
    %i26 = arith.constant 26 : i32
    simt.store %ssge, %p[%i26] : !simt.buffer<i8, global>, i32
    %cult = arith.cmpi ult, %a, %b : i8
    %sult = arith.select %cult, %addi, %b : i8
    %i27 = arith.constant 27 : i32
    simt.store %sult, %p[%i27] : !simt.buffer<i8, global>, i32
    %cule = arith.cmpi ule, %a, %b : i8
    %sule = arith.select %cule, %addi, %b : i8
    %i28 = arith.constant 28 : i32
    simt.store %sule, %p[%i28] : !simt.buffer<i8, global>, i32
    %cugt = arith.cmpi ugt, %a, %b : i8
    %sugt = arith.select %cugt, %addi, %b : i8
    %i29 = arith.constant 29 : i32
    simt.store %sugt, %p[%i29] : !simt.buffer<i8, global>, i32
    %cuge = arith.cmpi uge, %a, %b : i8
    %suge = arith.select %cuge, %addi, %b : i8
    %i30 = arith.constant 30 : i32
    simt.store %suge, %p[%i30] : !simt.buffer<i8, global>, i32
    %six = arith.fptosi %x : f32 to i8
    %i31 = arith.constant 31 : i32
    simt.store %six, %p[%i31] : !simt.buffer<i8, global>, i32
    %uix = arith.fptoui %x : f32 to i8
    %i32 = arith.constant 32 : i32
    simt.store %uix, %p[%i32] : !simt.buffer<i8, global>, i32
    %fsx = arith.sitofp %a : i8 to f32
    %i33 = arith.constant 33 : i32
    simt.store %fsx, %f[%i33] : !simt.buffer<f32, global>, i32
    %fux = arith.uitofp %a : i8 to f32
    %i34 = arith.constant 34 : i32
    simt.store %fux, %f[%i34] : !simt.buffer<f32, global>, i32
    %siy = arith.fptosi %y : f64 to i8
    %i35 = arith.constant 35 : i32
    simt.store %siy, %p[%i35] : !simt.buffer<i8, global>, i32
    %uiy = arith.fptoui %y : f64 to i8
    %i36 = arith.constant 36 : i32
    simt.store %uiy, %p[%i36] : !simt.buffer<i8, global>, i32
    %fsy = arith.sitofp %a : i8 to f64
    %i37 = arith.constant 37 : i32
    simt.store %fsy, %d[%i37] : !simt.buffer<f64, global>, i32
    %fuy = arith.uitofp %a : i8 to f64
    %i38 = arith.constant 38 : i32
    simt.store %fuy, %d[%i38] : !simt.buffer<f64, global>, i32
    %siz = arith.fptosi %z : f16 to i8
    %i39 = arith.constant 39 : i32
    simt.store %siz, %p[%i39] : !simt.buffer<i8, global>, i32
    %uiz = arith.fptoui %z : f16 to i8
    %i40 = arith.constant 40 : i32
    simt.store %uiz, %p[%i40] : !simt.buffer<i8, global>, i32
    %fsz = arith.sitofp %a : i8 to f16
    %i41 = arith.constant 41 : i32
    simt.store %fsz, %h[%i41] : !simt.buffer<f16, global>, i32
    %fuz = arith.uitofp %a : i8 to f16
    %i42 = arith.constant 42 : i32
    simt.store %fuz, %h[%i42] : !simt.buffer<f16, global>, i32
    %esi16 = arith.extsi %a : i8 to i16
    %eui16 = arith.extui %b : i8 to i16
    %mi16 = arith.muli %esi16, %eui16 : i16
    %tri16 = arith.trunci %mi16 : i16 to i8
    %i43 = arith.constant 43 : i32
    simt.store %tri16, %p[%i43] : !simt.buffer<i8, global>, i32
    %esi32 = arith.extsi %a : i8 to i32
    %eui32 = arith.extui %b : i8 to i32
    %mi32 = arith.muli %esi32, %eui32 : i32
    %tri32 = arith.trunci %mi32 : i32 to i8
    %i44 = arith.constant 44 : i32
    simt.store %tri32, %p[%i44] : !simt.buffer<i8, global>, i32
    %esi64 = arith.extsi %a : i8 to i64
    %eui64 = arith.extui %b : i8 to i64
    %mi64 = arith.muli %esi64, %eui64 : i64
    %tri64 = arith.trunci %mi64 : i64 to i8
    %i45 = arith.constant 45 : i32
    simt.store %tri64, %p[%i45] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry arith_i16(
  // CHECK: ret;
  func.func @arith_i16(%p: !simt.buffer<i16, global>, %f: !simt.buffer<f32, global>, %d: !simt.buffer<f64, global>, %h: !simt.buffer<f16, global>, %a: i16, %b: i16, %x: f32, %y: f64, %z: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %addi = arith.addi %a, %b : i16
    %i0 = arith.constant 0 : i32
    simt.store %addi, %p[%i0] : !simt.buffer<i16, global>, i32
    %subi = arith.subi %a, %b : i16
    %i1 = arith.constant 1 : i32
    simt.store %subi, %p[%i1] : !simt.buffer<i16, global>, i32
    %muli = arith.muli %a, %b : i16
    %i2 = arith.constant 2 : i32
    simt.store %muli, %p[%i2] : !simt.buffer<i16, global>, i32
    %divsi = arith.divsi %a, %b : i16
    %i3 = arith.constant 3 : i32
    simt.store %divsi, %p[%i3] : !simt.buffer<i16, global>, i32
    %divui = arith.divui %a, %b : i16
    %i4 = arith.constant 4 : i32
    simt.store %divui, %p[%i4] : !simt.buffer<i16, global>, i32
    %remsi = arith.remsi %a, %b : i16
    %i5 = arith.constant 5 : i32
    simt.store %remsi, %p[%i5] : !simt.buffer<i16, global>, i32
    %remui = arith.remui %a, %b : i16
    %i6 = arith.constant 6 : i32
    simt.store %remui, %p[%i6] : !simt.buffer<i16, global>, i32
    %andi = arith.andi %a, %b : i16
    %i7 = arith.constant 7 : i32
    simt.store %andi, %p[%i7] : !simt.buffer<i16, global>, i32
    %ori = arith.ori %a, %b : i16
    %i8 = arith.constant 8 : i32
    simt.store %ori, %p[%i8] : !simt.buffer<i16, global>, i32
    %xori = arith.xori %a, %b : i16
    %i9 = arith.constant 9 : i32
    simt.store %xori, %p[%i9] : !simt.buffer<i16, global>, i32
    %shli = arith.shli %a, %b : i16
    %i10 = arith.constant 10 : i32
    simt.store %shli, %p[%i10] : !simt.buffer<i16, global>, i32
    %shrsi = arith.shrsi %a, %b : i16
    %i11 = arith.constant 11 : i32
    simt.store %shrsi, %p[%i11] : !simt.buffer<i16, global>, i32
    %shrui = arith.shrui %a, %b : i16
    %i12 = arith.constant 12 : i32
    simt.store %shrui, %p[%i12] : !simt.buffer<i16, global>, i32
    %minsi = arith.minsi %a, %b : i16
    %i13 = arith.constant 13 : i32
    simt.store %minsi, %p[%i13] : !simt.buffer<i16, global>, i32
    %maxsi = arith.maxsi %a, %b : i16
    %i14 = arith.constant 14 : i32
    simt.store %maxsi, %p[%i14] : !simt.buffer<i16, global>, i32
    %minui = arith.minui %a, %b : i16
    %i15 = arith.constant 15 : i32
    simt.store %minui, %p[%i15] : !simt.buffer<i16, global>, i32
    %maxui = arith.maxui %a, %b : i16
    %i16 = arith.constant 16 : i32
    simt.store %maxui, %p[%i16] : !simt.buffer<i16, global>, i32
    %absi = math.absi %a : i16
    %i17 = arith.constant 17 : i32
    simt.store %absi, %p[%i17] : !simt.buffer<i16, global>, i32
    %ctpop = math.ctpop %a : i16
    %i18 = arith.constant 18 : i32
    simt.store %ctpop, %p[%i18] : !simt.buffer<i16, global>, i32
    %ctlz = math.ctlz %a : i16
    %i19 = arith.constant 19 : i32
    simt.store %ctlz, %p[%i19] : !simt.buffer<i16, global>, i32
    %cttz = math.cttz %a : i16
    %i20 = arith.constant 20 : i32
    simt.store %cttz, %p[%i20] : !simt.buffer<i16, global>, i32
    %ceq = arith.cmpi eq, %a, %b : i16
    %seq = arith.select %ceq, %addi, %b : i16
    %i21 = arith.constant 21 : i32
    simt.store %seq, %p[%i21] : !simt.buffer<i16, global>, i32
    %cne = arith.cmpi ne, %a, %b : i16
    %sne = arith.select %cne, %addi, %b : i16
    %i22 = arith.constant 22 : i32
    simt.store %sne, %p[%i22] : !simt.buffer<i16, global>, i32
    %cslt = arith.cmpi slt, %a, %b : i16
    %sslt = arith.select %cslt, %addi, %b : i16
    %i23 = arith.constant 23 : i32
    simt.store %sslt, %p[%i23] : !simt.buffer<i16, global>, i32
    %csle = arith.cmpi sle, %a, %b : i16
    %ssle = arith.select %csle, %addi, %b : i16
    %i24 = arith.constant 24 : i32
    simt.store %ssle, %p[%i24] : !simt.buffer<i16, global>, i32
    %csgt = arith.cmpi sgt, %a, %b : i16
    %ssgt = arith.select %csgt, %addi, %b : i16
    %i25 = arith.constant 25 : i32
    simt.store %ssgt, %p[%i25] : !simt.buffer<i16, global>, i32
    %csge = arith.cmpi sge, %a, %b : i16
    %ssge = arith.select %csge, %addi, %b : i16
    %i26 = arith.constant 26 : i32
    simt.store %ssge, %p[%i26] : !simt.buffer<i16, global>, i32
    %cult = arith.cmpi ult, %a, %b : i16
    %sult = arith.select %cult, %addi, %b : i16
    %i27 = arith.constant 27 : i32
    simt.store %sult, %p[%i27] : !simt.buffer<i16, global>, i32
    %cule = arith.cmpi ule, %a, %b : i16
    %sule = arith.select %cule, %addi, %b : i16
    %i28 = arith.constant 28 : i32
    simt.store %sule, %p[%i28] : !simt.buffer<i16, global>, i32
    %cugt = arith.cmpi ugt, %a, %b : i16
    %sugt = arith.select %cugt, %addi, %b : i16
    %i29 = arith.constant 29 : i32
    simt.store %sugt, %p[%i29] : !simt.buffer<i16, global>, i32
    %cuge = arith.cmpi uge, %a, %b : i16
    %suge = arith.select %cuge, %addi, %b : i16
    %i30 = arith.constant 30 : i32
    simt.store %suge, %p[%i30] : !simt.buffer<i16, global>, i32
    %six = arith.fptosi %x : f32 to i16
    %i31 = arith.constant 31 : i32
    simt.store %six, %p[%i31] : !simt.buffer<i16, global>, i32
    %uix = arith.fptoui %x : f32 to i16
    %i32 = arith.constant 32 : i32
    simt.store %uix, %p[%i32] : !simt.buffer<i16, global>, i32
    %fsx = arith.sitofp %a : i16 to f32
    %i33 = arith.constant 33 : i32
    simt.store %fsx, %f[%i33] : !simt.buffer<f32, global>, i32
    %fux = arith.uitofp %a : i16 to f32
    %i34 = arith.constant 34 : i32
    simt.store %fux, %f[%i34] : !simt.buffer<f32, global>, i32
    %siy = arith.fptosi %y : f64 to i16
    %i35 = arith.constant 35 : i32
    simt.store %siy, %p[%i35] : !simt.buffer<i16, global>, i32
    %uiy = arith.fptoui %y : f64 to i16
    %i36 = arith.constant 36 : i32
    simt.store %uiy, %p[%i36] : !simt.buffer<i16, global>, i32
    %fsy = arith.sitofp %a : i16 to f64
    %i37 = arith.constant 37 : i32
    simt.store %fsy, %d[%i37] : !simt.buffer<f64, global>, i32
    %fuy = arith.uitofp %a : i16 to f64
    %i38 = arith.constant 38 : i32
    simt.store %fuy, %d[%i38] : !simt.buffer<f64, global>, i32
    %siz = arith.fptosi %z : f16 to i16
    %i39 = arith.constant 39 : i32
    simt.store %siz, %p[%i39] : !simt.buffer<i16, global>, i32
    %uiz = arith.fptoui %z : f16 to i16
    %i40 = arith.constant 40 : i32
    simt.store %uiz, %p[%i40] : !simt.buffer<i16, global>, i32
    %fsz = arith.sitofp %a : i16 to f16
    %i41 = arith.constant 41 : i32
    simt.store %fsz, %h[%i41] : !simt.buffer<f16, global>, i32
    %fuz = arith.uitofp %a : i16 to f16
    %i42 = arith.constant 42 : i32
    simt.store %fuz, %h[%i42] : !simt.buffer<f16, global>, i32
    %esi32 = arith.extsi %a : i16 to i32
    %eui32 = arith.extui %b : i16 to i32
    %mi32 = arith.muli %esi32, %eui32 : i32
    %tri32 = arith.trunci %mi32 : i32 to i16
    %i43 = arith.constant 43 : i32
    simt.store %tri32, %p[%i43] : !simt.buffer<i16, global>, i32
    %esi64 = arith.extsi %a : i16 to i64
    %eui64 = arith.extui %b : i16 to i64
    %mi64 = arith.muli %esi64, %eui64 : i64
    %tri64 = arith.trunci %mi64 : i64 to i16
    %i44 = arith.constant 44 : i32
    simt.store %tri64, %p[%i44] : !simt.buffer<i16, global>, i32
    %bc = arith.bitcast %a : i16 to f16
    %i45 = arith.constant 45 : i32
    simt.store %bc, %h[%i45] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry arith_i32(
  // CHECK: ret;
  func.func @arith_i32(%p: !simt.buffer<i32, global>, %f: !simt.buffer<f32, global>, %d: !simt.buffer<f64, global>, %h: !simt.buffer<f16, global>, %a: i32, %b: i32, %x: f32, %y: f64, %z: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %addi = arith.addi %a, %b : i32
    %i0 = arith.constant 0 : i32
    simt.store %addi, %p[%i0] : !simt.buffer<i32, global>, i32
    %subi = arith.subi %a, %b : i32
    %i1 = arith.constant 1 : i32
    simt.store %subi, %p[%i1] : !simt.buffer<i32, global>, i32
    %muli = arith.muli %a, %b : i32
    %i2 = arith.constant 2 : i32
    simt.store %muli, %p[%i2] : !simt.buffer<i32, global>, i32
    %divsi = arith.divsi %a, %b : i32
    %i3 = arith.constant 3 : i32
    simt.store %divsi, %p[%i3] : !simt.buffer<i32, global>, i32
    %divui = arith.divui %a, %b : i32
    %i4 = arith.constant 4 : i32
    simt.store %divui, %p[%i4] : !simt.buffer<i32, global>, i32
    %remsi = arith.remsi %a, %b : i32
    %i5 = arith.constant 5 : i32
    simt.store %remsi, %p[%i5] : !simt.buffer<i32, global>, i32
    %remui = arith.remui %a, %b : i32
    %i6 = arith.constant 6 : i32
    simt.store %remui, %p[%i6] : !simt.buffer<i32, global>, i32
    %andi = arith.andi %a, %b : i32
    %i7 = arith.constant 7 : i32
    simt.store %andi, %p[%i7] : !simt.buffer<i32, global>, i32
    %ori = arith.ori %a, %b : i32
    %i8 = arith.constant 8 : i32
    simt.store %ori, %p[%i8] : !simt.buffer<i32, global>, i32
    %xori = arith.xori %a, %b : i32
    %i9 = arith.constant 9 : i32
    simt.store %xori, %p[%i9] : !simt.buffer<i32, global>, i32
    %shli = arith.shli %a, %b : i32
    %i10 = arith.constant 10 : i32
    simt.store %shli, %p[%i10] : !simt.buffer<i32, global>, i32
    %shrsi = arith.shrsi %a, %b : i32
    %i11 = arith.constant 11 : i32
    simt.store %shrsi, %p[%i11] : !simt.buffer<i32, global>, i32
    %shrui = arith.shrui %a, %b : i32
    %i12 = arith.constant 12 : i32
    simt.store %shrui, %p[%i12] : !simt.buffer<i32, global>, i32
    %minsi = arith.minsi %a, %b : i32
    %i13 = arith.constant 13 : i32
    simt.store %minsi, %p[%i13] : !simt.buffer<i32, global>, i32
    %maxsi = arith.maxsi %a, %b : i32
    %i14 = arith.constant 14 : i32
    simt.store %maxsi, %p[%i14] : !simt.buffer<i32, global>, i32
    %minui = arith.minui %a, %b : i32
    %i15 = arith.constant 15 : i32
    simt.store %minui, %p[%i15] : !simt.buffer<i32, global>, i32
    %maxui = arith.maxui %a, %b : i32
    %i16 = arith.constant 16 : i32
    simt.store %maxui, %p[%i16] : !simt.buffer<i32, global>, i32
    %absi = math.absi %a : i32
    %i17 = arith.constant 17 : i32
    simt.store %absi, %p[%i17] : !simt.buffer<i32, global>, i32
    %ctpop = math.ctpop %a : i32
    %i18 = arith.constant 18 : i32
    simt.store %ctpop, %p[%i18] : !simt.buffer<i32, global>, i32
    %ctlz = math.ctlz %a : i32
    %i19 = arith.constant 19 : i32
    simt.store %ctlz, %p[%i19] : !simt.buffer<i32, global>, i32
    %cttz = math.cttz %a : i32
    %i20 = arith.constant 20 : i32
    simt.store %cttz, %p[%i20] : !simt.buffer<i32, global>, i32
    %ceq = arith.cmpi eq, %a, %b : i32
    %seq = arith.select %ceq, %addi, %b : i32
    %i21 = arith.constant 21 : i32
    simt.store %seq, %p[%i21] : !simt.buffer<i32, global>, i32
    %cne = arith.cmpi ne, %a, %b : i32
    %sne = arith.select %cne, %addi, %b : i32
    %i22 = arith.constant 22 : i32
    simt.store %sne, %p[%i22] : !simt.buffer<i32, global>, i32
    %cslt = arith.cmpi slt, %a, %b : i32
    %sslt = arith.select %cslt, %addi, %b : i32
    %i23 = arith.constant 23 : i32
    simt.store %sslt, %p[%i23] : !simt.buffer<i32, global>, i32
    %csle = arith.cmpi sle, %a, %b : i32
    %ssle = arith.select %csle, %addi, %b : i32
    %i24 = arith.constant 24 : i32
    simt.store %ssle, %p[%i24] : !simt.buffer<i32, global>, i32
    %csgt = arith.cmpi sgt, %a, %b : i32
    %ssgt = arith.select %csgt, %addi, %b : i32
    %i25 = arith.constant 25 : i32
    simt.store %ssgt, %p[%i25] : !simt.buffer<i32, global>, i32
    %csge = arith.cmpi sge, %a, %b : i32
    %ssge = arith.select %csge, %addi, %b : i32
    %i26 = arith.constant 26 : i32
    simt.store %ssge, %p[%i26] : !simt.buffer<i32, global>, i32
    %cult = arith.cmpi ult, %a, %b : i32
    %sult = arith.select %cult, %addi, %b : i32
    %i27 = arith.constant 27 : i32
    simt.store %sult, %p[%i27] : !simt.buffer<i32, global>, i32
    %cule = arith.cmpi ule, %a, %b : i32
    %sule = arith.select %cule, %addi, %b : i32
    %i28 = arith.constant 28 : i32
    simt.store %sule, %p[%i28] : !simt.buffer<i32, global>, i32
    %cugt = arith.cmpi ugt, %a, %b : i32
    %sugt = arith.select %cugt, %addi, %b : i32
    %i29 = arith.constant 29 : i32
    simt.store %sugt, %p[%i29] : !simt.buffer<i32, global>, i32
    %cuge = arith.cmpi uge, %a, %b : i32
    %suge = arith.select %cuge, %addi, %b : i32
    %i30 = arith.constant 30 : i32
    simt.store %suge, %p[%i30] : !simt.buffer<i32, global>, i32
    %six = arith.fptosi %x : f32 to i32
    %i31 = arith.constant 31 : i32
    simt.store %six, %p[%i31] : !simt.buffer<i32, global>, i32
    %uix = arith.fptoui %x : f32 to i32
    %i32 = arith.constant 32 : i32
    simt.store %uix, %p[%i32] : !simt.buffer<i32, global>, i32
    %fsx = arith.sitofp %a : i32 to f32
    %i33 = arith.constant 33 : i32
    simt.store %fsx, %f[%i33] : !simt.buffer<f32, global>, i32
    %fux = arith.uitofp %a : i32 to f32
    %i34 = arith.constant 34 : i32
    simt.store %fux, %f[%i34] : !simt.buffer<f32, global>, i32
    %siy = arith.fptosi %y : f64 to i32
    %i35 = arith.constant 35 : i32
    simt.store %siy, %p[%i35] : !simt.buffer<i32, global>, i32
    %uiy = arith.fptoui %y : f64 to i32
    %i36 = arith.constant 36 : i32
    simt.store %uiy, %p[%i36] : !simt.buffer<i32, global>, i32
    %fsy = arith.sitofp %a : i32 to f64
    %i37 = arith.constant 37 : i32
    simt.store %fsy, %d[%i37] : !simt.buffer<f64, global>, i32
    %fuy = arith.uitofp %a : i32 to f64
    %i38 = arith.constant 38 : i32
    simt.store %fuy, %d[%i38] : !simt.buffer<f64, global>, i32
    %siz = arith.fptosi %z : f16 to i32
    %i39 = arith.constant 39 : i32
    simt.store %siz, %p[%i39] : !simt.buffer<i32, global>, i32
    %uiz = arith.fptoui %z : f16 to i32
    %i40 = arith.constant 40 : i32
    simt.store %uiz, %p[%i40] : !simt.buffer<i32, global>, i32
    %fsz = arith.sitofp %a : i32 to f16
    %i41 = arith.constant 41 : i32
    simt.store %fsz, %h[%i41] : !simt.buffer<f16, global>, i32
    %fuz = arith.uitofp %a : i32 to f16
    %i42 = arith.constant 42 : i32
    simt.store %fuz, %h[%i42] : !simt.buffer<f16, global>, i32
    %esi64 = arith.extsi %a : i32 to i64
    %eui64 = arith.extui %b : i32 to i64
    %mi64 = arith.muli %esi64, %eui64 : i64
    %tri64 = arith.trunci %mi64 : i64 to i32
    %i43 = arith.constant 43 : i32
    simt.store %tri64, %p[%i43] : !simt.buffer<i32, global>, i32
    %bc = arith.bitcast %a : i32 to f32
    %i44 = arith.constant 44 : i32
    simt.store %bc, %f[%i44] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry arith_i64(
  // CHECK: ret;
  func.func @arith_i64(%p: !simt.buffer<i64, global>, %f: !simt.buffer<f32, global>, %d: !simt.buffer<f64, global>, %h: !simt.buffer<f16, global>, %a: i64, %b: i64, %x: f32, %y: f64, %z: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %addi = arith.addi %a, %b : i64
    %i0 = arith.constant 0 : i32
    simt.store %addi, %p[%i0] : !simt.buffer<i64, global>, i32
    %subi = arith.subi %a, %b : i64
    %i1 = arith.constant 1 : i32
    simt.store %subi, %p[%i1] : !simt.buffer<i64, global>, i32
    %muli = arith.muli %a, %b : i64
    %i2 = arith.constant 2 : i32
    simt.store %muli, %p[%i2] : !simt.buffer<i64, global>, i32
    %divsi = arith.divsi %a, %b : i64
    %i3 = arith.constant 3 : i32
    simt.store %divsi, %p[%i3] : !simt.buffer<i64, global>, i32
    %divui = arith.divui %a, %b : i64
    %i4 = arith.constant 4 : i32
    simt.store %divui, %p[%i4] : !simt.buffer<i64, global>, i32
    %remsi = arith.remsi %a, %b : i64
    %i5 = arith.constant 5 : i32
    simt.store %remsi, %p[%i5] : !simt.buffer<i64, global>, i32
    %remui = arith.remui %a, %b : i64
    %i6 = arith.constant 6 : i32
    simt.store %remui, %p[%i6] : !simt.buffer<i64, global>, i32
    %andi = arith.andi %a, %b : i64
    %i7 = arith.constant 7 : i32
    simt.store %andi, %p[%i7] : !simt.buffer<i64, global>, i32
    %ori = arith.ori %a, %b : i64
    %i8 = arith.constant 8 : i32
    simt.store %ori, %p[%i8] : !simt.buffer<i64, global>, i32
    %xori = arith.xori %a, %b : i64
    %i9 = arith.constant 9 : i32
    simt.store %xori, %p[%i9] : !simt.buffer<i64, global>, i32
    %shli = arith.shli %a, %b : i64
    %i10 = arith.constant 10 : i32
    simt.store %shli, %p[%i10] : !simt.buffer<i64, global>, i32
    %shrsi = arith.shrsi %a, %b : i64
    %i11 = arith.constant 11 : i32
    simt.store %shrsi, %p[%i11] : !simt.buffer<i64, global>, i32
    %shrui = arith.shrui %a, %b : i64
    %i12 = arith.constant 12 : i32
    simt.store %shrui, %p[%i12] : !simt.buffer<i64, global>, i32
    %minsi = arith.minsi %a, %b : i64
    %i13 = arith.constant 13 : i32
    simt.store %minsi, %p[%i13] : !simt.buffer<i64, global>, i32
    %maxsi = arith.maxsi %a, %b : i64
    %i14 = arith.constant 14 : i32
    simt.store %maxsi, %p[%i14] : !simt.buffer<i64, global>, i32
    %minui = arith.minui %a, %b : i64
    %i15 = arith.constant 15 : i32
    simt.store %minui, %p[%i15] : !simt.buffer<i64, global>, i32
    %maxui = arith.maxui %a, %b : i64
    %i16 = arith.constant 16 : i32
    simt.store %maxui, %p[%i16] : !simt.buffer<i64, global>, i32
    %absi = math.absi %a : i64
    %i17 = arith.constant 17 : i32
    simt.store %absi, %p[%i17] : !simt.buffer<i64, global>, i32
    %ctpop = math.ctpop %a : i64
    %i18 = arith.constant 18 : i32
    simt.store %ctpop, %p[%i18] : !simt.buffer<i64, global>, i32
    %ctlz = math.ctlz %a : i64
    %i19 = arith.constant 19 : i32
    simt.store %ctlz, %p[%i19] : !simt.buffer<i64, global>, i32
    %cttz = math.cttz %a : i64
    %i20 = arith.constant 20 : i32
    simt.store %cttz, %p[%i20] : !simt.buffer<i64, global>, i32
    %ceq = arith.cmpi eq, %a, %b : i64
    %seq = arith.select %ceq, %addi, %b : i64
    %i21 = arith.constant 21 : i32
    simt.store %seq, %p[%i21] : !simt.buffer<i64, global>, i32
    %cne = arith.cmpi ne, %a, %b : i64
    %sne = arith.select %cne, %addi, %b : i64
    %i22 = arith.constant 22 : i32
    simt.store %sne, %p[%i22] : !simt.buffer<i64, global>, i32
    %cslt = arith.cmpi slt, %a, %b : i64
    %sslt = arith.select %cslt, %addi, %b : i64
    %i23 = arith.constant 23 : i32
    simt.store %sslt, %p[%i23] : !simt.buffer<i64, global>, i32
    %csle = arith.cmpi sle, %a, %b : i64
    %ssle = arith.select %csle, %addi, %b : i64
    %i24 = arith.constant 24 : i32
    simt.store %ssle, %p[%i24] : !simt.buffer<i64, global>, i32
    %csgt = arith.cmpi sgt, %a, %b : i64
    %ssgt = arith.select %csgt, %addi, %b : i64
    %i25 = arith.constant 25 : i32
    simt.store %ssgt, %p[%i25] : !simt.buffer<i64, global>, i32
    %csge = arith.cmpi sge, %a, %b : i64
    %ssge = arith.select %csge, %addi, %b : i64
    %i26 = arith.constant 26 : i32
    simt.store %ssge, %p[%i26] : !simt.buffer<i64, global>, i32
    %cult = arith.cmpi ult, %a, %b : i64
    %sult = arith.select %cult, %addi, %b : i64
    %i27 = arith.constant 27 : i32
    simt.store %sult, %p[%i27] : !simt.buffer<i64, global>, i32
    %cule = arith.cmpi ule, %a, %b : i64
    %sule = arith.select %cule, %addi, %b : i64
    %i28 = arith.constant 28 : i32
    simt.store %sule, %p[%i28] : !simt.buffer<i64, global>, i32
    %cugt = arith.cmpi ugt, %a, %b : i64
    %sugt = arith.select %cugt, %addi, %b : i64
    %i29 = arith.constant 29 : i32
    simt.store %sugt, %p[%i29] : !simt.buffer<i64, global>, i32
    %cuge = arith.cmpi uge, %a, %b : i64
    %suge = arith.select %cuge, %addi, %b : i64
    %i30 = arith.constant 30 : i32
    simt.store %suge, %p[%i30] : !simt.buffer<i64, global>, i32
    %six = arith.fptosi %x : f32 to i64
    %i31 = arith.constant 31 : i32
    simt.store %six, %p[%i31] : !simt.buffer<i64, global>, i32
    %uix = arith.fptoui %x : f32 to i64
    %i32 = arith.constant 32 : i32
    simt.store %uix, %p[%i32] : !simt.buffer<i64, global>, i32
    %fsx = arith.sitofp %a : i64 to f32
    %i33 = arith.constant 33 : i32
    simt.store %fsx, %f[%i33] : !simt.buffer<f32, global>, i32
    %fux = arith.uitofp %a : i64 to f32
    %i34 = arith.constant 34 : i32
    simt.store %fux, %f[%i34] : !simt.buffer<f32, global>, i32
    %siy = arith.fptosi %y : f64 to i64
    %i35 = arith.constant 35 : i32
    simt.store %siy, %p[%i35] : !simt.buffer<i64, global>, i32
    %uiy = arith.fptoui %y : f64 to i64
    %i36 = arith.constant 36 : i32
    simt.store %uiy, %p[%i36] : !simt.buffer<i64, global>, i32
    %fsy = arith.sitofp %a : i64 to f64
    %i37 = arith.constant 37 : i32
    simt.store %fsy, %d[%i37] : !simt.buffer<f64, global>, i32
    %fuy = arith.uitofp %a : i64 to f64
    %i38 = arith.constant 38 : i32
    simt.store %fuy, %d[%i38] : !simt.buffer<f64, global>, i32
    %siz = arith.fptosi %z : f16 to i64
    %i39 = arith.constant 39 : i32
    simt.store %siz, %p[%i39] : !simt.buffer<i64, global>, i32
    %uiz = arith.fptoui %z : f16 to i64
    %i40 = arith.constant 40 : i32
    simt.store %uiz, %p[%i40] : !simt.buffer<i64, global>, i32
    %fsz = arith.sitofp %a : i64 to f16
    %i41 = arith.constant 41 : i32
    simt.store %fsz, %h[%i41] : !simt.buffer<f16, global>, i32
    %fuz = arith.uitofp %a : i64 to f16
    %i42 = arith.constant 42 : i32
    simt.store %fuz, %h[%i42] : !simt.buffer<f16, global>, i32
    %bc = arith.bitcast %a : i64 to f64
    %i43 = arith.constant 43 : i32
    simt.store %bc, %d[%i43] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry floats(
  // CHECK: ret;
  func.func @floats(%p: !simt.buffer<i8, global>, %d: !simt.buffer<f64, global>, %h: !simt.buffer<f16, global>, %x: f32, %y: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %coeq = arith.cmpf oeq, %x, %y : f32
    %eoeq = arith.extui %coeq : i1 to i8
    %i0 = arith.constant 0 : i32
    simt.store %eoeq, %p[%i0] : !simt.buffer<i8, global>, i32
    %cogt = arith.cmpf ogt, %x, %y : f32
    %eogt = arith.extui %cogt : i1 to i8
    %i1 = arith.constant 1 : i32
    simt.store %eogt, %p[%i1] : !simt.buffer<i8, global>, i32
    %coge = arith.cmpf oge, %x, %y : f32
    %eoge = arith.extui %coge : i1 to i8
    %i2 = arith.constant 2 : i32
    simt.store %eoge, %p[%i2] : !simt.buffer<i8, global>, i32
    %colt = arith.cmpf olt, %x, %y : f32
    %eolt = arith.extui %colt : i1 to i8
    %i3 = arith.constant 3 : i32
    simt.store %eolt, %p[%i3] : !simt.buffer<i8, global>, i32
    %cole = arith.cmpf ole, %x, %y : f32
    %eole = arith.extui %cole : i1 to i8
    %i4 = arith.constant 4 : i32
    simt.store %eole, %p[%i4] : !simt.buffer<i8, global>, i32
    %cone = arith.cmpf one, %x, %y : f32
    %eone = arith.extui %cone : i1 to i8
    %i5 = arith.constant 5 : i32
    simt.store %eone, %p[%i5] : !simt.buffer<i8, global>, i32
    %cord = arith.cmpf ord, %x, %y : f32
    %eord = arith.extui %cord : i1 to i8
    %i6 = arith.constant 6 : i32
    simt.store %eord, %p[%i6] : !simt.buffer<i8, global>, i32
    %cueq = arith.cmpf ueq, %x, %y : f32
    %eueq = arith.extui %cueq : i1 to i8
    %i7 = arith.constant 7 : i32
    simt.store %eueq, %p[%i7] : !simt.buffer<i8, global>, i32
    %cugt = arith.cmpf ugt, %x, %y : f32
    %eugt = arith.extui %cugt : i1 to i8
    %i8 = arith.constant 8 : i32
    simt.store %eugt, %p[%i8] : !simt.buffer<i8, global>, i32
    %cuge = arith.cmpf uge, %x, %y : f32
    %euge = arith.extui %cuge : i1 to i8
    %i9 = arith.constant 9 : i32
    simt.store %euge, %p[%i9] : !simt.buffer<i8, global>, i32
    %cult = arith.cmpf ult, %x, %y : f32
    %eult = arith.extui %cult : i1 to i8
    %i10 = arith.constant 10 : i32
    simt.store %eult, %p[%i10] : !simt.buffer<i8, global>, i32
    %cule = arith.cmpf ule, %x, %y : f32
    %eule = arith.extui %cule : i1 to i8
    %i11 = arith.constant 11 : i32
    simt.store %eule, %p[%i11] : !simt.buffer<i8, global>, i32
    %cune = arith.cmpf une, %x, %y : f32
    %eune = arith.extui %cune : i1 to i8
    %i12 = arith.constant 12 : i32
    simt.store %eune, %p[%i12] : !simt.buffer<i8, global>, i32
    %cuno = arith.cmpf uno, %x, %y : f32
    %euno = arith.extui %cuno : i1 to i8
    %i13 = arith.constant 13 : i32
    simt.store %euno, %p[%i13] : !simt.buffer<i8, global>, i32
    %cfalse = arith.cmpf false, %x, %y : f32
    %efalse = arith.extui %cfalse : i1 to i8
    %i14 = arith.constant 14 : i32
    simt.store %efalse, %p[%i14] : !simt.buffer<i8, global>, i32
    %ctrue = arith.cmpf true, %x, %y : f32
    %etrue = arith.extui %ctrue : i1 to i8
    %i15 = arith.constant 15 : i32
    simt.store %etrue, %p[%i15] : !simt.buffer<i8, global>, i32
    %n = arith.negf %x : f32
    %w = arith.extf %n : f32 to f64
    %t = arith.truncf %x : f32 to f16
    simt.store %w, %d[%i0] : !simt.buffer<f64, global>, i32
    simt.store %t, %h[%i0] : !simt.buffer<f16, global>, i32
    return
  }
}
