// The value of an expression while it is analysed: an exact compile-time value, a run-time scalar,
// a vector, matrix, tuple or struct of those, or something that only has a name (types, functions,
// arrays, modules).
#pragma once

#include "frontend/hir/Builder.h"
#include "frontend/syntax/Ast.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::sema {

using hir::bitWidth;
using hir::byteWidth;
using hir::digitsOf;
using hir::Exact;
using hir::ExprRef;
using hir::isFloat;
using hir::isInteger;
using hir::isSigned;
using hir::isSmallReal;
using hir::isUnsigned;
using hir::makeBool;
using hir::makeFloat;
using hir::makeInt;
using hir::makeLocal;
using hir::makeParam;
using hir::maxExponentOf;
using hir::maxOf;
using hir::minOf;
using hir::promote;
using hir::saturates;
using hir::spell;
using hir::typeFromName;
using hir::unsignedOf;
using hir::wrapBits;

struct ModuleScope;
struct Builtin;
struct StructType;

/// The shape of one array element, or of one value.
struct ElementType {
  hir::Type type = hir::Type::I32;
  unsigned rows = 1, cols = 1;
  bool matrix = false; ///< a vector or a matrix
  bool vector = false; ///< a matrix that is indexed with one index
  unsigned count() const { return rows * cols; }
  int dimensions() const { return matrix ? vector ? 1 : 2 : 0; }
};

/// One level of an array's memory: `extent` indices of an axis, `stride` scalars from one to the
/// next. An axis in blocks has several.
struct Level {
  unsigned axis = 0;
  Exact extent = 1, stride = 1;
};

/// How the elements of an array lie where they are not side by side, from the outermost level to
/// the innermost. Those of structs: how each member does.
struct Levels {
  std::vector<Level> levels;
  std::vector<Levels> members;
  bool empty() const { return levels.empty() && members.empty(); }
};

/// A type as a value: `qd.f32`, `qd.types.vector(3, qd.f32)`, an annotation.
struct TypeValue {
  enum Kind : uint8_t { Element, NdArray, Template, Tuple, NoneType, Struct } kind = Element;
  ElementType element;
  std::shared_ptr<const StructType> structure; ///< Struct; NdArray of structs
  bool elementKnown = true;                    ///< ndarrays: whether the dtype was given
  int ndim = -1;                               ///< ndarrays: -1 where it was not given
  /// ndarrays without a dtype: 1 for elements that are vectors, 2 for matrices, -1 for any.
  int elementDim = -1;
  std::vector<unsigned> layout; ///< ndarrays: as of ArrayRef
  Levels levels;                ///< ndarrays: as of ArrayRef
  bool isInterleaved = false;   ///< ndarrays of structs: one array, not one a member
  bool clamps = false;          ///< ndarrays: as of ArrayRef
  bool isConstant = false;      ///< ndarrays: `needs_grad=False`, so no derivative is by them
  bool isView = false;          ///< ndarrays: `qd.BufferView`
  bool isOptional = false;      ///< the instance may say None instead
  bool isItself = false;        ///< in an instance: the type as a constant, not what launches pass
  std::vector<TypeValue> items; ///< the types of a tuple's items

  static TypeValue of(std::shared_ptr<const StructType> structure) {
    TypeValue type;
    type.kind = Struct;
    type.structure = std::move(structure);
    return type;
  }
};

struct Value;

