// Counts and sorts a million numbers: sorting [--out picture.png] [--device NAME]
// Every place and every count is compared with plain C++; the picture is the histogram.
#define SEXTANT_THROWS // errors are exceptions here
#include "Colors.h"
#include "Example.h"
#include "Picture.h"
#include "sorting_kernels.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>

namespace {

constexpr int count = 1 << 20, bins = 256; // bins as in kernels.py
constexpr float lower = -4, upper = 4;

/// The number of elements that a sort works in, as docs/algorithms.md has it.
int64_t scratchSlots() {
  int64_t slots = (count + 255) / 256 * 256, total = slots;
  for (int level = 0; level < 3; ++level)
    total += slots = (slots + 255) / 256;
  return total;
}

Picture draw(const std::vector<uint32_t> &counts) {
  constexpr uint32_t width = bins * 3, height = 320;
  Picture picture{width, height,
                  std::vector<uint32_t>(size_t(width) * height, rgb(0.98, 0.98, 0.97))};
  const double most = *std::max_element(counts.begin(), counts.end());
  for (uint32_t row = 0; row < height; ++row)
    for (uint32_t column = 0; column < width; ++column)
      if (double(height - row) <= counts[column / 3] / most * (height - 20) && column % 3 != 2)
        picture.pixels[row * width + column] = rgb(0.16, 0.35 + 0.3 * row / height, 0.62);
  return picture;
}

void sorting(const Options &options) {
  std::mt19937 random(7);
  std::normal_distribution<float> narrow(-1.2f, 0.4f), wide(1.0f, 0.8f);
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = i % 3 == 0 ? narrow(random) : wide(random);

  const sextant::Device device = sextant::Device::open(options.get("device"));
  const sorting_kernels kernels(device);
  const sextant::Stream stream = device.defaultStream();
  sextant::Array<float> keys(device, values), keysTmp(device, count);
  sextant::Array<uint32_t> places(device, count), placesTmp(device, count), counts(device, bins),
      scratch(device, scratchSlots());
  kernels.histogram(stream, keys, counts, count, lower, upper);
  kernels.sort(stream, keys, keysTmp, places, placesTmp, scratch, count); // loads the kernel, too
  keys.write(values);
  const Clock clock;
  kernels.sort(stream, keys, keysTmp, places, placesTmp, scratch, count);
  stream.synchronize();
  const double time = clock.milliseconds();
  std::printf("%d numbers with their places sorted on %s: %.1f ms, %.0f million a second\n", count,
              device.name().c_str(), time, count / time / 1e3);
  const std::vector<uint32_t> found = counts.read(), order = places.read();
  if (!options.get("out").empty())
    writePng(options.get("out"), draw(found));

  std::vector<uint32_t> wanted(count), wantedCounts(bins);
  std::iota(wanted.begin(), wanted.end(), 0u);
  std::stable_sort(wanted.begin(), wanted.end(),
                   [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
  for (const float value : values) {
    const float bin = (value - lower) * (bins / (upper - lower));
    if (value >= lower && value < upper)
      ++wantedCounts[size_t(bin)];
  }
  size_t misplaced = 0, miscounted = 0;
  for (size_t i = 0; i < count; ++i)
    misplaced += order[i] != wanted[i];
  for (size_t i = 0; i < bins; ++i)
    miscounted += found[i] != wantedCounts[i];
  expectAtMost("numbers at a wrong place", double(misplaced), 0);
  expectAtMost("bins with a wrong count", double(miscounted), 0);
}

} // namespace

int main(int argumentCount, char **words) { return runExample(argumentCount, words, sorting); }
