// Calls that are made of each copy of the loader, through only its own functions.
#pragma once

#include "sextant/sextant.h"

#include <string>

namespace sextant::test {

#define SEXTANT_COPY_FUNCTIONS(F)                                                                  \
  F(module_open_memory)                                                                            \
  F(module_release)                                                                                \
  F(device_open)                                                                                   \
  F(device_release)                                                                                \
  F(device_count)                                                                                  \
  F(program_create)                                                                                \
  F(program_kernel)                                                                                \
  F(program_release)                                                                               \
  F(kernel_launch)                                                                                 \
  F(buffer_create)                                                                                 \
  F(buffer_write)                                                                                  \
  F(buffer_read)                                                                                   \
  F(buffer_release)                                                                                \
  F(last_error_message)

/// The functions of one copy. \param find of a name; never null
struct Copy {
  template <class Find>
  explicit Copy(Find find){
#define SEXTANT_COPY_FIND(name) name = reinterpret_cast<decltype(&sxt_##name)>(find("sxt_" #name));
      SEXTANT_COPY_FUNCTIONS(SEXTANT_COPY_FIND)
#undef SEXTANT_COPY_FIND
  }
#define SEXTANT_COPY_MEMBER(name) decltype(&sxt_##name) name = nullptr;
  SEXTANT_COPY_FUNCTIONS(SEXTANT_COPY_MEMBER)
#undef SEXTANT_COPY_MEMBER
};

/// y = 2 x + y on the CPU. What is wrong; empty: nothing.
inline std::string use(const Copy &copy, const void *bytes, size_t size) {
  sxt_module *module = nullptr;
  sxt_device *device = nullptr;
  sxt_program *program = nullptr;
  sxt_kernel *kernel = nullptr;
  sxt_buffer *x = nullptr, *y = nullptr;
  float values[100], result[100] = {};
  for (int i = 0; i < 100; ++i)
    values[i] = float(i);
  auto steps = [&] {
    sxt_status s = copy.module_open_memory(bytes, size, &module);
    if (s == SXT_OK)
      s = copy.device_open("cpu", &device);
    if (s == SXT_OK)
      s = copy.program_create(module, device, nullptr, &program);
    if (s == SXT_OK)
      s = copy.program_kernel(program, "saxpy", &kernel);
    if (s == SXT_OK)
      s = copy.buffer_create(device, sizeof values, &x);
    if (s == SXT_OK)
      s = copy.buffer_create(device, sizeof values, &y);
    if (s == SXT_OK)
      s = copy.buffer_write(x, 0, values, sizeof values, nullptr);
    if (s == SXT_OK)
      s = copy.buffer_write(y, 0, values, sizeof values, nullptr);
    if (s == SXT_OK) {
      const sxt_argument arguments[] = {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, 100),
                                        sxt_make_array1(y, SXT_DTYPE_F32, 100)};
      s = copy.kernel_launch(kernel, nullptr, arguments, 3);
    }
    if (s == SXT_OK)
      s = copy.buffer_read(y, 0, result, sizeof result, nullptr);
    return s;
  };
  std::string wrong = steps() == SXT_OK ? "" : copy.last_error_message();
  for (int i = 0; i < 100 && wrong.empty(); ++i)
    if (result[i] != 3 * values[i])
      wrong = "a wrong result";
  copy.buffer_release(x);
  copy.buffer_release(y);
  copy.program_release(program);
  copy.device_release(device);
  copy.module_release(module);
  return wrong;
}

} // namespace sextant::test
