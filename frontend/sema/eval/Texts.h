// Texts with fields: f-strings, and `"…".format(…)` of a literal.
#pragma once

#include "frontend/sema/Context.h"
#include "loader/abi/NumberFormat.h"

namespace sextant::sema {

/// Text, and the value of the field after it.
struct TextPart {
  std::string text;
  std::optional<Value> value;              ///< absent after the last field
  std::optional<abi::NumberFormat> format; ///< absent: as `str` shows the value
  SourceRange at;                          ///< the field's place
};

/// True for the expressions that `textParts` takes.
bool isTextWithFields(const ast::Expr &expr);

/// Evaluates the fields in the order of the text. Returns nothing after an error.
std::optional<std::vector<TextPart>> textParts(Context &cx, const ast::Expr &expr);

/// The text, if all values are known when kernels are built; otherwise an error.
Value textOf(Context &cx, const ast::Expr &expr);

} // namespace sextant::sema
