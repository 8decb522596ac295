// The module file, version 1.6. This header is the specification. Reader.cpp checks every rule in
// it, and packager/ModuleBuilder.cpp writes by it.
//
//   Header                     at 0; hash over itself
//   kernel entries             fixed size, sorted by hash of the instance name; each
//                              with a hash over itself
//   pack entries               fixed size; each with a hash over itself
//   info record                sources, globals, attachments; hash in the header
//   frames                     one compressed pack each; content hash in its entry
//
// A pack holds kernel records, images, or an attachment. This holds for files that have the bit
// requiredPacks, which writers set since 1.1. In files of 1.0
//
//   image entries              fixed size; each with a hash over itself
//
// take the place of pack entries, kernel records lie in the file with their hashes in their
// entries, and a frame holds one image. Readers accept both forms.
//
// Since 1.3, everything that is not in a frame, the tables, lies in the first Header::tableBytes
// bytes. Bytes that belong to none of the parts above are zero. SHA-256 covers the rest: the digest
// of each frame is in its entry, that of the tables in the header, which also has room for a
// signature.
//
// All numbers are little-endian. Offsets in the header and in entries count bytes from the file's
// start; offsets in a record count from the record's start. Records and frames start at multiples
// of 8 in the file; the bytes between them mean nothing. Nothing depends on where in memory the
// file lies.
//
// Hashes are XXH3: 64 bits for structure, 128 bits for the content of images. They find damage.
// They do not stop a forger, so the reader checks everything that they cover again where a wrong
// value could do harm. The digests and the signature do stop a forger. The loader checks them if it
// has keys, and the command when it verifies a module.
//
// VERSIONS. A reader refuses another major version and unknown bits of Header::required. A minor
// version may make the header, entries and the items of a table longer at their ends: everything
// that may grow carries its size, and readers skip what they do not know. It may add kinds of
// records that old readers need not see. It may change neither the meaning of a field nor the hash
// of a signature. Writers set reserved fields and bits to zero, and readers ignore them. Every
// version ever released stays readable: tests/module/golden holds files of each.
// docs/module-format.md has the rules in full.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sextant::module::format {

static_assert(std::endian::native == std::endian::little,
              "the reader copies numbers as they lie; a big-endian host needs swaps");

/// The magic is not text and not UTF-8, and changes in a transfer that changes line ends.
inline constexpr unsigned char magic[8] = {0x89, 'S', 'X', 'T', '\r', '\n', 0x1a, '\n'};
inline constexpr uint16_t versionMajor = 1;
/// The minor version that is written. Readers of an earlier minor version read it too, unless a bit
/// of Header::required says otherwise.
inline constexpr uint16_t versionMinor = 6;
/// The first one that tells which tasks wait (TaskItem::waits).
inline constexpr uint16_t firstMinorWithWaits = 3;
/// Bits of Header::required. requiredPacks, since 1.1: images and kernel records lie in packs.
/// requiredFaults, since 1.2: some kernel has a hidden buffer of the role Fault.
inline constexpr uint32_t requiredPacks = 1;
inline constexpr uint32_t requiredFaults = 2;
/// Since 1.3: the images in packs are split.
inline constexpr uint32_t requiredSplit = 4;
/// Since 1.3: some argument has a struct in its signature, which the ABI hash covers.
inline constexpr uint32_t requiredStructures = 8;
/// Since 1.5: some split pack has a piece of the kind Instructions.
inline constexpr uint32_t requiredInstructions = 16;
inline constexpr uint32_t knownRequired =
    requiredPacks | requiredFaults | requiredSplit | requiredStructures | requiredInstructions;

/// The largest header, and the largest entry of a table, in any version.
inline constexpr uint32_t maxFixedBytes = 4096;

