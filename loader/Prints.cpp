// What kernels print. A stream has a buffer in device memory, to which threads append records; the
// next synchronisation of the stream hands them out. docs/module-format.md describes the records,
// and frontend/sema/builtins/Print.cpp writes them.
#include "loader/Program.h"

#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace sextant;
using namespace sextant::loader;

namespace {

struct Header {
  uint32_t used;   ///< words behind the header that records asked for
  uint32_t lost;   ///< records that found no place
  uint32_t kernel; ///< of the launch that runs: its number in the stream, from 1
  uint32_t unused;
};
constexpr uint64_t capacity = module::Hidden::printWords - sizeof(Header) / 4;

struct Receiver {
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
constinit Receiver receiver;

/// Appends a number as Python writes it: with so many digits behind the point, or, if `wanted` is
/// negative, with the fewest that mean it.
void addReal(std::string &to, double value, bool isSingle, int wanted) {
  if (value != value || value - value != 0) {
    to += value != value ? "nan" : value < 0 ? "-inf" : "inf";
    return;
  }
  char text[400]; // all digits of the largest number
  int digits = 0;
  if (wanted >= 0) {
    std::snprintf(text, sizeof text, "%.*f", wanted, value);
    to += text;
    return;
  }
  do
    std::snprintf(text, sizeof text, "%.*e", digits, value);
  while (digits++ < 16 &&
         (isSingle ? double(std::strtof(text, nullptr)) : std::strtod(text, nullptr)) != value);
  const char *digit = text;
  if (*digit == '-')
    to += *digit++;
  const char *e = std::strchr(digit, 'e');
  const int exponent = std::atoi(e + 1);
  if (exponent < -4 || exponent >= 16) {
    to += digit;
    return;
  }
  // Places left of the point are not negative, those right of it are; both have a digit.
  for (int place = exponent < 0 ? 0 : exponent; place >= -1 || digit < e; --place) {
    if (place == -1)
      to += '.';
    if (*digit == '.')
      ++digit;
    to += place <= exponent && digit < e ? *digit++ : '0';
  }
}

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
    for (int digits = -1; *at && *at != '\n'; ++at)
      if (*at == '\3' && at[1]) {
        digits = (*++at - '0') % 10;
      } else if (*at == '\1' && at[1]) {
        add(text, *++at, digits);
        digits = -1;
      } else
        text += *at == '\2' ? '\n' : *at;
    return true;
  }

private:
  const std::vector<uint32_t> &words;
  const std::vector<std::shared_ptr<const std::string>> &kernels;
  size_t at = 0;

  uint32_t word() { return at < words.size() ? words[at++] : 0; }

  /// Appends a value of that type; docs/module-format.md lists the letters.
  /// \param digits behind the point, of a real; -1: as many as it needs
  void add(std::string &text, char type, int digits) {
    const bool isWide = type == 'd' || type == 'l' || type == 'm';
    uint64_t bits = word();
    if (isWide)
      bits |= uint64_t(word()) << 32;
    if (type == 'b') {
      text += bits ? "True" : "False";
    } else if (type == 'f' || type == 'd') {
      addReal(text, isWide ? std::bit_cast<double>(bits) : std::bit_cast<float>(uint32_t(bits)),
              !isWide, digits);
    } else {
      char digits[24];
      const int64_t number = isWide ? int64_t(bits) : int32_t(uint32_t(bits));
      if (type == 'u' || type == 'm')
        std::snprintf(digits, sizeof digits, "%" PRIu64, bits);
      else
        std::snprintf(digits, sizeof digits, "%" PRId64, number);
      text += digits;
    }
  }
};

} // namespace

void sxt_print_set_callback(sxt_print_callback callback, void *user) {
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
    receiver.give(text);
  if (header.lost) {
    char text[128];
    std::snprintf(text, sizeof text,
                  "sextant: %" PRIu32 " prints were lost: a stream holds 1 MiB of them between "
                  "synchronisations\n",
                  header.lost);
    receiver.give(text);
  }
  return SXT_OK;
}
