// Programs: selection, lazy loading. Fields are in Globals.cpp.
#include "loader/Program.h"
#include "loader/Markers.h"
#include "loader/system/Environment.h"

#include <algorithm>
#include <cinttypes>
#include <unordered_map>

using namespace sextant;
using namespace sextant::loader;

namespace {

void nameTargets(const module::Kernel &kernel, KernelSlot &slot) {
  slot.targets.clear();
  for (const module::Verdict &verdict : slot.verdicts)
    slot.targets.push_back(module::str(kernel.variants[verdict.variant].target));
  for (const module::RefusedTarget &refusal : kernel.refusals)
    slot.targets.push_back(module::str(refusal.target));
}

/// Chooses the variant that a preference names, if it would run. Returns false if none does.
bool prefer(const module::Kernel &kernel, std::span<const Preference> preferences,
            KernelSlot &slot) {
  for (const Preference &preference : preferences)
    for (size_t i = 0; i < slot.verdicts.size() && preference.kernel == kernel.instance; ++i)
      if (slot.verdicts[i].usable && slot.targets[i] == preference.target) {
        slot.chosen = i;
        slot.verdicts[i].reason += "; preferred";
        return true;
      }
  return false;
}

/// Chooses the variant that the module's measurements speak for. What cannot be read of them is
/// only logged: the default is right, too.
void chooseMeasured(ModuleState &module, const module::Kernel &kernel, const DeviceDescription &on,
                    KernelSlot &slot) {
  if (slot.verdicts.size() < 2 || !slot.verdicts[1].usable) // there is nothing to choose
    return;
  const std::vector<module::Tuned> *tuned = nullptr;
  if (module.tuned(tuned) != SXT_OK) {
    log(SXT_LOG_WARNING, "what was tuned is not used: %s", sxt_last_error_message());
    return;
  }
  if (const auto choice = module::chooseTuned(*tuned, kernel.instance, on.facts, on.description,
                                              kernel.variants, slot.verdicts)) {
    slot.chosen = choice->verdict;
    slot.verdicts[choice->verdict].reason += "; " + choice->reason;
  }
}

} // namespace

module::SelectRules sextant::loader::rulesOf(const sxt_program_options &options) {
  const char *pin = options.variant ? options.variant : system::environment("SEXTANT_VARIANT");
  const char *blocked = options.blocked ? options.blocked : system::environment("SEXTANT_BLOCK");
  module::SelectRules rules{pin ? pin : "", {}, options.wave};
  rules.block(blocked ? blocked : "");
  return rules;
}

void sextant::loader::explain(const module::Kernel &kernel, KernelSlot &slot) {
  constexpr size_t maxWidth = 120; // a longer name moves its own line, not all others
  size_t width = 0;
  for (const std::string &target : slot.targets)
    if (target.size() <= maxWidth)
      width = std::max(width, target.size());
  auto text = std::make_unique<std::string>();
  auto line = [&](size_t i, const char *mark, const std::string &reason) {
    const std::string &target = slot.targets[i];
    *text += mark + target + std::string(width - std::min(width, target.size()) + 2, ' ') + reason;
    for (const Measured &measured : slot.measured)
      if (measured.fastest && measured.verdict == i)
        *text += "; measured to be the fastest";
    *text += "\n";
  };
  for (size_t i = 0; i < slot.verdicts.size(); ++i) {
    const module::Verdict &verdict = slot.verdicts[i];
    const std::string *problem = slot.problems[i].get();
    const bool loads = verdict.usable && !problem;
    line(i, loads ? i == slot.chosen ? "> " : "  " : "- ", problem ? *problem : verdict.reason);
  }
  for (size_t i = 0; i < kernel.refusals.size(); ++i)
    line(slot.verdicts.size() + i, "- ", "was left out: " + kernel.refusals[i].reason);
  slot.texts.push_back(std::move(text));
}

sxt_program::~sxt_program() {
  if (device)
    (void)guarded([&] { return device->device->synchronize(); });
  kernels.clear();
  globals.clear();
  images.clear();
}

