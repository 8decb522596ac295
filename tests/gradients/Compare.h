// Gradients and tangents of a kernel, against each other and against differences.
//
// A kernel maps its arrays and fields of reals to what they are after it. With the derivative J of
// this map, a direction v and weights w, the tangents of `k.dual` are J v, and the gradients of
// `k.grad` are w J: so w (J v) and (w J) v are one number, which is computed in two ways. In f64,
// differences of the map at points near each other along v are a third one.
#pragma once

#include "tests/conformance/Harness.h"

#include <map>
#include <string>
#include <vector>

namespace gradients {

/// The inputs of a comparison, and how near its numbers have to be.
struct Demand {
  int64_t extent = 37; ///< the elements, or rows, of arrays
  int32_t number = 0;  ///< the kernel's arguments that are whole numbers
  bool differs = true; ///< take differences, of f64
  /// The distance that gradients and tangents may have, of the sum of the absolute terms, in f64
  /// and f32.
  double bound = 1e-12, singleBound = 2e-4;
};

using Values = std::vector<double>;
using State = std::map<std::string, Values>; ///< arrays, fields, values and results by name

/// Launches a kernel with the arrays of a state, which then has what they are after it, and the
/// results. Fields that the state does not have are zeros.
void launch(const conformance::Run &run, const std::string &kernel, const Demand &demand,
            State &state);

struct Comparison {
  double error = 0; ///< between gradients and tangents, of the sum of the absolute terms
  /// The error is above the bound, and as large if the last bits of the inputs are others.
  bool isBoundByRounding = false;
  bool isSameBits = true;  ///< the results of `k.dual` are those of `k`, to the last bit
  bool hasSlope = false;   ///< differences say the same
  bool lacksSlope = false; ///< they were too far from each other to say something
};

/// \throws conformance::Mismatch where two of them differ, or a kernel changes what it must not;
/// conformance::Skipped where the kernel's own results are not finite
Comparison compare(conformance::Run &run, const std::string &kernel, const Demand &demand);

} // namespace gradients
