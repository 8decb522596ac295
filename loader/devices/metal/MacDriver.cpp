// Finds the Metal driver on macOS: Apple's framework.
#include "loader/devices/metal/AppleDriver.h"

namespace sextant::loader::metal {
namespace {

constexpr const char *objc[] = {"/usr/lib/libobjc.A.dylib"};
constexpr const char *foundation[] = {"/System/Library/Frameworks/Foundation.framework/Foundation"};
constexpr const char *metalFramework[] = {"/System/Library/Frameworks/Metal.framework/Metal"};

struct Found {
  std::string why;
  const Functions *functions = openApple({objc, foundation, metalFramework}, why);
};

} // namespace

const Functions *driver(std::string &why) {
  static const Found *found = new Found; // used until the very end
  why = found->why;
  return found->functions;
}

} // namespace sextant::loader::metal
