// The images of a module, stored in the ways that docs/decisions/0008-split-images.md
// compares: bytes by backend, without tables and kernel records, and how long one image takes to
// decode with everything that it needs: the best of three of each image.
//
//   bench-size MODULE
#include "loader/format/Split.h"
#include "packager/Contents.h"
#include "packager/Packs.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <zdict.h>
#include <zstd.h>

using namespace sextant;
using packager::PackForm;
using packager::PackItem;
using Bytes = std::vector<std::byte>;

namespace {

constexpr int level = 19;
constexpr uint32_t none = 0xffffffff;

[[noreturn]] void fail(const std::string &why) {
  std::fprintf(stderr, "bench-size: %s\n", why.c_str());
  std::exit(1);
}
template <class T> T need(module::Result<T> result) {
  return result ? std::move(*result) : (fail(result.error().message), std::move(*result));
}
size_t good(size_t code) {
  return ZSTD_isError(code) != 0U ? (fail(ZSTD_getErrorName(code)), code) : code;
}

struct Images {
  std::vector<PackItem> items; ///< ordered by family, target and kernel
  std::vector<std::string> families;
};

Images imagesOf(const packager::Contents &contents) {
  Images images;
  std::map<std::string, uint32_t> families, targets;
  std::vector<bool> seen(contents.images.size());
  for (uint32_t kernel = 0; kernel < contents.kernels.size(); ++kernel)
    for (const module::Variant &variant : contents.kernels[kernel].variants) {
      if (seen[variant.image])
        continue;
      seen[variant.image] = true;
      const auto family = static_cast<uint32_t>(families.size());
      const auto target = static_cast<uint32_t>(targets.size());
      images.items.push_back({contents.images[variant.image],
                              families.emplace(variant.target.backend, family).first->second,
                              targets.emplace(str(variant.target), target).first->second, kernel});
    }
  images.families.resize(families.size());
  for (const auto &[name, number] : families)
    images.families[number] = name;
  std::sort(images.items.begin(), images.items.end(), [](const PackItem &a, const PackItem &b) {
    return std::tie(a.family, a.target, a.kernel) < std::tie(b.family, b.target, b.kernel);
  });
  return images;
}

/// Frames, and which of them an image is in.
struct Storage {
  struct Frame {
    Bytes stored;
    size_t bytes = 0;
    uint32_t base = none, family = 0;
    bool isStored = false; ///< uncompressed
  };
  std::vector<Frame> frames;
  std::vector<uint32_t> frameOf, local; ///< found by the image's number
  std::vector<Bytes> dictionaries;      ///< found by the family; of all its frames, or none
  bool isSplit = false;
};

Bytes compress(std::span<const std::byte> content, std::span<const std::byte> prefix,
               ZSTD_CDict *dictionary = nullptr) {
  static ZSTD_CCtx *const context = ZSTD_createCCtx();
  ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
  good(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level));
  const int window = std::bit_width(content.size() + prefix.size());
  if (dictionary == nullptr)
    good(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, std::clamp(window, 10, 27)));
  if (!prefix.empty())
    good(ZSTD_CCtx_refPrefix(context, prefix.data(), prefix.size()));
  if (dictionary != nullptr)
    good(ZSTD_CCtx_refCDict(context, dictionary));
  Bytes out(ZSTD_compressBound(content.size()));
  out.resize(good(ZSTD_compress2(context, out.data(), out.size(), content.data(), content.size())));
  return out;
}

/// Seconds since `start`, in microseconds.
double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

class Decoder {
public:
  explicit Decoder(const Storage &storage) : storage(storage) {
    for (const Bytes &bytes : storage.dictionaries)
      dictionaries.push_back(bytes.empty() ? nullptr
                                           : ZSTD_createDDict(bytes.data(), bytes.size()));
  }
  /// Microseconds for one image.
  double decode(uint32_t image) {
    const auto start = std::chrono::steady_clock::now();
    const Bytes content = frame(storage.frameOf[image]);
    if (storage.isSplit)
      need(module::splitImage(content, storage.local[image], uint64_t(1) << 30, "pack"));
    return since(start);
  }

private:
  const Storage &storage;
  std::vector<ZSTD_DDict *> dictionaries;
  ZSTD_DCtx *context = ZSTD_createDCtx();

  Bytes frame(uint32_t number) {
    const Storage::Frame &frame = storage.frames[number];
    if (frame.isStored)
      return frame.stored;
    const Bytes base = frame.base == none ? Bytes{} : this->frame(frame.base);
    Bytes out(frame.bytes);
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
    if (!dictionaries.empty())
      good(ZSTD_DCtx_refDDict(context, dictionaries[frame.family]));
    else
      good(ZSTD_DCtx_refPrefix(context, base.data(), base.size()));
    good(ZSTD_decompressDCtx(context, out.data(), out.size(), frame.stored.data(),
                             frame.stored.size()));
    return out;
  }
};