/// An array that kernels index: a parameter, a field, a shared array.
struct ArrayRef {
  enum Space : uint8_t { Argument, Field, Shared } space = Argument;
  std::string name;
  hir::BufferRef buffer; ///< Field: set when a kernel uses it
  ElementType element;
  std::vector<Value> shape; ///< Int or Scalar
  SourceRange at;
  /// Elements that are structs: the type, and an array for each member, of the same shape. The
  /// array itself has no buffer then.
  std::shared_ptr<const StructType> structure = nullptr;
  std::vector<std::shared_ptr<ArrayRef>> members = {};
  /// A member of an array of structs that is one array, and the struct's array itself: that array,
  /// of vectors; where the member begins in each, and the way from one to the next, both in scalars
  /// of the member's type.
  std::shared_ptr<ArrayRef> whole = nullptr;
  unsigned offset = 0, stride = 0;
  std::string elements = {}; ///< that array: its elements' struct, as abi::textOf has it
  bool clamps = false;       ///< an index outside of it means the nearest element
  bool isUnplaced = false;   ///< Field: it has no shape yet
  /// Field: the levels of its node, as of Value::Node; empty: one, of its shape.
  std::vector<Value> node;
  /// Field: the index of the first element along each axis (`offset=`); empty: 0.
  std::vector<Exact> first = {};
  bool isView = false;     ///< `qd.BufferView`: slices of it are arrays, too
  ExprRef begin = nullptr; ///< such a slice: the element of `whole` at which it begins
  /// `x.grad`: an array of the same shape and elements. Null: the array has none.
  std::shared_ptr<ArrayRef> gradient = nullptr;
  /// `x.before`, likewise: what the array had before the kernel whose gradient this is.
  std::shared_ptr<ArrayRef> before = nullptr;
  /// Field: `x.dual`, likewise.
  std::shared_ptr<ArrayRef> tangent = nullptr;
  /// The axes from the outermost in memory to the innermost; empty: in order.
  std::vector<unsigned> layout = {};
  /// Where the elements lie in `whole`, an array of scalars; empty: side by side.
  std::vector<Level> levels = {};
  /// The axis at a level of memory, counted from the outermost.
  size_t axisAt(size_t level) const { return layout.empty() ? level : layout[level]; }
};

struct Value {
  enum Kind : uint8_t {
    Poison, ///< an error was reported; whatever uses it keeps quiet
    None,
    Int,
    Float,
    Bool,
    Str, ///< exact
    Type,
    Tuple,  ///< also lists and shapes
    Matrix, ///< items, row by row; each Int, Float, Bool or Scalar
    Struct, ///< items, by member of type.structure
    Dict,   ///< items: keys and values in turn
    Scalar, ///< run time
    Function,
    Builtin,
    Method,
    Namespace,
    Module,
    Array,
    Range,  ///< range(…), ndrange(…), grouped(…): the ranges of a `for`
    Slice,  ///< items: lower, upper, step; each None, Int or, for tiles and views, Scalar
    Node,   ///< a dense part of `qd.root`; items: its levels from the outermost, each a Tuple of
            ///< axes and extents in turn
    Absent, ///< a member that this build gives no value: `text` says why, `fix` what to do
    Alias,  ///< a member that is the object at another path of the kernel's parameters, `text`, or
            ///< a method: `function`, of that object, or the one that the path ends with
  };
  Kind kind = Poison;

  Exact integer = 0;        ///< Int, Bool
  double real = 0;          ///< Float
  std::string text;         ///< Str; Namespace: its path; Method: its name; Absent; Alias
  std::string fix;          ///< Absent
  TypeValue type;           ///< Type; Struct: its type
  std::vector<Value> items; ///< Tuple, Matrix, Struct; Range: begins and ends, in turn; Method: the
                            ///< object
  unsigned rows = 1, cols = 1; ///< Matrix
  bool vector = false;         ///< Matrix
  ExprRef expr;                ///< Scalar
  const ast::FunctionDef *function = nullptr;
  ModuleScope *module = nullptr; ///< Function, Method of a struct: where it is defined; Module
  const sema::Builtin *builtin = nullptr;
  std::shared_ptr<ArrayRef> array;
  Exact step = 1;             ///< Range of one dimension
  bool runtimeStep = false;   ///< Range: items[2] is the step
  bool grouped = false;       ///< Range: the target is one vector
  bool isNdrange = false;     ///< Range
  std::vector<unsigned> axes; ///< Range: dimensions from the outermost; empty: in order
  bool isStatic = false;      ///< came through qd.static: loops unroll, names stay compile-time
  bool isList = false;        ///< Tuple

