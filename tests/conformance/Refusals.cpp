// What is expected not to be built: every refusal is declared here or at its case, so that
// a kernel that goes missing for any other reason fails.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

/// A row: cases whose module and name begin so, for a backend.
struct Row {
  const char *backend, *module, *name;
  /// Module names end in the element type: "_f64"; "" for any.
  const char *suffix;
  const char *reason;
};

constexpr Row rows[] = {
    {"metal", "", "", "_f64", "Metal has no f64"},
    {"metal", "atomics_i64", "", "", "Metal has no 64-bit atomics but minima and maxima of u64"},
    {"metal", "atomics_u64", "", "", "Metal has no 64-bit atomics but minima and maxima of u64"},
    {"metal", "atomics_int_i64", "", "",
     "Metal has no 64-bit atomics but minima and maxima of u64"},
    {"metal", "atomics_int_u64", "", "",
     "Metal has no 64-bit atomics but minima and maxima of u64"},
};

} // namespace

std::string refusalOf(const Case &test, const Lane &lane) {
  for (const Row &row : rows)
    if (lane.backend == row.backend && test.module.starts_with(row.module) &&
        test.name.starts_with(row.name) && test.module.ends_with(row.suffix))
      return row.reason;
  return test.refused ? test.refused(lane.wave) : "";
}

} // namespace conformance
