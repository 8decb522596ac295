// Finds the Metal driver on systems without Metal: in a library that tests name.
#include "loader/Error.h"
#include "loader/devices/metal/Driver.h"

#include <cerrno>
#include <dlfcn.h>

namespace sextant::loader::metal {
namespace {

struct Found {
  const Functions *functions = nullptr;
  std::string why;
};

Found load() {
  const char *path = environment("SEXTANT_METAL_LIBRARY");
  if (!path)
    return {nullptr, "Metal needs Apple hardware"};
  errno = 0;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library && errno == ENOMEM)
    throw std::bad_alloc(); // no reason to give up for good
  if (!library) {
    const char *error = dlerror();
    return {nullptr, std::string("SEXTANT_METAL_LIBRARY does not load: ") + (error ? error : path)};
  }
  using Entry = const Functions *(*)();
  auto entry = reinterpret_cast<Entry>(dlsym(library, "sextant_metal_driver"));
  const Functions *functions = entry ? entry() : nullptr;
  if (!functions || functions->version != tableVersion)
    return {nullptr, std::string(path) + ", which SEXTANT_METAL_LIBRARY names, is no driver for "
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
