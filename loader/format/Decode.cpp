// Copies records out of the file's bytes and checks bounds as it goes. Tables are used up in order,
// so that no record, however it was made, decodes to more than a fixed multiple of its own size.
#include "loader/format/Decode.h"
#include "loader/format/Architectures.h"
#include "loader/format/Format.h"
#include "loader/format/Text.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace sextant::module {

using namespace format;

Status corrupt(const std::string &who, const std::string &what) {
  // Both texts may come from the module, where nobody has checked them.
  return {Code::Corrupt, message("corrupt module: %s: %s; build or copy it again",
                                 printable(who).c_str(), printable(what).c_str())};
}

namespace {

/// Hands out the items of a table one after the other. If an earlier version made the items
/// shorter, the missing fields have their defaults.
template <class Item> struct Cursor {
  static_assert(std::is_trivially_copyable_v<Item>);
  const std::byte *next = nullptr;
  uint32_t left = 0, stride = 0;

  Item take() { // only while left != 0
    Item item{};
    std::memcpy(&item, next, std::min<size_t>(stride, sizeof(Item)));
    next += stride;
    --left;
    return item;
  }
};

/// A record under decoding. It keeps the first problem and returns empty values after it, so that
/// callers check once at the end.
class Record {
public:
  explicit Record(std::span<const std::byte> bytes)
      : bytes(bytes), textBudget(bytes.size() * maxTextRatio), tableBudget(bytes.size()) {}

  /// \param least the bytes of the head in 1.0
  template <class Head> Head head(const char *what, uint32_t least = sizeof(Head)) {
    Head head{};
    uint32_t size = 0;
    if (bytes.size() >= sizeof(size))
      std::memcpy(&size, bytes.data(), sizeof(size));
    if (size < least || size > bytes.size()) {
      fail(std::string("the ") + what + " record is shorter than its head");
      return head;
    }
    std::memcpy(&head, bytes.data(), std::min<size_t>(size, sizeof(Head)));
    return head;
  }

  /// \param least the bytes of an item in the version that introduced the table
  template <class Item>
  Cursor<Item> table(const Table &table, const char *what, uint32_t least = sizeof(Item)) {
    if (!hasTable(table, what, least))
      return {};
    return {bytes.data() + table.offset, table.count, table.stride};
  }

  std::string_view view(const Text &text, const char *what) {
    if (!problem.empty())
      return {};
    if (text.offset > bytes.size() || text.bytes > bytes.size() - text.offset) {
      fail(std::string("the text '") + what + "' reaches past the record's end");
      return {};
    }
    const std::string_view view(reinterpret_cast<const char *>(bytes.data()) + text.offset,
                                text.bytes);
    if (view.find('\0') != view.npos) {
      fail(std::string("the text '") + what + "' has a NUL byte");
      return {};
    }
    if (text.bytes > textBudget) {
      fail("its texts are referred to more often than the format allows");
      return {};
    }
    textBudget -= text.bytes;
    return view;
  }
  std::string text(const Text &text, const char *what) { return std::string(view(text, what)); }

  /// Checks for `count` more items in a table that several owners share.
  template <class Item> bool has(const Cursor<Item> &cursor, uint64_t count, const char *what) {
    return hasLeft(cursor.left, count, what);
  }
  template <class Item> void done(const Cursor<Item> &cursor, const char *what) {
    if (cursor.left != 0)
      failTable(what, "' has items that nothing owns");
  }

  void fail(std::string what) {
    if (problem.empty())
      problem = std::move(what);
  }
  bool ok() const { return problem.empty(); }
  const std::string &why() const { return problem; }

private:
  // Not a template, so that the code exists once, not for every kind of item.
  void failTable(const char *what, const char *problem, const char *before = "table '") {
    if (ok())
      fail(std::string(before) + what + problem);
  }
  bool hasLeft(uint32_t left, uint64_t count, const char *what) {
    if (count > left)
      failTable(what, "' is used up before all its owners are served");
    return ok();
  }
  bool hasTable(const Table &table, const char *what, uint32_t least) {
    if (!ok() || table.count == 0)
      return false;
    const uint64_t size = uint64_t(table.count) * table.stride;
    if (table.stride < least)
      failTable(what, "' are too short", "items of table '");
    else if (table.offset > bytes.size() || size > bytes.size() - table.offset)
      failTable(what, "' reaches past the record's end");
    else if (size > tableBudget)
      fail("its tables overlap");
    else
      tableBudget -= size;
    return ok();
  }

