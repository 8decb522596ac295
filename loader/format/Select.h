// Chooses the variant of a kernel that a device runs. This is one pure function. The loader uses it
// for the machine's devices, `sextant explain` for any device at all.
//
// The order, first difference decides:
//   1. match: exact architecture, then compatible, then generic, then portable
//   2. the newer architecture, then the one that promises less elsewhere: `a`, `f`, none;
//      AMD target IDs with more modifiers
//   3. wave size: in the order of DeviceFacts::waves
//   4. more variant features (all of which the device has; choices such as TILE=64 do not count)
//   5. fewer choices: the default of tuned constants, and the first implementation, come first
//   6. order in the module
// Pins, blocks and a wave override only remove variants. They do not reorder them, but for this: of
// the variants that a pin names, the one whose whole name it is comes before those with more
// features, so that each variant can be asked for. A variant that the device cannot run is never a
// candidate, whatever the rules say. Nor is a variant for large arrays (abi/Features.h), unless the
// pin names that feature: the loader takes it for a launch that needs it. If a GPU has no usable
// variant, the next device is tried, and the CPU last: that is the loader's order of devices.
//
// Each family says which architectures match: families/.
#pragma once

#include "loader/format/Architectures.h"
#include "loader/format/Module.h"

namespace sextant::module {

/// A number of a device: {"ptx", 8, 4} is the newest PTX that its driver accepts, {"shared-bytes",
/// 49152} the shared memory that a block may use.
struct FactNumber {
  std::string name;
  unsigned major = 0, minor = 0;
};

/// All facts about a device that selection uses.
struct DeviceFacts {
  std::string backend;               ///< "cpu", "cuda", "amdgpu", "vulkan", "metal"
  std::string arch;                  ///< "x86-64-v3", "sm_90", "gfx90a:xnack-", "1.3"
  std::vector<unsigned> waves;       ///< sizes it can run, the preferred first
  std::vector<std::string> features; ///< that Variant::requirements and features may ask for
  std::vector<FactNumber> numbers;   ///< that `name>=major.minor` may ask for
};

/// Returns the facts that follow from an architecture. `[backend:]arch[/waveN]` is written as
/// in targets: "sm_90", "gfx90a:xnack+", "cpu:aarch64/wave8", "vulkan:1.2". A given wave size comes
/// first; for Vulkan it is the only one. The device has no features, and numbers as with the newest
/// driver. Absent if selection does not know the architecture.
std::optional<DeviceFacts> factsOf(std::string_view target);

/// The wishes of the application or the environment.
struct SelectRules {
  std::string pin;                  ///< pattern, see matches(); empty: no pin
  std::vector<std::string> blocked; ///< patterns
  unsigned wave = 0;                ///< only this wave size; 0: any

  /// Adds the patterns of a list with commas, as SEXTANT_BLOCK has them.
  void block(std::string_view list);
};

struct Verdict {
  uint32_t variant = 0; ///< index into the variants
  bool usable = false;
  Match match = Match::None; ///< how well the architecture fits
  std::string reason;        ///< one clause: why it is chosen where it is, or why not
  bool isLarge = false;      ///< usable for launches with large arrays, and not otherwise
};

/// Returns one verdict for each variant: usable ones first, the best at the front, then the others
/// in the order of the module.
std::vector<Verdict> select(const DeviceFacts &device, std::span<const Variant> variants,
                            const SelectRules &rules = {});

/// Returns the message for a kernel without a usable variant: each variant and refusal of the
/// device's backend with its reason, and what to do.
std::string whyNone(const DeviceFacts &device, const Kernel &kernel,
                    std::span<const Verdict> verdicts);

/// Returns true if `pattern` matches `target`: `[backend:]arch[+feature…][/waveN]`, or any leading
/// or single part of that, such as "cuda", "sm_90", "x86-64-v3/wave8", "/wave8". Features and
/// target-ID modifiers that the pattern omits match anything.
bool matches(std::string_view pattern, const Target &target);

} // namespace sextant::module
