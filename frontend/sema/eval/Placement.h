// Nodes, and fields that are declared first and placed later: `qd.root.dense(qd.ij, (4, 8))` is a
// node, whose `place(x)` gives `x` its extents.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Returns the extents of a node, one for each of its axes.
Value shapeOf(const Value &node);
/// Calls a method of a node: `dense`, `parent`. `place` yields the node. Poison after an error.
Value nodeMethod(Context &cx, const Value &method, const ast::Call &call, SourceRange at);
/// Returns the node so many levels above a field. Poison after an error.
Value parentOf(Context &cx, const Value &field, const Value &levels, SourceRange at);
/// Gives a field without a shape the extents of a node. Returns false after an error.
bool placeIn(Context &cx, ArrayRef &field, const Value &node, SourceRange at);
/// Gives a field without a shape the extents of the place that the module gives it under one of its
/// names. Returns false after an error. Fields are dense and row by row, whatever was placed beside
/// them.
bool placeField(Context &cx, ModuleScope &module, const std::vector<std::string> &names,
                ArrayRef &field);

} // namespace sextant::sema
