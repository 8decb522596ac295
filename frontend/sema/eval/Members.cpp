// Names after a dot: those of the language's namespaces, and members of values.
#include "frontend/sema/eval/Members.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Placement.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Unknown.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"
#include "frontend/spelling/NameGuess.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sextant::sema {

namespace {

constexpr std::string_view namespaces[] = {
    "simt",    "subgroup", "block", "grid", "types",      "math", "lang", "Layout",
    "Backend", "graph",    "impl",  "warp", "algorithms", "cfg",  "ad",   "tensors"};

/// Names that findMember() knows one by one.
constexpr std::string_view singleNames[] = {"AOS",        "SOA",        "arch", "cpu",  "gpu",
                                            "default_fp", "FIELD",      "bool", "root", "pi",
                                            "tau",        "default_ip", "inf",  "nan",  "NDARRAY"};

/// The backends that `qd.gpu` means: `qd.cfg.arch` is "cpu" or one of them.
constexpr std::string_view gpuBackends[] = {"cuda", "amdgpu", "vulkan", "metal"};

/// The values that `qd.cfg.arch` is compared with.
std::optional<Value> archNamed(std::string_view name) {
  if (name == "cpu" || std::ranges::find(gpuBackends, name) != std::end(gpuBackends))
    return Value::str(std::string(name));
  if (name != "gpu")
    return std::nullopt;
  std::vector<Value> gpus;
  for (std::string_view backend : gpuBackends)
    gpus.push_back(Value::str(std::string(backend)));
  return Value::tuple(std::move(gpus));
}

/// The vector and matrix types of `qd.math`: ivec3, mat4 …
bool shortType(std::string_view name, const SemaOptions &options, ElementType &element) {
  using hir::Type;
  if (name.size() < 4 || name.back() < '2' || name.back() > '4')
    return false;
  const unsigned n = unsigned(name.back() - '0');
  const std::string_view family = name.substr(0, name.size() - 1);
  const Type real = options.defaultFloat, integer = options.defaultInt;
  const Type natural = bitWidth(integer) == 64 ? Type::U64 : Type::U32;
  const std::pair<std::string_view, Type> vectors[] = {{"vec", real},
                                                       {"ivec", integer},
                                                       {"uvec", natural},
                                                       {"bvec", Type::Bool},
                                                       {"dvec", Type::F64}};
  for (auto &[prefix, type] : vectors)
    if (family == prefix) {
      element = {type, n, 1, true, true};
      return true;
    }
  if (family != "mat")
    return false;
  element = {real, n, n, true, false};
  return true;
}

/// Names of functions in other languages, with our names for them.
std::string_view nameHere(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> otherNames[] = {
      {"lerp", "mix"}, {"saturate", "clamp"}, {"frac", "fract"}, {"inversesqrt", "rsqrt"}};
  for (auto &[theirs, ours] : otherNames)
    if (name == theirs)
      return ours;
  return {};
}

} // namespace

