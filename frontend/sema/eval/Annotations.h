// Reads types from annotations.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Reads a type from an annotation. Returns null after an error.
TypeValue *annotation(Context &cx, const ast::Expr &expr, TypeValue &out);
/// The same for a parameter or a result of the function that the frame runs. As in Python, its own
/// parameters and variables are not known there.
TypeValue *signatureAnnotation(Context &cx, const ast::Expr &expr, TypeValue &out);
/// The number of an ndarray's dimensions; nullopt after an error.
std::optional<int> dimensions(Context &cx, const Value &value, SourceRange at);

} // namespace sextant::sema
