// Every function of the math library, on every float type: assembled, and with
// the precise square root and division.
// REQUIRES: libdevice
// RUN: %ptx_75 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry math_f16(
  // CHECK: ret;
  func.func @math_f16(%p: !simt.buffer<f16, global>, %w: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %sq = math.sqrt %w : f16
    %i0 = arith.constant 0 : i32
    simt.store %sq, %p[%i0] : !simt.buffer<f16, global>, i32
    %dv = arith.divf %w, %sq : f16
    %i1 = arith.constant 1 : i32
    simt.store %dv, %p[%i1] : !simt.buffer<f16, global>, i32
    %exp = math.exp %w : f16
    %i2 = arith.constant 2 : i32
    simt.store %exp, %p[%i2] : !simt.buffer<f16, global>, i32
    %exp2 = math.exp2 %w : f16
    %i3 = arith.constant 3 : i32
    simt.store %exp2, %p[%i3] : !simt.buffer<f16, global>, i32
    %expm1 = math.expm1 %w : f16
    %i4 = arith.constant 4 : i32
    simt.store %expm1, %p[%i4] : !simt.buffer<f16, global>, i32
    %log = math.log %w : f16
    %i5 = arith.constant 5 : i32
    simt.store %log, %p[%i5] : !simt.buffer<f16, global>, i32
    %log2 = math.log2 %w : f16
    %i6 = arith.constant 6 : i32
    simt.store %log2, %p[%i6] : !simt.buffer<f16, global>, i32
    %log10 = math.log10 %w : f16
    %i7 = arith.constant 7 : i32
    simt.store %log10, %p[%i7] : !simt.buffer<f16, global>, i32
    %log1p = math.log1p %w : f16
    %i8 = arith.constant 8 : i32
    simt.store %log1p, %p[%i8] : !simt.buffer<f16, global>, i32
    %sin = math.sin %w : f16
    %i9 = arith.constant 9 : i32
    simt.store %sin, %p[%i9] : !simt.buffer<f16, global>, i32
    %cos = math.cos %w : f16
    %i10 = arith.constant 10 : i32
    simt.store %cos, %p[%i10] : !simt.buffer<f16, global>, i32
    %tan = math.tan %w : f16
    %i11 = arith.constant 11 : i32
    simt.store %tan, %p[%i11] : !simt.buffer<f16, global>, i32
    %asin = math.asin %w : f16
    %i12 = arith.constant 12 : i32
    simt.store %asin, %p[%i12] : !simt.buffer<f16, global>, i32
    %acos = math.acos %w : f16
    %i13 = arith.constant 13 : i32
    simt.store %acos, %p[%i13] : !simt.buffer<f16, global>, i32
    %atan = math.atan %w : f16
    %i14 = arith.constant 14 : i32
    simt.store %atan, %p[%i14] : !simt.buffer<f16, global>, i32
    %sinh = math.sinh %w : f16
    %i15 = arith.constant 15 : i32
    simt.store %sinh, %p[%i15] : !simt.buffer<f16, global>, i32
    %cosh = math.cosh %w : f16
    %i16 = arith.constant 16 : i32
    simt.store %cosh, %p[%i16] : !simt.buffer<f16, global>, i32
    %tanh = math.tanh %w : f16
    %i17 = arith.constant 17 : i32
    simt.store %tanh, %p[%i17] : !simt.buffer<f16, global>, i32
    %asinh = math.asinh %w : f16
    %i18 = arith.constant 18 : i32
    simt.store %asinh, %p[%i18] : !simt.buffer<f16, global>, i32
    %acosh = math.acosh %w : f16
    %i19 = arith.constant 19 : i32
    simt.store %acosh, %p[%i19] : !simt.buffer<f16, global>, i32
    %atanh = math.atanh %w : f16
    %i20 = arith.constant 20 : i32
    simt.store %atanh, %p[%i20] : !simt.buffer<f16, global>, i32
    %rsqrt = math.rsqrt %w : f16
    %i21 = arith.constant 21 : i32
    simt.store %rsqrt, %p[%i21] : !simt.buffer<f16, global>, i32
    %cbrt = math.cbrt %w : f16
    %i22 = arith.constant 22 : i32
    simt.store %cbrt, %p[%i22] : !simt.buffer<f16, global>, i32
    %erf = math.erf %w : f16
    %i23 = arith.constant 23 : i32
    simt.store %erf, %p[%i23] : !simt.buffer<f16, global>, i32
    %sqrt = math.sqrt %w : f16
    %i24 = arith.constant 24 : i32
    simt.store %sqrt, %p[%i24] : !simt.buffer<f16, global>, i32
    %floor = math.floor %w : f16
    %i25 = arith.constant 25 : i32
    simt.store %floor, %p[%i25] : !simt.buffer<f16, global>, i32
    %ceil = math.ceil %w : f16
    %i26 = arith.constant 26 : i32
    simt.store %ceil, %p[%i26] : !simt.buffer<f16, global>, i32
    %roundeven = math.roundeven %w : f16
    %i27 = arith.constant 27 : i32
    simt.store %roundeven, %p[%i27] : !simt.buffer<f16, global>, i32
    %trunc = math.trunc %w : f16
    %i28 = arith.constant 28 : i32
    simt.store %trunc, %p[%i28] : !simt.buffer<f16, global>, i32
    %absf = math.absf %w : f16
    %i29 = arith.constant 29 : i32
    simt.store %absf, %p[%i29] : !simt.buffer<f16, global>, i32
    %round = math.round %w : f16
    %i30 = arith.constant 30 : i32
    simt.store %round, %p[%i30] : !simt.buffer<f16, global>, i32
    %batan2 = math.atan2 %w, %sq : f16
    %i31 = arith.constant 31 : i32
    simt.store %batan2, %p[%i31] : !simt.buffer<f16, global>, i32
    %bpowf = math.powf %w, %sq : f16
    %i32 = arith.constant 32 : i32
    simt.store %bpowf, %p[%i32] : !simt.buffer<f16, global>, i32
    %bremf = arith.remf %w, %sq : f16
    %i33 = arith.constant 33 : i32
    simt.store %bremf, %p[%i33] : !simt.buffer<f16, global>, i32
    %bminnumf = arith.minnumf %w, %sq : f16
    %i34 = arith.constant 34 : i32
    simt.store %bminnumf, %p[%i34] : !simt.buffer<f16, global>, i32
    %bmaxnumf = arith.maxnumf %w, %sq : f16
    %i35 = arith.constant 35 : i32
    simt.store %bmaxnumf, %p[%i35] : !simt.buffer<f16, global>, i32
    %bminimumf = arith.minimumf %w, %sq : f16
    %i36 = arith.constant 36 : i32
    simt.store %bminimumf, %p[%i36] : !simt.buffer<f16, global>, i32
    %bmaximumf = arith.maximumf %w, %sq : f16
    %i37 = arith.constant 37 : i32
    simt.store %bmaximumf, %p[%i37] : !simt.buffer<f16, global>, i32
    %bdivf = arith.divf %w, %sq : f16
    %i38 = arith.constant 38 : i32
    simt.store %bdivf, %p[%i38] : !simt.buffer<f16, global>, i32
    %bsubf = arith.subf %w, %sq : f16
    %i39 = arith.constant 39 : i32
    simt.store %bsubf, %p[%i39] : !simt.buffer<f16, global>, i32
    %bcopysign = math.copysign %w, %sq : f16
    %i40 = arith.constant 40 : i32
    simt.store %bcopysign, %p[%i40] : !simt.buffer<f16, global>, i32
    %fma = math.fma %w, %sq, %dv : f16
    %i41 = arith.constant 41 : i32
    simt.store %fma, %p[%i41] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry math_f32(
  // CHECK: sqrt.rn.f32
  // CHECK: div.rn.f32
  // CHECK: ret;
  func.func @math_f32(%p: !simt.buffer<f32, global>, %w: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %sq = math.sqrt %w : f32
    %i0 = arith.constant 0 : i32
    simt.store %sq, %p[%i0] : !simt.buffer<f32, global>, i32
    %dv = arith.divf %w, %sq : f32
    %i1 = arith.constant 1 : i32
    simt.store %dv, %p[%i1] : !simt.buffer<f32, global>, i32
    %exp = math.exp %w : f32
    %i2 = arith.constant 2 : i32
    simt.store %exp, %p[%i2] : !simt.buffer<f32, global>, i32
    %exp2 = math.exp2 %w : f32
    %i3 = arith.constant 3 : i32
    simt.store %exp2, %p[%i3] : !simt.buffer<f32, global>, i32
    %expm1 = math.expm1 %w : f32
    %i4 = arith.constant 4 : i32
    simt.store %expm1, %p[%i4] : !simt.buffer<f32, global>, i32
    %log = math.log %w : f32
    %i5 = arith.constant 5 : i32
    simt.store %log, %p[%i5] : !simt.buffer<f32, global>, i32
    %log2 = math.log2 %w : f32
    %i6 = arith.constant 6 : i32
    simt.store %log2, %p[%i6] : !simt.buffer<f32, global>, i32
    %log10 = math.log10 %w : f32
    %i7 = arith.constant 7 : i32
    simt.store %log10, %p[%i7] : !simt.buffer<f32, global>, i32
    %log1p = math.log1p %w : f32
    %i8 = arith.constant 8 : i32
    simt.store %log1p, %p[%i8] : !simt.buffer<f32, global>, i32
    %sin = math.sin %w : f32
    %i9 = arith.constant 9 : i32
    simt.store %sin, %p[%i9] : !simt.buffer<f32, global>, i32
    %cos = math.cos %w : f32
    %i10 = arith.constant 10 : i32
    simt.store %cos, %p[%i10] : !simt.buffer<f32, global>, i32
    %tan = math.tan %w : f32
    %i11 = arith.constant 11 : i32
    simt.store %tan, %p[%i11] : !simt.buffer<f32, global>, i32
    %asin = math.asin %w : f32
    %i12 = arith.constant 12 : i32
    simt.store %asin, %p[%i12] : !simt.buffer<f32, global>, i32
    %acos = math.acos %w : f32
    %i13 = arith.constant 13 : i32
    simt.store %acos, %p[%i13] : !simt.buffer<f32, global>, i32
    %atan = math.atan %w : f32
    %i14 = arith.constant 14 : i32
    simt.store %atan, %p[%i14] : !simt.buffer<f32, global>, i32
    %sinh = math.sinh %w : f32
    %i15 = arith.constant 15 : i32
    simt.store %sinh, %p[%i15] : !simt.buffer<f32, global>, i32
    %cosh = math.cosh %w : f32
    %i16 = arith.constant 16 : i32
    simt.store %cosh, %p[%i16] : !simt.buffer<f32, global>, i32
    %tanh = math.tanh %w : f32
    %i17 = arith.constant 17 : i32
    simt.store %tanh, %p[%i17] : !simt.buffer<f32, global>, i32
    %asinh = math.asinh %w : f32
    %i18 = arith.constant 18 : i32
    simt.store %asinh, %p[%i18] : !simt.buffer<f32, global>, i32
    %acosh = math.acosh %w : f32
    %i19 = arith.constant 19 : i32
    simt.store %acosh, %p[%i19] : !simt.buffer<f32, global>, i32
    %atanh = math.atanh %w : f32
    %i20 = arith.constant 20 : i32
    simt.store %atanh, %p[%i20] : !simt.buffer<f32, global>, i32
    %rsqrt = math.rsqrt %w : f32
    %i21 = arith.constant 21 : i32
    simt.store %rsqrt, %p[%i21] : !simt.buffer<f32, global>, i32
    %cbrt = math.cbrt %w : f32
    %i22 = arith.constant 22 : i32
    simt.store %cbrt, %p[%i22] : !simt.buffer<f32, global>, i32
    %erf = math.erf %w : f32
    %i23 = arith.constant 23 : i32
    simt.store %erf, %p[%i23] : !simt.buffer<f32, global>, i32
    %sqrt = math.sqrt %w : f32
    %i24 = arith.constant 24 : i32
    simt.store %sqrt, %p[%i24] : !simt.buffer<f32, global>, i32
    %floor = math.floor %w : f32
    %i25 = arith.constant 25 : i32
    simt.store %floor, %p[%i25] : !simt.buffer<f32, global>, i32
    %ceil = math.ceil %w : f32
    %i26 = arith.constant 26 : i32
    simt.store %ceil, %p[%i26] : !simt.buffer<f32, global>, i32
    %roundeven = math.roundeven %w : f32
    %i27 = arith.constant 27 : i32
    simt.store %roundeven, %p[%i27] : !simt.buffer<f32, global>, i32
    %trunc = math.trunc %w : f32
    %i28 = arith.constant 28 : i32
    simt.store %trunc, %p[%i28] : !simt.buffer<f32, global>, i32
    %absf = math.absf %w : f32
    %i29 = arith.constant 29 : i32
    simt.store %absf, %p[%i29] : !simt.buffer<f32, global>, i32
    %round = math.round %w : f32
    %i30 = arith.constant 30 : i32
    simt.store %round, %p[%i30] : !simt.buffer<f32, global>, i32
    %batan2 = math.atan2 %w, %sq : f32
    %i31 = arith.constant 31 : i32
    simt.store %batan2, %p[%i31] : !simt.buffer<f32, global>, i32
    %bpowf = math.powf %w, %sq : f32
    %i32 = arith.constant 32 : i32
    simt.store %bpowf, %p[%i32] : !simt.buffer<f32, global>, i32
    %bremf = arith.remf %w, %sq : f32
    %i33 = arith.constant 33 : i32
    simt.store %bremf, %p[%i33] : !simt.buffer<f32, global>, i32
    %bminnumf = arith.minnumf %w, %sq : f32
    %i34 = arith.constant 34 : i32
    simt.store %bminnumf, %p[%i34] : !simt.buffer<f32, global>, i32
    %bmaxnumf = arith.maxnumf %w, %sq : f32
    %i35 = arith.constant 35 : i32
    simt.store %bmaxnumf, %p[%i35] : !simt.buffer<f32, global>, i32
    %bminimumf = arith.minimumf %w, %sq : f32
    %i36 = arith.constant 36 : i32
    simt.store %bminimumf, %p[%i36] : !simt.buffer<f32, global>, i32
    %bmaximumf = arith.maximumf %w, %sq : f32
    %i37 = arith.constant 37 : i32
    simt.store %bmaximumf, %p[%i37] : !simt.buffer<f32, global>, i32
    %bdivf = arith.divf %w, %sq : f32
    %i38 = arith.constant 38 : i32
    simt.store %bdivf, %p[%i38] : !simt.buffer<f32, global>, i32
    %bsubf = arith.subf %w, %sq : f32
    %i39 = arith.constant 39 : i32
    simt.store %bsubf, %p[%i39] : !simt.buffer<f32, global>, i32
    %bcopysign = math.copysign %w, %sq : f32
    %i40 = arith.constant 40 : i32
    simt.store %bcopysign, %p[%i40] : !simt.buffer<f32, global>, i32
    %fma = math.fma %w, %sq, %dv : f32
    %i41 = arith.constant 41 : i32
    simt.store %fma, %p[%i41] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry math_f64(
  // CHECK: sqrt.rn.f64
  // CHECK: div.rn.f64
  // CHECK: ret;
  func.func @math_f64(%p: !simt.buffer<f64, global>, %w: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %sq = math.sqrt %w : f64
    %i0 = arith.constant 0 : i32
    simt.store %sq, %p[%i0] : !simt.buffer<f64, global>, i32
    %dv = arith.divf %w, %sq : f64
    %i1 = arith.constant 1 : i32
    simt.store %dv, %p[%i1] : !simt.buffer<f64, global>, i32
    %exp = math.exp %w : f64
    %i2 = arith.constant 2 : i32
    simt.store %exp, %p[%i2] : !simt.buffer<f64, global>, i32
    %exp2 = math.exp2 %w : f64
    %i3 = arith.constant 3 : i32
    simt.store %exp2, %p[%i3] : !simt.buffer<f64, global>, i32
    %expm1 = math.expm1 %w : f64
    %i4 = arith.constant 4 : i32
    simt.store %expm1, %p[%i4] : !simt.buffer<f64, global>, i32
    %log = math.log %w : f64
    %i5 = arith.constant 5 : i32
    simt.store %log, %p[%i5] : !simt.buffer<f64, global>, i32
    %log2 = math.log2 %w : f64
    %i6 = arith.constant 6 : i32
    simt.store %log2, %p[%i6] : !simt.buffer<f64, global>, i32
    %log10 = math.log10 %w : f64
    %i7 = arith.constant 7 : i32
    simt.store %log10, %p[%i7] : !simt.buffer<f64, global>, i32
    %log1p = math.log1p %w : f64
    %i8 = arith.constant 8 : i32
    simt.store %log1p, %p[%i8] : !simt.buffer<f64, global>, i32
    %sin = math.sin %w : f64
    %i9 = arith.constant 9 : i32
    simt.store %sin, %p[%i9] : !simt.buffer<f64, global>, i32
    %cos = math.cos %w : f64
    %i10 = arith.constant 10 : i32
    simt.store %cos, %p[%i10] : !simt.buffer<f64, global>, i32
    %tan = math.tan %w : f64
    %i11 = arith.constant 11 : i32
    simt.store %tan, %p[%i11] : !simt.buffer<f64, global>, i32
    %asin = math.asin %w : f64
    %i12 = arith.constant 12 : i32
    simt.store %asin, %p[%i12] : !simt.buffer<f64, global>, i32
    %acos = math.acos %w : f64
    %i13 = arith.constant 13 : i32
    simt.store %acos, %p[%i13] : !simt.buffer<f64, global>, i32
    %atan = math.atan %w : f64
    %i14 = arith.constant 14 : i32
    simt.store %atan, %p[%i14] : !simt.buffer<f64, global>, i32
    %sinh = math.sinh %w : f64
    %i15 = arith.constant 15 : i32
    simt.store %sinh, %p[%i15] : !simt.buffer<f64, global>, i32
    %cosh = math.cosh %w : f64
    %i16 = arith.constant 16 : i32
    simt.store %cosh, %p[%i16] : !simt.buffer<f64, global>, i32
    %tanh = math.tanh %w : f64
    %i17 = arith.constant 17 : i32
    simt.store %tanh, %p[%i17] : !simt.buffer<f64, global>, i32
    %asinh = math.asinh %w : f64
    %i18 = arith.constant 18 : i32
    simt.store %asinh, %p[%i18] : !simt.buffer<f64, global>, i32
    %acosh = math.acosh %w : f64
    %i19 = arith.constant 19 : i32
    simt.store %acosh, %p[%i19] : !simt.buffer<f64, global>, i32
    %atanh = math.atanh %w : f64
    %i20 = arith.constant 20 : i32
    simt.store %atanh, %p[%i20] : !simt.buffer<f64, global>, i32
    %rsqrt = math.rsqrt %w : f64
    %i21 = arith.constant 21 : i32
    simt.store %rsqrt, %p[%i21] : !simt.buffer<f64, global>, i32
    %cbrt = math.cbrt %w : f64
    %i22 = arith.constant 22 : i32
    simt.store %cbrt, %p[%i22] : !simt.buffer<f64, global>, i32
    %erf = math.erf %w : f64
    %i23 = arith.constant 23 : i32
    simt.store %erf, %p[%i23] : !simt.buffer<f64, global>, i32
    %sqrt = math.sqrt %w : f64
    %i24 = arith.constant 24 : i32
    simt.store %sqrt, %p[%i24] : !simt.buffer<f64, global>, i32
    %floor = math.floor %w : f64
    %i25 = arith.constant 25 : i32
    simt.store %floor, %p[%i25] : !simt.buffer<f64, global>, i32
    %ceil = math.ceil %w : f64
    %i26 = arith.constant 26 : i32
    simt.store %ceil, %p[%i26] : !simt.buffer<f64, global>, i32
    %roundeven = math.roundeven %w : f64
    %i27 = arith.constant 27 : i32
    simt.store %roundeven, %p[%i27] : !simt.buffer<f64, global>, i32
    %trunc = math.trunc %w : f64
    %i28 = arith.constant 28 : i32
    simt.store %trunc, %p[%i28] : !simt.buffer<f64, global>, i32
    %absf = math.absf %w : f64
    %i29 = arith.constant 29 : i32
    simt.store %absf, %p[%i29] : !simt.buffer<f64, global>, i32
    %round = math.round %w : f64
    %i30 = arith.constant 30 : i32
    simt.store %round, %p[%i30] : !simt.buffer<f64, global>, i32
    %batan2 = math.atan2 %w, %sq : f64
    %i31 = arith.constant 31 : i32
    simt.store %batan2, %p[%i31] : !simt.buffer<f64, global>, i32
    %bpowf = math.powf %w, %sq : f64
    %i32 = arith.constant 32 : i32
    simt.store %bpowf, %p[%i32] : !simt.buffer<f64, global>, i32
    %bremf = arith.remf %w, %sq : f64
    %i33 = arith.constant 33 : i32
    simt.store %bremf, %p[%i33] : !simt.buffer<f64, global>, i32
    %bminnumf = arith.minnumf %w, %sq : f64
    %i34 = arith.constant 34 : i32
    simt.store %bminnumf, %p[%i34] : !simt.buffer<f64, global>, i32
    %bmaxnumf = arith.maxnumf %w, %sq : f64
    %i35 = arith.constant 35 : i32
    simt.store %bmaxnumf, %p[%i35] : !simt.buffer<f64, global>, i32
    %bminimumf = arith.minimumf %w, %sq : f64
    %i36 = arith.constant 36 : i32
    simt.store %bminimumf, %p[%i36] : !simt.buffer<f64, global>, i32
    %bmaximumf = arith.maximumf %w, %sq : f64
    %i37 = arith.constant 37 : i32
    simt.store %bmaximumf, %p[%i37] : !simt.buffer<f64, global>, i32
    %bdivf = arith.divf %w, %sq : f64
    %i38 = arith.constant 38 : i32
    simt.store %bdivf, %p[%i38] : !simt.buffer<f64, global>, i32
    %bsubf = arith.subf %w, %sq : f64
    %i39 = arith.constant 39 : i32
    simt.store %bsubf, %p[%i39] : !simt.buffer<f64, global>, i32
    %bcopysign = math.copysign %w, %sq : f64
    %i40 = arith.constant 40 : i32
    simt.store %bcopysign, %p[%i40] : !simt.buffer<f64, global>, i32
    %fma = math.fma %w, %sq, %dv : f64
    %i41 = arith.constant 41 : i32
    simt.store %fma, %p[%i41] : !simt.buffer<f64, global>, i32
    return
  }
}
