// Which variant of a kernel a device runs. One pure function, used by the loader
// for the devices it has and by `sextant explain` for any device at all.
//
// The order, first difference decides:
//   1. match: exact architecture, then compatible, then generic, then portable
//   2. the newer architecture, then the one that promises less elsewhere: `a`, `f`, none;
//      AMD target IDs with more modifiers
//   3. wave size: in the order of DeviceFacts::waves
//   4. more variant features (all of which the device has)
//   5. order in the module
// Pins, blocks and a wave override only remove variants, they never reorder them.
// What a device cannot run is no candidate whatever the rules say. That a GPU
// without any usable variant gives way to the next device, the CPU at last, is the
// loader's order of devices.
//
// Which architectures match, each family says: families/.
#pragma once

#include "loader/format/Architectures.h"

namespace sextant::module {

/// A number that a device has: {"ptx", 8, 4}, the newest PTX its driver takes;
/// {"shared-bytes", 49152}, what a block may use.
struct FactNumber {
  std::string name;
  unsigned major = 0, minor = 0;
};

/// All that selection knows of a device.
struct DeviceFacts {
  std::string backend;               ///< "cpu", "cuda", "amdgpu", "vulkan", "metal"
  std::string arch;                  ///< "x86-64-v3", "sm_90", "gfx90a:xnack-", "1.3"
  std::vector<unsigned> waves;       ///< sizes it can run, the preferred first
  std::vector<std::string> features; ///< what Variant::requirements and features may ask for
  std::vector<FactNumber> numbers;   ///< what `name>=major.minor` may ask for
};

/// What an architecture alone decides of a device, `[backend:]arch[/waveN]` as targets
/// are written: "sm_90", "gfx90a:xnack+", "cpu:aarch64/wave8", "vulkan:1.2". Its waves
/// (that one first, where one is given; of a Vulkan device that one alone), no features,
/// numbers as of the newest driver. Absent: no architecture that selection knows.
std::optional<DeviceFacts> factsOf(std::string_view target);

/// What the application or the environment asks for.
struct SelectRules {
  std::string pin;                  ///< pattern, see matches(); empty: none
  std::vector<std::string> blocked; ///< patterns
  unsigned wave = 0;                ///< only this wave size; 0: any
};

struct Verdict {
  uint32_t variant = 0; ///< index into the variants
  bool usable = false;
  Match match = Match::None; ///< of the architecture
  std::string reason;        ///< one clause: why it is chosen where it is, or why not
};

/// One verdict a variant: usable ones first, the best foremost, then the others in
/// the order of the module. Pure: same input, same output.
std::vector<Verdict> select(const DeviceFacts &device, std::span<const Variant> variants,
                            const SelectRules &rules = {});

/// The sentence for a kernel that no variant serves: each variant and refusal of the
/// device's backend with its reason, and what to do.
std::string whyNone(const DeviceFacts &device, const Kernel &kernel,
                    std::span<const Verdict> verdicts);

/// Whether `pattern` names `target`: `[backend:]arch[+feature…][/waveN]`, or any
/// leading or single part of that: "cuda", "sm_90", "x86-64-v3/wave8", "/wave8".
/// Features and target-ID modifiers that the pattern leaves out match any.
bool matches(std::string_view pattern, const Target &target);

} // namespace sextant::module
