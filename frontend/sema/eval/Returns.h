// `return`.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

Flow execReturn(Context &cx, const ast::Stmt &stmt, const ast::Return &node);
void checkReturns(Context &cx, const ast::FunctionDef &function, Flow end);

/// The types of a kernel's results, one for each buffer: with the members of structs in their
/// places.
std::vector<TypeValue> resultTypes(const TypeValue &type);
/// Names the buffer of a result, counted from 0.
std::string nameOfResult(size_t index);

} // namespace sextant::sema
