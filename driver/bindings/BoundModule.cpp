#include "driver/bindings/BoundModule.h"

#include "driver/Environment.h"
#include "loader/format/Reader.h"
#include "packager/Describe.h"

namespace sextant {

template <class T> static T require(module::Result<T> result) {
  if (!result)
    throw Refusal(Problem::ModuleUnreadable, result.error().message);
  return std::move(*result);
}

BoundModule boundModule(std::span<const std::byte> bytes) {
  const module::Reader reader = require(module::Reader::fromMemory(bytes));
  return {require(reader.info()), require(packager::kernelsByName(reader))};
}

} // namespace sextant
