// The things that names of a kernel file stand for: members of arrays of structs, properties,
// fields of several names, arrays that an instance leaves out; see kernels/members.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Vec2 = sextant::Vector<float, 2>;
using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;

void arrays(Run &run) {
  auto out = run.zeros<float>(32);
  auto kinds = run.zeros<int32_t>(32);
  run.launch("arrays_of_members", out, kinds);
  Floats sums;
  Ints numbers;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j) {
      sums.push_back(float(3 * i) + 100 * (float(j) + 0.5f));
      numbers.push_back(110 * i + 2 * j);
    }
  expectSame("out", out.read(), sums);
  expectSame("kinds", kinds.read(), numbers);
}

void fields(Run &run) {
  auto out = run.zeros<float>(5);
  run.launch("names_of_fields", out);
  Floats wanted;
  for (int i = 0; i < 4; ++i)
    wanted.push_back(float(i + 1 + i + 101 * (1 - i) + 1000 * (10 + i)) + 0.25f * float(i));
  wanted.push_back(321);
  expectSame("out", out.read(), wanted);
}

void classes(Run &run) {
  auto out = run.zeros<int32_t>(3);
  run.launch("Crate_fill", out, true);
  expectSame("filled", out.read(), Ints{566, 1566, 4566}); // 0 + … + 11, and 100 * 5
  run.launch("Crate_fill", out, false);
  expectSame("area", out.read(), Ints{6, 6, 6});
  run.launch("Box_alone", out);
  expectSame("alone", out.read(), Ints{0, 1, 4});
  auto written = run.zeros<float>(3);
  run.launch("Owner_write", written);
  expectSame("written", written.read(), Floats{2101, 2104.5f, 2108});
}

void lists(Run &run) {
  auto x = run.array(Floats{1, -2, 0.5f}), out = run.zeros<float>(3);
  auto y = run.array(Ints{10, 20, 30});
  run.launch("Bundle_mix", x, y, 0.25f, 1000, out);
  // (2 (x + y) + 7) / 4 + 1000 + 2
  expectSame("out", out.read(), Floats{1009.25f, 1012.75f, 1019});
  expectSame("y", y.read(), Ints{0, 3, 6});
}

void absent(Run &run) {
  auto x = run.array(Floats{1, 2}), y = run.array(Floats{3, 4}), z = run.array(Floats{5, 6});
  auto out = run.zeros<float>(2);
  run.launch("optional_all", x, y, z, out);
  expectSame("all", out.read(), Floats{531, 642});
  run.launch("optional_first", x, out);
  expectSame("first", out.read(), Floats{1, 2});
  auto filled = run.zeros<float>(5);
  run.launch("names_of_fields", filled);
  run.launch("optional_field", out);
  expectSame("field", out.read(), Floats{0, 50});

  auto pairs = run.array(std::vector<Vec2>{{{1, 2}}, {{3, 4}}});
  run.launch("given_arrays", x, pairs);
  expectSame("given", x.read(), Floats{6, 27});
}

void changes(Run &run) {
  auto out = run.array(Floats{1, 0, 0, 0});
  run.launch("changed_values", out);
  // 5 + 2 + 3 each time; x = (1, 2); 9 + 400 + 6000.
  expectSame("out", out.read(), Floats{610, 10, 21, 6409});
}

} // namespace

void addMemberCases(std::vector<Case> &cases) {
  cases.push_back({"members", "arrays of members", arrays});
  cases.push_back({"members", "fields of several names", fields});
  cases.push_back({"members", "properties, static methods, classes in classes", classes});
  cases.push_back({"members", "items of lists that launches pass", lists});
  cases.push_back({"members", "arrays that an instance leaves out", absent});
  cases.push_back({"members", "values that functions change", changes});
}

} // namespace conformance
