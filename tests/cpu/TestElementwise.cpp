// Kernels without cross-lane traffic: guards, access patterns, arithmetic.
#include "tests/cpu/Harness.h"

#include <cmath>

using namespace cputest;

static const char *saxpy = R"(
func.func @task(%a: f32, %x: !simt.buffer<f32, global>, %y: !simt.buffer<f32, global>, %n: i32)
    attributes {simt.task = {block_dim = 128 : i32}} {
  %dim = arith.constant 128 : i32
  %block = simt.block_idx
  %thread = simt.thread_idx
  %begin = arith.muli %block, %dim : i32
  %i = arith.addi %begin, %thread : i32
  %in = arith.cmpi slt, %i, %n : i32
  scf.if %in {
    %xi = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %yi = simt.load %y[%i] : !simt.buffer<f32, global>, i32
    %ax = arith.mulf %a, %xi : f32
    %s = arith.addf %ax, %yi : f32
    simt.store %s, %y[%i] : !simt.buffer<f32, global>, i32
  }
  return
})";

TEST_CASE("saxpy with a tail") {
  for (const Variant &variant : variants()) {
    INFO(variant.str());
    for (int n : {1, 127, 128, 1000}) {
      std::vector<float> x(n), y(n);
      for (int i = 0; i < n; ++i) {
        x[i] = float(i) * 0.5f;
        y[i] = float(i % 7);
      }
      std::vector<Arg> args{Arg::scalar(2.0f), Arg::array(x), Arg::array(y), Arg::scalar(n)};
      run(saxpy, variant, args, (n + 127) / 128);
      std::vector<float> got = args[2].as<float>();
      for (int i = 0; i < n; ++i)
        REQUIRE(got[i] == 2.0f * x[i] + y[i]);
    }
  }
}
