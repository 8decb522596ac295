// Finds kernels that a file marks but that cannot be built where they stand: methods, coroutines,
// functions that host code would have to define first, misspelled marks. Each is an error, so that
// no kernel is silently left out.
#include "frontend/sema/kernels/Marks.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/kernels/Options.h"
#include "frontend/spelling/NameGuess.h"
#include "frontend/syntax/Lexer.h"

namespace sextant::sema {

namespace {

void refuse(const ast::MarkedDef &marked, DiagnosticSink &sink) {
  std::string name = "`" + std::string(marked.name) + "`";
  std::string mark = "@qd." + marked.mark;
  if (marked.kind == "async")
    return sink.error(marked.at, Problem::AsyncKernel,
                      name + " is marked " + mark + ", but is `async`: kernels have no coroutines",
                      "remove `async`");
  if (marked.kind == "class")
    return sink.error(marked.at, Problem::ClassMarkedAsKernel,
                      name + " is a class: " + mark + " marks functions",
                      "mark a function at module level");
  if (marked.within == "class")
    return sink.error(marked.at, Problem::MethodMarkedAsKernel,
                      name + " is a method marked " + mark + ", but `" +
                          std::string(marked.withinName) + "` is a class of the host",
                      "move the class to module level, and decorate it with `@qd.data_oriented`");
  if (marked.mark != "kernel") // an error at its use
    return;
  std::string around = marked.within == "def"
                           ? "inside the function `" + std::string(marked.withinName) + "`"
                           : "under `" + marked.within + "`";
  sink.error(marked.at, Problem::KernelInsideHostCode,
             name + " is a kernel " + around +
                 ", which is host code and not run when kernels are built",
             marked.within == "def" ? "move it to module level, and give what it takes from around "
                                      "it as `qd.template()` parameters"
                                    : "move it to module level; `qd.static(...)` in its body can "
                                      "choose between variants");
}

} // namespace

constexpr std::string_view functionMarks[] = {"kernel", "func", "real_func", "pyfunc",
                                              "perf_dispatch"};
constexpr std::string_view classMarks[] = {"dataclass", "data_oriented"};

namespace {
/// A decorator that resembles a mark and is not one.
struct Misspelled {
  std::string before;                 ///< "qd."
  std::string_view written;           ///< the name, as the package would have it
  const Definition *import = nullptr; ///< the import of the name
  std::string meant = {};             ///< the mark; empty: it resembles none
};
} // namespace

/// The mark without its options.
static const ast::Expr &markOf(const ast::Expr &decorator) {
  auto *call = std::get_if<ast::Call>(&decorator.node);
  return call ? *call->callee : decorator;
}

/// The name of a decorator, if it may be meant as a mark.
static Misspelled nameOf(const ast::Expr &mark, ModuleScope &module) {
  const auto hasMarks = [](const Definition &definition) {
    return definition.importPath.starts_with("quadrants") || definition.importPath == "dataclasses";
  };
  if (auto *attribute = std::get_if<ast::Attribute>(&mark.node)) {
    auto *base = std::get_if<ast::Name>(&attribute->value->node);
    auto it = base ? module.names.find(base->id) : module.names.end();
    if (it != module.names.end() && it->second.kind == Definition::Import && hasMarks(it->second))
      return {std::string(base->id) + ".", attribute->name};
  } else if (auto *name = std::get_if<ast::Name>(&mark.node)) {
    auto it = module.names.find(name->id);
    if (it == module.names.end())
      return {"", name->id}; // Python does not know it either
    if (it->second.kind == Definition::FromImport && hasMarks(it->second))
      return {"", it->second.importName, &it->second};
  }
  return {};
}

static Misspelled misspelledMark(const ast::Expr &decorator, ModuleScope &module,
                                 std::span<const std::string_view> marks) {
  Misspelled name = nameOf(markOf(decorator), module);
  if (name.written.empty() || std::ranges::find(marks, name.written) != marks.end())
    return {};
  NameGuess guess(name.written);
  for (const std::string_view mark : marks)
    guess.consider(mark);
  name.meant = guess.best();
  return name;
}

/// The edits write the mark where the name stands: also where it is imported, and used elsewhere.
static std::vector<Edit> corrected(const Misspelled &name, const ast::Expr &mark) {
  if (!name.import)
    return didYouMean(mark.at, name.written, name.meant).edits;
  auto *used = std::get_if<ast::Name>(&mark.node);
  if (used && used->id != name.written) // imported `as` another name
    return didYouMean(name.import->at, name.written, name.meant).edits;
  return renamed(*mark.at.file, name.written, name.meant);
}

/// \param loss what the definition would be
static void refuseMisspelled(const std::vector<ast::ExprPtr> &decorators, ModuleScope &module,
                             std::span<const std::string_view> marks, const std::string &loss,
                             DiagnosticSink &sink) {
  for (auto &decorator : decorators)
    if (const Misspelled name = misspelledMark(*decorator, module, marks); !name.meant.empty())
      sink.error(decorator->at, Problem::DecoratorUnknown,
                 "this decorator is unknown, so that " + loss,
                 Fix("did you mean `@" + name.before + name.meant + "`?",
                     corrected(name, markOf(*decorator)), true));
}

static void refuseMisspelled(const ast::FunctionDef &function, ModuleScope &module,
                             DiagnosticSink &sink) {
  refuseMisspelled(function.decorators, module, functionMarks,
                   "`" + std::string(function.name) + "` would be host code", sink);
}

/// True if the class or a base of it is `@qd.data_oriented`, or one of the module that derives from
/// it.
static bool hasObjects(Context &cx, const ast::ClassDef &definition, ModuleScope &module) {
  const Quietly quiet(cx);
  if (classType(cx, module, definition).type.structure->kind == StructType::Object)
    return true;
  for (const ast::StmtPtr &stmt : module.ast->body) {
    auto *other = std::get_if<ast::ClassDef>(&stmt->node);
    if (!other || other == &definition || other->nameAt.begin < definition.nameAt.begin)
      continue; // bases stand above
    for (const ast::ExprPtr &base : other->bases)
      if (auto *name = std::get_if<ast::Name>(&base->node);
          name && name->id == definition.name && hasObjects(cx, *other, module))
        return true;
  }
  return false;
}

/// A class within a class: no build names its objects.
static void refuseInner(const ast::ClassDef &inner, ModuleScope &module, DiagnosticSink &sink) {
  for (const ast::StmtPtr &stmt : inner.body) {
    if (auto *deeper = std::get_if<ast::ClassDef>(&stmt->node))
      refuseInner(*deeper, module, sink);
    auto *method = std::get_if<ast::FunctionDef>(&stmt->node);
    if (method && isDecorated(*method, module, "kernel"))
      sink.error(method->nameAt, Problem::MethodMarkedAsKernel,
                 "`" + std::string(method->name) + "` is a kernel, but a method of `" +
                     std::string(inner.name) + "`, which stands inside another class",
                 "move the class to module level");
  }
}

/// Kernels as methods need an object that the build describes.
static void refuseMethods(Context &cx, const ast::ClassDef &definition, ModuleScope &module) {
  DiagnosticSink &sink = *cx.program.sink;
  refuseMisspelled(definition.decorators, module, classMarks,
                   "`" + std::string(definition.name) + "` would be a class of the host", sink);
  const bool isObject = hasObjects(cx, definition, module);
  for (const ast::StmtPtr &stmt : definition.body) {
    if (auto *inner = std::get_if<ast::ClassDef>(&stmt->node))
      refuseInner(*inner, module, sink);
    if (auto *opaque = std::get_if<ast::OpaqueStmt>(&stmt->node))
      for (const ast::MarkedDef &marked : opaque->marked)
        refuse(marked, sink);
    auto *method = std::get_if<ast::FunctionDef>(&stmt->node);
    if (!method)
      continue;
    for (const ast::MarkedDef &marked : method->marked)
      refuse(marked, sink);
    refuseMisspelled(*method, module, sink);
    if (!isObject && isDecorated(*method, module, "kernel"))
      sink.error(method->nameAt, Problem::MethodMarkedAsKernel,
                 "`" + std::string(method->name) + "` is a kernel, but a method of `" +
                     std::string(definition.name) + "`, which is not `@qd.data_oriented`",
                 "decorate the class with `@qd.data_oriented`");
  }
}

/// A function that computes a derivative for one that the file does not have would be in vain. Host
/// functions under these marks are the tapes' affair.
static void refuseLostDerivative(const ast::FunctionDef &function, ModuleScope &module,
                                 bool isMethod, DiagnosticSink &sink) {
  for (const ast::ExprPtr &decorator : function.decorators) {
    if (!(isMark(*decorator, module, "grad_for") || isMark(*decorator, module, "dual_for")) ||
        !isDecorated(function, module, "func"))
      continue;
    auto *call = std::get_if<ast::Call>(&decorator->node);
    auto *of =
        call && call->args.size() == 1 ? std::get_if<ast::Name>(&call->args[0]->node) : nullptr;
    const auto found = of ? module.names.find(of->id) : module.names.end();
    auto *named = found != module.names.end() && found->second.kind == Definition::Function
                      ? std::get_if<ast::FunctionDef>(&found->second.stmt->node)
                      : nullptr;
    if (isMethod || !named || !isDecorated(*named, module, "func"))
      sink.error(decorator->at, Problem::GradientOfFunction,
                 isMethod ? "methods do not compute derivatives of functions"
                          : "this does not name a `@qd.func` of the same file",
                 "write it at the top of the file that has the function");
  }
}

void refuseLostKernels(Context &cx, ModuleScope &module) {
  for (auto &stmt : module.ast->body) {
    if (auto *opaque = std::get_if<ast::OpaqueStmt>(&stmt->node))
      for (const ast::MarkedDef &marked : opaque->marked)
        refuse(marked, *cx.program.sink);
    if (auto *definition = std::get_if<ast::ClassDef>(&stmt->node)) {
      for (const ast::StmtPtr &member : definition->body)
        if (auto *method = std::get_if<ast::FunctionDef>(&member->node)) {
          checkOptions(cx, *method, module);
          refuseLostDerivative(*method, module, /*isMethod=*/true, *cx.program.sink);
        }
      refuseMethods(cx, *definition, module);
    }
    if (auto *assign = std::get_if<ast::Assign>(&stmt->node)) { // k = qd.kernel(f)
      auto *call = std::get_if<ast::Call>(&assign->value->node);
      auto *callee = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
      auto *base = callee ? std::get_if<ast::Name>(&callee->value->node) : nullptr;
      auto it = base ? module.names.find(base->id) : module.names.end();
      if (it != module.names.end() && callee->name == "kernel" &&
          it->second.importPath.rfind("quadrants", 0) == 0)
        cx.program.sink->error(assign->value->at, Problem::KernelMadeByCall,
                               "a kernel is made by a call here, which is host code",
                               "write `@" + std::string(base->id) + ".kernel` before its `def`");
    }
    auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
    if (!function)
      continue;
    checkOptions(cx, *function, module);
    refuseLostDerivative(*function, module, /*isMethod=*/false, *cx.program.sink);
    for (const ast::MarkedDef &marked : function->marked)
      refuse(marked, *cx.program.sink);
    for (auto &decorator : function->decorators)
      if (auto *attribute = std::get_if<ast::Attribute>(&decorator->node)) {
        auto *base = std::get_if<ast::Name>(&attribute->value->node);
        auto it = base ? module.names.find(base->id) : module.names.end();
        if (it == module.names.end() || it->second.kind != Definition::Import)
          continue;
        if (Refused refused = refusedPackage(base->id, it->second.importPath);
            !refused.message.empty())
          cx.program.sink->error(attribute->value->at, Problem::NameOfPythonModule, refused.message,
                                 refused.fix);
      }
    refuseMisspelled(*function, module, *cx.program.sink);
  }
}

} // namespace sextant::sema
