// Splits argument blocks into bindings and packed values.
#include "loader/devices/common/Bindings.h"

#include <algorithm>
#include <cstring>

namespace sextant::loader {

Bindings::Bindings(const module::BlockLayout &layout) {
  for (const module::Param &param : layout.params) {
    if (param.kind == module::Param::Buffer) {
      buffers.push_back(param.offset);
      continue;
    }
    const uint32_t place = std::max<uint32_t>(param.size, 4);
    const uint32_t to = (valueBytes + place - 1) / place * place;
    values.push_back({param.offset, to, param.size});
    valueBytes = to + place;
  }
}

uint64_t Bindings::address(const void *block, size_t binding) const {
  uint64_t address = 0;
  std::memcpy(&address, static_cast<const std::byte *>(block) + buffers[binding], sizeof address);
  return address;
}

void Bindings::pack(const void *block, std::byte *packed) const {
  std::memset(packed, 0, valueBytes);
  for (const Value &value : values)
    std::memcpy(packed + value.to, static_cast<const std::byte *>(block) + value.from, value.size);
}

} // namespace sextant::loader
