// Making and copying HIR expressions, with the folding that keeps index arithmetic small.
#pragma once

#include "frontend/sema/Value.h"

#include <functional>

namespace sextant::sema {

hir::ExprPtr clone(const hir::Expr &expr);
/// A tree of its own, of an expression that is there: moved out where nobody else holds it.
/// What may be missing after an error goes through KernelAnalyzer::take.
hir::ExprPtr take(ExprRef expr);

// After an error an operand is null, and so is what is made of it.
ExprRef makeInt(Exact value, hir::Type type, SourceRange at = {});
ExprRef makeFloat(double value, hir::Type type, SourceRange at = {});
ExprRef makeBool(bool value, SourceRange at = {});
ExprRef makeParam(unsigned param, hir::Type type, SourceRange at = {});
ExprRef makeLocal(unsigned local, hir::Type type, SourceRange at = {});
ExprRef makeId(hir::Id id, SourceRange at = {});
ExprRef makeUnary(hir::UnaryOp op, ExprRef operand, hir::Type type, SourceRange at = {});
/// Both operands have their final types; `type` is the result's.
ExprRef makeBinary(hir::BinaryOp op, ExprRef lhs, ExprRef rhs, hir::Type type, SourceRange at = {});
ExprRef makeCast(ExprRef operand, hir::Type type, SourceRange at = {});
ExprRef makeSelect(ExprRef condition, ExprRef whenTrue, ExprRef whenFalse, SourceRange at = {});
ExprRef makeExpr(hir::Type type, decltype(hir::Expr::node) node, SourceRange at = {});

/// The constant that an integer or Bool expression is.
const hir::Const *asConst(const hir::Expr &expr);
bool constInt(const hir::Expr &expr, Exact &value);

/// Copying it is as cheap as naming it: a constant, a parameter, a local.
bool isTrivial(const hir::Expr &expr);
/// Nodes of the tree, up to `limit`.
unsigned sizeOf(const hir::Expr &expr, unsigned limit);

/// Calls `visit` for each direct operand (also those inside nested statements' expressions).
void forEachOperand(hir::Expr &expr, const std::function<void(hir::Expr &)> &visit,
                    const std::function<void(hir::Block &)> &visitBlock);
void forEachOperand(hir::Stmt &stmt, const std::function<void(hir::Expr &)> &visit,
                    const std::function<void(hir::Block &)> &visitBlock);

} // namespace sextant::sema
