#include "tests/simulators/metal/objc/Foundation.h"
#include "tests/simulators/metal/objc/FakeObjC.h"

#include <atomic>

namespace sextant::test::objc {
namespace {

constexpr UInteger utf8Encoding = 4;
std::atomic<int> systemMajor{15};

/// True if the bytes are sequences of the lengths that their first bytes say.
bool isUtf8(const std::string &text) {
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int more = first < 0x80 ? 0 : first < 0xC2 ? -1 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    if (more < 0 || first > 0xF4 || i + static_cast<size_t>(more) >= text.size())
      return false;
    for (int k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(text[i + static_cast<size_t>(k)]) & 0xC0) != 0x80)
        return false;
    i += 1 + static_cast<size_t>(more);
  }
  return true;
}

} // namespace

//===--- NSString ----------------------------------------------------------===//

Id String::initWithBytes(const void *bytes, UInteger length, UInteger encoding) {
  if (isReady)
    misuse("an NSString gets init twice");
  if (encoding != utf8Encoding)
    misuse("the stand-in's NSString only knows UTF-8");
  text.assign(static_cast<const char *>(bytes), length);
  isReady = true;
  if (isUtf8(text))
    return id();
  giveBack(this);
  return nullptr;
}

const char *String::utf8() {
  if (!isReady)
    misuse("an NSString is used that got no init");
  return text.c_str();
}

const Methods &String::list() {
  static const Methods all = {
      Bound<&String::initWithBytes>::as("initWithBytes:length:encoding:"),
      Bound<&String::utf8>::as("UTF8String"),
  };
  return all;
}

namespace {

struct StringClass : ClassObject {
  StringClass()
      : ClassObject("NSString", {Bound<&StringClass::alloc>::as("alloc"),
                                 Bound<&StringClass::withUtf8>::as("stringWithUTF8String:")}) {}
  Id alloc() { return (new String)->id(); }
  Id withUtf8(const char *text) {
    if (!text) {
      misuse("stringWithUTF8String: gets NULL");
      return nullptr;
    }
    return isUtf8(text) ? autoreleased(new String(text)) : nullptr;
  }
};

} // namespace

ClassObject *stringClass() {
  static auto *made = new StringClass;
  return made;
}

//===--- NSArray, NSError --------------------------------------------------===//

Array::Array(std::vector<Base *> of) : objects(std::move(of)) {
  for (Base *object : objects)
    take(*object);
}

Array::~Array() {
  for (Base *object : objects)
    giveBack(object);
}

Id Array::objectAt(UInteger index) {
  if (index < objects.size())
    return objects[index]->id();
  misuse("objectAtIndex: beyond the bounds of an NSArray");
  return nullptr;
}

const Methods &Array::list() {
  static const Methods all = {Bound<&Array::count>::as("count"),
                              Bound<&Array::objectAt>::as("objectAtIndex:")};
  return all;
}

const Methods &Error::list() {
  static const Methods all = {Bound<&Error::localizedDescription>::as("localizedDescription")};
  return all;
}

//===--- NSProcessInfo -----------------------------------------------------===//

bool ProcessInfo::isSystemAtLeast(Version version) {
  if (version.minor < 0 || version.patch < 0)
    misuse("a version of a system is negative");
  return systemMajor >= version.major; // any minor version
}

const Methods &ProcessInfo::list() {
  static const Methods all = {
      Bound<&ProcessInfo::isSystemAtLeast>::as("isOperatingSystemAtLeastVersion:")};
  return all;
}

namespace {

struct ProcessInfoClass : ClassObject {
  ProcessInfoClass()
      : ClassObject("NSProcessInfo", {Bound<&ProcessInfoClass::only>::as("processInfo")}) {}
  Id only() {
    static auto *made = [] {
      auto *process = new ProcessInfo;
      process->stay();
      return process;
    }();
    return made->id();
  }
};

} // namespace

ClassObject *processInfoClass() {
  static auto *made = new ProcessInfoClass;
  return made;
}

} // namespace sextant::test::objc

extern "C" void fakeObjcSystem(int major) { sextant::test::objc::systemMajor = major; }
