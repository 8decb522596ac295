// Requests for instances of kernels, as builds write them.
#pragma once

#include "frontend/sema/values/Value.h"

namespace sextant::sema {

/// "scan[dtype=qd.i32, n=256]" in parts; `problem` says why it cannot be read.
struct Request {
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> values;
  std::string problem;
};

Request parseRequest(const std::string &text);

/// What a value adds to an instance's name; only letters, digits and underscores.
std::string nameOf(const Value &value);

} // namespace sextant::sema
