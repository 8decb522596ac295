// Derivatives of kernels: a step from a draft to the draft of another kernel.
#pragma once

#include "frontend/hir/Draft.h"

#include <string>
#include <vector>

namespace sextant::gradients {

/// Why a kernel has no derivative, and where.
struct Refusal {
  enum Kind : uint8_t { Operation, Overwritten } kind = Operation;
  SourceRange at;
  std::string text, fix;
};

/// Makes the draft that of its adjoint (reverse mode): a kernel that adds to the gradients of the
/// arrays that the kernel reads what follows from those of the arrays that it writes, and clears
/// these. The arrays have to be as the kernel left them. hir::Draft::gradients says which array is
/// the gradient of which. Returns why it cannot be had; the draft is then of no use.
std::vector<Refusal> makeAdjoint(hir::Draft &draft);

/// Makes the draft that of the kernel with tangents (forward mode): beside what the kernel does, it
/// computes the derivative of each array along the direction that hir::Draft::gradients are before
/// it, and leaves it there. Returns as makeAdjoint().
std::vector<Refusal> makeTangent(hir::Draft &draft);

} // namespace sextant::gradients
