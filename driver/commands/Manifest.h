// A build manifest: what `sextant compile` is told on its command line, as a TOML file.
// docs/manifest.md describes it.
#pragma once

#include "driver/Environment.h"
#include "packager/Compression.h"

#include <optional>
#include <string>
#include <vector>

namespace sextant {

/// What the manifest says of one module, its defaults filled in. What it does not say is not set.
/// Paths are as written: they start at the manifest's folder.
struct ManifestModule {
  std::string name;
  unsigned line = 0;         ///< in the manifest
  bool ownConstants = false; ///< `constants` is of this module, not of all of them
  std::optional<std::vector<std::string>> sources, targets, kernels, constants, require;
  std::optional<std::string> output, header, embedSymbol, defaultFloat, defaultInt;
  std::optional<packager::Compression> compression;
  std::optional<uint64_t> maxBytes;
  std::optional<int64_t> optLevel;
  std::optional<bool> headerBeside, asserts, checks, lineInfo, allowMissing, failOnSpill;
};

/// Reads the manifest at `path`; modules in the order of their lines, at least one. Throws Refusal
/// with line and column: for what is no TOML, unknown keys (with the nearest known one), and values
/// of another type.
std::vector<ManifestModule> readManifest(const Environment &environment, const std::string &path);

} // namespace sextant