  bool isPoison() const { return kind == Poison; }
  bool isExact() const { return kind == Int || kind == Float || kind == Bool; }
  bool isNumber() const { return isExact() || kind == Scalar; }
  /// True if it consists of other values, its items.
  bool isCompound() const { return kind == Tuple || kind == Matrix || kind == Struct; }
  bool isRuntime() const;

  static Value none() { return of(None); }
  static Value of(Kind kind) {
    Value v;
    v.kind = kind;
    return v;
  }
  /// \param member what such a value has besides its kind
  template <class T> static Value of(Kind kind, T Value::*member, std::type_identity_t<T> content) {
    Value v = of(kind);
    v.*member = std::move(content);
    return v;
  }
  static Value exactInt(Exact value) { return of(Int, &Value::integer, value); }
  static Value exactFloat(double value) { return of(Float, &Value::real, value); }
  static Value exactBool(bool value) { return of(Bool, &Value::integer, value); }
  static Value str(std::string text) { return of(Str, &Value::text, std::move(text)); }
  static Value space(std::string path) { return of(Namespace, &Value::text, std::move(path)); }
  static Value tuple(std::vector<Value> items) {
    return of(Tuple, &Value::items, std::move(items));
  }
  /// Poison if there is no expression, after an error.
  static Value scalar(ExprRef expr) {
    return expr ? of(Scalar, &Value::expr, std::move(expr)) : Value();
  }
  static Value ofBuiltin(const sema::Builtin *builtin) {
    return of(Builtin, &Value::builtin, builtin);
  }
  static Value ofArray(std::shared_ptr<ArrayRef> array) {
    return of(Array, &Value::array, std::move(array));
  }
  static Value ofFunction(const ast::FunctionDef *function, ModuleScope *module) {
    Value v = of(Function, &Value::function, function);
    v.module = module;
    return v;
  }
  static Value method(std::string_view name, const Value &object) {
    Value v = of(Method, &Value::text, std::string(name));
    v.items.push_back(object);
    return v;
  }
  static Value absent(std::string why, std::string fix) {
    Value v = of(Absent, &Value::text, std::move(why));
    v.fix = std::move(fix);
    return v;
  }
  static Value ofType(TypeValue type) { return of(Type, &Value::type, std::move(type)); }
  static Value ofElement(ElementType element) {
    TypeValue type;
    type.element = element;
    return ofType(type);
  }
  static Value matrix(unsigned rows, unsigned cols, bool isVector, std::vector<Value> items) {
    Value v = of(Matrix);
    v.rows = rows;
    v.cols = cols;
    v.vector = isVector;
    v.items = std::move(items);
    return v;
  }
  static Value ofStruct(std::shared_ptr<const StructType> type, std::vector<Value> items) {
    Value v = of(Struct);
    v.type = TypeValue::of(std::move(type));
    v.items = std::move(items);
    return v;
  }
  hir::Type scalarType() const { return expr->type; }
};

/// The most values that one of compile time may consist of.
constexpr size_t mostValues = 65536;

/// The number of values that it consists of, itself among them. A text counts as one for each 16
/// characters, too. Counting ends past `mostValues`.
size_t valuesIn(const Value &value);

/// Returns the integer that the value is known to be, or nullopt.
std::optional<Exact> knownInt(const Value &value);

/// The same of each item. Poison if one is.
Value mapItems(const Value &a, const std::function<Value(const Value &)> &op);

/// A description for messages: "an i32", "a tuple", "the function `f`" …
std::string describe(const Value &value);
std::string spell(const ElementType &element);
std::string spell(const TypeValue &type);
std::string spell(Exact value);

} // namespace sextant::sema