sxt_status sxt_program::select(const char *name, uint32_t &index, KernelSlot *&slot) {
  SXT_TRY(module->find(name, index));
  slot = &slotOf(mutex, kernels, index);
  std::lock_guard lock(slot->mutex);
  if (slot->selected)
    return SXT_OK;
  const module::Kernel *kernel = nullptr;
  SXT_TRY(module->kernel(index, kernel));
  slot->verdicts = module::select(device->device->description().facts, kernel->variants, rules);
  nameTargets(*kernel, *slot);
  slot->problems = std::vector<std::unique_ptr<std::string>>(slot->verdicts.size());
  slot->chosen = 0;
  if (!prefer(*kernel, preferences, *slot))
    chooseMeasured(*module, *kernel, device->device->description(), *slot);
  explain(*kernel, *slot);
  slot->selected = true;
  return SXT_OK;
}

sxt_status sxt_program::image(uint32_t index, const std::string &format, LoadedImage *&image) {
  ImageSlot &slot = slotOf(mutex, images, index);
  std::lock_guard lock(slot.mutex);
  if (!slot.image) {
    module::Result<std::vector<std::byte>> bytes = module->reader.image(index);
    if (!bytes)
      return module->failReading(bytes.error());
    SXT_TRY(device->device->loadImage(format, *bytes, slot.image));
  }
  image = slot.image.get();
  return SXT_OK;
}

//===--- Preparing a kernel ------------------------------------------------===//

namespace {

sxt_status planArguments(sxt_kernel &kernel, const module::BlockLayout &layout) {
  const std::vector<module::Argument> &arguments = kernel.record->arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const module::Argument &argument = arguments[i];
    if (argument.ndim > SXT_MAX_DIMS)
      return fail(SXT_ERROR_UNSUPPORTED,
                  "kernel '%s' takes an array of %u dimensions: at most %d "
                  "are supported",
                  kernel.record->instance.c_str(), argument.ndim, SXT_MAX_DIMS);
    kernel.keepsApart |= argument.isApart;
    uint32_t first = layout.firstParam[i];
    const uint32_t bytes = module::sizeOf(argument.dtype), scalars = argument.rows * argument.cols;
    kernel.arguments.push_back({&argument, bytes, scalars, first, layout.params[first].offset,
                                module::arrayAlignment(uint64_t(bytes) * scalars)});
  }
  return SXT_OK;
}

/// Notes the values that launches compute. A multiplier and a shift of one divisor are one plan.
void planDivisions(sxt_kernel &kernel, const module::Plan &plan,
                   const module::BlockLayout &layout) {
  const size_t arguments = kernel.record->arguments.size();
  std::unordered_map<std::string_view, size_t> known; // found by the text of the divisor
  for (size_t i = 0; i < plan.hidden.size(); ++i) {
    const module::Hidden &value = plan.hidden[i];
    if (!isValue(value.role))
      continue;
    const auto [place, isNew] = known.try_emplace(value.name, kernel.divisions.size());
    if (isNew) {
      DivisionPlan &made = kernel.divisions.emplace_back(
          DivisionPlan{{}, DivisionPlan::noOffset, DivisionPlan::noOffset});
      (void)abi::readLaunchExpr(value.name, made.divisor); // which the reader has checked
    }
    DivisionPlan &division = kernel.divisions[place->second];
    (value.role == module::Hidden::Multiplier ? division.multiplierOffset : division.shiftOffset) =
        layout.params[layout.firstParam[arguments + i]].offset;
  }
}

