// Two walks over a task. One turns scopes and the statements that leave them into branches and
// flags. The other numbers the mentions of locals.
//
// Code after a statement that may leave a scope runs only if it has not left. If one branch of an
// `if` always leaves, the code after it moves into the other branch, so that early returns and most
// `continue`s need no flag.
#include "frontend/irgen/Plan.h"
#include "frontend/hir/Builder.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace sextant;
using namespace sextant::irgen;
using llvm::SmallVector;

namespace {

/// The ways in which control may end a list of statements other than at its end.
struct Exits {
  SmallVector<unsigned, 2> scopes; ///< the scopes that may be left, each once
  bool always = false;             ///< the list's end is never reached

  void add(unsigned scope) {
    if (!llvm::is_contained(scopes, scope))
      scopes.push_back(scope);
  }
  void add(const Exits &other) {
    for (unsigned scope : other.scopes)
      add(scope);
  }
};

using Statements = SmallVector<const hir::Stmt *>;

void append(Statements &list, const hir::Block &block) {
  for (const hir::Stmt &stmt : block)
    list.push_back(&stmt);
}

bool isTrue(const hir::Expr &expr) {
  auto *constant = std::get_if<hir::Const>(&expr.node);
  return constant && expr.type == hir::Type::Bool && constant->bits;
}

Exits exitsOf(const hir::Block &block);

Exits exitsOf(const hir::Stmt &stmt) {
  Exits exits;
  if (auto *leave = std::get_if<hir::Leave>(&stmt.node)) {
    exits.add(leave->scope);
    exits.always = true;
  } else if (auto *branch = std::get_if<hir::If>(&stmt.node)) {
    exits = exitsOf(branch->then);
    Exits other = exitsOf(branch->otherwise);
    exits.add(other);
    exits.always = exits.always && other.always;
  } else if (auto *loop = std::get_if<hir::While>(&stmt.node)) {
    exits = exitsOf(loop->body);
    exits.always = isTrue(*loop->condition);
  } else if (auto *loop = std::get_if<hir::For>(&stmt.node)) {
    exits = exitsOf(loop->body);
    exits.always = false;
  } else if (auto *scope = std::get_if<hir::Scope>(&stmt.node)) {
    exits = exitsOf(scope->body);
    if (llvm::is_contained(exits.scopes, scope->id)) {
      llvm::erase(exits.scopes, scope->id);
      exits.always = false;
    }
  }
  return exits;
}

Exits exitsOf(const hir::Block &block) {
  Exits exits;
  for (const hir::Stmt &stmt : block) {
    Exits own = exitsOf(stmt);
    exits.add(own);
    if (own.always) {
      exits.always = true;
      break;
    }
  }
  return exits;
}

class Planner {
public:
  Planner(Plan &plan, const hir::Task &task) : plan(plan), task(task) {}

  void run() {
    plan.slots = task.locals.size();
    Statements statements;
    append(statements, task.body);
    planList(statements, plan.body);
    flagsRead.resize(plan.slots - task.locals.size());
    plan.firstMention.assign(plan.slots, ~0u);
    plan.lastMention.assign(plan.slots, 0);
    countReads(plan.body);
    for (auto &entry : plan.sequences)
      countReads(entry.second);
    mentionRegion(plan.body);
  }

private:
  //===--- Scopes to branches and flags -------------------------------------===//

  unsigned flagOf(unsigned scope) {
    auto [entry, isNew] = flags.try_emplace(scope, plan.slots);
    if (isNew)
      ++plan.slots;
    return entry->second;
  }

  void planBlock(const hir::Block &block, irgen::Region &out) {
    Statements statements;
    append(statements, block);
    planList(statements, out);
  }

  void setFlag(unsigned scope, bool value, const hir::Stmt &stmt, irgen::Region &out) {
    Node node;
    node.kind = Node::SetFlag;
    node.stmt = &stmt;
    node.flags = {flagOf(scope)};
    node.value = value;
    out.push_back(std::move(node));
  }