void report(const Images &images, const char *name, const Storage &storage) {
  std::vector<size_t> sizes(images.families.size());
  size_t total = 0;
  auto count = [&](uint32_t family, size_t bytes) {
    sizes[family] += bytes;
    total += bytes;
  };
  for (const Storage::Frame &frame : storage.frames)
    count(frame.family, frame.stored.size());
  for (uint32_t family = 0; family < storage.dictionaries.size(); ++family)
    count(family, storage.dictionaries[family].size());
  Decoder decoder(storage);
  std::vector<double> times;
  for (uint32_t image = 0; image < images.items.size(); ++image)
    times.push_back(
        std::min({decoder.decode(image), decoder.decode(image), decoder.decode(image)}));
  double sum = 0;
  for (const double time : times)
    sum += time;
  std::printf("| %s |", name);
  for (const size_t size : sizes)
    std::printf(" %zu |", size);
  std::sort(times.begin(), times.end());
  std::printf(" %zu | %zu | %.0f | %.0f | %.0f |\n", total, storage.frames.size(),
              times[times.size() / 2], sum / double(times.size()), times.back());
  std::fflush(stdout);
}

/// A frame for each group of images; groups are numbered from 0, in the order of images.
Storage grouped(const Images &images, const std::vector<uint32_t> &groups) {
  Storage storage;
  std::vector<Bytes> contents;
  for (uint32_t i = 0; i < images.items.size(); ++i) {
    const PackItem &item = images.items[i];
    if (groups[i] >= contents.size())
      contents.resize(groups[i] + 1), storage.frames.resize(groups[i] + 1);
    contents[groups[i]].insert(contents[groups[i]].end(), item.bytes.begin(), item.bytes.end());
    storage.frames[groups[i]].family = item.family;
    storage.frameOf.push_back(groups[i]);
  }
  for (size_t i = 0; i < contents.size(); ++i) {
    storage.frames[i].bytes = contents[i].size();
    storage.frames[i].stored = compress(contents[i], {});
  }
  return storage;
}

std::vector<uint32_t> groupsBy(const Images &images,
                               std::pair<uint32_t, uint32_t> (*key)(const PackItem &, uint32_t)) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> known;
  std::vector<uint32_t> groups;
  for (uint32_t i = 0; i < images.items.size(); ++i)
    groups.push_back(
        known.emplace(key(images.items[i], i), static_cast<uint32_t>(known.size())).first->second);
  return groups;
}

/// A frame for each image with the image of its kernel for an earlier target as prefix: the
/// first one, or the last one, at most `depth` deep.
Storage siblings(const Images &images, unsigned depth) {
  Storage storage;
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, unsigned>> bases; // image, depth
  for (uint32_t i = 0; i < images.items.size(); ++i) {
    const PackItem &item = images.items[i];
    const auto known = bases.find({item.family, item.kernel});
    Storage::Frame frame;
    frame.bytes = item.bytes.size();
    frame.family = item.family;
    unsigned below = 0;
    if (known != bases.end() && (depth == 1 || known->second.second < depth)) {
      frame.base = known->second.first;
      below = known->second.second + 1;
    }
    frame.stored = compress(item.bytes, frame.base == none ? std::span<const std::byte>()
                                                           : images.items[frame.base].bytes);
    if (known == bases.end() || depth != 1)
      bases[{item.family, item.kernel}] = {i, below};
    storage.frames.push_back(std::move(frame));
    storage.frameOf.push_back(i);
  }
  return storage;
}

Storage withDictionary(const Images &images, size_t bytes) {
  Storage storage;
  storage.dictionaries.resize(images.families.size());
  std::vector<ZSTD_CDict *> dictionaries(images.families.size());
  for (uint32_t family = 0; family < images.families.size(); ++family) {
    Bytes samples;
    std::vector<size_t> sizes;
    for (const PackItem &item : images.items)
      if (item.family == family) {
        samples.insert(samples.end(), item.bytes.begin(), item.bytes.end());
        sizes.push_back(item.bytes.size());
      }
    Bytes &dictionary = storage.dictionaries[family];
    dictionary.resize(bytes);
    const size_t made = ZDICT_trainFromBuffer(dictionary.data(), bytes, samples.data(),
                                              sizes.data(), static_cast<unsigned>(sizes.size()));
    dictionary.resize(ZDICT_isError(made) != 0U ? 0 : made);
    if (!dictionary.empty())
      dictionaries[family] = ZSTD_createCDict(dictionary.data(), dictionary.size(), level);
  }
  for (uint32_t i = 0; i < images.items.size(); ++i) {
    const PackItem &item = images.items[i];
    storage.frames.push_back({compress(item.bytes, {}, dictionaries[item.family]),
                              item.bytes.size(), none, item.family, false});
    storage.frameOf.push_back(i);
  }
  return storage;
}

