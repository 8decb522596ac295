#include "driver/host/KernelMeasure.h"

#include <cstdio>
#include <ostream>

namespace sextant {
namespace {

/// The values that arrays begin with, on the device, so that it costs no transfer to restore them.
struct Beginning {
  const std::vector<Buffer> &arrays;
  std::vector<Buffer> copies;
  std::vector<size_t> bytes = {};
};

/// Queues copies of all arrays. \param user a Beginning
sxt_status restore(void *user, sxt_stream *stream) {
  const auto &beginning = *static_cast<const Beginning *>(user);
  for (size_t index = 0; index < beginning.copies.size(); ++index) {
    if (beginning.bytes[index] == 0)
      continue;
    const sxt_status status =
        sxt_buffer_copy(beginning.arrays[index].get(), 0, beginning.copies[index].get(), 0,
                        beginning.bytes[index], stream);
    if (status != SXT_OK)
      return status;
  }
  return SXT_OK;
}

std::string milliseconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f ms", value);
  return text;
}

std::string noteOn(const sxt_measurement &m) {
  if (m.problem)
    return m.problem;
  if (m.fastest)
    return m.selected ? "selected, fastest" : "fastest";
  return m.selected ? "selected" : "";
}

} // namespace

std::vector<sxt_measurement> measure(const Chosen &chosen, const Signature &signature,
                                     HostArguments &host, const MeasureSettings &settings) {
  DeviceArguments arguments = upload(chosen.device, signature, host);
  Beginning beginning{arguments.buffers, {}};
  auto options = sized<sxt_measure_options>();
  options.samples = settings.samples;
  if (settings.fresh) {
    beginning.copies = upload(chosen.device, signature, host).buffers;
    for (size_t index = 0; index < signature.arguments.size(); ++index)
      if (signature.arguments[index].kind == SXT_ARGUMENT_ARRAY)
        beginning.bytes.push_back(host.arrays[index].bytes.size());
    options.prepare = restore;
    options.user = &beginning;
  }
  size_t count = 0;
  require(sxt_program_measure(chosen.program.get(), signature.name.c_str(), nullptr,
                              arguments.list.data(), arguments.list.size(), &options, &count));
  std::vector<sxt_measurement> measurements(count, sized<sxt_measurement>());
  for (size_t index = 0; index < count; ++index)
    require(sxt_program_measurement(chosen.program.get(), signature.name.c_str(), index,
                                    &measurements[index]));
  return measurements;
}

void printMeasurements(std::ostream &out, const Signature &signature, const Device::Info &device,
                       const std::vector<sxt_measurement> &measurements) {
  out << signature.name << " on " << device.name << " (" << device.description << ", "
      << device.arch << "), times of one launch\n";
  std::vector<std::vector<std::string>> rows = {
      {"variant", "median", "min", "spread", "launches", ""}};
  for (const sxt_measurement &m : measurements) {
    auto time = [&](double value) { return m.problem ? "-" : milliseconds(value); };
    rows.push_back(
        {m.target, time(m.median_ms), time(m.minimum_ms), time(m.spread_ms),
         m.problem ? "-" : std::to_string(m.samples) + " x " + std::to_string(m.launches),
         noteOn(m)});
  }
  std::vector<size_t> widths(rows.front().size());
  for (const auto &row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  for (const auto &row : rows) {
    std::string line = "  ";
    for (size_t column = 0; column < row.size(); ++column) {
      std::string blanks(widths[column] - row[column].size(), ' ');
      bool isText = column == 0 || column + 1 == row.size();
      line += isText ? row[column] + blanks : blanks + row[column];
      line += "  ";
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
  }
}

} // namespace sextant
