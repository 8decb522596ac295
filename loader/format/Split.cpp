// Puts split images together. The work is linear in the content's bytes, whatever they say:
// templates are read once, then each image's pieces are counted off from the streams. Nothing is
// allocated for an image before its size is known and fits the limits.
#include "loader/format/Split.h"
#include "loader/format/Decode.h"
#include "loader/format/Format.h"
#include "loader/format/Instructions.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace sextant::module {

using namespace format;

namespace {

/// Bytes that are consumed from the front.
struct Stream {
  const std::byte *at = nullptr;
  uint64_t left = 0;

  /// Returns null if there are not that many bytes.
  const std::byte *take(uint64_t count) {
    if (count > left)
      return nullptr;
    left -= count;
    return std::exchange(at, at + count);
  }
  template <class T> bool read(T &value) {
    const std::byte *from = take(sizeof(T));
    if (from != nullptr)
      std::memcpy(&value, from, sizeof(T));
    return from != nullptr;
  }
};

template <class T> T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// A piece of a template.
struct Piece {
  PieceItem item;
  uint64_t takes = 0;             ///< bytes of its stream
  const std::byte *own = nullptr; ///< Same, Words, Instructions: of the template
  const std::byte *rules = nullptr;
};
using Template = std::vector<Piece>;

/// A piece of one image.
struct Placed {
  uint64_t start = 0, length = 0, section = 0;
  const std::byte *source = nullptr; ///< null: zeros
  uint64_t encoded = 0;              ///< Instructions: bytes at `source`
};

class Pack {
public:
  /// Each function returns why the content is invalid, or null.
  /// \param maxImage the largest size that an image may have
  const char *open(std::span<const std::byte> content, uint64_t maxImage);
  const char *layNextOut();
  /// Writes the image that was laid out last to that many bytes.
  const char *write(std::byte *out) const;
  /// Returns why writing that image would fail, or null. Takes linear time in its own bytes.
  const char *checkInstructions() const;
  bool isUsedUp() const {
    return std::all_of(streams.begin(), streams.end(), [](const Stream &s) { return s.left == 0; });
  }
  uint64_t imageBytes = 0; ///< size of the image that was laid out last
  uint64_t ownBytes = 0;   ///< the content's bytes that this image covers

private:
  std::vector<Stream> streams;
  std::vector<Template> templates;
  const Template *current = nullptr;
  std::vector<Placed> placed;
  uint64_t maxBytes = 0;  ///< limit for an image
  uint64_t stepsLeft = 0; ///< pieces that may still be laid out
  uint64_t pieceCount = 0;