struct Header {
  uint8_t magic[8];
  uint16_t major, minor;
  uint32_t headerBytes; ///< 128 until 1.2, now 264; the last 8 of them are `hash`
  uint64_t fileBytes;   ///< size of the whole file, which ends there
  uint32_t required;    ///< bits that a reader must know
  uint32_t kernelCount;
  uint32_t imageCount;
  uint32_t sourceCount;      ///< items in the info record
  uint32_t globalCount;      ///< items in the info record
  uint32_t kernelEntryBytes; ///< from one kernel entry to the next; 48 in 1.0
  uint32_t imageEntryBytes;  ///< from one image entry to the next; 56 in 1.0; packs: 0
  uint32_t infoBytes;
  uint64_t kernelEntries; ///< offset
  uint64_t imageEntries;  ///< offset; packs: 0
  uint64_t infoOffset;
  uint64_t infoHash;    ///< XXH3-64 of the info record
  uint64_t packEntries; ///< offset; without packs 0, as is what follows
  uint32_t packCount;
  uint32_t packEntryBytes; ///< from one pack entry to the next; 64 in 1.1, now 96
  uint64_t reserved[2];
  // Since 1.3; 0 if a header ends before.
  uint64_t tableBytes;     ///< where the tables end; 0: no digests
  uint8_t tableDigest[32]; ///< SHA-256 of the tables, see Trust.h
  uint8_t publicKey[32];   ///< Ed25519; unsigned: 0, as is the signature
  uint8_t signature[64];   ///< Ed25519, see Trust.h
  uint64_t hash;           ///< XXH3-64 of the header before it
};
static_assert(sizeof(Header) == 264);
inline constexpr uint32_t headerBytes10 = 128; ///< until 1.2
inline constexpr uint32_t signatureEnd = 256;

/// Reads the header or an entry at `data`: `stated` bytes, the last 8 of them a hash. Missing
/// fields are zero, and bytes beyond T are ignored.
template <class T> T loadHashed(const std::byte *data, uint32_t stated) {
  T value{};
  constexpr size_t hashBytes = sizeof(uint64_t);
  std::memcpy(&value, data, std::min<size_t>(sizeof(T), stated) - hashBytes);
  std::memcpy(&value.hash, data + stated - hashBytes, hashBytes);
  return value;
}

/// Reads the header of a module. The bytes at `data` are known to be one.
inline Header loadHeader(const std::byte *data) {
  return loadHashed<Header>(data, loadHashed<Header>(data, headerBytes10).headerBytes);
}

/// The place of a kernel. Entries are sorted by nameHash, then by pack and offset of the record. To
/// find a kernel, search nameHash; names of equal hash are neighbours.
struct KernelEntry {
  uint64_t nameHash;   ///< XXH3-64 of the instance name
  uint64_t offset;     ///< place of the kernel record: in the file, or in its pack's content
  uint64_t recordHash; ///< XXH3-64 of the record
  uint32_t bytes;      ///< size of the record
  uint32_t pack;       ///< since 1.1: number of the pack that holds the record
  uint32_t reserved[2];
  uint64_t hash; ///< XXH3-64 of the entry before it, seeded with the entry's number
};
static_assert(sizeof(KernelEntry) == 48);

enum class Codec : uint32_t {
  Stored = 0, ///< the bytes themselves: written where compressing would not pay
  Zstd = 1,   ///< one zstd frame that states its content size
};

/// The place of an image, in 1.0. A zstd frame cannot hold more than 32768 bytes for each of its
/// own; an entry that claims more is refused before anything is allocated.
struct ImageEntry {
  uint64_t offset; ///< place of the frame
  uint64_t storedBytes;
  uint64_t imageBytes;     ///< decompressed
  uint8_t contentHash[16]; ///< XXH3-128 of the decompressed bytes, big-endian
  uint32_t codec;
  uint32_t reserved;
  uint64_t hash; ///< XXH3-64 of the entry before it, seeded with the entry's number
};
static_assert(sizeof(ImageEntry) == 56);
inline constexpr uint64_t maxZstdRatio = 32768;

