// Launches as text: what the fuzzer hands to the program that runs modules on a device, and
// what a kernel file in found/ says of its inputs. One line a datum:
//
//   launch k0
//   array x_i32 i32 128 0000000100000002…
//   array y f32 8x16:3 zero
//   scalar n i32 - 00000005
//   field s i32 128 zero
//   result r f32 - 3f800000
//   print 17 0.25\n
//   end
//
// An array has its extents ("." if it has no dimensions), and after a colon those of its elements:
// 3 of vectors, 2x2 of matrices. Values are hexadecimal bits, two digits a byte, most significant
// first; "zero" and "iota" (0, 1, 2 …) stand for themselves. A print is the rest of its line.
#pragma once

#include "tests/fuzz/Launch.h"

namespace fuzz {

std::string writeLaunch(const Launch &launch);
/// Reads the launches of a text; throws std::runtime_error where it is not one of launches.
std::vector<Launch> readLaunches(const std::string &text);

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &text);

} // namespace fuzz
