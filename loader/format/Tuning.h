// The measurements that a module carries: which variant of a kernel was the fastest
// on a device. `sextant tune` writes it, as an attachment; loaders and `sextant explain` choose by
// it. Reading it needs nothing but this file's functions. A module may say anything, so time and
// memory are about linear in its lines and variants, and the text has a limit.
#pragma once

#include "loader/format/Select.h"

namespace sextant::module {

/// The attachment's name. Its text has one line for each kernel and device:
/// `KERNEL BACKEND:ARCH TARGET DEVICE NAME`, as `saxpy cuda:sm_90 cuda:sm_90+TILE=64/wave32 NVIDIA
/// H100`. Lines that begin with `#` are comments.
inline constexpr char tunedAttachment[] = "sextant.tuned";
/// The longest text that is read: that of some 40,000 kernels and devices.
inline constexpr size_t maxTunedBytes = size_t(4) << 20;

struct Tuned {
  std::string kernel; ///< the instance
  std::string device; ///< backend and architecture: "cuda:sm_90"
  std::string target; ///< target of the variant that was the fastest: "cuda:sm_90+TILE=64/wave32"
  std::string name;   ///< the device's name: "NVIDIA H100 80GB HBM3"
};

/// Returns the next word of a line and takes it off, or "" at its end. Files of preferences have
/// such lines, too.
std::string_view nextWord(std::string_view &line);

/// Reads the attachment. The result is sorted by kernel, for chooseTuned. Lines that mean nothing
/// are left out: a later version's, or damage, which costs speed and no results. So is what is past
/// maxTunedBytes.
std::vector<Tuned> parseTuned(std::string_view text);
/// Returns the attachment's text, which parseTuned reads. \param tuned in the order of the lines
std::string textOf(std::span<const Tuned> tuned);

/// The result of chooseTuned.
struct TunedChoice {
  size_t verdict = 0;
  std::string reason; ///< one clause
};

/// Chooses among the verdicts of select() on `device` by what was measured for the kernel: on a
/// device of this name, else on one of this architecture, else on the nearest architecture of the
/// backend (the next older one, if two are as near). Vulkan and Metal have versions in place of
/// architectures, so there a device is near if its maker is the same: the first word of its name.
///
/// On the same architecture the very variant runs that was measured; on another one the variant of
/// this architecture that has the same values of tuned constants, and the same wave size if it can.
/// Absent: nothing was measured that this device could run.
/// \param tuned as parseTuned returns it
/// \param name of the device; empty: unknown
std::optional<TunedChoice> chooseTuned(std::span<const Tuned> tuned, std::string_view kernel,
                                       const DeviceFacts &device, std::string_view name,
                                       std::span<const Variant> variants,
                                       std::span<const Verdict> verdicts);

} // namespace sextant::module
