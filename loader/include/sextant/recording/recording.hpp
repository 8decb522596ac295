// Recorded launches that are run backwards, over the handles of sextant.h. Tape in tape.hpp is its
// face in C++, and sextant.Tape the one in Python; docs/autodiff.md says what they do.
//
// A gradient takes arrays as its kernel left them. So before a launch that overwrites what a
// recorded gradient reads, the overwritten part is copied, and on the way back it is put in its
// place again after that launch's own gradient.
#pragma once

#include "sextant/recording/gradients.hpp"
#include "sextant/recording/loop.hpp"

#include <type_traits>

namespace sextant::recording {

/// One thread uses it at a time. A launch is made between before() and after(), by the caller. The
/// program, the arrays and the streams of launches stay the caller's.
class Recording {
public:
  /// \param device null: start() tells it before the first launch
  /// \param keepsCopies if false, a launch that would need a copy is an error
  Recording(sxt_device *device, bool keepsCopies)
      : pool(std::make_shared<Pool>(device)), gradients(pool), keeps(keepsCopies) {}

  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;
  void start(sxt_device *device) { pool->device = device; }

  /// Prepares for a launch: copies what it overwrites.
  sxt_status before(std::shared_ptr<const Kernel> kernel, sxt_stream *stream,
                    const sxt_argument *arguments, size_t count) {
    begin();
    if (doing == Doing::Again)
      return SXT_OK;
    if (!kernel->gradient && kernel->writesReals())
      return fail(SXT_ERROR_NOT_FOUND,
                  "kernel '" + kernel->name +
                      "' has no gradient in its module: build it by --kernel '" + kernel->function +
                      ".grad', or tell the tape that its arrays are overwritten");
    if (sxt_status status = kernel->usesOf(arguments, count, pending.uses))
      return status;
    if (kernel->gradient) {
      if (sxt_status status = checkShared(*kernel))
        return status;
      if (sxt_status status = expectGradients(*kernel))
        return status;
    }
    pending.entry.kernel = std::move(kernel);
    pending.entry.stream = stream;
    keepArguments(arguments, count);
    return keep();
  }
  /// The same for memory that the program itself is going to write to, in this stream's order.
  sxt_status beforeWrite(const Range &range, sxt_stream *stream) {
    begin();
    if (doing == Doing::Again || range.isEmpty())
      return SXT_OK;
    pending.uses.push_back({range, {false, true, false}, "memory", SXT_DTYPE_F32, false});
    pending.entry.stream = stream;
    pending.entry.overwritten = range;
    return keep();
  }
  /// The launch was made, or the memory may now be written.
  void after() {
    if (!pending.isThere)
      return;
    pending.isThere = false;
    if (doing == Doing::Watch) {
      for (const Use &use : pending.uses)
        loop->used.add(use.range);
      loop->streams.insert(pending.entry.stream);
      return;
    }
    for (const Use &use : pending.uses)
      if (use.access.isWritten)
        needed.removeInside(use.range);
    for (const Use &use : pending.uses)
      if (use.access.isNeeded)
        needed.add(use.range);
    entries.push_back(std::move(pending.entry));
  }

  /// Runs a loop whose steps are run again on the way back.
  sxt_status runLoop(std::function<sxt_status(int64_t)> step, int64_t steps, int64_t every,
                     size_t snapshots) {
    text.clear();
    if (steps < 0 || every < 1 || snapshots < 1)
      return fail(SXT_ERROR_INVALID_ARGUMENT,
                  "a loop has steps, and at least one snapshot, of at least one step");
    if (doing != Doing::Record) // an inner loop of one that is recorded so
      return run(step, 0, steps);
    auto made = std::make_shared<Loop>();
    made->step = std::move(step);
    made->steps = steps;
    made->every = every;
    made->most = snapshots;
    made->snapshots.push_back({0, {}});
    isBroken = true; // until all steps have run
    {
      const Restore<Doing> isWatching(doing, Doing::Watch);
      const Restore<Loop *> watched(loop, made.get());
      int64_t unit = 0;
      while (made->units() - unit > 1 && made->snapshots.size() < made->most) {
        const int64_t count =
            stepsToSnapshot(made->units() - unit, int64_t(made->most - made->snapshots.size()) + 1);
        if (sxt_status status = runUnits(*made, unit, unit + count))
          return status;
        unit += count;
        if (sxt_status status = takeSnapshot(*made, unit, lastStream(*made)))
          return status;
      }
      if (sxt_status status = runUnits(*made, unit, made->units()))
        return status;
    }
    isBroken = false;
    for (const Range &range : made->state)
      needed.removeInside(range);
    for (const Range &range : made->used.all)
      if (!made->hasState(range))
        needed.add(range);
    Entry entry;
    entry.stream = lastStream(*made);
    entry.loop = std::move(made);
    entries.push_back(std::move(entry));
    return SXT_OK;
  }

