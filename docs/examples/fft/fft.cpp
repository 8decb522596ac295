// Draws which tones a sound has, and when: fft [--out picture.png] [--device NAME]
// Some pieces are compared with the sum that defines the transform, in doubles.
#define SEXTANT_THROWS // errors are exceptions here
#include "Colors.h"
#include "Example.h"
#include "Picture.h"
#include "fft_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <random>

namespace {

using Complex = sextant::Vector<float, 2>;
constexpr int points = 512, hop = 128, pieces = 800; // points and hop as in kernels.py
constexpr double pi = std::numbers::pi;

/// Two tones that glide across each other, a trill with its overtone, clicks, and a little noise.
std::vector<float> sound() {
  std::mt19937 random(3);
  std::vector<float> samples;
  double up = 0, down = 0, trill = 0;
  const int length = (pieces - 1) * hop + points;
  for (int i = 0; i < length; ++i) {
    const double t = double(i) / length; // frequencies are parts of the highest one
    up += pi * (0.06 + 0.5 * t * t);
    down += pi * (0.80 - 0.55 * t);
    trill += pi * (0.22 + 0.05 * std::sin(60 * t)) * (t > 0.2 && t < 0.75);
    const double beat = 0.5 + 0.5 * std::sin(90 * t);
    double value = 0.5 * std::sin(up) + 0.3 * std::sin(down) * beat;
    value += (t > 0.2 && t < 0.75) * (0.4 * std::sin(trill) + 0.15 * std::sin(2 * trill));
    value += (i % 17000 < 6) * 2.0 + (random() % 2001 / 1000.0 - 1) * 0.01;
    samples.push_back(float(value));
  }
  return samples;
}

/// The largest distance of a piece's spectrum from its definition, as a part of its largest value.
double errorOf(const std::vector<float> &samples, const std::vector<Complex> &spectra, int piece) {
  double worst = 0, largest = 0;
  for (int k = 0; k < points; ++k) {
    std::complex<double> sum = 0;
    for (int n = 0; n < points; ++n) {
      const double window = 0.5 - 0.5 * std::cos(2 * pi * n / points);
      sum += double(samples[size_t(piece * hop + n)]) * window *
             std::polar(1.0, -2 * pi * double(k * n % points) / points);
    }
    const Complex found = spectra[size_t(piece * points + k)];
    worst = largerError(worst,
                        std::abs(sum - std::complex<double>(double(found[0]), double(found[1]))));
    largest = std::max(largest, std::abs(sum));
  }
  return worst / largest;
}

void fft(const Options &options) {
  const std::vector<float> samples = sound();
  const sextant::Device device = sextant::Device::open(options.get("device"));
  const fft_kernels kernels(device);
  const sextant::Stream stream = device.defaultStream();
  const sextant::Array<float> heard(device, samples);
  const sextant::Array<Complex, 2> out(device, {pieces, points});
  kernels.transform(stream, heard, out); // loads the kernel, too
  stream.synchronize();
  const Clock clock;
  kernels.transform(stream, heard, out);
  stream.synchronize();
  std::printf("%d transforms of %d points on %s: %.2f ms\n", pieces, points, device.name().c_str(),
              clock.milliseconds());

  const std::vector<Complex> spectra = out.read();
  if (!options.get("out").empty()) {
    Picture picture{pieces, points / 2, {}};
    for (int row = points / 2 - 1; row >= 0; --row)
      for (int piece = 0; piece < pieces; ++piece) {
        const Complex value = spectra[size_t(piece * points + row)];
        const double loud = 20 * std::log10(std::hypot(double(value[0]), double(value[1])) + 1e-9);
        picture.pixels.push_back(heat((loud + 12) / 50));
      }
    writePng(options.get("out"), picture);
  }
  double worst = 0;
  for (const int piece : {0, 123, 400, pieces - 1})
    worst = largerError(worst, errorOf(samples, spectra, piece));
  expectAtMost("spectrum, off by a part of its largest value", worst, 2e-6);
}

} // namespace

int main(int count, char **words) { return runExample(count, words, fft); }