  const char *readTemplate();
};

const char *Pack::open(std::span<const std::byte> content, uint64_t maxImage) {
  maxBytes = std::min<uint64_t>(maxImage, content.size() * maxGrowth);
  Stream all{content.data(), content.size()};
  SplitHead head;
  if (!all.read(head) || head.streamCount < 2 || head.streamCount > maxStreams)
    return "its header is invalid";
  Stream sizes{all.at, all.left};
  if (all.take(uint64_t(head.streamCount) * sizeof(uint32_t)) == nullptr)
    return "its streams reach past its end";
  for (uint32_t i = 0, size = 0; i < head.streamCount; ++i) {
    sizes.read(size);
    const std::byte *at = all.take(size);
    if (at == nullptr)
      return "its streams reach past its end";
    streams.push_back({at, size});
  }
  if (all.left != 0)
    return "bytes follow its last stream";
  if (head.templateCount > maxPackImages)
    return "it has more templates than a pack has images";
  stepsLeft = content.size();
  const char *problem = nullptr;
  for (uint32_t i = 0; i < head.templateCount && problem == nullptr; ++i)
    problem = readTemplate();
  return problem;
}

const char *Pack::readTemplate() {
  Stream &stream = streams[0];
  TemplateHead head;
  if (!stream.read(head) || head.pieceCount > maxPieces ||
      head.pieceCount * sizeof(PieceItem) > stream.left)
    return "a template reaches past its stream";
  pieceCount += head.pieceCount;
  if (pieceCount > maxPackPieces)
    return "its templates have too many pieces";
  Template made(head.pieceCount);
  uint64_t ruleBytes = 0;
  bool hasInstructions = false;
  for (uint32_t i = 0; i < head.pieceCount; ++i) {
    const PieceItem &item = made[i].item;
    stream.read(made[i].item);
    const bool isOfStream = item.kind == PieceKind::Bytes || item.kind == PieceKind::Words ||
                            item.kind == PieceKind::Instructions;
    if (item.kind > PieceKind::Instructions || (isOfStream && item.stream >= streams.size()))
      return "a piece of a template is of no kind or stream";
    if (item.kind == PieceKind::Words) {
      if (item.length % 4 != 0)
        return "a template has a part of a word";
      ruleBytes += item.length / 4 * sizeof(uint16_t);
    } else if (item.kind == PieceKind::Repeat) {
      if (item.length >= i || made[item.length].item.kind != PieceKind::Bytes)
        return "a template repeats none of the bytes before it";
    } else if (item.kind == PieceKind::Padding) {
      if (!std::has_single_bit(item.length) || item.length > maxPadding)
        return "a template pads to a size that is not a power of two";
    } else if (item.kind == PieceKind::Instructions) {
      if (std::exchange(hasInstructions, true))
        return "a template has two pieces of instructions";
    }
  }
  Stream rules{stream.take(ruleBytes), ruleBytes};
  Stream own{rules.at == nullptr ? nullptr : stream.take(head.ownBytes), head.ownBytes};
  if (own.at == nullptr)
    return "a template reaches past its stream";
  for (Piece &piece : made) {
    if (piece.item.kind != PieceKind::Same && piece.item.kind != PieceKind::Words &&
        piece.item.kind != PieceKind::Instructions)
      continue;
    uint64_t needed = piece.item.length;
    if (piece.item.kind == PieceKind::Words) {
      const uint32_t count = piece.item.length / 4;
      piece.rules = rules.take(count * sizeof(uint16_t));
      for (uint32_t i = 0; i < count; ++i) {
        const auto rule = load<uint16_t>(piece.rules + i * sizeof(uint16_t));
        piece.takes += (rule & openWord) != 0 ? 4 : 0;
        if ((rule & ~openWord) > 3 * made.size())
          return "a word depends on a piece that is not there";
      }
      needed -= piece.takes;
    }
    piece.own = own.take(needed);
    if (piece.own == nullptr)
      return "a template has too few bytes of its own";
  }
  if (own.left != 0)
    return "a template has more bytes than its pieces";
  templates.push_back(std::move(made));
  return nullptr;
}

const char *Pack::layNextOut() {
  constexpr const char *pastEnd = "its images reach past their streams";
  uint32_t number = 0;
  if (!streams[1].read(number) || number >= templates.size())
    return pastEnd;
  current = &templates[number];
  if (current->size() > stepsLeft)
    return "its images have more pieces than it has bytes";
  stepsLeft -= current->size();
  placed.clear();
  ownBytes = sizeof(number);
  uint64_t at = 0, section = 0;
  for (const Piece &piece : *current) {
    const PieceItem &item = piece.item;
    if (item.startsSection != 0)
      section = at;
    Placed place{at, item.length, section, piece.own};
    uint64_t takes = piece.takes;
    switch (item.kind) {
    case PieceKind::Bytes:
      if (uint32_t open = 0; item.length == openLength) {
        if (!streams[1].read(open))
          return pastEnd;
        place.length = open;
        ownBytes += sizeof(open);
      }
      takes = place.length;
      [[fallthrough]];
    case PieceKind::Words:
      place.source = streams[item.stream].take(takes);
      if (place.source == nullptr)
        return pastEnd;
      ownBytes += takes;
      break;
    case PieceKind::Instructions: {
      uint32_t bytes = 0, encoded = 0;
      if (!streams[1].read(bytes) || !streams[1].read(encoded))
        return pastEnd;
      // Each word takes a byte at least.
      if (bytes / sizeof(uint32_t) > encoded)
        return "an image has more instructions than its stream";
      place.length = bytes;
      place.encoded = encoded;
      place.source = streams[item.stream].take(encoded);
      if (place.source == nullptr)
        return pastEnd;
      ownBytes += encoded + sizeof(bytes) + sizeof(encoded);
      break;
    }
    case PieceKind::Repeat:
      place.length = placed[item.length].length;
      place.source = placed[item.length].source;
      break;
    case PieceKind::Padding:
      place.length = -at & (item.length - 1);
      break;
    case PieceKind::Same:
      break;
    }
    placed.push_back(place);
    at += place.length;
    if (at > maxBytes)
      return "an image exceeds the limit";
  }
  imageBytes = at;
  return nullptr;
}

/// Writes a piece of the kind Instructions.
const char *decode(const Piece &piece, const Placed &place, std::byte *to) {
  InstructionRules rules;
  const char *problem = rules.read({piece.own, piece.item.length});
  if (problem == nullptr)
    problem = decodeInstructions(rules, {place.source, place.encoded}, {to, place.length});
  return problem;
}

const char *Pack::checkInstructions() const {
  for (size_t i = 0; i < placed.size(); ++i)
    if ((*current)[i].item.kind == PieceKind::Instructions) {
      std::vector<std::byte> to(placed[i].length);
      return decode((*current)[i], placed[i], to.data());
    }
  return nullptr;
}

const char *Pack::write(std::byte *out) const {
  for (size_t i = 0; i < placed.size(); ++i) {
    const Placed &place = placed[i];
    const Piece &piece = (*current)[i];
    std::byte *to = out + place.start;
    if (piece.item.kind == PieceKind::Instructions) {
      if (const char *problem = decode(piece, place, to))
        return problem;
      continue;
    }
    if (place.length == 0)
      continue;
    if (piece.item.kind == PieceKind::Padding) {
      std::memset(to, 0, place.length);
      continue;
    }
    if (piece.item.kind != PieceKind::Words) {
      std::memcpy(to, place.source, place.length);
      continue;
    }
    const std::byte *open = place.source, *own = piece.own, *rules = piece.rules;
    for (const std::byte *end = to + place.length; to != end; to += 4, rules += 2) {
      const auto rule = load<uint16_t>(rules);
      const std::byte *&from = (rule & openWord) != 0 ? open : own;
      auto word = load<uint32_t>(from);
      from += sizeof(word);
      if (const unsigned added = rule & ~openWord; added != 0) {
        const Placed &other = placed[(added - 1) / 3];
        const uint64_t values[] = {other.start, other.length, other.start - other.section};
        word += uint32_t(values[(added - 1) % 3]);
      }
      std::memcpy(to, &word, sizeof(word));
    }
  }
  return nullptr;
}

} // namespace