/// Returns what a namespace has under a name, or nullopt if it has nothing.
std::optional<Value> findMember(Context &cx, const std::string &path, std::string_view name,
                                SourceRange at) {
  std::string text(name);
  if (path == "qd" || path == "simt" || path == "lang")
    if (std::ranges::find(namespaces, name) != std::end(namespaces))
      return Value::space(text == "lang" ? "qd" : text);
  if (path == "Layout" && (name == "AOS" || name == "SOA"))
    return Value::str(text);
  if (path == "cfg" && name == "arch")
    return Value::str(cx.backend());
  if (path == "qd")
    if (std::optional<Value> arch = archNamed(name))
      return arch;
  if ((path == "runtime" || path == "cfg") && (name == "default_fp" || name == "default_ip")) {
    ElementType element;
    element.type = name == "default_fp" ? cx.options.defaultFloat : cx.options.defaultInt;
    return Value::ofElement(element);
  }
  if (path == "Backend" && (name == "FIELD" || name == "NDARRAY"))
    return Value::str(text);
  hir::Type type;
  if (path == "qd" && name == "bool")
    name = "u1";
  if ((path == "qd" || path == "types" || path == "numpy") && typeFromName(name, type)) {
    ElementType element;
    element.type = type;
    return Value::ofElement(element);
  }
  if (path == "math" || path == "pymath" || path == "numpy" || path == "qd") {
    constexpr double pi = 3.14159265358979323846;
    if (name == "pi")
      return Value::exactFloat(pi);
    if (name == "tau")
      return Value::exactFloat(2 * pi);
    if (name == "e")
      return Value::exactFloat(2.71828182845904523536);
    if (name == "inf")
      return Value::exactFloat(std::numeric_limits<double>::infinity());
    if (name == "nan")
      return Value::exactFloat(std::numeric_limits<double>::quiet_NaN());
  }
  if (path == "qd" && name == "root")
    return Value::of(Value::Node);
  std::string space = path == "math" || path == "pymath" || path == "numpy" ? "qd" : path;
  if (ElementType element;
      (path == "types" || path == "qd" || path == "math") && shortType(name, cx.options, element))
    return Value::ofElement(element);
  if (auto *builtin = cx.program.builtins.find(space + "." + text))
    return Value::ofBuiltin(builtin);
  if (cx.options.library)
    for (std::string_view module : libraryModules(path)) {
      const ast::Module *library = cx.options.library(module);
      if (!library)
        continue;
      ModuleScope &scope =
          cx.program.scopeOf(*library, std::string(module.substr(0, module.find('/'))));
      // Names with an underscore belong to the library, and so do constants, which builds may give
      // and name in options.
      const bool isOwn = name.starts_with('_');
      const bool isInside = !cx.frames.empty() && !cx.frames.back()->module->library.empty();
      auto it = scope.names.find(name);
      if (it != scope.names.end() && (!isOwn || isInside) &&
          (it->second.kind == Definition::Function || it->second.kind == Definition::Class ||
           ((isInside || cx.inOption) && it->second.kind == Definition::Expression)))
        return moduleName(cx, scope, name, at);
    }
  return std::nullopt;
}

/// Returns the nearest name that a namespace has, or "". All names of the language are tried.
static std::string nearestMember(Context &cx, const std::string &path, std::string_view name) {
  NameGuess guess(name);
  const auto consider = [&](std::string_view candidate) {
    NameGuess alone(name);
    alone.consider(candidate);
    if (!alone.best().empty() && !candidate.starts_with('_') && findMember(cx, path, candidate, {}))
      guess.consider(candidate);
  };
  for (const std::string_view candidate : cx.program.builtins.names())
    consider(candidate);
  for (const std::string_view candidate : namespaces)
    consider(candidate);
  for (const std::string_view candidate : gpuBackends)
    consider(candidate);
  for (const std::string_view candidate : singleNames)
    consider(candidate);
  for (unsigned number = 1; number < abi::scalarTypeEnd; ++number)
    consider(abi::nameOf(abi::ScalarType(number)));
  for (const char *family : {"vec", "ivec", "uvec", "bvec", "dvec", "mat"})
    for (const char *size : {"2", "3", "4"})
      consider(std::string(family) + size);
  if (cx.options.library)
    for (std::string_view module : libraryModules(path))
      if (const ast::Module *library = cx.options.library(module))
        for (const std::string_view candidate :
             namesOf(cx.program.scopeOf(*library, std::string(module.substr(0, module.find('/'))))))
          consider(candidate);
  return guess.best();
}

