// The one table of scalar types.
#include "loader/abi/ScalarType.h"

namespace sextant::abi {

namespace {
struct TypeFacts {
  std::string_view name;
  unsigned size;
};
constexpr TypeFacts types[scalarTypeEnd] = {
    {"?", 1},   {"u1", 1},  {"i8", 1},  {"i16", 2}, {"i32", 4}, {"i64", 8}, {"u8", 1},
    {"u16", 2}, {"u32", 4}, {"u64", 8}, {"f16", 2}, {"f32", 4}, {"f64", 8}};

const TypeFacts &factsOf(ScalarType type) {
  const auto number = static_cast<unsigned>(type);
  return types[number < scalarTypeEnd ? number : 0];
}
} // namespace

unsigned sizeOf(ScalarType type) { return factsOf(type).size; }
std::string_view nameOf(ScalarType type) { return factsOf(type).name; }

std::optional<ScalarType> scalarTypeOf(std::string_view name) {
  for (unsigned number = 1; number < scalarTypeEnd; ++number)
    if (types[number].name == name)
      return static_cast<ScalarType>(number);
  return std::nullopt;
}

} // namespace sextant::abi
