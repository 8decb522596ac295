// The kernels that are expected not to be built or not to run: every refusal is declared here or at
// its case, so that a kernel that goes missing for any other reason fails.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

/// A row: cases whose module and name begin so, for columns whose variant begins so.
struct Row {
  const char *variant, *module, *name;
  /// Module names end in the element type: "_f64", those of sorts' cases in the values': "/f64";
  /// "" for any.
  const char *suffix;
  const char *reason;
  unsigned wave = 0; ///< set where it is of only one wave size
};

constexpr const char *noFences = "Metal has memory fences from version 3.2 on";

constexpr Row rows[] = {
    {"metal", "", "", "_f64", "Metal has no f64"},
    {"metal", "", "", "/f64", "Metal has no f64"},
    {"metal", "atomic_", "", "_i64", "Metal has no 64-bit atomics but minima and maxima of u64"},
    {"metal", "atomic_", "", "_u64", "Metal has no 64-bit atomics but minima and maxima of u64"},
    {"metal", "atomics_int_i64", "", "",
     "Metal has no 64-bit atomics but minima and maxima of u64"},
    {"metal", "atomics_int_u64", "", "",
     "Metal has no 64-bit atomics but minima and maxima of u64"},
    {"metal", "arith_", "casts", "", "Metal has no f64"},
    {"metal", "conversions_", "to f64", "", "Metal has no f64"},
    {"metal", "more", "literals", "", "Metal has no f64"},
    {"metal", "more", "64-bit bounds", "", "Metal has no f64"},
    {"metal", "values", "frexp f64", "", "Metal has no f64"},
    {"metal", "bf16", "narrow f64", "", "Metal has no f64"},
    {"metal", "f8", "narrow f64", "", "Metal has no f64"},
    {"metal", "hints", "f64", "", "Metal has no f64"},
    {"metal", "clocks", "", "", "Metal has no clock"},
    {"metal", "tallies", "sums of 64 bits", "", "Metal has no f64"},
    {"metal", "launches", "sums of 64 bits", "", "Metal has no f64"},
    {"vulkan", "radix", "radix rank", "", "four ranks take more than 64 KiB at 4 lanes", 4},
    {"vulkan", "radix", "radix rank", "", "four ranks take more than 32 KiB at 8 lanes", 8},
    {"vulkan", "radix_sizes", "", "", "512 digits take more than 32 KiB below 32 lanes", 4},
    {"vulkan", "radix_sizes", "", "", "512 digits take more than 32 KiB below 32 lanes", 8},
    {"vulkan", "radix_sizes", "", "", "512 digits take more than 32 KiB below 32 lanes", 16},
    {"metal:2", "block_mem_fence", "", "", noFences},
    {"metal:3.0", "block_mem_fence", "", "", noFences},
    {"metal:2", "grid_lookback_scan", "", "", noFences},
    {"metal:3.0", "grid_lookback_scan", "", "", noFences},
    {"metal:2", "launches_wait", "", "", noFences},
    {"metal:3.0", "launches_wait", "", "", noFences},
    {"metal:2", "grid_spin_wait", "waits by fences", "", noFences},
    {"metal:3.0", "grid_spin_wait", "waits by fences", "", noFences},
    {"metal:2", "grid_spin_wait", "waits by volatile loads", "", noFences},
    {"metal:3.0", "grid_spin_wait", "waits by volatile loads", "", noFences},
    {"metal:2", "wide_minmax", "", "", "Metal has 64-bit minima and maxima from version 2.4 on"},
    {"metal:2", "lane_i32", "subgroup.mem_fence", "", noFences},
    {"metal:3.0", "lane_i32", "subgroup.mem_fence", "", noFences},
    {"metal:2", "more", "deprecated names", "", noFences},
    {"metal:3.0", "more", "deprecated names", "", noFences},
};

bool holds(const Row &row, const Case &test, const Column &column) {
  return (row.wave == 0 || row.wave == column.wave) && column.variant.starts_with(row.variant) &&
         test.module.starts_with(row.module) && test.name.starts_with(row.name) &&
         (test.module.ends_with(row.suffix) || test.name.ends_with(row.suffix));
}

} // namespace

std::string refusalOf(const Case &test, const Column &column) {
  for (const Row &row : rows)
    if (holds(row, test, column))
      return row.reason;
  return test.refused ? test.refused(column.wave) : "";
}

} // namespace conformance
