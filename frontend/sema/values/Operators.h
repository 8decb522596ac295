// Operators on values.
#pragma once

#include "frontend/sema/Context.h"
#include <functional>

namespace sextant::sema {

Value unary(Context &cx, ast::UnaryOp op, const Value &operand, SourceRange at);
Value binary(Context &cx, ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange at);
Value compare(Context &cx, ast::CompareOp op, const Value &lhs, const Value &rhs, SourceRange at);
Value matMul(Context &cx, const Value &lhs, const Value &rhs, SourceRange at);
Value elementwise(Context &cx, const Value &a, const Value &b, SourceRange at,
                  const std::function<Value(const Value &, const Value &)> &op);
Value minMax(Context &cx, bool isMin, const Value &a, const Value &b, SourceRange at);

/// True if two values are equal as Python has it, false if they differ; nullopt if only the run can
/// tell.
std::optional<bool> areEqual(const Value &a, const Value &b);
/// Returns the value of a key, or null.
const Value *findInDict(const Value &dict, const Value &key);

} // namespace sextant::sema
