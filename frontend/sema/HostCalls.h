// The instances of a template kernel that the file's own host code calls, as far as they can be
// read from the file.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// A call, and the instance that it needs.
struct HostInstance {
  SourceRange at;
  std::vector<std::pair<std::string, Value>> bound;
  std::string name;    ///< "fill_pos_4"
  std::string request; ///< that means the same: "fill[dst=pos, n=4]"; `...` where host code decides
  bool isKnown = true; ///< the file says all that the instance needs
};

/// \param open the parameters that an instance has to name
std::vector<HostInstance> hostInstances(Context &host, const ast::FunctionDef &kernel,
                                        const std::vector<const ast::Parameter *> &open);

/// Returns the fields of the file by their names, in the order of the text.
std::vector<std::pair<std::string, Value>> fieldsOf(Context &host);

} // namespace sextant::sema
