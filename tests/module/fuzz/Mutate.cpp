#include "tests/module/fuzz/Mutate.h"
#include "loader/format/Hash.h"
#include "loader/format/Module.h"
#include "packager/Keys.h"
#include "tests/module/fuzz/Draft.h"
#include "tests/module/fuzz/Frames.h"
#include "tests/module/fuzz/Samples.h"
#include "tests/module/fuzz/SplitDraft.h"

namespace sextant::fuzz {

using namespace module;
using namespace module::format;

namespace {

struct Mutator {
  Random random;
  MutateBytes mutateBytes;

  //===--- Numbers and bytes --------------------------------------------------===//

  template <class T> void number(Bytes &bytes, size_t at) {
    if (at + sizeof(T) <= bytes.size())
      store(bytes, at, static_cast<T>(random.number(load<T>(bytes, at), bytes.size())));
  }
  /// Any number in `bytes`, as wide as numbers there are.
  void anyNumber(Bytes &bytes) {
    if (bytes.size() < 8)
      return;
    const size_t at = random.below(bytes.size() / 4) * 4;
    switch (random.below(8)) {
    case 0:
      return number<uint8_t>(bytes, at + random.below(4));
    case 1:
      return number<uint16_t>(bytes, at + random.below(2) * 2);
    case 2:
    case 3:
      return number<uint64_t>(bytes, at);
    default:
      return number<uint32_t>(bytes, at);
    }
  }
  void anyBytes(Bytes &bytes) {
    if (bytes.empty())
      return;
    if (mutateBytes && !random.oneIn(3)) {
      const size_t at = random.below(bytes.size());
      const size_t run = std::min<size_t>(bytes.size() - at, 1 + random.below(64));
      mutateBytes(reinterpret_cast<uint8_t *>(bytes.data()) + at, run, run);
      return;
    }
    for (uint64_t times = 1 + random.below(4); times != 0; --times)
      bytes[random.below(bytes.size())] = static_cast<std::byte>(random.below(256));
  }

  //===--- Records ------------------------------------------------------------===//

  struct TableFacts {
    Table KernelRecord::*table;
    uint32_t bytes;
  };
  static constexpr TableFacts tables[] = {{&KernelRecord::arguments, sizeof(ArgumentItem)},
                                          {&KernelRecord::plans, sizeof(PlanItem)},
                                          {&KernelRecord::hidden, sizeof(HiddenItem)},
                                          {&KernelRecord::tasks, sizeof(TaskItem)},
                                          {&KernelRecord::steps, sizeof(StepItem)},
                                          {&KernelRecord::extents, sizeof(int64_t)},
                                          {&KernelRecord::variants, sizeof(VariantItem)},
                                          {&KernelRecord::resources, sizeof(ResourceItem)},
                                          {&KernelRecord::refusals, sizeof(RefusalItem)},
                                          {&KernelRecord::words, sizeof(Text)}};

  static Bytes items(const Bytes &record, const Table &table) {
    const uint64_t bytes = uint64_t(table.count) * table.stride;
    if (bytes > record.size() || table.offset > record.size() - bytes)
      return {};
    return {record.begin() + table.offset,
            record.begin() + table.offset + static_cast<ptrdiff_t>(bytes)};
  }

  /// One item more, fewer, or elsewhere; perhaps longer ones.
  void changeTable(Bytes &record) {
    auto head = load<KernelRecord>(record);
    Table &table = head.*tables[random.below(std::size(tables))].table;
    Bytes list = items(record, table);
    const size_t stride = table.stride;
    if (list.empty() || stride == 0 || list.size() > 4096)
      return;
    const auto at = static_cast<ptrdiff_t>(random.below(table.count) * stride);
    const auto item = list.begin() + at;
    switch (random.below(4)) {
    case 0:
      list.erase(item, item + static_cast<ptrdiff_t>(stride));
      break;
    case 1: { // the items grow at their ends
      Bytes grown;
      for (size_t i = 0; i < list.size(); i += stride) {
        grown.insert(grown.end(), list.begin() + static_cast<ptrdiff_t>(i),
                     list.begin() + static_cast<ptrdiff_t>(i + stride));
        grown.resize(grown.size() + 8);
      }
      list = std::move(grown);
      table.stride += 8;
      break;
    }
    default: {
      const Bytes copy(item, item + static_cast<ptrdiff_t>(stride));
      for (uint64_t times = random.oneIn(8) ? random.below(64) : 1; times != 0; --times)
        list.insert(list.begin() + at, copy.begin(), copy.end());
    }
    }
    record.resize((record.size() + 7) / 8 * 8);
    table.offset = static_cast<uint32_t>(record.size());
    table.count = static_cast<uint32_t>(list.size() / table.stride);
    record.insert(record.end(), list.begin(), list.end());
    store(record, 0, head);
  }

