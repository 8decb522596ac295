// Checks what `--variant` and `--wave` ask for, before any device is asked.
#pragma once

#include "driver/host/KernelCall.h"
#include "loader/format/Module.h"

#include <span>
#include <string>

namespace sextant {

/// Throws Refusal if none of the kernels has a variant that the rules name: no device could run it.
/// \param pin as in module::SelectRules; empty: any
/// \param wave a wave size; 0: any
void checkRules(std::span<const module::Kernel> kernels, const std::string &pin, unsigned wave);
/// The same for the rules of a call, and that kernel of the call's module.
void checkRules(const Environment &environment, const CallOptions &call, const std::string &kernel);

} // namespace sextant
