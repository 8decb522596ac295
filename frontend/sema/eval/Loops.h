// All loops but the parallel ones.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

Flow execFor(Context &cx, const ast::Stmt &stmt, const ast::For &node);
std::optional<Value> rangeOf(Context &cx, const Value &iterable, SourceRange at);
/// Collects the points of a compile-time range. Returns false after an error.
bool staticPoints(Context &cx, const Value &range, std::vector<std::vector<Value>> &points,
                  SourceRange at);

} // namespace sextant::sema
