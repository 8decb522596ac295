// Making and copying HIR expressions, with the folding that keeps index arithmetic small.
#pragma once

#include "frontend/hir/Types.h"

#include <functional>

namespace sextant::hir {

/// A pure expression that may be shared: nothing in it writes, waits or reads memory.
using ExprRef = std::shared_ptr<Expr>;

ExprPtr clone(const Expr &expr);
/// A tree of its own, of an expression that is there: moved out where nobody else holds it.
/// What may be missing after an error goes through sema.
ExprPtr take(ExprRef expr);

// After an error an operand is null, and so is what is made of it.
ExprRef makeInt(Exact value, Type type, SourceRange at = {});
ExprRef makeFloat(double value, Type type, SourceRange at = {});
ExprRef makeBool(bool value, SourceRange at = {});
ExprRef makeParam(unsigned param, Type type, SourceRange at = {});
ExprRef makeLocal(unsigned local, Type type, SourceRange at = {});
ExprRef makeId(Id id, SourceRange at = {});
ExprRef makeUnary(UnaryOp op, ExprRef operand, Type type, SourceRange at = {});
/// Both operands have their final types; `type` is the result's.
ExprRef makeBinary(BinaryOp op, ExprRef lhs, ExprRef rhs, Type type, SourceRange at = {});
ExprRef makeCast(ExprRef operand, Type type, SourceRange at = {});
ExprRef makeSelect(ExprRef condition, ExprRef whenTrue, ExprRef whenFalse, SourceRange at = {});
ExprRef makeExpr(Type type, decltype(Expr::node) node, SourceRange at = {});

/// The constant that an integer or Bool expression is.
const Const *asConst(const Expr &expr);
bool constInt(const Expr &expr, Exact &value);

/// Copying it is as cheap as naming it: a constant, a parameter, a local.
bool isTrivial(const Expr &expr);
/// Nodes of the tree, up to `limit`.
unsigned sizeOf(const Expr &expr, unsigned limit);

/// Calls `visit` for each direct operand (also those inside nested statements' expressions).
void forEachOperand(Expr &expr, const std::function<void(Expr &)> &visit,
                    const std::function<void(Block &)> &visitBlock);
void forEachOperand(Stmt &stmt, const std::function<void(Expr &)> &visit,
                    const std::function<void(Block &)> &visitBlock);

} // namespace sextant::hir
