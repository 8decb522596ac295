// Arrays in the forms that `sextant run` takes and prints: `random:f32[1024]`, `input.npy`, `[1, 2,
// 3]`.
#pragma once

#include "driver/host/Npy.h"

#include <optional>

namespace sextant {

/// The array that a kernel expects as an argument.
struct WantedArray {
  std::string name;                  ///< the argument's, for messages
  std::string type;                  ///< element type: "f32"
  unsigned ndim = 1;                 ///< dimensions, without the element's
  std::vector<int64_t> elementShape; ///< {}: scalars; {rows}: vectors; {rows, cols}: matrices
};

/// One of each kind, for messages.
inline constexpr const char *arraySpecExamples =
    "zeros:f32[8], iota:i32[8], random:f32[8], bits:u32[8] or const:1.5:f32[8]";

/// Parses one of
///   zeros[:TYPE][EXTENTS]
///   iota[:START[:STEP]][:TYPE][EXTENTS]      START, START+STEP, …
///   random[:SEED][:TYPE][EXTENTS]            reals in [0, 1), integers in [0, 100)
///   bits[:SEED][:TYPE][EXTENTS]              any bits: all integers, reals with NaNs
///   const:VALUE[:TYPE][EXTENTS]
/// EXTENTS is `[4,8]` or `[4x8]`; for an array of no dimensions it is `[]` or absent. Returns null
/// if the text is not one of these. The array's shape includes the element's. Throws Refusal.
std::optional<HostArray> parseArraySpec(const std::string &text, const WantedArray &wanted);
/// Checks that an array from a file is what the kernel expects. Throws Refusal.
void checkArray(const HostArray &array, const WantedArray &wanted);

/// Returns a number of the language (`-3`, `0x10`, `1e-3`, `inf`, `true`) as the bytes of `type`.
/// Throws a Refusal that calls the number `name`.
std::string encodeScalar(const std::string &text, const std::string &type, const std::string &name);
/// Parses comma-separated numbers, with or without brackets. Throws Refusal.
std::string encodeMatrix(const std::string &text, const std::string &type, size_t count,
                         const std::string &name);

/// Returns the shortest text of one element that reads back the same.
std::string formatElement(const char *bytes, const std::string &type);
/// Prints nested brackets, and leaves out the middle of long axes.
std::string formatArray(const HostArray &array);

} // namespace sextant
