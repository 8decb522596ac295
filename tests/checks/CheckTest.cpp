// The reports of a module that was compiled with --check about checks.py, and what it leaves
// alone, on the device that SEXTANT_DEVICE names. Needs the loader only, so that it runs
// wherever the module's variants do.
#define SEXTANT_THROWS
#include "sextant/sextant.hpp"
#include "tests/support/Catch.h"

#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>

using namespace sextant;

namespace {

struct Fixture {
  Device device = Device::open();
  Module module = Module::open(modulePath());
  Program program{module, device};

  static std::string modulePath() {
    const char *path = std::getenv("SEXTANT_TEST_MODULE");
    return path ? path : SEXTANT_CHECKS_MODULE;
  }

  /// Returns what a launch reports: "" where nothing failed.
  template <class... Args> std::string report(const char *kernel, const Args &...args) {
    try {
      program.kernel(kernel)(device.defaultStream(), args...);
    } catch (const Error &error) {
      INFO(error.what());
      CHECK(error.status() == SXT_ERROR_KERNEL_FAULT);
      return error.what();
    }
    return "";
  }
  template <class T> Array<T> array(const std::vector<T> &values) {
    return Array<T>(device, std::span<const T>(values));
  }
  /// Lanes of the variant that runs.
  int wave(const char *kernel) {
    std::string target = program.kernel(kernel).variant();
    return std::stoi(target.substr(target.find("/wave") + 5));
  }
};

std::vector<int> iota(size_t count, int first = 0) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::string text(int number) { return std::to_string(number); }

/// `count` elements with a border of 64 on each side, which kernels do not get to see.
struct Bordered {
  Bordered(Fixture &f, size_t count) : memory(f.array(std::vector<int>(count + 128, -7))) {
    view = memory.view();
    view.shape[0] = int64_t(count);
    view.offsetBytes = 256;
  }
  /// The elements; checks the border.
  std::vector<int> read() const {
    std::vector<int> all = memory.read();
    for (size_t i = 0; i < 64; ++i) {
      CHECK(all[i] == -7);
      CHECK(all[all.size() - 1 - i] == -7);
    }
    return {all.begin() + 64, all.end() - 64};
  }
  Array<int> memory;
  ArrayView<int> view;
};

} // namespace

TEST_CASE("assertions", "[checks]") {
  Fixture f;
  std::vector<int> values(1000, 3);
  Array<int> x = f.array(values);
  CHECK(f.report("asserts", 1000, x) == "");
  values[777] = -1;
  x.write(values);
  CHECK(f.report("asserts", 777, x) == "");
  CHECK(f.report("asserts", 1000, x) ==
        "kernel 'asserts': checks.py:27:9: assertion failed (block 6, thread 9)");
  // The next launch starts with a clean record.
  CHECK(f.report("asserts", 777, x) == "");

  // In a function, at its own line; the text is one line, and braces mean nothing in it. The
  // thread goes on.
  values = std::vector<int>(300, 8);
  values[130] = 5;
  x = f.array(values);
  CHECK(f.report("messages", 300, x, 2) ==
        "kernel 'messages': checks.py:11:5: assertion failed: an odd number has no half {} "
        "(block 1, thread 2)");
  std::vector<int> expected(300, 4);
  expected[130] = 2;
  CHECK(x.read() == expected);
}

