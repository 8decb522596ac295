// Gives literals a type, casts values, tests truth.
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/Builtin.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Declarations.h"
#include "frontend/sema/Struct.h"
#include "loader/abi/SmallReal.h"

#include <cmath>
#include <cstdio>

namespace sextant::sema {

using hir::Type;

/// The type that a number has at run time.
Type typeOf(Context &cx, const Value &number) {
  switch (number.kind) {
  case Value::Scalar:
    return number.expr->type;
  case Value::Int:
    return cx.options.defaultInt;
  case Value::Float:
    return cx.options.defaultFloat;
  default:
    return Type::Bool;
  }
}

static Fix howToWrite(Context &cx, Exact value, Type avoid, SourceRange at) {
  for (Type type : {Type::I32, Type::U32, Type::I64, Type::U64})
    if (type != avoid && value >= minOf(type) && value <= maxOf(type)) {
      std::string text = "write `qd." + spell(type) + "(" + spell(value) + ")`";
      const bool isThere =
          at.file && at.file->text().substr(at.begin, at.end - at.begin) == spell(value);
      return isThere ? callFix(cx, std::move(text), spell(type), at) : Fix(std::move(text));
    }
  return "no integer type holds it";
}

/// Makes a real constant, and warns if it is past the largest number of its type.
static ExprRef makeReal(Context &cx, double value, Type type, SourceRange at) {
  // Half the last place above the largest number still rounds down to it. Reals of 8 bits saturate.
  const bool isByte = saturates(type);
  const double largest = isByte ? double(abi::numberOf(type, abi::largestBitsOf(type))) : 0;
  const int top = maxExponentOf(type);
  const double past =
      std::ldexp(1.0, top + 1) - std::ldexp(1.0, top - int(digitsOf(type))); // the first infinite
  const bool isTooLarge = type != Type::F64 && !std::isinf(value) &&
                          (isByte ? std::fabs(value) > largest : std::fabs(value) >= past);
  if (isTooLarge) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", value);
    const std::string becomes =
        isByte ? (value < 0 ? "-" : "") + std::to_string(int(largest)) : "infinite";
    warn(cx, at, Warning::InfiniteConstant, Problem::ConstantBecomesInfinite,
         std::string("the constant ") + digits + " is more than " + spell(type) +
             " holds, and becomes " + becomes,
         isByte ? "compute in f32"
                : "write `math.inf` if that is meant, or compute in " +
                      std::string(isSmallReal(type) ? "f32" : "f64"));
  }
  return makeFloat(value, type, at);
}

/// Converts to a typed scalar. Returns null after an error.
ExprRef toRuntime(Context &cx, const Value &number, SourceRange at) {
  switch (number.kind) {
  case Value::Poison:
    return nullptr;
  case Value::Scalar:
    return number.expr;
  case Value::Bool:
    return makeBool(number.integer != 0, at);
  case Value::Float:
    return makeReal(cx, number.real, cx.options.defaultFloat, at);
  case Value::Int:
    if (number.integer < minOf(cx.options.defaultInt) ||
        number.integer > maxOf(cx.options.defaultInt))
      return error(cx, at, Problem::IntegerNotDefaultInteger,
                   "the integer " + spell(number.integer) + " does not fit " +
                       spell(cx.options.defaultInt) + ", the default integer type",
                   howToWrite(cx, number.integer, cx.options.defaultInt, at));
    return makeInt(number.integer, cx.options.defaultInt, at);
  default:
    return error(cx, at, Problem::NumberNeeded, "a number is needed here, not " + describe(number));
  }
}

/// Converts to a scalar of the given type. Literals are converted exactly.
ExprRef convert(Context &cx, const Value &number, Type type, SourceRange at) {
  switch (number.kind) {
  case Value::Poison:
    return nullptr;
  case Value::Scalar:
    return makeCast(number.expr, type, at);
  case Value::Bool:
    if (type == Type::Bool)
      return makeBool(number.integer != 0, at);
    return isFloat(type) ? makeFloat(double(number.integer), type, at)
                         : makeInt(number.integer, type, at);
  case Value::Float:
    if (isFloat(type))
      return makeReal(cx, number.real, type, at);
    if (type == Type::Bool)
      return makeBool(number.real != 0, at);
    return makeInt(hir::toInteger(number.real, type), type, at);
  case Value::Int: {
    if (type == Type::Bool)
      return makeBool(number.integer != 0, at);
    if (isFloat(type))
      return makeReal(cx, hir::toReal(number.integer, type), type, at);
    // Negative numbers wrap into unsigned types, as in `qd.u32(-1)`.
    Exact least = isUnsigned(type) ? -(Exact(1) << (bitWidth(type) - 1)) : minOf(type);
    if (number.integer < least || number.integer > maxOf(type))
      return error(cx, at, Problem::IntegerNotOfType,
                   "the integer " + spell(number.integer) + " does not fit " + spell(type),
                   howToWrite(cx, number.integer, type, at));
    return makeInt(number.integer, type, at);
  }
  default:
    return error(cx, at, Problem::NumberNeeded, "a number is needed here, not " + describe(number));
  }
}