  void planList(llvm::ArrayRef<const hir::Stmt *> list, irgen::Region &out) {
    for (size_t i = 0; i < list.size(); ++i) {
      const hir::Stmt &stmt = *list[i];
      llvm::ArrayRef<const hir::Stmt *> rest = list.drop_front(i + 1);
      planExpressions(stmt);
      if (auto *leave = std::get_if<hir::Leave>(&stmt.node)) {
        setFlag(leave->scope, true, stmt, out);
        return;
      }
      if (auto *branch = std::get_if<hir::If>(&stmt.node)) {
        bool thenLeaves = exitsOf(branch->then).always;
        bool elseLeaves = exitsOf(branch->otherwise).always;
        Node node;
        node.kind = Node::If;
        node.stmt = &stmt;
        Statements then, otherwise;
        append(then, branch->then);
        append(otherwise, branch->otherwise);
        if (thenLeaves != elseLeaves)
          (thenLeaves ? otherwise : then).append(rest.begin(), rest.end());
        planList(then, node.body);
        planList(otherwise, node.otherwise);
        out.push_back(std::move(node));
        if (thenLeaves || elseLeaves)
          return;
      } else if (auto *scope = std::get_if<hir::Scope>(&stmt.node)) {
        if (llvm::is_contained(exitsOf(scope->body).scopes, scope->id))
          setFlag(scope->id, false, stmt, out);
        planBlock(scope->body, out);
      } else if (std::holds_alternative<hir::While>(stmt.node) ||
                 std::holds_alternative<hir::For>(stmt.node)) {
        auto *loop = std::get_if<hir::While>(&stmt.node);
        const hir::Block &body = loop ? loop->body : std::get<hir::For>(stmt.node).body;
        Node node;
        node.kind = loop ? Node::While : Node::For;
        node.stmt = &stmt;
        for (unsigned scope : exitsOf(body).scopes)
          node.flags.push_back(flagOf(scope));
        planBlock(body, node.body);
        out.push_back(std::move(node));
      } else {
        Node node;
        node.stmt = &stmt;
        out.push_back(std::move(node));
      }

      Exits exits = exitsOf(stmt);
      if (exits.always)
        return;
      if (exits.scopes.empty() || rest.empty())
        continue;
      Node guard;
      guard.kind = Node::Guard;
      guard.stmt = rest.front();
      for (unsigned scope : exits.scopes)
        guard.flags.push_back(flagOf(scope));
      planList(rest, guard.body);
      out.push_back(std::move(guard));
      return;
    }
  }

  /// Calls `visit` on each expression that `stmt` itself evaluates, in order.
  template <typename Visit> static void forExpressions(const hir::Stmt &stmt, Visit visit) {
    if (auto *assign = std::get_if<hir::Assign>(&stmt.node)) {
      visit(*assign->value);
    } else if (auto *store = std::get_if<hir::Store>(&stmt.node)) {
      visit(*store->value);
      visit(*store->index);
    } else if (auto *eval = std::get_if<hir::Eval>(&stmt.node)) {
      visit(*eval->value);
    } else if (auto *branch = std::get_if<hir::If>(&stmt.node)) {
      visit(*branch->condition);
    } else if (auto *loop = std::get_if<hir::While>(&stmt.node)) {
      visit(*loop->condition);
    } else if (auto *loop = std::get_if<hir::For>(&stmt.node)) {
      visit(*loop->begin);
      visit(*loop->end);
    } else if (auto *instruction = std::get_if<hir::Instruction>(&stmt.node)) {
      for (const hir::ExprPtr &operand : instruction->operands)
        visit(*operand);
    } else if (auto *check = std::get_if<hir::Check>(&stmt.node)) {
      visit(*check->ok);
      for (auto *operand : {&check->first, &check->second})
        if (*operand)
          visit(***operand);
    }
  }

  void planExpressions(const hir::Stmt &stmt) {
    forExpressions(stmt, [&](const hir::Expr &expr) { planExpression(expr, stmt); });
  }

  void planExpression(const hir::Expr &expr, const hir::Stmt &stmt) {
    if (auto *sequence = std::get_if<hir::Sequence>(&expr.node)) {
      if (!exitsOf(sequence->body).scopes.empty())
        plan.badLeave = &stmt;
      irgen::Region region;
      planBlock(sequence->body, region);
      plan.sequences[sequence] = std::move(region);
      planExpression(*sequence->result, stmt);
      return;
    }
    hir::forEachOperand(expr, [&](const hir::Expr &operand) { planExpression(operand, stmt); });
  }

  //===--- Mentions ---------------------------------------------------------===//

  void countReads(const irgen::Region &region) {
    for (const Node &node : region) {
      if (node.kind != Node::SetFlag)
        for (unsigned flag : node.flags)
          flagsRead[flag - task.locals.size()] = true;
      countReads(node.body);
      countReads(node.otherwise);
    }
  }

  void mention(unsigned slot) {
    plan.firstMention[slot] = std::min(plan.firstMention[slot], position);
    plan.lastMention[slot] = std::max(plan.lastMention[slot], position);
    ++position;
  }

  void assign(unsigned slot) {
    mention(slot);
    assignments.push_back(slot);
  }

