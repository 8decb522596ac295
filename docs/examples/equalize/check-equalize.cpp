// Compares a picture that equalize wrote with plain C++ on its input:
// check-equalize IN.png OUT.png. At most one level of difference is allowed.
#include "Picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

int channel(uint32_t pixel, int index) { return static_cast<int>(pixel >> (8 * index) & 255); }

int luminance(uint32_t pixel) {
  return (77 * channel(pixel, 0) + 150 * channel(pixel, 1) + 29 * channel(pixel, 2) + 128) / 256;
}

/// The textbook formula, in doubles.
std::array<int, 256> curveOf(const Picture &picture) {
  std::array<size_t, 256> counts{};
  for (uint32_t pixel : picture.pixels)
    ++counts[luminance(pixel)];
  size_t darkest = 0;
  for (size_t level = 0; level < 256 && darkest == 0; ++level)
    darkest = counts[level];
  std::array<int, 256> curve{};
  size_t upto = 0;
  for (int level = 0; level < 256; ++level) {
    upto += counts[level];
    double brighter = double(picture.pixels.size()) - double(darkest);
    double below = upto < darkest ? 0.0 : double(upto - darkest);
    curve[level] = brighter > 0 ? static_cast<int>(std::lround(below / brighter * 255)) : level;
  }
  return curve;
}

/// Standard deviation of the luminance: what equalisation is to widen.
double contrast(const Picture &picture) {
  double sum = 0, squares = 0, count = double(picture.pixels.size());
  for (uint32_t pixel : picture.pixels) {
    sum += luminance(pixel);
    squares += double(luminance(pixel)) * luminance(pixel);
  }
  return std::sqrt(std::max(squares / count - sum / count * sum / count, 0.0));
}

int check(const char *input, const char *output) {
  Picture before = readPng(input), after = readPng(output);
  if (before.width != after.width || before.height != after.height) {
    std::printf("the sizes differ\n");
    return 1;
  }
  std::array<int, 256> curve = curveOf(before);
  int worst = 0;
  for (size_t index = 0; index < before.pixels.size(); ++index) {
    uint32_t pixel = before.pixels[index];
    int by = curve[luminance(pixel)] - luminance(pixel);
    for (int each = 0; each < 3; ++each) {
      int expected = std::clamp(channel(pixel, each) + by, 0, 255);
      worst = std::max(worst, std::abs(expected - channel(after.pixels[index], each)));
    }
    worst = std::max(worst, std::abs(channel(pixel, 3) - channel(after.pixels[index], 3)));
  }
  std::printf("largest difference to plain C++: %d levels; contrast %.1f became %.1f\n", worst,
              contrast(before), contrast(after));
  return worst <= 1 ? 0 : 1;
}

} // namespace

int main(int count, char **values) {
  if (count != 3) {
    std::fprintf(stderr, "usage: check-equalize IN.png OUT.png\n");
    return 2;
  }
  try {
    return check(values[1], values[2]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "check-equalize: %s\n", error.what());
    return 1;
  }
}
