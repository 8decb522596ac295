// Spreads a picture's luminance over the whole range, on the device that the
// loader picks: equalize IN.png OUT.png [device]
#define SEXTANT_THROWS // errors are exceptions here
#include "Picture.h"
#include "equalize_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <span>

namespace {

/// Device memory of one picture's equalisation, and its steps.
class Equalizer {
public:
  Equalizer(const sextant::Device &device, const Picture &picture)
      : kernels(device), stream(device.defaultStream()), count(picture.pixels.size()),
        threads(threadsFor(device)), pixels(device, std::span<const uint32_t>(picture.pixels)),
        out(device, static_cast<int64_t>(count)), levels(device, 256), curve(device, 256),
        light(device, 1) {}

  void run() {
    levels.clear();
    light.clear();
    kernels.count_levels(stream, pixels, levels, light, threads);
    kernels.derive_curve(stream, levels, curve, static_cast<int32_t>(count));
    kernels.apply_curve(stream, pixels, curve, out);
    stream.synchronize();
  }

  std::vector<uint32_t> result() const { return out.read(); }
  double meanLuminance() const { return double(light.read().front()) / double(count); }
  std::string variant() const { return kernels.count_levels.kernel().variant(); }

private:
  /// Enough blocks of 256 to fill the device a few times.
  static int32_t threadsFor(const sextant::Device &device) {
    return static_cast<int32_t>(std::max(device.info().multiprocessors, 1u) * 8 * 256);
  }

  equalize_kernels kernels;
  sextant::Stream stream;
  size_t count;
  int32_t threads;
  sextant::Array<uint32_t> pixels, out;
  sextant::Array<int32_t> levels, curve;
  sextant::Array<int64_t> light;
};

double milliseconds(Equalizer &equalizer) {
  auto begin = std::chrono::steady_clock::now();
  equalizer.run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

void equalize(const std::string &input, const std::string &output, const std::string &deviceName) {
  Picture picture = readPng(input);
  sextant::Device device = sextant::Device::open(deviceName);
  Equalizer equalizer(device, picture);
  double first = milliseconds(equalizer); // loads the kernels
  double best = first;
  for (int round = 0; round < 10; ++round)
    best = std::min(best, milliseconds(equalizer));
  picture.pixels = equalizer.result();
  writePng(output, picture);
  std::printf("%u x %u pixels on %s (%s), variant %s: %.3f ms, %.0f megapixels/s "
              "(first run, with loading: %.1f ms); mean luminance was %.1f of 255\n",
              picture.width, picture.height, device.name().c_str(), device.info().description,
              equalizer.variant().c_str(), best, double(picture.pixels.size()) / best / 1e3, first,
              equalizer.meanLuminance());
}

} // namespace

int main(int count, char **values) {
  if (count < 3 || count > 4) {
    std::fprintf(stderr, "usage: equalize IN.png OUT.png [device]\n");
    return 2;
  }
  try {
    equalize(values[1], values[2], count > 3 ? values[3] : "");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "equalize: %s\n", error.what());
    return 1;
  }
}
