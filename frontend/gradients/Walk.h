// Walks over code that several steps take.
#pragma once

#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Uses.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace sextant::gradients {

/// Calls `visit` for each statement, outer ones first.
void forEachStatement(hir::Block &code, const std::function<void(hir::Stmt &)> &visit);
/// Calls `visit` for each expression in a statement's own operands, but not in blocks inside.
void forEachExpr(hir::Stmt &stmt, const std::function<void(hir::Expr &)> &visit);
/// The same for an expression, itself first. Blocks of its sequences count.
void forEachExpr(hir::Expr &expr, const std::function<void(hir::Expr &)> &visit);

/// Calls `visit` for each access to an array, whatever it does there.
void forEachAccess(hir::Block &code, const std::function<void(const hir::BufferRef &)> &visit);

/// How many terms of a sum are looked at. A local may be a sum of others, and so many times over.
inline constexpr unsigned mostTerms = 64;

/// The local that a statement sets: by an assignment, or as the one of a loop.
std::optional<unsigned> setBy(const hir::Stmt &stmt);
/// Returns the values of locals that code sets once, by an assignment.
std::map<unsigned, const hir::Expr *> valuesSetOnce(const std::vector<hir::Block *> &code);
/// Returns the locals that code sets.
std::set<unsigned> setIn(hir::Block &code);
/// The load whose value a statement of flat code sets a local to; null: it is another one.
const hir::Load *loadOf(const hir::Stmt &stmt);
/// The array that a store changes, or an atomic whose old value nobody uses; null: another one.
const hir::BufferRef *writtenBy(hir::Stmt &stmt);
/// The addition to an array of the kernel that a statement is, if nobody uses its old value; null:
/// it is another one.
const hir::Atomic *additionOf(const hir::Stmt &stmt);
/// True for a For or While.
bool isLoop(const hir::Stmt &stmt);
/// The body of a For or While.
hir::Block &bodyOf(hir::Stmt &loop);
/// Returns a wait for other threads as it stands in code that is run again or backwards, if the
/// statement is one or has one.
std::optional<hir::Stmt> waitOf(const hir::Stmt &stmt);
/// True if the code waits for other threads.
bool hasWaits(hir::Block &code);
/// True for the loop by which a task goes over its grid: iterations are those of other threads,
/// too.
bool isGridLoop(hir::Stmt &loop);
/// True for the other loops.
bool isInnerLoop(hir::Stmt &stmt);
/// Returns the locals that an iteration of a loop may read before it sets them.
std::set<unsigned> exposedIn(hir::Stmt &loop);

} // namespace sextant::gradients
