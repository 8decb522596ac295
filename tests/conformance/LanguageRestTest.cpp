// Arguments by value, one memory under two names, types of operands, locals of blocks, orders of
// loops, what is evaluated and how often; see kernels/language_rest.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Vec3 = sextant::Vector<int32_t, 3>;
using Mat23 = sextant::Matrix<int32_t, 2, 3>;
using Ints = std::vector<int32_t>;

int floorDiv(int a, int b) { return (a - ((a % b + b) % b)) / b; }

void byValue(Run &run) {
  auto out = run.zeros<int32_t>(11);
  run.launch("by_value", Vec3{{1, -2, 3}}, uint8_t(200), Mat23{{11, 12, 13, 21, 22, 23}},
             int64_t(-5) << 32, true, out);
  expectSame("out", out.read(), Ints{210, 180, 230, 11, 12, 13, 21, 22, 23, -5, 7});
  run.launch("by_value", Vec3{}, uint8_t(0), Mat23{}, int64_t(1) << 40, false, out);
  Ints got = out.read();
  // amdsim takes 16 bits of the flag's scalar register where the code selects 8 (SDWA, gfx9).
  if (std::string_view(run.device.info().description).find("amdsim") == std::string_view::npos)
    expectSame("flag", 10, got[10], 8);
  got.pop_back();
  expectSame("out", got, Ints{0, 0, 0, 0, 0, 0, 0, 0, 0, 256});
}

void aliases(Run &run) {
  const Ints values = small<int32_t>(run, 300);
  auto a = run.array(values), b = run.zeros<int32_t>(300);
  run.launch("aliases", int32_t(300), a, b);
  auto first = a.read(), second = b.read();
  for (size_t i = 0; i < 300; ++i) {
    expectSame("a", i, first[i], values[i] * 10);
    expectSame("b", i, second[i], values[i] * 11 + 1);
  }
  // mslsim gives each argument memory of its own.
  if (std::string_view(run.device.info().description).starts_with("Fake"))
    return;
  auto both = run.array(values);
  run.launch("aliases", int32_t(300), both, both);
  first = both.read();
  for (size_t i = 0; i < 300; ++i)
    expectSame("both", i, first[i], (values[i] + 1) * 20);
}

void returned(Run &run) {
  auto stream = run.device.defaultStream();
  auto m = run.program.kernel("gives_matrix").call<Mat23>(stream, int32_t(7));
  const int one[] = {7, 8, 9, -7, 5, 6};
  int64_t square = 0;
  uint8_t narrow = 0;
  Vec3 v{};
  Mat23 times{};
  run.program.kernel("gives_all")
      .callInto(stream, std::tie(square, times, narrow, v), int64_t(300000));
  for (unsigned i = 0; i < 6; ++i) {
    expectSame("matrix", i, m[i], one[i]);
    expectSame("times", i, times[i], int32_t(i + 1) * 300000);
  }
  expectSame("square", 0, square, int64_t(90000000000));
  expectSame("narrow", 0, narrow, uint8_t(224));
  for (unsigned i = 0; i < 3; ++i)
    expectSame("vector", i, v[i], int32_t(i + 7));
}

void promotions(Run &run) {
  auto h = run.array(std::vector<sextant::Half>{{0x6800}, {0x3e00}}); // 2048 and 1.5
  auto c = run.array(std::vector<int8_t>{-100});
  auto b = run.array(std::vector<uint8_t>{10});
  auto s = run.array(std::vector<int16_t>{-300});
  auto u = run.array(std::vector<uint32_t>{5});
  auto l = run.array(std::vector<int64_t>{1, -1});
  auto i = run.array(Ints{-1, 5});
  auto out = run.zeros<int64_t>(14);
  run.launch("promotions", h, c, b, s, u, l, i, out);
  // (-300)^5 is -2430000000000, whose low 16 bits are 0x8c00; 90000 - 65536 = 24464.
  expectSame("out", out.read(),
             std::vector<int64_t>{2048, -1, 166, 4294967290, -2, 0, 1, 64,
                                  int16_t(uint64_t(-2430000000000) & 0xffff), 24464, 320, 1000,
                                  7593, 2});
}

