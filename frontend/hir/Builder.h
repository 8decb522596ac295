// Making and copying HIR expressions, with the folding that keeps index arithmetic small.
#pragma once

#include "frontend/hir/Types.h"

#include <functional>

namespace sextant::hir {

/// A pure expression that may be shared: nothing in it writes, waits or reads memory.
using ExprRef = std::shared_ptr<Expr>;

ExprPtr clone(const Expr &expr);
Block clone(const Block &code);
/// Returns a copy that may be shared.
ExprRef share(const Expr &expr);
/// Returns the expression as a tree of its own: moved if nobody else holds it, else copied. It must
/// not be null.
ExprPtr take(ExprRef expr);
/// Returns a new local of `locals`, which `body` sets to the value.
unsigned keep(std::vector<Local> &locals, const char *name, Block &body, ExprPtr value, Loc at);

// Each returns null if an operand is null, as operands are after an error.
ExprRef makeInt(Exact value, Type type, Loc at = {});
ExprRef makeFloat(double value, Type type, Loc at = {});
ExprRef makeBool(bool value, Loc at = {});
ExprRef makeParam(unsigned param, Type type, Loc at = {});
ExprRef makeLocal(unsigned local, Type type, Loc at = {});
ExprRef makeId(Id id, Loc at = {});
ExprRef makeUnary(UnaryOp op, ExprRef operand, Type type, Loc at = {});
/// Both operands have their final types. `type` is the type of the result.
ExprRef makeBinary(BinaryOp op, ExprRef lhs, ExprRef rhs, Type type, Loc at = {});
/// A sum or product on the way to an element's position: Binary::isPosition.
ExprRef makePosition(BinaryOp op, ExprRef lhs, ExprRef rhs, Loc at = {});
ExprRef makeCast(ExprRef operand, Type type, Loc at = {});
ExprRef makeSelect(ExprRef condition, ExprRef whenTrue, ExprRef whenFalse, Loc at = {});
ExprRef makeExpr(Type type, decltype(Expr::node) node, Loc at = {});

/// Marks the arithmetic of reals in a tree as Binary::isPrecise.
void markPrecise(Expr &expr);

/// Returns the constant, if an integer or Bool expression is one, else null.
const Const *asConst(const Expr &expr);
bool constInt(const Expr &expr, Exact &value);

/// Returns true for a constant, a parameter or a local: a copy costs no more than a name.
bool isTrivial(const Expr &expr);
/// Counts the nodes of the tree, up to `limit`.
unsigned sizeOf(const Expr &expr, unsigned limit);

/// Calls `visit` for each direct operand, and `visitBlock` for each block of statements inside.
void forEachOperand(Expr &expr, const std::function<void(Expr &)> &visit,
                    const std::function<void(Block &)> &visitBlock);
void forEachOperand(Stmt &stmt, const std::function<void(Expr &)> &visit,
                    const std::function<void(Block &)> &visitBlock);
/// Calls `visit` for each direct operand that is an expression.
void forEachOperand(const Expr &expr, const std::function<void(const Expr &)> &visit);

} // namespace sextant::hir
