// A call of a function of vectors and matrices, and the arithmetic of such functions.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

struct VectorCall {
  Context &cx;
  const std::string &name;
  const Value &given; ///< for messages
  Value self;         ///< a tuple as a vector
  std::vector<Value> args;
  SourceRange at;

  bool isMatrix() const { return self.kind == Value::Matrix; }
  Value add(const Value &a, const Value &b);
  Value sub(const Value &a, const Value &b);
  Value mul(const Value &a, const Value &b);
  Value div(const Value &a, const Value &b);
  Value sum(const Value &v);
  /// Applies a function of reals. An integer is converted first.
  Value real(hir::UnaryOp op, const Value &x);
  Value stable(Value value);
  /// Returns false after an error: a wrong number of arguments, or an argument that is no vector.
  bool need(size_t count);
  bool needVector(const Value &v);
};

/// Matrix.cpp
Value determinantOf(VectorCall &call);
Value inverseOf(VectorCall &call);

} // namespace sextant::sema
