// Fields: their shapes, layouts, names and gradients.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// The name of a struct that no class has made, in messages.
inline constexpr const char *noName = "struct";

/// Sets the axes' order in memory from `layout=(1, 0)`: the axes from the outermost to the
/// innermost. Returns false after an error. \param ndim the number of axes, or -1 where it is not
/// known
bool layoutOf(Context &cx, const Value &value, int ndim, std::vector<unsigned> &layout,
              SourceRange at);
/// The arguments of a call that makes a field, apart from its elements.
struct FieldCall {
  Value shape = Value::none(), layout = Value::none(), offset = Value::none();
  bool needsGradient = false; ///< it gets a second field, `x.grad`
  bool needsTangent = false;  ///< it gets another one, `x.dual`
};
/// Makes a field with elements of the type. The name follows later, nameArray(), and so does the
/// shape if there is none: placeField().
Value makeField(Context &cx, const TypeValue &element, const FieldCall &call, SourceRange at);
/// Gives the members of an array the gradients, or tangents, that are the members of its own.
using ArrayOf = std::shared_ptr<ArrayRef> ArrayRef::*;
void linkMembers(ArrayRef &array, ArrayOf which);
/// Gives a field, and those of its members, extents. Returns false after an error.
bool shapeField(Context &cx, ArrayRef &field, const Value &shape, SourceRange at);
/// Gives a field with extents, those of its members, its gradient and its tangent, the index of the
/// first element that `offset` says. Returns false after an error.
bool offsetField(Context &cx, ArrayRef &field, const Value &offset, SourceRange at);
/// Names a type of `qd.types.struct` after the first constant that it is the value of.
void nameStruct(TypeValue &type, const std::string &name);
/// Names an array, those of its members, its gradient and its tangent: "particles",
/// "particles.mass", "particles.grad", "particles.grad.mass".
void nameArray(ArrayRef &array, const std::string &name);

} // namespace sextant::sema
