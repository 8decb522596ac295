// A layer of a neural net, for a batch of inputs: layer [--out picture.png] [--device NAME]
// All results are compared with doubles. The picture is a part of them, a row an input.
#define SEXTANT_THROWS // errors are exceptions here
#include "Colors.h"
#include "Example.h"
#include "Picture.h"
#include "layer_kernels.hpp"

#include <cmath>
#include <cstdio>
#include <random>

namespace {

constexpr int batch = 256, inputs = 512, outputs = 768;

/// The row of results of one input, in doubles.
std::vector<double> reference(const float *x, const std::vector<float> &w,
                              const std::vector<float> &b) {
  std::vector<double> y(b.begin(), b.end());
  for (int k = 0; k < inputs; ++k)
    for (int column = 0; column < outputs; ++column)
      y[size_t(column)] += double(x[k]) * double(w[size_t(k * outputs + column)]);
  double mean = 0, variance = 0;
  for (double &value : y) {
    value = 0.5 * value *
            (1 + std::tanh(std::sqrt(2 / 3.14159265358979) *
                           (value + 0.044715 * value * value * value)));
    mean += value / outputs;
  }
  for (const double value : y)
    variance += (value - mean) * (value - mean) / outputs;
  for (double &value : y)
    value = (value - mean) / std::sqrt(variance + 1e-5);
  return y;
}

void layer(const Options &options) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::vector<float> x(batch * inputs), w(inputs * outputs), b(outputs);
  for (float &value : x)
    value = normal(random);
  for (float &value : w)
    value = normal(random) / std::sqrt(float(inputs));
  for (float &value : b)
    value = 0.1f * normal(random);

  const sextant::Device device = sextant::Device::open(options.get("device"));
  const layer_kernels kernels(device);
  const sextant::Stream stream = device.defaultStream();
  const sextant::Array<float, 2> xs(device, {batch, inputs}), ws(device, {inputs, outputs}),
      ys(device, {batch, outputs});
  const sextant::Array<float> bs(device, b);
  xs.write(x);
  ws.write(w);
  auto run = [&] {
    kernels.dense(stream, xs, ws, bs, ys);
    kernels.normalise(stream, ys);
    stream.synchronize();
  };
  run(); // loads the kernels, too
  const Clock clock;
  run();
  const double time = clock.milliseconds();
  std::printf("%d inputs, %d to %d on %s: %.2f ms, %.1f GFLOP/s\n", batch, inputs, outputs,
              device.name().c_str(), time, 2.0 * batch * inputs * outputs / time / 1e6);

  const std::vector<float> found = ys.read();
  double worst = 0;
  for (int row = 0; row < batch; ++row) {
    const std::vector<double> known = reference(x.data() + row * inputs, w, b);
    for (int column = 0; column < outputs; ++column)
      worst = largerError(
          worst, std::abs(double(found[size_t(row * outputs + column)]) - known[size_t(column)]));
  }
  if (!options.get("out").empty()) {
    Picture picture{outputs, batch, {}};
    for (const float value : found)
      picture.pixels.push_back(blueRed(double(value) / 2.5));
    writePng(options.get("out"), picture);
  }
  expectAtMost("results, off by", worst, 2e-5);
}

} // namespace

int main(int count, char **words) { return runExample(count, words, layer); }
