// `sextant diff`: what differs between two modules.
#pragma once

#include "loader/format/Reader.h"

#include <optional>

namespace sextant::packager {

/// One difference.
struct Change {
  enum Kind : uint8_t {
    Compiler,
    Options,
    Source,
    KernelAdded,
    KernelRemoved,
    Abi,
    VariantAdded,
    VariantRemoved,
    Code,
    Format,
    Requirements,
    Resources,
    Spill, ///< more bytes are spilled, among the resources
    Launch,
    Refusal,
    Attachment,
  } kind = Code;
  std::string kernel = {}, target = {}; ///< empty where it is not of one
  std::string text;                     ///< a line
};
/// "compiler", "kernel-added", "spill", …
std::string_view nameOf(Change::Kind kind);

struct Difference {
  uint64_t bytesBefore = 0, bytesAfter = 0; ///< sizes of the files; no change by themselves
  std::vector<Change> changes;              ///< empty: the same kernels, code and facts
};
module::Result<Difference> diff(const module::Reader &before, const module::Reader &after);

/// Prints one line for each change, and one for the sizes if they differ.
std::string diffText(const Difference &difference);
std::string diffJson(const Difference &difference);

/// A rule for which differences are failures: "abi", "kernel-removed" and the other kinds, or
/// "size+5%", which means that the file grew by more than that. Absent if the text is not one of
/// these.
struct FailRule {
  std::optional<Change::Kind> kind;
  double growth = 0; ///< without a kind: more than this share
};
std::optional<FailRule> parseFailRule(std::string_view text);
/// The names that parseFailRule takes; the first one, "size+N%", has a number.
std::vector<std::string> failRuleNames();
bool isBroken(const FailRule &rule, const Difference &difference);

} // namespace sextant::packager
