// Fields that are declared first and placed later. Nodes are not values of the language: the text
// of the chain from `qd.root` to `place` says the extents.
#include "frontend/sema/eval/Placement.h"
#include "frontend/sema/Instantiate.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>
#include <map>

namespace sextant::sema {

namespace {

/// The extent along each axis of a node.
using Extents = std::map<unsigned, Exact>;

/// Reads `qd.ij` as the axes 0 and 1. Empty if it names no axes.
std::vector<unsigned> axesOf(const ast::Expr &expr, const ModuleScope &module) {
  const std::string path = importedAs(expr, module);
  const std::string_view letters = std::string_view(path).substr(path.rfind('.') + 1);
  std::vector<unsigned> axes;
  for (char letter : letters)
    if (letter < 'i' || letter > 'p')
      return {};
    else
      axes.push_back(unsigned(letter - 'i'));
  return path.starts_with("quadrants.") ? axes : std::vector<unsigned>();
}

std::optional<Extents> fail(Context &cx, SourceRange at, std::string message, std::string fix) {
  error(cx, at, Problem::FieldPlacedOtherwise, std::move(message), std::move(fix));
  return std::nullopt;
}

/// Multiplies a node's extents by those of `dense(axes, shape)`.
std::optional<Extents> within(Context &cx, ModuleScope &module, Extents node, const ast::Call &call,
                              SourceRange at) {
  if (call.args.size() != 2 || !call.keywords.empty())
    return fail(cx, at, "`dense` takes axes and their extents", "write `dense(qd.ij, (4, 8))`");
  const std::vector<unsigned> axes = axesOf(*call.args[0], module);
  if (axes.empty())
    return fail(cx, call.args[0]->at, "these are no axes", "write `qd.i`, `qd.ij`, …");
  const Value shape = evalHost(cx, *call.args[1], module);
  std::vector<Value> extents = indexList(shape);
  if (shape.isPoison())
    return std::nullopt;
  if (extents.size() == 1)
    extents.resize(axes.size(), extents[0]);
  if (extents.size() != axes.size())
    return fail(cx, call.args[1]->at,
                std::to_string(axes.size()) + " axes have " + std::to_string(extents.size()) +
                    " extents here",
                "give one extent an axis");
  for (size_t k = 0; k < axes.size(); ++k) {
    const auto extent = exactInt(cx, extents[k], call.args[1]->at, "the extent of a node");
    if (!extent)
      return std::nullopt;
    Exact &all = node.try_emplace(axes[k], 1).first->second;
    all = *extent < 1 ? *extent : std::min(all * *extent, maxOf(hir::Type::I64));
  }
  return node;
}

/// The extents of the node that an expression makes: `qd.root.dense(…)`, or a name for one.
std::optional<Extents> nodeOf(Context &cx, ModuleScope &module, const ast::Expr &expr,
                              unsigned depth = 0) {
  if (importedAs(expr, module) == "quadrants.root")
    return Extents();
  if (auto *name = std::get_if<ast::Name>(&expr.node); name && depth < 64) {
    auto it = module.names.find(name->id);
    if (it != module.names.end() && it->second.kind == Definition::Expression)
      return nodeOf(cx, module, *it->second.value, depth + 1);
  }
  auto *call = std::get_if<ast::Call>(&expr.node);
  auto *method = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
  if (!method)
    return fail(cx, expr.at, "a field is placed here, but this is no node that `qd.root` gives",
                "write `qd.root.dense(qd.i, n).place(...)` at module level");
  if (method->name != "dense")
    return fail(cx, method->nameAt,
                "`" + std::string(method->name) + "`: sparse structures are not supported",
                "place the field under `dense`");
  std::optional<Extents> outer = nodeOf(cx, module, *method->value, depth + 1);
  return outer ? within(cx, module, std::move(*outer), *call, expr.at) : std::nullopt;
}

/// True if the call places one of the names.
bool places(const ast::Call &call, const std::vector<std::string> &names) {
  for (const ast::ExprPtr &argument : call.args)
    if (auto *id = std::get_if<ast::Name>(&argument->node);
        id && std::ranges::find(names, id->id) != names.end())
      return true;
  return false;
}

} // namespace

bool placeField(Context &cx, ModuleScope &module, const std::vector<std::string> &names,
                ArrayRef &field) {
  for (const ast::StmtPtr &stmt : module.ast->body) {
    auto *alone = std::get_if<ast::ExprStmt>(&stmt->node);
    auto *call = alone ? std::get_if<ast::Call>(&alone->value->node) : nullptr;
    auto *method = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
    if (!method || method->name != "place" || !places(*call, names))
      continue;
    const std::optional<Extents> extents = nodeOf(cx, module, *method->value);
    if (!extents)
      return false;
    Value shape = Value::tuple({});
    for (const auto &[axis, extent] : *extents) {
      if (axis != shape.items.size()) {
        fail(cx, stmt->at, "a field's axes are `i`, `ij`, `ijk`, …, without gaps",
             "name the axes from `qd.i` on");
        return false;
      }
      shape.items.push_back(Value::exactInt(extent));
    }
    return shapeField(cx, field, shape, stmt->at) &&
           (!field.gradient || shapeField(cx, *field.gradient, shape, stmt->at));
  }
  error(cx, field.at, Problem::FieldWithoutShape,
        "a field needs a constant `shape`, or a place: nothing at module level places `" +
            names[0] + "`",
        "write `shape=...`, or `qd.root.dense(qd.i, n).place(" + names[0] + ")`");
  return false;
}

} // namespace sextant::sema
