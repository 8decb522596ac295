// Finds the Metal driver on systems without Metal: in a library that tests name.
#include "loader/Error.h"
#include "loader/devices/metal/Driver.h"
#include "loader/system/Environment.h"
#include "loader/system/Library.h"

namespace sextant::loader::metal {
namespace {

struct Found {
  const Functions *functions = nullptr;
  std::string why;
};

Found load() {
  const char *path = system::environment("SEXTANT_METAL_LIBRARY");
  if (!path)
    return {nullptr, "Metal needs Apple hardware"};
  std::string why;
  void *library = system::openLibrary({&path, 1}, why);
  if (!library)
    return {nullptr, "SEXTANT_METAL_LIBRARY does not load: " + why};
  using Entry = const Functions *(*)();
  auto entry = system::findFunction<Entry>(library, "sextant_metal_driver");
  const Functions *functions = entry ? entry() : nullptr;
  if (!functions || functions->version != tableVersion)
    return {nullptr, std::string(path) + ", which SEXTANT_METAL_LIBRARY names, is not a driver for "
                                         "this loader"};
  return {functions, ""};
}

} // namespace

const Functions *driver(std::string &why) {
  static const Found *found = new Found(load()); // used until the very end
  why = found->why;
  return found->functions;
}

} // namespace sextant::loader::metal