  /// Adds to gradients, in reverse order of the launches, in a stream after their work. Arrays have
  /// the same content afterwards as before.
  /// \param loss null, or an array: its gradient is set to one, and others to zero first
  sxt_status backward(const Range *loss, sxt_stream *stream) {
    text.clear();
    if (doing != Doing::Record || isBroken || entries.empty())
      return fail(SXT_ERROR_INVALID_ARGUMENT,
                  doing != Doing::Record ? "the tape is in use: the step of a loop runs"
                  : isBroken             ? "the step of a loop failed: reset the tape"
                                         : "the tape has recorded no launch");
    if (sxt_status status = follow(stream, streams()))
      return status;
    if (loss) {
      if (sxt_status status = gradients.zero(stream, false))
        return status;
      if (sxt_status status = gradients.one(*loss, stream, text))
        return status;
    }
    Now now{stream, {}};
    if (sxt_status status = copyRestored(now.copies, stream))
      return status;
    sxt_status status = reverse(entries, stream);
    if (status == SXT_OK)
      status = now.restore();
    return status == SXT_OK ? lead(stream, streams()) : status;
  }

  /// Stores where the gradient of an array lies. One that is new gets zeros in this stream.
  sxt_status gradientOf(const Range &array, sxt_stream *stream, GradientPlace &place) {
    text.clear();
    return gradients.find(array, stream, place, text);
  }
  /// Copies the gradient of an array to host memory, and waits.
  sxt_status readGradient(const Range &array, void *to, size_t bytes, sxt_stream *stream) {
    GradientPlace place;
    sxt_buffer *memory = nullptr;
    if (sxt_status status = gradientOf(array, stream, place))
      return status;
    if (sxt_status status = sxt_buffer_wrap(pool->device, place.address, array.size(), &memory))
      return status;
    const sxt_status status = sxt_buffer_read(memory, 0, to, bytes, stream);
    sxt_buffer_release(memory);
    return status;
  }
  /// Uses memory of the application, of the array's size, as its gradient.
  sxt_status giveGradient(const Range &array, sxt_dtype dtype, const Range &gradient) {
    text.clear();
    if (array.size() != gradient.size())
      return fail(SXT_ERROR_SIGNATURE, "the gradient has another size than the array");
    return gradients.give(array, dtype, gradient.begin, text);
  }
  sxt_status zero(sxt_stream *stream) {
    text.clear();
    return gradients.zero(stream, true);
  }
  /// Forgets the launches and the gradients.
  void reset() {
    entries.clear();
    needed.all.clear();
    gradients.forget();
    pool->trim();
    isBroken = false;
  }

  size_t size() const { return entries.size(); }
  uint64_t keptBytes() const { return pool->live; }
  uint64_t mostKeptBytes() const { return pool->peak; }
  /// The reason for the last error, if it is not the loader's.
  const std::string &message() const { return text; }

private:
  struct Entry {
    std::shared_ptr<const Kernel> kernel; ///< null: no launch
    std::vector<sxt_argument> arguments;
    std::vector<std::vector<char>> values; ///< the scalars of matrices
    sxt_stream *stream = nullptr;
    Copies before; ///< made of what was overwritten
    Range overwritten;
    std::shared_ptr<Loop> loop;
  };
  static_assert(std::is_nothrow_move_constructible_v<Entry>, "arguments point to the values");
  /// A launch between before() and after().
  struct Pending {
    bool isThere = false;
    Entry entry;
    std::vector<Use> uses;
  };
  enum class Doing : uint8_t {
    Record,
    Watch, ///< the steps of a loop
    Again, ///< steps of a loop that were watched before
  };
  /// Sets a variable until the end of a block, also if a step throws.
  template <class T> class Restore {
  public:
    Restore(T &of, T value) : variable(of), old(std::exchange(of, std::move(value))) {}
    Restore(const Restore &) = delete;
    Restore &operator=(const Restore &) = delete;
    ~Restore() { variable = std::move(old); }

  private:
    T &variable;
    T old;
  };

