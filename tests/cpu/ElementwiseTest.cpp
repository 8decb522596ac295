// Kernels without cross-lane traffic: guards, access patterns, arithmetic.
#include "tests/cpu/Kernels.h"

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

TEST_CASE("blocks that lanes do not fill") {
  std::vector<int32_t> in = randoms<int32_t>(3 * 100), out(3 * 100, -1);
  for (unsigned dim : {1u, 2u, 3u, 7u, 31u, 33u, 96u, 100u}) {
    std::string text = task(dim, buffer("x", "i32") + "," + buffer("y", "i32"), R"(
      %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
      %w = arith.addi %v, %thread : i32
      simt.store %w, %y[%i] : !simt.buffer<i32, global>, i32
    )");
    compare(text, variants({32}), {Arg::array(in), Arg::array(out)}, 3);
  }
}

TEST_CASE("access patterns") {
  const char *indices[] = {
      // Strides, reversals, gathers, one place, 64-bit indices.
      "%at = arith.muli %i, %c2 : i32",
      "%three = arith.constant 3 : i32\n %at = arith.muli %i, %three : i32",
      "%five = arith.constant 5 : i32\n %at = arith.muli %i, %five : i32",
      "%last = arith.constant 199 : i32\n %at = arith.subi %last, %i : i32",
      ("%k = arith.constant 37 : i32\n %m = arith.constant 200 : i32\n"
       "%p = arith.muli %i, %k : i32\n %at = arith.remui %p, %m : i32"),
      "%at = arith.addi %c2, %block : i32",
      "%k = arith.constant 7 : i32\n %at = arith.andi %i, %k : i32",
      "%k = arith.constant 3 : i32\n %at = arith.shrui %i, %k : i32",
      "%k = arith.constant 64 : i32\n %at = arith.divui %thread, %k : i32",
      "%k = arith.constant 64 : i32\n %at = arith.remsi %thread, %k : i32",
      "%at = arith.xori %i, %c1 : i32",
  };
  for (const char *type : {"i8", "i16", "i32", "i64", "f16", "f32", "f64"}) {
    unsigned bytes = std::string(type) == "i8" ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
    std::vector<uint8_t> in = randoms<uint8_t>(1000 * bytes), out(200 * bytes, 9);
    for (const char *index : indices) {
      std::string body = std::string(index) + R"(
        %n = arith.constant 190 : i32
        %in = arith.cmpi slt, %i, %n : i32
        scf.if %in {
          %v = simt.load %x[%at] : !simt.buffer<TYPE, global>, i32
          simt.store %v, %y[%i] : !simt.buffer<TYPE, global>, i32
        }
      )";
      std::string text =
          task(96, buffer("x", type) + "," + buffer("y", type), replaceAll(body, "TYPE", type));
      std::vector<Variant> some = variants({32});
      compare(text, some, {Arg::array(in), Arg::array(out)}, 2);
    }
  }
}

TEST_CASE("scattered stores") {
  const char *indices[] = {
      "%at = arith.muli %i, %c2 : i32",
      "%last = arith.constant 191 : i32\n %at = arith.subi %last, %i : i32",
      "%k = arith.constant 5 : i32\n %at0 = arith.xori %i, %k : i32\n"
      "%at1 = arith.extsi %at0 : i32 to i64\n %at2 = arith.trunci %at1 : i64 to i32\n"
      "%at = arith.addi %at2, %c0 : i32"};
  for (const char *type : {"i8", "i16", "i32", "f64"}) {
    unsigned bytes = std::string(type) == "i8" ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
    std::vector<uint8_t> in = randoms<uint8_t>(200 * bytes), out(400 * bytes, 9);
    for (const char *index : indices) {
      std::string body = std::string(index) + R"(
        %k3 = arith.constant 3 : i32
        %m = arith.remui %i, %k3 : i32
        %odd = arith.cmpi ne, %m, %c0 : i32
        scf.if %odd {
          %v = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32
          simt.store %v, %y[%at] : !simt.buffer<TYPE, global>, i32
        }
      )";
      std::string text =
          task(96, buffer("x", type) + "," + buffer("y", type), replaceAll(body, "TYPE", type));
      compare(text, variants({32}), {Arg::array(in), Arg::array(out)}, 2);
    }
  }
}

