// Makes one module of kernels and images. The bytes depend only on what was added and in which
// order.
//
// This is standard C++: images are opaque bytes, kernels are the plain values of
// loader/format/Module.h. The builder itself throws nothing.
#pragma once

#include "loader/format/Module.h"
#include "loader/format/Result.h"
#include "packager/Compression.h"
#include "packager/ImageSet.h"

#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>

namespace sextant::packager {

class FrameStore;

struct BuildOptions {
  Compression compression = Compression::Balanced;
  unsigned jobs = 1; ///< threads; the bytes do not depend on it
  /// Keeps compressed packs for later builds (FrameMemo.h); the bytes do not depend on it. Null:
  /// nothing does.
  FrameStore *frames = nullptr;
};

/// Not thread-safe. The image and source numbers that it returns are valid for this builder only: a
/// built module numbers its images in the order of its packs.
class ModuleBuilder {
public:
  /// \param compiler name and version of the compiler
  /// \param options  the options that influence the code, as text
  ModuleBuilder(std::string compiler, std::string options);

  /// Registers a source file by path. The same path gives the same number.
  uint32_t addSource(std::string_view path, std::span<const std::byte> bytes);
  /// Registers a source of another module.
  uint32_t addSource(const module::Source &source);

  /// Copies an image. Equal bytes give the same number.
  uint32_t addImage(std::span<const std::byte> bytes) { return images.add(bytes); }
  /// The same without a copy.
  uint32_t addImage(std::vector<std::byte> &&bytes) { return images.add(std::move(bytes)); }

  /// Adds a kernel instance without variants and returns its number. `instance` must be new. The
  /// plans, variants and refusals of `kernel` are ignored, and its ABI hash is computed.
  module::Result<uint32_t> addKernel(module::Kernel kernel);

  /// Says what struct the elements of a source's field are (Global::structure), before a plan has
  /// the field. An empty text says nothing.
  void describeField(uint32_t source, const std::string &name, const std::string &structure);

  /// Adds `variant`, which is launched as `plan` says. Fills in Variant::plan and the global of
  /// every field in the plan. Fields of one source with one name must agree.
  /// \param image the result of addImage
  module::Status addVariant(uint32_t kernel, const module::Plan &plan, module::Variant variant);

  /// Adds a plan to the kernel, or finds it there, and returns its number. A kernel without
  /// variants has a plan too: it says what the kernel returns.
  module::Result<uint32_t> addPlan(uint32_t kernel, const module::Plan &plan);
  /// The same for many variants of one plan, whose number is in Variant::plan.
  module::Status addVariant(uint32_t kernel, module::Variant variant);

  /// Adds bytes that the module carries for its user. Equal bytes of one name are one attachment.
  /// InvalidInput: the name is not valid, the bytes are too many, or others have that name.
  module::Status attach(const std::string &name, std::span<const std::byte> bytes);

  /// Records why a kernel has no code for a target.
  module::Status addRefusal(uint32_t kernel, module::Target target, std::string reason);

  /// Puts everything into canonical order (Canonical.h), so that the bytes do not depend on the
  /// order of adding. The numbers of kernels and sources that were returned before are no longer
  /// valid.
  void canonicalize();

  /// Returns the module's bytes. InvalidInput: something does not fit; the message says what.
  module::Result<std::vector<std::byte>> build(const BuildOptions &options = {}) const;

private:
  module::ModuleInfo info;
  std::vector<module::Kernel> kernels;
  ImageSet images;
  std::map<std::string, std::vector<std::byte>> attachments; ///< bytes by name
  /// The parts that a kernel has so far, for look-ups.
  struct KernelIndex {
    std::set<module::Target, bool (*)(const module::Target &, const module::Target &)> targets;
    std::unordered_multimap<uint64_t, uint32_t> plans; ///< found by hash
    KernelIndex();
  };
  std::vector<KernelIndex> indices; ///< one for each kernel
  std::unordered_map<std::string, uint32_t> instances, sources;
  std::map<std::pair<uint32_t, std::string>, uint32_t> globals;       ///< keyed by source and name
  std::map<std::pair<uint32_t, std::string>, std::string> structures; ///< types of fields, likewise

  module::Status resolveGlobals(const module::Kernel &kernel, module::Plan &plan);
};

/// Writes `bytes` to a new file beside `path` and renames it: a reader of `path` sees the old file
/// or the whole new one. On failure the new file is removed. The packager writes every output of
/// the compiler this way.
module::Status writeFile(const std::string &path, std::span<const std::byte> bytes);

} // namespace sextant::packager