  /// Keeps what arrays held before the way back. They get it again, also if a step throws.
  struct Now {
    sxt_stream *stream;
    Copies copies;
    sxt_status restore() {
      const Copies all = std::move(copies);
      copies.clear();
      return putBack(all, stream);
    }
    ~Now() { (void)restore(); }
  };

  void begin() {
    text.clear();
    pending = {};
  }
  sxt_status fail(sxt_status status, std::string why) {
    text = std::move(why);
    return status;
  }

  //===--- On the way --------------------------------------------------------===//

  /// Two arrays of a launch that are the same memory are two arrays to the compiler.
  sxt_status checkShared(const Kernel &kernel) {
    for (const Use &a : pending.uses)
      for (const Use *b = &a + 1; b != pending.uses.data() + pending.uses.size(); ++b)
        if (a.range.overlaps(b->range) && (a.access.isWritten || b->access.isWritten))
          return fail(SXT_ERROR_INVALID_ARGUMENT,
                      "kernel '" + kernel.name + "': '" + a.name + "' and '" + b->name +
                          "' share memory that it writes, so it has no gradient: pass a copy");
    return SXT_OK;
  }
  sxt_status expectGradients(const Kernel &kernel) {
    for (const Use &use : pending.uses) {
      if (!use.hasGradient)
        continue;
      if (use.parameter != Use::noParameter) {
        gradients.expect(use.range, use.dtype);
        continue;
      }
      Range gradient;
      if (sxt_status status = kernel.placeOfField(use.name + ".grad", gradient))
        return status;
      gradients.expectField(use.range, gradient, use.dtype);
    }
    return SXT_OK;
  }
  void keepArguments(const sxt_argument *arguments, size_t count) {
    Entry &entry = pending.entry;
    entry.arguments.assign(arguments, arguments + count);
    for (sxt_argument &each : entry.arguments) {
      if (each.kind != SXT_ARGUMENT_MATRIX)
        continue;
      const auto *data = static_cast<const char *>(each.value.data);
      const size_t bytes = sxt_dtype_size(sxt_dtype(each.dtype)) * each.rows * each.cols;
      entry.values.emplace_back(data, data + bytes);
      each.value.data = entry.values.back().data();
    }
  }
  /// Copies what is going to be overwritten.
  sxt_status keep() {
    sxt_stream *stream = pending.entry.stream;
    for (const Use &use : pending.uses) {
      if (!use.access.isWritten)
        continue;
      if (doing == Doing::Watch) {
        if (loop->hasState(use.range))
          continue;
        // Until now no step has changed it, so it is the same in all snapshots.
        loop->state.push_back(use.range);
        std::shared_ptr<const Copy> copy;
        if (sxt_status status = copyOf(use.range, stream, copy)) {
          loop->state.pop_back();
          return status;
        }
        for (Loop::Snapshot &each : loop->snapshots)
          each.copies.push_back(copy);
        continue;
      }
      Ranges parts;
      if (use.access.isKept)
        parts.add(use.range);
      else
        for (const Range &range : needed.all)
          parts.add(range.shared(use.range));
      for (const Range &part : parts.all) {
        if (!keeps)
          return fail(
              SXT_ERROR_INVALID_ARGUMENT,
              "'" + use.name + "' is overwritten" +
                  (pending.entry.kernel ? " by kernel '" + pending.entry.kernel->name + "'" : "") +
                  ", and the gradient of " + (use.access.isKept ? "this" : "an earlier") +
                  " launch reads it");
        std::shared_ptr<const Copy> copy;
        if (sxt_status status = copyOf(part, stream, copy))
          return status;
        pending.entry.before.push_back(std::move(copy));
      }
    }
    pending.isThere = true;
    return SXT_OK;
  }
  sxt_status copyOf(const Range &range, sxt_stream *stream, std::shared_ptr<const Copy> &copy) {
    const auto made = std::make_shared<Copy>(range, pool);
    const sxt_status status = made->take(stream);
    copy = made;
    return status;
  }

  //===--- Streams ------------------------------------------------------------===//

