// A launch of a kernel: data in, and data out.
#pragma once

#include "tests/fuzz/Values.h"

#include <string>
#include <vector>

namespace fuzz {

/// An argument (an array, or a scalar: no shape), a field, or a returned value.
struct Datum {
  std::string name;
  Scalar type = Scalar::I32;
  bool isArray = true;
  std::vector<int64_t> shape;
  std::vector<Bits> data;
  std::vector<int64_t> element = {}; ///< {n}: vectors, also records in one piece; {n, m}: matrices
};

/// One launch: what goes in, and after `interpret` what comes out.
struct Launch {
  std::string kernel;
  std::vector<Datum> arguments;
  std::vector<Datum> fields;
  std::vector<Datum> results;
  std::vector<std::string> prints; ///< each begins with a word that says which thread's it is
};

} // namespace fuzz
