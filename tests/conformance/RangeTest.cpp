// Loops over ranges of every type up to its ends, against Python's `range`; see kernels/ranges.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

__extension__ using Exact = __int128;
constexpr size_t size = 4096; // places a form

struct Range {
  Exact begin, end, step;
};

/// Python's range, as far as there are places.
std::vector<Exact> pythonRange(const Range &range) {
  std::vector<Exact> all;
  for (Exact i = range.begin; range.step > 0 ? i < range.end : i > range.end; i += range.step) {
    if (all.size() > size)
      break;
    all.push_back(i);
  }
  return all;
}

std::string text(const Range &range) {
  auto digits = [](Exact value) {
    std::string all;
    for (Exact rest = value < 0 ? -value : value; rest || all.empty(); rest /= 10)
      all.insert(all.begin(), char('0' + int(rest % 10)));
    return (value < 0 ? "-" : "") + all;
  };
  return "(" + digits(range.begin) + ", " + digits(range.end) + ", " + digits(range.step) + ")";
}

struct Records {
  sextant::Array<int64_t, 2> out;
  sextant::Array<int32_t> counts;
  Records(const Run &run, size_t forms)
      : out(run.zeros2<int64_t>(forms, size)), counts(run.zeros<int32_t>(forms)) {}

  void expect(const std::vector<int32_t> &gotCounts, const std::vector<int64_t> &got, size_t form,
              const std::string &what, const std::vector<Exact> &wanted) const {
    expectSame(what + ": iterations", form, gotCounts[form], int32_t(wanted.size()));
    for (size_t k = 0; k < wanted.size(); ++k)
      expectSame(what + ": index", k, got[form * size + k], int64_t(wanted[k]));
  }
};

/// Ranges whose bounds stand at the ends of T and around zero, with few iterations.
template <class T> std::vector<Range> rangesOf(std::mt19937_64 &random) {
  using Limits = std::numeric_limits<T>;
  const Exact least = Limits::min(), most = Limits::max();
  std::vector<Range> all;
  for (Range range :
       {Range{-2000000000, 2000000000, 1000000}, Range{2147483640, 2147483647, 8},
        Range{2000000000, -2000000000, 1}, Range{-2147483640, -2147483648, -9},
        Range{most, least, 1}, Range{least, most, most / 2 + 1}, Range{most, least, least / 2},
        Range{most - 4, most, 1}, Range{least + 4, least, -1}, Range{least, least + 5, 2},
        Range{least, most, most}, Range{most, least, least}, Range{2, 8, 3}, Range{9, -1, -2},
        Range{100, 0, -100}})
    if (range.step != 0)
      all.push_back(range);
  std::vector<Exact> ends, steps;
  for (Exact offset = 0; offset < 4; ++offset)
    for (Exact base : {least, most - 3, most / 2, Exact(0), Exact(-3)})
      ends.push_back(base + offset);
  for (Exact step : {Exact(1), Exact(2), Exact(3), Exact(9), Exact(100), most / 3, most / 2 + 1,
                     most - 1, most}) {
    steps.push_back(step);
    steps.push_back(-step);
  }
  auto fits = [&](Exact value) { return value >= least && value <= most; };
  for (size_t tries = 0; tries < 100000 && all.size() < 40; ++tries)
    all.push_back({ends[random() % ends.size()], ends[random() % ends.size()],
                   steps[random() % steps.size()]});
  std::erase_if(all, [&](const Range &range) {
    return !fits(range.begin) || !fits(range.end) || !fits(range.step) ||
           pythonRange(range).size() > (range.step == 1000000 ? size : 300);
  });
  return all;
}

