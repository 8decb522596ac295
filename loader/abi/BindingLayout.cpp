// Bindings and packed values of an argument block.
#include "loader/abi/BindingLayout.h"

#include <algorithm>
#include <cstring>

namespace sextant::abi {

uint32_t BindingPlaces::addValue(uint32_t bytes) {
  const uint32_t place = std::max<uint32_t>(bytes, 4);
  const uint32_t offset = (end + place - 1) / place * place;
  end = offset + place;
  return offset;
}

BindingLayout::BindingLayout(const BlockLayout &layout) {
  BindingPlaces places;
  for (const Param &param : layout.params)
    if (param.kind == Param::Buffer) {
      places.addBuffer();
      buffers.push_back(param.offset);
    } else {
      values.push_back({param.offset, places.addValue(param.size), param.size});
    }
  valueBytes = places.valueBytes();
}

uint64_t BindingLayout::address(const void *block, size_t binding) const {
  uint64_t address = 0;
  std::memcpy(&address, static_cast<const std::byte *>(block) + buffers[binding], sizeof address);
  return address;
}

void BindingLayout::pack(const void *block, std::byte *packed) const {
  std::memset(packed, 0, valueBytes);
  for (const Value &value : values)
    std::memcpy(packed + value.to, static_cast<const std::byte *>(block) + value.from, value.size);
}

} // namespace sextant::abi
