// Errors for names that are not there: members, parameters, keys. Each suggests the nearest name
// that is.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// \param lack what is missing, before the name: "`print` has no parameter"
/// \param at the name's place, or a range that begins or ends with it
/// \param otherwise what to do if no known name is near
Value unknownName(Context &cx, SourceRange at, Problem problem, const std::string &lack,
                  std::string_view name, const std::vector<std::string_view> &known,
                  std::string otherwise = {});

} // namespace sextant::sema
