// Code that `sextant bench` and `sextant tune` share: the speed of a kernel's variants on a device.
#pragma once

#include "driver/host/KernelCall.h"

#include <iosfwd>

namespace sextant {

struct MeasureSettings {
  unsigned samples = 11; ///< for each variant
  /// Each sample is one launch, before which all arrays get the values of the command line again.
  bool fresh = false;
};

/// Measures the kernel's variants of the best match on the device: sxt_program_measure. The results
/// are in the order of selection; their texts live as long as `chosen`. Throws Refusal.
std::vector<sxt_measurement> measure(const Chosen &chosen, const Signature &signature,
                                     HostArguments &host, const MeasureSettings &settings);

/// Prints a heading and a row for each variant.
void printMeasurements(std::ostream &out, const Signature &signature, const Device::Info &device,
                       const std::vector<sxt_measurement> &measurements);

} // namespace sextant