TEST_CASE("integer arithmetic") {
  const char *ops[] = {"addi", "subi", "muli", "divsi", "divui", "remsi", "remui",
                       "andi", "ori",  "xori", "minsi", "maxsi", "minui", "maxui"};
  for (const char *type : {"i8", "i16", "i32", "i64"}) {
    std::string body;
    unsigned bytes = std::string(type) == "i8" ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
    std::vector<uint8_t> a = randoms<uint8_t>(192 * bytes, 3), b = randoms<uint8_t>(192 * bytes, 4);
    // Small operands and limits among the random ones; no zero divisors, and no -1.
    for (size_t i = 0; i < 192; ++i) {
      uint8_t *at = &b[i * bytes];
      if (i % 3 == 0)
        std::memset(at + 1, 0, bytes - 1);
      at[0] = at[0] == 0 || at[0] == 0xff ? 1 : at[0];
      if (i % 7 == 0) {
        std::memset(&a[i * bytes], 0, bytes);
        a[i * bytes + bytes - 1] = 0x80;
      }
    }
    std::string count = std::to_string(std::size(ops));
    body += "%a = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32\n"
            "%b = simt.load %y[%i] : !simt.buffer<TYPE, global>, i32\n"
            "%count = arith.constant " +
            count +
            " : i32\n"
            "%base = arith.muli %i, %count : i32\n";
    for (size_t i = 0; i < std::size(ops); ++i) {
      std::string n = std::to_string(i);
      body += "%r" + n + " = arith." + ops[i] + " %a, %b : TYPE\n%k" + n + " = arith.constant " +
              n + " : i32\n%at" + n + " = arith.addi %base, %k" + n + " : i32\n" + "simt.store %r" +
              n + ", %z[%at" + n + "] : !simt.buffer<TYPE, global>, i32\n";
    }
    std::string text =
        task(64, buffer("x", type) + "," + buffer("y", type) + "," + buffer("z", type),
             replaceAll(body, "TYPE", type));
    std::vector<uint8_t> out(192 * bytes * std::size(ops));
    compare(text, variants({32}), {Arg::array(a), Arg::array(b), Arg::array(out)}, 3);
  }
}

TEST_CASE("division by zero yields some value") {
  for (const char *type : {"i8", "i16", "i32", "i64"}) {
    std::string body;
    for (const char *op : {"divsi", "divui", "remsi", "remui"})
      body += std::string("%r") + op + " = arith." + op + " %a, %b : TYPE\n" + "simt.store %r" +
              op + ", %z[%i] : !simt.buffer<TYPE, global>, i32\n";
    body = "%a = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32\n"
           "%b = simt.load %y[%i] : !simt.buffer<TYPE, global>, i32\n" +
           body +
           "%ua = simt.load %x[%c0] : !simt.buffer<TYPE, global>, i32\n"
           "%ub = simt.load %y[%c0] : !simt.buffer<TYPE, global>, i32\n"
           "%u = arith.divsi %ua, %ub : TYPE\n"
           "simt.store %u, %z[%i] : !simt.buffer<TYPE, global>, i32\n"
           "simt.store %b, %z[%i] : !simt.buffer<TYPE, global>, i32\n";
    std::string text =
        task(32, buffer("x", type) + "," + buffer("y", type) + "," + buffer("z", type),
             replaceAll(body, "TYPE", type));
    std::vector<uint8_t> a(32 * 8, 0), b(32 * 8, 0), out(32 * 8);
    unsigned bytes = std::string(type) == "i8" ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
    for (size_t i = 0; i < 32; ++i)
      a[i * bytes + bytes - 1] = 0x80;
    std::memset(&b[16 * bytes], 0xff, 16 * bytes);
    for (const Variant &variant : variants({4, 32, 64})) {
      std::vector<Arg> args{Arg::array(a), Arg::array(b), Arg::array(out)};
      run(text, variant, args, 1); // must not trap
      CHECK(std::memcmp(args[2].bytes.data(), b.data(), 32 * bytes) == 0);
    }
  }
}

