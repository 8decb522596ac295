// Records of a module, each read when it is first asked for.
#include "loader/ModuleState.h"

namespace sextant::loader {

sxt_status ModuleState::failReading(const module::Status &error) const {
  return path.empty() ? fail(error) : fail({error.code, "'" + path + "': " + error.message});
}

sxt_status ModuleState::kernel(size_t index, const module::Kernel *&kernel) {
  std::span<const module::Hidden *const> results;
  return this->kernel(index, kernel, results);
}

sxt_status ModuleState::kernel(size_t index, const module::Kernel *&kernel,
                               std::span<const module::Hidden *const> &results) {
  if (index >= reader.kernelCount())
    return fail(SXT_ERROR_OUT_OF_RANGE, "kernel %zu of a module that has %u", index,
                reader.kernelCount());
  std::lock_guard lock(mutex);
  std::unique_ptr<Kept> &entry = kernels[index];
  if (!entry) {
    module::Result<module::Kernel> decoded = reader.kernel(static_cast<uint32_t>(index));
    if (!decoded)
      return failReading(decoded.error());
    if (module::Status status = keep(reader, static_cast<uint32_t>(index), keptBytes); !status.ok())
      return failReading(status);
    entry = std::make_unique<Kept>(Kept{std::move(*decoded), {}});
    if (!entry->record.plans.empty())
      entry->results = module::returnsOf(entry->record.plans.front());
  }
  kernel = &entry->record;
  results = entry->results;
  return SXT_OK;
}

sxt_status ModuleState::find(const char *name, uint32_t &index) {
  {
    std::lock_guard lock(mutex);
    if (const auto known = indices.find(std::string_view(name)); known != indices.end()) {
      index = known->second;
      return SXT_OK;
    }
  }
  SXT_TRY(look(name, index));
  std::lock_guard lock(mutex);
  indices.emplace(name, index);
  return SXT_OK;
}

sxt_status ModuleState::look(const char *name, uint32_t &index) {
  module::Result<uint32_t> found = reader.findKernel(name);
  if (found) {
    index = *found;
    return SXT_OK;
  }
  if (found.error().code != module::Code::NotFound)
    return failReading(found.error());
  // The name may be the one in the source.
  std::vector<uint32_t> instances;
  std::string names, all;
  for (uint32_t i = 0; i < reader.kernelCount(); ++i) {
    const module::Kernel *candidate = nullptr;
    SXT_TRY(kernel(i, candidate));
    if (i < 12)
      all += (all.empty() ? "" : ", ") + candidate->instance;
    if (candidate->name != name)
      continue;
    instances.push_back(i);
    names += (names.empty() ? "" : ", ") + candidate->instance;
  }
  if (instances.size() == 1) {
    index = instances.front();
    return SXT_OK;
  }
  if (!instances.empty())
    return fail(SXT_ERROR_NOT_FOUND, "kernel '%s' has several instances: name one of %s", name,
                names.c_str());
  return fail(SXT_ERROR_NOT_FOUND, "the module has no kernel '%s'; it has %s%s", name,
              all.empty() ? "none at all" : all.c_str(), reader.kernelCount() > 12 ? ", …" : "");
}

sxt_status ModuleState::info(const module::ModuleInfo *&info) {
  std::lock_guard lock(mutex);
  if (!facts) {
    module::Result<module::ModuleInfo> decoded = reader.info();
    if (!decoded)
      return failReading(decoded.error());
    facts = std::make_unique<module::ModuleInfo>(std::move(*decoded));
  }
  info = facts.get();
  return SXT_OK;
}

sxt_status ModuleState::attachment(const char *name, std::span<const std::byte> &bytes) {
  std::lock_guard lock(mutex);
  auto known = attachments.find(name);
  if (known == attachments.end()) {
    module::Result<std::vector<std::byte>> read = reader.attachment(name);
    if (!read)
      return failReading(read.error());
    known = attachments.emplace(name, std::move(*read)).first;
  }
  bytes = known->second;
  return SXT_OK;
}

sxt_status ModuleState::tuned(const std::vector<module::Tuned> *&tuned) {
  std::lock_guard lock(mutex);
  if (!measured) {
    module::Result<std::vector<std::byte>> read = reader.attachment(module::tunedAttachment);
    if (!read && read.error().code != module::Code::NotFound)
      return failReading(read.error());
    std::string_view text;
    if (read)
      text = {reinterpret_cast<const char *>(read->data()), read->size()};
    measured = std::make_unique<std::vector<module::Tuned>>(module::parseTuned(text));
  }
  tuned = measured.get();
  return SXT_OK;
}

sxt_status ModuleState::findGlobal(const char *name, uint32_t &index) {
  const module::ModuleInfo *facts = nullptr;
  SXT_TRY(info(facts));
  std::string_view wanted = name;
  std::string homes, all;
  unsigned matches = 0;
  for (uint32_t i = 0; i < facts->globals.size(); ++i) {
    const module::Global &global = facts->globals[i];
    std::string full = module::joined({facts->sources[global.source].path, ":", global.name});
    if (full == wanted) {
      index = i;
      return SXT_OK;
    }
    if (i < 12)
      all += (all.empty() ? "" : ", ") + global.name;
    if (global.name != wanted)
      continue;
    index = i;
    ++matches;
    homes += (homes.empty() ? "" : ", ") + full;
  }
  if (matches == 1)
    return SXT_OK;
  if (matches > 1)
    return fail(SXT_ERROR_NOT_FOUND, "several files have a field '%s': name one of %s", name,
                homes.c_str());
  return fail(SXT_ERROR_NOT_FOUND, "the module has no field '%s'; it has %s%s", name,
              all.empty() ? "none at all" : all.c_str(), facts->globals.size() > 12 ? ", …" : "");
}

sxt_global_info infoOf(const module::Global &global) {
  sxt_global_info info{};
  info.name = global.name.c_str();
  info.dtype = static_cast<sxt_dtype>(global.dtype);
  info.ndim = static_cast<uint32_t>(global.shape.size());
  info.rows = global.rows;
  info.cols = global.cols;
  info.shape = global.shape.data();
  info.size_bytes = bytesOf(global.dtype, global.count);
  info.structure = global.structure.c_str();
  return info;
}

} // namespace sextant::loader
