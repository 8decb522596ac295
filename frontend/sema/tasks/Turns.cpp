// Finds loops whose blocks may take turns, from the end of their bodies on.
#include "frontend/sema/tasks/Turns.h"
#include "frontend/hir/Builder.h"
#include "frontend/hir/Division.h"
#include "frontend/hir/passes/Uses.h"
#include "frontend/sema/tasks/Light.h"

#include <set>

namespace sextant::sema {

using hir::BufferRef;

namespace {

/// More tables than these would leave each too small.
constexpr size_t mostTables = 2;
/// More values than these would take a thread's registers.
constexpr size_t mostSums = 8;
/// The longest iteration-count expression that we accept; the launch stores it three times.
constexpr size_t mostItems = 12;

bool isGlobal(const BufferRef *buffer) {
  return buffer && (buffer->kind == BufferRef::Param || buffer->kind == BufferRef::Carry);
}

/// The expression that the statement evaluates on its own or for a local; or null.
hir::Expr *valueOf(hir::Stmt &stmt) {
  if (auto *eval = std::get_if<hir::Eval>(&stmt.node))
    return &*eval->value;
  auto *assign = std::get_if<hir::Assign>(&stmt.node);
  return assign ? &*assign->value : nullptr;
}

/// The values that code has read from memory, directly or by its locals.
struct FromMemory {
  std::set<unsigned> locals = {};
  std::set<unsigned> olds = {}; ///< locals that hold what atomics yield
  bool synchronises = false;    ///< the code communicates with other threads
  size_t updates = 0;           ///< atomics of unused old values

  template <class Node> bool within(Node &node) {
    bool found = false;
    hir::forEachOperand(
        node, [&](hir::Expr &x) { found |= is(x); },
        [&](hir::Block &block) {
          for (hir::Stmt &stmt : block)
            visit(stmt);
        });
    return found;
  }
  bool is(hir::Expr &expr) {
    auto *read = std::get_if<hir::LocalRead>(&expr.node);
    auto *load = std::get_if<hir::Load>(&expr.node);
    synchronises |= std::holds_alternative<hir::Atomic>(expr.node) ||
                    std::holds_alternative<hir::AtomicCas>(expr.node) ||
                    (load && load->isVolatile) || (read && olds.count(read->local));
    const bool isHere = isGlobal(hir::bufferOf(expr)) || (read && locals.count(read->local));
    return within(expr) || isHere;
  }
  void visit(hir::Stmt &stmt) {
    auto *assign = std::get_if<hir::Assign>(&stmt.node);
    hir::Expr *value = valueOf(stmt);
    if (value && std::holds_alternative<hir::Atomic>(value->node)) {
      ++updates;
      (void)within(*value);
      if (assign)
        olds.insert(assign->local);
    } else if (within(stmt) && assign) {
      locals.insert(assign->local);
    }
  }
};

/// True if an expression within the statement accesses such memory.
template <class Node> bool touchesGlobal(Node &node) {
  bool found = isGlobal(hir::bufferOf(node));
  hir::forEachOperand(
      node, [&](hir::Expr &x) { found = found || touchesGlobal(x); },
      [&](hir::Block &block) {
        for (hir::Stmt &stmt : block)
          found = found || touchesGlobal(stmt);
      });
  return found;
}

/// Atomics in reverse order, as targets that collect updates look for them.
struct Updates {
  FromMemory fromMemory;
  struct Found {
    const hir::Atomic *atomic;
    hir::Type type;
    bool isSum; ///< its place is the launch's, not of data
  };
  std::vector<Found> found = {};

  /// True if elements may be the same. Of one thread, different operators stay in order then.
  static bool isAlike(hir::Type one, hir::Type other) {
    return hir::bitWidth(one) == hir::bitWidth(other) && isFloat(one) == isFloat(other);
  }
  static bool fit(const Found &one, const Found &other) {
    if (one.isSum != other.isSum)
      return false;
    const bool isSameOp = one.atomic->op == other.atomic->op;
    return one.isSum ? isSameOp
                     : one.atomic->buffer.index != other.atomic->buffer.index &&
                           (isSameOp || !isAlike(one.type, other.type));
  }
  /// True if the atomic may wait for the end of the block's code.
  bool take(hir::Expr &expr) {
    auto *atomic = std::get_if<hir::Atomic>(&expr.node);
    if (!atomic || atomic->op == hir::Combine::Exchange || hir::bitWidth(expr.type) < 32 ||
        atomic->buffer.kind != BufferRef::Param)
      return false;
    const Found now{atomic, expr.type, hir::isOfLaunch(*atomic->index)};
    if (!now.isSum && (atomic->index->type != hir::Type::I32 || !fromMemory.is(*atomic->index)))
      return false;
    for (const Found &each : found)
      if (!fit(now, each))
        return false;
    found.push_back(now);
    return true;
  }
  /// Returns false if those before must not be moved past the block.
  bool collect(hir::Block &block) {
    for (size_t i = block.size(); i-- > 0;) {
      hir::Stmt &stmt = block[i];
      if (hir::Expr *value = valueOf(stmt); value && take(*value))
        continue;
      if (auto *branch = std::get_if<hir::If>(&stmt.node)) {
        const bool isFree = collect(branch->otherwise);
        if (!collect(branch->then) || !isFree)
          return false;
      } else if (auto *scope = std::get_if<hir::Scope>(&stmt.node)) {
        if (!collect(scope->body))
          return false;
      } else if (touchesGlobal(stmt)) {
        return false;
      }
    }
    return true;
  }
};

/// Blocks compute it, too. They do so without divisions.
bool isSimple(const hir::LaunchExpr &launch) {
  for (const hir::LaunchExpr::Item &item : launch.items)
    if (item.op == hir::LaunchExpr::FloorDiv || item.op == hir::LaunchExpr::Mod)
      return false;
  return launch.items.size() <= mostItems;
}

} // namespace

bool mayTakeTurns(const TaskBuild &build, const ParallelRange &range, hir::Block &body) {
  if (build.asksBlockDim || build.usesBarrier || !range.launch || !isSimple(*range.launch) ||
      !isShort(body))
    return false;
  Updates updates;
  for (hir::Stmt &stmt : body)
    updates.fromMemory.visit(stmt);
  if (updates.fromMemory.synchronises)
    return false;
  (void)updates.collect(body);
  const size_t all = updates.found.size();
  return all != 0 && all <= (updates.found.front().isSum ? mostSums : mostTables) &&
         all == updates.fromMemory.updates;
}

} // namespace sextant::sema
