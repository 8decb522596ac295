// How similar byte sequences are, beside counts of common windows that are worked out one by one.
#include "packager/Similar.h"
#include "tests/support/Catch.h"

#include <random>
#include <set>
#include <vector>

using namespace sextant::packager;

namespace {

using Bytes = std::vector<std::byte>;

Bytes randomBytes(unsigned seed, size_t size) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte &byte : bytes)
    byte = std::byte(random());
  return bytes;
}

Bytes joined(const Bytes &a, const Bytes &b) {
  Bytes bytes = a;
  bytes.insert(bytes.end(), b.begin(), b.end());
  return bytes;
}

/// The Jaccard index of the sequences' windows of eight bytes.
double jaccard(const Bytes &a, const Bytes &b) {
  const auto windows = [](const Bytes &bytes) {
    std::set<Bytes> all;
    for (size_t i = 0; i + 8 <= bytes.size(); ++i)
      all.emplace(bytes.begin() + static_cast<ptrdiff_t>(i),
                  bytes.begin() + static_cast<ptrdiff_t>(i + 8));
    return all;
  };
  const std::set<Bytes> ours = windows(a), theirs = windows(b);
  size_t common = 0;
  for (const Bytes &window : ours)
    common += theirs.count(window);
  return double(common) / double(ours.size() + theirs.size() - common);
}

double estimated(const Bytes &a, const Bytes &b) {
  return double(similarityOf(sketchOf(a), sketchOf(b))) / double(Sketch::bins);
}

} // namespace

TEST_CASE("sketches estimate the part of common windows", "[similar]") {
  const Bytes a = randomBytes(1, 8000), b = randomBytes(2, 8000), c = randomBytes(3, 24000);
  CHECK(estimated(a, a) == 1);
  CHECK(estimated(a, b) == 0);
  // The standard deviation of 128 bins is at most 0.044.
  for (const auto &[left, right] :
       {std::pair(joined(a, b), a), std::pair(joined(a, b), joined(b, a)),
        std::pair(joined(c, a), joined(a, b)), std::pair(joined(c, a), joined(b, c))})
    CHECK(estimated(left, right) == Approx(jaccard(left, right)).margin(0.15));
}

TEST_CASE("sketches of little or nothing", "[similar]") {
  CHECK(estimated({}, {}) == 0);
  CHECK(estimated(randomBytes(1, 7), randomBytes(1, 7)) == 0); // less than a window
  const Bytes one = randomBytes(1, 8);
  CHECK(similarityOf(sketchOf(one), sketchOf(one)) == 1);
  const Bytes zeros(5000);
  CHECK(similarityOf(sketchOf(zeros), sketchOf(zeros)) == 1); // one window, many times
}
