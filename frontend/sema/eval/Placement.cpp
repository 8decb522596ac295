// Nodes, which are the extents of their levels, and the fields that are placed in them.
#include "frontend/sema/eval/Placement.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Fields.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Unknown.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>
#include <map>

namespace sextant::sema {

namespace {

/// The extent along each axis of a node, over all levels.
using Extents = std::map<unsigned, Exact>;

Extents extentsOf(const Value &node) {
  Extents extents;
  for (const Value &level : node.items)
    for (size_t k = 0; k + 1 < level.items.size(); k += 2) {
      const Exact extent = level.items[k + 1].integer;
      Exact &all = extents.try_emplace(unsigned(level.items[k].integer), 1).first->second;
      all = extent < 1 ? extent : std::min(all * extent, maxOf(hir::Type::I64));
    }
  return extents;
}

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

Value fail(Context &cx, SourceRange at, std::string message, std::string fix) {
  return error(cx, at, Problem::FieldPlacedOtherwise, std::move(message), std::move(fix));
}

/// `node.dense(axes, shape)`: a node with one level more.
Value denseOf(Context &cx, Value node, const ast::Call &call, SourceRange at) {
  if (call.args.size() != 2 || !call.keywords.empty())
    return fail(cx, at, "`dense` takes axes and their extents", "write `dense(qd.ij, (4, 8))`");
  const std::vector<unsigned> axes = axesOf(*call.args[0], *cx.frame().module);
  if (axes.empty())
    return fail(cx, call.args[0]->at, "these are not axes", "write `qd.i`, `qd.ij`, …");
  Value shape = eval(cx, *call.args[1]);
  if (shape.isPoison())
    return shape;
  std::vector<Value> extents = indexList(shape);
  if (extents.size() == 1)
    extents.resize(axes.size(), extents[0]);
  if (extents.size() != axes.size())
    return fail(cx, call.args[1]->at,
                std::to_string(axes.size()) + " axes have " + std::to_string(extents.size()) +
                    " extents here",
                "give one extent an axis");
  Value level = Value::tuple({});
  for (size_t k = 0; k < axes.size(); ++k) {
    const auto extent = exactInt(cx, extents[k], call.args[1]->at, "the extent of a node");
    if (!extent)
      return Value();
    level.items.push_back(Value::exactInt(axes[k]));
    level.items.push_back(Value::exactInt(*extent));
  }
  node.items.push_back(std::move(level));
  return node;
}

/// The node `levels` above another one.
Value above(Context &cx, Value node, const Value &levels, SourceRange at) {
  const auto n = exactInt(cx, levels, at, "the number of levels that `parent` goes up");
  if (!n)
    return Value();
  if (*n < 0 || *n > Exact(node.items.size()))
    return fail(cx, at, describe(node) + " has no parent " + spell(*n) + " levels up",
                "there are " + std::to_string(node.items.size()) + " up to `qd.root`");
  node.items.resize(node.items.size() - size_t(*n));
  return node;
}

/// True if the call places one of the names, also in a list.
bool places(const std::vector<ast::ExprPtr> &arguments, const std::vector<std::string> &names) {
  return std::ranges::any_of(arguments, [&](const ast::ExprPtr &argument) {
    if (auto *list = std::get_if<ast::ListExpr>(&argument->node))
      return places(list->elements, names);
    auto *name = std::get_if<ast::Name>(&argument->node);
    return name && std::ranges::find(names, name->id) != names.end();
  });
}

/// The call in a chain, `qd.root.dense(…).place(x).place(y)`, that places one of the names, or
/// null.
const ast::Call *placementIn(const ast::Expr &expr, const std::vector<std::string> &names) {
  auto *call = std::get_if<ast::Call>(&expr.node);
  auto *method = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
  if (!method)
    return nullptr;
  return method->name == "place" && places(call->args, names) ? call
                                                              : placementIn(*method->value, names);
}

/// True for `make().dense(…)`: what a function of the host returns.
bool isMadeByFunction(const ast::Expr &expr) {
  auto *call = std::get_if<ast::Call>(&expr.node);
  auto *method = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
  return call && (!method || isMadeByFunction(*method->value));
}

/// The call among the statements of a module that places one of the names, or null.
const ast::Call *placementOf(const ModuleScope &module, const std::vector<std::string> &names) {
  for (const ast::StmtPtr &stmt : module.ast->body) {
    auto *alone = std::get_if<ast::ExprStmt>(&stmt->node);
    auto *assign = std::get_if<ast::Assign>(&stmt->node);
    const ast::Expr *value = alone ? alone->value.get() : assign ? assign->value.get() : nullptr;
    if (const ast::Call *call = value ? placementIn(*value, names) : nullptr)
      return call;
  }
  return nullptr;
}

} // namespace

Value shapeOf(const Value &node) {
  Value shape = Value::tuple({});
  for (const auto &[axis, extent] : extentsOf(node))
    shape.items.push_back(Value::exactInt(extent));
  return shape;
}

Value nodeMethod(Context &cx, const Value &method, const ast::Call &call, SourceRange at) {
  const Value &node = method.items[0];
  if (method.text == "parent") {
    if (call.args.size() > 1 || !call.keywords.empty())
      return fail(cx, at, "`parent` takes how many levels to go up", "write `node.parent()`");
    return above(cx, node, call.args.empty() ? Value::exactInt(1) : eval(cx, *call.args[0]), at);
  }
  if (method.text != "dense" && method.text != "place") {
    static constexpr std::string_view sparse[] = {"pointer", "bitmasked",   "dynamic",
                                                  "hash",    "quant_array", "bit_struct"};
    if (std::ranges::find(sparse, method.text) == std::end(sparse))
      return unknownName(cx, call.callee->at, Problem::FieldPlacedOtherwise, "a node has no",
                         method.text, {"dense", "place", "parent", "shape"});
    return fail(cx, at, "`" + method.text + "`: sparse structures are not supported",
                "place the field under `dense`");
  }
  if (!cx.isHost())
    return error(cx, at, Problem::FieldInsideKernel, "fields cannot be placed inside kernels",
                 "place it at module level");
  return method.text == "dense" ? denseOf(cx, node, call, at) : node;
}

Value parentOf(Context &cx, const Value &field, const Value &levels, SourceRange at) {
  Value node = Value::of(Value::Node);
  node.items = field.array->node;
  if (node.items.empty() && !field.array->shape.empty()) {
    Value level = Value::tuple({});
    for (size_t axis = 0; axis < field.array->shape.size(); ++axis) {
      level.items.push_back(Value::exactInt(axis));
      level.items.push_back(field.array->shape[axis]);
    }
    node.items = {std::move(level)};
  }
  node.items.emplace_back(); // the field's own, of which `above` takes one away
  return above(cx, std::move(node), levels, at);
}

bool placeIn(Context &cx, ArrayRef &field, const Value &node, SourceRange at) {
  unsigned next = 0;
  for (const auto &[axis, extent] : extentsOf(node))
    if (axis != next++) {
      fail(cx, at, "a field's axes are `i`, `ij`, `ijk`, …, without gaps",
           "name the axes from `qd.i` on");
      return false;
    }
  field.node = node.items;
  const Value shape = shapeOf(node);
  return shapeField(cx, field, shape, at) &&
         (!field.gradient || shapeField(cx, *field.gradient, shape, at)) &&
         (!field.tangent || shapeField(cx, *field.tangent, shape, at));
}

bool placeField(Context &cx, ModuleScope &module, const std::vector<std::string> &names,
                ArrayRef &field) {
  const ast::Call *call = placementOf(module, names);
  if (!call)
    return error(cx, field.at, Problem::FieldWithoutShape,
                 "a field needs a constant `shape`, or a place: nothing at module level places `" +
                     names[0] + "`",
                 "write `shape=...`, or `qd.root.dense(qd.i, n).place(" + names[0] + ")`");
  const ast::Attribute &place = std::get<ast::Attribute>(call->callee->node);
  const Value node =
      isMadeByFunction(*place.value) ? Value::none() : evalHost(cx, *place.value, module);
  if (node.kind != Value::Node) {
    if (!node.isPoison())
      fail(cx, place.value->at,
           "a field is placed here, but this is not a node that `qd.root` gives",
           "write `qd.root.dense(qd.i, n).place(...)` at module level");
    return false;
  }
  Value offset = Value::none();
  for (const ast::Keyword &keyword : call->keywords) {
    if (keyword.name != "offset") {
      unknownName(cx, keyword.at, Problem::FieldPlacedOtherwise, "`place` has no parameter",
                  keyword.name, {"offset"}, "it takes fields and their `offset`");
      return false;
    }
    offset = evalHost(cx, *keyword.value, module);
    if (offset.isPoison())
      return false;
  }
  return placeIn(cx, field, node, place.value->at) &&
         offsetField(cx, field, offset, place.value->at);
}

} // namespace sextant::sema
