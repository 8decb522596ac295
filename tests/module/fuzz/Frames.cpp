#include "tests/module/fuzz/Frames.h"
#include "loader/format/Format.h"

#include <cstring>
#include <memory>
#include <zstd.h>

namespace sextant::fuzz {

namespace {

using Bytes = std::vector<std::byte>;

struct Options {
  int level = 1;
  int windowLog = 0;
  bool statesSize = true, hasChecksum = false;
};

Bytes compress(std::span<const std::byte> content, const Bytes *base, const Options &options) {
  static const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                            &ZSTD_freeCCtx);
  ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, options.level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, options.windowLog);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, options.statesSize ? 1 : 0);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, options.hasChecksum ? 1 : 0);
  if (base)
    ZSTD_CCtx_refPrefix(context.get(), base->data(), base->size());
  Bytes frame(ZSTD_compressBound(content.size()));
  const size_t got =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), content.data(), content.size());
  frame.resize(ZSTD_isError(got) != 0U ? 0 : got);
  return frame;
}

void append(Bytes &to, const Bytes &more) { to.insert(to.end(), more.begin(), more.end()); }

Bytes skippable(Random &random) {
  const uint32_t head[2] = {0x184D2A50u + static_cast<uint32_t>(random.below(16)),
                            static_cast<uint32_t>(random.below(32))};
  Bytes frame(sizeof(head) + (random.oneIn(4) ? 0 : head[1]), std::byte{0x55});
  std::memcpy(frame.data(), head, sizeof(head));
  return frame;
}

} // namespace

Bytes decodeFrame(uint32_t codec, const Bytes &frame, const Bytes *base, uint64_t most) {
  if (static_cast<module::format::Codec>(codec) == module::format::Codec::Stored)
    return frame;
  static const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                            &ZSTD_freeDCtx);
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  if (base)
    ZSTD_DCtx_refPrefix(context.get(), base->data(), base->size());
  Bytes content(most);
  const size_t got = ZSTD_decompressDCtx(context.get(), content.data(), content.size(),
                                         frame.data(), frame.size());
  content.resize(ZSTD_isError(got) != 0U ? 0 : got);
  return content;
}

Bytes encodeFrame(uint32_t codec, const Bytes &content, const Bytes *base) {
  if (static_cast<module::format::Codec>(codec) != module::format::Codec::Zstd)
    return content;
  return compress(content, base, {});
}

Bytes oddFrame(Random &random, const Bytes &content, const Bytes *base) {
  Options options;
  options.level = static_cast<int>(random.below(5)) - 1;
  options.statesSize = !random.oneIn(4);
  options.hasChecksum = random.oneIn(3);
  if (random.oneIn(3))
    options.windowLog = static_cast<int>(10 + random.below(18));
  const auto all = std::span(content);
  Bytes frame;
  switch (random.below(9)) {
  case 0: // two frames
  {
    const size_t half = random.below(content.size() + 1);
    append(frame, compress(all.first(half), base, options));
    append(frame, compress(all.subspan(half), base, options));
    break;
  }
  case 1:
    frame = skippable(random);
    append(frame, compress(all, base, options));
    break;
  case 2:
    frame = compress(all, base, options);
    append(frame, skippable(random));
    break;
  case 3: // without what it was made for
    frame = compress(all, nullptr, options);
    break;
  case 4: { // more than stated: the whole content, repeated
    Bytes more = content;
    for (uint64_t times = random.below(4); more.size() < (1 << 18) && times != 0; --times)
      append(more, content);
    frame = compress(more, base, options);
    break;
  }
  case 5: // less
    frame = compress(all.first(random.below(content.size() + 1)), base, options);
    break;
  case 6: // an empty frame follows
    frame = compress(all, base, options);
    append(frame, compress({}, nullptr, options));
    break;
  case 7: { // magic of zstd 0.2 to 0.7
    frame = compress(all, base, options);
    const uint32_t magic = 0xFD2FB522u + static_cast<uint32_t>(random.below(6));
    if (frame.size() >= sizeof(magic))
      std::memcpy(frame.data(), &magic, sizeof(magic));
    break;
  }
  default: { // the frame's own head: descriptor, window, content size
    frame = compress(all, base, options);
    const size_t at = 4 + random.below(12);
    if (at < frame.size())
      frame[at] = static_cast<std::byte>(random.number(std::to_integer<uint64_t>(frame[at]), 256));
    break;
  }
  }
  return frame;
}

} // namespace sextant::fuzz
