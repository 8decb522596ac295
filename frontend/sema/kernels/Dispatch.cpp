// Finds prototypes and their implementations, and compares what implementations take and return.
#include "frontend/sema/kernels/Dispatch.h"
#include "frontend/hir/Agreement.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/eval/Host.h"

#include <algorithm>

namespace sextant::sema {

namespace {

constexpr char mark[] = "perf_dispatch";

std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

/// `@prototype.register`, with or without a call.
struct Registration {
  const ast::Expr *decorator = nullptr;
  const ast::Call *call = nullptr; ///< null: none
  size_t position = 0;             ///< among the decorators
  Value prototype;
};

std::optional<Registration> registrationOf(Context &host, const ast::FunctionDef &function) {
  for (size_t k = 0; k < function.decorators.size(); ++k) {
    const ast::Expr *expr = function.decorators[k].get();
    const auto *call = std::get_if<ast::Call>(&expr->node);
    if (call)
      expr = call->callee.get();
    const auto *attribute = std::get_if<ast::Attribute>(&expr->node);
    if (!attribute || attribute->name != "register")
      continue;
    const Quietly quiet(host); // another `register` is the host's
    Value of = evalHost(host, *attribute->value, *host.program.main);
    if (of.kind == Value::Function && isDecorated(*of.function, *of.module, mark))
      return Registration{function.decorators[k].get(), call, k, std::move(of)};
  }
  return std::nullopt;
}

bool isEmpty(const ast::Stmt &stmt) {
  if (std::holds_alternative<ast::Pass>(stmt.node))
    return true;
  const auto *expr = std::get_if<ast::ExprStmt>(&stmt.node);
  return expr && (std::holds_alternative<ast::EllipsisLit>(expr->value->node) ||
                  std::holds_alternative<ast::StringLit>(expr->value->node));
}

/// Returns the parameter in which the lists differ, of either function; or null.
const ast::Parameter *differing(const ast::FunctionDef &prototype,
                                const ast::FunctionDef &function) {
  const auto &wanted = prototype.parameters, &has = function.parameters;
  for (size_t k = 0; k < std::max(wanted.size(), has.size()); ++k) {
    if (k >= has.size())
      return &wanted[k];
    if (k >= wanted.size() || wanted[k].name != has[k].name)
      return &has[k];
  }
  return nullptr;
}

/// Returns false if the function cannot be an implementation, which it reports.
bool checkImplementation(Context &host, const Registration &registration, const Dispatch &dispatch,
                         const ast::FunctionDef &function) {
  const std::string name = quoted(function.name);
  const std::string prototype = std::string(registration.prototype.function->name);
  auto refuse = [&](SourceRange at, std::string message, std::string fix) {
    host.program.sink->error(at, Problem::DispatchWrong, std::move(message), std::move(fix));
    return false;
  };
  if (registration.prototype.module != host.program.main)
    return refuse(registration.decorator->at,
                  name + " implements `" + prototype + "`, a prototype of another file",
                  "define the kernel in that file");
  if (registration.position != 0)
    return refuse(registration.decorator->at,
                  "`@" + prototype + ".register` stands below another decorator of " + name,
                  "write it above `@qd.kernel`");
  if (registration.call)
    for (const ast::Keyword &option : registration.call->keywords)
      if (option.name == "is_compatible" &&
          !std::holds_alternative<ast::NoneLit>(option.value->node))
        return refuse(
            option.at, "`is_compatible` asks the host at each launch, and a build has no host code",
            "what depends on the target, the kernel says itself: it is left out where a "
            "`qd.static_assert(qd.cfg.arch == qd.cuda)` in it fails; for what depends on a "
            "launch, take the decorator off, and let the application choose between two "
            "kernels");
  if (const ast::Parameter *parameter = differing(*dispatch.prototype, function))
    return refuse(function.nameAt,
                  name + " and its prototype `" + prototype +
                      "` have other parameters: " + quoted(parameter->name) + " differs",
                  "give all implementations the parameters of the prototype, in its order");
  for (const ast::FunctionDef *other : dispatch.implementations)
    if (other->name == function.name)
      return refuse(function.nameAt, "two implementations of `" + prototype + "` are named " + name,
                    "rename one of them");
  return true;
}

void checkPrototype(Context &host, const ast::FunctionDef &prototype) {
  for (const ast::StmtPtr &stmt : prototype.body)
    if (!isEmpty(*stmt)) {
      host.program.sink->error(stmt->at, Problem::DispatchWrong,
                               quoted(prototype.name) + " is a prototype: nothing runs its body",
                               "write `...`, and register kernels by `@" +
                                   std::string(prototype.name) + ".register`");
      return;
    }
}

} // namespace

bool Dispatch::has(const ast::FunctionDef &function) const {
  return prototype == &function || std::find(implementations.begin(), implementations.end(),
                                             &function) != implementations.end();
}

std::vector<Dispatch> findDispatches(Context &host) {
  ModuleScope &module = *host.program.main;
  std::vector<Dispatch> all;
  // The host's registered functions, by prototype.
  std::map<const ast::FunctionDef *, const ast::FunctionDef *> ofHost;
  for (const ast::StmtPtr &stmt : module.ast->body) {
    const auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
    if (!function)
      continue;
    if (isDecorated(*function, module, mark)) {
      checkPrototype(host, *function);
      all.push_back({function, {}});
      continue;
    }
    const std::optional<Registration> registration = registrationOf(host, *function);
    if (!registration)
      continue;
    if (!isDecorated(*function, module, "kernel")) {
      ofHost.emplace(registration->prototype.function, function);
      continue;
    }
    const auto dispatch = std::find_if(all.begin(), all.end(), [&](const Dispatch &one) {
      return one.prototype == registration->prototype.function;
    });
    Dispatch none{registration->prototype.function, {}};
    if (checkImplementation(host, *registration, dispatch == all.end() ? none : *dispatch,
                            *function))
      dispatch->implementations.push_back(function);
  }
  for (Dispatch &dispatch : all) {
    const auto plain = ofHost.find(dispatch.prototype);
    if (plain == ofHost.end() && !dispatch.implementations.empty())
      continue;
    warn(host, dispatch.prototype->nameAt, Warning::UninstantiatedKernel, Problem::DispatchNotBuilt,
         quoted(dispatch.prototype->name) + " is not built: " +
             (plain == ofHost.end() ? "no kernel is registered for it"
                                    : quoted(plain->second->name) + " implements it by host code"),
         plain == ofHost.end()
             ? "write `@" + std::string(dispatch.prototype->name) + ".register` above its kernels"
             : "register kernels only; or let the application choose between the kernels that are "
               "called");
  }
  std::erase_if(all, [&](const Dispatch &one) {
    return one.implementations.empty() || ofHost.count(one.prototype);
  });
  return all;
}

void checkAgreement(Context &host, const std::vector<hir::Kernel> &implementations,
                    const std::vector<SourceRange> &places) {
  for (size_t k = 1; k < implementations.size(); ++k)
    if (std::string what = hir::disagreement(implementations[0], implementations[k]); !what.empty())
      host.program.sink->error(places[k], Problem::DispatchWrong,
                               quoted(implementations[k].implementation) + " " + what + " than " +
                                   quoted(implementations[0].implementation) +
                                   ", which implements `" + implementations[0].name + "` too",
                               "give both the annotations of the prototype");
}

} // namespace sextant::sema
