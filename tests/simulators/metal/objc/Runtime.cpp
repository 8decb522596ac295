// The functions of libobjc.
#include "tests/simulators/metal/objc/Runtime.h"
#include "tests/simulators/metal/FakeMetal.h"
#include "tests/simulators/metal/objc/FakeObjC.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <unordered_set>

extern "C" {
__attribute__((weak)) void sextantTestEnterDriver(void);
__attribute__((weak)) void sextantTestLeaveDriver(void);
__attribute__((visibility("hidden"))) void fakeObjcNothing(void);
}

namespace sextant::test::objc {

Inside::Inside() {
  if (sextantTestEnterDriver)
    sextantTestEnterDriver();
}
Inside::~Inside() {
  if (sextantTestLeaveDriver)
    sextantTestLeaveDriver();
}

namespace {

struct State {
  std::mutex mutex;
  std::set<std::string> selectors;
  std::unordered_set<const void *> objects; ///< that are alive
  std::string caught, told;                 ///< texts for fakeObjcCaught
  std::atomic<bool> catching{false};
};
State &state() {
  static State *s = new State; // used until the very end
  return *s;
}

/// The pools of a thread, the innermost last, with the references that they hold.
thread_local std::vector<std::vector<Base *>> pools;

} // namespace

void misuse(const std::string &text) {
  State &s = state();
  if (!s.catching) {
    std::fprintf(stderr, "Apple's documentation forbids this: %s\n", text.c_str());
    std::abort();
  }
  std::lock_guard lock(s.mutex);
  s.caught += text + "\n";
}

//===--- Objects -----------------------------------------------------------===//

Base::Base() {
  std::lock_guard lock(state().mutex);
  state().objects.insert(this);
  fakeMetalCountAlive(1);
}

Base::~Base() {
  std::lock_guard lock(state().mutex);
  state().objects.erase(this);
  if (!stays)
    fakeMetalCountAlive(-1);
}

void Base::stay() {
  if (!stays)
    fakeMetalCountAlive(-1);
  stays = true;
}

struct References {
  /// Returns what remains.
  static int change(Base &object, int by) {
    std::lock_guard lock(state().mutex);
    return object.references += by;
  }
  static bool stays(const Base &object) { return object.stays; }
};

void take(Base &object) { References::change(object, 1); }

void giveBack(Base *object) {
  if (!object || References::change(*object, -1) > 0)
    return;
  if (References::stays(*object))
    misuse(std::string("a ") + object->className() + " is given back once too often");
  else
    delete object;
}

Id autoreleased(Base *object) {
  if (pools.empty())
    misuse(std::string("a ") + object->className() + " is autoreleased without a pool");
  else
    pools.back().push_back(object);
  return object->id();
}

Base *living(Id id, const char *what) {
  auto *object = reinterpret_cast<Base *>(id);
  {
    std::lock_guard lock(state().mutex);
    if (state().objects.contains(object))
      return object;
  }
  misuse(std::string(what) + (id ? " is not an object, or one that is gone" : " is nil"));
  return nullptr;
}

} // namespace sextant::test::objc

using namespace sextant::test::objc;

extern "C" {

//===--- Messages ----------------------------------------------------------===//

/// Where objc_msgSend jumps.
__attribute__((visibility("hidden"))) void (*fakeObjcLookUp(Id self, Selector selector))() {
  const Inside inside;
  if (!self)
    return fakeObjcNothing; // as Objective-C has it
  const auto *name = reinterpret_cast<const char *>(selector);
  Base *object = living(self, (std::string("what gets ") + name).c_str());
  if (!object)
    return fakeObjcNothing;
  for (const Method &method : object->methods())
    if (std::strcmp(method.selector, name) == 0)
      return method.code;
  misuse(std::string(object->className()) + " has no method " + name);
  return fakeObjcNothing;
}

Selector sel_registerName(const char *name) {
  const Inside inside;
  std::lock_guard lock(state().mutex);
  return reinterpret_cast<Selector>(state().selectors.insert(name).first->c_str());
}

Id objc_getClass(const char *name) {
  const Inside inside;
  for (ClassObject *known : classes())
    if (std::strcmp(known->className(), name) == 0)
      return known->id();
  return nullptr;
}

//===--- References and pools ----------------------------------------------===//

Id objc_retain(Id id) {
  const Inside inside;
  if (Base *object = id ? living(id, "what is retained") : nullptr)
    take(*object);
  return id;
}

void objc_release(void *id) {
  const Inside inside;
  if (id)
    giveBack(living(static_cast<Id>(id), "what is released"));
}

void *objc_autoreleasePoolPush() {
  const Inside inside;
  pools.emplace_back();
  return reinterpret_cast<void *>(pools.size());
}

void objc_autoreleasePoolPop(void *pool) {
  const Inside inside;
  if (reinterpret_cast<size_t>(pool) != pools.size()) {
    misuse("a pool ends that is not the innermost");
    return;
  }
  const std::vector<Base *> held = std::move(pools.back());
  pools.pop_back();
  for (Base *object : held)
    giveBack(object);
}

/// Only its address counts.
void *_NSConcreteStackBlock[32];

//===--- For tests ---------------------------------------------------------===//

void fakeObjcCatch(int catching) { state().catching = catching != 0; }

const char *fakeObjcCaught() {
  std::lock_guard lock(state().mutex);
  state().told = std::move(state().caught);
  state().caught.clear();
  return state().told.c_str();
}

const char *fakeObjcMethod(int index, const char **className, const char **encoding) {
  for (const ClassMethods &of : allMethods())
    for (const Method &method : *of.methods)
      if (index-- == 0) {
        *className = of.className;
        *encoding = method.encoding.c_str();
        return method.selector;
      }
  return nullptr;
}
}
