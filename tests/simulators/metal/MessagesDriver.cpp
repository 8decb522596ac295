// The loader's driver for Apple's frameworks as a library that SEXTANT_METAL_LIBRARY names: its
// messages go to the stand-ins in objc/.
#include "loader/devices/metal/AppleDriver.h"

#include <cstdio>

using namespace sextant::loader;

extern "C" const metal::Functions *sextant_metal_driver() {
  static constexpr const char *name[] = {"libsextant-fakeobjc.so"}; // loaded with this library
  std::string why;
  const metal::Functions *functions = metal::openApple({name, name, name}, why);
  if (!functions)
    std::fprintf(stderr, "%s\n", why.c_str());
  return functions;
}
