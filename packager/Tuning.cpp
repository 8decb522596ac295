#include "packager/Tuning.h"

#include "frontend/spelling/Texts.h"
#include "loader/abi/Features.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>

namespace sextant::packager {

using namespace module;

namespace {

constexpr double worthIt = 0.99; ///< another variant takes at most this part of the default's time

auto keyOf(const Measurement &one) {
  return std::tie(one.kernel, one.device, one.name, one.arguments);
}

/// Texts of a line have no tabs and line ends.
std::string inLine(std::string text) {
  for (char &letter : text)
    if (static_cast<unsigned char>(letter) < ' ')
      letter = ' ';
  return text;
}

std::string textOf(const Measurement &one) {
  std::string line = inLine(one.kernel) + "\t" + inLine(one.device) + "\t" + inLine(one.name) +
                     "\t" + inLine(one.arguments);
  for (const auto &[target, time] : one.milliseconds) {
    char number[32];
    std::snprintf(number, sizeof number, "%.6g", time);
    line += "\t" + target + "\t" + number;
  }
  return line + "\n";
}

std::optional<Measurement> parseMeasurement(std::string_view line) {
  constexpr size_t texts = 4;
  const std::vector<std::string> fields = split(line, '\t');
  if (fields.size() <= texts || (fields.size() - texts) % 2 != 0)
    return std::nullopt;
  Measurement one{fields[0], fields[1], fields[2], fields[3], {}};
  for (size_t k = texts; k < fields.size(); k += 2) {
    char *end = nullptr;
    const double time = std::strtod(fields[k + 1].c_str(), &end);
    if (end == fields[k + 1].c_str() || *end != '\0' || !(time > 0) || !std::isfinite(time))
      return std::nullopt;
    one.milliseconds[fields[k]] = time;
  }
  return one;
}

bool isDefault(const std::string &target) {
  const size_t plus = target.find('+');
  return plus == std::string::npos || !abi::isChoice(target.substr(plus));
}

/// The targets of one kernel on one device: the logarithms of their slowdowns, and for how many
/// arguments there is one.
using Slowdowns = std::map<std::string, std::pair<double, size_t>>;

std::string fastest(const Slowdowns &slowdowns, size_t runs) {
  std::string best, usual;
  double least = std::numeric_limits<double>::infinity(), ofUsual = least;
  for (const auto &[target, sum] : slowdowns) {
    if (sum.second != runs) // it failed for some arguments
      continue;
    const double mean = sum.first / double(runs);
    if (mean < least) {
      least = mean;
      best = target;
    }
    if (isDefault(target) && mean < ofUsual) {
      ofUsual = mean;
      usual = target;
    }
  }
  return !usual.empty() && std::exp(least - ofUsual) > worthIt ? usual : best;
}

void attach(Contents &contents, const char *name, const std::string &text) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  contents.attachments[name].assign(bytes.begin(), bytes.end());
}

} // namespace

void addAll(std::vector<Measurement> &all, std::vector<Measurement> more) {
  const auto isBefore = [](const Measurement &a, const Measurement &b) {
    return keyOf(a) < keyOf(b);
  };
  std::move(more.begin(), more.end(), std::back_inserter(all));
  std::sort(all.begin(), all.end(), isBefore);
  size_t kept = 0;
  for (size_t i = 1; i < all.size(); ++i) {
    if (keyOf(all[kept]) != keyOf(all[i])) {
      if (++kept != i)
        all[kept] = std::move(all[i]);
      continue;
    }
    for (const auto &[target, time] : all[i].milliseconds) {
      const auto [known, isNew] = all[kept].milliseconds.try_emplace(target, time);
      if (!isNew)
        known->second = std::min(known->second, time);
    }
  }
  if (!all.empty())
    all.resize(kept + 1);
}

std::vector<Tuned> fastestOf(const std::vector<Measurement> &all) {
  std::vector<Tuned> tuned;
  for (size_t begin = 0; begin < all.size();) {
    const Measurement &first = all[begin];
    Slowdowns slowdowns;
    size_t end = begin;
    for (; end < all.size() && all[end].kernel == first.kernel && all[end].device == first.device &&
           all[end].name == first.name;
         ++end) {
      double best = std::numeric_limits<double>::infinity();
      for (const auto &[target, time] : all[end].milliseconds)
        best = std::min(best, time);
      for (const auto &[target, time] : all[end].milliseconds) {
        auto &[sum, count] = slowdowns[target];
        sum += std::log(time / best);
        ++count;
      }
    }
    if (std::string target = fastest(slowdowns, end - begin); !target.empty())
      tuned.push_back({first.kernel, first.device, std::move(target), first.name});
    begin = end;
  }
  return tuned;
}

namespace {
Status tooLarge(const std::string &what, size_t bytes, size_t most) {
  return {Code::TooLarge, what + " has " + std::to_string(bytes) + " bytes: at most " +
                              std::to_string(most) + " are read"};
}
} // namespace

Result<std::vector<Measurement>> parseMeasurements(std::string_view text) {
  if (text.size() > maxMeasuredBytes)
    return tooLarge("the text of measurements", text.size(), maxMeasuredBytes);
  std::vector<Measurement> all;
  for (unsigned number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.starts_with('#'))
      continue;
    std::optional<Measurement> one = parseMeasurement(line);
    if (!one)
      return Status{Code::InvalidInput,
                    "line " + std::to_string(number) + " is not a measurement of `sextant tune`"};
    all.push_back(std::move(*one));
  }
  addAll(all, {});
  return all;
}

std::string textOf(const std::vector<Measurement> &all) {
  std::string text =
      "# KERNEL, DEVICE, NAME, ARGUMENTS, then TARGET, MILLISECONDS of each variant\n";
  for (const Measurement &one : all)
    text += textOf(one);
  return text;
}

Result<std::vector<Measurement>> measurementsOf(const Contents &contents) {
  const auto attachment = contents.attachments.find(measuredAttachment);
  if (attachment == contents.attachments.end())
    return std::vector<Measurement>();
  const std::vector<std::byte> &bytes = attachment->second;
  Result<std::vector<Measurement>> all =
      parseMeasurements({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (!all)
    return Status{all.error().code, std::string("attachment '") + measuredAttachment +
                                        "': " + all.error().message +
                                        "; give attachments of your own another name"};
  return all;
}

Status setMeasurements(Contents &contents, const std::vector<Measurement> &all) {
  if (all.empty())
    return {};
  const std::string measured = textOf(all), tuned = module::textOf(fastestOf(all));
  if (measured.size() > maxMeasuredBytes)
    return tooLarge("the text of measurements", measured.size(), maxMeasuredBytes);
  if (tuned.size() > maxTunedBytes)
    return tooLarge("the text of the fastest variants", tuned.size(), maxTunedBytes);
  attach(contents, measuredAttachment, measured);
  attach(contents, tunedAttachment, tuned);
  return {};
}

Result<std::vector<Tuned>> tunedOf(const Reader &reader) {
  Result<std::vector<std::byte>> bytes = reader.attachment(tunedAttachment);
  if (!bytes && bytes.error().code == Code::NotFound)
    return std::vector<Tuned>();
  if (!bytes)
    return bytes.error();
  return parseTuned({reinterpret_cast<const char *>(bytes->data()), bytes->size()});
}

} // namespace sextant::packager
