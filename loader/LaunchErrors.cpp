// Messages about arguments and results.
#include "loader/LaunchErrors.h"
#include "loader/format/Text.h"

#include <cstdarg>

namespace sextant::loader {

static std::string describe(unsigned kind, uint32_t dtype, unsigned ndim, unsigned rows,
                            unsigned cols) {
  std::string element =
      dtype < module::dtypeEnd ? sxt_dtype_name(static_cast<sxt_dtype>(dtype)) : "?";
  if (cols != 1)
    element = module::message("matrix of %ux%u %s", rows, cols, element.c_str());
  else if (rows != 1)
    element = module::message("vector of %u %s", rows, element.c_str());
  switch (kind) {
  case SXT_ARGUMENT_ARRAY:
    return module::message("a %u-dimensional array of %s", ndim, element.c_str());
  case SXT_ARGUMENT_SCALAR:
    return module::message("a scalar %s", element.c_str());
  case SXT_ARGUMENT_MATRIX:
    return module::message("a %s by value", element.c_str());
  default:
    return module::message("an argument of unknown kind %u", kind);
  }
}

sxt_status failSignature(const sxt_kernel &kernel, size_t index, const sxt_argument &given) {
  const module::Argument &expected = *kernel.arguments[index].argument;
  return fail(SXT_ERROR_SIGNATURE, "kernel '%s', argument %zu '%s': expected %s, given %s",
              kernel.record->instance.c_str(), index, expected.name.c_str(),
              describe(expected.kind, static_cast<uint32_t>(expected.dtype), expected.ndim,
                       expected.rows, expected.cols)
                  .c_str(),
              describe(given.kind, given.dtype, given.ndim, given.rows, given.cols).c_str());
}

sxt_status failArgument(const sxt_kernel &kernel, size_t index, sxt_status status,
                        const char *format, ...) {
  va_list list;
  va_start(list, format);
  std::string message = formatted(format, list);
  va_end(list);
  return fail(status, "kernel '%s', argument %zu '%s': %s", kernel.record->instance.c_str(), index,
              kernel.arguments[index].argument->name.c_str(), message.c_str());
}

sxt_status failCount(const sxt_kernel &kernel, size_t count) {
  std::string names;
  for (const ArgumentPlan &plan : kernel.arguments)
    names += (names.empty() ? "" : ", ") + plan.argument->name;
  return fail(SXT_ERROR_SIGNATURE, "kernel '%s' takes %zu arguments (%s), given %zu",
              kernel.record->instance.c_str(), kernel.arguments.size(), names.c_str(), count);
}

sxt_status checkResults(const sxt_kernel &kernel, const sxt_result *results, size_t count) {
  const char *name = kernel.record->instance.c_str();
  if (count != kernel.results.size())
    return fail(SXT_ERROR_SIGNATURE, "kernel '%s' returns %zu values, asked for %zu", name,
                kernel.results.size(), count);
  if (count)
    SXT_REQUIRE(results);
  for (size_t i = 0; i < count; ++i) {
    const sxt_result &given = results[i];
    const module::Hidden &expected = *kernel.results[i].buffer;
    if (given.struct_size != sizeof(sxt_result))
      return fail(SXT_ERROR_INVALID_ARGUMENT, "sxt_result.struct_size is %zu, expected %zu",
                  given.struct_size, sizeof(sxt_result));
    if (given.dtype != static_cast<unsigned>(expected.dtype) || given.rows != expected.rows ||
        given.cols != expected.cols)
      return fail(SXT_ERROR_SIGNATURE, "kernel '%s', result %zu: it returns %s, asked for %s", name,
                  i,
                  describe(SXT_ARGUMENT_SCALAR, static_cast<uint32_t>(expected.dtype), 0,
                           expected.rows, expected.cols)
                      .c_str(),
                  describe(SXT_ARGUMENT_SCALAR, given.dtype, 0, given.rows, given.cols).c_str());
    if (!given.data)
      return fail(SXT_ERROR_INVALID_ARGUMENT, "kernel '%s', result %zu: its data is null", name, i);
  }
  return SXT_OK;
}

namespace {

struct Memory {
  uint64_t begin = 0, end = 0;
  bool meets(const Memory &other) const {
    return begin < end && other.begin < other.end && begin < other.end && other.begin < end;
  }
};

Memory memoryOf(const ArgumentPlan &plan, const std::byte *block, const int64_t *values) {
  if (plan.argument->kind != module::Argument::Array)
    return {};
  Memory memory;
  std::memcpy(&memory.begin, block + plan.offset, sizeof memory.begin);
  uint64_t bytes = uint64_t(plan.elementBytes) * plan.elementScalars;
  for (unsigned dim = 0; dim < plan.argument->ndim; ++dim)
    bytes *= uint64_t(values[plan.firstParam + 1 + dim]);
  memory.end = memory.begin + bytes;
  return memory;
}

} // namespace

sxt_status checkApart(const sxt_kernel &kernel, const std::byte *block, const int64_t *values) {
  const module::Plan &plan = kernel.record->plans[kernel.variant->plan];
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Memory memory = memoryOf(kernel.arguments[i], block, values);
    const std::string *other = nullptr;
    for (size_t k = 0; k < i; ++k) {
      const module::Argument &earlier = *kernel.arguments[k].argument;
      if ((kernel.arguments[i].argument->isApart || earlier.isApart) &&
          memory.meets(memoryOf(kernel.arguments[k], block, values)))
        other = &earlier.name;
    }
    for (size_t k = 0; k < kernel.hidden.size(); ++k)
      if (const sxt_buffer *field = kernel.hidden[k].global;
          field && memory.meets({field->address, field->address + field->bytes}))
        other = &plan.hidden[k].name;
    if (other)
      return failArgument(kernel, i, SXT_ERROR_INVALID_ARGUMENT,
                          "it shares memory with '%s': pass a copy", other->c_str());
  }
  return SXT_OK;
}

} // namespace sextant::loader