/// Finds the globals. Gives return values, then carried locals, their places in the
/// stream's temporary memory.
sxt_status planHidden(sxt_kernel &kernel, const module::Plan &plan,
                      const module::BlockLayout &layout) {
  size_t arguments = kernel.record->arguments.size();
  kernel.hidden.resize(plan.hidden.size());
  auto place = [&](size_t i, uint64_t bytes) {
    constexpr uint64_t alignment = 256; // the most that Vulkan asks of storage buffers
    uint64_t offset = kernel.temporaryBytes;
    kernel.hidden[i].temporary = true;
    kernel.hidden[i].address = offset;
    kernel.temporaryBytes = offset + (bytes + alignment - 1) / alignment * alignment;
    return offset;
  };
  for (size_t i = 0; i < plan.hidden.size(); ++i) {
    const module::Hidden &buffer = plan.hidden[i];
    uint64_t bytes = bytesOf(buffer.dtype, buffer.count);
    kernel.hidden[i].offset = layout.params[layout.firstParam[arguments + i]].offset;
    if (buffer.role == module::Hidden::Return) {
      if (buffer.count != uint64_t(buffer.rows) * buffer.cols)
        return fail(SXT_ERROR_BAD_MODULE, "kernel '%s': return value '%s' has %" PRIu64 " scalars",
                    kernel.record->instance.c_str(), buffer.name.c_str(), buffer.count);
      kernel.results.push_back({&buffer, place(i, bytes), bytes});
    } else if (buffer.role == module::Hidden::Field) {
      sxt_buffer *global = nullptr;
      SXT_TRY(kernel.program->global(buffer.global, global));
      if (global->bytes != bytes)
        return fail(SXT_ERROR_BAD_MODULE, "kernel '%s': field '%s' is not as large as the module's",
                    kernel.record->instance.c_str(), buffer.name.c_str());
      kernel.hidden[i].global = global;
    }
  }
  kernel.resultBytes = kernel.temporaryBytes;
  for (size_t i = 0; i < plan.hidden.size(); ++i) {
    const module::Hidden &buffer = plan.hidden[i];
    if (buffer.role == module::Hidden::Print) {
      kernel.prints = std::make_shared<const std::string>(buffer.name);
      kernel.printOffset = kernel.hidden[i].offset;
    }
    if (buffer.role != module::Hidden::Carry && buffer.role != module::Hidden::Fault &&
        buffer.role != module::Hidden::Schedule)
      continue;
    uint64_t offset = place(i, bytesOf(buffer.dtype, buffer.count));
    if (buffer.role == module::Hidden::Schedule) { // which the reader has checked
      (void)abi::readSchedule(buffer.name, plan.tasks.size(), kernel.spans);
      kernel.scheduleOffset = offset;
      kernel.scheduleParam = kernel.hidden[i].offset;
      kernel.scheduleWords = buffer.count;
    }
    if (buffer.role == module::Hidden::Fault) {
      kernel.faults = &buffer;
      kernel.faultOffset = offset;
    }
  }
  for (size_t i = plan.hidden.size(); i-- > 0;) // the rest are buffers
    if (isValue(plan.hidden[i].role))
      kernel.hidden.erase(kernel.hidden.begin() + std::ptrdiff_t(i));
  return SXT_OK;
}

} // namespace

sxt_kernel::~sxt_kernel() {
  if (kept)
    program->device->release(kept);
  if (scheduleGraph && scheduleGraph->words)
    program->device->release(scheduleGraph->words);
}