  std::span<const std::byte> bytes;
  uint64_t textBudget, tableBudget;
  std::string problem;
};

std::vector<int64_t> takeExtents(Record &record, Cursor<int64_t> &extents, uint32_t ndim) {
  std::vector<int64_t> shape;
  if (record.has(extents, ndim, "extents"))
    for (uint32_t i = 0; i < ndim; ++i)
      shape.push_back(extents.take());
  return shape;
}

std::vector<std::string> takeWords(Record &record, Cursor<Text> &words, uint32_t count,
                                   const char *what) {
  std::vector<std::string> list;
  if (record.has(words, count, "words"))
    for (uint32_t i = 0; i < count; ++i)
      list.push_back(record.text(words.take(), what));
  return list;
}

Plan takePlan(Record &record, const PlanItem &item, Cursor<HiddenItem> &hidden,
              Cursor<int64_t> &extents, Cursor<TaskItem> &tasks, Cursor<StepItem> &steps) {
  Plan plan;
  if (!record.has(hidden, item.hiddenCount, "hidden") ||
      !record.has(tasks, item.taskCount, "tasks"))
    return plan;
  for (uint32_t i = 0; i < item.hiddenCount && record.ok(); ++i) {
    const HiddenItem from = hidden.take();
    Hidden to;
    to.role = static_cast<Hidden::Role>(from.role);
    to.name = record.text(from.name, "hidden buffer name");
    to.dtype = static_cast<DType>(from.dtype);
    to.count = from.count;
    to.shape = takeExtents(record, extents, from.ndim);
    to.rows = from.rows;
    to.cols = from.cols;
    to.global = from.global;
    plan.hidden.push_back(std::move(to));
  }
  for (uint32_t i = 0; i < item.taskCount && record.ok(); ++i) {
    const TaskItem from = tasks.take();
    Task to;
    to.symbol = record.text(from.symbol, "task symbol");
    to.blockDim = from.blockDim;
    to.serial = from.serial != 0;
    to.fullBlocks = from.fullBlocks != 0;
    to.waits = from.waits != 0;
    if (from.serial > 1 || from.fullBlocks > 1 || from.hasIterations > 1 || from.waits > 1)
      record.fail(joined({"a flag of task '", to.symbol, "' is neither 0 nor 1"}));
    if (from.hasIterations == 0 && from.stepCount != 0)
      record.fail(joined({"task '", to.symbol, "' has steps but no iterations"}));
    if (from.hasIterations != 0 && record.has(steps, from.stepCount, "steps")) {
      to.iterations.emplace();
      for (uint32_t s = 0; s < from.stepCount; ++s) {
        const StepItem step = steps.take();
        if (step.op > LaunchExpr::Neg)
          record.fail(message("the iterations of task '%s': operator %u does not exist",
                              to.symbol.c_str(), unsigned{step.op}));
        to.iterations->items.push_back({static_cast<LaunchExpr::Op>(step.op & 0xff), step.value});
      }
    }
    plan.tasks.push_back(std::move(to));
  }
  return plan;
}

Variant takeVariant(Record &record, const VariantItem &from, Cursor<Text> &words,
                    Cursor<ResourceItem> &resources) {
  Variant to;
  to.target.backend = record.text(from.backend, "backend");
  to.target.arch = record.text(from.arch, "arch");
  to.target.wave = from.wave;
  to.target.features = takeWords(record, words, from.featureCount, "feature");
  to.plan = from.plan;
  to.image = from.image;
  to.format = record.text(from.format, "image format");
  to.requirements = takeWords(record, words, from.requirementCount, "requirement");
  if (record.has(resources, from.resourceCount, "resources"))
    for (uint32_t i = 0; i < from.resourceCount; ++i) {
      const ResourceItem item = resources.take();
      to.resources.push_back({item.registers, item.spillBytes, item.stackBytes, item.sharedBytes,
                              item.scalarRegisters, item.occupancy});
    }
  return to;
}

} // namespace

