// Types as the kernel language writes them: casts to them, array and field types, and
// the constructors of vectors, matrices and fields.
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Interleave.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

namespace sextant::sema {

static Value withOneType(Context &cx, Value v, CallSite &site);

using hir::Type;

//===--- Casts -------------------------------------------------------------===//

Value doTypeCall(Context &cx, const TypeValue &type, const ast::Call &node, SourceRange at) {
  if (type.kind == TypeValue::Struct)
    return makeStruct(cx, type.structure, node, at);
  if (type.kind != TypeValue::Element)
    return error(cx, at, Problem::TypeNotCallable, "the type " + spell(type) + " cannot be called");
  if (!node.keywords.empty())
    return error(cx, at, Problem::CastWithKeywords, "a cast takes no keyword arguments");
  bool bad = false;
  std::vector<Value> args = evalItems(cx, node.args, bad);
  if (bad)
    return Value();
  if (!type.element.matrix) {
    if (args.size() != 1)
      return error(cx, at, Problem::CastArgumentCount,
                   "a cast to " + spell(type) + " takes one value");
    return castItems(cx, args[0], type.element.type, at);
  }
  // vec3(1, 2, 3), vec3(0), vec3(v)
  std::vector<Value> flat;
  for (Value &arg : args) {
    if (arg.kind == Value::Tuple)
      arg = toMatrix(cx, arg, at);
    if (arg.kind == Value::Matrix)
      flat.insert(flat.end(), arg.items.begin(), arg.items.end());
    else
      flat.push_back(arg);
  }
  if (flat.size() == 1 && type.element.count() > 1)
    return castTo(cx, flat[0], type.element, at);
  if (flat.size() != type.element.count())
    return error(cx, at, Problem::ComponentCountWrong,
                 spell(type) + " has " + std::to_string(type.element.count()) +
                     " components, but is given " + std::to_string(flat.size()));
  return castTo(
      cx, Value::matrix(type.element.rows, type.element.cols, type.element.vector, std::move(flat)),
      type.element, at);
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

/// The number of an ndarray's dimensions; nullopt after an error.
std::optional<int> dimensions(Context &cx, const Value &value, SourceRange at) {
  auto ndim = exactInt(cx, value, at, "the number of dimensions");
  if (!ndim)
    return std::nullopt;
  if (*ndim < 0 || *ndim > 8) {
    error(cx, at, Problem::NdarrayDimensionsOutOfRange,
          "an ndarray has 0 to 8 dimensions, not " + spell(*ndim));
    return std::nullopt;
  }
  return int(*ndim);
}

/// Sets the axes' order in memory from `layout=(1, 0)`: the axes from the outermost to the
/// innermost. Returns false after an error. \param ndim the number of axes, or -1 where it is not
/// known
static bool layoutOf(Context &cx, const Value &value, int ndim, std::vector<unsigned> &layout,
                     SourceRange at) {
  layout.clear();
  if (value.kind == Value::None)
    return true;
  for (const Value &axis : indexList(value)) {
    const auto k = exactInt(cx, axis, at, "an axis of a layout");
    if (!k)
      return false;
    layout.push_back(unsigned(*k));
  }
  std::vector<unsigned> sorted = layout;
  std::sort(sorted.begin(), sorted.end());
  bool isPermutation = ndim < 0 || layout.size() == size_t(ndim);
  for (unsigned k = 0; k < sorted.size(); ++k)
    isPermutation &= sorted[k] == k;
  if (!isPermutation) {
    error(cx, at, Problem::LayoutWrong, "a layout names each axis once, the outermost first",
          "write `layout=(1, 0)` to store a matrix column by column");
    return false;
  }
  if (std::is_sorted(layout.begin(), layout.end()))
    layout.clear();
  return true;
}

Value doNdarrayType(Context &cx, CallSite &site) {
  TypeValue type;
  type.kind = TypeValue::NdArray;
  type.elementKnown = false;
  if (site.given[0] && site.args[0].kind != Value::None) {
    Type scalar;
    if (dtypeOf(site.args[0], cx.options, scalar)) {
      type.element.type = scalar;
    } else if (site.args[0].kind == Value::Type && site.args[0].type.kind == TypeValue::Element) {
      type.element = site.args[0].type.element;
    } else if (site.args[0].kind == Value::Type && isRecord(site.args[0].type)) {
      type.structure = site.args[0].type.structure;
    } else {
      return error(cx, site.at, Problem::NdarrayDtypeNeeded,
                   "the dtype of an ndarray has to be a type, not " + describe(site.args[0]));
    }
    type.elementKnown = true;
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
  if (site.given[3] && site.args[3].kind == Value::Str) { // of structs
    type.isInterleaved = type.structure && isInterleavedLayout(site.args[3]);
    return Value::ofType(type);
  }
  if (site.given[3] && !layoutOf(cx, site.args[3], type.ndim, type.layout, site.at))
    return Value();
  return Value::ofType(type);
}

/// `qd.Tensor` and its kin annotate; their arrays are made by host code.
Value doTensorType(Context &cx, CallSite &site) {
  return error(cx, site.at, Problem::TensorInKernel,
               "`" + callName(site) + "` annotates parameters; host code makes such arrays",
               "write `x: " + callName(site) +
                   "`, and name the type in the instance, as in "
                   "--kernel 'KERNEL[x=ndarray(f32, 1)]'");
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
    return error(cx, site.at, Problem::VectorOfRows, "`qd.Vector` needs numbers, not rows",
                 "use `qd.Matrix`");
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

bool shapeField(Context &cx, ArrayRef &field, const Value &shape, SourceRange at) {
  constexpr Exact mostScalars = Exact(1) << 48; // the module format's limit
  field.isUnplaced = false;
  for (const std::shared_ptr<ArrayRef> &member : field.members)
    if (!shapeField(cx, *member, shape, at))
      return false;
  Exact total = field.whole ? field.whole->element.count() : field.element.count();
  for (const Value &extent : indexList(shape)) {
    auto n = exactInt(cx, extent, at, "the shape of a field");
    if (!n)
      return false;
    if (*n < 1) {
      error(cx, at, Problem::FieldExtentNotPositive,
            "a field has at least one element along each axis, but this extent is " + spell(*n));
      return false;
    }
    total = std::min(total * *n, 2 * mostScalars);
    if (total > mostScalars) {
      error(cx, at, Problem::FieldTooLarge,
            "this field has more than " + spell(mostScalars) + " scalars",
            "split it into several fields, or pass the data as an ndarray");
      return false;
    }
    field.shape.push_back(Value::exactInt(*n));
  }
  if (field.whole && field.structure)
    field.whole->shape = field.shape;
  return true;
}

static constexpr const char *noName = "struct"; // in messages

void nameStruct(TypeValue &type, const std::string &name) {
  if (!type.structure->definition &&
      type.structure->name == noName) // of doStructType, which made it to be changed
    std::const_pointer_cast<StructType>(type.structure)->name = name;
}

void nameArray(ArrayRef &array, const std::string &name) {
  array.name = name;
  for (size_t k = 0; k < array.members.size(); ++k)
    nameArray(*array.members[k], name + "." + array.structure->members[k].name);
  if (array.whole && array.structure) // the outermost struct is the last to name it
    array.whole->name = name;
  if (array.gradient) // and its gradient's members
    nameArray(*array.gradient, name + ".grad");
}

void linkGradients(ArrayRef &array) {
  for (size_t k = 0; k < array.members.size(); ++k) {
    array.members[k]->gradient = array.gradient->members[k];
    linkGradients(*array.members[k]);
  }
}

/// Gives a field, and those of its members, the order of axes that its layout says. Returns false
/// after an error.
static bool orderAxes(Context &cx, ArrayRef &field, const Value &layout, SourceRange at) {
  if (layout.kind == Value::None)
    return true;
  if (field.isUnplaced) {
    error(cx, at, Problem::LayoutWrong, "a field with a layout needs its `shape`",
          "give the shape here, not by `place`");
    return false;
  }
  for (const std::shared_ptr<ArrayRef> &member : field.members)
    if (!orderAxes(cx, *member, layout, at))
      return false;
  return layoutOf(cx, layout, int(field.shape.size()), field.layout, at);
}

/// Fields are values of module constants: `x = qd.field(qd.f32, shape=(4, 4))`. A field of structs
/// is a field for each member, so that neighbouring threads read neighbouring numbers.
static Value fieldOf(Context &cx, const TypeValue &element, const Value *shape, SourceRange at,
                     const Value &layout) {
  const bool isOnePiece = isRecord(element) && isInterleavedLayout(layout);
  if (const auto vectors = isOnePiece
                               ? interleavedElement(cx, *element.structure, /*isField=*/true, at)
                               : std::nullopt) {
    auto whole = std::make_shared<ArrayRef>();
    whole->space = ArrayRef::Field;
    whole->element = *vectors;
    whole->at = at;
    whole->isUnplaced = true;
    Value field = Value::of(Value::Array);
    field.array = interleavedOver(element.structure, whole);
    return shape && !shapeField(cx, *field.array, *shape, at) ? Value() : field;
  }
  auto array = std::make_shared<ArrayRef>();
  array->space = ArrayRef::Field;
  array->element = element.element;
  array->at = at;
  array->isUnplaced = true;
  if (element.kind == TypeValue::Struct) {
    array->structure = element.structure;
    for (const StructMember &member : element.structure->members) {
      if (!member.problem.empty())
        return error(cx, at, Problem::MemberWithoutValue,
                     "a field of `" + element.structure->name +
                         "` cannot be made: of its member `" + member.name + "`, " +
                         member.problem);
      Value part = fieldOf(cx, member.type, nullptr, at, Value::none());
      if (part.isPoison())
        return part;
      array->members.push_back(std::move(part.array));
    }
  }
  if (shape && !shapeField(cx, *array, *shape, at))
    return Value();
  if (layout.kind != Value::Str && !orderAxes(cx, *array, layout, at))
    return Value();
  Value v = Value::of(Value::Array);
  v.array = std::move(array);
  return v;
}

Value makeField(Context &cx, const TypeValue &element, const Value *shape, SourceRange at,
                const Value &layout, bool needsGradient) {
  Value field = fieldOf(cx, element, shape, at, layout);
  if (!needsGradient || field.isPoison())
    return field;
  field.array->gradient = fieldOf(cx, element, shape, at, layout).array;
  linkGradients(*field.array);
  return field;
}

/// True if the call says `needs_grad=True`.
static bool needsGradient(Context &cx, const CallSite &site, size_t argument) {
  bool known = false;
  return site.given[argument] && isTruthy(cx, site.args[argument], known, site.at);
}

/// A member of a struct that is made without a class; nullopt after an error.
static std::optional<StructMember> memberOf(Context &cx, std::string name, const Value &type,
                                            SourceRange at) {
  StructMember member;
  member.name = std::move(name);
  member.at = at;
  Type scalar;
  if (dtypeOf(type, cx.options, scalar))
    member.type.element.type = scalar;
  else if (isElementType(type))
    member.type = type.type;
  else {
    if (!type.isPoison())
      error(cx, at, Problem::StructMemberNotType,
            "the member `" + member.name + "` needs a type, not " + describe(type));
    return std::nullopt;
  }
  return member;
}

/// `qd.Struct.field({"pos": vec3, "mass": qd.f32}, shape=8)`
Value doStructField(Context &cx, CallSite &site) {
  TypeValue type;
  type.kind = TypeValue::Struct;
  auto structure = std::make_shared<StructType>();
  structure->name = noName;
  structure->at = site.at;
  const Value &members = site.args[0];
  if (members.kind != Value::Dict)
    return error(cx, site.at, Problem::StructMembersUnnamed,
                 "`qd.Struct.field` needs a dictionary of types, not " + describe(members),
                 "write `qd.Struct.field({\"mass\": qd.f32}, shape=...)`");
  for (size_t k = 0; k + 1 < members.items.size(); k += 2) {
    const Value &name = members.items[k];
    if (name.kind != Value::Str)
      return error(cx, site.at, Problem::StructMembersUnnamed,
                   "the name of a member is a string, not " + describe(name));
    auto member = memberOf(cx, name.text, members.items[k + 1], site.at);
    if (!member)
      return Value();
    structure->members.push_back(std::move(*member));
  }
  type.structure = std::move(structure);
  return makeField(cx, type, site.given[1] ? &site.args[1] : nullptr, site.at,
                   site.given[4] ? site.args[4] : Value::none(), needsGradient(cx, site, 3));
}

/// `qd.types.struct(pos=vec3, mass=qd.f32)`
Value doStructType(Context &cx, CallSite &site) {
  auto type = std::make_shared<StructType>();
  type->name = noName;
  type->at = site.at;
  if (!site.node->args.empty())
    return error(cx, site.at, Problem::StructMembersUnnamed,
                 "`qd.types.struct` takes its members by name",
                 "write `qd.types.struct(mass=qd.f32, ...)`");
  for (const ast::Keyword &keyword : site.node->keywords) {
    auto member = memberOf(cx, std::string(keyword.name), eval(cx, *keyword.value), keyword.at);
    if (!member)
      return Value();
    type->members.push_back(std::move(*member));
  }
  TypeValue out;
  out.kind = TypeValue::Struct;
  out.structure = std::move(type);
  return Value::ofType(std::move(out));
}

/// Adds a member with its value's type to a struct. Returns false after an error.
static bool addMember(Context &cx, StructType &type, std::vector<Value> &items,
                      const std::string &name, Value value, SourceRange at) {
  if (value.kind == Value::Tuple)
    value = toMatrix(cx, value, at);
  if (value.isPoison())
    return false;
  StructMember member;
  member.name = name;
  member.at = at;
  if (value.kind == Value::Struct && isRecord(value.type)) {
    member.type = value.type;
  } else if (value.kind == Value::Matrix) {
    member.type.element = elementOf(cx, value);
  } else if (value.isNumber()) {
    member.type.element.type = typeOf(cx, value);
  } else {
    error(cx, at, Problem::StructMemberNotType,
          "the member `" + name + "` needs a number, a vector, a matrix or a struct, not " +
              describe(value));
    return false;
  }
  items.push_back(castToMember(cx, value, member.type, at));
  type.members.push_back(std::move(member));
  return !items.back().isPoison();
}

/// `qd.Struct(mass=1.0, pos=v)`, also of a dictionary: a struct with these members.
Value doStruct(Context &cx, CallSite &site) {
  auto type = std::make_shared<StructType>();
  type->name = noName;
  type->at = site.at;
  std::vector<Value> items;
  for (const ast::ExprPtr &argument : site.node->args) {
    const Value members = eval(cx, *argument);
    if (members.kind != Value::Dict)
      return members.isPoison()
                 ? members
                 : error(cx, site.at, Problem::StructMembersUnnamed,
                         "`qd.Struct` takes its members by name, or a dictionary of them, not " +
                             describe(members),
                         "write `qd.Struct(mass=1.0, ...)`");
    for (size_t k = 0; k + 1 < members.items.size(); k += 2)
      if (!addMember(cx, *type, items, members.items[k].text, members.items[k + 1], argument->at))
        return Value();
  }
  for (const ast::Keyword &keyword : site.node->keywords)
    if (!addMember(cx, *type, items, std::string(keyword.name), eval(cx, *keyword.value),
                   keyword.at))
      return Value();
  return Value::ofStruct(type, std::move(items));
}

Value doField(Context &cx, CallSite &site, size_t sizes) {
  TypeValue type;
  ElementType &element = type.element;
  if (sizes) {
    element.matrix = true;
    element.vector = sizes == 1;
    for (size_t k = 0; k < sizes; ++k) {
      auto n = exactInt(cx, site.args[k], site.at, "the size of a field's elements");
      if (!n)
        return Value();
      if (*n < 1 || *n > 1024)
        return error(cx, site.at, Problem::FieldElementSizeOutOfRange,
                     "a field's elements have 1 to 1024 components");
      (k == 0 ? element.rows : element.cols) = unsigned(*n);
    }
  }
  const Value &dtype = site.args[sizes];
  if (!dtypeOf(dtype, cx.options, element.type)) {
    if (!sizes && isElementType(dtype))
      type = dtype.type;
    else
      return error(cx, site.at, Problem::FieldDtypeNeeded,
                   "a field needs a dtype, not " + describe(dtype));
  }
  if (!cx.isHost())
    return error(cx, site.at, Problem::FieldInsideKernel, "fields cannot be made inside kernels",
                 "make it at module level");
  return makeField(cx, type, site.given[sizes + 1] ? &site.args[sizes + 1] : nullptr, site.at,
                   site.given[sizes + 5] ? site.args[sizes + 5] : Value::none(),
                   needsGradient(cx, site, sizes + 3));
}

/// `qd.tensor(…, backend=qd.Backend.FIELD)` is a field; other tensors are arrays of the host.
Value doTensor(Context &cx, CallSite &site, size_t sizes) {
  const Value &backend = site.args[sizes + 6];
  if (site.given[sizes + 6] && backend.kind == Value::Str && backend.text == "FIELD")
    return doField(cx, site, sizes);
  return error(cx, site.at, Problem::TensorInKernel,
               "`" + callName(site) + "` makes an array, which host code does",
               "pass it to the kernel (`x: qd.Tensor`), or write `backend=qd.Backend.FIELD`");
}

} // namespace sextant::sema
