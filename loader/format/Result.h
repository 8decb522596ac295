// How the module format reports errors: it neither throws nor prints. A Status or Result carries a
// code to branch on, and one sentence to show, which says what is wrong and what to do about it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace sextant::module {

/// The kinds of errors.
enum class Code : uint8_t {
  Ok,
  Io,           ///< a file could not be opened, read, written or renamed
  NotAModule,   ///< the bytes are something else
  Unsupported,  ///< a module of a newer format, or one that needs something this build lacks
  Truncated,    ///< the bytes end early
  Corrupt,      ///< a check failed: the bytes changed after they were written
  TooLarge,     ///< within the format, beyond a limit of this reader
  NotFound,     ///< no kernel, image or variant of that name
  InvalidInput, ///< the caller's input makes no module
  Untrusted,    ///< not signed, or not with a key that the caller trusts, or altered since
};

struct [[nodiscard]] Status {
  Code code = Code::Ok;
  std::string message; ///< empty when Ok

  bool ok() const { return code == Code::Ok; }
};

/// A value, or the reason why there is none.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Status error) : state(std::move(error)) {}

  bool ok() const { return state.index() == 0; }
  explicit operator bool() const { return ok(); }
  T &operator*() { return *std::get_if<0>(&state); }
  const T &operator*() const { return *std::get_if<0>(&state); }
  T *operator->() { return std::get_if<0>(&state); }
  const T *operator->() const { return std::get_if<0>(&state); }
  /// Call only if ok() is false.
  const Status &error() const { return *std::get_if<1>(&state); }

private:
  std::variant<T, Status> state;
};

} // namespace sextant::module
