// An opened module: the reader, and the records that were asked for so far.
#pragma once

#include "loader/Error.h"
#include "loader/format/Reader.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace sextant::loader {

class ModuleState {
public:
  /// \param path of the file; empty for a module in memory
  ModuleState(module::Reader reader, std::string path)
      : reader(std::move(reader)), path(std::move(path)) {}

  /// Kernel `index`, decoded at the first call. Stays as long as the module.
  sxt_status kernel(size_t index, const module::Kernel *&kernel);
  /// By instance name, or by the source name where that has one instance.
  sxt_status find(const char *name, uint32_t &index);
  sxt_status info(const module::ModuleInfo *&info);
  /// A global by name, or by "path:name" where several files have one of that name.
  sxt_status findGlobal(const char *name, uint32_t &index);
  /// What the reader says of the module's content, with the file's name.
  sxt_status failReading(const module::Status &error) const;

  const module::Reader reader;

private:
  const std::string path;
  std::mutex mutex;
  uint64_t keptBytes = 0; ///< records of `kernels`
  std::unordered_map<size_t, std::unique_ptr<module::Kernel>> kernels;
  std::unique_ptr<module::ModuleInfo> facts;
};

/// The return values of a kernel, in order. Every plan has the same.
std::vector<const module::Hidden *> resultsOf(const module::Kernel &kernel);

/// Bytes of a run of scalars.
inline uint64_t bytesOf(module::DType dtype, uint64_t count) {
  return module::sizeOf(dtype) * count;
}

sxt_global_info infoOf(const module::Global &global);

} // namespace sextant::loader
