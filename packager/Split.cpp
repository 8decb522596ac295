// Splits images. Images with the same sequence of cuts share a template, which holds what all of
// them have in common. A template's rules are found by trial. If a word differs between images, but
// differs less once the offset or length of some piece is subtracted, it is stored without that.
#include "packager/Split.h"
#include "packager/Bytes.h"
#include "packager/Instructions.h"

#include <algorithm>
#include <unordered_set>

namespace sextant::packager {

using namespace module::format;

namespace {

/// Streams 0 and 1 are the format's.
constexpr uint8_t firstFree = 2;
/// The number of images that are examined to find a template's rules.
constexpr size_t maxTrials = 48;
/// With fewer images, common parts are a coincidence: their sections go to the streams.
constexpr size_t minMembers = 4;

/// Returns the least power of two whose multiples all these gaps (offset, length) reach, or 0.
uint32_t alignmentOf(std::span<const std::pair<uint32_t, uint32_t>> gaps) {
  for (uint32_t alignment = 1; alignment <= maxPadding; alignment *= 2)
    if (std::all_of(gaps.begin(), gaps.end(),
                    [&](const auto &gap) { return gap.second == (-gap.first & (alignment - 1)); }))
      return alignment;
  return 0;
}

/// The least that a pack holds for an image of these cuts: its template's pieces, and once the
/// content that is neither repeated nor padding.
uint64_t leastContent(std::span<const Cut> cuts) {
  uint64_t bytes = 0;
  for (const Cut &cut : cuts) {
    const bool isLeftOut = cut.kind == Cut::Padding && cut.length == 0;
    const bool isStored = cut.kind == Cut::Bytes || cut.kind == Cut::Words;
    const bool isEncoded = cut.kind == Cut::Instructions; // a byte a word at least
    bytes += (isLeftOut ? 0 : sizeof(PieceItem)) + (isStored    ? cut.length
                                                    : isEncoded ? cut.length / sizeof(uint32_t)
                                                                : 0);
  }
  return bytes;
}

/// Returns an image's cuts: one, if it has more than readers take.
std::vector<Cut> cutsOf(std::span<const std::byte> bytes) {
  std::vector<Cut> cuts = cutImage(bytes);
  if (cuts.size() > maxPieces || bytes.size() / maxGrowth > leastContent(cuts))
    cuts = {{Cut::Bytes, bytes.size(), "image", 0, true}};
  return cuts;
}

} // namespace

/// Finds where the cuts lie.
Splitter::Image Splitter::placed(std::span<const std::byte> bytes, std::span<const Cut> cuts) {
  Image image{bytes, {}, {}};
  image.places.reserve(cuts.size());
  uint32_t at = 0, section = 0;
  for (const Cut &cut : cuts) {
    if (cut.startsSection)
      section = at;
    image.places.push_back({at, static_cast<uint32_t>(cut.length), section});
    if (cut.kind == Cut::Instructions)
      image.instructions = encodeInstructions(bytes.subspan(at, cut.length));
    at += static_cast<uint32_t>(cut.length);
  }
  return image;
}

/// The key that groups images into templates: the cuts, without the lengths of byte and padding
/// pieces.
std::vector<uint64_t> Splitter::signatureOf(std::span<const Cut> cuts) {
  std::vector<uint64_t> signature;
  for (const Cut &cut : cuts) {
    const uint64_t length = cut.kind == Cut::Repeat  ? cut.repeats
                            : cut.kind == Cut::Words ? cut.length
                                                     : 0;
    const uint64_t stream = cut.kind == Cut::Repeat ? 0 : streamOf(cut.stream);
    signature.push_back(length << 16 | stream << 8 | uint64_t(cut.kind) << 1 |
                        uint64_t(cut.startsSection));
  }
  return signature;
}

Splitter::Splitter(const std::vector<std::span<const std::byte>> &contents) {
  std::map<std::vector<uint64_t>, uint32_t> known;
  for (const std::span<const std::byte> bytes : contents) {
    // Kept once a template: those of all images take more than the images.
    std::vector<Cut> cuts = cutsOf(bytes);
    Image image = placed(bytes, cuts);
    const auto [entry, isNew] =
        known.emplace(signatureOf(cuts), static_cast<uint32_t>(templates.size()));
    if (isNew)
      templates.push_back({{}, std::move(cuts), {}, {}, {}});
    image.layout = entry->second;
    templates[image.layout].members.push_back(static_cast<uint32_t>(images.size()));
    images.push_back(std::move(image));
  }
  for (Template &made : templates) {
    makePieces(made);
    findRules(made);
  }
}

uint8_t Splitter::streamOf(const std::string &name) {
  // If there are too many, the rest share the last one.
  const size_t next = std::min<size_t>(streams.size() + firstFree, maxStreams - 1);
  return streams.emplace(name, static_cast<uint8_t>(next)).first->second;
}

/// The pieces of a template, without the common parts of words.
void Splitter::makePieces(Template &made) const {
  const Image &first = images[made.members.front()];
  std::map<uint32_t, uint32_t> pieceOfCut;
  for (uint32_t i = 0; i < made.cuts.size(); ++i) {
    const Cut &cut = made.cuts[i];
    const Place &place = first.places[i];
    const auto content = first.bytes.subspan(place.start, place.length);
    bool haveOneLength = true, areSame = made.members.size() >= minMembers, areZero = true;
    std::vector<std::pair<uint32_t, uint32_t>> gaps;
    for (const uint32_t member : made.members) {
      const Image &image = images[member];
      const Place &other = image.places[i];
      const auto bytes = image.bytes.subspan(other.start, other.length);
      haveOneLength = haveOneLength && other.length == place.length;
      areSame = areSame && std::equal(bytes.begin(), bytes.end(), content.begin(), content.end());
      areZero = areZero && std::all_of(bytes.begin(), bytes.end(),
                                       [](std::byte byte) { return byte == std::byte{}; });
      gaps.emplace_back(other.start, other.length);
    }
    Piece piece;
    piece.cut = i;
    piece.item.length = haveOneLength ? place.length : openLength;
    piece.item.startsSection = cut.startsSection ? 1 : 0;
    if (cut.kind != Cut::Repeat)
      piece.item.stream = streams.at(cut.stream);
    const uint32_t alignment = cut.kind == Cut::Padding && areZero ? alignmentOf(gaps) : 0;
    if (cut.kind == Cut::Padding && haveOneLength && place.length == 0)
      continue;
    if (cut.kind == Cut::Words) {
      piece.item.kind = PieceKind::Words;
    } else if (cut.kind == Cut::Instructions) {
      piece.item.kind = PieceKind::Instructions;
      piece.item.length = static_cast<uint32_t>(instructionRows().size_bytes());
    } else if (cut.kind == Cut::Repeat) {
      const Piece &repeated = made.pieces[pieceOfCut.at(cut.repeats)];
      piece.item.kind = PieceKind::Repeat;
      piece.item.length = pieceOfCut.at(cut.repeats);
      if (repeated.item.kind == PieceKind::Same) {
        piece.item.kind = PieceKind::Same;
        piece.item.length = place.length;
      }
    } else if (alignment != 0) {
      piece.item.kind = PieceKind::Padding;
      piece.item.length = alignment;
    } else {
      piece.item.kind = areSame ? PieceKind::Same : PieceKind::Bytes;
    }
    pieceOfCut[i] = static_cast<uint32_t>(made.pieces.size());
    made.pieces.push_back(piece);
  }
}

/// Returns a word of an image in the form that a rule stores.
uint32_t Splitter::withoutRule(const Image &image, const Template &made, const Piece &piece,
                               uint32_t offset, uint16_t rule) const {
  const uint32_t word = wordAt(image.bytes, image.places[piece.cut].start + offset);
  if (rule == 0)
    return word;
  const Place &other = image.places[made.pieces[(rule - 1) / 3].cut];
  const uint32_t values[] = {other.start, other.length, other.start - other.section};
  return word - values[(rule - 1) % 3];
}

/// Finds the rule that leaves the fewest different values, the first of equals.
uint16_t Splitter::ruleOf(const Template &made, const Piece &piece, uint32_t offset) const {
  const size_t step = std::max<size_t>(1, made.members.size() / maxTrials);
  auto variety = [&](uint16_t rule, size_t enough) {
    std::unordered_set<uint32_t> left;
    for (size_t i = 0; i < made.members.size() && left.size() < enough; i += step)
      left.insert(withoutRule(images[made.members[i]], made, piece, offset, rule));
    return left.size();
  };
  uint16_t best = 0;
  size_t least = variety(0, made.members.size() + 1);
  for (uint16_t rule = 1; rule <= 3 * made.pieces.size() && least > 1; ++rule)
    if (const size_t found = variety(rule, least); found < least) {
      least = found;
      best = rule;
    }
  return best;
}

void Splitter::findRules(Template &made) const {
  const Image &first = images[made.members.front()];
  for (const Piece &piece : made.pieces) {
    if (piece.item.kind == PieceKind::Same) {
      const Place &place = first.places[piece.cut];
      appendBytes(made.own, first.bytes.subspan(place.start, place.length));
    }
    if (piece.item.kind == PieceKind::Instructions)
      appendBytes(made.own, std::as_bytes(instructionRows()));
    if (piece.item.kind != PieceKind::Words)
      continue;
    for (uint32_t offset = 0; offset < piece.item.length; offset += 4) {
      const uint16_t rule = ruleOf(made, piece, offset);
      const uint32_t own = withoutRule(first, made, piece, offset, rule);
      const bool isSame =
          made.members.size() >= minMembers &&
          std::all_of(made.members.begin(), made.members.end(), [&](uint32_t member) {
            return withoutRule(images[member], made, piece, offset, rule) == own;
          });
      if (isSame)
        append(made.own, own);
      made.rules.push_back(isSame ? rule : static_cast<uint16_t>(rule | openWord));
    }
  }
}

void Splitter::encode(const Template &made, std::vector<std::byte> &to) const {
  append(to, TemplateHead{static_cast<uint32_t>(made.pieces.size()),
                          static_cast<uint32_t>(made.own.size())});
  for (const Piece &piece : made.pieces)
    append(to, piece.item);
  for (const uint16_t rule : made.rules)
    append(to, rule);
  appendBytes(to, made.own);
}

size_t Splitter::ownBytes(uint32_t number) const {
  const Image &image = images[number];
  const Template &made = templates[image.layout];
  size_t count = sizeof(uint32_t) + image.instructions.size();
  for (const Piece &piece : made.pieces)
    if (piece.item.kind == PieceKind::Bytes)
      count += image.places[piece.cut].length;
  for (const uint16_t rule : made.rules)
    count += (rule & openWord) != 0 ? sizeof(uint32_t) : 0;
  return count;
}

size_t Splitter::pieceCount(uint32_t number) const {
  return templates[images[number].layout].pieces.size();
}

std::vector<std::byte> Splitter::content(std::span<const uint32_t> numbers) const {
  std::vector<std::vector<std::byte>> out(std::min<size_t>(streams.size() + firstFree, maxStreams));
  std::map<uint32_t, uint32_t> used; // templates, numbered as they come
  for (const uint32_t number : numbers) {
    const Image &image = images[number];
    const Template &made = templates[image.layout];
    const auto [entry, isNew] = used.emplace(image.layout, static_cast<uint32_t>(used.size()));
    if (isNew)
      encode(made, out[0]);
    append(out[1], entry->second);
    const uint16_t *rule = made.rules.data();
    for (const Piece &piece : made.pieces) {
      const Place &place = image.places[piece.cut];
      std::vector<std::byte> &stream = out[piece.item.stream];
      if (piece.item.kind == PieceKind::Bytes) {
        if (piece.item.length == openLength)
          append(out[1], place.length);
        appendBytes(stream, image.bytes.subspan(place.start, place.length));
      } else if (piece.item.kind == PieceKind::Instructions) {
        append(out[1], place.length);
        append(out[1], static_cast<uint32_t>(image.instructions.size()));
        appendBytes(stream, image.instructions);
      } else if (piece.item.kind == PieceKind::Words) {
        for (uint32_t offset = 0; offset < place.length; offset += 4, ++rule)
          if ((*rule & openWord) != 0)
            append(stream, withoutRule(image, made, piece, offset, *rule & ~openWord));
      }
    }
  }
  std::vector<std::byte> content;
  append(content, SplitHead{static_cast<uint32_t>(used.size()), static_cast<uint32_t>(out.size())});
  for (const std::vector<std::byte> &stream : out)
    append(content, static_cast<uint32_t>(stream.size()));
  for (const std::vector<std::byte> &stream : out)
    appendBytes(content, stream);
  return content;
}

} // namespace sextant::packager
