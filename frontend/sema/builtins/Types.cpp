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

using hir::Type;

//===--- Casts -------------------------------------------------------------===//

Value doCast(Context &cx, CallSite &site) {
  const ElementType &type = site.args[1].type.element;
  return type.matrix ? castTo(cx, site.args[0], type, site.at)
                     : castItems(cx, site.args[0], type.type, site.at);
}

Value doBitCast(Context &cx, CallSite &site) {
  const Type type = site.dtype(1);
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

Value doNdarrayType(Context &cx, CallSite &site) {
  TypeValue type;
  type.kind = TypeValue::NdArray;
  type.elementKnown = false;
  if (site.given[0]) {
    type.element = site.args[0].type.element;
    type.structure = site.args[0].type.structure;
    type.elementKnown = true;
  }
  if (site.given[1])
    type.ndim = int(site.integer(1));
  type.isConstant = site.given[2] && site.integer(2) == 0;
  if (site.given[4]) {
    type.elementDim = int(site.integer(4));
    if (type.elementKnown && type.elementDim != type.element.dimensions())
      return error(cx, site.at, Problem::NdarrayDimensionsOutOfRange,
                   "`element_dim` is 0 for numbers, 1 for vectors and 2 for matrices, and what the "
                   "dtype says, not " +
                       std::to_string(type.elementDim));
  }
  if (site.given[5]) {
    const std::string &boundary = site.args[5].text;
    type.clamps = boundary == "clamp";
    if (!type.clamps && boundary != "unsafe")
      return error(cx, site.at, Problem::BoundaryUnknown,
                   "`boundary` is \"unsafe\" or \"clamp\", not \"" + boundary + "\"",
                   Fix("write `boundary=\"clamp\"` where an index may be outside of the array",
                       {{site.nodes[5]->at, "\"clamp\""}}, true));
  }
  if (site.given[3] && site.args[3].kind == Value::Str) { // the elements are structs
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
  Value dtype = eval(cx, *site.nodes[sizes]);
  if (!takeElement(cx, dtype, site.at))
    return error(cx, site.at, Problem::DtypeNeeded,
                 "the dtype of an ndarray has to be a type, not " + describe(dtype));
  TypeValue type;
  type.kind = TypeValue::NdArray;
  type.element = dtype.type.element;
  type.structure = dtype.type.structure;
  type.elementKnown = true;
  for (size_t k = 0; k < sizes; ++k) {
    const auto n = exactInt(cx, eval(cx, *site.nodes[k]), site.at, "the size of elements");
    if (!n)
      return Value();
    (k == 0 ? type.element.rows : type.element.cols) = unsigned(*n);
    type.element.matrix = true;
    type.element.vector = sizes == 1;
  }
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
  if (array.array->space != ArrayRef::Argument || array.array->shape.size() != 1)
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

/// False after an error: a matrix has too many components.
static bool checkMatrixSize(Context &cx, unsigned rows, unsigned cols, Problem problem,
                            SourceRange at) {
  if (rows * cols <= 1024)
    return true;
  return error(cx, at, problem, "a matrix has 1 to 1024 components");
}

/// The type of vectors or matrices whose first arguments are `sizes` extents, and then a dtype.
static Value sizedType(Context &cx, CallSite &site, size_t sizes) {
  const bool isVector = sizes == 1;
  const auto rows = unsigned(site.integer(0)), cols = isVector ? 1 : unsigned(site.integer(1));
  if (!checkMatrixSize(cx, rows, cols, Problem::MatrixTypeSizeOutOfRange, site.at))
    return Value();
  return Value::ofElement(ElementType{site.dtype(sizes), rows, cols, true, isVector});
}

Value doVectorType(Context &cx, CallSite &site) { return sizedType(cx, site, 1); }

Value doMatrixType(Context &cx, CallSite &site) { return sizedType(cx, site, 2); }

/// The items of a constructor's matrix in one type: its dtype argument's, else their common one.
static Value withOneType(Context &cx, Value v, CallSite &site) {
  if (site.given.size() > 1 && site.given[1])
    return castItems(cx, v, site.dtype(1), site.at);
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
  if (!site.args[0].vector)
    return error(
        cx, site.at, Problem::VectorOfRows, "`qd.Vector` needs numbers, not rows",
        Fix("use `qd.Matrix`", didYouMean(site.node->callee->at, "Vector", "Matrix").edits));
  return withOneType(cx, site.args[0], site);
}

Value doVectorOf(Context &cx, CallSite &site, int n) {
  const ElementType type{site.dtype(0), unsigned(site.integer(1)), 1, true, true};
  return castTo(cx, Value::exactInt(n), type, site.at);
}

Value doMatrix(Context &cx, CallSite &site) { return withOneType(cx, site.args[0], site); }

Value doMatrixOf(Context &cx, CallSite &site, Filled with) {
  const bool isSquare = with == Filled::Identity || !site.given[2];
  const auto rows = unsigned(site.integer(1)), cols = unsigned(site.integer(isSquare ? 1 : 2));
  if (!checkMatrixSize(cx, rows, cols, Problem::MatrixSizeOutOfRange, site.at))
    return Value();
  std::vector<Value> items;
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned c = 0; c < cols; ++c)
      items.push_back(Value::exactInt(with == Filled::Identity ? r == c : with == Filled::Ones));
  return castItems(cx, Value::matrix(rows, cols, false, std::move(items)), site.dtype(0), site.at);
}

/// Matrix.rows([v0, v1]) and Matrix.cols([v0, v1]).
Value doRows(Context &cx, CallSite &site, bool isColumns) {
  if (site.args[0].vector)
    return error(cx, site.at, Problem::RowsOfNoVectors,
                 "`" + callName(site) + "` needs a list of vectors, not of numbers");
  const Value m = withOneType(cx, site.args[0], site);
  return isColumns && !m.isPoison() ? transposed(stable(cx, m, site.at)) : m;
}

/// Matrix.diag(dim, val): `val` on the diagonal, zeros elsewhere, in the type of `val`.
Value doDiag(Context &cx, CallSite &site) {
  const auto n = unsigned(site.integer(0));
  const Value one = stable(cx, site.args[1], site.at);
  Value zero = Value::exactInt(0);
  if (one.kind == Value::Float)
    zero = Value::exactFloat(0);
  else if (one.kind == Value::Scalar)
    zero = Value::scalar(convert(cx, zero, typeOf(cx, one), site.at));
  std::vector<Value> items;
  for (unsigned r = 0; r < n; ++r)
    for (unsigned c = 0; c < n; ++c)
      items.push_back(r == c ? one : zero);
  return Value::matrix(n, n, false, std::move(items));
}

/// Matrix.unit(n, i): a vector of n numbers, a one at i and zeros elsewhere.
Value doUnit(Context &cx, CallSite &site) {
  const Exact n = site.integer(0), i = site.integer(1);
  if (i >= n)
    return error(cx, site.at, Problem::UnitOutsideVector,
                 "a vector of " + spell(n) + " components has no component " + spell(i));
  std::vector<Value> items;
  for (Exact k = 0; k < n; ++k)
    items.push_back(Value::exactInt(k == i));
  return castItems(cx, Value::matrix(unsigned(n), 1, true, std::move(items)),
                   site.given[2] ? site.dtype(2) : cx.options.defaultInt, site.at);
}

} // namespace sextant::sema
