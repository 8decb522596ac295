#include "packager/Wheel.h"
#include "packager/Sign.h"

#include <regex>
#include <sodium.h>

namespace sextant::packager {
namespace {

using module::Code;
using module::Status;

constexpr size_t maxWord = 100; // longer names and versions are mistakes, and slow for std::regex

/// A digest as RECORD has it: base64 for URLs, without padding.
std::string digestOf(std::string_view bytes) {
  const module::Sha256 digest = sha256(std::as_bytes(std::span(bytes)));
  constexpr int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  std::string text(sodium_base64_encoded_len(digest.size(), variant), '\0');
  sodium_bin2base64(text.data(), text.size(), digest.data(), digest.size(), variant);
  text.pop_back(); // the zero
  return "sha256=" + text;
}

std::string metadataOf(const WheelFacts &facts) {
  return "Metadata-Version: 2.1\nName: " + facts.name + "\nVersion: " + facts.version +
         "\nSummary: " + facts.summary +
         "\nRequires-Python: >=3.10\nRequires-Dist: " + facts.needs + "\n";
}

} // namespace

module::Result<std::string> normalizedName(std::string_view name) {
  static const std::regex valid("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?");
  if (name.size() > maxWord || !std::regex_match(name.begin(), name.end(), valid))
    return Status{
        Code::InvalidInput,
        "'" + std::string(name.substr(0, maxWord)) +
            "' is not a name of a distribution: it has up to 100 letters, digits, '-', '_' "
            "and '.', and begins and ends with a letter or digit"};
  std::string result;
  for (const char letter : name) {
    const bool isSeparator = letter == '-' || letter == '_' || letter == '.';
    if (!isSeparator)
      result += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    else if (!result.ends_with('_'))
      result += '_';
  }
  return result;
}

Status checkVersion(std::string_view version) {
  // The parts of PEP 440 in order: epoch, release, before it, after it, on the way to it, local.
  static const std::string number = "(0|[1-9][0-9]*)";
  static const std::regex canonical("(" + number + "!)?" + number + "(\\." + number + ")*" +
                                    "((a|b|rc)" + number + ")?(\\.post" + number + ")?(\\.dev" +
                                    number + ")?(\\+[a-z0-9]+(\\.[a-z0-9]+)*)?");
  if (version.size() > maxWord || !std::regex_match(version.begin(), version.end(), canonical))
    return {Code::InvalidInput,
            "'" + std::string(version.substr(0, maxWord)) +
                "' is not a version of PEP 440 in canonical form; write it like 1.4, 2.0rc1, "
                "1.0.post2, 3.1.dev4 or 1.0+local.1"};
  return {};
}

std::string wheelFileName(std::string_view name, std::string_view version) {
  return std::string(name) + "-" + std::string(version) + "-py3-none-any.whl";
}

module::Result<std::vector<std::byte>> wheelOf(const WheelFacts &facts,
                                               std::vector<ArchivedFile> files) {
  const module::Result<std::string> name = normalizedName(facts.name);
  if (!name)
    return name.error();
  if (Status status = checkVersion(facts.version); !status.ok())
    return status;
  // These come last, as the format asks for, and RECORD is the last of them.
  const std::string folder = *name + "-" + facts.version + ".dist-info/";
  files.push_back({folder + "METADATA", metadataOf(facts)});
  files.push_back({folder + "WHEEL", "Wheel-Version: 1.0\nGenerator: " + facts.generator +
                                         "\nRoot-Is-Purelib: true\nTag: py3-none-any\n"});
  std::string record;
  for (const ArchivedFile &file : files)
    record +=
        file.name + "," + digestOf(file.bytes) + "," + std::to_string(file.bytes.size()) + "\n";
  record += folder + "RECORD,,\n";
  files.push_back({folder + "RECORD", std::move(record)});
  return zipOf(files);
}

} // namespace sextant::packager
