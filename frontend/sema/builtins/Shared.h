// Functions that several builtins use, and those of builtins that evaluation uses.
#pragma once

#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/eval/Places.h"

namespace sextant::sema {

struct Tail {
  unsigned lanes;       ///< of a subgroup with fewer lanes than the wave
  std::string why, fix; ///< for messages
};

std::optional<int> dimensions(Context &cx, const Value &value, SourceRange at);
/// Sets the axes' order in memory from `layout=(1, 0)`: the axes from the outermost to the
/// innermost. Returns false after an error. \param ndim the number of axes, or -1 where it is not
/// known
bool layoutOf(Context &cx, const Value &value, int ndim, std::vector<unsigned> &layout,
              SourceRange at);
Value doTypeCall(Context &cx, const TypeValue &type, const ast::Call &node, SourceRange at);
/// What a call that makes a field says of it beside its elements.
struct FieldCall {
  Value shape = Value::none(), layout = Value::none(), offset = Value::none();
  bool needsGradient = false; ///< it gets a second field, `x.grad`
};
/// Makes a field with elements of the type. The name follows later, nameArray(), and so does the
/// shape if there is none: placeField().
Value makeField(Context &cx, const TypeValue &element, const FieldCall &call, SourceRange at);
/// Gives the members of an array the gradients that are the members of its own.
void linkGradients(ArrayRef &array);
/// Gives a field, and those of its members, extents. Returns false after an error.
bool shapeField(Context &cx, ArrayRef &field, const Value &shape, SourceRange at);
/// Gives a field with extents, those of its members, and its gradient, the index of the first
/// element that `offset` says. Returns false after an error.
bool offsetField(Context &cx, ArrayRef &field, const Value &offset, SourceRange at);
/// Names a type of `qd.types.struct` after the first constant that it is the value of.
void nameStruct(TypeValue &type, const std::string &name);
/// Names an array, those of its members, and its gradient: "particles", "particles.mass",
/// "particles.grad", "particles.grad.mass".
void nameArray(ArrayRef &array, const std::string &name);
Value vectorMethod(Context &cx, const std::string &name, const Value &self, std::vector<Value> args,
                   SourceRange at);
/// Appends the keyword arguments of a method to its others. Returns false after an error.
bool nameArguments(Context &cx, const std::string &method,
                   const std::vector<ast::Keyword> &keywords, std::vector<Value> &args);

/// The operation of an atomic.
struct AtomicUpdate {
  hir::Combine op;
  bool subtracts = false; ///< adds the negative
};
/// Yields the old element. `what` names the call; empty for an augmented assignment.
Value atomicOn(Context &cx, AtomicUpdate update, const Place &place, const Value &value,
               SourceRange at, const std::string &what);

bool inKernel(Context &cx, CallSite &site);
std::string userCall(Context &cx, const CallSite &site);
bool checkTile(Context &cx, const std::string &what, SourceRange at, const Value *asked,
               unsigned &log2Size);
bool checkSourceLane(Context &cx, const std::string &what, SourceRange at, hir::ShuffleKind kind,
                     const ExprRef &lane);
bool checkBallot(Context &cx, const std::string &what, SourceRange at, std::optional<unsigned> n);
void needWholeBlocks(Context &cx, const CallSite &site);

/// Reads a dtype argument: a scalar type, or Python's int, float or bool. False: it is none of
/// them.
bool dtypeOf(const Value &value, const SemaOptions &options, hir::Type &type);

} // namespace sextant::sema
