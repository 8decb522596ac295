// Numbers, versions, and the words of verdicts.
#include "loader/format/Fit.h"

#include <charconv>

namespace sextant::module {

std::optional<unsigned> parseNumber(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (std::string_view part : parts)
    text += part;
  return text;
}

std::string_view nameOf(Match match) {
  constexpr std::string_view names[] = {"exact", "compatible", "generic", "portable", "none"};
  return names[static_cast<unsigned>(match)];
}

//===--- Fits --------------------------------------------------------------===//

Fit exactFit(unsigned rank) { return {Match::Exact, rank, "exact architecture"}; }

Fit compatibleFit(unsigned rank, std::string_view arch, std::string_view device) {
  return {Match::Compatible, rank, joined({"compatible: ", device, " runs ", arch, " code"})};
}

Fit noFit(std::string_view what, std::string_view arch, std::string_view suffix,
          std::string_view device) {
  return {Match::None, 0, joined({what, arch, suffix, "; the device is ", device})};
}

//===--- Versions ----------------------------------------------------------===//

namespace {

struct Version {
  unsigned major = 0, minor = 0;
  auto operator<=>(const Version &) const = default;
};

std::optional<Version> parseVersion(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == text.npos)
    return std::nullopt;
  const std::optional<unsigned> major = parseNumber(text.substr(0, dot));
  const std::optional<unsigned> minor = parseNumber(text.substr(dot + 1));
  if (!major || !minor || *major == 0 || *major > 99 || *minor > 99)
    return std::nullopt;
  return Version{*major, *minor};
}

} // namespace

bool isVersion(std::string_view arch) { return parseVersion(arch).has_value(); }

Fit fitVersion(std::string_view language, std::string_view arch, std::string_view deviceArch) {
  const std::optional<Version> variant = parseVersion(arch), device = parseVersion(deviceArch);
  if (!variant || !device)
    return noFit("is for ", arch, "", deviceArch);
  const unsigned rank = variant->major * 100 + variant->minor;
  if (*variant == *device)
    return exactFit(rank);
  if (*variant < *device)
    return {Match::Portable, rank,
            joined({"portable: ", language, " ", deviceArch, " runs ", arch, " code"})};
  return {Match::None, 0, joined({"needs ", language, " ", arch, "; the device has ", deviceArch})};
}

} // namespace sextant::module
