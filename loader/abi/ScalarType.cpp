// The one table of scalar types, made of ScalarTypes.def.
#include "loader/abi/ScalarType.h"

namespace sextant::abi {

namespace {

constexpr ScalarFacts types[] = {
    {"?", "?"},
#define SCALAR_TYPE(NAME, NUMBER, SHORT, LONG, KIND, BYTES, DIGITS, ...)                           \
  {SHORT, LONG, ScalarKind::KIND, BYTES, DIGITS},
#include "loader/abi/ScalarTypes.def"
};

constexpr unsigned numbers[] = {
    0,
#define SCALAR_TYPE(NAME, NUMBER, ...) NUMBER,
#include "loader/abi/ScalarTypes.def"
};

constexpr bool areInOrder() {
  for (unsigned i = 0; i < scalarTypeEnd; ++i)
    if (numbers[i] != i)
      return false;
  return true;
}
static_assert(areInOrder(), "the rows of ScalarTypes.def stand by their numbers");

} // namespace

const ScalarFacts &factsOf(ScalarType type) {
  const auto number = static_cast<unsigned>(type);
  return types[number < scalarTypeEnd ? number : 0];
}

unsigned sizeOf(ScalarType type) { return factsOf(type).bytes; }
std::string_view nameOf(ScalarType type) { return factsOf(type).name; }

std::optional<ScalarType> scalarTypeOf(std::string_view name) {
  for (unsigned number = 1; number < scalarTypeEnd; ++number)
    if (types[number].name == name)
      return static_cast<ScalarType>(number);
  return std::nullopt;
}

} // namespace sextant::abi