Value namespaceMember(Context &cx, const std::string &path, std::string_view name, SourceRange at) {
  if (std::optional<Value> found = findMember(cx, path, name, at))
    return *found;
  const std::string text(name);
  static constexpr const char *isSparse = "sparse structures are not supported",
                              *dense = "use dense fields, all of whose elements exist",
                              *isOneBackend = "all CPUs are one backend here",
                              *cpu = "compare `qd.cfg.arch` with `qd.cpu`",
                              *count = "count with `qd.atomic_add` on an element of an array, and "
                                       "store at the old count";
  static constexpr struct {
    const char *name, *why, *instead;
  } leftOut[] = {{"activate", isSparse, dense},
                 {"deactivate", isSparse, dense},
                 {"is_active", isSparse, dense},
                 {"append", isSparse, count},
                 {"stop_grad", "it stops the gradient of a whole field",
                  "write `qd.ad.stop_gradient(x[i])` where a value is to be a constant"},
                 {"Texture", "textures are not supported", ""},
                 {"Mesh", "meshes are not supported", ""},
                 {"x64", isOneBackend, cpu},
                 {"arm64", isOneBackend, cpu}};
  if (path == "qd")
    for (auto &left : leftOut)
      if (name == left.name)
        return error(cx, at, Problem::QuadrantsFeatureLeftOut, "`qd." + text + "`: " + left.why,
                     left.instead);
  if (path == "warp" && name == "active_mask")
    return error(cx, at, Problem::MemberUnknown,
                 "`qd.simt.warp` has no `active_mask`: which lanes are together is not known",
                 "write `qd.simt.subgroup.ballot(condition)`, for the lanes where it holds");
  const std::string shown = path == "pymath" ? "math" : path;
  const std::string message = "`" + shown + "` has no `" + text + "`";
  std::string near = nearestMember(cx, path, name);
  const std::string_view here = nameHere(name);
  if (!here.empty() && findMember(cx, path, here, at))
    near = here;
  else if (!here.empty())
    return error(cx, at, Problem::MemberUnknown, message,
                 "did you mean `qd.math." + std::string(here) + "`?");
  if (near.empty() && path == "warp")
    return error(cx, at, Problem::MemberUnknown, message,
                 "`qd.simt.subgroup` has shuffles, votes and ballots of all widths; those with "
                 "`_tiled` take 5 for 32 lanes");
  Fix fix = didYouMean(at, name, near); // the file may have another name for the namespace
  if (!near.empty())
    fix.text = "did you mean `" + shown + "." + near + "`?";
  return error(cx, at, Problem::MemberUnknown, message, std::move(fix));
}

/// A property of an array, or the array of a member of its structs.
static Value arrayMember(Context &cx, const Value &object, std::string_view name, SourceRange at) {
  if (name == "shape") {
    Value shape = Value::tuple(object.array->shape);
    return shape;
  }
  if (name == "dtype") {
    ElementType element;
    element.type = object.array->element.type;
    return Value::ofElement(element);
  }
  if (name == "ndim")
    return Value::exactInt(Exact(object.array->shape.size()));
  if (name == "size") {
    Value size = Value::exactInt(1);
    for (const Value &extent : object.array->shape)
      size = binary(cx, ast::BinaryOp::Mul, size, extent, at);
    return size;
  }
  if (name == "n" && object.array->element.matrix)
    return Value::exactInt(object.array->element.rows);
  if (name == "m" && object.array->element.matrix)
    return Value::exactInt(object.array->element.cols);
  if (object.array->structure) // the array of a member
    if (const std::optional<size_t> k = object.array->structure->find(name))
      return Value::ofArray(object.array->members[*k]);
  if ((name == "parent" && object.array->space == ArrayRef::Field) ||
      (name == "subview" && object.array->isView))
    return Value::method(name, object);
  if (name == "grad" && cx.derivative != Derivative::None && !cx.inDerivative &&
      object.array->space == ArrayRef::Argument)
    return error(cx, at, Problem::GradientOfArray,
                 "a kernel that uses gradients itself has no derivative",
                 "give the kernel the gradient as an array of its own");
  if (name == "grad" && object.array->gradient)
    return Value::ofArray(object.array->gradient);
  if (name == "dual" && object.array->tangent)
    return Value::ofArray(object.array->tangent);
  if (cx.inDerivative && (name == "grad" || name == "dual")) {
    const bool isTangent = name == "dual" && cx.derivative == Derivative::Forward &&
                           object.array->space == ArrayRef::Argument;
    return isTangent && object.array->gradient ? Value::ofArray(object.array->gradient)
                                               : Value::none();
  }
  if ((name == "grad" || name == "dual") && object.array->space == ArrayRef::Field)
    return error(cx, at, Problem::GradientOfArray,
                 describe(object) + " has no " + (name == "grad" ? "gradient" : "tangent"),
                 "make it with `needs_" + std::string(name) + "=True`");
  if (name == "grad" || name == "dual")
    return error(cx, at, Problem::GradientOfArray,
                 describe(object) + " has no `" + std::string(name) + "`",
                 name == "grad" ? "fields with `needs_grad=True` and arrays of reals have one"
                                : "fields with `needs_dual=True` have one");
  std::vector<std::string_view> known = {"shape", "dtype", "ndim",     "size",
                                         "grad",  "fill",  "copy_from"};
  if (object.array->space == ArrayRef::Field)
    known.push_back("parent");
  if (object.array->isView)
    known.push_back("subview");
  if (object.array->structure)
    for (std::string_view one : namesOf(object.array->structure->members))
      known.push_back(one);
  return unknownName(cx, at, Problem::MemberUnknown, describe(object) + " has no", name, known,
                     "arrays have shape, dtype, ndim and size");
}

