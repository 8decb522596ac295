// Updates at data-dependent places: few places and many, at the ends of arrays, under conditions,
// in blocks of several sizes; see kernels/tallies.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

constexpr int32_t sizes[] = {0, 1, 2, 31, 33, 127, 129, 511, 512, 513, 1500};
constexpr int32_t extents[] = {1, 2, 16, 255, 4096, 4097, 20000};

/// Around the ends of blocks; and more than one for each thread, where threads have several.
std::vector<int32_t> sizesOf(const Run &run) {
  std::vector<int32_t> all(std::begin(sizes), std::end(sizes));
  if (run.column.backend == "cuda")
    all.insert(all.end(), {(1 << 18) + 1, 700001});
  return all;
}

/// Keys of a kind below `extent`, both ends among them.
std::vector<int32_t> keysOf(Run &run, int32_t count, int32_t extent, unsigned kind) {
  std::vector<int32_t> keys(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) {
    const int32_t any = int32_t(run.random() % uint64_t(extent));
    keys[size_t(i)] = kind == 0   ? any
                      : kind == 1 ? extent - 1                           // all one place
                      : kind == 2 ? int32_t(int64_t(i) * extent / count) // sorted
                      : i % 3     ? extent / 2                           // most one place
                                  : any;
  }
  if (count > 1 && kind != 1)
    keys[0] = extent - 1, keys[size_t(count) - 1] = 0;
  return keys;
}
std::vector<int32_t> valuesOf(Run &run, size_t count) {
  std::vector<int32_t> values(count);
  for (int32_t &value : values)
    value = int32_t(run.random() % 100);
  return values;
}

void counts(Run &run) {
  for (const int32_t size : sizesOf(run))
    for (const int32_t extent : extents)
      for (unsigned kind = 0; kind < 4; ++kind) {
        const auto keys = keysOf(run, size, extent, kind);
        std::vector<int32_t> wanted(static_cast<size_t>(extent), 7);
        auto bins = run.array(wanted);
        for (const int32_t key : keys)
          ++wanted[size_t(key)];
        auto x = keys.empty() ? run.zeros<int32_t>(1) : run.array(keys);
        run.launch("counts", x, size, bins);
        expectSame("size " + std::to_string(size) + " kind " + std::to_string(kind), bins.read(),
                   wanted);
      }
}

/// Sums of whole numbers below 2^24 are exact in any order.
void sums(Run &run) {
  for (const int32_t size : sizesOf(run))
    for (unsigned kind = 0; kind < 4 && size; ++kind) {
      const auto keys = keysOf(run, size, 300, kind);
      const auto values = valuesOf(run, keys.size());
      std::vector<float> wanted(300);
      std::vector<int64_t> wide(300);
      std::vector<double> reals(300);
      for (size_t i = 0; i < keys.size(); ++i) {
        wide[size_t(keys[i])] += int64_t(values[i]) << 32;
        reals[size_t(keys[i])] += values[i];
      }
      if (*std::max_element(reals.begin(), reals.end()) > 1 << 24)
        continue;
      std::copy(reals.begin(), reals.end(), wanted.begin());
      auto x = run.array(keys), v = run.array(values);
      auto bins = run.zeros<float>(300);
      run.launch("sums", x, v, bins);
      expectSame("size " + std::to_string(size), bins.read(), wanted);
    }
}

void wideSums(Run &run) {
  for (const int32_t size : sizesOf(run))
    for (unsigned kind = 0; kind < 4 && size; ++kind) {
      const auto keys = keysOf(run, size, 5000, kind);
      const auto values = valuesOf(run, keys.size());
      std::vector<int64_t> wanted(5000);
      std::vector<double> reals(5000);
      for (size_t i = 0; i < keys.size(); ++i) {
        wanted[size_t(keys[i])] += int64_t(values[i]) << 32;
        reals[size_t(keys[i])] += values[i];
      }
      auto x = run.array(keys), v = run.array(values);
      auto bins = run.zeros<int64_t>(5000);
      auto sum = run.zeros<double>(5000);
      run.launch("wide_sums", x, v, bins, sum);
      expectSame("i64, size " + std::to_string(size), bins.read(), wanted);
      expectSame("f64, size " + std::to_string(size), sum.read(), reals);
    }
}