Result<ModuleInfo> decodeInfo(std::span<const std::byte> bytes, const Counts &counts) {
  const std::string who = "the info record";
  Record record(bytes);
  const auto head = record.head<InfoRecord>("info", infoRecordBytes10);
  ModuleInfo info;
  info.compiler = record.text(head.compiler, "compiler");
  info.options = record.text(head.options, "options");
  auto sources = record.table<SourceItem>(head.sources, "sources");
  auto globals = record.table<GlobalItem>(head.globals, "globals", globalItemBytes10);
  auto extents = record.table<int64_t>(head.extents, "extents");
  if (record.ok() && (sources.left != counts.sources || globals.left != counts.globals))
    record.fail("it does not have the sources and globals that the header counts");
  while (record.ok() && sources.left != 0) {
    const SourceItem from = sources.take();
    Source to;
    to.path = record.text(from.path, "source path");
    std::memcpy(to.hash.data(), from.hash, sizeof(from.hash));
    info.sources.push_back(std::move(to));
  }
  while (record.ok() && globals.left != 0) {
    const GlobalItem from = globals.take();
    Global to;
    to.name = record.text(from.name, "global name");
    to.source = from.source;
    to.dtype = static_cast<DType>(from.dtype);
    to.count = from.count;
    to.rows = from.rows;
    to.cols = from.cols;
    to.shape = takeExtents(record, extents, from.ndim);
    to.structure = record.text(from.structure, "struct");
    info.globals.push_back(std::move(to));
  }
  record.done(extents, "extents");
  auto attachments = record.table<AttachmentItem>(head.attachments, "attachments");
  while (record.ok() && attachments.left != 0) {
    const AttachmentItem from = attachments.take();
    info.attachments.push_back({record.text(from.name, "attachment name"), from.bytes, from.pack});
    if (from.pack >= counts.packs)
      record.fail(message("an attachment lies in pack %u, which does not exist", from.pack));
  }
  if (record.ok())
    record.fail(checkInfo(info));
  if (!record.ok())
    return corrupt(who, record.why());
  return info;
}

Result<std::string_view> decodeInstance(std::span<const std::byte> bytes, const std::string &who) {
  Record record(bytes);
  const auto head = record.head<KernelRecord>("kernel");
  const std::string_view name = record.view(head.instance, "instance name");
  if (!record.ok())
    return corrupt(who, record.why());
  return name;
}

Result<Kernel> decodeKernel(std::span<const std::byte> bytes, const Counts &counts,
                            const std::string &who) {
  Record record(bytes);
  const auto head = record.head<KernelRecord>("kernel");
  Kernel kernel;
  kernel.name = record.text(head.name, "kernel name");
  kernel.instance = record.text(head.instance, "instance name");
  if (head.doc.bytes != 0)
    kernel.doc = record.text(head.doc, "docstring");
  kernel.source = head.source;
  kernel.abiHash = head.abiHash;
  auto arguments = record.table<ArgumentItem>(head.arguments, "arguments", argumentItemBytes10);
  auto plans = record.table<PlanItem>(head.plans, "plans");
  auto hidden = record.table<HiddenItem>(head.hidden, "hidden");
  auto tasks = record.table<TaskItem>(head.tasks, "tasks");
  auto steps = record.table<StepItem>(head.steps, "steps");
  auto extents = record.table<int64_t>(head.extents, "extents");
  auto variants = record.table<VariantItem>(head.variants, "variants");
  auto resources = record.table<ResourceItem>(head.resources, "resources", resourceItemBytes10);
  auto refusals = record.table<RefusalItem>(head.refusals, "refusals");
  auto words = record.table<Text>(head.words, "words");
  while (record.ok() && arguments.left != 0) {
    const ArgumentItem from = arguments.take();
    Argument to;
    to.kind = static_cast<Argument::Kind>(from.kind);
    to.name = record.text(from.name, "argument name");
    to.dtype = static_cast<DType>(from.dtype);
    to.ndim = from.ndim;
    to.rows = from.rows;
    to.cols = from.cols;
    to.structure = record.text(from.structure, "struct");
    to.isApart = from.flags & 1;
    kernel.arguments.push_back(std::move(to));
  }
  while (record.ok() && plans.left != 0)
    kernel.plans.push_back(takePlan(record, plans.take(), hidden, extents, tasks, steps));
  while (record.ok() && variants.left != 0)
    kernel.variants.push_back(takeVariant(record, variants.take(), words, resources));
  while (record.ok() && refusals.left != 0) {
    const RefusalItem from = refusals.take();
    RefusedTarget to;
    to.target.backend = record.text(from.backend, "backend");
    to.target.arch = record.text(from.arch, "arch");
    to.target.wave = from.wave;
    to.target.features = takeWords(record, words, from.featureCount, "feature");
    to.reason = record.text(from.reason, "reason");
    kernel.refusals.push_back(std::move(to));
  }
  record.done(hidden, "hidden");
  record.done(tasks, "tasks");
  record.done(steps, "steps");
  record.done(extents, "extents");
  record.done(resources, "resources");
  record.done(words, "words");
  if (record.ok())
    record.fail(checkKernel(kernel, counts));
  if (!record.ok())
    return corrupt(who, record.why());
  return kernel;
}

} // namespace sextant::module
