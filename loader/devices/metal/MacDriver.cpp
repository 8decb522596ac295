// Finds the Metal driver on macOS: Apple's framework.
#include "loader/devices/metal/AppleDriver.h"

namespace sextant::loader::metal {
namespace {

struct Found {
  std::string why;
  const Functions *functions = openApple(
      {system::libraryNames.objc, system::libraryNames.foundation, system::libraryNames.metal},
      why);
};

} // namespace

const Functions *driver(std::string &why) {
  static const Found *found = new Found; // used until the very end
  why = found->why;
  return found->functions;
}

} // namespace sextant::loader::metal