/// The place of a pack. Its decompressed content is either kernel records, which their entries
/// find, or `imageCount` sizes (uint64_t) and then as many images, one right after the other to the
/// content's end. Files with requiredSplit have another form, see there. Packs without images come
/// first. Since 1.4 such a pack may be an attachment: its content is the attachment's bytes, it has
/// no base, and an AttachmentItem names it. The images of each pack are numbered on from those of
/// the pack before it.
///
/// A pack with a base is a frame whose prefix (zstd's raw-content dictionary for one frame) is the
/// whole content of the base. Bases have lower numbers. At most maxPackDepth bases lead from a pack
/// to one without a base.
struct PackEntry {
  uint64_t offset; ///< place of the frame
  uint64_t storedBytes;
  uint64_t bytes;          ///< size of the content
  uint8_t contentHash[16]; ///< XXH3-128 of the content, big-endian
  uint32_t codec;
  uint32_t base;           ///< number of a pack, or noBase; stored packs have none
  uint32_t firstImage;     ///< number of its first image; packs of records: 0
  uint32_t imageCount;     ///< 0: a pack of records, or an attachment
  uint8_t frameDigest[32]; ///< since 1.3: SHA-256 of the frame
  uint64_t hash;           ///< XXH3-64 of the entry before it, seeded with the entry's number
};
static_assert(sizeof(PackEntry) == 96);
inline constexpr uint32_t packEntryBytes11 = 64; ///< until 1.2
inline constexpr uint32_t noBase = 0xffffffff;
inline constexpr unsigned maxPackDepth = 8;
/// The most images of a pack. To find one, the reader counts from the first.
inline constexpr uint32_t maxPackImages = 1 << 14;
/// The most kernels whose names have the same hash.
inline constexpr uint32_t maxSameHash = 8;

//===--- Inside split packs ------------------------------------------------===//

/// In files with requiredSplit, the content of a pack of images is this head, the sizes (uint32_t)
/// of its streams, and the streams, one right after the other to the content's end. An image is its
/// pieces, one right after the other. A template says which pieces.
///
/// Stream 0 holds the templates: TemplateHead, its PieceItems, a rule (uint16_t) for each word of
/// its pieces of the kind Words, in their order, and the template's own bytes. Stream 1 holds, for
/// each image, the number of its template (uint32_t), then a length (uint32_t) for each open piece,
/// and two for one of the kind Instructions: its bytes in the image, and in its stream.
/// Images take their bytes from each stream in their order, and together use all of it. All images
/// together have at most as many pieces as the content has bytes, and each has at most maxGrowth
/// times the content's bytes.
struct SplitHead {
  uint32_t templateCount;
  uint32_t streamCount; ///< 2 to maxStreams
};
static_assert(sizeof(SplitHead) == 8);
inline constexpr uint32_t maxStreams = 256;
inline constexpr uint64_t maxGrowth = 64;

struct TemplateHead {
  uint32_t pieceCount; ///< at most 8192
  uint32_t ownBytes;   ///< which its pieces use up
};
static_assert(sizeof(TemplateHead) == 8);

enum class PieceKind : uint8_t {
  Bytes,   ///< the next `length` bytes of its stream
  Same,    ///< the next `length` of the template's own bytes
  Repeat,  ///< the bytes of piece number `length`, an earlier one of the kind Bytes
  Padding, ///< zeros up to the next multiple of `length` in the image
  Words,   ///< `length` bytes of little-endian uint32_t, each as its rule says
  /// Since 1.5: instructions, see InstructionRow; `length` of the template's own bytes are its
  /// rows. A template has one such piece at most.
  Instructions,
};

/// If its rule has the bit openWord, a word is the next one of its piece's stream; otherwise it is
/// the next one of the template's own bytes. The rest of the rule says what is added to it, modulo
/// 2^32: 0 nothing; 1 + 3 * piece + which: 0 the offset in the image at which that piece begins, 1
/// its length, 2 its offset in its section, which begins with the last piece up to it that
/// startsSection.
struct PieceItem {
  uint32_t length; ///< Bytes: or openLength, the image says; Words: a multiple of 4
  PieceKind kind;
  uint8_t stream; ///< Bytes, Words and Instructions
  uint8_t startsSection;
  uint8_t reserved;
};
static_assert(sizeof(PieceItem) == 8);
inline constexpr uint16_t openWord = 0x8000;
inline constexpr uint32_t maxPieces = 8192;
/// The most pieces of all templates of a pack, of which there are at most maxPackImages. No writer
/// has made more.
inline constexpr uint32_t maxPackPieces = 1 << 20;
inline constexpr uint32_t openLength = 0xffffffff;
inline constexpr uint32_t maxPadding = 4096;

