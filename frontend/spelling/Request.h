// Requests for instances of kernels, as builds and command lines write them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sextant {

/// The parts of "scan[dtype=qd.i32, n=256] as scan_small". `problem` says why the text cannot be
/// read.
struct Request {
  std::string text;
  std::string kernel;
  std::string instance; ///< the name after `as`; empty: one is made of the values
  std::vector<std::pair<std::string, std::string>> values;
  std::string problem;

  /// Says in messages what is not built.
  const std::string &wanted() const { return instance.empty() ? text : instance; }
};

Request parseRequest(const std::string &text);

/// Returns the kernel that "step.grad" or "step.dual" is a derivative of, "step". Other names stay.
std::string primalOf(const std::string &kernel);

/// Writes a request so that two texts which mean the same are equal: values in the order of their
/// names, without `qd.` and blanks, texts in double quotes, numbers in one form (1000 for 1_000).
/// Texts that mean the same in a file only, such as a constant and its value, differ. Empty if the
/// request gives no values.
std::string canonicalText(const Request &request);

/// The attachment by which a module says what its instances were built for. Each line is an
/// instance and one of its requests, separated by a tab. Instances without given values are left
/// out.
inline constexpr char requestsAttachment[] = "sextant.requests";
/// Instances, each with a canonical text. Texts that mean the same in the file are one instance.
using Requests = std::set<std::pair<std::string, std::string>>;
std::string textOf(const Requests &requests);
/// Reads the attachment. Lines that mean nothing are left out.
Requests parseRequests(std::string_view text);

} // namespace sextant
