// Facts that follow from a kernel's signature: sizes, names, the argument block's
// layout, the ABI hash.
#include "loader/format/Module.h"
#include "loader/format/Hash.h"

#include <algorithm>
#include <limits>

namespace sextant::module {

namespace {
struct TypeFacts {
  std::string_view name;
  unsigned size;
};
constexpr std::array<TypeFacts, dtypeEnd> types = {{{"?", 1},
                                                    {"u1", 1},
                                                    {"i8", 1},
                                                    {"i16", 2},
                                                    {"i32", 4},
                                                    {"i64", 8},
                                                    {"u8", 1},
                                                    {"u16", 2},
                                                    {"u32", 4},
                                                    {"u64", 8},
                                                    {"f16", 2},
                                                    {"f32", 4},
                                                    {"f64", 8}}};

const TypeFacts &factsOf(DType type) {
  const auto number = static_cast<unsigned>(type);
  return types[number < dtypeEnd ? number : 0];
}

/// Bytes to hash: numbers as eight little-endian bytes, strings with their length,
/// so that no two signatures give the same bytes.
struct Canonical {
  std::string bytes;
  void number(uint64_t value) {
    for (unsigned i = 0; i < 8; ++i)
      bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
  void text(std::string_view value) {
    number(value.size());
    bytes.append(value);
  }
};
} // namespace

unsigned sizeOf(DType type) { return factsOf(type).size; }
std::string_view nameOf(DType type) { return factsOf(type).name; }

std::string str(const Target &target) {
  std::string text = target.backend + ":" + target.arch;
  for (const std::string &feature : target.features)
    text += "+" + feature;
  return text + "/wave" + std::to_string(target.wave);
}

BlockLayout layoutOf(std::span<const Argument> arguments, std::span<const Hidden> hidden) {
  BlockLayout layout;
  auto add = [&](Param::Kind kind, DType dtype) {
    const uint32_t size = kind == Param::Buffer ? 8 : sizeOf(dtype);
    layout.size = (layout.size + size - 1) / size * size;
    layout.params.push_back({kind, dtype, layout.size, size});
    layout.size += size;
  };
  for (const Argument &argument : arguments) {
    layout.firstParam.push_back(static_cast<uint32_t>(layout.params.size()));
    switch (argument.kind) {
    case Argument::Array:
      add(Param::Buffer, argument.dtype);
      for (unsigned dim = 0; dim < argument.ndim; ++dim)
        add(Param::Value, DType::I32);
      break;
    case Argument::Scalar:
      add(Param::Value, argument.dtype);
      break;
    case Argument::Matrix:
      for (unsigned i = 0; i < argument.rows * argument.cols; ++i)
        add(Param::Value, argument.dtype);
      break;
    }
  }
  for (const Hidden &buffer : hidden) {
    layout.firstParam.push_back(static_cast<uint32_t>(layout.params.size()));
    add(Param::Buffer, buffer.dtype);
  }
  layout.size = (layout.size + 7) / 8 * 8;
  return layout;
}

std::vector<const Hidden *> returnsOf(const Plan &plan) {
  std::vector<const Hidden *> returns;
  for (const Hidden &buffer : plan.hidden)
    if (buffer.role == Hidden::Return)
      returns.push_back(&buffer);
  return returns;
}

bool sameReturns(std::span<const Hidden *const> a, std::span<const Hidden *const> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Hidden *x, const Hidden *y) { return *x == *y; });
}

uint64_t abiHashOf(const Kernel &kernel) {
  Canonical canonical;
  canonical.text("sextant kernel 1");
  canonical.number(kernel.arguments.size());
  for (const Argument &argument : kernel.arguments) {
    canonical.number(argument.kind);
    canonical.text(argument.name);
    canonical.number(static_cast<uint64_t>(argument.dtype));
    canonical.number(argument.ndim);
    canonical.number(argument.rows);
    canonical.number(argument.cols);
  }
  // Those of any plan: checkKernel refuses plans that return something else.
  if (!kernel.plans.empty())
    for (const Hidden *buffer : returnsOf(kernel.plans.front())) {
      canonical.number(static_cast<uint64_t>(buffer->dtype));
      canonical.number(buffer->count);
      canonical.number(buffer->rows);
      canonical.number(buffer->cols);
    }
  return hash64(canonical.bytes.data(), canonical.bytes.size());
}

} // namespace sextant::module