  void changeItem(Bytes &record) {
    const auto head = load<KernelRecord>(record);
    const auto &[member, bytes] = tables[random.below(std::size(tables))];
    const Table table = head.*member;
    Bytes list = items(record, table);
    if (list.empty() || table.stride < bytes)
      return;
    const uint64_t at = random.below(table.count) * table.stride;
    Bytes item(list.begin() + static_cast<ptrdiff_t>(at),
               list.begin() + static_cast<ptrdiff_t>(at + table.stride));
    if (member == &KernelRecord::steps && !random.oneIn(3)) {
      store(item, 0, static_cast<uint32_t>(random.below(12)));
      if (random.oneIn(2))
        store(item, 8, static_cast<int64_t>(random.below(12)) - 2);
    } else {
      anyNumber(item);
    }
    std::copy(item.begin(), item.end(), record.begin() + table.offset + static_cast<ptrdiff_t>(at));
  }

  /// A text becomes other bytes of the record, or its own bytes change.
  void changeText(Bytes &record) {
    const auto head = load<KernelRecord>(record);
    constexpr Table KernelRecord::*withTexts[] = {&KernelRecord::arguments, &KernelRecord::hidden,
                                                  &KernelRecord::tasks,     &KernelRecord::variants,
                                                  &KernelRecord::refusals,  &KernelRecord::words};
    const Table table = head.*withTexts[random.below(std::size(withTexts))];
    size_t at = offsetof(KernelRecord, name) + random.below(2) * sizeof(Text);
    if (table.count != 0 && !random.oneIn(5))
      at = table.offset + random.below(table.count) * uint64_t(table.stride) +
           (random.oneIn(3) ? sizeof(Text) : 0);
    if (at + sizeof(Text) > record.size())
      return;
    auto text = load<Text>(record, at);
    constexpr const char *words[] = {
        "cpu", "cuda", "amdgpu", "vulkan", "metal",    "sm_90a", "x86-64-v3", "gfx942",
        "1.3", "ptx",  "cubin",  "spirv",  "ptx>=8.3", ">=",     "a>=1.x",    "gfx90a:xnack+"};
    switch (random.below(4)) {
    case 0:
      text.offset = static_cast<uint32_t>(random.number(text.offset, record.size()));
      break;
    case 1:
      text.bytes = static_cast<uint32_t>(random.number(text.bytes, record.size()));
      break;
    case 2: {
      const std::string_view word = words[random.below(std::size(words))];
      text = {static_cast<uint32_t>(record.size()), static_cast<uint32_t>(word.size())};
      const auto *first = reinterpret_cast<const std::byte *>(word.data());
      record.insert(record.end(), first, first + word.size());
      break;
    }
    default:
      if (text.offset < record.size() && text.bytes != 0)
        record[std::min<size_t>(record.size() - 1, text.offset + random.below(text.bytes))] =
            static_cast<std::byte>(random.below(256));
    }
    store(record, at, text);
  }

  /// The hash over arguments and returns, so that what comes after its check is reached.
  static void fixAbi(Bytes &record) {
    const auto head = load<KernelRecord>(record);
    module::Kernel kernel;
    auto text = [&](const Text &from) {
      if (from.offset > record.size() || from.bytes > record.size() - from.offset)
        return std::string();
      return std::string(reinterpret_cast<const char *>(record.data()) + from.offset, from.bytes);
    };
    const Bytes arguments = items(record, head.arguments);
    if (head.arguments.stride >= sizeof(ArgumentItem))
      for (size_t at = 0; at < arguments.size(); at += head.arguments.stride) {
        const auto item = load<ArgumentItem>(arguments, at);
        kernel.arguments.push_back({static_cast<Argument::Kind>(item.kind), text(item.name),
                                    static_cast<DType>(item.dtype), item.ndim, item.rows,
                                    item.cols});
      }
    const Bytes plans = items(record, head.plans), hidden = items(record, head.hidden);
    if (plans.size() >= sizeof(PlanItem) && head.hidden.stride >= sizeof(HiddenItem)) {
      Plan &plan = kernel.plans.emplace_back();
      const auto count = load<PlanItem>(plans).hiddenCount;
      for (size_t at = 0, i = 0; at < hidden.size() && i < count; at += head.hidden.stride, ++i) {
        const auto item = load<HiddenItem>(hidden, at);
        Hidden &buffer = plan.hidden.emplace_back();
        buffer.role = static_cast<Hidden::Role>(item.role);
        buffer.dtype = static_cast<DType>(item.dtype);
        buffer.count = item.count;
        buffer.rows = item.rows;
        buffer.cols = item.cols;
      }
    }
    store(record, offsetof(KernelRecord, abiHash), abiHashOf(kernel));
  }