void chosen(Run &run) {
  for (const int32_t size : sizesOf(run))
    for (unsigned kind = 0; kind < 4 && size; ++kind) {
      const auto keys = keysOf(run, size, 100, kind);
      const auto values = valuesOf(run, keys.size());
      std::vector<int32_t> wanted(100);
      for (size_t i = 0; i < keys.size(); ++i)
        if (values[i] % 3 != 0)
          wanted[size_t(values[i] > 50 ? keys[i] / 2 : keys[i])] += values[i];
      auto x = run.array(keys), v = run.array(values);
      auto bins = run.zeros<int32_t>(100);
      run.launch("chosen", x, v, bins);
      expectSame("size " + std::to_string(size), bins.read(), wanted);
    }
}

void extremes(Run &run) {
  for (const int32_t size : sizesOf(run)) {
    if (!size)
      continue;
    const auto keys = keysOf(run, size, 77, 0);
    const auto values = valuesOf(run, keys.size());
    std::vector<int32_t> least(77, 60), most(77, 40);
    std::vector<uint32_t> some(77), odd(77, 5);
    auto x = run.array(keys), v = run.array(values), low = run.array(least), high = run.array(most);
    auto bits = run.array(some), parity = run.array(odd);
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto at = size_t(keys[i]);
      least[at] = std::min(least[at], values[i]);
      most[at] = std::max(most[at], values[i]);
      some[at] |= 1u << (values[i] % 32);
      odd[at] ^= uint32_t(values[i]);
    }
    run.launch("extremes", x, v, low, high, bits, parity);
    expectSame("least", low.read(), least);
    expectSame("most", high.read(), most);
    expectSame("some", bits.read(), some);
    expectSame("odd", parity.read(), odd);
  }
}

void two(Run &run) {
  for (const int32_t size : sizesOf(run)) {
    if (!size)
      continue;
    const auto keys = keysOf(run, size, 3000, 0);
    const auto values = valuesOf(run, keys.size());
    std::vector<int32_t> first(3000), second(100);
    for (size_t i = 0; i < keys.size(); ++i) {
      ++first[size_t(keys[i])];
      second[size_t(values[i])] += keys[i];
    }
    auto x = run.array(keys), v = run.array(values);
    auto one = run.zeros<int32_t>(3000), other = run.zeros<int32_t>(100);
    run.launch("two", x, v, one, other);
    expectSame("first", one.read(), first);
    expectSame("second", other.read(), second);
  }
}

void means(Run &run) {
  for (const int32_t size : sizesOf(run)) {
    if (!size)
      continue;
    const auto keys = keysOf(run, size, 500, 0);
    const auto values = valuesOf(run, keys.size());
    std::vector<float> sums(500);
    std::vector<int32_t> counts(500);
    for (size_t i = 0; i < keys.size(); ++i) {
      ++counts[size_t(keys[i])];
      sums[size_t(keys[i])] += float(values[i]);
    }
    auto x = run.array(keys), v = run.array(values);
    auto sum = run.zeros<float>(500);
    auto count = run.zeros<int32_t>(500);
    run.launch("means", x, v, sum, count);
    expectSame("sums", sum.read(), sums);
    expectSame("counts", count.read(), counts);
  }
}

void blocks(Run &run) {
  for (const int32_t size : sizesOf(run)) {
    if (!size)
      continue;
    const auto keys = keysOf(run, size, 2000, 3);
    std::vector<int32_t> wanted(2000);
    for (const int32_t key : keys)
      ++wanted[size_t(key)];
    auto x = run.array(keys);
    auto narrow = run.zeros<int32_t>(2000), odd = run.zeros<int32_t>(2000),
         large = run.zeros<int32_t>(2000);
    run.launch("blocks", x, narrow, odd, large);
    expectSame("blocks of 32", narrow.read(), wanted);
    expectSame("blocks of 96", odd.read(), wanted);
    expectSame("blocks of 1024", large.read(), wanted);
  }
}

void planes(Run &run) {
  for (const size_t rows : {1, 7, 130})
    for (const size_t columns : {1, 31, 257}) {
      const auto keys = keysOf(run, int32_t(rows * columns), 50, 0);
      std::vector<int32_t> wanted(3 * 50);
      for (size_t k = 0; k < keys.size(); ++k)
        wanted[k / columns % 3 * 50 + size_t(keys[k])] += int32_t(k / columns) + 1;
      auto x = run.zeros2<int32_t>(rows, columns), bins = run.zeros2<int32_t>(3, 50);
      sextant::check(sxt_buffer_write(x.buffer().get(), 0, keys.data(), keys.size() * 4, nullptr));
      run.launch("planes", x, bins);
      expectSame("planes", bins.read(), wanted);
    }
}

