#include "tests/module/fuzz/SplitDraft.h"

namespace sextant::fuzz {

using namespace module::format;

namespace {

constexpr uint64_t mostBytes = 1 << 16; ///< the fuzzer's own limit, of a stream that is made to fit

template <class T> void append(Bytes &to, const T &value) {
  to.resize(to.size() + sizeof(T));
  store(to, to.size() - sizeof(T), value);
}
void appendBytes(Bytes &to, const Bytes &more) { to.insert(to.end(), more.begin(), more.end()); }

/// The words that pieces of the kind Words have, each of which has a rule.
size_t wordsOf(const std::vector<PieceItem> &pieces) {
  uint64_t count = 0;
  for (const PieceItem &item : pieces)
    count += item.kind == PieceKind::Words ? item.length / 4 : 0;
  return std::min(count, mostBytes);
}

/// The bytes that pieces take of their streams and of their template's own.
struct Needs {
  std::vector<uint64_t> streams;
  uint64_t own = 0;
};

void addWords(const SplitDraft::Template &made, const PieceItem &item, size_t &rule, Needs &needs) {
  for (uint32_t i = 0; i < item.length / 4 && rule < made.rules.size(); ++i, ++rule)
    if ((made.rules[rule] & openWord) == 0)
      needs.own += 4;
    else if (item.stream < needs.streams.size())
      needs.streams[item.stream] += 4;
}

/// \param at where the image's numbers are in stream 1; moves on
Needs needsOf(const SplitDraft::Template &made, const SplitDraft &draft, uint64_t &at) {
  Needs needs{std::vector<uint64_t>(draft.streams.size() + 1)};
  size_t rule = 0;
  for (const PieceItem &item : made.pieces) {
    uint64_t length = item.length;
    if (item.kind == PieceKind::Words) {
      addWords(made, item, rule, needs);
    } else if (item.kind == PieceKind::Same) {
      needs.own += length;
    } else if (item.kind == PieceKind::Instructions) {
      needs.own += length;
      if (item.stream < needs.streams.size())
        needs.streams[item.stream] += load<uint32_t>(draft.streams[0], at + sizeof(uint32_t));
      at += 2 * sizeof(uint32_t);
    } else if (item.kind == PieceKind::Bytes) {
      if (item.length == openLength) {
        length = load<uint32_t>(draft.streams[0], at);
        at += sizeof(uint32_t);
      }
      if (item.stream < needs.streams.size())
        needs.streams[item.stream] += length;
    }
  }
  return needs;
}

} // namespace

std::optional<SplitDraft> takeSplitApart(std::span<const std::byte> content) {
  const auto head = load<SplitHead>(content);
  if (head.streamCount < 2 || head.streamCount > maxStreams || head.templateCount > 256)
    return std::nullopt;
  SplitDraft draft;
  size_t at = sizeof(head) + head.streamCount * sizeof(uint32_t);
  for (uint32_t i = 0; i < head.streamCount; ++i) {
    const auto bytes = load<uint32_t>(content, sizeof(head) + i * sizeof(uint32_t));
    if (at > content.size() || bytes > content.size() - at)
      return std::nullopt;
    draft.streams.emplace_back(content.begin() + static_cast<ptrdiff_t>(at),
                               content.begin() + static_cast<ptrdiff_t>(at + bytes));
    at += bytes;
  }
  const Bytes first = std::move(draft.streams.front());
  draft.streams.erase(draft.streams.begin());
  at = 0;
  for (uint32_t i = 0; i < head.templateCount; ++i) {
    const auto of = load<TemplateHead>(first, at);
    at += sizeof(of);
    SplitDraft::Template &made = draft.templates.emplace_back();
    for (uint32_t piece = 0; piece < of.pieceCount && at < first.size(); ++piece) {
      made.pieces.push_back(load<PieceItem>(first, at));
      at += sizeof(PieceItem);
    }
    for (size_t words = wordsOf(made.pieces); words != 0 && at < first.size(); --words) {
      made.rules.push_back(load<uint16_t>(first, at));
      at += sizeof(uint16_t);
    }
    if (at > first.size() || of.ownBytes > first.size() - at)
      return std::nullopt;
    made.own.assign(first.begin() + static_cast<ptrdiff_t>(at),
                    first.begin() + static_cast<ptrdiff_t>(at + of.ownBytes));
    at += of.ownBytes;
  }
  return draft;
}

Bytes putTogether(const SplitDraft &draft) {
  Bytes first;
  for (const SplitDraft::Template &made : draft.templates) {
    append(first, TemplateHead{static_cast<uint32_t>(made.pieces.size()),
                               static_cast<uint32_t>(made.own.size())});
    for (const PieceItem &item : made.pieces)
      append(first, item);
    for (const uint16_t rule : made.rules)
      append(first, rule);
    appendBytes(first, made.own);
  }
  Bytes content;
  append(content, SplitHead{static_cast<uint32_t>(draft.templates.size()),
                            static_cast<uint32_t>(draft.streams.size() + 1)});
  append(content, static_cast<uint32_t>(first.size()));
  for (const Bytes &stream : draft.streams)
    append(content, static_cast<uint32_t>(stream.size()));
  appendBytes(content, first);
  for (const Bytes &stream : draft.streams)
    appendBytes(content, stream);
  return content;
}

void fit(SplitDraft &draft, uint32_t imageCount) {
  for (SplitDraft::Template &made : draft.templates) {
    made.rules.resize(wordsOf(made.pieces));
    uint64_t none = 0;
    made.own.resize(std::min(needsOf(made, draft, none).own, mostBytes));
  }
  std::vector<uint64_t> all(draft.streams.size() + 1);
  uint64_t at = 0;
  for (uint32_t i = 0; i < std::min(imageCount, 64u); ++i) {
    const auto number = load<uint32_t>(draft.streams[0], at);
    at += sizeof(number);
    if (number >= draft.templates.size())
      return;
    const Needs needs = needsOf(draft.templates[number], draft, at);
    for (size_t stream = 0; stream < all.size(); ++stream)
      all[stream] += needs.streams[stream];
  }
  all[1] += at;
  for (size_t stream = 1; stream < all.size(); ++stream)
    draft.streams[stream - 1].resize(std::min(all[stream], mostBytes));
}

} // namespace sextant::fuzz
