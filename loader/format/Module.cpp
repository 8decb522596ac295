// Facts that follow from a kernel's signature: names of targets, return values, the ABI hash.
#include "loader/format/Module.h"
#include "loader/format/Fit.h"
#include "loader/format/Hash.h"

#include <algorithm>
#include <limits>

namespace sextant::module {

namespace {
/// The bytes to hash: numbers as eight little-endian bytes, strings with their length, so that two
/// different signatures never give the same bytes.
struct Canonical {
  std::string bytes;
  void number(uint64_t value) {
    for (unsigned i = 0; i < 8; ++i)
      bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
  void text(std::string_view value) {
    number(value.size());
    bytes.append(value);
  }
};
} // namespace

std::string str(const Target &target) {
  std::string text = joined({target.backend, ":", target.arch});
  for (const std::string &feature : target.features)
    text.append("+").append(feature);
  return text.append("/wave").append(std::to_string(target.wave));
}

bool isNamed(const Target &target, std::string_view text) {
  if (!target.features.empty()) { // most differ there
    const size_t slash = text.rfind('/');
    if (slash == text.npos || !text.substr(0, slash).ends_with(target.features.back()))
      return false;
  }
  const auto eat = [&](std::string_view part) {
    const bool begins = text.starts_with(part);
    text.remove_prefix(begins ? part.size() : 0);
    return begins;
  };
  if (!eat(target.backend) || !eat(":") || !eat(target.arch))
    return false;
  for (const std::string &feature : target.features)
    if (!eat("+") || !eat(feature))
      return false;
  return eat("/wave") && parseNumber(text) == target.wave;
}

std::vector<const Hidden *> returnsOf(const Plan &plan) {
  std::vector<const Hidden *> returns;
  for (const Hidden &buffer : plan.hidden)
    if (buffer.role == Hidden::Return)
      returns.push_back(&buffer);
  return returns;
}

bool sameReturns(std::span<const Hidden *const> a, std::span<const Hidden *const> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Hidden *x, const Hidden *y) { return *x == *y; });
}

uint64_t abiHashOf(const Kernel &kernel) {
  Canonical canonical;
  canonical.text("sextant kernel 1");
  canonical.number(kernel.arguments.size());
  for (const Argument &argument : kernel.arguments) {
    canonical.number(argument.kind);
    canonical.text(argument.name);
    canonical.number(static_cast<uint64_t>(argument.dtype));
    canonical.number(argument.ndim);
    canonical.number(argument.rows);
    canonical.number(argument.cols);
    if (!argument.structure.empty())
      canonical.text(argument.structure);
  }
  // Any plan will do: checkKernel refuses plans that return different values.
  if (!kernel.plans.empty())
    for (const Hidden *buffer : returnsOf(kernel.plans.front())) {
      canonical.number(static_cast<uint64_t>(buffer->dtype));
      canonical.number(buffer->count);
      canonical.number(buffer->rows);
      canonical.number(buffer->cols);
    }
  return hash64(canonical.bytes.data(), canonical.bytes.size());
}

} // namespace sextant::module
