// Turns the parameters of a kernel into constants and into entries of the argument block.
#include "frontend/sema/kernels/Arguments.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Fields.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/Interleave.h"
#include "frontend/sema/eval/Levels.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Returns.h"

#include <algorithm>

namespace sextant::sema {

using hir::Type;

namespace {

/// The ways to pass a parameter.
enum class Passing : uint8_t {
  Never,  ///< there was an error
  Fixed,  ///< it is a constant of the instance
  Launch, ///< each launch passes it
};

/// The type of an array's extents in the argument block.
Type extentType(Context &cx) { return cx.options.largeArrays ? Type::I64 : Type::I32; }

/// Appends the argument's entries in the argument block to the kernel's parameters, and returns the
/// index of the first.
unsigned addParams(Context &cx, const hir::Argument &argument) {
  hir::Kernel &kernel = cx.draft.kernel;
  std::vector<abi::Param> entries;
  abi::addEntries(argument, entries, extentType(cx));
  const auto first = unsigned(kernel.params.size());
  for (unsigned i = 0; i < entries.size(); ++i) {
    bool isBuffer = entries[i].kind == abi::Param::Buffer;
    std::string name = argument.name;
    if (argument.kind == hir::Argument::Array && i > 0)
      name += ".shape" + std::to_string(i - 1);
    else if (argument.kind == hir::Argument::Matrix)
      name += "." + std::to_string(i);
    kernel.params.push_back(
        {isBuffer ? hir::Param::Buffer : hir::Param::Value, entries[i].dtype, std::move(name)});
  }
  return first;
}

/// Completes an ndarray's type from the instance. Returns false after an error.
bool refine(Context &cx, const ast::Parameter &parameter, const TypeValue &given, TypeValue &type) {
  const bool isArray = given.kind == TypeValue::NdArray;
  const bool isKnown = !isArray || given.elementKnown;
  bool fits = !type.elementKnown || !isKnown || type.element.type == given.element.type;
  fits &= type.elementDim < 0 || !isKnown || type.elementDim == given.element.dimensions();
  if (!fits)
    error(cx, parameter.at, Problem::RequestOfAnotherDtype,
          "`" + std::string(parameter.name) +
              "` is instantiated with another dtype than it declares");
  if (isKnown) {
    type.element = given.element;
    if (isArray && given.structure)
      type.structure = given.structure;
  }
  type.isInterleaved |= given.isInterleaved;
  type.clamps |= given.clamps;
  type.isConstant |= given.isConstant;
  type.elementKnown |= isKnown;
  if (isArray && type.ndim < 0)
    type.ndim = given.ndim;
  if (isArray && !given.layout.empty() && given.layout.size() == size_t(type.ndim))
    type.layout = given.layout;
  else if (isArray && !given.layout.empty())
    error(cx, parameter.at, Problem::LayoutWrong,
          "`" + std::string(parameter.name) + "` has " + std::to_string(type.ndim) +
              " dimensions, but is instantiated with a layout of " +
              std::to_string(given.layout.size()));
  if (given.levels.empty())
    return fits;
  if (given.ndim != type.ndim || given.structure != type.structure)
    return error(cx, parameter.at, Problem::LayoutWrong,
                 "`" + std::string(parameter.name) +
                     "` is instantiated with a layout of another number of dimensions, or of other "
                     "elements");
  type.levels = given.levels;
  return fits;
}

/// True if the value is the type of what launches pass: an array, or a class whose values they pass
/// by members. (Of numbers, records and classes of the host, a template parameter takes the type
/// itself.)
bool isPassed(const Value &given) {
  if (given.kind != Value::Type || given.type.kind != TypeValue::Struct)
    return given.kind == Value::Type && given.type.kind == TypeValue::NdArray;
  return given.type.structure->kind == StructType::Container ||
         given.type.structure->kind == StructType::Object;
}

/// True if launches pass the value, or items of a list.
/// \param isTemplate for a template parameter
bool holdsPassed(const Value &given, bool isTemplate) {
  if (given.kind == Value::Tuple)
    return std::ranges::any_of(given.items,
                               [&](const Value &item) { return holdsPassed(item, isTemplate); });
  return given.kind == Value::Struct || isPassed(given) ||
         (given.kind == Value::Type && !given.type.isItself && !isTemplate);
}

/// Returns what the instance gives a template parameter. Types that launches don't pass become
/// constants.
Value asConstants(Value given) {
  for (Value &item : given.items)
    if (given.kind == Value::Tuple)
      item = asConstants(std::move(item));
  if (given.kind == Value::Type && !isPassed(given))
    given.type.isItself = true;
  return given;
}

/// A type, or types in a list, that the instance gives as constants.
Value constantType(const Value &given) {
  Value type = given;
  type.type.isItself = false;
  if (type.kind == Value::Tuple)
    for (Value &item : type.items)
      item = constantType(item);
  return type;
}

/// Decides how a parameter is passed. Sets the variable's value if the instance fixes it, and the
/// type if a launch passes it. `ok` becomes false after an error.
Passing passingOf(Context &cx, const ast::Parameter &parameter, const Value *given,
                  Variable &variable, TypeValue &type, bool &ok) {
  const std::string name(parameter.name);
  auto fixed = [&](Value value) {
    variable.value = std::move(value);
    variable.value.isStatic = true;
    ok &= !variable.value.isPoison();
    return Passing::Fixed;
  };
  auto never = [&](Problem problem, std::string message, std::string fix) {
    error(cx, parameter.at, problem, std::move(message), std::move(fix));
    return Passing::Never;
  };
  const bool isTyped = parameter.annotation != nullptr;
  if (isTyped && !signatureAnnotation(cx, *parameter.annotation, type))
    return Passing::Never;
  if (isTyped && type.kind != TypeValue::Template) {
    if (!given || (type.kind == TypeValue::Struct && given->kind == Value::Struct))
      return Passing::Launch;
    const bool isTensor = type.kind == TypeValue::NdArray && !type.elementKnown;
    if ((type.isOptional || isTensor) && given->kind == Value::None)
      return fixed(*given);
    if (isTensor && given->kind == Value::Array && type.ndim >= 0 &&
        given->array->shape.size() != size_t(type.ndim))
      return never(Problem::ArgumentDimensionsDiffer,
                   "`" + name + "` has " + std::to_string(type.ndim) + " dimensions, and " +
                       describe(*given) + " has " + std::to_string(given->array->shape.size()),
                   "name a field of as many dimensions");
    if (isTensor && given->kind == Value::Array && type.clamps)
      return never(Problem::RequestWrong,
                   "`" + name + "` has `boundary=\"clamp\"`, and " + describe(*given) +
                       " is not an array that launches pass",
                   "name its type, as in `" + name + "=ndarray(f32, 1)`");
    if (isTensor && given->kind == Value::Array) // a field
      return fixed(*given);
    if (type.kind != TypeValue::NdArray || given->kind != Value::Type)
      return never(Problem::ParameterTypedAndGiven,
                   "`" + name +
                       "` has a type and is passed at launch: it cannot be given "
                       "a value when kernels are built",
                   "annotate it with `qd.template()`");
    ok &= refine(cx, parameter, given->type, type);
    return Passing::Launch;
  }
  // An array, or an object or a container, with members that the instance names or without.
  if (given && (given->kind == Value::Struct || isPassed(*given))) {
    type = given->type;
    return Passing::Launch;
  }
  if (given && given->kind == Value::Tuple && holdsPassed(*given, isTyped))
    return Passing::Launch;
  if (given && (given->kind != Value::Type || isTyped || given->type.isItself))
    return fixed(constantType(*given));
  if (given) { // `x=qd.f32` types an untyped parameter
    type = given->type;
    return Passing::Launch;
  }
  if (parameter.defaultValue)
    return fixed(evalHost(cx, *parameter.defaultValue, *cx.frame().module));
  return never(Problem::TemplateParameterWithoutValue,
               "the template parameter `" + name + "` is given no value",
               "name one, as in --kernel '" + cx.draft.kernel.name + "[" + name + "=...]'");
}

/// A parameter, or a member of one, that launches pass.
struct Passed {
  std::string name; ///< "x"; of members "state.x"
  SourceRange at;
  std::string_view kernel;
};

/// Returns what an array's type lacks to be an argument, as an Absent; nullopt if it lacks nothing.
std::optional<Value> lackOf(const TypeValue &type, const Passed &passed) {
  const bool isKnown = type.elementKnown || type.structure;
  if (isKnown && type.ndim >= 0)
    return std::nullopt;
  return Value::absent(
      "the ndarray `" + passed.name + "` has no " +
          (isKnown ? "number of dimensions" : "element type"),
      isKnown
          ? "write `qd.types.ndarray(dtype=..., ndim=...)`"
          : "write it in the annotation, or name it, as in --kernel '" +
                std::string(passed.kernel) + "[" + passed.name + "=" +
                (passed.name.find('.') == std::string::npos ? "qd.f32" : "ndarray(f32, 1)") + "]'");
}

/// The value of an array that launches pass. An array of structs is one for each member.
std::shared_ptr<ArrayRef> arrayArgument(Context &cx, const TypeValue &type, const Passed &passed) {
  if (type.structure && type.isInterleaved) {
    TypeValue vectors = type;
    const auto element = interleavedElement(cx, *type.structure, /*isField=*/false, passed.at);
    if (!element)
      return nullptr;
    vectors.structure = nullptr;
    vectors.element = *element;
    const auto whole = arrayArgument(cx, vectors, passed);
    const auto structs = interleavedOver(type.structure, whole);
    cx.draft.kernel.arguments.back().structure = whole->elements;
    return structs;
  }
  if (!type.levels.levels.empty())
    return levelsOver(type.element, type.levels.levels, type.ndim,
                      arrayArgument(cx, wholeType(type.element), passed));
  auto array = std::make_shared<ArrayRef>();
  array->space = ArrayRef::Argument;
  array->name = passed.name;
  array->element = type.element;
  array->at = passed.at;
  array->layout = type.layout;
  array->isView = type.isView;
  if (type.structure) {
    array->structure = type.structure;
    for (size_t k = 0; k < type.structure->members.size(); ++k) {
      const StructMember &member = type.structure->members[k];
      TypeValue part = member.type;
      part.ndim = type.ndim;
      part.layout = type.layout;
      if (!type.levels.empty())
        part.levels = type.levels.members[k];
      array->members.push_back(
          arrayArgument(cx, part, {passed.name + "." + member.name, passed.at, passed.kernel}));
    }
    array->shape = array->members.empty() ? array->shape : array->members[0]->shape;
    return array;
  }
  hir::Argument argument;
  argument.name = passed.name;
  argument.kind = hir::Argument::Array;
  argument.dtype = type.element.type;
  argument.ndim = unsigned(type.ndim);
  argument.rows = type.element.rows;
  argument.cols = type.element.cols;
  const unsigned first = addParams(cx, argument);
  array->buffer = {hir::BufferRef::Param, first};
  array->shape.resize(argument.ndim);
  for (unsigned level = 0; level < argument.ndim; ++level) // the host passes it as it is in memory
    array->shape[array->axisAt(level)] =
        Value::scalar(makeParam(first + 1 + level, extentType(cx), passed.at));
  cx.draft.kernel.arguments.push_back(std::move(argument));
  return array;
}

void setClamps(ArrayRef &array) {
  array.clamps = true;
  for (const std::shared_ptr<ArrayRef> &member : array.members)
    setClamps(*member);
}

/// True if some scalar of the elements is real.
bool hasReals(const TypeValue &type) {
  if (!type.structure)
    return hir::isFloat(type.element.type);
  const auto &members = type.structure->members;
  return std::any_of(members.begin(), members.end(),
                     [](const StructMember &member) { return hasReals(member.type); });
}

/// An array that launches pass, with its gradient, and, where the build wants it, with what it had
/// before. These are arguments if the kernel uses them, so the instance need not name them.
std::shared_ptr<ArrayRef> arrayWithGradient(Context &cx, const TypeValue &type,
                                            const Passed &passed) {
  std::shared_ptr<ArrayRef> array = arrayArgument(cx, type, passed);
  if (array && type.clamps)
    setClamps(*array);
  const auto addLike = [&](std::shared_ptr<ArrayRef> ArrayRef::*which, const char *ending) {
    const size_t first = cx.draft.kernel.arguments.size();
    (*array).*which = arrayArgument(cx, type, {passed.name + ending, passed.at, passed.kernel});
    for (size_t k = first; k < cx.draft.kernel.arguments.size(); ++k)
      cx.draft.members.insert(k);
    if ((*array).*which && type.clamps)
      setClamps(*((*array).*which));
    linkMembers(*array, which);
  };
  if (array && cx.options.keepOverwritten && cx.derivative == Derivative::Reverse)
    addLike(&ArrayRef::before, ".before");
  const bool isDerivative = cx.derivative != Derivative::None;
  if (array && hasReals(type) && !(isDerivative && type.isConstant))
    addLike(&ArrayRef::gradient, cx.derivative == Derivative::Forward ? ".dual" : ".grad");
  return array;
}

/// The value of a scalar, vector or matrix that launches pass.
Value elementArgument(Context &cx, const ElementType &element, const Passed &passed) {
  hir::Argument argument;
  argument.name = passed.name;
  argument.kind = element.matrix ? hir::Argument::Matrix : hir::Argument::Scalar;
  argument.dtype = element.type;
  argument.rows = element.rows;
  argument.cols = element.cols;
  const unsigned first = addParams(cx, argument);
  cx.draft.kernel.arguments.push_back(std::move(argument));
  std::vector<Value> items;
  for (unsigned k = 0; k < element.count(); ++k)
    items.push_back(Value::scalar(makeParam(first + k, element.type, passed.at)));
  return element.matrix
             ? Value::matrix(element.rows, element.cols, element.vector, std::move(items))
             : items[0];
}

Value structArgument(Context &cx, const std::shared_ptr<const StructType> &type, const Value *given,
                     const Passed &passed);

/// The value of a member that launches pass, or that the instance fixes. A member without a type
/// is an error where the kernel uses it, and no earlier.
Value memberArgument(Context &cx, const TypeValue &declared, const Value *given,
                     const Passed &passed) {
  TypeValue type = declared;
  if (given && given->kind == Value::Struct) {
    const bool isDeclared = declared.kind == TypeValue::Struct;
    return structArgument(cx, isDeclared ? declared.structure : given->type.structure, given,
                          passed);
  }
  if (given && given->kind == Value::Tuple) {
    Value list = *given;
    for (size_t k = 0; k < list.items.size(); ++k)
      list.items[k] =
          memberArgument(cx, TypeValue(), &given->items[k],
                         {passed.name + "." + std::to_string(k), passed.at, passed.kernel});
    return list;
  }
  if (given && given->kind != Value::Type)
    return *given;
  if (given && given->type.isItself)
    return constantType(*given);
  if (given && declared.kind == TypeValue::Struct &&
      (given->type.kind != TypeValue::Struct || given->type.structure != declared.structure))
    return error(cx, passed.at, Problem::RequestWrong,
                 "`" + passed.name + "` is a `" + declared.structure->name +
                     "`, and an instantiation of `" + std::string(passed.kernel) +
                     "` names something else",
                 "name its members: `" + passed.name + ".member=...`");
  if (given && declared.kind != TypeValue::Struct) {
    const int ndim = declared.kind == TypeValue::NdArray ? declared.ndim : -1;
    type = given->type;
    type.ndim = type.ndim < 0 ? ndim : type.ndim;
    type.clamps |= declared.clamps;
    type.isConstant |= declared.isConstant;
    type.isView |= declared.isView;
  }
  switch (type.kind) {
  case TypeValue::Struct:
    return structArgument(cx, type.structure, given, passed);
  case TypeValue::Element:
    return elementArgument(cx, type.element, passed);
  case TypeValue::NdArray: {
    if (std::optional<Value> lack = lackOf(type, passed))
      return *lack;
    Value value = Value::ofArray(arrayWithGradient(cx, type, passed));
    return value.array ? value : Value();
  }
  default:
    return Value::absent("this build gives `" + passed.name + "` no value",
                         "name it in the instance, as in --kernel '" + std::string(passed.kernel) +
                             "[" + passed.name + "=ndarray(f32, 1)]'");
  }
}

/// The value of a struct whose members launches pass.
/// \param given a struct of the members that the instance names; null or a class: it names none
Value structArgument(Context &cx, const std::shared_ptr<const StructType> &type, const Value *given,
                     const Passed &passed) {
  if (given && given->kind != Value::Struct)
    given = nullptr;
  const bool isObject = type->kind == StructType::Object;
  const auto &whole = isObject && given ? given->type.structure : type;
  Value value = Value::ofStruct(whole, {});
  value.text = passed.name;
  if (given)
    for (const StructMember &named : given->type.structure->members)
      if (!whole->find(named.name))
        return error(cx, passed.at, Problem::RequestWrong,
                     "`" + type->name + "` has no member `" + named.name +
                         "`, which an instantiation of `" + std::string(passed.kernel) + "` names",
                     nearestName({}, named.name, namesOf(whole->members)));
  for (size_t k = 0; k < whole->members.size(); ++k) {
    const StructMember &member = whole->members[k];
    const Passed one{passed.name + "." + member.name, passed.at, passed.kernel};
    std::optional<size_t> named;
    if (given)
      named = given->type.structure->find(member.name);
    const Value *is = named && !given->items[*named].isPoison() ? &given->items[*named] : nullptr;
    if (!is && !member.problem.empty())
      value.items.push_back(
          Value::absent("`" + one.name + "` means nothing to kernels: " + member.problem,
                        "change its annotation in `" + type->name + "`"));
    else
      value.items.push_back(memberArgument(cx, member.type, is, one));
  }
  return value;
}

/// Returns false after an error.
bool bindArgument(Context &cx, const ast::Parameter &parameter, const Value *given) {
  VariablePtr variable = declare(cx, parameter.name, parameter.at);
  variable->alias = variable->readOnly = true;
  bool ok = true;
  TypeValue type;
  const Passing passing = passingOf(cx, parameter, given, *variable, type, ok);
  if (passing != Passing::Launch)
    return ok && passing == Passing::Fixed;
  const Passed passed{std::string(parameter.name), parameter.at, cx.draft.kernel.name};
  if (parameter.defaultValue)
    return error(cx, parameter.defaultValue->at, Problem::DefaultNeverUsed,
                 "`" + passed.name + "` is passed at every launch: its default would never be used",
                 "remove the default, or annotate `" + passed.name +
                     "` with `qd.template()` to fix the value when the kernel is built");
  if (type.kind == TypeValue::NdArray) {
    if (const std::optional<Value> lack = lackOf(type, passed))
      return error(cx, parameter.at, Problem::NdarrayWithoutDimensionsOrElement, lack->text,
                   lack->fix);
    variable->value = Value::ofArray(arrayWithGradient(cx, type, passed));
    ok &= variable->value.array != nullptr;
  } else if (type.kind == TypeValue::Element) {
    variable->value = elementArgument(cx, type.element, passed);
  } else if (type.kind == TypeValue::Struct || (given && given->kind == Value::Tuple)) {
    const size_t first = cx.draft.kernel.arguments.size();
    std::optional<Value> asked;
    if (given)
      asked = parameter.annotation ? asConstants(*given) : *given;
    variable->value = memberArgument(cx, type, asked ? &*asked : nullptr, passed);
    ok &= !variable->value.isPoison();
    for (size_t k = first; k < cx.draft.kernel.arguments.size(); ++k)
      cx.draft.members.insert(k);
  } else {
    return error(cx, parameter.at, Problem::ParameterTypeNotOfKernels,
                 "a kernel cannot take a parameter of this type");
  }
  return ok;
}

} // namespace

bool bindArguments(Context &cx, const ast::FunctionDef &function,
                   const std::vector<std::pair<std::string, Value>> &bound) {
  bool ok = true;
  for (const ast::Parameter &parameter : function.parameters) {
    if (parameter.kind == ast::Parameter::VarArgs || parameter.kind == ast::Parameter::KwArgs)
      return error(cx, parameter.at, Problem::KernelWithStarParameters,
                   "kernels cannot take `*` or `**` parameters",
                   "name each parameter, or take a struct, whose members are arguments");
    const Value *given = nullptr;
    for (const auto &[name, value] : bound)
      if (name == parameter.name)
        given = &value;
    ok &= bindArgument(cx, parameter, given);
  }
  return ok;
}

bool bindResults(Context &cx, const TypeValue &type, SourceRange at) {
  const std::vector<TypeValue> types = resultTypes(type);
  for (size_t k = 0; k < types.size(); ++k) {
    if (types[k].kind != TypeValue::Element || !hir::isFloat(types[k].element.type))
      continue;
    const std::string name = (types.size() == 1 ? "return" : nameOfResult(k)) + "_grad";
    const auto isOfIt = [&](const hir::Argument &each) { return each.name == name; };
    if (std::ranges::any_of(cx.draft.kernel.arguments, isOfIt))
      return error(cx, at, Problem::GradientOfOperation,
                   "the gradient of the result is the argument `" + name +
                       "`, and the kernel has a parameter of that name",
                   "rename the parameter");
    cx.draft.members.insert(cx.draft.kernel.arguments.size());
    cx.draft.gradientsOfResults[nameOfResult(k)] = unsigned(cx.draft.kernel.params.size());
    elementArgument(cx, types[k].element, {name, at, cx.draft.kernel.name});
  }
  return true;
}

} // namespace sextant::sema