void locals(Run &run) {
  const size_t n = 300;
  auto b = run.array(std::vector<uint8_t>(n, 9));
  auto out = run.zeros<float>(n);
  run.launch("locals_of_blocks", b, out);
  auto got = out.read();
  for (size_t i = 0; i < n; ++i)
    expectSame("out", i, got[i],
               400000 + float((300 + i) & 255) * 1000 + (i % 2 ? 1.0f : 0.5f) + 375 + 1);
}

void orders(Run &run) {
  auto out = run.zeros<int32_t>(17);
  auto thread = run.zeros2<int32_t>(3, 4);
  run.launch("orders", out, thread);
  expectSame("out", out.read(),
             Ints{43, 53, 63, 44, 54, 64, 7, 8, 17, 18, 10, 11, 20, 21, 10, 6, 2});
  expectSame("thread", thread.read(), Ints{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11});
}

void structures(Run &run) {
  const Ints values = small<int32_t>(run, 15);
  sextant::Array<int32_t, 2> a(run.device, {3, 5});
  a.write(values);
  auto out = run.zeros2<int32_t>(3, 5);
  run.launch("structures", a, out);
  auto got = out.read();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) {
      const size_t at = size_t(5 * i + j);
      expectSame("out", at, got[at], values[at] + 12 * i + 3 * j + 300);
    }
}

void evaluated(Run &run) {
  const Ints values = small<int32_t>(run, 500, 7);
  auto src = run.array(values), calls = run.zeros<int32_t>(8);
  auto out = run.zeros2<int32_t>(7, 500);
  run.launch("evaluated", src, calls, out);
  auto got = out.read();
  Ints wanted(8);
  for (size_t i = 0; i < 500; ++i) {
    const int x = values[i], chosen = x > 2 ? x + 1 : x - 1;
    const int row[] = {0 < x && x < 5, chosen, chosen, x ? 7 : 0, x ? x : 9, !x, 0 < x && x < 4};
    for (size_t r = 0; r < 7; ++r)
      expectSame("row " + std::to_string(r), i, got[r * 500 + i], row[r]);
    const int called[] = {1, x > 2, x <= 2, 1, 1, x != 0, x == 0, x > 0};
    for (size_t k = 0; k < 8; ++k)
      wanted[k] += called[k];
  }
  expectSame("calls", calls.read(), wanted);
}

void elementwise(Run &run) {
  const size_t n = 200;
  const Ints values = small<int32_t>(run, n, 4);
  auto src = run.array(values);
  auto out = run.zeros2<Vec3>(8, n);
  run.launch("elementwise", src, out);
  auto got = out.read();
  for (size_t i = 0; i < n; ++i)
    for (unsigned k = 0; k < 3; ++k) {
      const int x = values[i];
      const int v = k == 0 ? x : k == 1 ? 0 : 2, w = k == 0 ? 3 : k == 1 ? x : -1;
      const int row[] = {v && w, // logic on vectors: 0 or 1
                         v || w,
                         !v,
                         v < w,
                         std::min(v, w),
                         2,
                         floorDiv(v, 2) - (w - 3 * floorDiv(w, 3)),
                         1 + std::max(v, w)};
      for (size_t r = 0; r < 8; ++r)
        expectSame("row " + std::to_string(r), i, got[r * n + i][k], row[r]);
    }
}

void places(Run &run) {
  for (auto [begin, end] : {std::pair{0, 70}, {5, 75}, {3, 67}, {90, 91}}) {
    auto out = run.array(Ints(100, -1)), blocks = run.array(Ints(100, -1));
    run.launch("places", int32_t(begin), int32_t(end), out, blocks);
    auto thread = out.read(), global = blocks.read();
    for (int i = 0; i < 100; ++i) {
      const bool in = i >= begin && i < end;
      expectSame("thread", size_t(i), thread[size_t(i)], in ? (i - begin) % 32 : -1);
      expectSame("global", size_t(i), global[size_t(i)], in ? i - begin : -1);
    }
  }
}

