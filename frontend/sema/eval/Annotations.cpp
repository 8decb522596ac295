// Types that annotations say, in the text's own ways of writing them.
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/Builtin.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/values/Convert.h"

namespace sextant::sema {

using hir::Type;

/// Types as a tuple of them. Null after an error.
static TypeValue *tupleOf(Context &cx, const std::vector<const ast::Expr *> &items,
                          TypeValue &out) {
  out = TypeValue();
  out.kind = TypeValue::Tuple;
  for (const ast::Expr *item : items) {
    TypeValue inner;
    if (!annotation(cx, *item, inner))
      return nullptr;
    out.items.push_back(std::move(inner));
  }
  return &out;
}

std::optional<int> dimensions(Context &cx, const Value &value, SourceRange at) {
  auto ndim = exactInt(cx, value, at, "the number of dimensions");
  if (!ndim)
    return std::nullopt;
  if (*ndim < 0 || *ndim > 8)
    return error(cx, at, Problem::NdarrayDimensionsOutOfRange,
                 "an ndarray has 0 to 8 dimensions, not " + spell(*ndim));
  return int(*ndim);
}

/// `NDArray[dtype, ndim]`, `BufferView[dtype]`. Null after an error.
static TypeValue *arrayOf(Context &cx, bool isView, const std::vector<const ast::Expr *> &items,
                          TypeValue &out) {
  out = TypeValue();
  out.kind = TypeValue::NdArray;
  out.elementKnown = !items.empty();
  out.isView = isView;
  if (isView)
    out.ndim = 1;
  if (!items.empty()) {
    TypeValue element;
    if (!annotation(cx, *items[0], element))
      return nullptr;
    out.element = element.element;
    out.structure = element.structure;
  }
  if (items.size() > 1) {
    auto ndim = dimensions(cx, eval(cx, *items[1]), items[1]->at);
    if (!ndim)
      return nullptr;
    out.ndim = *ndim;
  }
  return &out;
}

/// `qd.unpacked[vec3]`: the components of the member are variables of their own. Here all are.
static TypeValue *unpackedOf(Context &cx, const ast::Expr &expr, TypeValue &out) {
  TypeValue *type = annotation(cx, expr, out);
  if (!type || (type->kind == TypeValue::Element && type->element.matrix))
    return type;
  return error(cx, expr.at, Problem::UnpackedNotVector,
               "`qd.unpacked` takes the type of a vector, not " + spell(*type),
               "write `qd.unpacked[qd.types.vector(3, qd.f32)]`");
}

/// `qd.types.UnpackedVector[qd.f32, 32]`, which is such a member, too.
static TypeValue *unpackedVectorOf(Context &cx, const std::vector<const ast::Expr *> &items,
                                   SourceRange at, TypeValue &out) {
  if (items.size() != 2)
    return error(cx, at, Problem::UnpackedNotVector,
                 "`qd.types.UnpackedVector` takes a dtype and a number of components",
                 "write `qd.types.UnpackedVector[qd.f32, 3]`");
  const Value dtype = eval(cx, *items[0]), count = eval(cx, *items[1]);
  hir::Type type;
  if (dtype.isPoison() || count.isPoison())
    return nullptr;
  if (!dtypeOf(dtype, cx.options, type))
    return error(cx, at, Problem::DtypeNeeded, "a dtype is needed, not " + describe(dtype));
  const auto n = exactInt(cx, count, at, "the size of a vector or matrix");
  if (!n)
    return nullptr;
  if (*n < 1 || *n > 1024)
    return error(cx, at, Problem::MatrixTypeSizeOutOfRange,
                 "a vector or matrix has 1 to 1024 components");
  out.kind = TypeValue::Element;
  out.element = {type, unsigned(*n), 1, true, true};
  return &out;
}

static std::vector<const ast::Expr *> pointers(const std::vector<ast::ExprPtr> &list) {
  std::vector<const ast::Expr *> all;
  for (const ast::ExprPtr &expr : list)
    all.push_back(expr.get());
  return all;
}

/// `"qd.f32"`: the type that the text says.
static TypeValue *quotedType(Context &cx, const ast::Expr &expr, const std::string &text,
                             TypeValue &out) {
  std::string problem;
  if (const ast::Expr *inner = cx.program.parseText(text, problem)) {
    const Quietly quiet(cx);
    if (TypeValue *type = annotation(cx, *inner, out))
      return type;
    if (!quiet.diagnostics().empty())
      problem = quiet.diagnostics()[0].message;
  }
  return error(cx, expr.at, Problem::NotAType, "this text is not a type: " + problem,
               "write the type without quotes");
}

/// The type that an annotation makes optional: `T | None`, `Optional[T]`. Null for others.
static const ast::Expr *optionalOf(Context &cx, const ast::Expr &expr) {
  if (auto *either = std::get_if<ast::Binary>(&expr.node);
      either && either->op == ast::BinaryOp::Or) {
    if (std::holds_alternative<ast::NoneLit>(either->rhs->node))
      return either->lhs.get();
    if (std::holds_alternative<ast::NoneLit>(either->lhs->node))
      return either->rhs.get();
  }
  auto *subscript = std::get_if<ast::Subscript>(&expr.node);
  return subscript && importedAs(*subscript->value, *cx.frame().module) == "typing.Optional"
             ? subscript->index.get()
             : nullptr;
}

TypeValue *annotation(Context &cx, const ast::Expr &expr, TypeValue &out) {
  if (auto *text = std::get_if<ast::StringLit>(&expr.node))
    return quotedType(cx, expr, text->value, out);
  if (const ast::Expr *inner = optionalOf(cx, expr)) {
    TypeValue *type = annotation(cx, *inner, out);
    out.isOptional = true;
    return type;
  }
  // Python's own names for tuples, from any module.
  if (auto *subscript = std::get_if<ast::Subscript>(&expr.node)) {
    std::string_view name;
    if (auto *n = std::get_if<ast::Name>(&subscript->value->node))
      name = n->id;
    else if (auto *a = std::get_if<ast::Attribute>(&subscript->value->node))
      name = a->name;
    auto *tuple = std::get_if<ast::TupleExpr>(&subscript->index->node);
    const auto items =
        tuple ? pointers(tuple->elements) : std::vector<const ast::Expr *>{subscript->index.get()};
    if (name == "tuple" || name == "Tuple")
      return tupleOf(cx, items, out);
    if (name == "NDArray" || name == "ndarray" || name == "BufferView")
      return arrayOf(cx, name == "BufferView", items, out);
    if (name == "UnpackedVector")
      return unpackedVectorOf(cx, items, expr.at, out);
    if (name == "unpacked")
      return unpackedOf(cx, *subscript->index, out);
  }
  if (auto *tuple = std::get_if<ast::TupleExpr>(&expr.node)) // `-> (qd.f32, qd.i32)`
    return tupleOf(cx, pointers(tuple->elements), out);
  Value value = eval(cx, expr);
  switch (value.kind) {
  case Value::Poison:
    return nullptr;
  case Value::Type:
    out = value.type;
    return out.kind != TypeValue::Struct || hasValues(cx, *out.structure, expr.at) ? &out : nullptr;
  case Value::None:
    out = TypeValue();
    out.kind = TypeValue::NoneType;
    return &out;
  case Value::Builtin: {
    std::string_view name = value.builtin->name;
    out = TypeValue();
    if (name == "py.int" || name == "py.float" || name == "py.bool") {
      out.element.type = name == "py.int"     ? cx.options.defaultInt
                         : name == "py.float" ? cx.options.defaultFloat
                                              : Type::Bool;
      return &out;
    }
    if (name == "qd.template" || name == "qd.Template") {
      out.kind = TypeValue::Template;
      return &out;
    }
    const bool isTensor = name == "qd.Tensor" || name == "qd.VectorTensor" ||
                          name == "qd.MatrixTensor" || name == "qd.BufferView";
    if (isTensor || name == "types.ndarray" || name == "types.NDArray") {
      out.kind = TypeValue::NdArray;
      out.elementKnown = false;
      out.isView = name == "qd.BufferView";
      if (out.isView)
        out.ndim = 1;
      return &out;
    }
    break;
  }
  default:
    break;
  }
  return error(
      cx, expr.at, Problem::NotAType, describe(value) + " is not a type",
      "annotate with a scalar type (`qd.f32`), `qd.types.ndarray(...)`, `qd.types.vector(...)` "
      "or `qd.template()`");
}

TypeValue *signatureAnnotation(Context &cx, const ast::Expr &expr, TypeValue &out) {
  std::vector<NameScope> own(1);
  std::swap(own, cx.frame().scopes);
  TypeValue *type = annotation(cx, expr, out);
  std::swap(own, cx.frame().scopes);
  return type;
}

} // namespace sextant::sema
