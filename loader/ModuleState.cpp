// Modules: opening, lookup, signature queries.
#include "loader/ModuleState.h"
#include "loader/Handles.h"
#include "loader/Markers.h"
#include "loader/Sodium.h"

#include <array>

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

using namespace sextant;
using namespace sextant::loader;

namespace {

/// Takes the keys of the options, and finds the functions that check them.
sxt_status takeTrust(const sxt_module_options *options, module::Trust &trust) {
  if (!options)
    return SXT_OK;
  sxt_module_options given{};
  SXT_TRY(takeOptions(options, given));
  if (!given.public_keys && given.public_key_count == 0)
    return SXT_OK;
  if (!given.public_keys || given.public_key_count == 0 || given.public_key_count > 4096)
    return fail(SXT_ERROR_INVALID_ARGUMENT, "sxt_module_options: %zu public keys at %p",
                given.public_key_count, static_cast<const void *>(given.public_keys));
  for (size_t i = 0; i < given.public_key_count; ++i)
    trust.keys.push_back(std::to_array(given.public_keys[i].bytes));
  return sodium(trust.crypto);
}

/// \param path empty for a module in memory
/// \param open opens the reader with the given trust
template <class Open>
sxt_status openModule(const char *path, const sxt_module_options *options, sxt_module **module,
                      Open open) {
  return guarded([&] {
    module::Trust trust;
    SXT_TRY(takeTrust(options, trust));
    module::Result<module::Reader> reader = open(std::move(trust));
    if (!reader)
      return fail(reader.error());
    *module = new sxt_module{std::make_shared<ModuleState>(std::move(*reader), path)};
    return SXT_OK;
  });
}

} // namespace

sxt_status sxt_module_open_file(const char *path, sxt_module **module) {
  return sxt_module_open_file_with(path, nullptr, module);
}

sxt_status sxt_module_open_file_with(const char *path, const sxt_module_options *options,
                                     sxt_module **module) {
  SXT_REQUIRE(path);
  SXT_REQUIRE(module);
  return openModule(path, options, module, [&](module::Trust trust) {
    findMarkers();
    MarkedRange range((std::string("open ") + path).c_str());
    return module::Reader::fromFile(path, {}, std::move(trust));
  });
}

sxt_status sxt_module_open_memory(const void *data, size_t size, sxt_module **module) {
  return sxt_module_open_memory_with(data, size, nullptr, module);
}

sxt_status sxt_module_open_memory_with(const void *data, size_t size,
                                       const sxt_module_options *options, sxt_module **module) {
  SXT_REQUIRE(data);
  SXT_REQUIRE(module);
  return openModule("", options, module, [&](module::Trust trust) {
    return module::Reader::fromMemory({static_cast<const std::byte *>(data), size}, {},
                                      std::move(trust));
  });
}

void sxt_module_release(sxt_module *module) { delete module; }

sxt_status sxt_module_kernel_count(sxt_module *module, size_t *count) {
  SXT_REQUIRE(module);
  SXT_REQUIRE(count);
  *count = module->state->reader.kernelCount();
  return SXT_OK;
}

sxt_status sxt_module_kernel(sxt_module *module, size_t index, sxt_kernel_info *info) {
  SXT_REQUIRE(module);
  SXT_REQUIRE(info);
  return guarded([&] {
    const module::Kernel *kernel = nullptr;
    std::span<const module::Hidden *const> results;
    SXT_TRY(module->state->kernel(index, kernel, results));
    sxt_kernel_info filled{};
    filled.name = kernel->instance.c_str();
    filled.function = kernel->name.c_str();
    filled.argument_count = kernel->arguments.size();
    filled.result_count = results.size();
    filled.variant_count = kernel->variants.size();
    filled.doc = kernel->doc.c_str();
    return giveInfo(info, filled);
  });
}

sxt_status sxt_module_find_kernel(sxt_module *module, const char *name, size_t *index) {
  SXT_REQUIRE(module);
  SXT_REQUIRE(name);
  SXT_REQUIRE(index);
  return guarded([&] {
    uint32_t found = 0;
    SXT_TRY(module->state->find(name, found));
    *index = found;
    return SXT_OK;
  });
}

