// Conversions between values, and from values to expressions.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

hir::Type typeOf(Context &cx, const Value &number);
ExprRef toRuntime(Context &cx, const Value &number, SourceRange at);
ExprRef convert(Context &cx, const Value &number, hir::Type type, SourceRange at);
ExprRef toBool(Context &cx, const Value &value, SourceRange at);
Value castTo(Context &cx, const Value &value, const ElementType &type, SourceRange at);
/// A cast to a struct: of its own values, each member with its type. A number fills all members.
Value castToStruct(Context &cx, const Value &value, const std::shared_ptr<const StructType> &type,
                   SourceRange at);
/// Casts a value to the type of a member of a record.
Value castToMember(Context &cx, const Value &value, const TypeValue &type, SourceRange at);
/// Converts a value to an annotation. A scalar type casts each component; a number does not become
/// a vector.
Value asAnnotated(Context &cx, const Value &value, const ElementType &type, SourceRange at,
                  const std::string &what);
/// Warns if a real that may have a fraction becomes an integer without a cast: in a store, an
/// atomic, an argument or a return. Calls of types and of `qd.cast` say that it is meant.
void warnLossy(Context &cx, const Value &value, hir::Type to, SourceRange at);
/// The same for a store to a variable.
/// \param leaves the variable's value
void warnLossy(Context &cx, const Value &value, const Value &leaves, SourceRange at);
Value castItems(Context &cx, const Value &value, hir::Type type, SourceRange at);
ElementType elementOf(Context &cx, const Value &matrix);
Value spread(Context &cx, const Value &value, const Value &shape, SourceRange at);
Value materialise(Context &cx, const Value &value, SourceRange at);
bool isTruthy(Context &cx, const Value &value, bool &known, SourceRange at);
/// Reads a dtype argument: a scalar type, or Python's int, float or bool. Returns false if it is
/// something else.
bool dtypeOf(const Value &value, const SemaOptions &options, hir::Type &type);
std::optional<Exact> exactInt(Context &cx, const Value &value, SourceRange at, const char *what);
bool commonType(Context &cx, std::vector<ExprRef> &out, const std::vector<Value> &in,
                SourceRange at, bool forceFloat = false);
Value toMatrix(Context &cx, const Value &value, SourceRange at);

} // namespace sextant::sema
