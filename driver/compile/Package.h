// Makes a module's bytes of compiled kernels: translates HIR and the backends' results to the
// module format.
#pragma once

#include "backends/Backend.h"
#include "driver/cache/CacheFolder.h"
#include "driver/compile/Accesses.h"
#include "driver/compile/Units.h"
#include "packager/ModuleBuilder.h"

#include <map>

namespace sextant {

/// Collects one module. Throws Refusal if the format cannot hold something.
class Packager {
public:
  Packager(const CompileRequest &request, const FrontendResult &frontend);
  /// Begins a kernel, unless the unit is one more of the same. The variants and refusals that
  /// follow belong to it.
  void addKernel(const KernelUnit &unit);
  void addVariant(const hir::Kernel &kernel, const Target &target, const Image &image);
  void addRefusal(const Target &target, const std::string &reason);
  /// Adds a file's bytes.
  void attach(const std::string &name, std::string_view bytes);
  /// \param cache keeps compressed packs; null: there is none
  CompiledModule finish(CacheFolder *cache);

private:
  const CompileRequest &request;
  packager::ModuleBuilder builder;
  std::vector<std::string> dependencies;
  std::map<const SourceFile *, uint32_t> sources; ///< numbers in the module
  uint32_t kernel = 0;
  size_t source = 0; ///< the file of the kernel that was begun
  Accesses accesses;
};

} // namespace sextant