/// The names of members that values other than arrays, structs and namespaces have.
static std::vector<std::string_view> memberNames(Context &cx, const Value &object) {
  std::vector<std::string_view> names;
  switch (object.kind) {
  case Value::Matrix:
    names = cx.program.builtins.methodNames(/*isNumber=*/false);
    names.insert(names.end(), {"n", "m", "dtype"});
    return names;
  case Value::Tuple:
    return cx.program.builtins.methodNames(/*isNumber=*/false);
  case Value::Scalar:
  case Value::Int:
  case Value::Float:
    names = cx.program.builtins.methodNames(/*isNumber=*/true);
    names.push_back("dtype");
    return names;
  case Value::Type:
    return {"ndarray", "field", "dtype"};
  case Value::Builtin:
    return cx.program.builtins.names(std::string(object.builtin->name) + ".");
  case Value::Str:
    return {"format"};
  default:
    return {};
  }
}

static Value scalarType(hir::Type type) {
  ElementType element;
  element.type = type;
  return Value::ofElement(element);
}

/// A member of a number, a vector, a matrix or a tuple; nullopt if there is none.
static std::optional<Value> numberMember(Context &cx, const Value &object, std::string_view name) {
  if (name == "dtype" && object.kind != Value::Tuple)
    return scalarType(object.kind == Value::Matrix ? elementOf(cx, object).type
                                                   : typeOf(cx, object));
  return cx.program.builtins.method(name) ? std::optional(Value::method(name, object))
                                          : std::nullopt;
}

static std::optional<Value> matrixMember(Context &cx, const Value &object, std::string_view name,
                                         SourceRange at) {
  if (name == "n")
    return Value::exactInt(object.rows);
  if (name == "m")
    return Value::exactInt(object.cols);
  const auto components = swizzle(name);
  if (!object.vector || components.empty())
    return numberMember(cx, object, name);
  std::vector<Value> picked;
  for (unsigned k : components) {
    if (k >= object.items.size())
      return Value(error(cx, at, Problem::SwizzleOutsideVector,
                         "a vector of " + std::to_string(object.items.size()) +
                             " components has no `." + std::string(name) + "`"));
    picked.push_back(object.items[k]);
  }
  return picked.size() == 1 ? picked[0] : Value::matrix(unsigned(picked.size()), 1, true, picked);
}

