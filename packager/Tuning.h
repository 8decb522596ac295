// Measurements by `sextant tune`. A module carries all of them, so that the results of several
// machines and arguments can be joined, and beside it what follows from it for loaders
// (loader/format/Tuning.h).
#pragma once

#include "loader/format/Tuning.h"
#include "packager/Contents.h"

namespace sextant::packager {

/// The attachment's name. Each line is one Measurement: its texts, then a target and its time for
/// each variant, all separated by tabs.
inline constexpr char measuredAttachment[] = "sextant.measured";
/// The longest text of measurements that is read.
inline constexpr size_t maxMeasuredBytes = size_t(16) << 20;

/// The variants of a kernel on one device, with the same arguments.
struct Measurement {
  std::string kernel;                         ///< the instance
  std::string device;                         ///< backend and architecture: "cuda:sm_90"
  std::string name;                           ///< the device's name: "NVIDIA H100 80GB HBM3"
  std::string arguments;                      ///< as they were given: "n=1024 x=random:f32[1024]"
  std::map<std::string, double> milliseconds; ///< time of one launch for each target
};

/// Adds measurements, in any order. Of a target that was measured on the same device with the same
/// arguments before, the shorter time counts: the one that was disturbed less.
void addAll(std::vector<Measurement> &all, std::vector<Measurement> more);

/// Returns the fastest variant of each kernel on each device: the one whose times, each divided by
/// the best of the same arguments, have the least geometric mean. The default runs unless another
/// variant is more than 1 % faster, which is less than times repeat by.
std::vector<module::Tuned> fastestOf(const std::vector<Measurement> &all);

/// Reads the text of measurements, as an attachment or a file has it, and writes it. InvalidInput:
/// a line means something else; the message has its number. TooLarge: longer than maxMeasuredBytes.
module::Result<std::vector<Measurement>> parseMeasurements(std::string_view text);
std::string textOf(const std::vector<Measurement> &all);

/// Returns the measurements of a module. InvalidInput: the attachment's text means something else.
module::Result<std::vector<Measurement>> measurementsOf(const Contents &contents);
/// Gives the module these measurements, and what follows from them. TooLarge: they are more than
/// are read.
module::Status setMeasurements(Contents &contents, const std::vector<Measurement> &all);

/// Returns what loaders choose by; an empty list if nothing was measured.
module::Result<std::vector<module::Tuned>> tunedOf(const module::Reader &reader);

} // namespace sextant::packager
