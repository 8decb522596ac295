// Names after a dot.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Returns the meaning of a name of one of the language's namespaces ("qd", "simt.block", "math"),
/// or nullopt.
std::optional<Value> findMember(Context &cx, const std::string &path, std::string_view name,
                                SourceRange at);
/// The same; that there is none is an error.
Value namespaceMember(Context &cx, const std::string &path, std::string_view name, SourceRange at);
/// Returns `object.name`.
Value member(Context &cx, const Value &object, std::string_view name, SourceRange at);

} // namespace sextant::sema