/// A piece of the kind Instructions is what follows the header of a SPIR-V module (SPIR-V 1.6,
/// section 2.3): little-endian words, each instruction led by one that has the number of its words
/// in the upper half and the opcode in the lower. In its stream an instruction is the opcode, the
/// number of words, and a number for each operand, all in LEB128. An operand's rule says what the
/// number is. A difference d stands as 2 d, or as -2 d - 1 if it is negative. All is modulo 2^32.
///
/// Neighbours in a function then have equal bytes, whatever their results are numbered: most
/// results are one more than the last, and operands lie a few results back.
enum class OperandRule : uint8_t {
  Absolute,     ///< the operand
  Result,       ///< the operand minus the last result, minus 1; it becomes the last result
  FromResult,   ///< the last result minus the operand
  FromPrevious, ///< the operand minus the one before of this opcode, place and rule
};
/// The rules of the opcodes from `first` to `last`. Further operands have the last rule; those of
/// opcodes without a row are absolute. The last result and all previous operands are 0 at first.
/// Places from maxPlace on count as one.
struct InstructionRow {
  uint16_t first, last; ///< below maxOpcode; rows do not overlap
  uint8_t ruleCount;    ///< 1 to 7
  OperandRule rules[7];
};
static_assert(sizeof(InstructionRow) == 12);
inline constexpr uint32_t maxOpcode = 512;
inline constexpr uint32_t maxPlace = 15;

//===--- Inside records ----------------------------------------------------===//

/// UTF-8 without NUL, anywhere in the record. Texts may share bytes. All texts of a record
/// together, counted as often as they are referred to, have at most maxTextRatio times its bytes.
struct Text {
  uint32_t offset, bytes;
};
inline constexpr uint64_t maxTextRatio = 16;
/// The most bytes of a name: of kernels, arguments, hidden buffers except faults, tasks, fields,
/// backends, architectures, features, requirements and formats. Names are printable, as Text.h
/// defines it. Writers of all versions kept to that; readers demand it since 1.3.
inline constexpr uint32_t maxNameBytes = 1024;
/// The most bytes of a source's path.
inline constexpr uint32_t maxPathBytes = 4096;

/// `count` items, with `stride` bytes from one to the next. Tables of a record do not overlap. If
/// items own parts of another table, they say how many; the parts follow each other in the order of
/// their owners and use up the table.
struct Table {
  uint32_t offset, count, stride;
};

struct InfoRecord {
  uint32_t headBytes; ///< size of this struct
  uint32_t reserved;
  Text compiler, options;
  Table sources;     ///< SourceItem, one a path
  Table globals;     ///< GlobalItem, one a source and name
  Table extents;     ///< int64_t, owned by globals
  Table attachments; ///< since 1.4: AttachmentItem, sorted by name, in the order of their packs
};
static_assert(sizeof(InfoRecord) == 72);
inline constexpr uint32_t infoRecordBytes10 = 60; ///< until 1.3

struct SourceItem {
  Text path;
  uint8_t hash[16]; ///< XXH3-128 of the file's bytes, big-endian
};
static_assert(sizeof(SourceItem) == 24);

struct GlobalItem {
  Text name;
  uint32_t source;
  uint8_t dtype;
  uint8_t reserved[3];
  uint32_t rows, cols; ///< extents of an element, 1 to 1024
  uint32_t ndim;       ///< extents that it owns; each at least 1
  uint32_t reserved2;
  uint64_t count; ///< scalars: the product of extents, rows and cols
  Text structure; ///< since 1.3: as of ArgumentItem
};
static_assert(sizeof(GlobalItem) == 48);
inline constexpr uint32_t globalItemBytes10 = 40; ///< size of an item in 1.0

/// Bytes that belong to the module's user. Names are all different, and so are the packs.
struct AttachmentItem {
  Text name;
  uint32_t pack; ///< number of the pack that holds it
  uint32_t reserved;
  uint64_t bytes; ///< as its pack's entry has it; at most maxAttachmentBytes
};
static_assert(sizeof(AttachmentItem) == 24);
inline constexpr uint64_t maxAttachmentBytes = uint64_t(64) << 20;

