// Puts kernels and images into one module. The bytes depend on what was added and
// in which order, on nothing else.
//
// Standard C++ only: images are opaque bytes, kernels are the plain values of
// loader/format/Module.h. Nothing here throws of its own accord.
#pragma once

#include "loader/format/Module.h"
#include "loader/format/Result.h"
#include "packager/Compression.h"

#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>

namespace sextant::packager {

struct BuildOptions {
  Compression compression = Compression::Balanced;
  unsigned jobs = 1; ///< threads; the bytes do not depend on it
};

/// Not thread-safe. Image numbers and source numbers that it hands out hold for
/// this builder alone: a built module numbers its images in the order of its packs.
class ModuleBuilder {
public:
  /// \param compiler name and version of the compiler
  /// \param options  the options that shaped the code, as text
  ModuleBuilder(std::string compiler, std::string options);

  /// Registers a source file by path; the same path twice yields the same number.
  uint32_t addSource(std::string_view path, std::span<const std::byte> bytes);
  /// One of another module.
  uint32_t addSource(const module::Source &source);

  /// Copies an image. Equal bytes yield the same number.
  uint32_t addImage(std::span<const std::byte> bytes);

  /// Adds a kernel instance without variants, returns its number. `instance` must
  /// be new; plans, variants and refusals of `kernel` are ignored, its ABI hash is
  /// computed.
  module::Result<uint32_t> addKernel(module::Kernel kernel);

  /// Adds `variant`, launched as `plan` says. Fills in Variant::plan and the global
  /// of every field in the plan; fields of one source with one name must agree.
  /// \param image what addImage returned
  module::Status addVariant(uint32_t kernel, const module::Plan &plan, module::Variant variant);

  /// Adds a plan to the kernel, or finds it there, and returns its number. A kernel without
  /// variants has one too: its signature says what it returns.
  module::Result<uint32_t> addPlan(uint32_t kernel, const module::Plan &plan);
  /// The same for many variants of one plan, by its number in Variant::plan.
  module::Status addVariant(uint32_t kernel, module::Variant variant);

  /// Records why a kernel has no code for a target.
  module::Status addRefusal(uint32_t kernel, module::Target target, std::string reason);

  /// Puts everything into canonical order (Canonical.h): the bytes then do not depend on
  /// the order of adding. Numbers of kernels and sources that were handed out hold no longer.
  void canonicalize();

  /// The module's bytes. InvalidInput: something does not fit, and what.
  module::Result<std::vector<std::byte>> build(const BuildOptions &options = {}) const;

private:
  struct ImageBytes {
    std::vector<std::byte> bytes;
    std::array<uint8_t, 16> hash{};
  };
  module::ModuleInfo info;
  std::vector<module::Kernel> kernels;
  std::vector<ImageBytes> images;
  /// What a kernel has so far, to be found in it.
  struct KernelIndex {
    std::set<module::Target, bool (*)(const module::Target &, const module::Target &)> targets;
    std::unordered_multimap<uint64_t, uint32_t> plans; ///< by hash
    KernelIndex();
  };
  std::vector<KernelIndex> indices; ///< of each kernel
  std::unordered_map<std::string, uint32_t> instances, sources;
  std::map<std::pair<uint32_t, std::string>, uint32_t> globals; ///< by source and name
  std::unordered_multimap<uint64_t, uint32_t> imagesByHash;

  module::Status resolveGlobals(const module::Kernel &kernel, module::Plan &plan);
};

/// Writes `bytes` to `path` by way of a new file beside it and a rename: whoever
/// reads `path` sees the old file or the whole new one. On failure the new file is
/// removed. The packager writes every output of the compiler so.
module::Status writeFile(const std::string &path, std::span<const std::byte> bytes);

} // namespace sextant::packager
