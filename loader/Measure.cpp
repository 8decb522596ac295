// Measures which of a kernel's variants is the fastest on this device with these arguments. The
// variants take turns, so that a changing clock affects all of them alike. A short kernel runs
// several times in each sample, so that the cost and the resolution of the events do not count.
#include "loader/Program.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace sextant;
using namespace sextant::loader;

namespace {

constexpr double sampleMilliseconds = 0.5;  ///< at least
constexpr uint32_t mostLaunches = 1000;     ///< in a sample
constexpr double enoughMilliseconds = 4000; ///< time of one variant: no more samples then,
constexpr size_t fewestSamples = 3;         ///< unless there are fewer than this
constexpr double hopeless = 1.5; ///< times the fastest: so slow that more would tell nothing

struct Contender {
  size_t verdict = 0;
  sxt_kernel *kernel = nullptr;
  std::unique_ptr<sxt_kernel> own; ///< where it is not the slot's
  uint32_t launches = 1;
  std::vector<double> samples; ///< milliseconds a launch, ascending
  double total = 0;
  std::string problem;
};

struct Arguments {
  sxt_stream *stream;
  const sxt_argument *list;
  size_t count;
  /// Before each sample, which then is one launch; may be null.
  sxt_status (*prepare)(void *user, sxt_stream *stream);
  void *user;
};

/// Wrong arguments are wrong for every variant.
bool isCallersFault(sxt_status status) {
  return status == SXT_ERROR_INVALID_ARGUMENT || status == SXT_ERROR_SIGNATURE ||
         status == SXT_ERROR_LAUNCH_REFUSED || status == SXT_ERROR_OUT_OF_RANGE;
}

struct Clock {
  std::unique_ptr<DeviceEvent> begin, end;
  bool isUnprepared = false; ///< the caller's preparation failed: no variant is at fault

  sxt_status time(const Arguments &arguments, const Contender &contender, double &milliseconds) {
    DeviceStream &stream = *arguments.stream->impl;
    if (arguments.prepare) {
      const sxt_status prepared = arguments.prepare(arguments.user, arguments.stream);
      isUnprepared = prepared != SXT_OK;
      SXT_TRY(prepared);
    }
    SXT_TRY(stream.record(*begin));
    for (uint32_t i = 0; i < contender.launches; ++i)
      SXT_TRY(
          sxt_kernel_launch(contender.kernel, arguments.stream, arguments.list, arguments.count));
    SXT_TRY(stream.record(*end));
    SXT_TRY(end->synchronize());
    SXT_TRY(end->elapsedSince(*begin, milliseconds));
    milliseconds /= contender.launches;
    return SXT_OK;
  }
};

/// The first run is not timed, because the driver may have to allocate. The second run decides how
/// many runs make a sample.
sxt_status warmUp(Clock &clock, const Arguments &arguments, Contender &contender) {
  double milliseconds = 0;
  for (int run = 0; run < 2; ++run)
    SXT_TRY(clock.time(arguments, contender, milliseconds));
  if (arguments.prepare)
    return SXT_OK;
  double wanted = milliseconds > 0 ? sampleMilliseconds / milliseconds : mostLaunches;
  contender.launches =
      static_cast<uint32_t>(std::clamp(std::ceil(wanted), 1.0, double(mostLaunches)));
  return SXT_OK;
}

/// Returns true if more samples would tell nothing. \param least of all samples, in milliseconds
bool isSettled(const Contender &contender, double least) {
  return contender.samples.size() >= fewestSamples &&
         (contender.total > enoughMilliseconds || contender.samples.front() > hopeless * least);
}

Measured summary(Contender &contender) {
  Measured measured;
  measured.verdict = contender.verdict;
  measured.problem = std::move(contender.problem);
  const std::vector<double> &sorted = contender.samples;
  if (!measured.problem.empty() || sorted.empty())
    return measured;
  size_t n = sorted.size();
  measured.samples = static_cast<uint32_t>(n);
  measured.launches = contender.launches;
  measured.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  measured.minimum = sorted.front();
  measured.spread = sorted[n - 1 - n / 4] - sorted[n / 4];
  return measured;
}

sxt_status measure(sxt_program &program, const char *name, const Arguments &arguments,
                   size_t samples, size_t *count) {
  uint32_t index = 0;
  KernelSlot *slot = nullptr;
  SXT_TRY(program.select(name, index, slot));
  std::vector<Contender> contenders;
  {
    std::lock_guard lock(slot->mutex);
    if (slot->verdicts.empty() || !slot->verdicts.front().usable)
      return program.load(index, *slot, 0, slot->kernel); // says why
    // The best variant that the device has not refused.
    size_t first = 0;
    while (slot->problems[first] && first < slot->chosen)
      ++first;
    for (size_t i = first; i < slot->verdicts.size(); ++i) {
      const module::Verdict &verdict = slot->verdicts[i];
      if (!verdict.usable || slot->problems[i] || verdict.match != slot->verdicts[first].match)
        continue;
      Contender contender;
      contender.verdict = i;
      std::unique_ptr<sxt_kernel> &home = i == slot->chosen ? slot->kernel : contender.own;
      if (!home && program.load(index, *slot, i, home) != SXT_OK)
        contender.problem = sxt_last_error_message();
      contender.kernel = home.get();
      if (home && home->scheduleWords)
        return fail(SXT_ERROR_UNSUPPORTED,
                    "'%s' cannot be measured: what a launch leaves in the flags of its loops and "
                    "checkpoints decides what the next one does",
                    name);
      contenders.push_back(std::move(contender));
    }
  }

  Clock clock;
  Device &device = *program.device->device;
  SXT_TRY(device.createEvent(clock.begin));
  SXT_TRY(device.createEvent(clock.end));
  sxt_status status = SXT_OK;
  auto attempt = [&](Contender &contender, auto step) {
    if (!contender.problem.empty())
      return true;
    sxt_status result = step();
    if (result == SXT_OK)
      return true;
    status = result;
    contender.problem = sxt_last_error_message();
    return !isCallersFault(result) && !clock.isUnprepared;
  };
  for (Contender &contender : contenders)
    if (!attempt(contender, [&] { return warmUp(clock, arguments, contender); }))
      return status;
  double least = std::numeric_limits<double>::infinity(); // the best of all samples
  for (size_t sample = 0; sample < samples; ++sample)
    for (Contender &contender : contenders) {
      if (isSettled(contender, least))
        continue;
      bool goOn = attempt(contender, [&] {
        double milliseconds = 0;
        SXT_TRY(clock.time(arguments, contender, milliseconds));
        std::vector<double> &sorted = contender.samples;
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), milliseconds), milliseconds);
        contender.total += milliseconds * contender.launches;
        least = std::min(least, milliseconds);
        return SXT_OK;
      });
      if (!goOn)
        return status;
    }

  std::vector<Measured> results;
  size_t best = contenders.size();
  for (size_t i = 0; i < contenders.size(); ++i) {
    results.push_back(summary(contenders[i]));
    if (results[i].samples &&
        (best == contenders.size() || results[i].median < results[best].median))
      best = i;
  }
  if (best == contenders.size()) {
    std::string problem = results.front().problem;
    return fail(status == SXT_OK ? SXT_ERROR_DEVICE : status,
                "no variant of '%s' could be measured: %s", name, problem.c_str());
  }
  results[best].fastest = true;

  const module::Kernel *record = nullptr;
  SXT_TRY(program.module->kernel(index, record));
  std::lock_guard lock(slot->mutex);
  if (contenders[best].own) {
    slot->retired.push_back(std::move(slot->kernel));
    slot->kernel = std::move(contenders[best].own);
    slot->chosen = contenders[best].verdict;
  }
  slot->measured = std::move(results);
  explain(*record, *slot);
  log(SXT_LOG_INFO, "kernel '%s' on %s: %s is the fastest", record->instance.c_str(),
      program.device->name().c_str(), slot->targets[slot->chosen].c_str());
  if (count)
    *count = slot->measured.size();
  return SXT_OK;
}

} // namespace