ExprRef toBool(Context &cx, const Value &value, SourceRange at) {
  if (value.kind == Value::Scalar) {
    if (value.expr->type == Type::Bool)
      return value.expr;
    return makeCast(value.expr, Type::Bool, at);
  }
  bool known = false;
  bool truth = isTruthy(cx, value, known, at);
  return known ? makeBool(truth, at) : nullptr;
}

/// The truth of a compile-time value. `known` is false after an error.
bool isTruthy(Context &cx, const Value &value, bool &known, SourceRange at) {
  known = true;
  switch (value.kind) {
  case Value::Int:
  case Value::Bool:
    return value.integer != 0;
  case Value::Float:
    return value.real != 0;
  case Value::Str:
    return !value.text.empty();
  case Value::None:
    return false;
  case Value::Tuple:
    return !value.items.empty();
  case Value::Type:
  case Value::Function:
  case Value::Builtin:
    return true;
  case Value::Poison:
    known = false;
    return false;
  case Value::Scalar: {
    Exact constant = 0;
    if (constInt(*value.expr, constant))
      return constant != 0;
    known = false;
    return error(cx, at, Problem::ConditionNotStatic, "this is only known at run time");
  }
  case Value::Matrix:
    known = false;
    return error(cx, at, Problem::TruthOfVector, "a vector is neither true nor false",
                 "test a component, or use `.any()` or `.all()`");
  default:
    known = false;
    return error(cx, at, Problem::TruthOfNoNumber, describe(value) + " is neither true nor false");
  }
}

/// The type of a vector or matrix: that of its components, or their common type.
ElementType elementOf(Context &cx, const Value &matrix) {
  ElementType element{Type::I32, matrix.rows, matrix.cols, true, matrix.vector};
  for (size_t i = 0; i < matrix.items.size(); ++i)
    element.type =
        i == 0 ? typeOf(cx, matrix.items[0]) : promote(element.type, typeOf(cx, matrix.items[i]));
  return element;
}

/// Repeats a number in each component of a vector or matrix shaped like another value. A value that
/// has a shape stays.
Value spread(Context &cx, const Value &value, const Value &shape, SourceRange at) {
  if (!value.isNumber())
    return toMatrix(cx, value, at);
  return Value::matrix(shape.rows, shape.cols, shape.vector,
                       std::vector<Value>(shape.items.size(), stable(cx, value, at)));
}

/// A cast of a scalar, or of each component of a vector or matrix.
Value castItems(Context &cx, const Value &value, hir::Type type, SourceRange at) {
  ElementType element;
  if (value.kind == Value::Matrix)
    element = ElementType{type, value.rows, value.cols, true, value.vector};
  element.type = type;
  return castTo(cx, value, element, at);
}

/// A cast to a scalar, vector or matrix type. A scalar fills all components; a value of another
/// shape does not fit.
Value castTo(Context &cx, const Value &value, const ElementType &type, SourceRange at) {
  if (value.isPoison())
    return value;
  if (value.kind == Value::Matrix || (value.kind == Value::Tuple && type.matrix)) {
    Value from = value.kind == Value::Tuple ? toMatrix(cx, value, at) : value;
    if (from.isPoison())
      return from;
    if (!type.matrix)
      return error(cx, at, Problem::ShapeNotFitting,
                   "a " + spell(elementOf(cx, from)) + " does not fit here, where one " +
                       spell(type) + " is needed",
                   from.vector ? "name one component, as in `v[0]` or `v.x`, or reduce the vector, "
                                 "as in `v.sum()`"
                               : "name one component, as in `m[0, 0]`");
    if (from.rows != type.rows || from.cols != type.cols)
      return error(cx, at, Problem::ShapeNotFitting,
                   "a " + spell(elementOf(cx, from)) + " does not fit a " + spell(type));
    return mapItems(from, [&](const Value &item) {
      ExprRef e = convert(cx, item, type.type, at);
      return e ? Value::scalar(std::move(e)) : Value();
    });
  }
  if (type.matrix) { // a scalar fills all components
    if (!value.isNumber())
      return error(cx, at, Problem::ShapeNotFitting,
                   describe(value) + " does not fit " + spell(type));
    ExprRef e = convert(cx, stable(cx, value, at), type.type, at);
    if (!e)
      return Value();
    Value item = stable(cx, Value::scalar(std::move(e)), at);
    return Value::matrix(type.rows, type.cols, type.vector, std::vector<Value>(type.count(), item));
  }
  ExprRef e = convert(cx, value, type.type, at);
  return e ? Value::scalar(std::move(e)) : Value();
}

