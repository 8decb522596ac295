// A run through all of the loader, for tests in which something fails on the way. Whatever
// fails, it releases everything, and checks what holds for every failure: a message, results
// that are left as they were.
#pragma once

#include "tests/loader/TestModule.h"

namespace sextant::test {

/// The driver that this program was linked with; FaultsOn*.cpp have one each.
struct FaultDriver {
  std::vector<const char *> devices; ///< to run on
  ModuleOptions (*options)(const char *device);
  /// True if kernels run, so that what they compute can be checked.
  bool computes;
  /// Forgets failures and the record of calls. Null, as all that follows: there is no driver.
  void (*reset)();
  /// The `after`th next call of the function returns `result`.
  void (*fail)(const char *function, int result, int after);
  /// Every call from the `after`th on returns `result`, whichever it is.
  void (*lose)(int result, int after);
  /// Name and number of calls of the functions that were called since reset().
  std::vector<std::pair<std::string, int>> (*calls)();
  /// Objects that are alive, and calls that a driver would not have stood.
  int (*alive)();
  int (*misuses)();
  std::vector<int> errors; ///< that calls return: the last one says that the device is lost
  int outOfMemory;         ///< one of them
  /// It has threads of its own: what is allocated depends on when they run.
  bool threads;
  /// Functions without which nothing can be given back.
  std::vector<std::string> needed;
  std::string few; ///< a device that binds fewer buffers than the kernel `total` has
};
const FaultDriver &faultDriver();

/// Without memory of its own, so that leaks can be counted.
struct Outcome {
  sxt_status status = SXT_OK;
  const char *step = "";   ///< the call that failed
  const char *wrong = "";  ///< the thing that should not be, whatever failed; empty: nothing
  char message[1000] = ""; ///< the failure's message
};

/// \param bytes a module with the kernels of kernelSpecs(), which stays as it is
Outcome runScenario(const char *device, const std::vector<std::byte> &bytes);

/// Ends the program with a message if it is not called again, or ended, within that time.
void watch(const char *what, long number, unsigned seconds = 30);

} // namespace sextant::test
