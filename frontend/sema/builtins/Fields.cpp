// Fields, structs and tensors: their shapes, layouts, names and gradients.
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Interleave.h"
#include "frontend/sema/eval/Levels.h"
#include "frontend/sema/values/Convert.h"

namespace sextant::sema {

using hir::Type;

static bool isSameShape(const ArrayRef &field, const std::vector<Value> &shape) {
  return std::ranges::equal(field.shape, shape, [](const Value &a, const Value &b) {
    return b.kind == Value::Int && a.integer == b.integer;
  });
}

bool shapeField(Context &cx, ArrayRef &field, const Value &shape, SourceRange at) {
  constexpr Exact mostScalars = Exact(1) << 48; // the module format's limit
  field.isUnplaced = false;
  if (!field.levels.empty()) {
    if (isSameShape(field, indexList(shape)))
      return true;
    error(cx, at, Problem::LayoutWrong, "the extents of the layout are not those of the field",
          "give the field the shape that the levels multiply to");
    return false;
  }
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

bool offsetField(Context &cx, ArrayRef &field, const Value &offset, SourceRange at) {
  if (offset.kind == Value::None)
    return true;
  auto fail = [&](std::string message, std::string fix) {
    error(cx, at, Problem::FieldOffsetWrong, std::move(message), std::move(fix));
    return false;
  };
  if (field.isUnplaced)
    return fail("a field with an `offset` needs its `shape` beside it",
                "give the shape here, or the offset to `place`");
  const std::vector<Value> list = indexList(offset);
  if (list.size() != field.shape.size())
    return fail("the field has " + std::to_string(field.shape.size()) +
                    (field.shape.size() == 1 ? " dimension" : " dimensions") +
                    ", but its `offset` has " + std::to_string(list.size()),
                "give one number for each axis");
  std::vector<Exact> first;
  for (size_t k = 0; k < list.size(); ++k) {
    const auto index = exactInt(cx, list[k], at, "the offset of a field");
    if (!index)
      return false;
    if (*index < minOf(Type::I32) || *index + field.shape[k].integer - 1 > maxOf(Type::I32))
      return fail("indices from " + spell(*index) + " on are not those of an i32",
                  "choose an offset nearer to 0");
    first.push_back(*index);
  }
  field.first = std::move(first);
  for (const std::shared_ptr<ArrayRef> &member : field.members)
    if (!offsetField(cx, *member, offset, at))
      return false;
  return !field.gradient || offsetField(cx, *field.gradient, offset, at);
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
  if (array.whole && (array.structure || !array.levels.empty()))
    array.whole->name = name; // the outermost struct is the last to name it
  if (array.gradient)         // and its gradient's members
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

/// The field whose elements lie at these levels, and those of its members.
static std::shared_ptr<ArrayRef> scatteredField(const TypeValue &element, const Levels &levels,
                                                int ndim, SourceRange at) {
  auto array = std::make_shared<ArrayRef>();
  array->space = ArrayRef::Field;
  array->at = at;
  if (element.kind != TypeValue::Struct) {
    array->element = wholeType(element.element).element;
    array->shape = {Value::exactInt(scalarsOf(levels.levels, element.element))};
    return levelsOver(element.element, levels.levels, ndim, array);
  }
  array->structure = element.structure;
  for (size_t k = 0; k < levels.members.size(); ++k)
    array->members.push_back(
        scatteredField(element.structure->members[k].type, levels.members[k], ndim, at));
  return array;
}

/// Fields are values of module constants: `x = qd.field(qd.f32, shape=(4, 4))`. A field of structs
/// is a field for each member, so that neighbouring threads read neighbouring numbers.
static Value fieldOf(Context &cx, const TypeValue &element, const Value *shape, SourceRange at,
                     const Value &layout) {
  if (isLevelsLayout(layout)) {
    Levels levels;
    if (!levelsOf(cx, layout, element.structure.get(), shape ? int(indexList(*shape).size()) : -1,
                  levels, at))
      return Value();
    Value field = Value::of(Value::Array);
    field.array = scatteredField(element, levels, int(indexList(*shape).size()), at);
    return shapeField(cx, *field.array, *shape, at) ? field : Value();
  }
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

Value makeField(Context &cx, const TypeValue &element, const FieldCall &call, SourceRange at) {
  const Value *shape = call.shape.kind == Value::None ? nullptr : &call.shape;
  Value field = fieldOf(cx, element, shape, at, call.layout);
  if (field.isPoison())
    return field;
  if (call.needsGradient) {
    field.array->gradient = fieldOf(cx, element, shape, at, call.layout).array;
    linkGradients(*field.array);
  }
  return offsetField(cx, *field.array, call.offset, at) ? field : Value();
}

/// What a call says from its argument `shape` on, with or without `needs_dual`.
static FieldCall fieldCall(Context &cx, const CallSite &site, size_t shape, bool hasDual) {
  FieldCall call;
  auto given = [&](size_t argument) {
    return site.given[argument] ? site.args[argument] : Value::none();
  };
  call.shape = given(shape);
  bool known = false;
  const Value needsGradient = given(shape + 2);
  call.needsGradient =
      needsGradient.kind != Value::None && isTruthy(cx, needsGradient, known, site.at);
  call.layout = given(shape + 3 + hasDual);
  call.offset = given(shape + 4 + hasDual);
  return call;
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
  return makeField(cx, type, fieldCall(cx, site, 1, /*hasDual=*/false), site.at);
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
  return makeField(cx, type, fieldCall(cx, site, sizes + 1, /*hasDual=*/true), site.at);
}

/// `qd.tensor(…, backend=qd.Backend.FIELD)` is a field; other tensors are arrays of the host.
Value doTensor(Context &cx, CallSite &site, size_t sizes) {
  const Value &backend = site.args[sizes + 7];
  if (site.given[sizes + 7] && backend.kind == Value::Str && backend.text == "FIELD")
    return doField(cx, site, sizes);
  return error(cx, site.at, Problem::TensorInKernel,
               "`" + callName(site) + "` makes an array, which host code does",
               "pass it to the kernel (`x: qd.Tensor`), or write `backend=qd.Backend.FIELD`");
}

} // namespace sextant::sema