/// A member of a type; nullopt if there is none.
static std::optional<Value> typeMember(Context &cx, const Value &object, std::string_view name,
                                       SourceRange at) {
  if (object.type.kind == TypeValue::Struct && name != "field")
    return classMember(cx, object, name, at);
  if (name == "ndarray" || name == "NDArray" || name == "field")
    return Value::method(name, object);
  if (object.type.element.matrix && name == "dtype")
    return scalarType(object.type.element.type);
  return std::nullopt;
}

/// `qd.Matrix.rows` and its kin; nullopt if there is none.
static std::optional<Value> builtinMember(Context &cx, const Value &object, std::string_view name) {
  const std::string_view owner = object.builtin->name;
  if (owner != "qd.Vector" && owner != "qd.Matrix" && owner != "qd.Struct")
    return std::nullopt;
  const Builtin *builtin = cx.program.builtins.find(std::string(owner) + "." + std::string(name));
  return builtin ? std::optional(Value::ofBuiltin(builtin)) : std::nullopt;
}

static std::optional<Value> knownMember(Context &cx, const Value &object, std::string_view name,
                                        SourceRange at) {
  switch (object.kind) {
  case Value::Poison:
    return object;
  case Value::Namespace:
    return namespaceMember(cx, object.text, name, at);
  case Value::Module:
    if (auto value = moduleName(cx, *object.module, name, at))
      return value;
    return unknownName(cx, at, Problem::ModuleMemberUnknown,
                       "the module `" + object.module->ast->file->path() + "` has no", name,
                       namesOf(*object.module));
  case Value::Array:
    return arrayMember(cx, object, name, at);
  case Value::Matrix:
    return matrixMember(cx, object, name, at);
  case Value::Tuple:
  case Value::Scalar:
  case Value::Int:
  case Value::Float:
    return numberMember(cx, object, name);
  case Value::Struct:
    return structMember(cx, object, name, at);
  case Value::Node:
    return name == "shape" ? shapeOf(object) : Value::method(name, object);
  case Value::Dict:
    return Value::method(name, object);
  case Value::Type:
    return typeMember(cx, object, name, at);
  case Value::Builtin:
    return builtinMember(cx, object, name);
  default:
    return std::nullopt;
  }
}

Value member(Context &cx, const Value &object, std::string_view name, SourceRange at) {
  if (std::optional<Value> value = knownMember(cx, object, name, at))
    return *value;
  if (object.kind == Value::Str && name == "format") // not called, or as an argument
    return error(cx, at, Problem::MemberUnknown, describe(object) + " has no `format`",
                 "write an f-string: `f\"{x}\"`");
  return unknownName(cx, at, Problem::MemberUnknown, describe(object) + " has no", name,
                     memberNames(cx, object));
}

} // namespace sextant::sema

std::vector<std::string_view> sextant::libraryModules(std::string_view space) {
  if (space == "qd")
    return {"linalg", "random"};
  if (space == "simt")
    return {"tile", "matrices/units"};
  if (space == "algorithms")
    return {"algorithms/fold",      "algorithms/tiles",    "algorithms/scan",
            "algorithms/lookback",  "algorithms/reduce",   "algorithms/select",
            "algorithms/keys",      "algorithms/digits",   "algorithms/small",
            "algorithms/ranks",     "algorithms/sortback", "algorithms/sort",
            "algorithms/histogram", "algorithms/segments", "algorithms/merge",
            "algorithms/topk",      "algorithms/chunks",   "algorithms/derivatives",
            "algorithms/argsort"};
  if (space == "subgroup")
    return {"subgroup",      "matrices/units",    "matrices/lanes",
            "matrices/rows", "matrices/products", "matrices/matrix"};
  if (space == "tensors")
    return {"tensors/tiles",  "tensors/views",   "tensors/softmax", "tensors/bulk",
            "tensors/wgmma",  "tensors/blocks",  "tensors/small",   "tensors/fma",
            "tensors/matmul", "tensors/heads",   "tensors/flash",   "tensors/attention",
            "tensors/decode", "tensors/backward"};
  if (space == "block" || space == "grid" || space == "math" || space == "warp")
    return {space};
  return {};
}
