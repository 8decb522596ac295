// Packs that an earlier build compressed: the same frames with and without them, work only for
// what changed, and entries that do not fit are as none.
#include "packager/FrameMemo.h"
#include "packager/Packs.h"
#include "tests/support/Catch.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <random>

using namespace sextant;
using namespace sextant::packager;

namespace {

using Bytes = std::vector<std::byte>;

/// Bytes that compress by half or so, and of which a part is that of other images.
Bytes imageOf(unsigned seed, size_t size) {
  std::mt19937 random(seed), shared(7);
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = std::byte((i / 512 % 2 != 0 ? shared() : random()) % 16);
  return bytes;
}

struct Memory : FrameStore {
  std::map<std::string, std::string> entries;
  unsigned found = 0, stored = 0;
  std::mutex mutex;

  std::optional<std::string> find(const std::string &key) override {
    const std::lock_guard guard(mutex);
    const auto entry = entries.find(key);
    if (entry == entries.end())
      return std::nullopt;
    ++found;
    return entry->second;
  }
  void store(const std::string &key, std::string_view bytes) override {
    const std::lock_guard guard(mutex);
    ++stored;
    entries[key] = bytes;
  }
};

/// Four kernels for two targets, each image of more than a pack; and one small image.
struct Images {
  std::vector<Bytes> bytes;
  std::vector<PackItem> items() const {
    std::vector<PackItem> list;
    for (uint32_t i = 0; i < bytes.size(); ++i)
      list.push_back({bytes[i], i < 8 ? 0U : 1U, i % 2, i / 2});
    return list;
  }
  Images() {
    for (unsigned i = 0; i < 8; ++i)
      bytes.push_back(imageOf(i / 2, 70000 + 100 * i));
    bytes.push_back(imageOf(99, 1000));
  }
};

std::vector<PackedFrame> framesOf(const Images &images, const Effort &effort, unsigned jobs,
                                  FrameStore *store) {
  const auto plans = planPacks(images.items(), effort.imageBytes, PackForm::Images);
  REQUIRE(plans.size() == 9);
  auto frames = compressPacks(plans, effort, jobs, store);
  REQUIRE(frames);
  return *frames;
}

void checkSame(const std::vector<PackedFrame> &a, const std::vector<PackedFrame> &b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    INFO("pack " << i);
    CHECK(a[i].bytes == b[i].bytes);
    CHECK(a[i].codec == b[i].codec);
    CHECK(a[i].base == b[i].base);
  }
}

const Effort effort = effortOf(Compression::Balanced);

} // namespace

TEST_CASE("frames that are remembered are those that are made", "[memo]") {
  const Images images;
  const auto plain = framesOf(images, effort, 1, nullptr);
  // The test means something only if some packs have bases.
  REQUIRE(std::count_if(plain.begin(), plain.end(), [](const PackedFrame &frame) {
            return frame.base != module::format::noBase;
          }) >= 4);
  Memory memory;
  for (const unsigned jobs : {1, 3}) {
    checkSame(plain, framesOf(images, effort, jobs, &memory));
    CHECK(memory.stored == 8); // the small one is not worth it
  }
  CHECK(memory.found == 8);
  // Another level makes other frames, which do not mix with these.
  const Effort fast = effortOf(Compression::Fast);
  checkSame(framesOf(images, {fast.level, effort.imageBytes, effort.maxDepth}, 1, nullptr),
            framesOf(images, {fast.level, effort.imageBytes, effort.maxDepth}, 1, &memory));
  CHECK(memory.found == 8);
}

TEST_CASE("what changed is compressed, and what is compressed against it", "[memo]") {
  Images images;
  Memory memory;
  framesOf(images, effort, 1, &memory);
  images.bytes[6][5000] ^= std::byte(1); // the last kernel, for the first target
  const auto plain = framesOf(images, effort, 1, nullptr);
  memory.found = memory.stored = 0;
  checkSame(plain, framesOf(images, effort, 1, &memory));
  CHECK(memory.found == 7); // all but it
  // It, and the four of the other target: they come after it, and one more base is known of them.
  CHECK(memory.stored == 5);
  memory.found = memory.stored = 0;
  checkSame(plain, framesOf(images, effort, 1, &memory));
  CHECK(memory.found == 8);
  CHECK(memory.stored == 0);
}

TEST_CASE("bytes that are not entries are passed over", "[memo]") {
  const Images images;
  const auto plain = framesOf(images, effort, 1, nullptr);
  Memory memory;
  framesOf(images, effort, 1, &memory);
  unsigned number = 0;
  for (auto &[key, bytes] : memory.entries)
    bytes.resize(number++ % 3 == 0 ? 0 : number % 3 == 2 ? 15 : bytes.size());
  memory.stored = 0;
  checkSame(plain, framesOf(images, effort, 1, &memory));
  CHECK(memory.stored == 6);
  // An entry is decoded only if it holds as many trials as it says, and what follows them.
  const FrameMemo memo{{{{1}, 10}, {{2}, 20}, {{3}, 30}},
                       {2},
                       {Bytes(5, std::byte(9)), module::format::Codec::Zstd}};
  const std::string bytes = encodeMemo(memo);
  const auto decoded = decodeMemo(bytes);
  REQUIRE(decoded);
  REQUIRE(decoded->sizeWith({2}));
  CHECK(*decoded->sizeWith({2}) == 20);
  CHECK(!decoded->sizeWith({4}));
  CHECK(decoded->base == memo.base);
  CHECK(decoded->frame.bytes == memo.frame.bytes);
  CHECK(decoded->frame.codec == memo.frame.codec);
  for (size_t size = 0; size + 5 < bytes.size(); ++size)
    CHECK(!decodeMemo(bytes.substr(0, size)));
  CHECK(!decodeMemo("\xff" + bytes.substr(1)));
}

TEST_CASE("a remembered frame of another content is not used", "[memo]") {
  const Images images;
  const auto plain = framesOf(images, effort, 1, nullptr);
  Memory memory;
  framesOf(images, effort, 1, &memory);
  // Each entry gets the frame of the one before it; of some a byte is changed, or the codec.
  std::optional<FrameMemo> before = decodeMemo(memory.entries.rbegin()->second);
  unsigned number = 0;
  for (auto &[key, bytes] : memory.entries) {
    const std::optional<FrameMemo> own = decodeMemo(bytes);
    REQUIRE((own && before));
    FrameMemo forged = *own;
    if (number % 3 == 0)
      forged.frame = before->frame;
    else if (number % 3 == 1)
      forged.frame.bytes[forged.frame.bytes.size() / 2] ^= std::byte(1);
    else
      forged.frame.codec = module::format::Codec::Stored;
    bytes = encodeMemo(forged);
    before = own;
    ++number;
  }
  REQUIRE(number == 8);
  memory.stored = 0;
  checkSame(plain, framesOf(images, effort, 1, &memory));
  CHECK(memory.stored == 8);
}