TEST_CASE("float arithmetic, comparisons and conversions") {
  const char *body = R"(
    %a = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32
    %b = simt.load %y[%i] : !simt.buffer<TYPE, global>, i32
    %count = arith.constant 16 : i32
    %base = arith.muli %i, %count : i32
    %s0 = arith.addf %a, %b : TYPE
    %s1 = arith.subf %a, %b : TYPE
    %s2 = arith.mulf %a, %b : TYPE
    %s3 = arith.divf %a, %b : TYPE
    %s4 = arith.minnumf %a, %b : TYPE
    %s5 = arith.maxnumf %a, %b : TYPE
    %s6 = arith.negf %a : TYPE
    %s7 = math.absf %a : TYPE
    %lt = arith.cmpf olt, %a, %b : TYPE
    %ne = arith.cmpf une, %a, %a : TYPE
    %s8 = arith.select %lt, %a, %b : TYPE
    %zero = arith.constant 0.0 : TYPE
    %s9 = arith.select %ne, %zero, %a : TYPE
    %s10 = math.floor %s9 : TYPE
    %s11 = math.roundeven %s9 : TYPE
    %small = arith.constant 100.0 : TYPE
    %clamped = arith.minnumf %s7, %small : TYPE
    %int = arith.fptosi %clamped : TYPE to i32
    %s12 = arith.sitofp %int : i32 to TYPE
    %s13 = arith.uitofp %i : i32 to TYPE
    %s14 = math.sqrt %s7 : TYPE
    %s15 = math.trunc %s9 : TYPE
  )";
  for (const char *type : {"f16", "f32", "f64"}) {
    std::string text = body;
    for (int i = 0; i < 16; ++i) {
      std::string n = std::to_string(i);
      text += "%k" + n + " = arith.constant " + n + " : i32\n%at" + n + " = arith.addi %base, %k" +
              n + " : i32\nsimt.store %s" + n + ", %z[%at" + n +
              "] : !simt.buffer<TYPE, global>, i32\n";
    }
    text = task(64, buffer("x", type) + "," + buffer("y", type) + "," + buffer("z", type),
                replaceAll(text, "TYPE", type));
    std::vector<Arg> args;
    const double specials[] = {NAN,   INFINITY, -INFINITY, 0.0, -0.0, 1e-7,
                               65504, -65520,   1,         0.5, 2.5,  -3.5};
    auto fill = [&](auto convert, auto zero) {
      using T = decltype(zero);
      std::vector<T> a(64), b(64);
      for (int i = 0; i < 64; ++i) {
        a[i] = convert(specials[i % 12] * (i < 24 ? 1 : i / 7.0));
        b[i] = convert(specials[(i / 5) % 12] - (i < 24 ? 0 : i / 3.0));
      }
      args = {Arg::array(a), Arg::array(b), Arg::array(std::vector<T>(64 * 16))};
    };
    std::string name = type;
    if (name == "f64")
      fill([](double v) { return v; }, 0.0);
    else if (name == "f32")
      fill([](double v) { return float(v); }, 0.0f);
    else
      // Half bits, every kind of exponent.
      fill([n = 0u](double) mutable { return uint16_t((n++ * 2503u + 77u) & 0xfbff); },
           uint16_t(0));
    // NaN payloads differ legitimately: compared as numbers where they are ones.
    Tolerance exact{name == "f64" ? 8u : name == "f32" ? 4u : 0u, 0};
    compare(text, variants({32}), args, 1, exact);
  }
}

