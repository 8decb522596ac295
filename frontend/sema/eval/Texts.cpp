#include "frontend/sema/eval/Texts.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/values/Print.h"

namespace sextant::sema {

namespace {

/// `"…".format(…)` of a literal: the literal, otherwise null.
const ast::StringLit *formatTemplate(const ast::Expr &expr) {
  auto *call = std::get_if<ast::Call>(&expr.node);
  auto *callee = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
  auto *text = callee && callee->name == "format"
                   ? std::get_if<ast::StringLit>(&callee->value->node)
                   : nullptr;
  return text && text->unread.empty() ? text : nullptr;
}

/// Makes a format one of what `!s` and `!r` give: a text. Returns false after an error.
bool ofText(Context &cx, abi::NumberFormat &format, const std::string &spec, SourceRange at) {
  if (format.type != 's' || format.precision >= 0 || format.sign != '-')
    return error(cx, at, Problem::FormatNotSupported,
                 "the format `" + spec + "` is for numbers, and `!s` and `!r` make texts",
                 "leave the `!` and its letter out");
  if (format.align == '-' || format.align == '=') // a `0` before the width only fills
    format.align = '<';
  return true;
}

std::optional<std::vector<TextPart>> partsOf(Context &cx, const ast::FormatString &node) {
  std::vector<TextPart> parts;
  for (const ast::FormatString::Part &part : node.parts) {
    TextPart &next = parts.emplace_back();
    next.text = part.text;
    if (!part.value)
      continue;
    next.at = part.value->at;
    next.value = eval(cx, *part.value);
    if (next.value->isPoison())
      return std::nullopt;
    if (!hasText(cx, *next.value, next.at))
      return std::nullopt;
    if (part.conversion == 'r' && next.value->kind == Value::Str)
      next.value = Value::str(quoted(next.value->text));
    next.format = formatOf(cx, part.spec, next.at);
    if (part.conversion && next.format && !ofText(cx, *next.format, part.spec, next.at))
      return std::nullopt;
  }
  return parts;
}

/// The fields of Python's `str.format` that kernels have: `{}`, `{2}`, `{name}`, each also with
/// `:` and a format (docs.python.org, "Format String Syntax").
class Template {
public:
  Template(Context &cx, const ast::Expr &expr, std::string_view text)
      : cx(cx), node(std::get<ast::Call>(expr.node)), at(expr.at), text(text) {}

  std::optional<std::vector<TextPart>> read() {
    std::vector<TextPart> parts(1);
    bool isWrong = !evalArguments();
    while (!isWrong && !text.empty()) {
      const char c = text[0];
      const bool isBrace = c == '{' || c == '}', isTwice = text.size() > 1 && text[1] == c;
      text.remove_prefix(isBrace && isTwice ? 2 : 1);
      if (!isBrace || isTwice) {
        parts.back().text += c;
        continue;
      }
      const size_t end = c == '{' ? text.find_first_of("{}") : text.npos;
      if (end == text.npos || text[end] != '}')
        return error(cx, at, Problem::FormatPlaceUnknown,
                     std::string("a single `") + c + "` is not a place for a value",
                     "write `{}` for a value, and `{{` or `}}` for a brace");
      isWrong = !addField(parts.back(), text.substr(0, end));
      text.remove_prefix(end + 1);
      parts.emplace_back();
    }
    return isWrong ? std::nullopt : std::optional(std::move(parts));
  }

private:
  Context &cx;
  const ast::Call &node;
  const SourceRange at;
  std::string_view text; ///< the rest of the template
  std::vector<Value> arguments;
  std::vector<std::pair<std::string_view, Value>> named;
  std::optional<bool> isNumbered; ///< the fields have numbers; absent before the first field
  size_t next = 0;                ///< the argument of the next `{}`

  bool evalArguments() {
    bool bad = false;
    arguments = evalItems(cx, node.args, bad);
    for (const ast::Keyword &keyword : node.keywords) {
      if (keyword.name.empty())
        return error(cx, keyword.at, Problem::MethodWithKeywords,
                     "`format` takes no `**` arguments in kernels", "write the arguments out");
      named.emplace_back(keyword.name, eval(cx, *keyword.value));
      bad |= named.back().second.isPoison();
    }
    return !bad;
  }

  bool addField(TextPart &part, std::string_view field) {
    const size_t colon = field.find(':');
    const std::string_view name = field.substr(0, colon);
    const Value *value = argument(name);
    if (!value)
      return false;
    if (!hasText(cx, *value, at))
      return false;
    part.value = *value;
    part.at = at;
    if (colon != field.npos)
      part.format = formatOf(cx, std::string(field.substr(colon + 1)), at);
    return true;
  }

  /// Returns null after an error.
  const Value *argument(std::string_view name) {
    auto refuse = [&](std::string message, Fix fix = {}) {
      return error(cx, at, Problem::FormatPlaceUnknown, std::move(message), std::move(fix));
    };
    const bool isNumber = name.find_first_not_of("0123456789") == name.npos;
    if (!isNumber) {
      for (auto &[known, value] : named)
        if (known == name)
          return &value;
      std::vector<std::string_view> names;
      for (auto &[known, value] : named)
        names.push_back(known);
      return refuse(
          "the place `{" + std::string(name) + "}` has no argument of this name",
          nearestName(at, name, names, "a place is `{}`, a number, or the name of an argument"));
    }
    if (isNumbered.value_or(!name.empty()) == name.empty())
      return refuse("places with a number and places without one stand in one text",
                    "number all places, or none");
    isNumbered = !name.empty();
    size_t index = name.empty() ? next++ : 0;
    for (char digit : name)
      index = std::min<size_t>(10 * index + size_t(digit - '0'), 1u << 20);
    if (index < arguments.size())
      return &arguments[index];
    return refuse("place " + std::to_string(index) + " has no argument: `format` is given " +
                  std::to_string(arguments.size()) + " without a name");
  }
};

} // namespace

bool isTextWithFields(const ast::Expr &expr) {
  return std::holds_alternative<ast::FormatString>(expr.node) || formatTemplate(expr);
}

std::optional<std::vector<TextPart>> textParts(Context &cx, const ast::Expr &expr) {
  if (auto *node = std::get_if<ast::FormatString>(&expr.node))
    return partsOf(cx, *node);
  return Template(cx, expr, formatTemplate(expr)->value).read();
}

Value textOf(Context &cx, const ast::Expr &expr) {
  const std::optional<std::vector<TextPart>> parts = textParts(cx, expr);
  if (!parts)
    return Value();
  std::string text;
  for (const TextPart &part : *parts) {
    text += part.text;
    if (!part.value)
      continue;
    if (part.value->isRuntime())
      return error(cx, part.at, Problem::FormatOfRunTimeValue,
                   "a text takes compile-time values, not " + describe(*part.value),
                   "only `print` takes texts with values of run time");
    if (!part.value->items.empty())
      return error(cx, part.at, Problem::PrintOfNoText,
                   describe(*part.value) + " has no text outside of `print`",
                   "write its parts, each with a place of its own");
    text += printed(*part.value, part.format ? &*part.format : nullptr);
  }
  return Value::str(std::move(text));
}

} // namespace sextant::sema
