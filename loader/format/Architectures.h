// The fit of an architecture's code to a device, for all backends. Each family's rules are in its
// file in families/. Select.h orders variants by the results.
//
//   cuda    sm_XY     exact on X.Y; compatible on X.Z with Z > Y, but never from or
//                     to a Tegra chip, nor with a suffix `a`; suffix `f` as without
//           compute_XY  portable on every device of at least X.Y; with `a` on X.Y only,
//                     with `f` on the X.Z of Z >= Y; so is PTX that was kept for an
//                     sm_XY because the compiler had no ptxas
//   amdgpu  gfxNNN    exact on that processor. Modifiers of a target ID (`sramecc+`,
//                     `xnack-`) restrict: code without one runs with either setting,
//                     code with one where the device says the same
//           gfxN-generic  generic on every processor that amdProcessors lists with it
//   vulkan, metal     a version: exact on the same, portable on newer ones
//   cpu     x86-64-vN  exact on the same level, compatible on a higher one
//           aarch64   exact
//   other backends: exact only.
#pragma once

#include "loader/abi/AmdProcessors.h"
#include "loader/format/Fit.h"

namespace sextant::module {

/// \param format the image's format: "ptx" is PTX, whatever its target says
Fit fitOf(std::string_view backend, std::string_view arch, std::string_view format,
          std::string_view deviceArch);

/// Returns the device that an architecture names: "sm_86", "gfx90a:xnack+", "x86-64-v3". A version
/// needs its backend: "vulkan", "1.2". Absent if the architecture is unknown.
std::optional<KnownArch> knownArch(std::string_view backend, std::string_view arch);

using abi::AmdProcessor;
using abi::amdProcessors;

} // namespace sextant::module