TEST_CASE("prepared launches and graphs of kernels with checks", "[checks]") {
  Fixture f;
  Stream stream = f.device.defaultStream();
  std::vector<int> values(1000, 3);
  values[777] = -1;
  Array<int> x = f.array(values), y = f.array(std::vector<int>(1000, 0));
  auto report = [](auto run) -> std::string {
    try {
      run();
    } catch (const Error &error) {
      CHECK(error.status() == SXT_ERROR_KERNEL_FAULT);
      return error.what();
    }
    return "";
  };
  const char *fault = "kernel 'asserts': checks.py:27:9: assertion failed (block 6, thread 9)";
  Kernel asserts = f.program.kernel("asserts");
  PreparedLaunch launch(asserts, 777, x);
  CHECK(report([&] { launch.enqueue(stream); }) == "");
  launch.set(0, 1000);
  CHECK(report([&] { launch.enqueue(stream); }) == fault);

  // The fault ends the run before the copy.
  Graph graph(f.device);
  const size_t step = graph.launch(asserts, 1000, x);
  graph.copy(y.view(), x.view());
  CHECK(report([&] { graph.enqueue(stream); }) == fault);
  CHECK(y.read() == std::vector<int>(1000, 0));
  graph.set(step, 0, 777);
  CHECK(report([&] { graph.enqueue(stream); }) == "");
  CHECK(y.read() == values);
  sxt_graph_info info;
  info.struct_size = sizeof info;
  check(sxt_graph_describe(graph.get(), &info));
  CHECK(info.native == 0); // on whichever device
}

TEST_CASE("division by zero", "[checks]") {
  Fixture f;
  Array<int> x = f.array(std::vector<int>(200, 8));
  std::string all = f.report("messages", 200, x, 0);
  INFO(all);
  CHECK(all.starts_with("kernel 'messages': checks.py:12:12: integer division by zero (block "));
  CHECK(all.ends_with("); 200 checks failed in all"));

  std::vector<uint32_t> divisors(200, 0xffffffffu);
  x = f.array(iota(200));
  Array<uint32_t> d = f.array(divisors);
  CHECK(f.report("modulo", 200, x, d) == "");
  divisors[129] = 0;
  d.write(divisors);
  CHECK(f.report("modulo", 200, x, d) ==
        "kernel 'modulo': checks.py:39:23: integer modulo by zero (block 1, thread 1)");

  std::vector<int64_t> wide(64, int64_t(1) << 32);
  wide[63] = 0;
  Array<int64_t> w = f.array(wide);
  std::string both = f.report("raw", int64_t(5), w);
  CHECK(both == "kernel 'raw': checks.py:45:16: integer division by zero (block 0, thread 63); "
                "2 checks failed in all");
}

