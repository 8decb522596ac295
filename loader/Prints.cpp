// The output that kernels print. A stream has a buffer in device memory, to which threads append
// records; the next synchronisation of the stream hands them out. docs/module-format.md describes
// the records, and frontend/sema/builtins/Print.cpp writes them.
#include "loader/Program.h"
#include "loader/abi/NumberFormat.h"

#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace sextant;
using namespace sextant::loader;

namespace {

struct Header {
  uint32_t used;   ///< words after the header that records asked for
  uint32_t lost;   ///< records that found no place
  uint32_t kernel; ///< the launch that runs: its number in the stream, from 1
  uint32_t unused;
};
constexpr uint64_t capacity = module::Hidden::printWords - sizeof(Header) / 4;

struct Receiver {
  /// Made by the first call, as that of the log (Error.cpp).
  static Receiver &only() {
    static Receiver receiver;
    return receiver;
  }

  std::mutex mutex;
  sxt_print_callback callback = nullptr;
  void *user = nullptr;

  void give(const std::string &text) {
    std::lock_guard lock(mutex);
    if (callback)
      return callback(text.data(), text.size(), user);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
};

/// The records of one stream's buffer, as text.
class Reader {
public:
  Reader(const std::vector<uint32_t> &words,
         const std::vector<std::shared_ptr<const std::string>> &kernels)
      : words(words), kernels(kernels) {}

  /// Returns false at the end.
  bool next(std::string &text) {
    text.clear();
    const uint32_t kernel = word(), site = word();
    if (!site || kernel - 1 >= kernels.size())
      return false;
    const char *at = kernels[kernel - 1]->c_str();
    for (uint32_t i = 1; i < site && *at; at += *at != '\0')
      i += *at == '\n';
    abi::NumberFormat format;
    for (; *at && *at != '\n'; ++at)
      if (*at == '\3' && at[1]) {
        format.type = 'f';
        format.precision = (*++at - '0') % 10;
      } else if (*at == '\4' && std::strlen(at) > abi::formatCharacters) {
        format = abi::readFormat(at + 1);
        at += abi::formatCharacters;
      } else if (*at == '\1' && at[1]) {
        text += value(*++at, format);
        format = {};
      } else
        text += *at == '\2' ? '\n' : *at;
    return true;
  }

private:
  const std::vector<uint32_t> &words;
  const std::vector<std::shared_ptr<const std::string>> &kernels;
  size_t at = 0;

  uint32_t word() { return at < words.size() ? words[at++] : 0; }

  /// Takes a value of that type; docs/module-format.md lists the letters.
  std::string value(char type, const abi::NumberFormat &format) {
    const bool isWide = type == 'd' || type == 'l' || type == 'm';
    uint64_t bits = word();
    if (isWide)
      bits |= uint64_t(word()) << 32;
    if (type == 'b' && format == abi::NumberFormat())
      return bits ? "True" : "False";
    if (type == 'f' || type == 'd')
      return abi::formatted(
          format, isWide ? std::bit_cast<double>(bits) : std::bit_cast<float>(uint32_t(bits)),
          !isWide);
    const bool isSigned = type == 'i' || type == 'l';
    const int64_t number = isWide ? int64_t(bits) : int32_t(uint32_t(bits));
    const bool isNegative = isSigned && number < 0;
    return abi::formatted(format, isNegative, isNegative ? 0 - uint64_t(number) : bits);
  }
};

} // namespace

void sxt_print_set_callback(sxt_print_callback callback, void *user) {
  Receiver &receiver = Receiver::only();
  std::lock_guard lock(receiver.mutex);
  receiver.callback = callback;
  receiver.user = user;
}

sxt_status sextant::loader::preparePrints(const sxt_kernel &kernel, sxt_stream &stream,
                                          std::byte *block) {
  if (!stream.prints) {
    SXT_TRY(stream.device->device->allocate(4 * module::Hidden::printWords, stream.prints));
    SXT_TRY(stream.impl->fill(stream.prints, 0, 4, 4 * module::Hidden::printWords));
  }
  auto &texts = stream.printTexts;
  uint32_t number = 1;
  while (number <= texts.size() && texts[number - 1] != kernel.prints)
    ++number;
  if (number > texts.size())
    texts.push_back(kernel.prints);
  stream.hasPrints.store(true, std::memory_order_relaxed);
  std::memcpy(block + kernel.printOffset, &stream.prints, sizeof stream.prints);
  return stream.impl->fill(stream.prints + offsetof(Header, kernel), number, 4, 4);
}

sxt_status sxt_stream::finish() {
  SXT_TRY(impl->synchronize());
  if (!hasPrints.load(std::memory_order_relaxed))
    return SXT_OK;
  std::lock_guard lock(order);
  hasPrints.store(false, std::memory_order_relaxed);
  Header header{};
  SXT_TRY(readNow(&header, prints, sizeof header));
  std::vector<uint32_t> words(std::min<uint64_t>(header.used, capacity));
  if (words.empty() && !header.lost)
    return SXT_OK;
  if (!words.empty())
    SXT_TRY(readNow(words.data(), prints + sizeof header, 4 * words.size()));
  SXT_TRY(impl->fill(prints, 0, 4, sizeof header + 4 * words.size()));
  SXT_TRY(impl->synchronize());
  Reader reader(words, printTexts);
  for (std::string text; reader.next(text);)
    Receiver::only().give(text);
  if (header.lost) {
    char text[128];
    std::snprintf(text, sizeof text,
                  "sextant: %" PRIu32 " prints were lost: a stream holds 1 MiB of them between "
                  "synchronisations\n",
                  header.lost);
    Receiver::only().give(text);
  }
  return SXT_OK;
}
