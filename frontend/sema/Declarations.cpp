#include "frontend/sema/Declarations.h"

#include "frontend/sema/Context.h"
#include "frontend/syntax/Lexer.h"

#include <algorithm>

namespace sextant::sema {

namespace {

/// The tokens of a range, brackets with what they hold.
class Tokens {
public:
  Tokens(const SourceFile &file, uint32_t begin, uint32_t end) {
    DiagnosticSink reported; // ignored: the parser has reported them
    all = tokenizeField(file, begin, end, reported);
  }
  /// Calls `visit` with each token outside of brackets that `isHidden` holds for, and its
  /// neighbours. `isHidden` gets an open bracket and the token before it.
  template <class Hidden, class Visit> void visit(Hidden isHidden, Visit visit) const {
    std::vector<bool> open;
    const Token none;
    for (size_t i = 0; i + 1 < all.size(); ++i) {
      const Token &token = all[i], &before = i ? all[i - 1] : none;
      if (token.is("(") || token.is("[") || token.is("{"))
        open.push_back(isHidden(token, before));
      else if ((token.is(")") || token.is("]") || token.is("}")) && !open.empty())
        open.pop_back();
      else if (std::find(open.begin(), open.end(), true) == open.end())
        visit(token, before, all[i + 1]);
    }
  }

private:
  std::vector<Token> all; ///< the last one is End
};

/// The names in a text that are neither called, nor members, nor indices.
std::vector<Token> usesIn(const SourceFile &file, uint32_t begin, uint32_t end) {
  std::vector<Token> uses;
  const auto isIndex = [](const Token &open, const Token &before) {
    return open.is("[") && (before.kind == TokenKind::Name || before.is(")") || before.is("]"));
  };
  Tokens(file, begin, end)
      .visit(isIndex, [&](const Token &token, const Token &before, const Token &next) {
        if (token.kind == TokenKind::Name && !before.is(".") && !next.is("(") && !next.is("."))
          uses.push_back(token);
      });
  return uses;
}

std::string declared(std::string_view name, const Value &value) {
  std::string text = "`" + std::string(name) + "` is declared here";
  if (value.kind == Value::Matrix)
    return text + ": " + std::to_string(value.rows) + "x" + std::to_string(value.cols);
  if (value.kind == Value::Array) {
    const size_t axes = value.array->shape.size();
    const ElementType &element = value.array->element;
    return text + ": " + std::to_string(axes) + (axes == 1 ? " dimension" : " dimensions") +
           (element.matrix
                ? " of " + std::to_string(element.rows) + "x" + std::to_string(element.cols)
                : "");
  }
  if (value.kind == Value::Scalar)
    return text + ": " + spell(value.scalarType());
  return text;
}

} // namespace

std::vector<Label> declarationsIn(Context &cx, SourceRange at) {
  std::vector<Label> labels;
  if (cx.frames.empty() || !at.file || !cx.frame().module || !cx.frame().module->library.empty())
    return labels;
  std::vector<std::string_view> seen;
  for (const Token &use : usesIn(*at.file, at.begin, at.end)) {
    const std::string_view name = use.text;
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      continue;
    seen.push_back(name);
    SourceRange where;
    std::string text;
    if (const VariablePtr variable = findVariable(cx, name)) {
      where = variable->at;
      text = declared(name, variable->value);
    } else if (const auto found = cx.frame().module->names.find(name);
               found != cx.frame().module->names.end() &&
               found->second.kind == Definition::Expression) {
      where = found->second.at;
      text = declared(name, found->second.result);
    }
    if (where.file && !(where.file == at.file && where.begin == use.begin))
      labels.push_back({where, std::move(text)});
  }
  return labels;
}

} // namespace sextant::sema