Storage packed(const Images &images, PackForm form, const packager::Effort &effort) {
  Storage storage;
  storage.isSplit = form == PackForm::SplitImages;
  storage.frameOf.resize(images.items.size());
  storage.local.resize(images.items.size());
  const auto plans = packager::planPacks(images.items, effort.imageBytes, form);
  const auto frames = need(packager::compressPacks(plans, effort, 2));
  for (uint32_t i = 0; i < plans.size(); ++i) {
    storage.frames.push_back({frames[i].bytes, plans[i].content.size(), frames[i].base,
                              plans[i].family, frames[i].codec == module::format::Codec::Stored});
    for (uint32_t local = 0; local < plans[i].items.size(); ++local) {
      storage.frameOf[plans[i].items[local]] = i;
      storage.local[plans[i].items[local]] = local;
    }
  }
  return storage;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench-size MODULE\n");
    return 2;
  }
  const auto reader = need(module::Reader::fromFile(argv[1]));
  const packager::Contents contents = need(packager::contentsOf(reader));
  const Images images = imagesOf(contents);
  size_t variants = 0, bytes = 0;
  for (const module::Kernel &kernel : contents.kernels)
    variants += kernel.variants.size();
  for (const PackItem &item : images.items)
    bytes += item.bytes.size();
  std::printf("%zu kernels, %zu variants, %zu different images of %zu bytes; zstd %s, level %d\n\n",
              contents.kernels.size(), variants, images.items.size(), bytes, ZSTD_versionString(),
              level);
  std::printf("| what |");
  for (const std::string &family : images.families)
    std::printf(" %s |", family.c_str());
  std::printf(" all | frames | one image, µs: median | mean | the slowest |\n|---|");
  for (size_t i = 0; i < images.families.size(); ++i)
    std::printf("---|");
  std::printf("---|---|---|---|---|\n");
  report(images, "a frame for each image",
         grouped(images,
                 groupsBy(images, [](const PackItem &, uint32_t i) { return std::pair(i, 0u); })));
  report(images, "the same, a trained dictionary of 32 KiB a backend",
         withDictionary(images, 32 << 10));
  report(images, "the same, 112 KiB", withDictionary(images, 112 << 10));
  report(images, "the same, the kernel's first image of the backend as prefix",
         siblings(images, 1));
  report(images, "the same, its image for the target before as prefix, up to 6 deep",
         siblings(images, 6));
  report(images, "a frame for each kernel and backend",
         grouped(images, groupsBy(images, [](const PackItem &item, uint32_t) {
                   return std::pair(item.family, item.kernel);
                 })));
  report(images, "a frame for each target",
         grouped(images, groupsBy(images, [](const PackItem &item, uint32_t) {
                   return std::pair(item.family, item.target);
                 })));
  report(images, "a frame for each backend, by target: solid",
         grouped(images, groupsBy(images, [](const PackItem &item, uint32_t) {
                   return std::pair(item.family, 0u);
                 })));
  struct {
    const char *name;
    PackForm form;
    packager::Effort effort;
  } const packs[] = {
      {"packs of 128 KiB, no bases", PackForm::Images, {level, 128 << 10, 0}},
      {"packs of 128 KiB, up to 6 bases (format 1.1)", PackForm::Images, {level, 128 << 10, 6}},
      {"split, packs of 96 KiB, no bases", PackForm::SplitImages, {level, 96 << 10, 0}},
      {"split, packs of 32 KiB, up to 6 bases", PackForm::SplitImages, {level, 32 << 10, 6}},
      {"**split, packs of 64 KiB, up to 6 bases**", PackForm::SplitImages, {level, 64 << 10, 6}},
      {"split, packs of 96 KiB, up to 3 bases", PackForm::SplitImages, {level, 96 << 10, 3}},
      {"split, packs of 96 KiB, up to 6 bases", PackForm::SplitImages, {level, 96 << 10, 6}},
      {"split, packs of 192 KiB, up to 6 bases", PackForm::SplitImages, {level, 192 << 10, 6}},
      {"split, packs of 512 KiB, up to 8 bases, level 22 (`small`)", PackForm::SplitImages,
       packager::effortOf(packager::Compression::Small)},
      {"split, packs of 96 KiB, up to 2 bases, level 3 (`fast`)", PackForm::SplitImages,
       packager::effortOf(packager::Compression::Fast)},
  };
  for (const auto &row : packs)
    report(images, row.name, packed(images, row.form, row.effort));
  return 0;
}
