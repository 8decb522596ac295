// Descriptions of devices that are elsewhere: the values of `sextant explain --as`.
//
//   DEVICE = [BACKEND:]ARCH[/waveN] { "," FACT }      sm_86  gfx90a:xnack+  cpu:aarch64/wave8
//          | vulkan[:VERSION]       { "," FACT }      vulkan:1.1,subgroup=8..32,no-int64
//          | metal[:VERSION]        { "," FACT }
//   FACT   = FEATURE | "no-" FEATURE                  float32-atomics  no-float64
//          | NUMBER "=" N [ "." M ]                   shared-bytes=16384  ptx=8.4
//          | "subgroup=" N [ ".." M ]                 Vulkan: the sizes it can run, N first
//
// After `vulkan:` or `metal:` a fact may stand in place of the version. Omitted facts are those of
// a present-day desktop GPU: Vulkan 1.3, subgroups of 32, every feature but the atomics on floats;
// Metal 3.0; a driver that accepts any PTX.
#pragma once

#include "loader/format/Select.h"

namespace sextant {

/// Returns the facts for selection. Throws a Refusal that names the unknown word.
module::DeviceFacts parseNamedDevice(const std::string &text);

} // namespace sextant