sxt_status sxt_module_argument(sxt_module *module, size_t kernelIndex, size_t index,
                               sxt_parameter_info *info) {
  SXT_REQUIRE(module);
  SXT_REQUIRE(info);
  return guarded([&] {
    const module::Kernel *kernel = nullptr;
    SXT_TRY(module->state->kernel(kernelIndex, kernel));
    if (index >= kernel->arguments.size())
      return fail(SXT_ERROR_OUT_OF_RANGE, "argument %zu of kernel '%s', which takes %zu", index,
                  kernel->instance.c_str(), kernel->arguments.size());
    const module::Argument &argument = kernel->arguments[index];
    sxt_parameter_info filled{};
    filled.name = argument.name.c_str();
    filled.kind = static_cast<sxt_argument_kind>(argument.kind);
    filled.dtype = static_cast<sxt_dtype>(argument.dtype);
    filled.ndim = argument.ndim;
    filled.rows = argument.rows;
    filled.cols = argument.cols;
    filled.structure = argument.structure.c_str();
    return giveInfo(info, filled);
  });
}

sxt_status sxt_module_result(sxt_module *module, size_t kernelIndex, size_t index,
                             sxt_parameter_info *info) {
  SXT_REQUIRE(module);
  SXT_REQUIRE(info);
  return guarded([&] {
    const module::Kernel *kernel = nullptr;
    std::span<const module::Hidden *const> results;
    SXT_TRY(module->state->kernel(kernelIndex, kernel, results));
    if (index >= results.size())
      return fail(SXT_ERROR_OUT_OF_RANGE, "result %zu of kernel '%s', which returns %zu", index,
                  kernel->instance.c_str(), results.size());
    const module::Hidden &result = *results[index];
    sxt_parameter_info filled{};
    filled.name = result.name.c_str();
    filled.kind = result.rows * result.cols > 1 ? SXT_ARGUMENT_MATRIX : SXT_ARGUMENT_SCALAR;
    filled.dtype = static_cast<sxt_dtype>(result.dtype);
    filled.rows = result.rows;
    filled.cols = result.cols;
    filled.structure = "";
    return giveInfo(info, filled);
  });
}

sxt_status sxt_module_global_count(sxt_module *module, size_t *count) {
  SXT_REQUIRE(module);
  SXT_REQUIRE(count);
  return guarded([&] {
    const module::ModuleInfo *facts = nullptr;
    SXT_TRY(module->state->info(facts));
    *count = facts->globals.size();
    return SXT_OK;
  });
}

sxt_status sxt_module_global(sxt_module *module, size_t index, sxt_global_info *info) {
  SXT_REQUIRE(module);
  SXT_REQUIRE(info);
  return guarded([&] {
    const module::ModuleInfo *facts = nullptr;
    SXT_TRY(module->state->info(facts));
    if (index >= facts->globals.size())
      return fail(SXT_ERROR_OUT_OF_RANGE, "global %zu of a module that has %zu", index,
                  facts->globals.size());
    return giveInfo(info, infoOf(facts->globals[index]));
  });
}

sxt_status sxt_module_attachment(sxt_module *module, const char *name, const void **data,
                                 size_t *size) {
  SXT_REQUIRE(module);
  SXT_REQUIRE(name);
  SXT_REQUIRE(data);
  SXT_REQUIRE(size);
  return guarded([&] {
    std::span<const std::byte> bytes;
    SXT_TRY(module->state->attachment(name, bytes));
    *data = bytes.data();
    *size = bytes.size();
    return SXT_OK;
  });
}

const char *sxt_dtype_name(sxt_dtype dtype) {
  auto number = static_cast<unsigned>(dtype);
  return number >= 1 && number < module::dtypeEnd
             ? module::nameOf(static_cast<module::DType>(number)).data()
             : "?";
}

size_t sxt_dtype_size(sxt_dtype dtype) {
  auto number = static_cast<unsigned>(dtype);
  return number >= 1 && number < module::dtypeEnd
             ? module::sizeOf(static_cast<module::DType>(number))
             : 0;
}
