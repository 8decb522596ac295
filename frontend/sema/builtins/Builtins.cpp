// The table of all functions that sema itself knows, made of Operations.def. What their parameters
// take is tested by Operands.cpp.
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/eval/Derivatives.h"

namespace sextant::sema {

namespace {

using hir::BarrierReduceKind;
using hir::Combine;
using hir::FenceScope;
using hir::ShuffleKind;
using hir::UnaryOp;

// Handlers are plain functions; each row's call gives them what sets it apart.
#define CALL(HANDLER) [](Context &cx, CallSite &site) -> Value { return HANDLER; }

const Builtin builtins[] = {
#define OP(NAME, PARAMETERS, HANDLER, DOC)                                                         \
  {.name = NAME, .parameters = PARAMETERS, .handler = CALL(HANDLER), .check = checkOperands},
#define LAZY(NAME, PARAMETERS, HANDLER, DOC)                                                       \
  {.name = NAME, .parameters = PARAMETERS, .handler = CALL(HANDLER)},
#define DEVICE(NAME, PARAMETERS, HANDLER, DOC)                                                     \
  {.name = NAME,                                                                                   \
   .parameters = PARAMETERS,                                                                       \
   .handler = CALL(HANDLER),                                                                       \
   .check = checkOperands,                                                                         \
   .isOnDevice = true},
#define OWN(NAME, PARAMETERS, HANDLER) DEVICE(NAME, PARAMETERS, HANDLER, "")
#define METHOD(NAME, PARAMETERS, HANDLER, DOC)                                                     \
  {.name = "qd." NAME,                                                                             \
   .parameters = PARAMETERS,                                                                       \
   .handler = CALL(HANDLER),                                                                       \
   .check = checkOperands,                                                                         \
   .isMethod = true},
#define MEMBER(NAME, PARAMETERS, HANDLER)                                                          \
  {.name = "." NAME,                                                                               \
   .parameters = PARAMETERS,                                                                       \
   .handler = CALL(HANDLER),                                                                       \
   .check = checkOperands,                                                                         \
   .isMethod = true},
#define OLD(NAME, CURRENT) {.name = NAME, .parameters = "", .isOnDevice = true, .current = CURRENT},
#include "frontend/sema/builtins/Operations.def"
};

#undef CALL

} // namespace

std::span<const Builtin> builtinRows() { return builtins; }

} // namespace sextant::sema