TEST_CASE("signed integers that do not fit", "[checks]") {
  Fixture f;
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  struct Row {
    int which, line, x, y, result;
    std::string what; ///< "": it fits
  };
  auto unfit = [](const std::string &what) { return what + " does not fit i32, and wraps"; };
  for (const Row &row : {
           Row{0, 224, most, 1, least, unfit("2147483647 + 1")},
           Row{0, 224, most, -1, most - 1, ""},
           Row{0, 224, least, -1, most, unfit("-2147483648 + -1")},
           Row{0, 224, least, most, -1, ""},
           Row{0, 224, least, 0, least, ""},
           Row{1, 226, least, 1, most, unfit("-2147483648 - 1")},
           Row{1, 226, -1, least, most, ""},
           Row{1, 226, 0, least, least, unfit("0 - -2147483648")},
           Row{1, 226, most, most, 0, ""},
           Row{2, 228, 1073741824, 2, least, unfit("1073741824 * 2")},
           Row{2, 228, 1073741824, -2, least, ""},
           Row{2, 228, -1, least, least, unfit("-1 * -2147483648")},
           Row{2, 228, 46341, 46341, -2147479015, unfit("46341 * 46341")},
           Row{2, 228, 46340, 46340, 2147395600, ""},
           Row{3, 230, least, 1, least, ""},
           Row{3, 230, most, -1, -most, ""},
           Row{4, 232, most, 0, -most, ""},
           Row{4, 232, least, 0, least, unfit("the negative of -2147483648")},
           Row{5, 234, least, 0, least, unfit("the negative of -2147483648")},
           Row{5, 234, -7, 0, 7, ""},
           Row{6, 236, 1, 31, least, ""},
           Row{7, 238, most, most, int(uint32_t(most) * uint32_t(most) + uint32_t(most)), ""},
       }) {
    INFO(row.which << " of " << row.x << " and " << row.y);
    std::vector<int> values(70, 1);
    values[66] = row.x;
    Array<int> x = f.array(values);
    values = std::vector<int>(70, 1);
    values[66] = row.y;
    const std::string said = f.report("sums", x, f.array(values), row.which);
    CHECK(x.read()[66] == row.result);
    const std::string place = "kernel 'sums': checks.py:" + text(row.line) + ":20: ";
    if (row.what.empty())
      CHECK(said == "");
    else
      CHECK((said == place + row.what + " (block 1, thread 2)" ||
             said == place + row.what + " (block 0, thread 66)"));
  }
  // The result of a quotient or a shift is open then.
  Array<int> x = f.array(std::vector<int>{least});
  CHECK(f.report("sums", x, f.array(std::vector<int>{-1}), 3) ==
        "kernel 'sums': checks.py:230:20: -2147483648 divided by -1 does not fit i32, and wraps "
        "(block 0, thread 0)");
  for (int amount : {32, -1, 100})
    CHECK(f.report("sums", x, f.array(std::vector<int>{amount}), 6) ==
          "kernel 'sums': checks.py:236:20: a shift by " + text(amount) +
              ", of a value of 32 bits (block 0, thread 0)");

  constexpr int64_t low = std::numeric_limits<int64_t>::min(), big = int64_t(1) << 32;
  for (const auto &[a, b, fits] :
       {std::tuple(big, big / 2 - 1, true), std::tuple(big, big / 2, false),
        std::tuple(big, -big / 2, true), std::tuple(int64_t(-1), low, false),
        std::tuple(low, int64_t(-1), false), std::tuple(int64_t(0), low, true),
        std::tuple(low, int64_t(1), true),
        std::tuple(int64_t(3037000500), int64_t(3037000500), false),
        std::tuple(int64_t(3037000499), int64_t(3037000499), true)}) {
    INFO(a << " * " << b);
    Array<int64_t> wide = f.array(std::vector<int64_t>{a});
    const std::string said = f.report("wide_products", wide, f.array(std::vector<int64_t>{b}));
    CHECK(said ==
          (fits ? ""
                : "kernel 'wide_products': checks.py:245:19: " + std::to_string(a) + " * " +
                      std::to_string(b) + " does not fit i64, and wraps (block 0, thread 0)"));
    CHECK(wide.read()[0] == int64_t(uint64_t(a) * uint64_t(b)));
  }
  x = f.array(std::vector<int>{27, 28});
  CHECK(f.report("narrow_sums", x) == "kernel 'narrow_sums': checks.py:252:23: 28 + 100 does not "
                                      "fit i8, and wraps (block 0, thread 1)");
  CHECK(x.read() == std::vector<int>{127, -128});
}

TEST_CASE("indices out of bounds", "[checks]") {
  Fixture f;
  const std::string where = " is out of bounds: axis 0 of 'x' has size ";
  std::vector<int> at = iota(100);
  Bordered x(f, 100), y(f, 100);
  CHECK(f.report("gather", x.view, f.array(at), y.view) == "");
  CHECK(y.read() == std::vector<int>(100, -7));

  // A load gives 0, and the rest of the thread runs.
  for (int bad : {100, -1, 2147483647, -2147483647 - 1}) {
    at[42] = bad;
    CHECK(f.report("gather", x.view, f.array(at), y.view) ==
          "kernel 'gather': checks.py:51:16: index " + text(bad) + where +
              "100 (block 0, thread 42)");
    std::vector<int> expected(100, -7);
    expected[42] = 0;
    CHECK(y.read() == expected);
  }
  // An array without elements has no index at all.
  ArrayView<int> none = x.view;
  none.shape[0] = 0;
  CHECK(f.report("gather", none, f.array(std::vector<int>{0}), y.view) ==
        "kernel 'gather': checks.py:51:16: index 0" + where + "0 (block 0, thread 0)");

  // Stores and atomics are left out.
  at = iota(100);
  at[3] = 100;
  CHECK(f.report("scatter", x.view, f.array(at)) ==
        "kernel 'scatter': checks.py:57:9: index 100" + where + "100 (block 0, thread 3)");
  std::vector<int> expected(100, 7);
  expected[3] = -7;
  CHECK(x.read() == expected);

  std::vector<int64_t> wide(100);
  std::iota(wide.begin(), wide.end(), int64_t(0));
  wide[64] = (int64_t(1) << 32) + 5; // 5, if it were cut to 32 bits
  CHECK(f.report("update", x.view, f.array(wide), y.view) ==
        "kernel 'update': checks.py:63:30: index 4294967301" + where +
            "100 (block 0, thread 64); 2 checks failed in all");
  for (int &v : expected)
    v += 5;
  expected[3] = -2;
  expected[64] = 7;
  CHECK(x.read() == expected);
  CHECK(y.read()[64] == 0);

  std::vector<uint32_t> u(10, 1);
  u[9] = 0xfffffffe;
  Bordered z(f, 4);
  CHECK(f.report("unsigned_index", z.view, f.array(u)) ==
        "kernel 'unsigned_index': checks.py:70:9: index 4294967294" + where +
            "4 (block 0, thread 9)");
  CHECK(z.read() == std::vector<int>{-7, 2, -7, -7});

  // Every thread but the first hundred.
  at = iota(1000);
  std::string many = f.report("scatter", x.view, f.array(at));
  CHECK(many.starts_with("kernel 'scatter': checks.py:57:9: index "));
  CHECK(many.find(where + "100 (block ") != many.npos);
  CHECK(many.ends_with("); 900 checks failed in all"));
  CHECK(x.read() == std::vector<int>(100, 7));
}