  void changeRecord(Draft &draft) {
    if (draft.kernels.empty())
      return;
    const size_t kernel = random.below(draft.kernels.size());
    Bytes record = draft.record(kernel);
    if (record.size() < sizeof(KernelRecord))
      return;
    switch (random.below(10)) {
    case 0:
      number<uint32_t>(record, random.below(sizeof(KernelRecord) / 4) * 4);
      break;
    case 1:
    case 2:
      changeTable(record);
      break;
    case 3:
    case 4:
    case 5:
      changeItem(record);
      break;
    case 6:
    case 7:
      changeText(record);
      break;
    case 8:
      anyBytes(record);
      break;
    default:
      record.resize(random.below(record.size() + 64));
    }
    if (record.size() >= sizeof(KernelRecord) && !random.oneIn(8))
      fixAbi(record);
    draft.setRecord(kernel, record);
  }

  //===--- Tables of the file -------------------------------------------------===//

  template <class List> void changeList(List &list) {
    if (list.empty())
      return;
    const size_t from = random.below(list.size());
    const auto at = list.begin() + static_cast<ptrdiff_t>(random.below(list.size()));
    switch (random.below(4)) {
    case 0:
      list.erase(at);
      break;
    case 1:
      if (list.size() < 200) {
        auto copy = list[from];
        list.insert(at, std::move(copy));
      }
      break;
    case 2:
      std::swap(list[from], *at);
      break;
    default: // all entries longer, as those of a later version
      for (auto &item : list)
        item.entry.insert(item.entry.end() - 8, 8, std::byte{0x5a});
    }
  }

  void changeEntry(Draft &draft) {
    std::vector<Bytes *> entries;
    for (Draft::Kernel &kernel : draft.kernels)
      entries.push_back(&kernel.entry);
    for (Draft::Part &pack : draft.packs)
      entries.push_back(&pack.entry);
    for (Draft::Part &image : draft.images)
      entries.push_back(&image.entry);
    if (!entries.empty())
      anyNumber(*entries[random.below(entries.size())]);
  }

  //===--- Contents and frames ------------------------------------------------===//

  void changeContent(Draft &draft) {
    auto &parts = draft.hasPacks() ? draft.packs : draft.images;
    if (parts.empty())
      return;
    const size_t index = random.below(parts.size());
    Draft::Part &part = parts[index];
    part.isChanged = true;
    switch (random.below(8)) {
    case 0: // sizes of images, or what else lies in front
      number<uint64_t>(part.content, random.below(4) * 8);
      break;
    case 6: // streams and templates of split images
    case 7: {
      Bytes front(part.content.begin(),
                  part.content.begin() +
                      static_cast<ptrdiff_t>(std::min<size_t>(part.content.size(), 256)));
      random.oneIn(3) ? anyBytes(front) : anyNumber(front);
      std::copy(front.begin(), front.end(), part.content.begin());
      break;
    }
    case 1:
      anyBytes(part.content);
      break;
    case 2:
      part.content.resize(random.below(part.content.size() + 64));
      break;
    case 3:
      part.content.resize(std::min<size_t>(part.content.size() * 2 + 8, 1 << 16));
      break;
    case 4:
      if (draft.hasPacks()) {
        auto entry = load<PackEntry>(part.entry);
        entry.base = random.oneIn(3) ? noBase : static_cast<uint32_t>(random.below(index + 1));
        store(part.entry, 0, entry);
      }
      break;
    default: { // another codec
      const size_t at = draft.hasPacks() ? offsetof(PackEntry, codec) : offsetof(ImageEntry, codec);
      store(part.entry, at, static_cast<uint32_t>(random.below(random.oneIn(8) ? 4 : 2)));
    }
    }
  }

