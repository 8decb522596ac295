// Identifies the compiler by its content, for the keys of caches.
#pragma once

#include "backends/Backend.h"

#include <string>

namespace sextant {

/// Returns a hash, in hexadecimal, of everything that is loaded into this process: the build ids of
/// the executable and its libraries (LLVM among them), and the bytes of those without a build id.
const std::string &compilerIdentity();

/// Returns a hash of the programs and files beside the compiler that influence the code for
/// `target` (Backend::toolFiles). Each file is read once a process. Thread-safe.
std::string toolIdentity(const Target &target);

} // namespace sextant