Value castToMember(Context &cx, const Value &value, const TypeValue &type, SourceRange at) {
  if (type.kind == TypeValue::Struct)
    return castToStruct(cx, value, type.structure, at);
  if (type.kind == TypeValue::Element)
    return castTo(cx, value, type.element, at);
  return value;
}

Value castToStruct(Context &cx, const Value &value, const std::shared_ptr<const StructType> &type,
                   SourceRange at) {
  if (value.isPoison())
    return value;
  const bool fits = value.kind == Value::Struct && isAlike(*value.type.structure, *type);
  if (!fits && (!value.isNumber() || type->kind != StructType::Record))
    return error(cx, at, Problem::ValueNotOfStruct,
                 describe(value) + " does not fit the struct `" + type->name + "`");
  if (type->kind != StructType::Record) // its members are what they were made of
    return value;
  const Value number = fits ? Value() : stable(cx, value, at);
  Value out = Value::ofStruct(type, {});
  for (size_t k = 0; k < type->members.size(); ++k) {
    out.items.push_back(
        castToMember(cx, fits ? value.items[k] : number, type->members[k].type, at));
    if (out.items.back().isPoison())
      return Value();
  }
  return out;
}

/// True for a real number, unless the build knows that it is whole.
static bool mayHaveFraction(const Value &number) {
  if (number.kind != Value::Scalar || !isFloat(number.scalarType()))
    return number.kind == Value::Float && number.real != std::trunc(number.real);
  const auto &node = number.expr->node;
  if (auto *constant = std::get_if<hir::Const>(&node))
    return constant->real != std::trunc(constant->real);
  if (auto *cast = std::get_if<hir::Cast>(&node))
    return isFloat(cast->operand->type);
  using enum hir::UnaryOp;
  auto *unary = std::get_if<hir::Unary>(&node);
  return !unary ||
         (unary->op != Floor && unary->op != Ceil && unary->op != Round && unary->op != Trunc);
}

void warnLossy(Context &cx, const Value &value, Type to, SourceRange at) {
  for (const Value &item : value.items)
    warnLossy(cx, item, to, at);
  if (!isInteger(to) || !mayHaveFraction(value))
    return;
  warn(cx, at, Warning::LossyStore, Problem::RealBecomesInteger,
       "a real number becomes " + spell(to) + " here, and loses its fraction",
       castFix(cx, to, at, " if that is meant"));
}

void warnLossy(Context &cx, const Value &value, const Value &leaves, SourceRange at) {
  if (leaves.kind == Value::Scalar)
    return warnLossy(cx, value, leaves.scalarType(), at);
  const bool isEach = value.isCompound() && value.items.size() == leaves.items.size();
  for (size_t k = 0; k < leaves.items.size(); ++k)
    warnLossy(cx, isEach ? value.items[k] : value, leaves.items[k], at);
}

Value asAnnotated(Context &cx, const Value &value, const ElementType &type, SourceRange at,
                  const std::string &what) {
  if (value.isPoison())
    return value;
  bool fits = type.matrix ? value.kind == Value::Matrix || value.kind == Value::Tuple
                          : value.isNumber() || value.kind == Value::Matrix;
  if (!fits)
    return error(cx, at, Problem::ResultAnnotatedDifferently,
                 what + " is annotated as " + spell(type) + ", but is " + describe(value),
                 type.matrix && value.isNumber() ? "write `qd.Vector([...])`, or call the type, "
                                                   "which fills all components"
                                                 : "");
  warnLossy(cx, value, type.type, at);
  return type.matrix ? castTo(cx, value, type, at) : castItems(cx, value, type.type, at);
}