  /// A field of the split form. The rest is made to fit, mostly.
  void changeSplit(Draft &draft) {
    std::vector<Draft::Part *> packs;
    for (Draft::Part &pack : draft.packs)
      if (load<PackEntry>(pack.entry).imageCount != 0)
        packs.push_back(&pack);
    if (packs.empty())
      return;
    Draft::Part &pack = *packs[random.below(packs.size())];
    const uint32_t imageCount = load<PackEntry>(pack.entry).imageCount;
    std::optional<SplitDraft> split = takeSplitApart(pack.content);
    if (!split || split->templates.empty())
      return;
    SplitDraft::Template &made = split->templates[random.below(split->templates.size())];
    switch (random.below(8)) {
    case 0: { // a stream
      Bytes &stream = split->streams[random.below(split->streams.size())];
      random.oneIn(2) ? anyNumber(stream) : stream.resize(random.below(stream.size() + 16));
      break;
    }
    case 1: // numbers of templates, open lengths
      number<uint32_t>(split->streams[0], random.below(split->streams[0].size() / 4 + 1) * 4);
      break;
    case 2:
      if (split->streams.size() < maxStreams && random.oneIn(2))
        split->streams.emplace_back(random.below(64));
      else if (split->templates.size() < 32)
        split->templates.push_back(SplitDraft::Template(made));
      break;
    case 3:
      if (!made.rules.empty()) {
        const uint64_t piece = random.below(made.pieces.size() + random.below(2));
        const auto rule = static_cast<uint16_t>(random.oneIn(4) ? random.bits()
                                                                : 1 + 3 * piece + random.below(3));
        made.rules[random.below(made.rules.size())] =
            static_cast<uint16_t>(random.oneIn(2) ? rule | openWord : rule);
      }
      break;
    default:
      changePieces(made, static_cast<unsigned>(split->streams.size()));
    }
    if (!random.oneIn(8))
      fit(*split, imageCount);
    pack.content = putTogether(*split);
    pack.isChanged = true;
    if (random.oneIn(16)) // counts and sizes that are not those of what follows
      number<uint32_t>(pack.content, random.below(3 + split->streams.size()) * 4);
  }

  void changePieces(SplitDraft::Template &made, unsigned streams) {
    std::vector<PieceItem> &pieces = made.pieces;
    if (pieces.empty() || random.oneIn(4)) {
      const PieceItem item{static_cast<uint32_t>(random.below(12) * 4),
                           static_cast<PieceKind>(random.below(6)),
                           static_cast<uint8_t>(random.below(streams + 1)), random.oneIn(4), 0};
      if (pieces.size() < maxPieces)
        pieces.insert(pieces.begin() + static_cast<ptrdiff_t>(random.below(pieces.size() + 1)),
                      item);
      return;
    }
    PieceItem &item = pieces[random.below(pieces.size())];
    switch (random.below(8)) {
    case 0:
      pieces.erase(pieces.begin() + (&item - pieces.data()));
      break;
    case 1:
      item.kind = static_cast<PieceKind>(random.below(random.oneIn(8) ? 8 : 6));
      break;
    case 2:
      item.stream = static_cast<uint8_t>(random.below(random.oneIn(8) ? 256 : streams + 1));
      break;
    case 3:
      item.startsSection ^= 1;
      break;
    case 4:
      item.length = openLength;
      break;
    case 5: // a boundary, or a piece before it
      item.length = random.oneIn(2) ? 1u << random.below(14)
                                    : static_cast<uint32_t>(random.below(pieces.size()));
      break;
    case 6:
      item.length = static_cast<uint32_t>(random.below(64) * 4);
      break;
    default:
      item.length = static_cast<uint32_t>(random.number(item.length, 4096));
    }
  }

  /// With the fuzzer's key, or of nobody.
  void changeSigner(Draft &draft) {
    PublicKey key{};
    if (!random.oneIn(4))
      key = packager::publicKeyOf(testKey());
    if (draft.header.size() >= sizeof(Header))
      store(draft.header, offsetof(Header, publicKey), key);
  }

  /// Its entry goes on saying what it said, or says what the frame holds.
  void changeFrame(Draft &draft) {
    auto &parts = draft.hasPacks() ? draft.packs : draft.images;
    if (parts.empty())
      return;
    Draft::Part &part = parts[random.below(parts.size())];
    const Bytes *base = nullptr;
    if (draft.hasPacks())
      if (const auto number = load<PackEntry>(part.entry).base; number < parts.size())
        base = &parts[number].content;
    part.frame = oddFrame(random, part.content, base);
    if (random.oneIn(4))
      anyBytes(part.frame);
    if (random.oneIn(4)) { // a claim
      if (draft.hasPacks())
        number<uint64_t>(part.entry, offsetof(PackEntry, bytes));
      else
        number<uint64_t>(part.entry, offsetof(ImageEntry, imageBytes));
    }
  }

  //===--- Files --------------------------------------------------------------===//