sxt_status sxt_program_measure(sxt_program *program, const char *kernel, sxt_stream *stream,
                               const sxt_argument *arguments, size_t argumentCount,
                               const sxt_measure_options *options, size_t *count) {
  SXT_REQUIRE(program);
  SXT_REQUIRE(kernel);
  return guarded([&] {
    sxt_measure_options given{};
    if (options)
      SXT_TRY(takeOptions(options, given));
    SXT_TRY(program->device->choose(stream, stream));
    return measure(*program, kernel, {stream, arguments, argumentCount, given.prepare, given.user},
                   given.samples ? given.samples : 11, count);
  });
}

sxt_status sxt_program_measurement(sxt_program *program, const char *kernel, size_t index,
                                   sxt_measurement *measurement) {
  SXT_REQUIRE(program);
  SXT_REQUIRE(kernel);
  SXT_REQUIRE(measurement);
  return guarded([&] {
    uint32_t kernelIndex = 0;
    KernelSlot *slot = nullptr;
    SXT_TRY(program->select(kernel, kernelIndex, slot));
    std::lock_guard lock(slot->mutex);
    if (index >= slot->measured.size())
      return fail(SXT_ERROR_OUT_OF_RANGE, "measurement %zu of kernel '%s', which has %zu", index,
                  kernel, slot->measured.size());
    const Measured &measured = slot->measured[index];
    sxt_measurement filled{};
    filled.target = slot->targets[measured.verdict].c_str();
    filled.selected = measured.verdict == 0;
    filled.fastest = measured.fastest;
    filled.samples = measured.samples;
    filled.launches = measured.launches;
    filled.median_ms = measured.median;
    filled.minimum_ms = measured.minimum;
    filled.spread_ms = measured.spread;
    filled.problem = measured.problem.empty() ? nullptr : measured.problem.c_str();
    return giveInfo(measurement, filled);
  });
}