void sharedOfCalls(Run &run) {
  const size_t n = 256;
  const Ints values = small<int32_t>(run, n);
  auto src = run.array(values), out = run.zeros<int32_t>(n);
  run.launch("shared_of_calls", src, out);
  auto got = out.read();
  for (size_t i = 0; i < n; ++i) {
    const size_t b = i / 64 * 64, t = i % 64;
    expectSame("out", i, got[i], values[b + 63 - t] * 8 + values[b + (t + 1) % 64] * 1000);
  }
}

void assigned(Run &run) {
  auto b = run.array(std::vector<uint8_t>{250, 200});
  auto a = run.array(Ints{10, 10, 10, 3, -7, -7, 5, -9, -3, 10, -1});
  auto u = run.array(std::vector<uint32_t>{0, 5});
  auto out = run.zeros<int32_t>(6);
  run.launch("assigned", b, a, u, out);
  expectSame("b", b.read(), std::vector<uint8_t>{38, 200});
  expectSame("a", a.read(), Ints{11, 8, 5, 7, -4, 1, 40, -5, -27, 3, -1});
  expectSame("u", u.read(), std::vector<uint32_t>{0xffffffff, 6});
  expectSame("out", out.read(), Ints{250, 200, 10, 10, -1, 14});
}

void leaves(Run &run) {
  auto stream = run.device.defaultStream();
  auto src = run.array(Ints{1, -2, 3, -4, 0, 7, 7, 1}), out = run.zeros<int32_t>(8);
  auto leave = run.program.kernel("leaves");
  expectSame("found", 0, leave.call<int32_t>(stream, src, out), 5);
  expectSame("out", out.read(), Ints{1, 0, 1, 0, 1, 0, 0, 0});
  auto none = run.array(Ints{1, 2});
  expectSame("found", 1, leave.call<int32_t>(stream, none, out), -1);
}

void carried(Run &run) {
  const size_t n = 300;
  for (int head : {3, -3}) {
    Ints values(n, head);
    values[1] = 5;
    auto src = run.array(values), out = run.zeros<int32_t>(n);
    run.launch("carried", src, out);
    const int wanted = head + 50 + head * 100 + (head > 0 ? 1000 + int(n) * 10000 : 0);
    expectSame("out", out.read(), Ints(n, wanted));
  }
}

void inlined(Run &run) {
  const size_t n = 1000;
  const Ints values = small<int32_t>(run, n);
  auto a = run.array(values), out = run.zeros<int32_t>(n);
  run.launch("inlined", a, out);
  auto got = out.read();
  for (size_t i = 1; i < n; ++i)
    expectSame("out", i, got[i], values[n - 1 - i] * 1000 + 123 + int32_t(i));
  expectSame("out", 0, got[0], (values[0] * 1000 + 123) * 5 + 7);
}

void displays(Run &run) {
  const Ints values = {0, 3, 4, -5};
  auto out = run.zeros<int32_t>(4);
  run.launch("displays", run.array(values), out);
  const int known = 16 + 200 + 7 + 2 + 5 * 10000; // keys: 0, 1, 3, 4, "top"
  expectSame("out", out.read(), Ints{known + 2000, known + 2000, known + 1000, known + 2000});
}

