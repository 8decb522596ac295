// The content of a split pack taken apart, so that its fields can be changed and the rest be made
// to fit. For the fuzzer; takes contents that the reader would not.
#pragma once

#include "tests/module/fuzz/Draft.h"

namespace sextant::fuzz {

struct SplitDraft {
  struct Template {
    std::vector<module::format::PieceItem> pieces;
    std::vector<uint16_t> rules;
    Bytes own;
  };
  std::vector<Template> templates;
  std::vector<Bytes> streams; ///< from number 1 on: number 0 is made of the templates
};

/// Nothing where the content is not split, or has templates that reach past it.
std::optional<SplitDraft> takeSplitApart(std::span<const std::byte> content);

Bytes putTogether(const SplitDraft &draft);

/// Makes templates and streams as long as the pieces and `imageCount` images need them, as far as
/// that is possible.
void fit(SplitDraft &draft, uint32_t imageCount);

} // namespace sextant::fuzz