  static sxt_stream *lastStream(const Loop &loop) {
    return loop.streams.empty() ? nullptr : *loop.streams.rbegin();
  }
  std::set<sxt_stream *> streams() const {
    std::set<sxt_stream *> all;
    for (const Entry &entry : entries) {
      all.insert(entry.stream);
      if (entry.loop)
        all.insert(entry.loop->streams.begin(), entry.loop->streams.end());
    }
    return all;
  }
  /// Later work of `stream` comes after the work of the others.
  sxt_status follow(sxt_stream *stream, const std::set<sxt_stream *> &others) {
    for (sxt_stream *other : others)
      if (sxt_status status = order(other, stream))
        return status;
    return SXT_OK;
  }
  /// The reverse.
  sxt_status lead(sxt_stream *stream, const std::set<sxt_stream *> &others) {
    for (sxt_stream *other : others)
      if (sxt_status status = order(stream, other))
        return status;
    return SXT_OK;
  }
  sxt_status order(sxt_stream *before, sxt_stream *after) {
    if (before == after)
      return SXT_OK;
    sxt_stream *standard = nullptr; // null stands for it
    sxt_status status = sxt_device_default_stream(pool->device, &standard);
    before = before ? before : standard;
    after = after ? after : standard;
    if (status != SXT_OK || before == after)
      return status;
    sxt_event *event = nullptr;
    status = sxt_event_create(pool->device, &event);
    if (status == SXT_OK)
      status = sxt_event_record(event, before);
    if (status == SXT_OK)
      status = sxt_stream_wait_event(after, event);
    sxt_event_release(event);
    return status;
  }

  //===--- On the way back ----------------------------------------------------===//

  /// Copies what reverse() is going to overwrite.
  sxt_status copyRestored(Copies &now, sxt_stream *stream) {
    Ranges ranges;
    for (const Entry &entry : entries) {
      for (const auto &copy : entry.before)
        ranges.add(copy->range);
      if (entry.loop)
        for (const Range &range : entry.loop->state)
          ranges.add(range);
    }
    for (const Range &range : ranges.all)
      if (sxt_status status = copyOf(range, stream, now.emplace_back()))
        return status;
    return SXT_OK;
  }
  sxt_status reverse(const std::vector<Entry> &all, sxt_stream *stream) {
    for (auto entry = all.rbegin(); entry != all.rend(); ++entry) {
      sxt_status status = SXT_OK;
      if (entry->kernel && entry->kernel->gradient)
        status = launchGradients(*entry, stream);
      else if (!entry->overwritten.isEmpty())
        status = gradients.clear(entry->overwritten, stream);
      else if (entry->loop)
        status = reverseLoop(*entry->loop, stream);
      if (status == SXT_OK)
        status = putBack(entry->before, stream);
      if (status != SXT_OK)
        return status;
    }
    return SXT_OK;
  }

  /// Launches the gradient of an entry. Arrays that share memory, which the kernel only reads,
  /// share a gradient, too. Threads add to the elements of one array without a thought of the
  /// other. So each but the first of them has a launch for itself, in which all other gradients go
  /// to copies.
  sxt_status launchGradients(const Entry &entry, sxt_stream *stream) {
    std::vector<Use> uses, shared;
    if (sxt_status status =
            entry.kernel->usesOf(entry.arguments.data(), entry.arguments.size(), uses))
      return status;
    for (const Use &use : uses)
      if (use.hasGradient && use.parameter != Use::noParameter &&
          std::any_of(static_cast<const Use *>(uses.data()), &use, [&](const Use &earlier) {
            return earlier.hasGradient && earlier.range.overlaps(use.range);
          }))
        shared.push_back(use);
    for (const Use &one : shared) {
      Copies fields; // their gradients
      for (const Use &use : uses)
        if (use.hasGradient && use.parameter == Use::noParameter) {
          Range gradient;
          if (sxt_status status = entry.kernel->placeOfField(use.name + ".grad", gradient))
            return status;
          if (sxt_status status = copyOf(gradient, stream, fields.emplace_back()))
            return status;
        }
      sxt_status status = launchGradient(
          entry, stream, [&](size_t parameter) { return parameter == one.parameter; });
      if (status == SXT_OK)
        status = putBack(fields, stream);
      if (status != SXT_OK)
        return status;
    }
    return launchGradient(entry, stream, [&](size_t parameter) {
      return std::none_of(shared.begin(), shared.end(),
                          [&](const Use &use) { return use.parameter == parameter; });
    });
  }
  /// \param counts tells the parameters whose gradient is added to; copies of others are
  template <class Counts>
  sxt_status launchGradient(const Entry &entry, sxt_stream *stream, Counts counts) {
    Copies copies;
    std::vector<sxt_argument> arguments;
    for (const Kernel::Source &source : entry.kernel->sources) {
      if (source.kind == Kernel::Source::Result) {
        arguments.push_back(entry.kernel->gradientOf(source.result));
        continue;
      }
      sxt_argument argument = entry.arguments[source.parameter];
      Range range;
      if (source.kind != Kernel::Source::Argument)
        if (sxt_status status = placeOf(argument, range))
          return status;
      if (!range.isEmpty() && source.kind == Kernel::Source::Before) {
        argument.value.buffer = nullptr;
        argument.offset_bytes = copyIn(entry.before, range);
      } else if (!range.isEmpty()) {
        GradientPlace place;
        if (sxt_status status = gradients.find(range, stream, place, text))
          return status;
        argument.value.buffer = nullptr;
        argument.offset_bytes = place.address;
        if (!counts(source.parameter)) {
          const Range gradient{place.address, place.address + range.size()};
          if (sxt_status status = copyOf(gradient, stream, copies.emplace_back()))
            return status;
          argument.offset_bytes = copies.back()->address();
        }
      }
      arguments.push_back(argument);
    }
    return sxt_kernel_launch(entry.kernel->gradient, stream, arguments.data(), arguments.size());
  }

