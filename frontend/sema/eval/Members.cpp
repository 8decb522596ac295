// What stands behind a dot: names of the language's namespaces, and members of values.
#include "frontend/sema/eval/Members.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Placement.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"
#include "frontend/spelling/NameGuess.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sextant::sema {

namespace {

bool isNamespace(std::string_view name) {
  return name == "simt" || name == "subgroup" || name == "block" || name == "grid" ||
         name == "types" || name == "math" || name == "lang" || name == "Layout" ||
         name == "Backend" || name == "graph" || name == "impl" || name == "warp" ||
         name == "algorithms" || name == "cfg";
}

/// What `qd.cfg.arch` may be: the backends, and of `qd.gpu` those that are GPUs.
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
    if (isNamespace(name))
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
  if (auto *builtin = findBuiltin(space + "." + text)) {
    Value v = Value::of(Value::Builtin);
    v.builtin = builtin;
    return v;
  }
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

Value namespaceMember(Context &cx, const std::string &path, std::string_view name, SourceRange at) {
  if (std::optional<Value> found = findMember(cx, path, name, at))
    return *found;
  std::string text(name);
  std::string space = path == "math" || path == "pymath" || path == "numpy" ? "qd" : path;
  std::string close = closestBuiltin(space, name);
  if (space == "qd" && !nameHere(name).empty())
    close = "qd.math." + std::string(nameHere(name));
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
                 {"ad", "automatic differentiation is not supported", ""},
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
  if (path == "warp")
    return error(cx, at, Problem::MemberUnknown, "`qd.simt.warp` has no `" + text + "`",
                 "`qd.simt.subgroup` has shuffles, votes and ballots of all widths; those with "
                 "`_tiled` take 5 for 32 lanes");
  Fix fix = didYouMean(at, name, close);
  if (!close.starts_with(path + "."))
    fix.edits.clear();
  for (Edit &edit : fix.edits) // the file may have another name for the namespace
    edit.text.erase(0, path.size() + 1);
  return error(cx, at, Problem::MemberUnknown, "`" + path + "` has no `" + text + "`",
               std::move(fix));
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
    if (const std::optional<size_t> k = object.array->structure->find(name)) {
      Value part = Value::of(Value::Array);
      part.array = object.array->members[*k];
      return part;
    }
  if ((name == "parent" && object.array->space == ArrayRef::Field) ||
      (name == "subview" && object.array->isView)) {
    Value method = Value::of(Value::Method);
    method.text = std::string(name);
    method.items.push_back(object);
    return method;
  }
  if (name == "grad" && object.array->gradient) {
    Value gradient = Value::of(Value::Array);
    gradient.array = object.array->gradient;
    return gradient;
  }
  if (name == "grad" && object.array->space == ArrayRef::Field)
    return error(cx, at, Problem::GradientOfArray, describe(object) + " has no gradient",
                 "make it with `needs_grad=True`");
  if (name == "grad" || name == "dual")
    return error(cx, at, Problem::GradientOfArray,
                 describe(object) + " has no `" + std::string(name) + "`",
                 name == "grad" ? "fields with `needs_grad=True` and arrays of reals have one"
                                : "only gradients, `grad`, are supported, as memory");
  return error(cx, at, Problem::MemberUnknown,
               describe(object) + " has no `" + std::string(name) + "`",
               nearestName(at, name, {"shape", "dtype", "ndim", "size", "grad", "fill"},
                           "arrays have shape, dtype, ndim and size"));
}

Value member(Context &cx, const Value &object, std::string_view name, SourceRange at) {
  switch (object.kind) {
  case Value::Poison:
    return object;
  case Value::Namespace:
    return namespaceMember(cx, object.text, name, at);
  case Value::Module: {
    if (auto value = moduleName(cx, *object.module, name, at))
      return *value;
    return error(cx, at, Problem::ModuleMemberUnknown,
                 "the module `" + object.module->ast->file->path() + "` has no `" +
                     std::string(name) + "`",
                 nearestName(at, name, namesOf(*object.module)));
  }
  case Value::Array:
    return arrayMember(cx, object, name, at);
  case Value::Matrix: {
    if (name == "n")
      return Value::exactInt(object.rows);
    if (name == "m")
      return Value::exactInt(object.cols);
    if (auto components = swizzle(name); object.vector && !components.empty()) {
      std::vector<Value> picked;
      for (unsigned k : components) {
        if (k >= object.items.size())
          return error(cx, at, Problem::SwizzleOutsideVector,
                       "a vector of " + std::to_string(object.items.size()) +
                           " components has no `." + std::string(name) + "`");
        picked.push_back(object.items[k]);
      }
      return picked.size() == 1 ? picked[0]
                                : Value::matrix(unsigned(picked.size()), 1, true, picked);
    }
    [[fallthrough]];
  }
  case Value::Tuple:
  case Value::Scalar:
  case Value::Int:
  case Value::Float: {
    if (name == "dtype" && object.kind != Value::Tuple) {
      ElementType element;
      element.type = object.kind == Value::Matrix ? elementOf(cx, object).type : typeOf(cx, object);
      return Value::ofElement(element);
    }
    if (!isVectorMethod(name))
      break;
    Value v = Value::of(Value::Method);
    v.text = std::string(name);
    v.items.push_back(object);
    return v;
  }
  case Value::Struct:
    return structMember(cx, object, name, at);
  case Value::Node:
    if (name == "shape")
      return shapeOf(object);
    [[fallthrough]];
  case Value::Dict: {
    Value v = Value::of(Value::Method);
    v.text = std::string(name);
    v.items.push_back(object);
    return v;
  }
  case Value::Type:
    if (object.type.kind == TypeValue::Struct && name != "field")
      return classMember(cx, object, name, at);
    if (name == "ndarray" || name == "NDArray" || name == "field") {
      Value v = Value::of(Value::Method);
      v.text = std::string(name);
      v.items.push_back(object);
      return v;
    }
    if (object.type.element.matrix && name == "dtype") {
      ElementType element;
      element.type = object.type.element.type;
      return Value::ofElement(element);
    }
    break;
  case Value::Builtin:
    if (std::string_view(object.builtin->name) == "qd.Vector" ||
        std::string_view(object.builtin->name) == "qd.Matrix" ||
        std::string_view(object.builtin->name) == "qd.Struct") {
      if (auto *builtin =
              findBuiltin(std::string(object.builtin->name) + "." + std::string(name))) {
        Value v = Value::of(Value::Builtin);
        v.builtin = builtin;
        return v;
      }
    }
    break;
  default:
    break;
  }
  return error(
      cx, at, Problem::MemberUnknown, describe(object) + " has no `" + std::string(name) + "`",
      object.kind == Value::Str && name == "format" ? "write an f-string: `f\"{x}\"`" : "");
}

} // namespace sextant::sema

std::vector<std::string_view> sextant::libraryModules(std::string_view space) {
  if (space == "qd")
    return {"linalg", "random"};
  if (space == "simt")
    return {"tile"};
  if (space == "algorithms")
    return {
        "algorithms/tiles",    "algorithms/scan",     "algorithms/lookback", "algorithms/reduce",
        "algorithms/select",   "algorithms/keys",     "algorithms/digits",   "algorithms/small",
        "algorithms/ranks",    "algorithms/sortback", "algorithms/sort",     "algorithms/histogram",
        "algorithms/segments", "algorithms/merge",    "algorithms/topk",     "algorithms/chunks"};
  if (space == "subgroup" || space == "block" || space == "grid" || space == "math" ||
      space == "warp")
    return {space};
  return {};
}
