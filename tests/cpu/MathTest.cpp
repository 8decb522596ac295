// Math functions: vector library, scalar library, masks.
#include "tests/cpu/Kernels.h"

#include <cmath>

using namespace cputest;

TEST_CASE("math functions") {
  struct Row {
    const char *op;
    double low, high;
  };
  const Row rows[] = {{"sin", -100, 100},  {"cos", -100, 100},   {"tan", -1.5, 1.5},
                      {"asin", -1, 1},     {"acos", -1, 1},      {"atan", -50, 50},
                      {"sinh", -5, 5},     {"cosh", -5, 5},      {"tanh", -3, 3},
                      {"exp", -20, 20},    {"exp2", -20, 20},    {"log", 1e-3, 1e3},
                      {"log2", 1e-3, 1e3}, {"log10", 1e-3, 1e3}, {"rsqrt", 1e-3, 1e3}};
  for (const char *type : {"f32", "f64"}) {
    std::string body = R"(
      %n = arith.constant 61 : i32
      %in = arith.cmpi slt, %i, %n : i32
      scf.if %in {
        %count = arith.constant 16 : i32
    )";
    unsigned n = 0;
    for (const Row &row : rows) {
      std::string k = std::to_string(n++);
      body += "%k" + k + " = arith.constant " + k + " : i32\n%p" + k +
              " = arith.muli %i, %count : i32\n%at" + k + " = arith.addi %p" + k + ", %k" + k +
              " : i32\n%v" + k + " = simt.load %x[%at" + k +
              "] : !simt.buffer<TYPE, global>, i32\n%r" + k + " = math." + row.op + " %v" + k +
              " : TYPE\nsimt.store %r" + k + ", %y[%at" + k +
              "] : !simt.buffer<TYPE, global>, i32\n";
    }
    // Two operands, and a uniform one.
    body += R"(
      %half = arith.constant 1.25 : TYPE
      %pw = math.powf %r11, %half : TYPE
      %angle = math.atan2 %v0, %v1 : TYPE
      %sum = arith.addf %angle, %pw : TYPE
      %u = math.exp %half : TYPE
      %sum2 = arith.mulf %sum, %u : TYPE
      %k15 = arith.constant 15 : i32
      %p15 = arith.muli %i, %count : i32
      %at15 = arith.addi %p15, %k15 : i32
      simt.store %sum2, %y[%at15] : !simt.buffer<TYPE, global>, i32
      }
    )";
    auto make = [&](auto zero) {
      using T = decltype(zero);
      std::vector<T> in(61 * 16 + 16, T(1));
      for (int i = 0; i < 61; ++i)
        for (int k = 0; k < 15; ++k)
          in[i * 16 + k] = T(rows[k].low + (rows[k].high - rows[k].low) * ((i * 7 + k) % 61) / 60);
      return std::vector<Arg>{Arg::array(in), Arg::array(std::vector<T>(in.size()))};
    };
    std::string text =
        task(64, buffer("x", type) + "," + buffer("y", type), replaceAll(body, "TYPE", type));
    if (type[1] == '3')
      compare(text, variants({4, 32, 64}), make(0.0f), 1, {4, 2e-5});
    else
      compare(text, variants({4, 32, 64}), make(0.0), 1, {8, 1e-12});
  }
}

TEST_CASE("math of halves and special values") {
  std::string text = task(64, buffer("x", "f16") + "," + buffer("y", "f16"), R"(
    %h = simt.load %x[%i] : !simt.buffer<f16, global>, i32
    %e = math.exp %h : f16
    simt.store %e, %y[%i] : !simt.buffer<f16, global>, i32
  )");
  for (const Variant &variant : variants({32})) {
    std::vector<uint16_t> in(64, 0x3c00), out(64);
    in[3] = 0x7c00;
    in[4] = 0xfc00;
    in[5] = 0x7e00;
    std::vector<Arg> args{Arg::array(in), Arg::array(out)};
    run(text, variant, args, 1);
    std::vector<uint16_t> got = args[1].as<uint16_t>();
    CHECK(got[0] == 0x4170); // e
    CHECK(got[3] == 0x7c00);
    CHECK(got[4] == 0);
    CHECK((got[5] & 0x7e00) == 0x7e00);
  }
}