/// Converts a value to what a variable holds: exact numbers get a type.
Value materialise(Context &cx, const Value &value, SourceRange at) {
  if (value.isExact()) {
    ExprRef e = toRuntime(cx, value, at);
    return e ? Value::scalar(std::move(e)) : Value();
  }
  if (value.isCompound()) {
    Value out = value;
    for (Value &item : out.items) {
      item = materialise(cx, item, at);
      if (item.isPoison())
        return Value();
    }
    return out;
  }
  return value;
}

bool dtypeOf(const Value &value, const SemaOptions &options, Type &type) {
  if (value.kind == Value::Type && value.type.kind == TypeValue::Element &&
      !value.type.element.matrix) {
    type = value.type.element.type;
    return true;
  }
  if (value.kind == Value::Builtin) {
    std::string_view name = value.builtin->name;
    if (name == "py.int" || name == "py.float" || name == "py.bool") {
      type = name == "py.int"     ? options.defaultInt
             : name == "py.float" ? options.defaultFloat
                                  : Type::Bool;
      return true;
    }
  }
  return false;
}

std::optional<Exact> exactInt(Context &cx, const Value &value, SourceRange at, const char *what) {
  if (std::optional<Exact> known = knownInt(value))
    return known;
  if (!value.isPoison())
    error(cx, at, Problem::ArgumentNotStatic,
          std::string(what) + " has to be a compile-time integer, not " + describe(value),
          value.kind == Value::Scalar
              ? "use a literal, a module constant, `qd.static(...)`, or a `qd.template()` parameter"
              : "");
  return std::nullopt;
}

/// Converts all numbers to their common type. Returns false after an error.
bool commonType(Context &cx, std::vector<ExprRef> &out, const std::vector<Value> &in,
                SourceRange at, bool forceFloat) {
  bool anyRuntime = false, anyRealLiteral = false;
  Type type = Type::Bool;
  for (const Value &v : in) {
    if (v.isPoison())
      return false;
    if (!v.isNumber())
      return error(cx, at, Problem::NumberNeeded, "a number is needed here, not " + describe(v));
    anyRuntime |= v.kind == Value::Scalar;
    anyRealLiteral |= v.kind == Value::Float;
    type = &v == &in[0] ? typeOf(cx, v) : promote(type, typeOf(cx, v));
  }
  if (forceFloat && !isFloat(type))
    type = cx.options.defaultFloat;
  for (const Value &v : in) {
    ExprRef e;
    if (v.kind == Value::Int && !isFloat(type)) {
      // A literal becomes the default integer first.
      e = toRuntime(cx, v, at);
      if (e)
        e = makeCast(std::move(e), type, at);
    } else {
      e = convert(cx, v, type, at);
    }
    if (!e)
      return false;
    out.push_back(std::move(e));
  }
  (void)anyRuntime;
  (void)anyRealLiteral;
  return true;
}

/// A tuple or list as a vector, a list of rows as a matrix.
Value toMatrix(Context &cx, const Value &value, SourceRange at) {
  if (value.kind == Value::Matrix || value.isPoison())
    return value;
  if (value.kind != Value::Tuple)
    return error(cx, at, Problem::VectorOrListNeeded,
                 "a vector or a list is needed here, not " + describe(value));
  if (value.items.empty())
    return error(cx, at, Problem::VectorEmpty, "a vector cannot be empty");
  bool rows = value.items[0].kind == Value::Tuple ||
              (value.items[0].kind == Value::Matrix && value.items[0].vector);
  std::vector<Value> items;
  size_t cols = rows ? value.items[0].items.size() : 1;
  if (cols == 0)
    return error(cx, at, Problem::VectorEmpty, "a matrix cannot have empty rows");
  for (const Value &item : value.items) {
    if (item.isPoison())
      return Value();
    if (rows) {
      if (item.items.size() != cols || (item.kind != Value::Tuple && item.kind != Value::Matrix))
        return error(cx, at, Problem::RowsOfDifferentLength,
                     "the rows of a matrix have to be equally long");
      for (const Value &inner : item.items)
        items.push_back(inner);
    } else {
      items.push_back(item);
    }
  }
  for (const Value &item : items)
    if (!item.isNumber())
      return item.isPoison() ? Value()
                             : error(cx, at, Problem::VectorOfNoNumbers,
                                     "a vector cannot hold " + describe(item));
  if (items.size() > 1024)
    return error(cx, at, Problem::MatrixTooLarge,
                 "a vector or matrix of more than 1024 components is not supported");
  return Value::matrix(unsigned(value.items.size()), unsigned(cols), !rows, std::move(items));
}

} // namespace sextant::sema