void randomStreams(Run &run) {
  const size_t n = 2000;
  auto out = run.zeros2<float>(2, n), again = run.zeros2<float>(2, n);
  auto whole = run.zeros<int32_t>(n);
  for (auto *one : {&out, &again}) {
    run.program.seed(3);
    run.launch("randoms", *one, whole);
  }
  auto reals = out.read();
  expectSame("with the same seed", again.read(), reals);
  // Among 4000 numbers of 2^24, and 2000 of 2^32, next to none meet.
  if (std::set<float>(reals.begin(), reals.end()).size() < 2 * n - 10)
    throw Mismatch{"threads draw the same numbers"};
  auto integers = whole.read();
  if (std::set<int32_t>(integers.begin(), integers.end()).size() < n - 2)
    throw Mismatch{"threads draw the same integers"};
  const auto negative =
      std::count_if(integers.begin(), integers.end(), [](int x) { return x < 0; });
  if (negative < 800 || negative > 1200)
    throw Mismatch{std::to_string(negative) + " of 2000 integers are negative"};
}

void named(Run &run) {
  const int n = 2500;
  const auto values = small<int32_t>(run, n, 1000);
  auto out = run.zeros<int32_t>(n);
  run.launch("named", run.array(values), out);
  std::vector<int32_t> expected(n);
  expected[0] = std::max(values[0], 0);
  for (int i = 1; i < n; ++i) {
    const int remainder = (values[size_t(i)] % 7 + 7) % 7;
    int rest = i * remainder + remainder;
    if (i > 3 && values[size_t(i)] > 0)
      rest += values[size_t(i)];
    while (rest > 1000)
      rest -= 1000;
    expected[size_t(i)] = rest * rest + i * i + (i - 3) * (i - 3) + (i - 3);
  }
  expectSame("out", out.read(), expected);
}

void warps(Run &run) {
  const int n = 64 * 41;
  const auto values = small<int32_t>(run, n, 1 << 30);
  auto out = run.zeros<int32_t>(n);
  run.launch("warps", run.array(values), out);
  std::vector<int32_t> expected(n);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = values[i ^ 16]; // 32 has 6 bits
  expectSame("out", out.read(), expected);
}

void listItems(Run &run) {
  auto out = run.zeros<int32_t>(14);
  run.launch("list_items", out);
  expectSame("out", out.read(), Ints{2, 16, 6, 1, 8, 3, 0, 3, 2, 5, 6, 9, 5, 13});
}

/// 8 x + 12 of the first sample, 10 (x + 1) of the second, 2 x + 2 of the sum, 3 of the class, 0.5
/// given, and 3 (x + 1).
void objects(Run &run) {
  const std::vector<float> x{0, 1, -2, 40, 7.5f, -0.25f, 64, 3};
  auto in = run.array(x), out = run.array(std::vector<float>(x.size()));
  run.launch("objects", in, out);
  std::vector<float> expected;
  for (const float value : x)
    expected.push_back(23 * value + 30.5f);
  expectSame("out", out.read(), expected);
}

/// (x + 1 + 6) + 10 x + 1000 of the derived class, and 3 + 20 of the base.
void inheritedObjects(Run &run) {
  auto x = run.array(std::vector<float>{1, 2, -3});
  run.launch("inherited_objects", x);
  expectSame("x", x.read(), std::vector<float>{1041, 1052, 997});
}

} // namespace

void addLanguageRestCases(std::vector<Case> &cases) {
  const auto add = [&](const char *name, void (*body)(Run &)) {
    cases.push_back({"language_rest", name, body});
  };
  add("arguments by value", byValue);
  add("aliases", aliases);
  add("matrices and tuples returned", returned);
  add("promotions", promotions);
  add("locals of blocks", locals);
  add("orders of loops", orders);
  add("dictionaries and matrices of truths", displays);
  add("loops over structures", structures);
  add("what is evaluated", evaluated);
  add("elementwise and, or, not", elementwise);
  add("places of iterations", places);
  add("shared arrays of calls", sharedOfCalls);
  add("augmented assignments", assigned);
  add("leaving a serial loop", leaves);
  add("carried locals", carried);
  add("tasks of inlined functions", inlined);
  add("names in expressions", named);
  add("streams of random numbers", randomStreams);
  add("warps of CUDA", warps);
  add("items of lists", listItems);
  add("objects that kernels make", objects);
  add("objects of classes that inherit", inheritedObjects);
}

} // namespace conformance