void ranges(Run &run) {
  struct Range {
    int32_t a, b, count, columns;
  };
  constexpr int32_t least = std::numeric_limits<int32_t>::min(), most = -(least + 1);
  for (const Range &range :
       {Range{0, 300, 300, 2}, Range{-5, 7, 12, 3}, Range{5, -5, 0, 3},
        Range{least, least + 9, 9, 1}, Range{most - 600, most, 600, 1},
        Range{2000000000, -2000000000, 0, 1}, Range{-3, 40, 43, 0}, Range{-3, 40, 43, -7}}) {
    std::vector<int32_t> keys(600), bins(4), rows(8);
    for (int32_t i = 0; i < 600; ++i)
      keys[size_t(i)] = i % 4;
    for (int32_t i = 0; i < range.count; ++i) {
      ++bins[size_t(i % 4)];
      for (int32_t j = 0; j < range.columns; ++j)
        ++rows[size_t(i % 4 + j)];
    }
    auto onBins = run.zeros<int32_t>(4), onRows = run.zeros<int32_t>(8);
    run.launch("ranges", run.array(keys), range.a, range.b, range.columns, onBins, onRows);
    expectSame("bins from " + std::to_string(range.a), onBins.read(), bins);
    expectSame("rows from " + std::to_string(range.a), onRows.read(), rows);
  }
}

void constants(Run &run) {
  const auto keys = keysOf(run, 1024, 128, 0);
  std::vector<int32_t> wanted(128);
  for (int32_t i = 0; i < 1024; ++i)
    wanted[size_t(keys[size_t(i)])] += 1 + (i < 384 ? 1000 : 0) + (i < 1000 ? 1000000 : 0);
  auto x = run.array(keys);
  auto bins = run.zeros<int32_t>(128);
  run.launch("constants", x, bins);
  expectSame("bins", bins.read(), wanted);
}

void behind(Run &run) {
  std::vector<int32_t> keys(1500), wanted(1500);
  for (int32_t i = 0; i < 1500; ++i)
    keys[size_t(i)] = 7 * i % 1500; // each place once
  auto x = run.array(keys);
  auto bins = run.zeros<int32_t>(1500), seen = run.zeros<int32_t>(1500);
  run.launch("behind", x, bins, seen);
  expectSame("seen", seen.read(), std::vector<int32_t>(1500, 1));
  expectSame("bins", bins.read(), std::vector<int32_t>(1500, 1));
}

void used(Run &run) {
  const auto keys = keysOf(run, 1500, 10, 0);
  auto x = run.array(keys);
  auto bins = run.zeros<int32_t>(10), order = run.zeros<int32_t>(1500);
  run.launch("used", x, bins, order);
  std::vector<std::set<int32_t>> seen(10);
  const auto got = order.read();
  for (size_t i = 0; i < keys.size(); ++i)
    seen[size_t(keys[i])].insert(got[i]);
  const auto total = bins.read();
  for (size_t k = 0; k < seen.size(); ++k) {
    expectSame("count", k, total[k], int32_t(seen[k].size()));
    expectSame("least", k, *seen[k].begin(), 0);
    expectSame("most", k, *seen[k].rbegin(), total[k] - 1);
  }
}

void before(Run &run) {
  const auto keys = keysOf(run, 1500, 10, 0);
  std::vector<int32_t> wanted(10);
  for (const int32_t key : keys)
    ++wanted[size_t(key)];
  auto x = run.array(keys);
  auto bins = run.zeros<int32_t>(10), seen = run.zeros<int32_t>(1500);
  run.launch("before", x, bins, seen);
  expectSame("bins", bins.read(), wanted);
  expectSame("seen", seen.read(), keys);
}

void rows(Run &run) {
  for (const int32_t count : {0, 1, 33, 500})
    for (const int32_t columns : {0, 1, 2, 64, 100}) {
      const auto values = valuesOf(run, size_t(std::max(1, count * columns)));
      std::vector<int32_t> wanted{0, 3};
      for (int32_t k = 0; k < count * columns; ++k)
        wanted[1] += values[size_t(k)];
      auto x = run.array(values), out = run.array(std::vector<int32_t>{0, 3});
      run.launch("rows", x, count, columns, 1, out);
      expectSame("rows of " + std::to_string(columns), out.read(), wanted);
    }
}

