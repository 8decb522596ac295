// `print`: appends a record to the stream's prints (docs/module-format.md; loader/Prints.cpp reads
// it). A record is its kernel's number, the number of the text, and the values. Threads reserve
// words by an atomic addition, so the records of one thread stand in its order.
#include "frontend/sema/values/Print.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/sema/eval/Texts.h"
#include "frontend/sema/eval/Unknown.h"
#include "frontend/sema/values/Convert.h"
#include "loader/abi/Signature.h"

#include <functional>

namespace sextant::sema {

using hir::BinaryOp;
using hir::Type;

namespace {

/// Words of the buffer's header.
enum HeaderWord : unsigned { Used, Lost, Kernel, HeaderWords = 4 };

/// The text of a `print`, in which marks stand for values, and the values as words, each U32.
struct Record {
  std::string text;
  std::vector<ExprRef> words;
};

void addText(Record &record, std::string_view text) {
  for (char c : text)
    record.text += c == '\n' ? '\2' : c >= '\1' && c <= '\4' ? '?' : c;
}

/// Says how the next value is shown. A real with a few digits has a mark of its own, which older
/// loaders know, too.
void addFormat(Record &record, const abi::NumberFormat &format, bool isReal) {
  abi::NumberFormat plain;
  plain.type = 'f';
  plain.precision = format.precision;
  if (isReal && format == plain && format.precision >= 0 && format.precision <= 9)
    record.text += {'\3', char('0' + format.precision)};
  else
    record.text += '\4' + abi::textOf(format);
}

/// A number of run time: its mark, and its word or words, low one first.
void addScalar(Context &cx, Record &record, ExprRef value, const abi::NumberFormat *format,
               SourceRange at) {
  if (format && format->isInteger() && isFloat(value->type)) {
    error(cx, at, Problem::FormatNotOfType,
          std::string("the format `") + format->type + "` is for integers, not for " +
              spell(value->type),
          "write `.0f`, or cast the value to an integer");
    return;
  }
  if (format)
    addFormat(record, *format, isFloat(value->type));
  const Type type = value->type;
  auto as = [&](Type wanted) { return makeCast(value, wanted, at); };
  auto bits = [&](ExprRef e, Type wanted) {
    return makeExpr(wanted, hir::Bitcast{take(cx, std::move(e))}, at);
  };
  record.text += '\1';
  if (type == Type::Bool) {
    record.text += 'b';
    record.words.push_back(as(Type::U32));
  } else if (bitWidth(type) == 64) {
    record.text += isFloat(type) ? 'd' : isSigned(type) ? 'l' : 'm';
    ExprRef whole = isFloat(type) ? bits(value, Type::U64) : as(Type::U64);
    whole = stable(cx, Value::scalar(std::move(whole)), at).expr;
    record.words.push_back(makeCast(whole, Type::U32, at));
    record.words.push_back(
        makeCast(makeBinary(BinaryOp::BitShr, whole, makeInt(32, Type::I32, at), Type::U64, at),
                 Type::U32, at));
  } else if (isFloat(type)) {
    record.text += 'f';
    record.words.push_back(bits(as(Type::F32), Type::U32));
  } else {
    record.text += isSigned(type) ? 'i' : 'u';
    record.words.push_back(makeCast(as(isSigned(type) ? Type::I32 : Type::U32), Type::U32, at));
  }
}

/// Appends the text and the words that print a value. \param format how numbers are printed; null:
/// with as many digits as they need
void addValue(Context &cx, Record &record, const Value &value, const abi::NumberFormat *format,
              SourceRange at) {
  auto list = [&](const char *open, const char *close, const std::function<void(size_t)> &item,
                  size_t count) {
    addText(record, open);
    for (size_t k = 0; k < count; ++k) {
      addText(record, k ? ", " : "");
      item(k);
    }
    addText(record, close);
  };
  // A string within a value is shown with quotes.
  auto addItem = [&](const Value &item) {
    addValue(cx, record, item.kind == Value::Str ? Value::str(quoted(item.text)) : item, format,
             at);
  };
  if (value.kind == Value::Scalar) {
    addScalar(cx, record, value.expr, format, at);
  } else if (value.kind == Value::Struct) {
    const auto &members = value.type.structure->members;
    addText(record, value.type.structure->name);
    list(
        "(", ")",
        [&](size_t k) {
          addText(record, members[k].name + "=");
          addItem(value.items[k]);
        },
        members.size());
  } else if (value.kind == Value::Tuple || value.kind == Value::Matrix) {
    const std::vector<Value> items = elementsOf(cx, value, at);
    const bool isTuple = value.kind == Value::Tuple && !value.isList;
    list(
        isTuple ? "(" : "[",
        !isTuple            ? "]"
        : items.size() == 1 ? ",)"
                            : ")",
        [&](size_t k) { addItem(items[k]); }, items.size());
  } else if (value.kind == Value::Dict) {
    list(
        "{", "}",
        [&](size_t k) {
          addItem(value.items[2 * k]);
          addText(record, ": ");
          addItem(value.items[2 * k + 1]);
        },
        value.items.size() / 2);
  } else {
    addText(record, printed(value, format));
  }
}

/// One argument of the call. Returns false after an error.
bool addArgument(Context &cx, Record &record, const ast::ExprPtr &argument,
                 const std::string &between, SourceRange at) {
  auto add = [&](Value value, const abi::NumberFormat *format) {
    addValue(cx, record, stable(cx, std::move(value), at), format, at);
  };
  if (isTextWithFields(*argument)) {
    const std::optional<std::vector<TextPart>> parts = textParts(cx, *argument);
    if (!parts)
      return false;
    for (const TextPart &part : *parts) {
      addText(record, part.text);
      if (part.value)
        add(*part.value, part.format ? &*part.format : nullptr);
    }
    return true;
  }
  bool bad = false;
  const std::vector<Value> values = evalItems(cx, argument, bad);
  for (size_t k = 0; k < values.size() && !bad; ++k) {
    bad = !hasText(cx, values[k], argument->at);
    addText(record, k ? between : "");
    add(values[k], nullptr);
  }
  return !bad;
}

/// Reserves the record's words, and stores it if there is room.
void append(Context &cx, const Record &record, SourceRange at) {
  const hir::BufferRef buffer{hir::BufferRef::Param,
                              recordParam(cx, cx.prints, abi::Hidden::printWords)};
  const unsigned words = 2 + unsigned(record.words.size());
  auto u32 = [&](Exact n) { return makeInt(n, Type::U32, at); };
  auto index = [&](Exact n) { return take(cx, makeInt(n, Type::I32, at)); };
  auto added = [&](unsigned word, unsigned count) {
    return makeExpr(
        Type::U32, hir::Atomic{hir::Combine::Add, buffer, index(word), take(cx, u32(Exact(count)))},
        at);
  };
  const Exact last = Exact(abi::Hidden::printWords) - HeaderWords - words;
  auto fits = [&](ExprRef used) {
    return makeBinary(BinaryOp::Le, std::move(used), u32(last), Type::Bool, at);
  };
  // Asks first: otherwise endless prints would make the sum wrap.
  ExprRef used =
      temp(cx, makeExpr(Type::U32, hir::Load{buffer, index(Used), true}, at), at, "used").expr;
  ExprRef kernel =
      temp(cx, makeExpr(Type::U32, hir::Load{buffer, index(Kernel), true}, at), at, "kernel").expr;
  const unsigned isLost = newLocal(cx, "lost", Type::Bool);
  emit(cx, at, hir::Assign{isLost, take(cx, makeBool(true, at))});
  hir::Block store;
  inRuntime(cx, store, [&] {
    ExprRef first = temp(cx, added(Used, words), at, "first").expr;
    hir::Block inner;
    inRuntime(cx, inner, [&] {
      emit(cx, at, hir::Assign{isLost, take(cx, makeBool(false, at))});
      unsigned k = 0;
      auto put = [&](ExprRef word) {
        ExprRef to = makeBinary(BinaryOp::Add, makeCast(first, Type::I32, at),
                                makeInt(HeaderWords + k++, Type::I32, at), Type::I32, at);
        emit(cx, at, hir::Store{buffer, take(cx, std::move(to)), take(cx, std::move(word)), false});
      };
      put(kernel);
      put(u32(siteOf(cx, cx.prints, record.text)));
      for (const ExprRef &word : record.words)
        put(word);
      return Flow::Normal;
    });
    emit(cx, at, hir::If{take(cx, fits(first)), std::move(inner), {}});
    return Flow::Normal;
  });
  emit(cx, at, hir::If{take(cx, fits(used)), std::move(store), {}});
  hir::Block count;
  inRuntime(cx, count, [&] {
    emit(cx, at, hir::Eval{take(cx, added(Lost, 1))});
    return Flow::Normal;
  });
  emit(cx, at, hir::If{take(cx, makeLocal(isLost, Type::Bool, at)), std::move(count), {}});
}

} // namespace

Value doPrint(Context &cx, CallSite &site) {
  const SourceRange at = site.at;
  if (cx.isHost())
    return error(cx, at, Problem::NotComputedOnHost, "nothing is printed when kernels are built",
                 "use `qd.static_print`");
  std::string between = " ", end = "\n";
  for (const ast::Keyword &keyword : site.node->keywords) {
    const bool isBetween = keyword.name == "sep";
    if (!isBetween && keyword.name != "end")
      return unknownName(cx, keyword.at, Problem::ParameterUnknown,
                         "in kernels, `print` has no parameter", keyword.name, {"sep", "end"},
                         "it takes sep and end");
    const Value text = eval(cx, *keyword.value);
    if (text.kind != Value::Str)
      return text.isPoison()
                 ? text
                 : error(cx, keyword.at, Problem::PrintOfNoText,
                         "`" + std::string(keyword.name) + "` is a string, not " + describe(text));
    (isBetween ? between : end) = text.text;
  }
  Record record;
  for (const ast::ExprPtr &argument : site.node->args) {
    if (argument != site.node->args.front())
      addText(record, between);
    if (!addArgument(cx, record, argument, between, at))
      return Value();
  }
  addText(record, end);
  if (record.words.size() > 1000)
    return error(cx, at, Problem::PrintTooLong, "a `print` takes up to 1000 numbers of 32 bits",
                 "print in parts");
  append(cx, record, at);
  return Value::none();
}

} // namespace sextant::sema
