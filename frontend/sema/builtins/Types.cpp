// Types as the kernel language writes them: casts to them, types of arrays, and the constructors
// of vectors and matrices.
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Fields.h"
#include "frontend/sema/eval/Interleave.h"
#include "frontend/sema/eval/Levels.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Views.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

namespace sextant::sema {

static Value withOneType(Context &cx, Value v, CallSite &site);

using hir::Type;

//===--- Casts -------------------------------------------------------------===//

Value doCast(Context &cx, CallSite &site) {
  Type type;
  if (!dtypeOf(site.args[1], cx.options, type)) {
    if (site.args[1].kind == Value::Type && site.args[1].type.kind == TypeValue::Element)
      return castTo(cx, site.args[0], site.args[1].type.element, site.at);
    return error(cx, site.at, Problem::CastDtypeNeeded,
                 "`qd.cast` needs a dtype, not " + describe(site.args[1]));
  }
  return castItems(cx, site.args[0], type, site.at);
}

Value doBitCast(Context &cx, CallSite &site) {
  Type type;
  if (!dtypeOf(site.args[1], cx.options, type))
    return error(cx, site.at, Problem::BitCastDtypeNeeded,
                 "`qd.bit_cast` needs a dtype, not " + describe(site.args[1]));
  if (site.args[0].kind == Value::Matrix) {
    CallSite one = site;
    return mapItems(site.args[0], [&](const Value &item) {
      one.args[0] = item;
      return doBitCast(cx, one);
    });
  }
  ExprRef e = toRuntime(cx, site.args[0], site.at);
  if (!e)
    return Value();
  if (bitWidth(e->type) != bitWidth(type))
    return error(cx, site.at, Problem::BitCastWidthsDiffer,
                 "`qd.bit_cast` from " + spell(e->type) + " to " + spell(type) +
                     ": the widths differ",
                 "cast to a type of the same width first");
  if (e->type == type)
    return Value::scalar(e);
  Exact constant = 0;
  if (constInt(*e, constant) && isInteger(type))
    return Value::scalar(makeInt(constant, type, site.at));
  return Value::scalar(makeExpr(type, hir::Bitcast{take(cx, std::move(e))}, site.at));
}

Value doPyCast(Context &cx, CallSite &site, PyType to) {
  const Value &x = site.args[0];
  if (!site.given[0])
    return to == PyType::Float ? Value::exactFloat(0)
           : to == PyType::Int ? Value::exactInt(0)
                               : Value::exactBool(false);
  if (x.isExact()) {
    if (to == PyType::Bool) {
      bool known = false;
      return Value::exactBool(isTruthy(cx, x, known, site.at));
    }
    if (to == PyType::Float)
      return Value::exactFloat(x.kind == Value::Float ? x.real : double(x.integer));
    if (x.kind != Value::Float)
      return Value::exactInt(x.integer);
    if (!(x.real > -1e18 && x.real < 1e18))
      return error(cx, site.at, Problem::RealConstantNotInteger,
                   "this real constant does not fit an integer");
    return Value::exactInt(Exact(x.real));
  }
  Type type = to == PyType::Int     ? cx.options.defaultInt
              : to == PyType::Float ? cx.options.defaultFloat
                                    : Type::Bool;
  return castItems(cx, x, type, site.at);
}

//===--- Types -------------------------------------------------------------===//

Value doTemplateType(Context &cx, CallSite &) {
  TypeValue type;
  type.kind = TypeValue::Template;
  return Value::ofType(type);
}

/// Gives an array's type its elements. Returns false after an error.
static bool setElement(Context &cx, TypeValue &type, const Value &dtype, SourceRange at) {
  Type scalar;
  if (dtypeOf(dtype, cx.options, scalar)) {
    type.element.type = scalar;
  } else if (dtype.kind == Value::Type && dtype.type.kind == TypeValue::Element) {
    type.element = dtype.type.element;
  } else if (dtype.kind == Value::Type && isRecord(dtype.type)) {
    type.structure = dtype.type.structure;
  } else {
    error(cx, at, Problem::NdarrayDtypeNeeded,
          "the dtype of an ndarray has to be a type, not " + describe(dtype));
    return false;
  }
  type.elementKnown = true;
  return true;
}

Value doNdarrayType(Context &cx, CallSite &site) {
  TypeValue type;
  type.kind = TypeValue::NdArray;
  type.elementKnown = false;
  if (site.given[0] && site.args[0].kind != Value::None) {
    if (!setElement(cx, type, site.args[0], site.at))
      return Value();
  }
  if (site.given[1] && site.args[1].kind != Value::None) {
    auto ndim = dimensions(cx, site.args[1], site.at);
    if (!ndim)
      return Value();
    type.ndim = *ndim;
  }
  if (site.given[4] && site.args[4].kind != Value::None) {
    const auto dim = exactInt(cx, site.args[4], site.at, "the number of an element's dimensions");
    if (!dim)
      return Value();
    if (*dim < 0 || *dim > 2 || (type.elementKnown && *dim != type.element.dimensions()))
      return error(cx, site.at, Problem::NdarrayDimensionsOutOfRange,
                   "`element_dim` is 0 for numbers, 1 for vectors and 2 for matrices, and what the "
                   "dtype says, not " +
                       spell(*dim));
    type.elementDim = int(*dim);
  }
  if (site.given[5]) {
    const Value &boundary = site.args[5];
    type.clamps = boundary.kind == Value::Str && boundary.text == "clamp";
    if (!type.clamps && (boundary.kind != Value::Str || boundary.text != "unsafe"))
      return error(
          cx, site.at, Problem::BoundaryUnknown,
          "`boundary` is \"unsafe\" or \"clamp\", not " +
              (boundary.kind == Value::Str ? "\"" + boundary.text + "\"" : describe(boundary)),
          Fix("write `boundary=\"clamp\"` where an index may be outside of the array",
              {{site.nodes[5]->at, "\"clamp\""}}, true));
  }
  if (site.given[3] && site.args[3].kind == Value::Str) { // of structs
    type.isInterleaved = type.structure && isInterleavedLayout(site.args[3]);
    return Value::ofType(type);
  }
  const bool isFine =
      !site.given[3] ||
      (isLevelsLayout(site.args[3])
           ? levelsOf(cx, site.args[3], type.structure.get(), type.ndim, type.levels, site.at)
           : layoutOf(cx, site.args[3], type.ndim, type.layout, site.at));
  return isFine ? Value::ofType(type) : Value();
}

/// `qd.ndarray(qd.f32, shape=(n, 3))` of host code: the type of the array, which does not depend on
/// how large it is.
Value doNdarray(Context &cx, CallSite &site, size_t sizes) {
  if (!cx.isHost())
    return doDecorator(cx, site);
  TypeValue type;
  type.kind = TypeValue::NdArray;
  for (size_t k = 0; k < sizes; ++k) {
    const auto n = exactInt(cx, eval(cx, *site.nodes[k]), site.at, "the size of elements");
    if (!n)
      return Value();
    (k == 0 ? type.element.rows : type.element.cols) = unsigned(*n);
  }
  type.element.matrix = sizes != 0;
  type.element.vector = sizes == 1;
  if (!setElement(cx, type, eval(cx, *site.nodes[sizes]), site.at))
    return Value();
  const Value shape = knownParts(cx, *site.nodes[sizes + 1]);
  if (shape.kind != Value::Tuple && shape.kind != Value::Int)
    return error(cx, site.at, Problem::NameWithoutValue,
                 "the number of this array's dimensions is not known when kernels are built");
  const Exact ndim = shape.kind == Value::Tuple ? Exact(shape.items.size()) : 1;
  const auto count = dimensions(cx, Value::exactInt(ndim), site.at);
  type.ndim = count.value_or(0);
  return count ? Value::ofType(type) : Value();
}

/// `qd.Tensor` and its kin annotate; their arrays are made by host code.
Value doTensorType(Context &cx, CallSite &site) {
  return error(cx, site.at, Problem::TensorInKernel,
               "`" + callName(site) + "` annotates parameters; host code makes such arrays",
               "write `x: " + callName(site) +
                   "`, and name the type in the instance, as in "
                   "--kernel 'KERNEL[x=ndarray(f32, 1)]'");
}

/// `qd.types.ref(…)` says how a parameter is passed: eval/References.cpp.
Value doReferenceType(Context &cx, CallSite &site) {
  return error(cx, site.at, Problem::ReferenceMisplaced,
               "`" + callName(site) + "` annotates parameters of `@qd.real_func` functions",
               "let the kernel pass an array, or return the value");
}

/// `qd.BufferView(arr, offset, size)` in a kernel.
Value doView(Context &cx, CallSite &site) {
  if (cx.isHost())
    return doTensorType(cx, site);
  const Value &array = site.args[0];
  if (array.kind != Value::Array || array.array->space != ArrayRef::Argument ||
      array.array->shape.size() != 1)
    return error(cx, site.at, Problem::ArgumentNotNdarray,
                 "a view is of an ndarray of one dimension, not of " + describe(array));
  if (array.array->isView)
    return error(cx, site.at, Problem::ArgumentNotNdarray, describe(array) + " is a view already",
                 "write `view.subview(offset, size)`");
  return viewOf(cx, array.array, site.args[1], site.args[2], site.at);
}

/// `qd.unpacked` stands before brackets: annotation().
Value doUnpacked(Context &cx, CallSite &site) {
  return error(cx, site.at, Problem::UnpackedNotVector,
               "`" + callName(site) + "` annotates members and cannot be called",
               "write `r: qd.unpacked[qd.types.vector(3, qd.f32)]`");
}

/// The type of vectors or matrices whose first arguments are `sizes` extents, and then a dtype.
static Value sizedType(Context &cx, CallSite &site, size_t sizes) {
  const bool isVector = sizes == 1;
  auto rows = exactInt(cx, site.args[0], site.at, "the size of a vector or matrix");
  auto cols = isVector ? std::optional<Exact>(1)
                       : exactInt(cx, site.args[1], site.at, "the size of a matrix");
  Type type;
  if (!rows || !cols)
    return Value();
  if (*rows < 1 || *cols < 1 || *rows > 1024 || *cols > 1024 || *rows * *cols > 1024)
    return error(cx, site.at, Problem::MatrixTypeSizeOutOfRange,
                 "a vector or matrix has 1 to 1024 components");
  if (!dtypeOf(site.args[sizes], cx.options, type))
    return error(cx, site.at, Problem::DtypeNeeded,
                 "a dtype is needed, not " + describe(site.args[sizes]));
  return Value::ofElement(ElementType{type, unsigned(*rows), unsigned(*cols), true, isVector});
}

Value doVectorType(Context &cx, CallSite &site) { return sizedType(cx, site, 1); }

Value doMatrixType(Context &cx, CallSite &site) { return sizedType(cx, site, 2); }

/// The items of a constructor's matrix in one type: its dtype argument's, else their common one.
Value withOneType(Context &cx, Value v, CallSite &site) {
  if (site.given.size() > 1 && site.given[1]) {
    Type type;
    if (!dtypeOf(site.args[1], cx.options, type))
      return error(cx, site.at, Problem::DtypeNeeded,
                   "a dtype is needed, not " + describe(site.args[1]));
    return castTo(cx, v, ElementType{type, v.rows, v.cols, true, v.vector}, site.at);
  }
  if (!v.isRuntime())
    return v;
  std::vector<ExprRef> items;
  if (!commonType(cx, items, v.items, site.at))
    return Value();
  for (size_t i = 0; i < items.size(); ++i)
    v.items[i] = Value::scalar(items[i]);
  return v;
}

Value doVector(Context &cx, CallSite &site) {
  Value v = toMatrix(cx, site.args[0], site.at);
  if (v.isPoison())
    return v;
  if (!v.vector)
    return error(
        cx, site.at, Problem::VectorOfRows, "`qd.Vector` needs numbers, not rows",
        Fix("use `qd.Matrix`", didYouMean(site.node->callee->at, "Vector", "Matrix").edits));
  return withOneType(cx, std::move(v), site);
}

Value doVectorOf(Context &cx, CallSite &site, int n) {
  Type type;
  auto size = exactInt(cx, site.args[1], site.at, "the size of a vector");
  if (!size)
    return Value();
  if (*size < 1 || *size > 1024 || !dtypeOf(site.args[0], cx.options, type))
    return error(cx, site.at, Problem::DtypeAndSizeNeeded, "a dtype and a size are needed");
  return castTo(cx, Value::exactInt(n), ElementType{type, unsigned(*size), 1, true, true}, site.at);
}

Value doMatrix(Context &cx, CallSite &site) {
  Value v = toMatrix(cx, site.args[0], site.at);
  if (v.isPoison())
    return v;
  return withOneType(cx, std::move(v), site);
}

Value doMatrixOf(Context &cx, CallSite &site, Filled with) {
  Type type;
  auto n = exactInt(cx, site.args[1], site.at, "the size of a matrix");
  auto m = with != Filled::Identity && site.given[2]
               ? exactInt(cx, site.args[2], site.at, "the size of a matrix")
               : n;
  if (!n || !m)
    return Value();
  if (*n < 1 || *m < 1 || *n * *m > 1024 || !dtypeOf(site.args[0], cx.options, type))
    return error(cx, site.at, Problem::DtypeAndSizeNeeded, "a dtype and a size are needed");
  std::vector<Value> items;
  for (Exact r = 0; r < *n; ++r)
    for (Exact c = 0; c < *m; ++c)
      items.push_back(Value::exactInt(with == Filled::Identity ? r == c : with == Filled::Ones));
  return castTo(cx, Value::matrix(unsigned(*n), unsigned(*m), false, std::move(items)),
                ElementType{type, unsigned(*n), unsigned(*m), true, false}, site.at);
}

/// Matrix.rows([v0, v1]) and Matrix.cols([v0, v1]).
Value doRows(Context &cx, CallSite &site, bool isColumns) {
  Value v = toMatrix(cx, site.args[0], site.at);
  if (v.isPoison())
    return v;
  if (site.args[0].kind != Value::Tuple || v.vector)
    return error(cx, site.at, Problem::RowsOfNoVectors,
                 "`" + callName(site) + "` needs a list of vectors, not " + describe(site.args[0]));
  v = withOneType(cx, std::move(v), site);
  return isColumns && !v.isPoison() ? vectorMethod(cx, "transpose", v, {}, site.at) : v;
}

/// Matrix.diag(dim, val): `val` on the diagonal, zeros elsewhere, in the type of `val`.
Value doDiag(Context &cx, CallSite &site) {
  auto n = exactInt(cx, site.args[0], site.at, "the size of a matrix");
  if (!n)
    return Value();
  if (*n < 1 || *n * *n > 1024)
    return error(cx, site.at, Problem::MatrixSizeOutOfRange, "a matrix has 1 to 1024 components");
  if (!site.args[1].isNumber())
    return error(cx, site.at, Problem::DiagOfNoNumber,
                 "`qd.Matrix.diag` needs a number, not " + describe(site.args[1]),
                 "set the elements `m[i, i]` one by one");
  const Value one = stable(cx, site.args[1], site.at);
  Value zero = Value::exactInt(0);
  if (one.kind == Value::Float)
    zero = Value::exactFloat(0);
  else if (one.kind == Value::Scalar)
    zero = Value::scalar(convert(cx, zero, typeOf(cx, one), site.at));
  std::vector<Value> items;
  for (Exact r = 0; r < *n; ++r)
    for (Exact c = 0; c < *n; ++c)
      items.push_back(r == c ? one : zero);
  return Value::matrix(unsigned(*n), unsigned(*n), false, std::move(items));
}

/// Matrix.unit(n, i): a vector of n numbers, a one at i and zeros elsewhere.
Value doUnit(Context &cx, CallSite &site) {
  auto n = exactInt(cx, site.args[0], site.at, "the size of a vector");
  auto i = n ? exactInt(cx, site.args[1], site.at, "the place of the one") : std::nullopt;
  if (!n || !i)
    return Value();
  if (*n < 1 || *n > 1024)
    return error(cx, site.at, Problem::VectorSizeOutOfRange, "a vector has 1 to 1024 components");
  if (*i < 0 || *i >= *n)
    return error(cx, site.at, Problem::UnitOutsideVector,
                 "a vector of " + spell(*n) + " components has no component " + spell(*i));
  Type type = cx.options.defaultInt;
  if (site.given[2] && !dtypeOf(site.args[2], cx.options, type))
    return error(cx, site.at, Problem::DtypeNeeded,
                 "a dtype is needed, not " + describe(site.args[2]));
  std::vector<Value> items;
  for (Exact k = 0; k < *n; ++k)
    items.push_back(Value::exactInt(k == *i));
  return castTo(cx, Value::matrix(unsigned(*n), 1, true, std::move(items)),
                ElementType{type, unsigned(*n), 1, true, true}, site.at);
}

} // namespace sextant::sema
