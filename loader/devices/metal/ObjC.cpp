// Finds Objective-C's functions.
#include "loader/devices/metal/ObjC.h"

namespace sextant::loader::metal::objc {

std::string Runtime::open(void *library) {
  std::string missing;
  auto find = [&]<class Function>(Function &function, const char *name) {
    function = system::findFunction<Function>(library, name);
    if (!function && missing.empty())
      missing = name;
  };
  void (*send)() = nullptr;
  Selector (*selectorNamed)(const char *) = nullptr;
  find(send, "objc_msgSend");
  find(selectorNamed, "sel_registerName");
  find(getClass, "objc_getClass");
  find(retain, "objc_retain");
  find(release, "objc_release");
  find(pushPool, "objc_autoreleasePoolPush");
  find(popPool, "objc_autoreleasePoolPop");
  // The system's library has it, which libobjc needs.
  find(stackKind, "_NSConcreteStackBlock");
  if (!missing.empty())
    return "libobjc has no " + missing;
  auto prepare = [&](auto &message, const char *name) {
    message.send = send;
    message.selector = selectorNamed(name);
  };
#define MESSAGE(name, selector, ...) prepare(messages.name, selector);
#include "loader/devices/metal/Messages.def"
  return "";
}

} // namespace sextant::loader::metal::objc
