// libFuzzer's entry to the loader's C interface: a module opened from memory, asked for all that
// can be asked without loading an image, and explained for the CPU.
#include "sextant/sextant.h"
#include "tests/module/fuzz/Mutator.h"

#include <cstdlib>
#include <cstring>

namespace {

void always(bool condition) {
  if (!condition)
    std::abort();
}

void signature(sxt_module *module, size_t kernel, const sxt_kernel_info &info) {
  sxt_parameter_info parameter{};
  parameter.struct_size = sizeof parameter;
  for (size_t i = 0; i <= info.argument_count && i < 64; ++i) {
    const sxt_status status = sxt_module_argument(module, kernel, i, &parameter);
    always((status == SXT_OK) == (i < info.argument_count));
    always(status != SXT_OK || sxt_dtype_size(parameter.dtype) != 0);
  }
  for (size_t i = 0; i <= info.result_count && i < 64; ++i)
    always((sxt_module_result(module, kernel, i, &parameter) == SXT_OK) == (i < info.result_count));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sxt_device *const device = [] {
    sxt_device *opened = nullptr;
    always(sxt_device_open("cpu", &opened) == SXT_OK);
    return opened;
  }();
  sxt_module *module = nullptr;
  if (sxt_module_open_memory(size == 0 ? reinterpret_cast<const uint8_t *>("") : data, size,
                             &module) != SXT_OK) {
    always(std::strlen(sxt_last_error_message()) != 0);
    return 0;
  }
  sxt_program *program = nullptr;
  always(sxt_program_create(module, device, nullptr, &program) == SXT_OK);
  size_t kernels = 0, globals = 0;
  always(sxt_module_kernel_count(module, &kernels) == SXT_OK);
  for (size_t i = 0; i < kernels && i < 64; ++i) {
    sxt_kernel_info info{};
    info.struct_size = sizeof info;
    if (sxt_module_kernel(module, i, &info) != SXT_OK)
      continue;
    signature(module, i, info);
    const char *text = nullptr;
    (void)sxt_program_explain(program, info.name, &text);
    size_t verdicts = 0;
    (void)sxt_program_verdict_count(program, info.name, &verdicts);
    sxt_verdict verdict{};
    verdict.struct_size = sizeof verdict;
    (void)sxt_program_verdict(program, info.name, verdicts / 2, &verdict);
  }
  size_t index = 0;
  (void)sxt_module_find_kernel(module, "total", &index);
  if (sxt_module_global_count(module, &globals) == SXT_OK)
    for (size_t i = 0; i < globals && i < 64; ++i) {
      sxt_global_info info{};
      info.struct_size = sizeof info;
      always(sxt_module_global(module, i, &info) == SXT_OK);
    }
  const void *attachment = nullptr;
  size_t attachmentBytes = 0;
  (void)sxt_module_attachment(module, "scene.json", &attachment, &attachmentBytes);
  sxt_program_release(program);
  sxt_module_release(module);
  return 0;
}
