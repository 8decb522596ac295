// The types that sextant.hpp takes and returns: errors, results and spans, in C++17. sextant.hpp
// includes this header.
//
// A function that can fail returns a Result<T>: the value, or an Error with the status and the
// loader's message. If SEXTANT_THROWS is defined before the first include, the function returns the
// T itself and throws the Error instead. The two modes are different inline namespaces, so each
// file of a program may choose one. The types of one mode do not convert to those of the other:
// between files of different modes, pass the C handles, which get() returns.
#pragma once

#include "sextant/sextant.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#if defined(__has_include) && __cplusplus > 202002L
#if __has_include(<expected>)
#include <expected>
#endif
#endif

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define SEXTANT_HAS_EXCEPTIONS 1
#else
#define SEXTANT_HAS_EXCEPTIONS 0
#endif
#if defined(SEXTANT_THROWS) && !SEXTANT_HAS_EXCEPTIONS
#error "SEXTANT_THROWS needs exceptions: leave it out, or build without -fno-exceptions"
#endif

namespace sextant {

/// The reason why a call failed. The Error owns its text, so any thread may keep it for any time.
class Error : public std::runtime_error {
public:
  Error(sxt_status status, const std::string &message)
      : std::runtime_error(message), code(status) {}
  /// The call's status, never SXT_OK.
  sxt_status status() const noexcept { return code; }
  /// The loader's message, which what() returns too. It lives as long as the Error.
  const char *message() const noexcept { return what(); }
  /// Throws this error. Without exceptions, prints it and aborts.
  [[noreturn]] void raise() const {
#if SEXTANT_HAS_EXCEPTIONS
    throw *this;
#else
    std::fprintf(stderr, "sextant: %s: %s\n", sxt_status_name(code), what());
    std::abort();
#endif
  }

private:
  sxt_status code;
};

/// Contiguous elements that belong to somebody else, like std::span in C++20. It converts from
/// everything that has data() and size(): vectors, arrays, std::span, lists in braces. It does not
/// own the elements: a span of a temporary or of a list is valid until the end of the call.
template <class T> class Span {
public:
  /// A span of no elements.
  constexpr Span() noexcept = default;
  /// A span of `count` elements that begin at `data`.
  constexpr Span(T *data, size_t count) noexcept : first(data), length(count) {}
  template <size_t N> constexpr Span(T (&array)[N]) noexcept : first(array), length(N) {}
  template <
      class Range,
      class = std::enable_if_t<std::is_convertible_v<
          std::remove_pointer_t<decltype(std::data(std::declval<Range &>()))> (*)[], T (*)[]>>>
  constexpr Span(Range &&range) noexcept : first(std::data(range)), length(std::size(range)) {}
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  constexpr Span(std::initializer_list<std::remove_const_t<U>> list) noexcept
      : first(std::data(list)), length(list.size()) {}

  constexpr T *data() const noexcept { return first; }
  /// The number of elements.
  constexpr size_t size() const noexcept { return length; }
  constexpr size_t sizeBytes() const noexcept { return length * sizeof(T); }
  constexpr T *begin() const noexcept { return first; }
  constexpr T *end() const noexcept { return first + length; }
  constexpr T &operator[](size_t index) const { return first[index]; }

private:
  T *first = nullptr;
  size_t length = 0;
};

#ifdef SEXTANT_THROWS

inline namespace throwing {
/// The result of a call that has no value to return. A call that returns it has succeeded.
struct Done {};
/// The value itself. A call that fails throws an Error instead.
template <class T> using Result = std::conditional_t<std::is_void_v<T>, Done, T>;

namespace detail {
struct Thrown { // converts to any result; no object of it ever exists
  template <class T> operator T() const { std::abort(); }
};
[[noreturn]] inline Thrown failed(sxt_status status, const std::string &message) {
  Error(status, message).raise();
}
} // namespace detail

/// Calls `next` with the value that a call returned. In the other mode, it does so only if the call
/// succeeded.
template <class T, class Next> auto then(T &&value, Next next) {
  return next(std::forward<T>(value));
}

#else

inline namespace results {
/// A T, or the Error that says why there is no T. It moves and copies like the T. If there is no
/// value, `*` and `->` are undefined, and value() throws the Error (without exceptions: prints it
/// and aborts). One thread uses a Result at a time.
template <class T> class [[nodiscard]] Result {
public:
  using value_type = T;
  Result(T value) : state(std::move(value)) {}
  Result(Error error) : state(std::move(error)) {}

  bool has_value() const noexcept { return state.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  T &operator*() & noexcept { return *std::get_if<0>(&state); }
  const T &operator*() const & noexcept { return *std::get_if<0>(&state); }
  T &&operator*() && noexcept { return std::move(*std::get_if<0>(&state)); }
  T *operator->() noexcept { return std::get_if<0>(&state); }
  const T *operator->() const noexcept { return std::get_if<0>(&state); }
  T &value() & { return need(), **this; }
  const T &value() const & { return need(), **this; }
  T &&value() && { return need(), std::move(**this); }
  template <class U> T value_or(U &&other) && {
    return has_value() ? std::move(**this) : static_cast<T>(std::forward<U>(other));
  }
  template <class U> T value_or(U &&other) const & {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }
  /// The error. Undefined if there is a value.
  const Error &error() const noexcept { return *std::get_if<1>(&state); }
  /// The error's status, or SXT_OK if there is a value.
  sxt_status status() const noexcept { return has_value() ? SXT_OK : error().status(); }

  /// Returns `next(value)`, which must be a Result, or this error.
  template <class Next> auto and_then(Next next) && -> decltype(next(std::declval<T>())) {
    if (!has_value())
      return error();
    return next(std::move(**this));
  }
  /// Returns a Result that holds `make(value)`, or this error.
  template <class Make> auto transform(Make make) && -> Result<decltype(make(std::declval<T>()))> {
    if (!has_value())
      return error();
    return make(std::move(**this));
  }
#if defined(__cpp_lib_expected)
  operator std::expected<T, Error>() && {
    if (!has_value())
      return std::unexpected(error());
    return std::move(**this);
  }
#endif

private:
  void need() const {
    if (!has_value())
      error().raise();
  }
  std::variant<T, Error> state;
};

/// The result of a call that has no value to return.
template <> class [[nodiscard]] Result<void> {
public:
  using value_type = void;
  Result() = default;
  Result(Error error) : failure(std::move(error)) {}

  bool has_value() const noexcept { return !failure; }
  explicit operator bool() const noexcept { return has_value(); }
  /// Throws the error if there is one (without exceptions: prints it and aborts).
  void value() const {
    if (failure)
      failure->raise();
  }
  /// The error. Undefined if the call succeeded.
  const Error &error() const noexcept { return *failure; }
  sxt_status status() const noexcept { return failure ? failure->status() : SXT_OK; }
  /// Returns `next()`, which must be a Result, or this error.
  template <class Next> auto and_then(Next next) && -> decltype(next()) {
    if (failure)
      return *failure;
    return next();
  }
#if defined(__cpp_lib_expected)
  operator std::expected<void, Error>() && {
    if (failure)
      return std::unexpected(*failure);
    return {};
  }
#endif

private:
  std::optional<Error> failure;
};

namespace detail {
inline Error failed(sxt_status status, const std::string &message) { return {status, message}; }
} // namespace detail

/// Calls `next` with the value that a call returned, unless the call failed.
template <class T, class Next> auto then(Result<T> result, Next next) {
  return std::move(result).and_then(std::move(next));
}

#endif

namespace detail {
/// Returns the last error of this thread as a failed result, or throws it.
inline auto failed(sxt_status status) { return failed(status, sxt_last_error_message()); }
} // namespace detail
} // inline namespace results, or throwing
} // namespace sextant
