// Objects of `@qd.data_oriented` classes that host code makes: `solar = SolarSystem(8, 0.001)`.
// Their `__init__` is any Python. What it assigns is read as far as constants and fields go; a
// member that cannot be read is unknown, and an error where a kernel reads it.
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Fields.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Placement.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"
#include "frontend/syntax/Children.h"

#include <algorithm>

namespace sextant::sema {

Value unknownOnHost(const std::string &what) {
  const std::string lack = " has no value when kernels are built: host code computes or changes it";
  return Value::absent(what + lack, "name an instance with its value, by --kernel");
}

static bool isUnknown(const Value &value) {
  return value.isPoison() || value.kind == Value::Absent;
}

bool holdsUnknown(const Value &value) {
  return isUnknown(value) || ((value.kind == Value::Tuple || value.kind == Value::Dict) &&
                              std::ranges::any_of(value.items, holdsUnknown));
}

void nameFields(Value &value, SourceRange at, const std::string &name) {
  if (value.kind == Value::Tuple)
    for (size_t k = 0; k < value.items.size(); ++k)
      nameFields(value.items[k], at, name + "." + std::to_string(k));
  if (isObject(value))
    for (size_t k = 0; k < value.items.size(); ++k)
      nameFields(value.items[k], at, name + "." + value.type.structure->members[k].name);
  if (value.kind != Value::Array || !value.array->name.empty())
    return;
  value.array->at = at;
  nameArray(*value.array, name);
}

/// Types are constants of the object, not what launches pass.
static void asConstants(Value &value) {
  if (value.kind == Value::Tuple)
    for (Value &item : value.items)
      asConstants(item);
  if (value.kind == Value::Type && value.type.kind == TypeValue::Element)
    value.type.isItself = true;
}

void forgetChanged(Context &cx, Value &object) {
  const StructType &type = *object.type.structure;
  std::vector<const ast::Module *> files{cx.program.main->ast};
  for (const StructType *each : resolutionOrder(type))
    files.push_back(each->module->ast);
  for (size_t k = 0; k < object.items.size(); ++k) {
    const std::string &name = type.members[k].name;
    Value &member = object.items[k];
    const bool isChanged = std::ranges::any_of(files, [&](const ast::Module *file) {
      return file->changesAnyMember || file->changedMembers.contains(name);
    });
    if (isChanged || (member.kind == Value::Array && member.array->isUnplaced))
      member = unknownOnHost("`" + name + "`");
    asConstants(member);
  }
}

namespace {

/// The most rounds of a loop that are run.
constexpr Exact mostRounds = 1024;

/// The value of an expression, or poison if it is unknown.
Value tried(Context &cx, const ast::Expr &expr) {
  const Quietly quiet(cx);
  Value value = eval(cx, expr);
  return holdsUnknown(value) ? Value() : value;
}

/// The branch that a condition chooses, or null if it is unknown.
template <class Branch>
const Branch *chosen(Context &cx, const ast::Expr &condition, const Branch &then,
                     const Branch &otherwise) {
  const Quietly quiet(cx);
  const Value value = eval(cx, condition);
  bool known = false;
  const bool truth = !value.isPoison() && isTruthy(cx, value, known, condition.at);
  return !known ? nullptr : truth ? &then : &otherwise;
}

} // namespace

Value knownParts(Context &cx, const ast::Expr &expr) {
  if (auto *elements = ast::elementsOf(expr)) {
    Value all = Value::tuple({});
    all.isList = std::holds_alternative<ast::ListExpr>(expr.node);
    size_t count = 0, counted = 0;
    for (const ast::ExprPtr &element : *elements) {
      auto *starred = std::get_if<ast::Starred>(&element->node);
      Value value = knownParts(cx, starred ? *starred->value : *element);
      if (!starred)
        all.items.push_back(value.isPoison() ? unknownOnHost("this item") : std::move(value));
      else if (value.kind == Value::Tuple || value.kind == Value::Matrix)
        for (Value &item : elementsOf(cx, value, element->at))
          all.items.push_back(std::move(item));
      else
        return Value(); // how many items there are is unknown
      for (; counted < all.items.size(); ++counted)
        count += valuesIn(all.items[counted]);
      if (count > mostValues)
        return Value(); // too large to be known
    }
    return all;
  }
  if (auto *name = std::get_if<ast::Name>(&expr.node))
    if (const VariablePtr variable = findVariable(cx, name->id);
        variable && variable->value.kind == Value::Tuple)
      return variable->value;
  if (auto *subscript = std::get_if<ast::Subscript>(&expr.node))
    if (const Value whole = knownParts(cx, *subscript->value); whole.kind == Value::Tuple) {
      const std::optional<Exact> given = knownInt(tried(cx, *subscript->index));
      const Exact count = Exact(whole.items.size()), k = given.value_or(0);
      if (given && k >= -count && k < count)
        return whole.items[size_t(k < 0 ? k + count : k)];
    }
  if (auto *choice = std::get_if<ast::IfExpr>(&expr.node)) {
    const ast::ExprPtr *branch =
        chosen(cx, *choice->condition, choice->whenTrue, choice->whenFalse);
    return branch ? knownParts(cx, **branch) : Value();
  }
  return tried(cx, expr);
}

namespace {

void assign(Context &cx, const ast::Expr &target, const Value &value);

/// Gives each of several targets its item.
void assignItems(Context &cx, const std::vector<ast::ExprPtr> &targets, const Value &value) {
  const bool hasItems = value.kind == Value::Tuple || value.kind == Value::Matrix;
  const std::vector<Value> items =
      hasItems ? elementsOf(cx, value, cx.statementAt) : std::vector<Value>();
  for (size_t k = 0; k < targets.size(); ++k) {
    auto *starred = std::get_if<ast::Starred>(&targets[k]->node);
    assign(cx, starred ? *starred->value : *targets[k],
           hasItems ? unpackedItem(items, unpackedAt(targets, k)) : Value());
  }
}

/// Gives a target its value, which may be unknown.
void assign(Context &cx, const ast::Expr &target, const Value &value) {
  const auto named = [&](std::string_view name, bool isKnown) {
    return isKnown ? value : unknownOnHost("`" + std::string(name) + "`");
  };
  if (auto *name = std::get_if<ast::Name>(&target.node)) {
    VariablePtr variable = findVariable(cx, name->id);
    if (!variable)
      variable = declare(cx, name->id, target.at);
    variable->alias = true;
    variable->value = named(name->id, !isUnknown(value)); // items of a tuple may be
  } else if (auto *member = std::get_if<ast::Attribute>(&target.node)) {
    // Members of other objects are in Module::changedMembers.
    if (const VariablePtr object = objectInMaking(cx, *member->value))
      giveMember(cx, *object, *member, named(member->name, !holdsUnknown(value)), target.at);
  } else if (auto *subscript = std::get_if<ast::Subscript>(&target.node)) {
    if (tried(cx, *subscript->value).kind != Value::Array) // a list changes, a field stays
      assign(cx, *subscript->value, Value());
  } else if (auto *elements = ast::elementsOf(target)) {
    assignItems(cx, *elements, value);
  }
}

/// Host code may change any list or dictionary that it has another name for.
void forgetLists(Context &cx) {
  const auto forgetIn = [](Value &value, const std::string &what) {
    if (value.kind == Value::Tuple || value.kind == Value::Dict)
      value = unknownOnHost(what);
  };
  for (NameScope &scope : cx.frame().scopes)
    for (auto &[name, variable] : scope) {
      forgetIn(variable->value, "`" + std::string(name) + "`");
      if (isObject(variable->value))
        for (Value &member : variable->value.items)
          forgetIn(member, "this list");
    }
}

/// The blocks within a statement.
std::vector<const ast::Block *> blocksOf(const ast::Stmt &stmt) {
  if (auto *n = std::get_if<ast::If>(&stmt.node))
    return {&n->then, &n->otherwise};
  if (auto *n = std::get_if<ast::While>(&stmt.node))
    return {&n->body, &n->otherwise};
  if (auto *n = std::get_if<ast::For>(&stmt.node))
    return {&n->body, &n->otherwise};
  if (auto *n = std::get_if<ast::With>(&stmt.node))
    return {&n->body};
  return {};
}

/// True if a `return`, `break` or `continue` may end a statement.
bool mayLeave(const ast::Stmt &stmt) {
  const bool leaves = std::holds_alternative<ast::Return>(stmt.node) ||
                      std::holds_alternative<ast::Break>(stmt.node) ||
                      std::holds_alternative<ast::Continue>(stmt.node);
  return leaves || std::ranges::any_of(blocksOf(stmt), [](const ast::Block *block) {
           return std::ranges::any_of(*block, [](const auto &each) { return mayLeave(*each); });
         });
}

/// Makes unknown what the statements may assign.
void forgetAssigned(Context &cx, const ast::Block &block);

void forgetAssigned(Context &cx, const ast::Stmt &stmt) {
  if (auto *n = std::get_if<ast::Assign>(&stmt.node))
    for (const ast::ExprPtr &target : n->targets)
      assign(cx, *target, Value());
  else if (auto *n = std::get_if<ast::AnnAssign>(&stmt.node))
    assign(cx, *n->target, Value());
  else if (auto *n = std::get_if<ast::AugAssign>(&stmt.node))
    assign(cx, *n->target, Value());
  else if (auto *n = std::get_if<ast::For>(&stmt.node))
    assign(cx, *n->target, Value());
  for (const ast::Block *block : blocksOf(stmt))
    forgetAssigned(cx, *block);
}

void forgetAssigned(Context &cx, const ast::Block &block) {
  for (const ast::StmtPtr &stmt : block)
    forgetAssigned(cx, *stmt);
}

/// `qd.root.dense(qd.i, n).place(self.x, self.v)`: shapes the fields, as of every call in a chain.
void place(Context &cx, const ast::Expr &expr) {
  auto *call = std::get_if<ast::Call>(&expr.node);
  auto *method = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
  if (!method)
    return;
  place(cx, *method->value);
  if (method->name != "place")
    return;
  const Value node = tried(cx, *method->value);
  for (const ast::ExprPtr &argument : call->args) {
    const Value value = tried(cx, *argument);
    const std::vector<Value> fields =
        value.kind == Value::Tuple ? value.items : std::vector<Value>{value};
    const Quietly quiet(cx);
    for (const Value &field : fields)
      if (field.kind == Value::Array && node.kind == Value::Node && call->keywords.empty())
        placeIn(cx, *field.array, node, argument->at);
  }
}

/// A call that stands as a statement. It may change any list.
void runCall(Context &cx, const ast::Expr &expr) {
  auto *call = std::get_if<ast::Call>(&expr.node);
  if (!call)
    return;
  auto *method = std::get_if<ast::Attribute>(&call->callee->node);
  if (method && (method->name == "__init__" || isSuper(cx, *method->value))) {
    tried(cx, expr);
    return;
  }
  place(cx, expr);
  forgetLists(cx);
}

/// Returns the items that a loop runs over, if they are known and few.
std::optional<std::vector<Value>> itemsOf(Context &cx, const ast::For &loop) {
  const Value over = knownParts(cx, *loop.iterable);
  if (over.kind == Value::Tuple)
    return over.items;
  if (over.kind != Value::Range || over.items.size() != 2 || over.runtimeStep || over.step < 1 ||
      over.items[0].kind != Value::Int || over.items[1].kind != Value::Int)
    return std::nullopt;
  const Exact begin = over.items[0].integer, end = over.items[1].integer;
  if (end - begin > mostRounds)
    return std::nullopt;
  std::vector<Value> items;
  for (Exact i = begin; i < end; i += over.step)
    items.push_back(Value::exactInt(i));
  return items;
}

bool runBlock(Context &cx, const ast::Block &block);

/// Forgets what a statement that cannot be followed may assign. If the statement may end the
/// function, forgets what the whole function assigns, and returns false.
bool skip(Context &cx, const ast::Stmt &stmt) {
  forgetLists(cx);
  const bool mayEnd = mayLeave(stmt);
  if (mayEnd)
    forgetAssigned(cx, cx.frame().function->body);
  else
    forgetAssigned(cx, stmt);
  return !mayEnd;
}

/// Returns false after a `return`, or where one may have ended the function.
bool run(Context &cx, const ast::Stmt &stmt) {
  if (auto *n = std::get_if<ast::Assign>(&stmt.node)) {
    place(cx, *n->value);
    const Value value = knownParts(cx, *n->value);
    for (const ast::ExprPtr &target : n->targets)
      assign(cx, *target, value);
    return true;
  }
  if (auto *n = std::get_if<ast::AnnAssign>(&stmt.node)) {
    if (n->value)
      assign(cx, *n->target, knownParts(cx, *n->value));
    return true;
  }
  if (auto *n = std::get_if<ast::AugAssign>(&stmt.node)) {
    const Quietly quiet(cx);
    const Value old = eval(cx, *n->target), by = eval(cx, *n->value);
    const bool isKnown = !old.isPoison() && !by.isPoison() && old.kind != Value::Tuple;
    assign(cx, *n->target, isKnown ? binary(cx, n->op, old, by, stmt.at) : Value());
    return true;
  }
  if (auto *n = std::get_if<ast::If>(&stmt.node)) {
    const ast::Block *branch = chosen(cx, *n->condition, n->then, n->otherwise);
    return branch ? runBlock(cx, *branch) : skip(cx, stmt);
  }
  if (auto *n = std::get_if<ast::For>(&stmt.node)) {
    const auto items = itemsOf(cx, *n);
    if (!items || mayLeave(stmt))
      return skip(cx, stmt);
    for (const Value &item : *items) {
      assign(cx, *n->target, item);
      runBlock(cx, n->body);
    }
    return runBlock(cx, n->otherwise);
  }
  if (auto *n = std::get_if<ast::ExprStmt>(&stmt.node)) {
    runCall(cx, *n->value);
    return true;
  }
  if (std::holds_alternative<ast::Pass>(stmt.node) ||
      std::holds_alternative<ast::Assert>(stmt.node))
    return true;
  return skip(cx, stmt);
}

bool runBlock(Context &cx, const ast::Block &block) {
  for (const ast::StmtPtr &stmt : block)
    if (!budget(cx, stmt->at) || !run(cx, *stmt))
      return false;
  return true;
}

} // namespace

void runOnHost(Context &cx, const ast::Block &body) { runBlock(cx, body); }

} // namespace sextant::sema