  /// Measures what `body` emits.
  template <typename Body> Extent measure(Body body) {
    Extent extent;
    size_t firstAssignment = assignments.size();
    unsigned sitesBefore = std::exchange(barrierSite, 0);
    extent.begin = position;
    body();
    extent.end = position;
    extent.barrierSite = barrierSite;
    barrierSite = sitesBefore ? sitesBefore : barrierSite;
    llvm::ArrayRef<unsigned> own = llvm::ArrayRef(assignments).drop_front(firstAssignment);
    extent.assigned.assign(own.begin(), own.end());
    llvm::sort(extent.assigned);
    extent.assigned.erase(std::unique(extent.assigned.begin(), extent.assigned.end()),
                          extent.assigned.end());
    // The enclosing stretch needs each slot only once.
    assignments.truncate(firstAssignment);
    assignments.append(extent.assigned);
    return extent;
  }

  void mentionRegion(irgen::Region &region) {
    llvm::erase_if(region, [&](const Node &node) {
      return node.kind == Node::SetFlag && !flagsRead[node.flags[0] - task.locals.size()];
    });
    for (Node &node : region)
      mentionNode(node);
  }

  void mentionNode(Node &node) {
    bool inThen = false;
    switch (node.kind) {
    case Node::Simple:
      forExpressions(*node.stmt, [&](const hir::Expr &expr) { mentionExpr(expr); });
      if (auto *stmt = std::get_if<hir::Assign>(&node.stmt->node))
        assign(stmt->local);
      if (auto *stmt = std::get_if<hir::Instruction>(&node.stmt->node))
        for (unsigned result : stmt->results)
          assign(result);
      if (auto *stmt = std::get_if<hir::Barrier>(&node.stmt->node))
        barrierSite = barrierSite ? barrierSite : stmt->site;
      break;
    case Node::SetFlag:
      assign(node.flags[0]);
      break;
    case Node::If:
      forExpressions(*node.stmt, [&](const hir::Expr &expr) { mentionExpr(expr); });
      node.extent = measure([&] {
        mentionRegion(node.body);
        inThen = barrierSite != 0;
        mentionRegion(node.otherwise);
      });
      node.barrierInElse = node.extent.barrierSite && !inThen;
      break;
    case Node::Guard:
      for (unsigned flag : node.flags)
        mention(flag);
      node.extent = measure([&] { mentionRegion(node.body); });
      break;
    case Node::While:
      node.extent = measure([&] {
        for (unsigned flag : node.flags)
          mention(flag);
        node.condition =
            measure([&] { mentionExpr(*std::get<hir::While>(node.stmt->node).condition); });
        mentionRegion(node.body);
      });
      break;
    case Node::For: {
      auto &loop = std::get<hir::For>(node.stmt->node);
      mentionExpr(*loop.begin);
      mentionExpr(*loop.end);
      node.extent = measure([&] {
        for (unsigned flag : node.flags)
          mention(flag);
        assign(loop.local);
        mentionRegion(node.body);
      });
      break;
    }
    }
  }

  void mentionExpr(const hir::Expr &expr) {
    if (auto *read = std::get_if<hir::LocalRead>(&expr.node)) {
      mention(read->local);
    } else if (auto *sequence = std::get_if<hir::Sequence>(&expr.node)) {
      mentionRegion(plan.sequences.find(sequence)->second);
      mentionExpr(*sequence->result);
    } else if (auto *conditional = std::get_if<hir::Conditional>(&expr.node)) {
      mentionExpr(*conditional->condition);
      plan.conditionals[conditional] = measure([&] {
        mentionExpr(*conditional->whenTrue);
        mentionExpr(*conditional->whenFalse);
      });
    } else {
      hir::forEachOperand(expr, [&](const hir::Expr &operand) { mentionExpr(operand); });
      if (auto *barrier = std::get_if<hir::BarrierReduce>(&expr.node))
        barrierSite = barrierSite ? barrierSite : barrier->site;
    }
  }

  Plan &plan;
  const hir::Task &task;
  llvm::DenseMap<unsigned, unsigned> flags; ///< keys: scopes
  std::vector<bool> flagsRead;
  SmallVector<unsigned> assignments;
  unsigned position = 0;
  unsigned barrierSite = 0; ///< the first checked barrier in the stretch being measured
};

} // namespace

SmallVector<unsigned> Plan::carried(const Extent &extent) const {
  SmallVector<unsigned> slots;
  for (unsigned slot : extent.assigned)
    if (firstMention[slot] < extent.begin || lastMention[slot] >= extent.end)
      slots.push_back(slot);
  return slots;
}

Plan irgen::planTask(const hir::Task &task) {
  Plan plan;
  Planner(plan, task).run();
  return plan;
}
