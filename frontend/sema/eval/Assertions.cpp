// `assert`: analyses its condition in every build and tests it in builds that ask for it; formats
// its message, whose `%` takes values.
#include "frontend/sema/eval/Assertions.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Texts.h"
#include "frontend/sema/eval/Unreached.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Print.h"
#include "frontend/spelling/Texts.h"

#include <cstdio>

namespace sextant::sema {

namespace {

/// One `%…` of a format.
struct Slot {
  std::string flags; ///< flags, width and precision
  char kind = 0;
};

/// Formats a compile-time value. Returns nothing if the place wants another kind of value.
std::optional<std::string> print(const Slot &slot, const Value &value) {
  char text[512];
  if (std::string_view("diuxXo").find(slot.kind) != std::string_view::npos) {
    if (value.kind != Value::Int && value.kind != Value::Bool && value.kind != Value::Float)
      return std::nullopt;
    const auto n =
        (long long)(value.kind == Value::Float ? hir::toInteger(value.real, hir::Type::I64)
                                               : value.integer);
    std::string format = "%" + slot.flags + "ll" + (slot.kind == 'u' ? 'd' : slot.kind);
    std::snprintf(text, sizeof text, format.c_str(), n);
    return text;
  }
  if (std::string_view("feEgGF").find(slot.kind) != std::string_view::npos) {
    if (!value.isExact())
      return std::nullopt;
    double x = value.kind == Value::Float ? value.real : double(value.integer);
    std::snprintf(text, sizeof text, ("%" + slot.flags + slot.kind).c_str(), x);
    return text;
  }
  return printed(value);
}

} // namespace

/// Formats `"…" % value` or `"…" % (value, …)`. Of the run-time values, the first two integers are
/// shown when the test fails, because a fault has room for two (docs/module-format.md).
std::optional<Message> formatMessage(Context &cx, const std::string &format, const Value &given,
                                     SourceRange at) {
  std::vector<Value> values = given.kind == Value::Tuple ? given.items : std::vector<Value>{given};
  Message out;
  size_t next = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') { // a message is one line, and has no marks but ours
      out.text += static_cast<unsigned char>(format[i]) < ' ' ? ' ' : format[i];
      continue;
    }
    Slot slot;
    while (++i < format.size() &&
           std::string_view("#0- +.123456789").find(format[i]) != std::string_view::npos)
      slot.flags += format[i];
    slot.kind = i < format.size() ? format[i] : '\0';
    if (slot.kind == '%') {
      out.text += '%';
      continue;
    }
    if (!slot.kind ||
        std::string_view("diuxXofeEgGFsr").find(slot.kind) == std::string_view::npos ||
        slot.flags.size() > 6)
      return error(cx, at, Problem::FormatPlaceUnknown,
                   "`%" + slot.flags + (slot.kind ? std::string(1, slot.kind) : "") +
                       "` is not a place for a value",
                   "write %d, %f or %s; `%%` is a percent sign");
    if (next >= values.size()) {
      ++next;
      continue;
    }
    const Value &value = values[next++];
    if (value.isPoison())
      return std::nullopt;
    bool isWhole = value.kind == Value::Scalar && !isFloat(value.expr->type);
    if (isWhole && out.values.size() < 2 &&
        std::string_view("diusr").find(slot.kind) != std::string_view::npos) {
      out.values.push_back(value.expr);
      out.text += char(out.values.size());
    } else if (value.isRuntime()) {
      out.text += "(" + describe(value) + ")";
    } else if (auto text = print(slot, value)) {
      for (char c : *text)
        out.text += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    } else {
      return error(cx, at, Problem::NumberNeeded,
                   "`%" + std::string(1, slot.kind) + "` needs a number, not " + describe(value));
    }
  }
  if (next != values.size())
    return error(cx, at, Problem::FormatCountWrong,
                 "the text has " + countText(next, "place") + " for values, but is given " +
                     std::to_string(values.size()));
  return out;
}

/// The same for a text with fields, as if each field were a `%s`.
static std::optional<Message> formatMessage(Context &cx, const ast::Expr &expr) {
  const std::optional<std::vector<TextPart>> parts = textParts(cx, expr);
  if (!parts)
    return std::nullopt;
  std::string format;
  std::vector<Value> values;
  for (const TextPart &part : *parts) {
    for (char c : part.text)
      format += c == '%' ? std::string("%%") : std::string(1, c);
    if (!part.value)
      continue;
    format += "%s";
    values.push_back(part.value->isExact()
                         ? Value::str(printed(*part.value, part.format ? &*part.format : nullptr))
                         : *part.value);
  }
  return formatMessage(cx, format, Value::tuple(std::move(values)), expr.at);
}

/// Returns nothing after an error.
static std::optional<Message> assertionMessage(Context &cx, const ast::Expr *expr) {
  if (!expr)
    return Message();
  if (isTextWithFields(*expr))
    return formatMessage(cx, *expr);
  if (auto *node = std::get_if<ast::Binary>(&expr->node); node && node->op == ast::BinaryOp::Mod) {
    Value format = eval(cx, *node->lhs);
    if (format.isPoison())
      return std::nullopt;
    if (format.kind == Value::Str)
      return formatMessage(cx, format.text, eval(cx, *node->rhs), expr->at);
  }
  Value value = eval(cx, *expr);
  if (value.isPoison())
    return std::nullopt;
  if (value.kind != Value::Str && value.kind != Value::None)
    return error(cx, expr->at, Problem::AssertMessageNotString,
                 "the message of an `assert` has to be a string, not " + describe(value),
                 "write a literal, or `\"x is %d\" % x`");
  Message out;
  for (char c : value.text)
    out.text += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return out;
}

/// A condition that is known at compile time is tested then. Others are tested at run time, in
/// builds that ask for it.
void execAssert(Context &cx, const ast::Stmt &stmt, const ast::Assert &node) {
  auto test = [&] {
    Value condition = eval(cx, *node.condition);
    std::optional<Message> message = assertionMessage(cx, node.message.get());
    ExprRef holds = condition.isPoison() ? nullptr : toBool(cx, condition, node.condition->at);
    if (holds && message)
      checkAssertion(cx, holds, message->text, stmt.at, message->values);
  };
  if (!looksStatic(*node.condition)) {
    if (cx.options.asserts)
      test();
    else // left out, but not left unread
      analyseUnreached(cx, test);
    return;
  }
  Value condition = eval(cx, *node.condition);
  bool known = false;
  if (condition.isPoison() || isTruthy(cx, condition, known, stmt.at) || !known)
    return;
  std::optional<Message> message = assertionMessage(cx, node.message.get());
  if (message)
    error(cx, stmt.at, Problem::AssertionFails,
          message->text.empty() ? "the assertion does not hold" : message->text);
}

} // namespace sextant::sema
