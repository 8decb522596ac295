// The instances of kernels that the file's own host code wants, by its calls and by the objects
// that it makes, as far as they can be read from the file.
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

/// An object that host code makes: `solar = SolarSystem(8, 0.001)`.
struct HostObject {
  SourceRange at;
  std::string name; ///< the variable's name; "SolarSystem" if there is none
  Value object;
  std::set<std::string> reads; ///< the module constants that it depends on
  bool isOther = false;        ///< an earlier one has the name, and is made otherwise
};

/// Returns the objects of `@qd.data_oriented` classes that host code of the file makes.
std::vector<HostObject> hostObjects(Context &host);

/// Writes the members of an object as a request does: "self.n=4, self.x=field(f32, (4,))"; `...`
/// where host code decides.
std::string spellMembers(const Value &object, const std::string &path);

/// Returns the fields of the file by their names, in the order of the text.
std::vector<std::pair<std::string, Value>> fieldsOf(Context &host);

} // namespace sextant::sema
