// Turns the parameters of a kernel into constants and into entries of the argument block.
#include "frontend/sema/Arguments.h"
#include "frontend/sema/Instantiate.h"
#include "frontend/sema/eval/Names.h"

namespace sextant::sema {

using hir::Type;

namespace {

/// The ways to pass a parameter.
enum class Passing : uint8_t {
  Never,  ///< there was an error
  Fixed,  ///< it is a constant of the instance
  Launch, ///< each launch passes it
};

/// Appends the argument's entries in the argument block to the kernel's parameters, and returns the
/// index of the first.
unsigned addParams(const hir::Argument &argument, hir::Kernel &kernel) {
  std::vector<abi::Param> entries;
  abi::addEntries(argument, entries);
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
  const bool fits = !type.elementKnown || !isKnown || type.element.type == given.element.type;
  if (!fits)
    error(cx, parameter.at, Problem::RequestOfAnotherDtype,
          "`" + std::string(parameter.name) +
              "` is instantiated with another dtype than it declares");
  if (isKnown)
    type.element = given.element;
  type.elementKnown |= isKnown;
  if (isArray && type.ndim < 0)
    type.ndim = given.ndim;
  return fits;
}

/// Decides how a parameter is passed. Sets the variable's value if the instance fixes it, and the
/// type if a launch passes it. `ok` becomes false after an error.
Passing passingOf(Context &cx, const ast::FunctionDef &function, const ast::Parameter &parameter,
                  const Value *given, Variable &variable, TypeValue &type, bool &ok) {
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
  if (isTyped && !annotation(cx, *parameter.annotation, type))
    return Passing::Never;
  if (isTyped && type.kind != TypeValue::Template) {
    if (!given)
      return Passing::Launch;
    if (type.kind != TypeValue::NdArray || given->kind != Value::Type)
      return never(Problem::ParameterTypedAndGiven,
                   "`" + name +
                       "` has a type and is passed at launch: it cannot be given "
                       "a value when kernels are built",
                   "annotate it with `qd.template()`");
    ok &= refine(cx, parameter, given->type, type);
    return Passing::Launch;
  }
  if (given && (given->kind != Value::Type || isTyped)) // also a type as a constant
    return fixed(*given);
  if (given) { // `x=qd.f32` types an untyped parameter
    type = given->type;
    return Passing::Launch;
  }
  if (parameter.defaultValue)
    return fixed(evalHost(cx, *parameter.defaultValue, *cx.frame().module));
  return never(Problem::TemplateParameterWithoutValue,
               "the template parameter `" + name + "` is given no value",
               "name one, as in --kernel '" + std::string(function.name) + "[" + name + "=...]'");
}

/// The value of an array that launches pass.
std::optional<Value> arrayArgument(Context &cx, const ast::FunctionDef &function,
                                   const ast::Parameter &parameter, const TypeValue &type,
                                   hir::Argument &argument) {
  if (!type.elementKnown || type.ndim < 0) {
    const std::string &name = argument.name;
    error(cx, parameter.at, Problem::NdarrayWithoutDimensionsOrElement,
          "the ndarray `" + name + "` has no " +
              (type.elementKnown ? "number of dimensions" : "element type"),
          type.elementKnown ? "write `qd.types.ndarray(dtype=..., ndim=...)`"
                            : "write it in the annotation, or name it, as in --kernel '" +
                                  std::string(function.name) + "[" + name + "=qd.f32]'");
    return std::nullopt;
  }
  argument.kind = hir::Argument::Array;
  argument.dtype = type.element.type;
  argument.ndim = unsigned(type.ndim);
  argument.rows = type.element.rows;
  argument.cols = type.element.cols;
  auto array = std::make_shared<ArrayRef>();
  array->space = ArrayRef::Argument;
  array->name = argument.name;
  array->element = type.element;
  array->at = parameter.at;
  const unsigned first = addParams(argument, cx.draft.kernel);
  array->buffer = {hir::BufferRef::Param, first};
  for (unsigned d = 0; d < argument.ndim; ++d)
    array->shape.push_back(Value::scalar(makeParam(first + 1 + d, Type::I32, parameter.at)));
  Value value = Value::of(Value::Array);
  value.array = std::move(array);
  return value;
}

/// The value of a scalar, vector or matrix that launches pass.
Value elementArgument(Context &cx, const ast::Parameter &parameter, const ElementType &element,
                      hir::Argument &argument) {
  argument.kind = element.matrix ? hir::Argument::Matrix : hir::Argument::Scalar;
  argument.dtype = element.type;
  argument.rows = element.rows;
  argument.cols = element.cols;
  const unsigned first = addParams(argument, cx.draft.kernel);
  std::vector<Value> items;
  for (unsigned k = 0; k < element.count(); ++k)
    items.push_back(Value::scalar(makeParam(first + k, element.type, parameter.at)));
  return element.matrix
             ? Value::matrix(element.rows, element.cols, element.vector, std::move(items))
             : items[0];
}

/// Returns false after an error.
bool bindArgument(Context &cx, const ast::FunctionDef &function, const ast::Parameter &parameter,
                  const Value *given) {
  VariablePtr variable = declare(cx, parameter.name, parameter.at);
  variable->alias = variable->readOnly = true;
  bool ok = true;
  TypeValue type;
  const Passing passing = passingOf(cx, function, parameter, given, *variable, type, ok);
  if (passing != Passing::Launch)
    return ok && passing == Passing::Fixed;
  hir::Argument argument;
  argument.name = std::string(parameter.name);
  if (parameter.defaultValue) {
    error(cx, parameter.defaultValue->at, Problem::DefaultNeverUsed,
          "`" + argument.name + "` is passed at every launch: its default would never be used",
          "remove the default, or annotate `" + argument.name +
              "` with `qd.template()` to fix the value when the kernel is built");
    return false;
  }
  if (type.kind == TypeValue::NdArray) {
    std::optional<Value> array = arrayArgument(cx, function, parameter, type, argument);
    if (!array)
      return false;
    variable->value = std::move(*array);
  } else if (type.kind == TypeValue::Element) {
    variable->value = elementArgument(cx, parameter, type.element, argument);
  } else {
    error(cx, parameter.at, Problem::ParameterTypeNotOfKernels,
          "a kernel cannot take a parameter of this type");
    return false;
  }
  cx.draft.kernel.arguments.push_back(std::move(argument));
  return ok;
}

} // namespace

bool bindArguments(Context &cx, const ast::FunctionDef &function,
                   const std::vector<std::pair<std::string, Value>> &bound) {
  bool ok = true;
  for (const ast::Parameter &parameter : function.parameters) {
    if (parameter.kind == ast::Parameter::VarArgs || parameter.kind == ast::Parameter::KwArgs) {
      error(cx, parameter.at, Problem::KernelWithStarParameters,
            "kernels cannot take `*` or `**` parameters");
      return false;
    }
    const Value *given = nullptr;
    for (const auto &[name, value] : bound)
      if (name == parameter.name)
        given = &value;
    ok &= bindArgument(cx, function, parameter, given);
  }
  return ok;
}

} // namespace sextant::sema