struct KernelRecord {
  uint32_t headBytes; ///< size of this struct
  uint32_t source;    ///< number of a source
  uint64_t abiHash;   ///< hash of arguments and returns, see Module.h
  Text name, instance;
  Table arguments; ///< ArgumentItem
  Table plans;     ///< PlanItem; all have the same returns
  Table hidden;    ///< HiddenItem, owned by plans
  Table tasks;     ///< TaskItem, owned by plans
  Table steps;     ///< StepItem, owned by tasks
  Table extents;   ///< int64_t, owned by hidden buffers
  Table variants;  ///< VariantItem, one a target
  Table resources; ///< ResourceItem, owned by variants
  Table refusals;  ///< RefusalItem
  Table words;     ///< Text: features and requirements, owned by variants, then refusals
  Text doc;        ///< since 1.3: the docstring; before, reserved
};
static_assert(sizeof(KernelRecord) == 160);

struct ArgumentItem {
  Text name;
  uint8_t kind; ///< Argument::Kind
  uint8_t dtype;
  uint16_t ndim;       ///< arrays: 0 to 16; else 0
  uint32_t rows, cols; ///< 1 to 1024; of scalars 1
  /// Since 1.6, before that reserved: bit 0 is Argument::isApart. Others are reserved.
  uint32_t flags;
  /// Since 1.3: the struct that an element of the array is (loader/abi/Structure.h); empty: none.
  Text structure;
};
static_assert(sizeof(ArgumentItem) == 32);
inline constexpr uint32_t argumentItemBytes10 = 24; ///< size of an item in 1.0

struct PlanItem {
  uint32_t hiddenCount, taskCount;
};
static_assert(sizeof(PlanItem) == 8);

struct HiddenItem {
  Text name;
  uint8_t role; ///< Hidden::Role
  uint8_t dtype;
  uint16_t ndim;   ///< extents that it owns; only fields have any
  uint32_t global; ///< fields: number of a global, which it equals; else 0xffffffff
  uint32_t rows, cols;
  uint64_t count; ///< scalars, at least 1
};
static_assert(sizeof(HiddenItem) == 32);

struct TaskItem {
  Text symbol;
  uint32_t blockDim;                         ///< 1 to 65536; of serial tasks 1
  uint8_t serial, fullBlocks, hasIterations; ///< 0 or 1
  uint8_t waits;      ///< 0 or 1, and 0 before 1.3: blocks may wait for each other
  uint32_t stepCount; ///< steps of the iterations expression; 0 without
};
static_assert(sizeof(TaskItem) == 20);

struct StepItem {
  uint32_t op; ///< LaunchExpr::Op
  uint32_t reserved;
  int64_t value;
};
static_assert(sizeof(StepItem) == 16);

struct VariantItem {
  Text backend, arch, format;
  uint32_t wave; ///< a power of two, 1 to 1024
  uint32_t plan, image;
  uint32_t featureCount, requirementCount; ///< words that it owns, features first
  uint32_t resourceCount;                  ///< as many as its plan has tasks
};
static_assert(sizeof(VariantItem) == 48);

/// A number is -1 if it is unknown.
struct ResourceItem {
  int32_t registers = -1, spillBytes = -1, stackBytes = -1, sharedBytes = -1;
  int32_t scalarRegisters = -1, occupancy = -1; ///< since 1.1
};
static_assert(sizeof(ResourceItem) == 24);
inline constexpr uint32_t resourceItemBytes10 = 16; ///< size of an item in 1.0

struct RefusalItem {
  Text backend, arch, reason;
  uint32_t wave;
  uint32_t featureCount; ///< words that it owns
};
static_assert(sizeof(RefusalItem) == 32);

/// The most entries of an argument block.
inline constexpr uint64_t maxParams = 65536;
inline constexpr unsigned maxDims = 16;
inline constexpr unsigned maxElementSide = 1024;
inline constexpr unsigned maxBlockDim = 65536;
inline constexpr unsigned maxWave = 1024;
/// The most scalars of one buffer, as far as i64 indices in bytes reach.
inline constexpr uint64_t maxCount = uint64_t(1) << 48;

} // namespace sextant::module::format
