// Order and places of the argument block's entries.
#include "loader/abi/BlockLayout.h"

namespace sextant::abi {

uint32_t BlockPlaces::addValue(uint32_t bytes) {
  const uint32_t offset = (end + bytes - 1) / bytes * bytes;
  end = offset + bytes;
  return offset;
}

void addEntries(const Argument &argument, std::vector<Param> &entries, ScalarType extents) {
  switch (argument.kind) {
  case Argument::Array:
    entries.push_back({Param::Buffer, argument.dtype});
    entries.insert(entries.end(), argument.ndim, {Param::Value, extents});
    break;
  case Argument::Scalar:
    entries.push_back({Param::Value, argument.dtype});
    break;
  case Argument::Matrix:
    entries.insert(entries.end(), argument.rows * argument.cols, {Param::Value, argument.dtype});
    break;
  }
}

BlockLayout layoutOf(std::span<const Argument> arguments, std::span<const Hidden> hidden,
                     ScalarType extents) {
  BlockLayout layout;
  for (const Argument &argument : arguments) {
    layout.firstParam.push_back(static_cast<uint32_t>(layout.params.size()));
    addEntries(argument, layout.params, extents);
  }
  for (const Hidden &buffer : hidden) {
    layout.firstParam.push_back(static_cast<uint32_t>(layout.params.size()));
    layout.params.push_back({isValue(buffer.role) ? Param::Value : Param::Buffer, buffer.dtype});
  }
  BlockPlaces places;
  for (Param &param : layout.params) {
    param.size = param.kind == Param::Buffer ? BlockPlaces::bufferBytes : sizeOf(param.dtype);
    param.offset = places.addValue(param.size);
  }
  layout.size = places.size();
  return layout;
}

} // namespace sextant::abi
