// Gradients of whole computations: a Tape records the launches of kernels, and launches their
// gradients in reverse order. docs/autodiff.md explains it. C++17, header-only, in both modes of
// sextant.hpp.
//
//   sextant::DifferentiableKernel step(module, program, "step"), energy(module, program, "energy");
//   sextant::Tape tape(device);
//   tape.launch(step, stream, x, v);
//   tape.launch(energy, stream, x, loss);
//   tape.backward(stream, loss);
//   tape.readGradient(stream, x, sextant::Span<float>(slope));
#pragma once

#include "sextant/recording/recording.hpp"
#include "sextant/sextant.hpp"

namespace sextant {
#ifdef SEXTANT_THROWS
inline namespace throwing {
#else
inline namespace results {
#endif

/// A kernel, and its gradient if the module has one: it was built by --kernel NAME.grad. A small
/// value, valid as long as the program.
class DifferentiableKernel {
public:
  DifferentiableKernel() = default;
  /// Finds a kernel as Program::kernel does, and its gradient beside it.
  static Result<DifferentiableKernel> create(const Module &module, const Program &program,
                                             const std::string &name) {
    const auto made = std::make_shared<recording::Kernel>();
    sxt_kernel *kernel = nullptr;
    if (sxt_status status = made->open(module.get(), program.get(), name.c_str()))
      return detail::failed(status);
    if (sxt_status status = sxt_program_kernel(program.get(), made->name.c_str(), &kernel))
      return detail::failed(status);
    DifferentiableKernel result;
    result.facts = made;
    result.itself = Kernel(kernel);
    return result;
  }
#ifdef SEXTANT_THROWS
  DifferentiableKernel(const Module &module, const Program &program, const std::string &name)
      : DifferentiableKernel(create(module, program, name)) {}
#endif
  /// Returns true if the module has the kernel's gradient.
  bool hasGradient() const { return facts && facts->gradient; }
  const Kernel &kernel() const noexcept { return itself; }

private:
  friend class Tape;
  std::shared_ptr<const recording::Kernel> facts;
  Kernel itself;
};

/// How Tape::checkpoint keeps what it goes back by.
struct Checkpoints {
  size_t snapshots = 32; ///< the most that are kept at a time
  int64_t every = 1;     ///< steps that are recorded at a time, from one snapshot
};

/// Records launches on one device. One thread uses a tape at a time. Programs, arrays and streams
/// that it has recorded must exist as long as it goes backwards. Between two launches, arrays are
/// written by other launches of the tape only, or after overwrites().
class Tape {
  struct State {
    State(sxt_device *device, bool keep) : recording(device, keep) {}
    recording::Recording recording;
    std::optional<Error> failure; ///< the error of a loop's step
  };
  std::unique_ptr<State> state;

  /// Turns a status of the recording into a result.
  auto failed(sxt_status status) const {
    return state->failure ? detail::failed(state->failure->status(), state->failure->message())
           : state->recording.message().empty()
               ? detail::failed(status)
               : detail::failed(status, state->recording.message());
  }
  static auto missing() {
    return detail::failed(SXT_ERROR_INVALID_ARGUMENT, "the tape was moved from, or not created");
  }

public:
  Tape() = default;
  /// \param keep if false, a launch that overwrites what an earlier gradient reads is an error;
  ///             else it is copied before
  static Result<Tape> create(const Device &device, bool keep = true) {
    Tape tape;
    tape.state = std::make_unique<State>(device.get(), keep);
    return tape;
  }
#ifdef SEXTANT_THROWS
  explicit Tape(const Device &device, bool keep = true) : Tape(create(device, keep)) {}
#endif

  /// Queues a launch, and records it. Arguments are those of Kernel.
  template <class... Args>
  Result<void> launch(const DifferentiableKernel &kernel, const Stream &stream,
                      const Args &...args) {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    if (!state)
      return missing();
    if (kernel.facts)
      if (sxt_status status =
              state->recording.before(kernel.facts, stream.get(), list.data(), list.size()))
        return failed(status);
    if (sxt_status status =
            sxt_kernel_launch(kernel.itself.get(), stream.get(), list.data(), list.size()))
      return detail::failed(status);
    state->recording.after();
    return {};
  }
  /// Says that the program itself is going to write to an array, by work in this stream. What the
  /// array held before does not matter for later launches, so its gradient ends here.
  template <class A> Result<void> overwrites(const Stream &stream, const A &array) {
    if (!state)
      return missing();
    recording::Range range;
    if (sxt_status status = recording::placeOf(toArgument(array), range))
      return detail::failed(status);
    if (sxt_status status = state->recording.beforeWrite(range, stream.get()))
      return failed(status);
    state->recording.after();
    return {};
  }
  /// Runs `step(i)` for i from 0 to before `steps`, by launches of this tape. What they change is
  /// kept at a few steps only. On the way back the steps between are run again, so they must do the
  /// same each time. `step` returns nothing or a Result<void>; the tape keeps it.
  template <class Step>
  Result<void> checkpoint(int64_t steps, Step step, const Checkpoints &checkpoints = {}) {
    if (!state)
      return missing();
    state->failure.reset();
    const auto run = [in = state.get(), step](int64_t i) mutable -> sxt_status {
#ifdef SEXTANT_THROWS
      (void)in;
      step(i);
#else
      if constexpr (std::is_void_v<decltype(step(i))>)
        step(i);
      else if (Result<void> done = step(i); !done)
        return in->failure.emplace(done.error()).status();
#endif
      return SXT_OK;
    };
    if (sxt_status status =
            state->recording.runLoop(run, steps, checkpoints.every, checkpoints.snapshots))
      return failed(status);
    return {};
  }

  /// Launches the gradients of all that was recorded, the last one first, in a stream, after the
  /// work of the streams of the launches. It adds to gradients, which are zero at first.
  Result<void> backward(const Stream &stream) { return run(stream, nullptr); }
  /// The same for one result. Its gradient is set to one before, and those of all other arrays to
  /// zero, but for those that were given.
  template <class A> Result<void> backward(const Stream &stream, const A &loss) {
    recording::Range range;
    if (sxt_status status = recording::placeOf(toArgument(loss), range))
      return detail::failed(status);
    return run(stream, &range);
  }

  /// Returns the gradient of an array that a recorded launch takes, as an argument of launches. It
  /// belongs to the tape until reset(); one that is new gets zeros in this stream. The gradient of
  /// a field is the field `x.grad`.
  template <class T, unsigned N>
  Result<ArrayView<T, N>> gradient(const Stream &stream, const ArrayView<T, N> &array) {
    if (!state)
      return missing();
    recording::Range range;
    recording::GradientPlace place;
    if (sxt_status status = recording::placeOf(toArgument(array), range))
      return detail::failed(status);
    if (sxt_status status = state->recording.gradientOf(range, stream.get(), place))
      return failed(status);
    ArrayView<T, N> view = array;
    view.buffer = nullptr;
    view.offsetBytes = place.address;
    return view;
  }
  template <class T, unsigned N>
  Result<ArrayView<T, N>> gradient(const Stream &stream, const Array<T, N> &array) {
    return gradient(stream, array.view());
  }
  /// Copies the gradient to `values`, after the work in the stream, and blocks until that is done.
  template <class A, class T>
  Result<void> readGradient(const Stream &stream, const A &array, Span<T> values) {
    if (!state)
      return missing();
    recording::Range range;
    if (sxt_status status = recording::placeOf(toArgument(array), range))
      return detail::failed(status);
    if (sxt_status status =
            state->recording.readGradient(range, values.data(), values.sizeBytes(), stream.get()))
      return failed(status);
    return {};
  }
  /// Uses memory of the caller as the gradient of an array: it is added to.
  template <class T, unsigned N>
  Result<void> setGradient(const ArrayView<T, N> &array, const ArrayView<T, N> &gradient) {
    if (!state)
      return missing();
    recording::Range range, given;
    if (sxt_status status = recording::placeOf(toArgument(array), range))
      return detail::failed(status);
    if (sxt_status status = recording::placeOf(toArgument(gradient), given))
      return detail::failed(status);
    if (sxt_status status = state->recording.giveGradient(range, Element<T>::dtype, given))
      return failed(status);
    return {};
  }
  template <class T, unsigned N>
  Result<void> setGradient(const Array<T, N> &array, const Array<T, N> &gradient) {
    return setGradient(array.view(), gradient.view());
  }
  /// Sets all gradients to zero.
  Result<void> zero(const Stream &stream) {
    if (!state)
      return missing();
    if (sxt_status status = state->recording.zero(stream.get()))
      return failed(status);
    return {};
  }
  /// Forgets the launches and the gradients.
  void reset() {
    if (state)
      state->recording.reset();
  }

  /// The number of launches, and of loops.
  size_t size() const { return state ? state->recording.size() : 0; }
  /// Bytes of copies and snapshots, now and at most.
  uint64_t keptBytes() const { return state ? state->recording.keptBytes() : 0; }
  uint64_t mostKeptBytes() const { return state ? state->recording.mostKeptBytes() : 0; }

private:
  Result<void> run(const Stream &stream, const recording::Range *loss) {
    if (!state)
      return missing();
    state->failure.reset();
    if (sxt_status status = state->recording.backward(loss, stream.get()))
      return failed(status);
    return {};
  }
};

} // inline namespace results, or throwing
} // namespace sextant
