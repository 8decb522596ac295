// What sextant.hpp returns and takes: errors, results and spans, in C++17. Included by it.
//
// Functions that can fail return a Result<T>: the value, or an Error with the status and the
// loader's message. With SEXTANT_THROWS defined before the first include they return the T
// itself and throw the Error instead; the two modes are different inline namespaces, so files
// of one program may choose as they like. Types of one mode are not those of the other: hand
// the C handles across, which get() gives.
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

/// Why a call failed. Owns its text: any thread may keep it as long as it likes.
class Error : public std::runtime_error {
public:
  Error(sxt_status status, const std::string &message)
      : std::runtime_error(message), code(status) {}
  /// Never SXT_OK.
  sxt_status status() const noexcept { return code; }
  /// The loader's message, as what() gives it; lives as long as the Error.
  const char *message() const noexcept { return what(); }
  /// Throws it; where there are no exceptions, prints it and aborts.
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

/// Some elements that lie one after the other and are somebody else's, as std::span has them
/// from C++20 on. Made of vectors, arrays, std::span, lists in braces: all that has data() and
/// size(). Does not own; of a temporary or a list it is good until the end of the call.
template <class T> class Span {
public:
  /// No elements.
  constexpr Span() noexcept = default;
  /// `count` elements from `data` on.
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
  /// Elements.
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
/// What a call without a value returns. It has succeeded.
struct Done {};
/// The value itself: a call that fails throws an Error.
template <class T> using Result = std::conditional_t<std::is_void_v<T>, Done, T>;

namespace detail {
struct Thrown { // stands for any result, and is never there
  template <class T> operator T() const { std::abort(); }
};
[[noreturn]] inline Thrown failed(sxt_status status, const std::string &message) {
  Error(status, message).raise();
}
} // namespace detail

/// `next` of what a call returned; in the other mode, unless it failed.
template <class T, class Next> auto then(T &&value, Next next) {
  return next(std::forward<T>(value));
}

#else

inline namespace results {
/// A T, or the Error that says why there is none. Moves and copies as the T does. Asking for
/// the value of one that failed: `*` and `->` must not be, value() throws the Error (without
/// exceptions: prints it and aborts). Nothing of it is for several threads at once.
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
  /// Only of one that failed.
  const Error &error() const noexcept { return *std::get_if<1>(&state); }
  /// SXT_OK where there is a value.
  sxt_status status() const noexcept { return has_value() ? SXT_OK : error().status(); }

  /// `next(value)`, which returns a Result, unless this failed.
  template <class Next> auto and_then(Next next) && -> decltype(next(std::declval<T>())) {
    if (!has_value())
      return error();
    return next(std::move(**this));
  }
  /// A Result of `make(value)`, unless this failed.
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

/// The result of a call without a value.
template <> class [[nodiscard]] Result<void> {
public:
  using value_type = void;
  Result() = default;
  Result(Error error) : failure(std::move(error)) {}

  bool has_value() const noexcept { return !failure; }
  explicit operator bool() const noexcept { return has_value(); }
  /// Throws the Error, if there is one (without exceptions: prints it and aborts).
  void value() const {
    if (failure)
      failure->raise();
  }
  /// Only of one that failed.
  const Error &error() const noexcept { return *failure; }
  sxt_status status() const noexcept { return failure ? failure->status() : SXT_OK; }
  /// `next()`, which returns a Result, unless this failed.
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

/// `next` of the value that a call returned, unless it failed.
template <class T, class Next> auto then(Result<T> result, Next next) {
  return std::move(result).and_then(std::move(next));
}

#endif

namespace detail {
/// The last error of this thread, as what a call returns, or thrown.
inline auto failed(sxt_status status) { return failed(status, sxt_last_error_message()); }
} // namespace detail
} // inline namespace results, or throwing
} // namespace sextant