// aarch64's instruction answers a signalling NaN by a NaN.
TEST_CASE("the least and the greatest pass over a NaN, quiet or signalling") {
  const std::string text =
      task(64, buffer("x", "f32") + "," + buffer("y", "f32") + "," + buffer("z", "f32"), R"(
    %a = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %b = simt.load %y[%i] : !simt.buffer<f32, global>, i32
    %least = arith.minnumf %a, %b : f32
    %greatest = arith.maxnumf %a, %b : f32
    %twice = arith.addi %i, %i : i32
    %next = arith.addi %twice, %c1 : i32
    simt.store %least, %z[%twice] : !simt.buffer<f32, global>, i32
    simt.store %greatest, %z[%next] : !simt.buffer<f32, global>, i32
  )");
  const uint32_t nans[] = {0x7fc00000, 0xffc00001, 0x7f800001, 0xffa00000};
  std::vector<uint32_t> a(64), b(64), wanted(128);
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t number = 0x3f800000 + (i << 18), nan = nans[i / 2 % 4];
    a[i] = i % 2 ? number : nan;
    b[i] = i % 2 ? nan : number;
    wanted[2 * i] = wanted[2 * i + 1] = number;
  }
  for (const Variant &variant : variants()) {
    INFO(variant.str());
    std::vector<Arg> args = {Arg::array(a), Arg::array(b), Arg::array(std::vector<uint32_t>(128))};
    run(text, variant, args, 1);
    CHECK(args[2].as<uint32_t>() == wanted);
  }
}

TEST_CASE("every half float converts") {
  std::string text = task(128,
                          buffer("x", "f16") + "," + buffer("y", "f32") + "," + buffer("z", "f64") +
                              "," + buffer("w", "f16"),
                          R"(
    %h = simt.load %x[%i] : !simt.buffer<f16, global>, i32
    %f = arith.extf %h : f16 to f32
    simt.store %f, %y[%i] : !simt.buffer<f32, global>, i32
    %scale = arith.constant 1.00048828125 : f64
    %d0 = simt.load %z[%i] : !simt.buffer<f64, global>, i32
    %b = arith.truncf %d0 : f64 to f16
    simt.store %b, %w[%i] : !simt.buffer<f16, global>, i32
  )");
  std::vector<uint16_t> halves(65536), back(65536);
  std::vector<double> reals(65536);
  for (int i = 0; i < 65536; ++i) {
    halves[i] = i;
    // Around the ties between two halves: exactly, a bit below, a bit above.
    int exponent = i % 42 - 26;
    double mantissa = 1 + (i / 42 % 1024 + 0.5) / 1024;
    reals[i] = std::ldexp(mantissa, exponent) * (i % 3 == 0   ? 1
                                                 : i % 3 == 1 ? 1 + 0x1p-40
                                                              : 1 - 0x1p-40);
  }
  for (auto &half : halves)
    if ((half & 0x7c00) == 0x7c00 && (half & 0x3ff))
      half = 0x7e00; // signalling NaNs may quieten
  compare(text, variants({32}),
          {Arg::array(halves), Arg::array(std::vector<float>(65536)), Arg::array(reals),
           Arg::array(back)},
          512);
}

TEST_CASE("bits") {
  for (const char *type : {"i8", "i16", "i32", "i64"}) {
    unsigned bytes = std::string(type) == "i8" ? 1 : type[1] == '1' ? 2 : type[1] == '3' ? 4 : 8;
    std::string text = task(64, buffer("x", type) + "," + buffer("y", type),
                            replaceAll(R"(
      %a = simt.load %x[%i] : !simt.buffer<TYPE, global>, i32
      %p = math.ctpop %a : TYPE
      %l = math.ctlz %a : TYPE
      %t = math.cttz %a : TYPE
      %k = arith.constant 3 : TYPE
      %sh = arith.andi %t, %k : TYPE
      %s1 = arith.shli %a, %sh : TYPE
      %s2 = arith.shrsi %s1, %k : TYPE
      %s3 = arith.shrui %s2, %sh : TYPE
      %u = arith.addi %p, %l : TYPE
      %v = arith.muli %u, %s3 : TYPE
      %w = arith.addi %v, %t : TYPE
      simt.store %w, %y[%i] : !simt.buffer<TYPE, global>, i32
    )",
                                       "TYPE", type));
    std::vector<uint8_t> in = randoms<uint8_t>(64 * bytes);
    std::memset(in.data(), 0, 3 * bytes);
    compare(text, variants({4, 32}), {Arg::array(in), Arg::array(std::vector<uint8_t>(64 * bytes))},
            1);
  }
}
