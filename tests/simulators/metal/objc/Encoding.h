// The types of methods as Objective-C's compilers write them into programs (@encode): of the
// messages that the loader sends, and of the methods here that get them. A string has each type
// with its place among the arguments, so two that are equal are passed alike.
#pragma once

#include "loader/devices/metal/ObjC.h"

#include <cstdint>
#include <string>
#include <type_traits>

namespace sextant::test::objc {

using namespace loader::metal::objc;

template <class T> constexpr const char *typeCode() {
  if constexpr (std::is_void_v<T>)
    return "v";
  else if constexpr (std::is_same_v<T, bool>)
    return "B"; // BOOL of arm64
  else if constexpr (std::is_same_v<T, uint8_t>)
    return "C";
  else if constexpr (std::is_same_v<T, Integer>)
    return "q";
  else if constexpr (std::is_same_v<T, UInteger>)
    return "Q";
  else if constexpr (std::is_same_v<T, double>)
    return "d";
  else if constexpr (std::is_same_v<T, Id>)
    return "@";
  else if constexpr (std::is_same_v<T, Id *>)
    return "^@";
  else if constexpr (std::is_same_v<T, Block *>)
    return "@?";
  else if constexpr (std::is_same_v<T, const char *>)
    return "r*";
  else if constexpr (std::is_same_v<T, const void *>)
    return "r^v";
  else if constexpr (std::is_same_v<T, void *>)
    return "^v";
  else if constexpr (std::is_same_v<T, Size>)
    return "{?=QQQ}";
  else if constexpr (std::is_same_v<T, Version>)
    return "{?=qqq}";
  else {
    static_assert(std::is_same_v<T, Range>);
    return "{_NSRange=QQ}";
  }
}

template <class Signature> struct Encoding;
template <class Result, class... Arguments> struct Encoding<Result(Arguments...)> {
  static std::string text() {
    std::string arguments;
    size_t place = 2 * sizeof(void *); // after the object and the selector
    auto add = [&](const char *code, size_t bytes) {
      arguments += code + std::to_string(place);
      place += bytes < sizeof(int) ? sizeof(int) : bytes;
    };
    (add(typeCode<Arguments>(), sizeof(Arguments)), ...);
    return typeCode<Result>() + std::to_string(place) + "@0:8" + arguments;
  }
};

} // namespace sextant::test::objc
