// An opened module: the reader, and the records that calls have asked for so far.
#pragma once

#include "loader/Error.h"
#include "loader/format/Reader.h"
#include "loader/format/Tuning.h"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace sextant::loader {

class ModuleState {
public:
  /// \param path the file's path; empty for a module in memory
  ModuleState(module::Reader reader, std::string path)
      : reader(std::move(reader)), path(std::move(path)) {}

  /// Returns kernel `index`. The first call decodes it; it stays as long as the module.
  sxt_status kernel(size_t index, const module::Kernel *&kernel);
  /// The same with its return values, in order. They are the same in every plan.
  sxt_status kernel(size_t index, const module::Kernel *&kernel,
                    std::span<const module::Hidden *const> &results);
  /// Finds a kernel by its instance name, or by its source name if that has one instance. The first
  /// call reads the record; the index is kept, since callers ask for each verdict and argument.
  sxt_status find(const char *name, uint32_t &index);
  sxt_status info(const module::ModuleInfo *&info);
  /// Returns an attachment. The first call decompresses it; it stays as long as the module.
  sxt_status attachment(const char *name, std::span<const std::byte> &bytes);
  /// Returns what `sextant tune` has measured, an empty list if nothing. The first call reads it.
  sxt_status tuned(const std::vector<module::Tuned> *&tuned);
  /// Finds a global by its name, or by "path:name" if several files have a global of that name.
  sxt_status findGlobal(const char *name, uint32_t &index);
  /// Reports an error in the module's content, with the file's name.
  sxt_status failReading(const module::Status &error) const;

  const module::Reader reader;

private:
  sxt_status look(const char *name, uint32_t &index);

  const std::string path;
  std::mutex mutex;
  uint64_t keptBytes = 0; ///< records of `kernels`
  struct Kept {
    module::Kernel record;
    std::vector<const module::Hidden *> results;
  };
  std::unordered_map<size_t, std::unique_ptr<Kept>> kernels;
  std::map<std::string, uint32_t, std::less<>> indices; ///< numbers of the kernels that were found
  std::unique_ptr<module::ModuleInfo> facts;
  std::unordered_map<std::string, std::vector<std::byte>> attachments;
  std::unique_ptr<std::vector<module::Tuned>> measured;
};

/// The bytes of a run of scalars.
inline uint64_t bytesOf(module::DType dtype, uint64_t count) {
  return module::sizeOf(dtype) * count;
}

sxt_global_info infoOf(const module::Global &global);

} // namespace sextant::loader