TEST_CASE("axes, components, fields, shared arrays", "[checks]") {
  Fixture f;
  using Vector = Matrix<float, 3, 1>;
  Array<Vector, 2> planes(f.device, {4, 5});
  planes.clear();
  const std::string planar = "kernel 'planes': checks.py:";
  CHECK(f.report("planes", planes, 3, 4, 2) == "");
  CHECK(f.report("planes", planes, 4, 4, 2) ==
        planar + "77:13: index 4 is out of bounds: axis 0 of 'x' has size 4 (block 0, thread 37)");
  CHECK(f.report("planes", planes, 3, 5, 2) ==
        planar + "77:13: index 5 is out of bounds: axis 1 of 'x' has size 5 (block 0, thread 37)");
  CHECK(f.report("planes", planes, 3, 4, -1) ==
        planar + "77:13: component -1 is out of bounds: there are 3 (block 0, thread 37); "
                 "2 checks failed in all");

  Array<int> out = f.array(std::vector<int>(64));
  CHECK(f.report("fields", 3, 7, out) == "");
  CHECK(out.read()[0] == 3);
  CHECK(f.report("fields", 3, 8, out) ==
        "kernel 'fields': checks.py:87:13: index 8 is out of bounds: axis 1 of 'grid_field' has "
        "size 8 (block 0, thread 2); 2 checks failed in all");

  std::vector<int> at = iota(64);
  CHECK(f.report("shared", out, f.array(at)) == "");
  CHECK(out.read() == at);
  at[50] = 64;
  CHECK(f.report("shared", out, f.array(at)) ==
        "kernel 'shared': checks.py:98:18: index 64 is out of bounds: axis 0 of 's' has size 64 "
        "(block 0, thread 50)");
  at[50] = 0;
  CHECK(out.read() == at);
}

