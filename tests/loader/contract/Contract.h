// The contract of every device, whichever it is. The cases in this folder run on the device that
// SEXTANT_DEVICE names, else on the best there is, with the kernels of kernels.py, which the
// compiler made for it: SEXTANT_TEST_MODULE names the module. What happens when driver calls fail
// is tests/loader/faults; what kernels with checks report is tests/checks.
//
// A case that looks at what kernels computed has the tag [runs]: the null device does all but that.
#pragma once

#define SEXTANT_THROWS
#include "sextant/sextant.hpp"
#include "tests/support/Catch.h"

#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace sextant::test {

/// In what devices differ, as far as these cases can see. Each has one beside its other tests:
/// tests/loader/<device>/On<Device>.cpp.
struct Subject {
  const char *backend;   ///< sxt_device_info::backend
  bool (*hasGraphs)();   ///< makes graphs of its own: sxt_graph_info::native
  bool hasNativeStreams; ///< sxt_stream_native gives the driver's stream
};
extern const Subject onCpu, onCuda, onHip, onVulkan, onMetal, onNull;

/// Every case starts from this.
struct Fixture {
  Device device = Device::open();
  Module module = Module::open(modulePath());
  Program program{module, device};
  Stream stream = device.defaultStream();

  const Subject &subject() const;
  static std::string modulePath();
};

/// 0, 1, 2, …
inline std::vector<int> iota(int count) {
  std::vector<int> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/// The status and message of a call that should fail.
template <class F> std::pair<sxt_status, std::string> failureOf(F call) {
  try {
    call();
  } catch (const Error &error) {
    return {error.status(), error.what()};
  }
  return {SXT_OK, ""};
}

inline bool mentions(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace sextant::test