/// Loops that load nothing, of other lengths in each thread.
void pairs(Run &run) {
  for (const int32_t count : {0, 1, 2, 33, 300})
    for (const int32_t least : {0, 3, 7}) {
      std::vector<int32_t> wanted{1, 2, 3};
      for (int32_t i = 0; i < count; ++i)
        for (int32_t j = 0; j < i; ++j)
          wanted[1] += i * j % 7 >= least ? i - j : 0;
      auto out = run.array(std::vector<int32_t>{1, 2, 3});
      run.launch("pairs", count, least, out);
      expectSame("pairs of " + std::to_string(count), out.read(), wanted);
    }
}

/// One thread reads what it updates: at both ends of its row, within it, and beside it.
void rowsOfThePlace(Run &run) {
  needOneMemory(run);
  for (const int32_t place : {0, 1, 39, 63, 64, 79}) {
    auto wanted = valuesOf(run, 80);
    auto x = run.array(wanted);
    for (size_t j = 0; j < 64; ++j)
      wanted[size_t(place)] += wanted[j];
    run.launch("rows", x, 1, 64, place, x);
    expectSame("place " + std::to_string(place), x.read(), wanted);
  }
}

/// Two views of one buffer that overlap: the place is before the rows, in them and after them.
void rowsThatOverlap(Run &run) {
  needOneMemory(run);
  constexpr size_t first = 10, rows = 3, columns = 20;
  for (const size_t from : {0, 4, 64})
    for (const size_t place : {9, 10, 11, 29, 30, 69, 70, 75}) {
      if (place < from)
        continue;
      // Other rows that have the place would have it at any time.
      const size_t count = place < first || place >= first + rows * columns ? rows : 1;
      auto wanted = valuesOf(run, 80);
      auto all = run.array(wanted);
      for (size_t k = 0; k < count * columns; ++k)
        wanted[place] += wanted[first + k];
      const auto view = [&](size_t begin) {
        return sextant::ArrayView<int32_t>{
            all.view().buffer, {int64_t(80 - begin)}, begin * sizeof(int32_t)};
      };
      run.launch("rows", view(first), int32_t(count), int32_t(columns), int32_t(place - from),
                 view(from));
      expectSame("place " + std::to_string(place) + " from " + std::to_string(from), all.read(),
                 wanted);
    }
}

void planesOfThePlace(Run &run) {
  needOneMemory(run);
  for (const size_t place : {0, 9, 13, 23, 24}) {
    auto wanted = valuesOf(run, 25);
    auto x = run.array(wanted);
    for (size_t k = 0; k < 3; ++k)
      for (size_t j = 1; j < 8; ++j)
        if (const int32_t value = wanted[8 * k + j]; value != 5)
          wanted[place] = std::max(wanted[place], value + int32_t(k));
    run.launch("planes_of_rows", x, int32_t(place), x);
    expectSame("place " + std::to_string(place), x.read(), wanted);
  }
}

} // namespace

void addTallyCases(std::vector<Case> &cases) {
  cases.push_back({"tallies", "counts", counts});
  cases.push_back({"tallies", "sums", sums});
  cases.push_back({"tallies", "sums of 64 bits", wideSums});
  cases.push_back({"tallies", "some lanes", chosen});
  cases.push_back({"tallies", "minima, maxima and bits", extremes});
  cases.push_back({"tallies", "two tables", two});
  cases.push_back({"tallies", "sums and counts", means});
  cases.push_back({"tallies", "blocks of other sizes", blocks});
  cases.push_back({"tallies", "two axes", planes});
  cases.push_back({"tallies", "ranges", ranges});
  cases.push_back({"tallies", "constant loops", constants});
  cases.push_back({"tallies", "reads after the update", behind});
  cases.push_back({"tallies", "old values that are used", used});
  cases.push_back({"tallies", "stores before the update", before});
  cases.push_back({"tallies", "sums of rows", rows});
  cases.push_back({"tallies", "sums of pairs", pairs});
  cases.push_back({"tallies", "sums of rows that have the place", rowsOfThePlace});
  cases.push_back({"tallies", "sums of rows that overlap the array of the place", rowsThatOverlap});
  cases.push_back({"tallies", "extremes of planes", planesOfThePlace});
}

} // namespace conformance
