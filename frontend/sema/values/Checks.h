// The tests at run time of builds with --assert and --check.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

void check(Context &cx, ExprRef ok, SourceRange at, const std::string &text,
           ExprRef first = nullptr, ExprRef second = nullptr);
void checkAssertion(Context &cx, ExprRef condition, const std::string &message, SourceRange at,
                    const std::vector<ExprRef> &values);
void checkDivisor(Context &cx, const ExprRef &divisor, bool isModulo, SourceRange at);
void checkOverflow(Context &cx, hir::BinaryOp op, std::vector<ExprRef> &operands, SourceRange at);
void checkNegation(Context &cx, ExprRef &operand, SourceRange at);
void checkShift(Context &cx, hir::Type type, ExprRef &amount, SourceRange at);
ExprRef checkIndex(Context &cx, const ExprRef &index, const Value &extent, SourceRange at,
                   const std::string &before, const std::string &after, Exact first = 0);
ExprRef checkView(Context &cx, const Value &offset, const Value &size, const ArrayRef &array,
                  SourceRange at);
ExprRef checkComponents(Context &cx, std::vector<Value> &index, unsigned rows, unsigned cols,
                        bool isVector, SourceRange at);
ExprRef both(ExprRef a, ExprRef b, SourceRange at);
ExprRef guarded(Context &cx, const ExprRef &guard, ExprRef effect);
void emitGuarded(Context &cx, const ExprRef &guard, SourceRange at, hir::Store store);
void checkLane(Context &cx, hir::ShuffleKind kind, const ExprRef &lane, SourceRange at);
unsigned barrierSite(Context &cx, SourceRange at);
void checkStep(Context &cx, const Value &step, SourceRange at);
unsigned cutBlockSite(Context &cx, SourceRange at);
ExprRef noFaultYet(Context &cx, SourceRange at);

} // namespace sextant::sema
