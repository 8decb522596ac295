// Target strings: `backend:arch[+feature…][/waveN]` and the short names that
// stand for several targets.
#pragma once

#include "backends/Backend.h"

namespace sextant {

/// Expands comma lists of targets against `backends`, in the order of the list, each target once.
/// An item is one of
///
///   cuda:sm_90/wave32     one architecture, at one wave size
///   sm_90  x86-64-v3      an architecture, whichever backend has it
///   gfx90a:xnack+         one with more details, as clang writes them
///   cpu  cuda             the major architectures of a backend
///   native                the devices of this machine
///   all  all-major        of every backend
///
/// each with an optional `+feature…` and `/waveN` or `/all-waves`. Without either, GPU targets mean
/// every legal wave size and cpu targets the default. An error names the unknown word and near
/// matches.
llvm::Expected<std::vector<Target>> parseTargets(llvm::ArrayRef<std::string> texts,
                                                 llvm::ArrayRef<const Backend *> backends);

/// Candidates that a user may have meant by `word`: the nearest first, at most three.
std::vector<std::string> nearMatches(llvm::StringRef word, llvm::ArrayRef<std::string> candidates);

} // namespace sextant