sxt_status sxt_program::load(uint32_t index, KernelSlot &slot, size_t verdict,
                             std::unique_ptr<sxt_kernel> &loaded) {
  SXT_TRY(device->present());
  const module::Kernel *record = nullptr;
  SXT_TRY(module->kernel(index, record));
  const DeviceDescription &on = device->device->description();
  if (slot.verdicts.empty() || !slot.verdicts.front().usable)
    return fail(SXT_ERROR_NO_VARIANT, "%s",
                module::whyNone(on.facts, *record, slot.verdicts).c_str());

  auto kernel = std::make_unique<sxt_kernel>();
  kernel->program = this;
  kernel->index = index;
  kernel->record = record;
  kernel->variant = &record->variants[slot.verdicts[verdict].variant];
  kernel->target = slot.targets[verdict];
  const module::Plan &plan = record->plans[kernel->variant->plan];
  kernel->isLarge = std::strstr(kernel->target.c_str(), abi::largeArrays);
  for (size_t i = slot.verdicts.size(); i-- > 0;) {
    const module::Target &ours = kernel->variant->target;
    const module::Target &other = record->variants[slot.verdicts[i].variant].target;
    if (slot.verdicts[i].isLarge && other.arch == ours.arch && other.wave == ours.wave)
      kernel->largeVerdict = i;
  }
  module::BlockLayout layout = module::layoutOf(
      record->arguments, plan.hidden, kernel->isLarge ? module::DType::I64 : module::DType::I32);
  kernel->params = layout.params;
  // The padding at the end does not count: CUDA compares the size with the kernel's declaration.
  if (!layout.params.empty())
    kernel->blockBytes = layout.params.back().offset + layout.params.back().size;
  SXT_TRY(planArguments(*kernel, layout));
  SXT_TRY(planHidden(*kernel, plan, layout));
  planDivisions(*kernel, plan, layout);
  bool hasLoops = false;
  for (const abi::Span &span : kernel->spans) {
    hasLoops |= span.kind == abi::Span::Loop;
    if (span.kind == abi::Span::Checkpoint && !kernel->kept)
      SXT_TRY(device->device->allocate(kernel->temporaryBytes, kernel->kept));
  }
  auto needs = [&](const char *word) {
    const std::vector<std::string> &all = kernel->variant->requirements;
    return std::find(all.begin(), all.end(), word) != all.end();
  };
  if (kernel->scheduleWords && (!hasLoops || needs(abi::conditionalGraphs))) {
    kernel->scheduleGraph = std::make_unique<ScheduleGraph>();
    // Where a checkpoint ends the launch, the round's other tasks see it by their loop's word.
    if (needs(abi::graphAddresses) && !kernel->kept)
      SXT_TRY(device->device->allocate(4 * kernel->scheduleWords, kernel->scheduleGraph->words));
  }

  LoadedImage *code = nullptr;
  const std::string label = module::joined({record->instance, " (", kernel->target, ")"});
  MarkedRange range(("load " + label).c_str());
  if (!plan.tasks.empty()) // else there is nothing in it for a driver
    SXT_TRY(image(kernel->variant->image, kernel->variant->format, code));
  for (size_t i = 0; i < plan.tasks.size(); ++i) {
    const module::Task &task = plan.tasks[i];
    if (task.blockDim > on.maxThreadsPerBlock)
      return fail(SXT_ERROR_UNSUPPORTED, "task '%s' has blocks of %u threads: %s runs at most %u",
                  task.symbol.c_str(), task.blockDim, on.name.c_str(), on.maxThreadsPerBlock);
    TaskPlan planned{{}, &task};
    planned.loaded.wave = kernel->variant->target.wave;
    SXT_TRY(code->findTask(task, layout, kernel->variant->resources[i], planned.loaded));
    kernel->tasks.push_back(planned);
  }
  LaunchRecord ran{record->instance,
                   kernel->target,
                   kernel->variant->format,
                   kernel->variant->target.wave,
                   {},
                   {}};
  for (const module::Task &task : plan.tasks)
    ran.blockDims.push_back(task.blockDim);
  ran.label = label;
  kernel->ran = device->remember(std::move(ran));
  log(SXT_LOG_INFO, "kernel '%s' on %s: %s (%s)", record->instance.c_str(), on.name.c_str(),
      kernel->target.c_str(), slot.verdicts[verdict].reason.c_str());
  loaded = std::move(kernel);
  return SXT_OK;
}

sxt_status sxt_program::large(sxt_kernel &kernel, sxt_status status, sxt_kernel *&found) {
  if (status != needsLarge || !kernel.largeVerdict)
    return status;
  KernelSlot &slot = slotOf(mutex, kernels, kernel.index);
  std::lock_guard lock(slot.mutex);
  if (!kernel.large)
    SXT_TRY(load(kernel.index, slot, kernel.largeVerdict, kernel.large));
  found = kernel.large.get();
  return SXT_OK;
}

//===--- API ---------------------------------------------------------------===//

sxt_status sxt_program_create(sxt_module *module, sxt_device *device,
                              const sxt_program_options *options, sxt_program **program) {
  SXT_REQUIRE(module);
  SXT_REQUIRE(device);
  SXT_REQUIRE(program);
  return guarded([&] {
    sxt_program_options given{};
    if (options)
      SXT_TRY(takeOptions(options, given));
    auto created = std::make_unique<sxt_program>();
    created->module = module->state;
    created->device = device->state;
    created->rules = rulesOf(given);
    if (!given.preferences)
      given.preferences = system::environment("SEXTANT_PREFER");
    if (given.preferences)
      created->preferences =
          readPreferences(given.preferences, device->state->device->description().facts);
    *program = created.release();
    return SXT_OK;
  });
}

