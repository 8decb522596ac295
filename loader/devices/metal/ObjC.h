// The part of Objective-C that calls of Apple's frameworks need, in C++: objects, messages,
// autorelease pools, blocks. libobjc is found at run time, so that the loader is built without
// Apple's headers and tests may put another library in its place.
//
// A message is a call of objc_msgSend as if it were the method itself. Messages.def has the type of
// each, and none returns a structure: on x86-64 that would need another function.
#pragma once

#include "loader/system/Library.h"

#include <cstdint>
#include <type_traits>

namespace sextant::loader::metal::objc {

using Id = struct Object *;
using Selector = const struct SelectorTag *;
using Integer = int64_t;   ///< NSInteger
using UInteger = uint64_t; ///< NSUInteger

struct Size { ///< MTLSize
  UInteger width, height, depth;
};
struct Range { ///< NSRange
  UInteger location, length;
};
struct Version { ///< NSOperatingSystemVersion
  Integer major, minor, patch;
};

/// A block, as compilers lay it out in memory (Clang's Block-ABI-Apple). What it captures follows.
struct Block {
  struct Descriptor {
    unsigned long reserved, size;
    void (*copy)(Block *to, const Block *from); ///< after the bytes were copied
    void (*dispose)(Block *block);
  };
  static constexpr int32_t hasCopyAndDispose = 1 << 25;

  const void *kind; ///< stackBlock() of the runtime
  int32_t flags, reserved;
  void (*call)(Block *block, Id argument);
  const Descriptor *descriptor;
};

template <class Signature> class Message;
template <class Result, class... Arguments> class Message<Result(Arguments...)> {
  static_assert(!std::is_class_v<Result>, "needs objc_msgSend_stret on x86-64");

public:
  Result operator()(Id receiver, Arguments... arguments) const {
    using Method = Result (*)(Id, Selector, Arguments...);
    return reinterpret_cast<Method>(send)(receiver, selector, arguments...);
  }

private:
  friend class Runtime;
  void (*send)() = nullptr; ///< objc_msgSend
  Selector selector = nullptr;
};

struct Messages {
#define MESSAGE(name, selector, ...) Message<__VA_ARGS__> name;
#include "loader/devices/metal/Messages.def"
};

/// The functions of libobjc, and the messages with their selectors.
class Runtime {
public:
  /// Finds them, called once. Returns "" or what is missing.
  std::string open(void *library);
  /// Returns a class, or null.
  Id classNamed(const char *name) const { return getClass(name); }
  /// The `kind` of a block on the stack.
  const void *stackBlock() const { return stackKind; }

  Messages messages;
  Id (*retain)(Id) = nullptr;
  void (*release)(Id) = nullptr;
  void *(*pushPool)() = nullptr;
  void (*popPool)(void *) = nullptr;

private:
  Id (*getClass)(const char *) = nullptr;
  const void *stackKind = nullptr;
};

/// Objects that a method returned without `new`, `alloc` or `copy` in its name live as long as the
/// pool, unless somebody retains them.
class AutoreleasePool {
public:
  explicit AutoreleasePool(const Runtime &runtime) : runtime(runtime), pool(runtime.pushPool()) {}
  ~AutoreleasePool() { runtime.popPool(pool); }
  AutoreleasePool(const AutoreleasePool &) = delete;
  AutoreleasePool &operator=(const AutoreleasePool &) = delete;

private:
  const Runtime &runtime;
  void *pool;
};

/// Owns an object that a method with such a name returned.
class Owned {
public:
  Owned(const Runtime &runtime, Id object) : runtime(runtime), object(object) {}
  ~Owned() { runtime.release(object); } // null is fine
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  Id get() const { return object; }
  explicit operator bool() const { return object != nullptr; }

private:
  const Runtime &runtime;
  Id object;
};

} // namespace sextant::loader::metal::objc
