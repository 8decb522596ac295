// A stand-in for libobjc: objects, classes and their methods, counts of references, autorelease
// pools. It knows every object, so it notices messages to ones that are gone or that have no such
// method, references that are given back twice, and objects that are handed out outside a pool.
#pragma once

#include "tests/simulators/metal/objc/Encoding.h"

#include <string>
#include <vector>

namespace sextant::test::objc {

/// Says that something was used as Apple's documentation forbids. Ends the program, unless a test
/// catches it; the caller then goes on as well as it can.
void misuse(const std::string &text);

struct Method {
  const char *selector;
  std::string encoding;
  void (*code)();
};
using Methods = std::vector<Method>;

/// Begins with one reference, which its maker has.
class Base {
public:
  Base();
  virtual ~Base();
  Base(const Base &) = delete;
  Base &operator=(const Base &) = delete;
  virtual const char *className() const = 0;
  virtual const Methods &methods() const = 0;
  /// Stays until the end, so that its being there is no leak.
  void stay();

  Id id() { return reinterpret_cast<Id>(this); }

private:
  friend struct References;
  int references = 1; ///< under the runtime's lock
  bool stays = false;
};

/// Takes and gives back a reference.
void take(Base &object);
void giveBack(Base *object);
/// Hands an object's one reference to the innermost pool of the thread.
Id autoreleased(Base *object);
/// The object, or null and a misuse if it is gone or never was.
Base *living(Id id, const char *what);

/// An argument or receiver that has to be of a class.
template <class T> T *as(Id id, const char *what) {
  Base *object = living(id, what);
  auto *found = dynamic_cast<T *>(object);
  if (object && !found)
    misuse(std::string(what) + " is a " + object->className());
  return found;
}

/// Within the stand-in: its allocations do not concern tests that have allocations fail.
class Inside {
public:
  Inside();
  ~Inside();
};

/// A method of class T as a function to be called by a message.
template <auto Member> struct Bound;
template <class T, class Result, class... Arguments, Result (T::*Member)(Arguments...)>
struct Bound<Member> {
  static Result call(Id self, Selector, Arguments... arguments) {
    const Inside inside;
    return (static_cast<T *>(reinterpret_cast<Base *>(self))->*Member)(arguments...);
  }
  static Method as(const char *selector) {
    return {selector, Encoding<Result(Arguments...)>::text(), reinterpret_cast<void (*)()>(&call)};
  }
};

/// The objects that objc_getClass finds: name and methods of the class itself.
class ClassObject : public Base {
public:
  ClassObject(const char *name, Methods methods) : name(name), own(std::move(methods)) { stay(); }
  const char *className() const override { return name; }
  const Methods &methods() const override { return own; }

private:
  const char *name;
  Methods own;
};
/// All classes: Foundation's and Metal's.
const std::vector<ClassObject *> &classes();
/// The methods that objects of all classes have, by class, for the test of their types.
struct ClassMethods {
  const char *className;
  const Methods *methods;
};
std::vector<ClassMethods> allMethods();

} // namespace sextant::test::objc