sxt_status sxt_program::loadChosen(uint32_t index, KernelSlot &slot) {
  const sxt_status status = load(index, slot, slot.chosen, slot.kernel);
  // Only the device's refusals lead to another variant. Damage and lack of memory do not depend on
  // the variant.
  auto refused = [](sxt_status s) { return s == SXT_ERROR_DEVICE || s == SXT_ERROR_UNSUPPORTED; };
  if (!refused(status))
    return status;
  const std::string first = sxt_last_error_message();
  std::vector<std::unique_ptr<std::string>> problems(slot.verdicts.size());
  size_t tried = slot.chosen;
  for (size_t next = 0;; ++next) {
    problems[tried] = std::make_unique<std::string>(slot.verdicts[tried].reason +
                                                    "; does not load: " + sxt_last_error_message());
    while (next < slot.verdicts.size() && (!slot.verdicts[next].usable || problems[next]))
      ++next;
    if (next == slot.verdicts.size())
      return fail(status, "%s", first.c_str());
    log(SXT_LOG_WARNING, "%s does not load, %s is tried: %s", slot.targets[tried].c_str(),
        slot.targets[next].c_str(), sxt_last_error_message());
    tried = next;
    const sxt_status again = load(index, slot, next, slot.kernel);
    if (again == SXT_OK)
      break;
    if (!refused(again))
      return again;
  }
  slot.chosen = tried;
  slot.problems = std::move(problems);
  const module::Kernel *record = nullptr;
  SXT_TRY(module->kernel(index, record));
  loader::explain(*record, slot);
  return SXT_OK;
}

void sxt_program_release(sxt_program *program) { delete program; }

sxt_status sxt_program_kernel(sxt_program *program, const char *name, sxt_kernel **kernel) {
  SXT_REQUIRE(program);
  SXT_REQUIRE(name);
  SXT_REQUIRE(kernel);
  return guarded([&] {
    uint32_t index = 0;
    KernelSlot *slot = nullptr;
    SXT_TRY(program->select(name, index, slot));
    std::lock_guard lock(slot->mutex);
    if (!slot->kernel)
      SXT_TRY(program->loadChosen(index, *slot));
    *kernel = slot->kernel.get();
    return SXT_OK;
  });
}

sxt_status sxt_program_verdict_count(sxt_program *program, const char *kernel, size_t *count) {
  SXT_REQUIRE(program);
  SXT_REQUIRE(kernel);
  SXT_REQUIRE(count);
  return guarded([&] {
    uint32_t index = 0;
    KernelSlot *slot = nullptr;
    SXT_TRY(program->select(kernel, index, slot));
    *count = slot->targets.size();
    return SXT_OK;
  });
}

sxt_status sxt_program_verdict(sxt_program *program, const char *kernel, size_t index,
                               sxt_verdict *verdict) {
  SXT_REQUIRE(program);
  SXT_REQUIRE(kernel);
  SXT_REQUIRE(verdict);
  return guarded([&] {
    uint32_t kernelIndex = 0;
    KernelSlot *slot = nullptr;
    SXT_TRY(program->select(kernel, kernelIndex, slot));
    std::lock_guard lock(slot->mutex);
    if (index >= slot->targets.size())
      return fail(SXT_ERROR_OUT_OF_RANGE, "verdict %zu of kernel '%s', which has %zu", index,
                  kernel, slot->targets.size());
    sxt_verdict filled{};
    filled.target = slot->targets[index].c_str();
    if (index < slot->verdicts.size()) {
      const std::string *problem = slot->problems[index].get();
      filled.usable = slot->verdicts[index].usable && !problem;
      filled.selected = filled.usable && index == slot->chosen;
      filled.reason = (problem ? *problem : slot->verdicts[index].reason).c_str();
    } else {
      const module::Kernel *record = nullptr;
      SXT_TRY(program->module->kernel(kernelIndex, record));
      filled.reason = record->refusals[index - slot->verdicts.size()].reason.c_str();
    }
    return giveInfo(verdict, filled);
  });
}

sxt_status sxt_program_explain(sxt_program *program, const char *kernel, const char **text) {
  SXT_REQUIRE(program);
  SXT_REQUIRE(kernel);
  SXT_REQUIRE(text);
  return guarded([&] {
    uint32_t index = 0;
    KernelSlot *slot = nullptr;
    SXT_TRY(program->select(kernel, index, slot));
    std::lock_guard lock(slot->mutex);
    *text = slot->texts.back()->c_str();
    return SXT_OK;
  });
}