Result<PackImage> splitImage(std::span<const std::byte> content, uint32_t local, uint64_t maxBytes,
                             const std::string &who) {
  Pack pack;
  const char *problem = pack.open(content, maxBytes);
  for (uint32_t i = 0; i <= local && problem == nullptr; ++i)
    problem = pack.layNextOut();
  if (problem != nullptr)
    return corrupt(who, problem);
  PackImage image{std::vector<std::byte>(pack.imageBytes), pack.ownBytes};
  problem = pack.write(image.bytes.data());
  if (problem != nullptr)
    return corrupt(who, problem);
  return image;
}

Status
eachSplitImage(std::span<const std::byte> content, uint32_t imageCount, uint64_t maxBytes,
               const std::string &who,
               const std::function<Status(uint32_t, uint64_t, uint64_t,
                                          const std::function<Status(std::byte *)> &)> &call) {
  Pack pack;
  if (const char *problem = pack.open(content, maxBytes))
    return corrupt(who, problem);
  for (uint32_t local = 0; local < imageCount; ++local) {
    if (const char *problem = pack.layNextOut())
      return corrupt(who, problem);
    Status status = call(local, pack.imageBytes, pack.ownBytes, [&](std::byte *out) {
      const char *problem = pack.write(out);
      return problem == nullptr ? Status{} : corrupt(who, problem);
    });
    if (!status.ok())
      return status;
  }
  return {};
}

Status checkSplit(std::span<const std::byte> content, uint32_t imageCount, uint64_t maxBytes,
                  const std::string &who) {
  Pack pack;
  const char *problem = pack.open(content, maxBytes);
  for (uint32_t i = 0; i < imageCount && problem == nullptr; ++i) {
    problem = pack.layNextOut();
    if (problem == nullptr)
      problem = pack.checkInstructions();
  }
  if (problem == nullptr && !pack.isUsedUp())
    problem = "bytes follow its last image";
  return problem == nullptr ? Status{} : corrupt(who, problem);
}

} // namespace sextant::module
