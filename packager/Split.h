// Splits the images of packs into streams, as Format.h's requiredSplit defines. Similar parts lie
// side by side, and facts that one part of an image repeats of another (offsets, sizes) are stored
// once. docs/decisions/0008-split-images.md says what this saves.
#pragma once

#include "loader/format/Format.h"
#include "packager/Sections.h"

#include <map>

namespace sextant::packager {

/// The templates and streams of one target's images. All packs of the target share them as far as
/// they use them. Borrows the images.
class Splitter {
public:
  explicit Splitter(const std::vector<std::span<const std::byte>> &images);

  /// The bytes that image `number` adds to a pack's content, without its template's.
  size_t ownBytes(uint32_t number) const;
  /// The number of the image's pieces.
  size_t pieceCount(uint32_t number) const;
  /// Returns a pack's content of some of the images, by their numbers.
  std::vector<std::byte> content(std::span<const uint32_t> numbers) const;

private:
  struct Piece {
    module::format::PieceItem item{};
    uint32_t cut = 0; ///< its number in each image
  };
  struct Template {
    std::vector<uint32_t> members;
    std::vector<Cut> cuts; ///< the first member's cuts
    std::vector<Piece> pieces;
    std::vector<uint16_t> rules;
    std::vector<std::byte> own;
  };
  /// A cut's offset, and the offset of the section that contains it.
  struct Place {
    uint32_t start, length, section;
  };
  struct Image {
    std::span<const std::byte> bytes;
    std::vector<Place> places; ///< place of each of its cuts
    std::vector<std::byte>
        instructions;    ///< encoded instructions of the cut of that kind, if there is one
    uint32_t layout = 0; ///< number of its template
  };
  std::vector<Image> images;
  std::vector<Template> templates;
  std::map<std::string, uint8_t> streams;

  static Image placed(std::span<const std::byte> bytes, std::span<const Cut> cuts);
  std::vector<uint64_t> signatureOf(std::span<const Cut> cuts);
  uint8_t streamOf(const std::string &name);
  void makePieces(Template &made) const;
  void findRules(Template &made) const;
  uint16_t ruleOf(const Template &made, const Piece &piece, uint32_t offset) const;
  uint32_t withoutRule(const Image &image, const Template &made, const Piece &piece,
                       uint32_t offset, uint16_t rule) const;
  void encode(const Template &made, std::vector<std::byte> &to) const;
};

} // namespace sextant::packager