TEST_CASE("lanes", "[checks]") {
  Fixture f;
  int wave = f.wave("lanes");
  std::string there = " is outside of the subgroup's lanes: there are " + text(wave);
  std::vector<uint32_t> lane(64);
  for (size_t i = 0; i < 64; ++i)
    lane[i] = uint32_t((i + 1) % size_t(wave));
  Array<int> x = f.array(iota(64));
  CHECK(f.report("lanes", x, f.array(lane)) == "");
  lane[33] = uint32_t(wave);
  CHECK(f.report("lanes", x, f.array(lane)) == "kernel 'lanes': checks.py:105:16: source lane " +
                                                   text(wave) + there + " (block 0, thread 33)");

  CHECK(f.report("exchange", x, uint32_t(wave - 1), uint32_t(wave - 1)) == "");
  std::string masks = f.report("exchange", x, uint32_t(wave), 1u);
  CHECK(masks.starts_with("kernel 'exchange': checks.py:112:16: source lane "));
  CHECK(masks.find(there) != masks.npos);
  CHECK(masks.ends_with("); 64 checks failed in all"));
  std::string offsets = f.report("exchange", x, 1u, uint32_t(wave) + 1);
  CHECK(offsets.starts_with("kernel 'exchange': checks.py:113:16: offset " + text(wave + 1) +
                            there + " (block 0"));

  std::fill(lane.begin(), lane.end(), 2);
  CHECK(f.report("broadcasts", x, f.array(lane)) == "");
  lane[17] = 3;
  CHECK(f.report("broadcasts", x, f.array(lane)) ==
        "kernel 'broadcasts': checks.py:120:16: the lanes of the subgroup broadcast from "
        "different lanes: 3 here, 2 in lane 0 (block 0, thread 17)");
}

TEST_CASE("divergence at barriers", "[checks]") {
  Fixture f;
  const std::string what = ": block barrier in divergent control flow: threads of the block do "
                           "not all reach it (block ";
  std::vector<int> zeros(128);
  Array<int> x = f.array(zeros);
  auto clear = [&] { x.write(zeros); };

  CHECK(f.report("divergent_if", x, 64) == "");
  CHECK(x.read() == std::vector<int>(128, 1));
  CHECK(f.report("divergent_if", x, 0) == "");
  CHECK(x.read() == std::vector<int>(128, 2));
  std::string report = f.report("divergent_if", x, 63); // in both blocks
  CHECK(report.starts_with("kernel 'divergent_if': checks.py:129:13" + what));
  CHECK(report.ends_with(", thread 63); 2 checks failed in all"));

  // Thread 9 of block 1 would go round once more: nobody goes round in its block.
  std::vector<int> counts(128, 3);
  clear();
  CHECK(f.report("divergent_for", x, f.array(counts)) == "");
  CHECK(x.read() == counts);
  counts[73] = 4;
  clear();
  CHECK(f.report("divergent_for", x, f.array(counts)) ==
        "kernel 'divergent_for': checks.py:139:13" + what + "1, thread 9)");
  std::vector<int> expected(64, 3);
  expected.resize(128, 0);
  CHECK(x.read() == expected);

  counts = std::vector<int>(128, 7);
  clear();
  CHECK(f.report("divergent_while", x, f.array(counts)) == "");
  CHECK(x.read() == std::vector<int>(128, 6)); // not in the fifth round
  counts[5] = 3;
  clear();
  report = f.report("divergent_while", x, f.array(counts));
  CHECK(report == "kernel 'divergent_while': checks.py:153:13" + what + "0, thread 5)");
  expected = std::vector<int>(64, 3); // three rounds together, then none
  expected.resize(128, 6);
  CHECK(x.read() == expected);
  clear();
  counts[5] = 7;
  std::vector<int> before(128);
  before[70] = 90; // leaves by `break`
  x.write(before);
  report = f.report("divergent_while", x, f.array(counts));
  INFO(report);
  CHECK(report.starts_with("kernel 'divergent_while': checks.py:153:13" + what + "1, thread 6)"));

  CHECK(f.report("divergent_return", x, 64) == "");
  CHECK(f.report("divergent_return", x, 0) == "");
  CHECK(f.report("divergent_return", x, 63) ==
        "kernel 'divergent_return': checks.py:20:14" + what + "0, thread 63)");

  // In the library, at the user's call.
  Array<int> ones = f.array(std::vector<int>(128, 1));
  CHECK(f.report("divergent_library", ones, 128) == "");
  CHECK(ones.read() == std::vector<int>(128, 128));
  CHECK(f.report("divergent_library", ones, 127) ==
        "kernel 'divergent_library': checks.py:171:17" + what + "0, thread 127)");

  clear();
  CHECK(f.report("uniform", x, 3, 1) == "");
  CHECK(x.read() == std::vector<int>(128, 12)); // 32, 16, 8, 4 in each of three rounds
}

