// Requests for instances of kernels, as builds and command lines write them.
#pragma once

#include <map>
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

/// Writes a request so that two texts which mean the same are equal: values in the order of their
/// names, without `qd.` and blanks, texts in double quotes. Texts that mean the same in a file
/// only, such as a constant and its value, differ. Empty if the request gives no values.
std::string canonicalText(const Request &request);

/// The attachment by which a module says what its instances were built for. Each line is an
/// instance and its request, separated by a tab. Instances without given values are left out.
inline constexpr char requestsAttachment[] = "sextant.requests";
/// Canonical texts, by instance.
using Requests = std::map<std::string, std::string>;
std::string textOf(const Requests &requests);
/// Reads the attachment. Lines that mean nothing are left out.
Requests parseRequests(std::string_view text);

} // namespace sextant
