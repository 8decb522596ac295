// Which compiler this is, as content: for keys of caches.
#pragma once

#include "backends/Backend.h"

#include <string>

namespace sextant {

/// A hash, in hexadecimal, of everything that is loaded into this process: the build ids of the
/// executable and its libraries (LLVM's among them), the bytes of those that have none.
const std::string &compilerIdentity();

/// A hash of the programs and files beside the compiler that shape the code for `target`
/// (Backend::toolFiles). Each file is read once a process. Thread-safe.
std::string toolIdentity(const Target &target);

} // namespace sextant
