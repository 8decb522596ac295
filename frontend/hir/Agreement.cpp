#include "frontend/hir/Agreement.h"

#include <tuple>

namespace sextant::hir {
namespace {

auto returnsOf(const Kernel &kernel) {
  std::vector<std::tuple<Type, unsigned, unsigned, uint64_t>> all;
  for (const HiddenBuffer &hidden : kernel.hidden)
    if (hidden.role == HiddenBuffer::Return)
      all.emplace_back(hidden.type, hidden.rows, hidden.cols, hidden.count);
  return all;
}

bool isSameField(const HiddenBuffer &a, const HiddenBuffer &b) {
  return a.type == b.type && a.count == b.count && a.shape == b.shape && a.rows == b.rows &&
         a.cols == b.cols && a.structure == b.structure;
}

} // namespace

std::string disagreement(const Kernel &first, const Kernel &other) {
  for (const Argument &argument : other.arguments)
    for (const Argument &same : first.arguments)
      if (same.name == argument.name && !(same == argument))
        return "takes `" + argument.name + "` as another type";
  for (const HiddenBuffer &field : other.hidden)
    for (const HiddenBuffer &same : first.hidden)
      if (field.role == HiddenBuffer::Field && same.role == HiddenBuffer::Field &&
          field.file == same.file && field.name == same.name && !isSameField(field, same))
        return "has another field `" + field.name + "`";
  return returnsOf(first) == returnsOf(other) ? "" : "returns another type";
}

} // namespace sextant::hir
