// The members of an HIR node as a tuple of references, in their order. Whatever holds for all nodes
// is derived from it, so a new node needs no line there.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sextant::hir {

namespace detail {
/// Stands for a value of any type where only the number of values matters.
struct Anything {
  template <class T> operator T() const;
};
template <class Node, size_t... Each> constexpr bool hasFields(std::index_sequence<Each...>) {
  return requires { Node{(void(Each), Anything())...}; };
}
/// Counts the members of an aggregate: the most values that it can be initialised with.
template <class Node, size_t Most> constexpr size_t countFields() {
  if constexpr (Most == 0 || hasFields<Node>(std::make_index_sequence<Most>()))
    return Most;
  else
    return countFields<Node, Most - 1>();
}
} // namespace detail

template <class Node> constexpr auto fields(Node &node) {
  constexpr size_t count = detail::countFields<std::remove_const_t<Node>, 7>();
  static_assert(count <= 6, "fields() has no line for so many members");
  if constexpr (count == 0) {
    return std::tie();
  } else if constexpr (count == 1) {
    auto &[a] = node;
    return std::tie(a);
  } else if constexpr (count == 2) {
    auto &[a, b] = node;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    auto &[a, b, c] = node;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    auto &[a, b, c, d] = node;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    auto &[a, b, c, d, e] = node;
    return std::tie(a, b, c, d, e);
  } else {
    auto &[a, b, c, d, e, f] = node;
    return std::tie(a, b, c, d, e, f);
  }
}

} // namespace sextant::hir
