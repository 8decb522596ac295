// The functions of sextant.h about modules: opening, and what they say of themselves.
#include "loader/Handles.h"
#include "loader/Markers.h"
#include "loader/Sodium.h"

#include <array>

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
