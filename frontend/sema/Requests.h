// Requests for instances of kernels, as builds write them.
#pragma once

#include "frontend/sema/values/Value.h"

namespace sextant::sema {

/// The parts of "scan[dtype=qd.i32, n=256] as scan_small". `problem` says why the text cannot be
/// read.
struct Request {
  std::string text;
  std::string kernel;
  std::string instance; ///< the name behind `as`; empty: one is made of the values
  std::vector<std::pair<std::string, std::string>> values;
  std::string problem;

  /// Says in messages what is not built.
  const std::string &wanted() const { return instance.empty() ? text : instance; }
};

Request parseRequest(const std::string &text);

/// The part of an instance's name that a value adds: only letters, digits and underscores.
std::string nameOf(const Value &value);

/// The value's identity: two requests are for one instance only if their values have equal keys.
/// Names are shorter, and different values may have one. A key holds in this process only.
std::string keyOf(const Value &value);

} // namespace sextant::sema
