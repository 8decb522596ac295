// Facts of values.
#include "frontend/sema/Value.h"

#include <algorithm>

namespace sextant::sema {

bool Value::isRuntime() const {
  if (kind == Scalar)
    return true;
  if (isCompound())
    return std::any_of(items.begin(), items.end(), [](const Value &v) { return v.isRuntime(); });
  return false;
}

size_t valuesIn(const Value &value) {
  size_t count = 1 + value.text.size() / 16;
  for (size_t k = 0; k < value.items.size() && count <= mostValues; ++k)
    count += valuesIn(value.items[k]);
  return count;
}

std::optional<Exact> knownInt(const Value &value) {
  Exact constant = 0;
  if (value.kind == Value::Int || value.kind == Value::Bool)
    return value.integer;
  if (value.kind == Value::Scalar && constInt(*value.expr, constant))
    return constant;
  return std::nullopt;
}

Value mapItems(const Value &a, const std::function<Value(const Value &)> &op) {
  Value out = a;
  for (Value &item : out.items) {
    item = op(item);
    if (item.isPoison())
      return Value();
  }
  return out;
}

} // namespace sextant::sema