// A vector takes another way where one of its lanes has a rare argument: the others must not see
// it.
TEST_CASE("lanes with rare arguments leave the results of others alone") {
  for (const char *op : {"exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "sinh", "cosh",
                         "tanh", "rsqrt", "atan", "powf", "atan2"}) {
    const bool isBinary = std::string(op) == "powf" || std::string(op) == "atan2";
    std::string text =
        task(64, buffer("x", "f32") + "," + buffer("y", "f32"),
             replaceAll(replaceAll(R"(
      %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
      %r = math.OP %v : f32
      simt.store %r, %y[%i] : !simt.buffer<f32, global>, i32
    )",
                                   "%v : f32", isBinary ? "%v, %v : f32" : "%v : f32"),
                        "OP", op));
    std::vector<float> usual(64), mixed;
    for (int i = 0; i < 64; ++i)
      usual[i] = 0.25f + 0.125f * float(i);
    mixed = usual;
    const float rare[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f, -2.0f, 1e6f};
    for (size_t i = 0; i < std::size(rare); ++i)
      mixed[7 * i] = rare[i];
    for (const Variant &variant : variants({8, 32})) {
      INFO(op << " " << variant.str());
      std::vector<float> results[2];
      for (bool isMixed : {false, true}) {
        std::vector<Arg> args{Arg::array(isMixed ? mixed : usual),
                              Arg::array(std::vector<float>(64))};
        run(text, variant, args, 1);
        results[isMixed] = args[1].as<float>();
      }
      unsigned different = 0;
      for (int i = 0; i < 64; ++i)
        if (i % 7 || i / 7 >= int(std::size(rare)))
          different += std::memcmp(&results[0][i], &results[1][i], sizeof(float)) != 0;
      CHECK(different == 0);
    }
  }
}

/// Runs the ops that make %r of %v on the numbers, by fast math.
static std::vector<float> fast(Variant variant, const std::string &ops,
                               const std::vector<float> &in) {
  variant.isFast = true;
  std::string text = task(64, buffer("x", "f32") + "," + buffer("y", "f32"),
                          "%v = simt.load %x[%i] : !simt.buffer<f32, global>, i32\n" + ops +
                              "\nsimt.store %r, %y[%i] : !simt.buffer<f32, global>, i32\n");
  std::vector<Arg> args{Arg::array(in), Arg::array(std::vector<float>(64))};
  run(text, variant, args, 1);
  return args[1].as<float>();
}

TEST_CASE("inverse roots by fast math") {
  std::vector<float> in(64);
  for (int i = 0; i < 64; ++i)
    in[i] = std::ldexp(1 + float(i) / 64, 4 * i - 125);
  const float special[] = {0.0f, -0.0f, INFINITY, -1.0f, NAN, 0x1p-126f};
  std::copy(std::begin(special), std::end(special), in.begin());
  for (const Variant &variant : variants({4, 8, 32})) {
    INFO(variant.str());
    const std::vector<float> got = fast(variant, "%r = math.rsqrt %v : f32", in);
    CHECK(got[0] == INFINITY);
    CHECK(got[1] == -INFINITY);
    CHECK(got[2] == 0);
    CHECK(std::isnan(got[3]));
    CHECK(std::isnan(got[4]));
    for (int i = 5; i < 64; ++i) { // 4 units of 2^-23 at most
      INFO(in[i]);
      CHECK(std::abs(got[i] * std::sqrt(double(in[i])) - 1) < 4 * 0x1p-23);
    }
  }
}

TEST_CASE("quotients by fast math, by one divisor and by a constant") {
  std::vector<float> in(64);
  for (int i = 0; i < 64; ++i)
    in[i] = 0.5f + 1.75f * float(i);
  for (const Variant &variant : variants({8, 32})) {
    INFO(variant.str());
    const std::vector<float> got = fast(variant, R"(
      %two = arith.constant 2.0 : f32
      %three = arith.constant 3.0 : f32
      %a = arith.divf %two, %v : f32
      %b = arith.divf %three, %v : f32
      %c = arith.divf %v, %three : f32
      %ab = arith.addf %a, %b : f32
      %r = arith.addf %ab, %c : f32
    )",
                                        in);
    for (int i = 0; i < 64; ++i) { // three terms of 1.5 units, and two sums
      const double exact = 2 / double(in[i]) + 3 / double(in[i]) + double(in[i]) / 3;
      CHECK(std::abs(got[i] / exact - 1) < 3 * 0x1p-23);
    }
  }
}
