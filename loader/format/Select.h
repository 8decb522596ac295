// Which variant of a kernel a device runs. One pure function, used by the loader
// for the devices it has and by `sextant explain` for any device at all.
//
// The order, first difference decides:
//   1. match: exact architecture, then compatible, then portable
//   2. the newer architecture, then the one that promises less elsewhere: `a`, `f`, none
//   3. wave size: in the order of DeviceFacts::waves
//   4. more variant features (all of which the device has)
//   5. order in the module
// Pins, blocks and a wave override only remove variants, they never reorder them.
// What a device cannot run is no candidate whatever the rules say. That a GPU
// without any usable variant gives way to the CPU is the loader's order of devices.
//
// Which architectures match:
//   cuda  sm_XY     exact on X.Y; compatible on X.Z with Z > Y, but never from or
//                   to a Tegra chip, nor with a suffix `a`; suffix `f` as without
//         compute_XY  portable on every device of at least X.Y; with `a` on X.Y only,
//                   with `f` on the X.Z of Z >= Y; so is PTX that was kept for an
//                   sm_XY because the compiler had no ptxas
//   cpu   x86-64-vN  exact on the same level, compatible on a higher one
//         aarch64   exact
//   other backends: exact only.
#pragma once

#include "loader/format/Module.h"

namespace sextant::module {

/// A number that a device has: {"ptx", 8, 4}, the newest PTX its driver takes.
struct FactNumber {
  std::string name;
  unsigned major = 0, minor = 0;
};

/// All that selection knows of a device.
struct DeviceFacts {
  std::string backend;               ///< "cpu", "cuda"
  std::string arch;                  ///< "x86-64-v3", "aarch64", "sm_90"
  std::vector<unsigned> waves;       ///< sizes it can run, the preferred first
  std::vector<std::string> features; ///< what Variant::requirements and features may ask for
  std::vector<FactNumber> numbers;   ///< what `name>=major.minor` may ask for
};

/// What an architecture alone decides of a device, `[backend:]arch[/waveN]` as targets
/// are written: "sm_90", "x86-64-v3", "cpu:aarch64/wave8". Its waves (that one first,
/// where one is given), no features, numbers as of the newest driver. Loaders start
/// from it and put in what they find. Absent: no architecture that selection knows.
std::optional<DeviceFacts> factsOf(std::string_view target);

/// What the application or the environment asks for.
struct SelectRules {
  std::string pin;                  ///< pattern, see matches(); empty: none
  std::vector<std::string> blocked; ///< patterns
  unsigned wave = 0;                ///< only this wave size; 0: any
};

enum class Match : uint8_t { Exact, Compatible, Portable, None };
std::string_view nameOf(Match match);

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
/// Features that the pattern leaves out match any.
bool matches(std::string_view pattern, const Target &target);

} // namespace sextant::module
