// The mirror of loader/format/Decode.cpp.
#include "packager/Records.h"
#include "loader/format/Reader.h"
#include "packager/RecordWriter.h"

namespace sextant::packager {

using namespace module::format;
using module::Code;
using module::Result;
using module::Status;

namespace {

Result<std::vector<std::byte>> finished(RecordWriter &writer, std::vector<std::byte> bytes,
                                        const std::string &who) {
  if (writer.hasNul)
    return Status{Code::InvalidInput, who + ": a name or text has a NUL byte"};
  if (const uint64_t most = module::ReaderLimits{}.maxRecordBytes; bytes.size() > most)
    return Status{Code::InvalidInput, who + ": its description has " +
                                          std::to_string(bytes.size()) + " bytes, loaders take " +
                                          std::to_string(most)};
  return bytes;
}

/// The tables of a kernel record while they grow.
struct KernelTables {
  std::vector<ArgumentItem> arguments;
  std::vector<PlanItem> plans;
  std::vector<HiddenItem> hidden;
  std::vector<TaskItem> tasks;
  std::vector<StepItem> steps;
  std::vector<int64_t> extents;
  std::vector<VariantItem> variants;
  std::vector<ResourceItem> resources;
  std::vector<RefusalItem> refusals;
  std::vector<Text> words;
};

void putPlan(RecordWriter &writer, KernelTables &tables, const module::Plan &plan) {
  tables.plans.push_back(
      {static_cast<uint32_t>(plan.hidden.size()), static_cast<uint32_t>(plan.tasks.size())});
  for (const module::Hidden &buffer : plan.hidden) {
    tables.hidden.push_back({writer.text(buffer.name), buffer.role,
                             static_cast<uint8_t>(buffer.dtype),
                             static_cast<uint16_t>(buffer.shape.size()), buffer.global, buffer.rows,
                             buffer.cols, buffer.count});
    tables.extents.insert(tables.extents.end(), buffer.shape.begin(), buffer.shape.end());
  }
  for (const module::Task &task : plan.tasks) {
    const size_t steps = task.iterations ? task.iterations->items.size() : 0;
    tables.tasks.push_back({writer.text(task.symbol), task.blockDim, task.serial, task.fullBlocks,
                            task.iterations.has_value(), task.waits, static_cast<uint32_t>(steps)});
    for (size_t i = 0; i < steps; ++i)
      tables.steps.push_back({task.iterations->items[i].op, 0, task.iterations->items[i].value});
  }
}

uint32_t putWords(RecordWriter &writer, KernelTables &tables,
                  const std::vector<std::string> &list) {
  for (const std::string &word : list)
    tables.words.push_back(writer.text(word));
  return static_cast<uint32_t>(list.size());
}

void putVariant(RecordWriter &writer, KernelTables &tables, const module::Variant &variant) {
  VariantItem item{};
  item.backend = writer.text(variant.target.backend);
  item.arch = writer.text(variant.target.arch);
  item.format = writer.text(variant.format);
  item.wave = variant.target.wave;
  item.plan = variant.plan;
  item.image = variant.image;
  item.featureCount = putWords(writer, tables, variant.target.features);
  item.requirementCount = putWords(writer, tables, variant.requirements);
  item.resourceCount = static_cast<uint32_t>(variant.resources.size());
  tables.variants.push_back(item);
  for (const module::Resources &resources : variant.resources)
    tables.resources.push_back({resources.registers, resources.spillBytes, resources.stackBytes,
                                resources.sharedBytes, resources.scalarRegisters,
                                resources.occupancy});
}

} // namespace

Result<std::vector<std::byte>> encodeInfo(const module::ModuleInfo &info) {
  RecordWriter writer(sizeof(InfoRecord));
  InfoRecord head{};
  head.headBytes = sizeof(InfoRecord);
  head.compiler = writer.text(info.compiler);
  head.options = writer.text(info.options);
  std::vector<SourceItem> sources;
  for (const module::Source &source : info.sources) {
    SourceItem item{};
    item.path = writer.text(source.path);
    std::memcpy(item.hash, source.hash.data(), sizeof(item.hash));
    sources.push_back(item);
  }
  std::vector<GlobalItem> globals;
  std::vector<int64_t> extents;
  for (const module::Global &global : info.globals) {
    GlobalItem item{};
    item.name = writer.text(global.name);
    item.source = global.source;
    item.dtype = static_cast<uint8_t>(global.dtype);
    item.rows = global.rows;
    item.cols = global.cols;
    item.ndim = static_cast<uint32_t>(global.shape.size());
    item.count = global.count;
    if (!global.structure.empty())
      item.structure = writer.text(global.structure);
    globals.push_back(item);
    extents.insert(extents.end(), global.shape.begin(), global.shape.end());
  }
  std::vector<AttachmentItem> attachments;
  for (const module::Attachment &attachment : info.attachments)
    attachments.push_back({writer.text(attachment.name), attachment.pack, 0, attachment.bytes});
  head.sources = writer.table(sources);
  head.globals = writer.table(globals);
  head.extents = writer.table(extents);
  if (!attachments.empty())
    head.attachments = writer.table(attachments);
  return finished(writer, writer.finish(head), "the module");
}

Result<std::vector<std::byte>> encodeKernel(const module::Kernel &kernel) {
  RecordWriter writer(sizeof(KernelRecord));
  KernelRecord head{};
  head.headBytes = sizeof(KernelRecord);
  head.source = kernel.source;
  head.abiHash = kernel.abiHash;
  head.name = writer.text(kernel.name);
  head.instance = writer.text(kernel.instance);
  if (!kernel.doc.empty())
    head.doc = writer.text(kernel.doc);
  KernelTables tables;
  for (const module::Argument &argument : kernel.arguments) {
    tables.arguments.push_back({writer.text(argument.name),
                                argument.kind,
                                static_cast<uint8_t>(argument.dtype),
                                static_cast<uint16_t>(argument.ndim),
                                argument.rows,
                                argument.cols,
                                argument.isApart ? 1u : 0u,
                                {}});
    if (!argument.structure.empty())
      tables.arguments.back().structure = writer.text(argument.structure);
  }
  for (const module::Plan &plan : kernel.plans)
    putPlan(writer, tables, plan);
  for (const module::Variant &variant : kernel.variants)
    putVariant(writer, tables, variant);
  for (const module::RefusedTarget &refusal : kernel.refusals) {
    RefusalItem item{};
    item.backend = writer.text(refusal.target.backend);
    item.arch = writer.text(refusal.target.arch);
    item.reason = writer.text(refusal.reason);
    item.wave = refusal.target.wave;
    item.featureCount = putWords(writer, tables, refusal.target.features);
    tables.refusals.push_back(item);
  }
  head.arguments = writer.table(tables.arguments);
  head.plans = writer.table(tables.plans);
  head.hidden = writer.table(tables.hidden);
  head.tasks = writer.table(tables.tasks);
  head.steps = writer.table(tables.steps);
  head.extents = writer.table(tables.extents);
  head.variants = writer.table(tables.variants);
  head.resources = writer.table(tables.resources);
  head.refusals = writer.table(tables.refusals);
  head.words = writer.table(tables.words);
  return finished(writer, writer.finish(head), "kernel '" + kernel.instance + "'");
}

} // namespace sextant::packager