  /// Where a copy of that memory lies, which is there.
  static uint64_t copyIn(const Copies &copies, const Range &range) {
    const auto isOfIt = [&](const auto &copy) { return copy->range == range; };
    return (*std::find_if(copies.begin(), copies.end(), isOfIt))->address();
  }

  //===--- Loops --------------------------------------------------------------===//

  static sxt_status run(const std::function<sxt_status(int64_t)> &step, int64_t begin,
                        int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (sxt_status status = step(i))
        return status;
    return SXT_OK;
  }
  static sxt_status runUnits(const Loop &of, int64_t begin, int64_t end) {
    return run(of.step, begin * of.every, std::min(end * of.every, of.steps));
  }
  sxt_status takeSnapshot(Loop &of, int64_t unit, sxt_stream *stream) {
    if (sxt_status status = follow(stream, of.streams))
      return status;
    Loop::Snapshot snapshot{unit, {}};
    for (const Range &range : of.state)
      if (sxt_status status = copyOf(range, stream, snapshot.copies.emplace_back()))
        return status;
    of.snapshots.push_back(std::move(snapshot));
    return lead(stream, of.streams);
  }
  /// Runs the steps of some units again, which work in their own streams.
  sxt_status runAgain(const Loop &of, int64_t begin, int64_t end, Doing how, sxt_stream *stream) {
    if (begin >= end)
      return SXT_OK;
    if (sxt_status status = lead(stream, of.streams))
      return status;
    const Restore<Doing> changed(doing, how);
    if (sxt_status status = runUnits(of, begin, end))
      return status;
    return follow(stream, of.streams);
  }
  /// Goes back from the last unit to the first. Each is recorded, after its begin was restored from
  /// a snapshot and the units between them were run again. On the way to it more snapshots are
  /// taken, where others are not used any more.
  sxt_status reverseLoop(Loop &of, sxt_stream *stream) {
    for (int64_t target = of.units() - 1; target >= 0; --target) {
      while (of.snapshots.back().unit > target)
        of.snapshots.pop_back();
      int64_t unit = of.snapshots.back().unit;
      if (sxt_status status = putBack(of.snapshots.back().copies, stream))
        return status;
      while (target - unit > 0 && of.snapshots.size() < of.most) {
        const int64_t count =
            stepsToSnapshot(target - unit + 1, int64_t(of.most - of.snapshots.size()) + 1);
        if (sxt_status status = runAgain(of, unit, unit + count, Doing::Again, stream))
          return status;
        unit += count;
        if (sxt_status status = takeSnapshot(of, unit, stream))
          return status;
      }
      if (sxt_status status = runAgain(of, unit, target, Doing::Again, stream))
        return status;
      const Restore<std::vector<Entry>> recorded(entries, {});
      const Restore<Ranges> before(needed, {});
      if (sxt_status status = runAgain(of, target, target + 1, Doing::Record, stream))
        return status;
      if (sxt_status status = reverse(entries, stream))
        return status;
    }
    return putBack(of.snapshots.front().copies, stream);
  }

  std::shared_ptr<Pool> pool;
  Gradients gradients;
  const bool keeps;
  bool isBroken = false; ///< a loop was left by an error
  Doing doing = Doing::Record;
  Loop *loop = nullptr; ///< whose steps are watched
  std::vector<Entry> entries;
  Ranges needed; ///< memory that recorded gradients read, and no later launch has overwritten
  Pending pending;
  std::string text;
};

} // namespace sextant::recording
