// The rules that a kernel and a module's facts keep, whoever made them. The reader refuses files by
// these rules, and the builder refuses its input.
#include "loader/abi/Schedule.h"
#include "loader/format/Decode.h"
#include "loader/format/Format.h"
#include "loader/format/Text.h"

#include <algorithm>
#include <cinttypes>
#include <tuple>
#include <utility>

namespace sextant::module {

using namespace format;

namespace {

std::string quoted(std::string_view text) { return message("'%s'", printable(text).c_str()); }

/// \param what the text's role, such as "the name of an argument"
std::string checkLength(std::string_view text, uint32_t most, const char *what) {
  if (text.size() <= most)
    return "";
  return message("%s has %zu bytes, the limit is %u", what, text.size(), most);
}

/// Names go into messages, tables, file names and code, so they must be what they look like.
std::string checkName(std::string_view name, const char *what) {
  if (std::string problem = checkLength(name, maxNameBytes, what); !problem.empty())
    return problem;
  return isPrintable(name) ? "" : message("%s is not printable: %s", what, quoted(name).c_str());
}

bool isType(DType dtype) {
  const auto number = static_cast<unsigned>(dtype);
  return number >= 1 && number < dtypeEnd;
}

bool isSide(unsigned side) { return side >= 1 && side <= maxElementSide; }

/// Returns rows × cols × the extents, or 0 if that is not a legal count.
uint64_t countOf(std::span<const int64_t> shape, unsigned rows, unsigned cols) {
  uint64_t count = uint64_t(rows) * cols;
  for (const int64_t extent : shape) {
    if (extent < 1 || count > maxCount / static_cast<uint64_t>(extent))
      return 0;
    count *= static_cast<uint64_t>(extent);
  }
  return count;
}

std::string checkArgument(const Argument &argument) {
  if (std::string problem = checkName(argument.name, "the name of an argument"); !problem.empty())
    return problem;
  const std::string who = message("argument %s: ", quoted(argument.name).c_str());
  if (argument.kind < Argument::Array || argument.kind > Argument::Matrix)
    return message("%skind %u does not exist", who.c_str(), argument.kind);
  if (!isType(argument.dtype))
    return message("%stype %u does not exist", who.c_str(), static_cast<unsigned>(argument.dtype));
  const bool isArray = argument.kind == Argument::Array;
  if (argument.ndim > (isArray ? maxDims : 0))
    return message("%sit cannot have %u dimensions", who.c_str(), argument.ndim);
  const bool isScalar = argument.kind == Argument::Scalar;
  if (!isSide(argument.rows) || !isSide(argument.cols) ||
      (isScalar && (argument.rows != 1 || argument.cols != 1)))
    return message("%sit cannot have elements of %ux%u", who.c_str(), argument.rows, argument.cols);
  return "";
}

std::string checkHidden(const Hidden &buffer, uint32_t globals) {
  if (buffer.role < Hidden::Field || buffer.role > Hidden::Shift)
    return message("hidden buffer %s: role %u does not exist", quoted(buffer.name).c_str(),
                   buffer.role);
  // The names of records of faults and prints, and of schedules, are lines, to be read.
  const char *records = buffer.role == Hidden::Fault      ? "faults"
                        : buffer.role == Hidden::Print    ? "prints"
                        : buffer.role == Hidden::Schedule ? "the schedule"
                                                          : nullptr;
  if (!records)
    if (std::string problem = checkName(buffer.name, "the name of a hidden buffer");
        !problem.empty())
      return problem;
  const std::string who = "hidden buffer " + quoted(records ? records : buffer.name) + ": ";
  if (!isType(buffer.dtype))
    return message("%stype %u does not exist", who.c_str(), static_cast<unsigned>(buffer.dtype));
  if (!isSide(buffer.rows) || !isSide(buffer.cols))
    return message("%sit cannot have elements of %ux%u", who.c_str(), buffer.rows, buffer.cols);
  if (buffer.count == 0 || buffer.count > maxCount)
    return message("%sit cannot hold %" PRIu64 " scalars", who.c_str(), buffer.count);
  const uint64_t words = buffer.role == Hidden::Fault   ? Hidden::faultWords
                         : buffer.role == Hidden::Print ? Hidden::printWords
                                                        : buffer.count; // see checkSchedule
  if (records && (buffer.dtype != DType::U32 || buffer.count != words))
    return message("%sa record of %s cannot hold %" PRIu64 " %s", who.c_str(), records,
                   buffer.count, std::string(nameOf(buffer.dtype)).c_str());
  const bool isField = buffer.role == Hidden::Field;
  if (isField ? buffer.global >= globals : buffer.global != Hidden::noGlobal)
    return message("%sglobal %u does not exist", who.c_str(), buffer.global);
  if (isField && (buffer.shape.size() > maxDims ||
                  countOf(buffer.shape, buffer.rows, buffer.cols) != buffer.count))
    return message("%sits extents do not give %" PRIu64 " scalars", who.c_str(), buffer.count);
  if (!isField && !buffer.shape.empty())
    return message("%sonly fields have extents", who.c_str());
  return "";
}

std::string checkTask(const Task &task, std::span<const module::Param> params, uint64_t buffers) {
  if (std::string problem = checkName(task.symbol, "the symbol of a task"); !problem.empty())
    return problem;
  const std::string who = message("task %s: ", quoted(task.symbol).c_str());
  if (task.symbol.empty())
    return "a task has no symbol";
  if (task.blockDim < 1 || task.blockDim > maxBlockDim || (task.serial && task.blockDim != 1))
    return message("%sa block cannot have %u threads", who.c_str(), task.blockDim);
  if (!task.iterations)
    return "";
  if (task.serial)
    return message("%sit is serial and has iterations", who.c_str());
  const std::string problem = checkLaunchExpr(*task.iterations, params, buffers);
  return problem.empty() ? "" : message("%siterations: %s", who.c_str(), problem.c_str());
}

/// A hidden value: what it divides by is an expression over the arguments.
std::string checkDivision(const Hidden &value, std::span<const module::Param> params,
                          uint64_t buffers) {
  LaunchExpr divisor;
  const std::string who = "hidden value " + quoted(value.name) + ": ";
  if (value.dtype != DType::U32 || value.count != 1)
    return who + "it is not one u32";
  if (!abi::readLaunchExpr(value.name, divisor))
    return who + "it is not an expression";
  const std::string problem = checkLaunchExpr(divisor, params, buffers);
  return problem.empty() ? "" : who + problem;
}

/// The launch relies on it.
std::string checkSchedule(const Hidden &buffer, size_t tasks) {
  std::vector<abi::Span> spans;
  if (!abi::readSchedule(buffer.name, tasks, spans))
    return message("the schedule is not one of %zu tasks", tasks);
  const auto loops = std::count_if(spans.begin(), spans.end(), [](const abi::Span &span) {
    return span.kind == abi::Span::Loop;
  });
  const uint64_t words = abi::wordsOf(uint64_t(loops));
  return buffer.count == words ? "" : message("the schedule needs %" PRIu64 " words", words);
}

/// The number of entries that the arguments take in the argument block, without building it.
uint64_t paramCount(const Kernel &kernel) {
  uint64_t count = 0;
  for (const Argument &argument : kernel.arguments)
    count += argument.kind == Argument::Array    ? 1 + uint64_t(argument.ndim)
             : argument.kind == Argument::Scalar ? 1
                                                 : uint64_t(argument.rows) * argument.cols;
  return count;
}

std::string tooManyParams() {
  return message("it has more than %" PRIu64 " parameters", maxParams);
}

/// \param params the arguments' parameters, made once for all plans, of which there may be many
std::string checkPlan(const Plan &plan, std::span<const module::Param> params, uint32_t globals) {
  for (const Hidden &buffer : plan.hidden)
    if (std::string problem = checkHidden(buffer, globals); !problem.empty())
      return problem;
    else if (buffer.role == Hidden::Schedule) {
      if (problem = checkSchedule(buffer, plan.tasks.size()); !problem.empty())
        return problem;
    }
  const uint64_t buffers = plan.hidden.size();
  if (params.size() + buffers > maxParams)
    return tooManyParams();
  for (const Hidden &buffer : plan.hidden)
    if (std::string problem = isValue(buffer.role) ? checkDivision(buffer, params, buffers) : "";
        !problem.empty())
      return problem;
  for (const Task &task : plan.tasks)
    if (std::string problem = checkTask(task, params, buffers); !problem.empty())
      return problem;
  return "";
}

/// The ABI hash covers the returns of the first plan, so all plans must have the same.
std::string checkReturns(std::span<const Plan> plans) {
  if (plans.empty())
    return "";
  const std::vector<const Hidden *> first = returnsOf(plans.front());
  for (size_t i = 1; i < plans.size(); ++i)
    if (!sameReturns(returnsOf(plans[i]), first))
      return message("plan %zu does not return what plan 0 returns", i);
  return "";
}

std::string checkTarget(const Target &target) {
  if (std::string problem = checkName(target.backend, "a backend"); !problem.empty())
    return problem;
  if (std::string problem = checkName(target.arch, "an architecture"); !problem.empty())
    return problem;
  for (const std::string &feature : target.features)
    if (std::string problem = checkName(feature, "a feature"); !problem.empty())
      return problem;
  if (target.backend.empty() || target.arch.empty())
    return message("target %s lacks a backend or an architecture", quoted(str(target)).c_str());
  if (target.wave < 1 || target.wave > maxWave || !std::has_single_bit(target.wave))
    return message("target %s: no wave has %u lanes", quoted(str(target)).c_str(), target.wave);
  return "";
}

} // namespace

std::string checkKernel(const Kernel &kernel, const Counts &counts) {
  if (kernel.name.empty() || kernel.instance.empty())
    return "it has no name";
  for (const std::string *name : {&kernel.name, &kernel.instance})
    if (std::string problem = checkName(*name, "its name"); !problem.empty())
      return problem;
  if (kernel.source >= counts.sources)
    return message("source %u does not exist", kernel.source);
  for (const Argument &argument : kernel.arguments)
    if (std::string problem = checkArgument(argument); !problem.empty())
      return problem;
  if (paramCount(kernel) > maxParams)
    return tooManyParams();
  const BlockLayout layout = layoutOf(kernel.arguments, {});
  for (const Plan &plan : kernel.plans)
    if (std::string problem = checkPlan(plan, layout.params, counts.globals); !problem.empty())
      return problem;
  if (std::string problem = checkReturns(kernel.plans); !problem.empty())
    return problem;
  for (const Variant &variant : kernel.variants) {
    if (std::string problem = checkTarget(variant.target); !problem.empty())
      return problem;
    if (std::string problem = checkName(variant.format, "a format"); !problem.empty())
      return problem;
    for (const std::string &requirement : variant.requirements)
      if (std::string problem = checkName(requirement, "a requirement"); !problem.empty())
        return problem;
    const std::string who = message("variant %s: ", quoted(str(variant.target)).c_str());
    if (variant.plan >= kernel.plans.size())
      return message("%splan %u does not exist", who.c_str(), variant.plan);
    if (variant.image >= counts.images)
      return message("%simage %u does not exist", who.c_str(), variant.image);
    if (variant.resources.size() != kernel.plans[variant.plan].tasks.size())
      return message("%sit has resources for %zu of %zu tasks", who.c_str(),
                     variant.resources.size(), kernel.plans[variant.plan].tasks.size());
  }
  for (const RefusedTarget &refusal : kernel.refusals)
    if (std::string problem = checkTarget(refusal.target); !problem.empty())
      return problem;
  if (kernel.abiHash != abiHashOf(kernel))
    return "the ABI hash is not that of its signature";
  return "";
}

std::string checkTargets(Kernel kernel) {
  std::vector<const Target *> targets;
  for (Variant &variant : kernel.variants) {
    std::sort(variant.target.features.begin(), variant.target.features.end());
    targets.push_back(&variant.target);
  }
  std::sort(targets.begin(), targets.end(), [](const Target *a, const Target *b) {
    return std::tie(a->backend, a->arch, a->features, a->wave) <
           std::tie(b->backend, b->arch, b->features, b->wave);
  });
  const auto twice = std::adjacent_find(targets.begin(), targets.end(),
                                        [](const Target *a, const Target *b) { return *a == *b; });
  if (twice != targets.end())
    return message("the target %s is there twice", quoted(str(**twice)).c_str());
  return "";
}

/// Paths of sources must be unique, and so must names of the fields of one source: writers that
/// renumber them rely on that.
static std::string checkNames(const ModuleInfo &info) {
  std::vector<std::string_view> paths;
  for (const Source &source : info.sources)
    paths.push_back(source.path);
  std::sort(paths.begin(), paths.end());
  if (const auto twice = std::adjacent_find(paths.begin(), paths.end()); twice != paths.end())
    return message("source %s is there twice", quoted(*twice).c_str());
  std::vector<std::pair<uint32_t, std::string_view>> fields;
  for (const Global &global : info.globals)
    fields.emplace_back(global.source, global.name);
  std::sort(fields.begin(), fields.end());
  if (const auto twice = std::adjacent_find(fields.begin(), fields.end()); twice != fields.end())
    return message("global %s is there twice", quoted(twice->second).c_str());
  return "";
}

std::string checkInfo(const ModuleInfo &info) {
  for (const Source &source : info.sources)
    if (std::string problem = checkLength(source.path, maxPathBytes, "the path of a source");
        !problem.empty())
      return problem;
  for (const Global &global : info.globals) {
    if (std::string problem = checkName(global.name, "the name of a global"); !problem.empty())
      return problem;
    const std::string who = message("global %s: ", quoted(global.name).c_str());
    if (global.source >= info.sources.size())
      return message("%ssource %u does not exist", who.c_str(), global.source);
    if (!isType(global.dtype))
      return message("%stype %u does not exist", who.c_str(), static_cast<unsigned>(global.dtype));
    if (!isSide(global.rows) || !isSide(global.cols))
      return message("%sit cannot have elements of %ux%u", who.c_str(), global.rows, global.cols);
    if (global.shape.size() > maxDims || global.count == 0 ||
        countOf(global.shape, global.rows, global.cols) != global.count)
      return message("%sits extents do not give %" PRIu64 " scalars", who.c_str(), global.count);
  }
  for (size_t i = 0; i < info.attachments.size(); ++i) {
    const Attachment &attachment = info.attachments[i];
    if (std::string problem = checkName(attachment.name, "the name of an attachment");
        !problem.empty())
      return problem;
    if (attachment.name.empty())
      return "an attachment has no name";
    const std::string who = message("attachment %s: ", quoted(attachment.name).c_str());
    if (attachment.bytes > maxAttachmentBytes)
      return message("%sit has %" PRIu64 " bytes, at most %" PRIu64 " are allowed", who.c_str(),
                     attachment.bytes, maxAttachmentBytes);
    if (i != 0 && (attachment.name <= info.attachments[i - 1].name ||
                   attachment.pack <= info.attachments[i - 1].pack))
      return who + "it is out of order";
  }
  return checkNames(info);
}

// checkKernel has passed, so the globals exist.
std::string checkFields(const Kernel &kernel, const ModuleInfo &info) {
  for (const Plan &plan : kernel.plans)
    for (const Hidden &buffer : plan.hidden) {
      if (buffer.role != Hidden::Field)
        continue;
      const Global &global = info.globals[buffer.global];
      if (buffer.name != global.name || buffer.dtype != global.dtype ||
          buffer.count != global.count || buffer.shape != global.shape ||
          buffer.rows != global.rows || buffer.cols != global.cols)
        return message("field %s differs from the module's global %s", quoted(buffer.name).c_str(),
                       quoted(global.name).c_str());
    }
  return "";
}

} // namespace sextant::module
