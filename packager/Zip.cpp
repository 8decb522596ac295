#include "packager/Zip.h"

#include <array>
#include <cstdint>

namespace sextant::packager {
namespace {

/// The CRC-32 of ZIP: the reversed polynomial 0xedb88320, a byte at a time.
uint32_t checksumOf(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
      made[byte] = byte;
      for (int bit = 0; bit < 8; ++bit)
        made[byte] = made[byte] >> 1 ^ (made[byte] & 1 ? 0xedb88320u : 0);
    }
    return made;
  }();
  uint32_t sum = ~0u;
  for (const char byte : bytes)
    sum = sum >> 8 ^ table[(sum ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~sum;
}

constexpr uint16_t version = 20;          // 2.0: folders
constexpr uint16_t unixMade = 3 << 8;     // the upper half of "made by": modes are Unix's
constexpr uint16_t utf8Names = 1 << 11;   // a flag
constexpr uint16_t stored = 0;            // the method
constexpr uint16_t firstTime = 0;         // 00:00:00
constexpr uint16_t firstDay = 1 << 5 | 1; // 1980-01-01, the first that there is
constexpr uint32_t plainFile = 0100644u << 16;

/// Appends numbers as ZIP has them, the lowest byte first.
class Output {
public:
  void u16(uint32_t value) {
    bytes.push_back(std::byte(value & 0xff));
    bytes.push_back(std::byte(value >> 8 & 0xff));
  }
  void u32(uint32_t value) {
    u16(value & 0xffff);
    u16(value >> 16);
  }
  void text(std::string_view text) {
    const auto *first = reinterpret_cast<const std::byte *>(text.data());
    bytes.insert(bytes.end(), first, first + text.size());
  }
  std::vector<std::byte> bytes;
};

/// Writes the part that the header before a file and its entry in the directory share.
void putFacts(Output &out, const ArchivedFile &file, uint32_t checksum) {
  out.u16(version);
  out.u16(utf8Names);
  out.u16(stored);
  out.u16(firstTime);
  out.u16(firstDay);
  out.u32(checksum);
  out.u32(static_cast<uint32_t>(file.bytes.size())); // compressed
  out.u32(static_cast<uint32_t>(file.bytes.size()));
  out.u16(static_cast<uint32_t>(file.name.size()));
  out.u16(0); // no extra field
}

module::Status check(std::span<const ArchivedFile> files) {
  constexpr size_t headers = 30 + 46, end = 22;
  uint64_t size = end;
  for (const ArchivedFile &file : files) {
    if (file.name.size() > UINT16_MAX)
      return {module::Code::InvalidInput, "a file's name is too long for a ZIP archive"};
    size += headers + 2 * file.name.size() + file.bytes.size();
  }
  if (size > UINT32_MAX || files.size() > UINT16_MAX)
    return {module::Code::InvalidInput,
            "the archive would have " + std::to_string(size) + " bytes, a ZIP file has 4294967295"};
  return {};
}

} // namespace

module::Result<std::vector<std::byte>> zipOf(std::span<const ArchivedFile> files) {
  if (module::Status status = check(files); !status.ok())
    return status;
  Output out, directory;
  for (const ArchivedFile &file : files) {
    const uint32_t checksum = checksumOf(file.bytes);
    directory.u32(0x02014b50);
    directory.u16(unixMade | version);
    putFacts(directory, file, checksum);
    directory.u16(0); // no comment
    directory.u16(0); // disk
    directory.u16(0); // internal attributes
    directory.u32(plainFile);
    directory.u32(static_cast<uint32_t>(out.bytes.size()));
    directory.text(file.name);
    out.u32(0x04034b50);
    putFacts(out, file, checksum);
    out.text(file.name);
    out.text(file.bytes);
  }
  const auto start = static_cast<uint32_t>(out.bytes.size());
  out.bytes.insert(out.bytes.end(), directory.bytes.begin(), directory.bytes.end());
  out.u32(0x06054b50);
  out.u16(0);                                   // this disk
  out.u16(0);                                   // the directory's
  out.u16(static_cast<uint32_t>(files.size())); // files on this disk
  out.u16(static_cast<uint32_t>(files.size())); // and in all
  out.u32(static_cast<uint32_t>(directory.bytes.size()));
  out.u32(start);
  out.u16(0); // no comment
  return std::move(out.bytes);
}

} // namespace sextant::packager