template <class T> void everyForm(Run &run, const std::string &kernel) {
  for (const Range &range : rangesOf<T>(run.random)) {
    Records records(run, 5);
    const T begin = T(range.begin), end = T(range.end), step = T(range.step);
    run.launch(kernel, begin, end, step, run.array(std::vector<T>{begin, end, step}), records.out,
               records.counts);
    const auto counts = records.counts.read();
    const auto out = records.out.read();
    auto wanted = pythonRange(range);
    const std::string name = kernel + text(range);
    records.expect(counts, out, 0, name + " arguments", wanted);
    records.expect(counts, out, 1, name + " memory", wanted);
    records.expect(counts, out, 2, name + " serial", wanted);
    const bool isWritten =
        std::is_signed_v<T> && sizeof(T) >= 4 &&
        (range.step == -1 || range.step == 2 || range.step == -2 || range.step == 3 ||
         range.step == -9 || range.step == 100 || range.step == -100);
    if (range.step == 1 || isWritten)
      records.expect(counts, out, 3, name + " constant step", wanted);
    if (isWritten) { // without the third, up to the fourth
      const size_t left = std::min<size_t>(wanted.size(), 4);
      expectSame(name + " left early", 4, counts[4], int32_t(left - (left >= 3)));
    }
  }
}

// Twins of the list in kernels/ranges.py.
constexpr int64_t least = INT64_MIN, most = INT64_MAX;
const Range constants[] = {{-2000000000, 2000000000, 1000000},
                           {2147483640, 2147483647, 8},
                           {-2147483640, -2147483648, -9},
                           {2147483647, -2147483648, -2147483648},
                           {-2147483648, 2147483647, 2147483647},
                           {most, least, 1},
                           {least, most, Exact(1) << 62},
                           {most, least, -(Exact(1) << 62)},
                           {0, Exact(1) << 40, Exact(1) << 33},
                           {5, -3, -2},
                           {3, 3, 1},
                           {4, 2, 5},
                           {0, 9, 100}};

void constantRanges(Run &run) {
  Records records(run, 2 * std::size(constants));
  run.launch("constants", records.out, records.counts);
  const auto counts = records.counts.read();
  const auto out = records.out.read();
  const size_t n = std::size(constants);
  for (size_t k = 0; k < n; ++k) {
    records.expect(counts, out, k, "constant " + text(constants[k]), pythonRange(constants[k]));
    records.expect(counts, out, n + k, "serial constant " + text(constants[k]),
                   pythonRange(constants[k]));
  }
}

void shapes(Run &run) {
  for (auto [rows, columns] : {std::pair<size_t, size_t>{10, 4}, {3, 2}, {9, 9}, {6, 1}}) {
    Records records(run, 2);
    run.launch("shapes", run.zeros2<int32_t>(rows, columns), records.out, records.counts);
    const auto counts = records.counts.read();
    const auto out = records.out.read();
    const Exact last = Exact(rows) - 1, step = -Exact(columns);
    records.expect(counts, out, 0, "down a shape", pythonRange({last, -1, step}));
    int32_t wanted = 0;
    std::vector<int64_t> marks(size);
    for (int i = 0; i < int(rows) - 5; ++i)
      for (int j = 1 - int(columns); j < int(columns) - 3; ++j, ++wanted)
        marks[size_t((i + 10) * 20 + j + 10)] = 1;
    expectSame("index space of shapes", 1, counts[1], wanted);
    for (size_t k = 0; k < size; ++k)
      expectSame("mark", k, out[size + k], marks[k]);
  }
}

void extents(Run &run) {
  for (auto [x, y, z] : {std::array<int32_t, 3>{-3, -3, 4},
                         {-1, -1000, 1},
                         {-2, -3, 4},
                         {2, 3, 4},
                         {0, -5, -5},
                         {5, 0, 9},
                         {7, -1, 3},
                         {-2147483647 - 1, 2147483647, -1}}) {
    auto count = [](int64_t a, int64_t b, int64_t c = 1) {
      return a <= 0 || b <= 0 || c <= 0 ? 0 : int32_t(a * b * c);
    };
    auto counts = run.zeros<int32_t>(8);
    run.launch("extents", x, y, z, run.array(std::vector<int32_t>{x, y, z}), counts);
    expectSame("counts", counts.read(),
               std::vector<int32_t>{count(x, y), count(x, y, z), count(x, 2 - int64_t(y)),
                                    count(x, y), count(x, y, z), count(x, y), count(x, y, z),
                                    int32_t(std::max<int64_t>(0, int64_t(x) - y))});
  }
}

