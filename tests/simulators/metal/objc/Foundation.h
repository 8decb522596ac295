// Foundation's classes as far as the loader knows them.
#pragma once

#include "tests/simulators/metal/objc/Runtime.h"

namespace sextant::test::objc {

class String : public Base {
public:
  String() = default;
  explicit String(std::string text) : text(std::move(text)), isReady(true) {}
  const char *className() const override { return "NSString"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  Id initWithBytes(const void *bytes, UInteger length, UInteger encoding);
  const char *utf8();

  std::string text;

private:
  bool isReady = false; ///< init was called
};

class Array : public Base {
public:
  explicit Array(std::vector<Base *> objects); ///< takes references
  ~Array() override;
  const char *className() const override { return "NSArray"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  UInteger count() { return objects.size(); }
  Id objectAt(UInteger index);

private:
  std::vector<Base *> objects;
};

class Error : public Base {
public:
  explicit Error(std::string text) : text(std::move(text)) {}
  const char *className() const override { return "NSError"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  Id localizedDescription() { return autoreleased(new String(text)); }

private:
  std::string text;
};

class ProcessInfo : public Base {
public:
  const char *className() const override { return "NSProcessInfo"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  bool isSystemAtLeast(Version version);
};

ClassObject *stringClass();
ClassObject *processInfoClass();

} // namespace sextant::test::objc
