// Pieces from which tests put kernels together.
#pragma once

#include "tests/cpu/Oracle.h"

#include <random>

namespace cputest {

/// A task over `blockDim` threads with parameters `params`: `%thread`, `%i` (the
/// thread's index in the grid) and `%c0`, `%c1`, `%c2`, `%true` are at hand in `body`.
inline std::string task(unsigned blockDim, const std::string &params, const std::string &body,
                        bool fullBlocks = false) {
  std::string dim = std::to_string(blockDim);
  return "func.func @task(" + params + ") attributes {simt.task = {block_dim = " + dim + " : i32" +
         (fullBlocks ? ", full_blocks" : "") + "}} {\n" +
         "  %block = simt.block_idx\n  %thread = simt.thread_idx\n"
         "  %dim = arith.constant " +
         dim +
         " : i32\n"
         "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n"
         "  %c2 = arith.constant 2 : i32\n  %true = arith.constant true\n"
         "  %first = arith.muli %block, %dim : i32\n"
         "  %i = arith.addi %first, %thread : i32\n" +
         body + "  return\n}\n";
}

inline std::string buffer(const std::string &name, const std::string &type) {
  return "%" + name + ": !simt.buffer<" + type + ", global>";
}

inline std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Values with patterns that give wrong lanes away.
template <typename T> std::vector<T> randoms(size_t count, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (T &value : values) {
    if constexpr (std::is_floating_point_v<T>)
      value = T(int64_t(random() % 20001) - 10000) / T(64);
    else
      value = T(random());
  }
  return values;
}

} // namespace cputest