void tooMany(Run &run) {
  auto counts = run.zeros<int32_t>(1);
  const int32_t most32 = 2147483647;
  for (auto [x, y, z] : {std::array<int32_t, 3>{most32, most32, most32},
                         {65536, 65536, 1},
                         {65536, 32768, 1},
                         {most32, 2, 1}}) {
    bool refused = false;
    try {
      run.launch("too_many", x, y, z, counts);
    } catch (const sextant::Error &error) {
      refused =
          error.status() == SXT_ERROR_LAUNCH_REFUSED &&
          std::string(error.what()).find("iterations: at most 2147483647") != std::string::npos;
    }
    if (!refused)
      throw Mismatch{"too many iterations were launched"};
  }
  run.launch("too_many", most32, most32, int32_t(0), counts);
  for (auto [x, y, z] : {std::array<int32_t, 3>{most32, most32, most32},
                         {65536, 65536, 1},
                         {most32, most32, 0},
                         {most32, -1, most32}})
    run.launch("too_many_in_memory", run.array(std::vector<int32_t>{x, y, z}), counts);
  expectSame("iterations", 0, counts.read()[0], 0);
}

void wrapping(Run &run) {
  auto counts = run.zeros<int32_t>(6);
  // 70000 * 70000 is 605032704 and a multiple of 2**32; -70000 is 144 in 8 bits.
  run.launch("wrapping_bounds", int32_t(-70000), int32_t(-70000), uint32_t(0),
             (int64_t(1) << 40) + 11, counts);
  expectSame("counts", counts.read(), std::vector<int32_t>{605, 704, 11, 144, 1023, 605});
}

void once(Run &run) {
  auto counts = run.zeros<int32_t>(11);
  run.launch("once", counts);
  int32_t mixed = 0;
  for (int i = 0; i < 7; ++i)
    mixed = mixed * 3 + i;
  // The fields keep what earlier launches added; this is the first.
  std::vector<int32_t> got = counts.read();
  expectSame("a point", 0, got[0] > 0, true);
  expectSame("a line", 1, got[1], 7 * got[0]);
  expectSame("a grid", 2, got[2], 15 * got[0]);
  expectSame("no axis", 3, got[3], 1);
  expectSame("no axis, serial", 4, got[4], 1);
  expectSame("no axis, unrolled", 5, got[5], 1);
  int32_t pairs = 0, starred = 0;
  for (int i = 2; i < 5; ++i)
    for (int j = 1; j < 3; ++j)
      pairs += i * 10 + j;
  for (int i = 0; i < 4; ++i)
    for (int j = 2; j < 5; ++j)
      starred += i * 10 + j;
  expectSame("lists as pairs", 6, got[6], pairs);
  expectSame("starred axes", 7, got[7], starred);
  expectSame("break under an if", 8, got[8], mixed);
  expectSame("two loops of a list", 9, got[9], 20 + 21);
  expectSame("a field as a template", 10, got[10], 5 * 30 + 3 * 10);
}

} // namespace

void addRangeCases(std::vector<Case> &cases) {
  auto add = [&](const char *name, std::function<void(Run &)> body) {
    cases.push_back({"ranges", name, std::move(body)});
  };
  add("i8", [](Run &run) { everyForm<int8_t>(run, "range_i8"); });
  add("i16", [](Run &run) { everyForm<int16_t>(run, "range_i16"); });
  add("i32", [](Run &run) { everyForm<int32_t>(run, "range_i32"); });
  add("i64", [](Run &run) { everyForm<int64_t>(run, "range_i64"); });
  add("u8", [](Run &run) { everyForm<uint8_t>(run, "range_u8"); });
  add("u16", [](Run &run) { everyForm<uint16_t>(run, "range_u16"); });
  add("u32", [](Run &run) { everyForm<uint32_t>(run, "range_u32"); });
  add("u64", [](Run &run) { everyForm<uint64_t>(run, "range_u64"); });
  add("constants", constantRanges);
  add("shapes", shapes);
  add("negative extents", extents);
  add("too many iterations", tooMany);
  add("bounds that wrap", wrapping);
  add("without an axis, lists, break", once);
}

} // namespace conformance
