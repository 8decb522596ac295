// A build manifest: a TOML file with what `sextant compile` otherwise gets on its command line.
// docs/manifest.md describes it.
#pragma once

#include "driver/Environment.h"
#include "packager/Compression.h"

#include <optional>
#include <string>
#include <vector>

namespace sextant {

/// The manifest's settings for one module, with its defaults filled in. Members that it does not
/// mention are not set. Paths are as written: they start at the manifest's folder.
struct ManifestModule {
  std::string name;
  unsigned line = 0;         ///< in the manifest
  bool ownConstants = false; ///< `constants` is of this module, not of all of them
  std::optional<std::vector<std::string>> sources, targets, kernels, constants, tune, tuneWhere,
      tuneTargets, attachments, require;
  std::optional<std::string> output, header, embedSymbol, tuning, defaultFloat, defaultInt;
  std::optional<packager::Compression> compression;
  std::optional<uint64_t> maxBytes;
  std::optional<int64_t> optLevel;
  std::optional<bool> headerBeside, asserts, checks, largeArrays, fastMath, keepOverwritten,
      lineInfo, allowMissing, keepGoing, failOnSpill;
};

/// Reads the manifest at `path`, which has at least one module; modules are in the order of their
/// lines. Throws Refusal with line and column for invalid TOML, unknown keys (with the nearest
/// known one) and values of a wrong type.
std::vector<ManifestModule> readManifest(const Environment &environment, const std::string &path);

} // namespace sextant