  void changeLogically(Draft &draft) {
    const bool isSplit = (load<Header>(draft.header).required & requiredSplit) != 0;
    if (isSplit && random.oneIn(2))
      return changeSplit(draft);
    switch (random.below(17)) {
    case 16:
      changeSigner(draft);
      break;
    case 0:
      changeList(draft.kernels);
      break;
    case 1:
      changeList(draft.hasPacks() ? draft.packs : draft.images);
      break;
    case 2:
      changeEntry(draft);
      break;
    case 3:
    case 4:
      changeContent(draft);
      break;
    case 5:
      random.oneIn(4) ? anyBytes(draft.info) : anyNumber(draft.info);
      break;
    case 6: // a longer header, or a shorter one
      if (random.oneIn(3) && draft.header.size() > headerBytes10)
        draft.header.resize(headerBytes10 + random.below(draft.header.size() / 8 - 16) * 8);
      else if (draft.header.size() < 512)
        draft.header.insert(draft.header.end() - 8, 8 * (1 + random.below(8)), std::byte{0});
      break;
    case 7: // counts of sources, globals and images
      number<uint32_t>(draft.header, 28 + random.below(4) * 4);
      break;
    default:
      changeRecord(draft);
    }
  }

  void changePhysically(Bytes &file, const Places &places) {
    switch (random.below(8)) {
    case 0:
    case 1:
      number<uint32_t>(file, random.below(places.headerBytes / 4) * 4);
      break;
    case 2:
      number<uint64_t>(file, random.below(places.headerBytes / 8) * 8);
      break;
    case 3:
    case 4: {
      const auto &list = !places.packs.empty() && random.oneIn(2) ? places.packs : places.kernels;
      if (!list.empty()) {
        const Places::Entry &entry = list[random.below(list.size())];
        const size_t at = entry.at + random.below(entry.bytes / 4) * 4;
        random.oneIn(2) ? number<uint32_t>(file, at) : number<uint64_t>(file, at);
      }
      break;
    }
    case 5:
      file.resize(random.below(file.size() + 32));
      if (random.oneIn(2))
        store(file, offsetof(Header, fileBytes), uint64_t(file.size()));
      break;
    default:
      anyBytes(file);
    }
  }
};

} // namespace

Bytes mutate(std::span<const std::byte> file, size_t most, unsigned seed, MutateBytes mutateBytes) {
  Mutator mutator{Random(seed), mutateBytes};
  std::optional<Draft> draft = takeApart(file);
  if (!draft || mutator.random.oneIn(2000))
    draft = takeApart(sampleFile(static_cast<unsigned>(mutator.random.below(sampleCount))));
  const uint64_t edits = 1 + (mutator.random.oneIn(3) ? mutator.random.below(4) : 0);
  const bool isPhysical = mutator.random.oneIn(5);
  if (!isPhysical)
    for (uint64_t i = 0; i < edits; ++i)
      mutator.changeLogically(*draft);
  if (!isPhysical && mutator.random.oneIn(8))
    mutator.changeFrame(*draft); // the last: a change of contents would make it anew
  Places places;
  Bytes out = putTogether(*draft, places);
  if (isPhysical)
    for (uint64_t i = 0; i < edits; ++i)
      mutator.changePhysically(out, places);
  if (isPhysical && !mutator.random.oneIn(16))
    hashAgain(out, places);
  if (out.size() > most)
    out.resize(most);
  return out;
}

Bytes crossOver(std::span<const std::byte> first, std::span<const std::byte> second,
                unsigned seed) {
  Random random(seed);
  std::optional<Draft> to = takeApart(first);
  const std::optional<Draft> from = takeApart(second);
  if (!to || !from)
    return {};
  switch (random.below(4)) {
  case 0:
    to->info = from->info;
    break;
  case 1:
    if (!to->kernels.empty() && !from->kernels.empty())
      to->setRecord(random.below(to->kernels.size()),
                    from->record(random.below(from->kernels.size())));
    break;
  case 2: {
    auto &parts = to->hasPacks() ? to->packs : to->images;
    const auto &others = from->hasPacks() ? from->packs : from->images;
    if (!parts.empty() && !others.empty()) {
      Draft::Part &part = parts[random.below(parts.size())];
      part.content = others[random.below(others.size())].content;
      part.isChanged = true;
    }
    break;
  }
  default:
    if (to->hasPacks() == from->hasPacks() && !from->packs.empty() && !to->packs.empty() &&
        to->packs.size() < 64 && to->packs[0].entry.size() == from->packs[0].entry.size())
      to->packs.push_back(from->packs[random.below(from->packs.size())]);
  }
  Places places;
  return putTogether(*to, places);
}

} // namespace sextant::fuzz
