// Arithmetic of the functions of vectors and matrices: the language's own, at one place.
#pragma once

#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

namespace sextant::sema {

struct Arithmetic {
  Context &cx;
  SourceRange at;

  Value add(const Value &a, const Value &b) const { return of(ast::BinaryOp::Add, a, b); }
  Value sub(const Value &a, const Value &b) const { return of(ast::BinaryOp::Sub, a, b); }
  Value mul(const Value &a, const Value &b) const { return of(ast::BinaryOp::Mul, a, b); }
  Value div(const Value &a, const Value &b) const { return of(ast::BinaryOp::Div, a, b); }
  Value stable(Value value) const { return sema::stable(cx, std::move(value), at); }

private:
  Value of(ast::BinaryOp op, const Value &a, const Value &b) const {
    return binary(cx, op, a, b, at);
  }
};

} // namespace sextant::sema
