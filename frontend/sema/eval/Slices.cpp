#include "frontend/sema/eval/Slices.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>

namespace sextant::sema {

bool hasSlice(const std::vector<Value> &index) {
  return std::any_of(index.begin(), index.end(),
                     [](const Value &value) { return value.kind == Value::Slice; });
}

/// The indices that Python's slice picks of so many.
static std::vector<Value> indicesOf(const Value &slice, unsigned extent) {
  const Exact step = slice.items[2].kind == Value::Int ? slice.items[2].integer : 1;
  const Exact lowest = step > 0 ? 0 : -1, highest = step > 0 ? extent : Exact(extent) - 1;
  auto bound = [&](const Value &value, Exact otherwise) {
    if (value.kind != Value::Int)
      return otherwise;
    const Exact from = value.integer < 0 ? value.integer + extent : value.integer;
    return std::clamp(from, lowest, highest);
  };
  const Exact begin = bound(slice.items[0], step > 0 ? lowest : highest);
  const Exact end = bound(slice.items[1], step > 0 ? highest : lowest);
  std::vector<Value> picked;
  for (Exact k = begin; step > 0 ? k < end : k > end; k += step)
    picked.push_back(Value::exactInt(k));
  return picked;
}

std::optional<Picked> pick(Context &cx, const std::vector<Value> &index,
                           const std::vector<unsigned> &extents, SourceRange at) {
  if (index.size() > extents.size())
    return error(cx, at, Problem::ComponentIndexCountWrong,
                 "this takes " + std::to_string(extents.size()) +
                     (extents.size() == 1 ? " index" : " indices") + ", not " +
                     std::to_string(index.size()));
  std::vector<std::vector<Value>> axes;
  std::vector<unsigned> counts; // the extents of the axes that are left
  Value whole = Value::of(Value::Slice);
  whole.items.assign(3, Value::none());
  for (size_t k = 0; k < extents.size(); ++k) {
    const Value &one = k < index.size() ? index[k] : whole;
    if (one.kind != Value::Slice) {
      axes.push_back({one});
      continue;
    }
    for (const Value &bound : one.items)
      if (bound.kind == Value::Scalar && !exactInt(cx, bound, at, "a bound of a slice"))
        return std::nullopt;
    axes.push_back(indicesOf(one, extents[k]));
    if (axes.back().empty())
      return error(cx, at, Problem::SliceEmpty, "this slice has no components");
    counts.push_back(unsigned(axes.back().size()));
  }
  Picked picked;
  picked.rows = counts[0];
  picked.cols = counts.size() == 2 ? counts[1] : 1;
  picked.vector = counts.size() == 1;
  for (const Value &row : axes[0])
    if (axes.size() == 1)
      picked.indices.push_back({row});
    else
      for (const Value &column : axes[1])
        picked.indices.push_back({row, column});
  return picked;
}

} // namespace sextant::sema