TEST_CASE("a bound in memory that cuts a block", "[checks]") {
  Fixture f;
  Array<int> x = f.array(std::vector<int>(128));
  CHECK(f.report("cut", f.array(std::vector<int>{128}), x) == "");
  CHECK(x.read() == std::vector<int>(128, 1));
  x.clear();
  std::string report = f.report("cut", f.array(std::vector<int>{100}), x);
  INFO(report);
  CHECK(report.starts_with("kernel 'cut': checks.py:216:9: block barrier in a loop of 100 "
                           "iterations, which are not whole blocks of 64 threads: nothing runs "
                           "(block "));
  CHECK(x.read() == std::vector<int>(128));
}

TEST_CASE("a wait ends when what it waits for was left out", "[checks]") {
  Fixture f;
  Bordered flags(f, 1);
  Array<int> out = f.array(std::vector<int>{0});
  flags.memory.clear();
  CHECK(f.report("waits", flags.view, 0, out) == "");
  CHECK(out.read()[0] == 1);
  flags.memory.clear();
  CHECK(f.report("waits", flags.view, 1, out) ==
        "kernel 'waits': checks.py:196:13: index 1 is out of bounds: axis 0 of 'flags' has size 1 "
        "(block 0, thread 0)");
  CHECK(flags.memory.read() == std::vector<int>(129, 0));
}

TEST_CASE("serial tasks, and kernels that return", "[checks]") {
  Fixture f;
  Kernel kernel = f.program.kernel("serial");
  Stream stream = f.device.defaultStream();
  Array<int> x = f.array(std::vector<int>(200, 1));
  CHECK(kernel.call<int>(stream, 50, x) == 2);
  CHECK(x.read() == std::vector<int>(200, 3));
  auto failure = [&](int n) -> std::string {
    try {
      kernel.call<int>(stream, n, x);
    } catch (const Error &error) {
      CHECK(error.status() == SXT_ERROR_KERNEL_FAULT);
      return error.what();
    }
    return "";
  };
  CHECK(failure(0).starts_with(
      "kernel 'serial': checks.py:205:13: integer division by zero (block 0, thread 0)"));
  x = f.array(std::vector<int>(200, 999));
  CHECK(failure(100) ==
        "kernel 'serial': checks.py:208:5: assertion failed: 1000 is 100% too much, for 50 of "
        "1.50{} (block 0, thread 0)");
}

TEST_CASE("fields with an offset, views", "[checks]") {
  Fixture f;
  Array<int> out = f.array(std::vector<int>(1));
  const auto outside = [](int index, const char *axis) {
    return "kernel 'moved': checks.py:261:9: index " + text(index) + " is out of bounds: axis " +
           axis + " (block 0, thread 0); 2 checks failed in all";
  };
  for (const auto &[i, j] : {std::pair(-2, 3), std::pair(1, 7)}) {
    CHECK(f.report("moved", i, j, out) == "");
    CHECK(out.read()[0] == 7);
  }
  const char *rows = "0 of 'moved_field' begins at -2 and has size 4";
  CHECK(f.report("moved", -3, 3, out) == outside(-3, rows));
  CHECK(out.read()[0] == 0);
  CHECK(f.report("moved", 2, 3, out) == outside(2, rows));
  CHECK(f.report("moved", 0, 8, out) ==
        outside(8, "1 of 'moved_field' begins at 3 and has size 5"));

  Bordered v(f, 4);
  const auto view = [](int begin, int size) {
    return "kernel 'views': checks.py:268:16: a view of " + text(size) + " elements from " +
           text(begin) + " on is outside of 'v' (block 0, thread 0); 2 checks failed in all";
  };
  CHECK(f.report("views", v.view, 2, 2) == "");
  CHECK(v.read() == std::vector<int>{-7, -7, 1, -7});
  for (const auto &[begin, size] : {std::pair(2, 3), std::pair(-1, 2)})
    CHECK(f.report("views", v.view, begin, size) == view(begin, size));
  CHECK(v.read() == std::vector<int>{-7, -7, 1, -7});
}
