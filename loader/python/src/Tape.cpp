// Tapes, over the recording that C++ programs use too (sextant/recording). Here are the Python
// objects that a recording refers to, the interpreter's lock, and the tape of each thread.
#include "Tape.h"
#include "Libraries.h"
#include "Waits.h"

#include <sextant/recording/recording.hpp>

#include <map>
#include <unordered_set>

namespace sextant::python {
namespace {

using recording::Range;

struct Tape;
/// The tape that records launches of this thread; null: none does.
thread_local Tape *current = nullptr;

struct Tape {
  Tape(nb::object loss, bool keep) : recording(nullptr, keep), loss(std::move(loss)) {}
  Tape(const Tape &) = delete;
  Tape &operator=(const Tape &) = delete;
  ~Tape() {
    if (current == this)
      current = nullptr;
  }

  recording::Recording recording;
  std::shared_ptr<Device> device;     ///< the first launch was there; null: there was none
  Stream *last = nullptr;             ///< the last launch was there
  nb::object loss;                    ///< or None: the end of the block goes back from it
  std::vector<Tape *> outer;          ///< the tapes that each `with` of this one stands in
  std::map<Range, nb::object> arrays; ///< objects that keep recorded memory alive
  std::map<Range, nb::object> given;  ///< gradients of the application, by their arrays
  std::vector<nb::object> steps;      ///< functions of loops
  std::unordered_set<std::shared_ptr<LoadedProgram>> programs;
  std::unordered_set<std::shared_ptr<Stream>> streams; ///< those that Python may release

  /// Throws what a call of the recording returned.
  void check(sxt_status status) const {
    if (status != SXT_OK && !recording.message().empty())
      raise(status, "%s", recording.message().c_str());
    python::check(status);
  }
  /// Makes a call of the recording, during which other threads run.
  template <class Call> void call(Call made) {
    sxt_status status = SXT_OK;
    {
      const Unlocked released;
      status = made();
    }
    check(status);
  }
  void requireLaunch() const {
    if (!device)
      raise(SXT_ERROR_INVALID_ARGUMENT, "the tape has recorded no launch");
  }
  void start(const std::shared_ptr<Device> &on) {
    if (device && device->name != on->name)
      raise(SXT_ERROR_INVALID_ARGUMENT, "the tape records launches on %s, and this one is on %s",
            device->name.c_str(), on->name.c_str());
    if (device)
      return;
    device = on;
    recording.start(device->handle.get());
  }
  void hold(Stream &stream) {
    last = &stream;
    if (auto shared = stream.weak_from_this().lock())
      streams.insert(std::move(shared));
  }
  void reset() {
    recording.reset();
    last = nullptr;
    arrays.clear();
    given.clear();
    steps.clear();
    programs.clear();
    streams.clear();
  }
};

/// Returns the facts of a kernel, which are read once.
const std::shared_ptr<const recording::Kernel> &factsOf(Kernel &kernel) {
  if (!kernel.recorded) {
    auto facts = std::make_shared<recording::Kernel>();
    sxt_module *module = kernel.program->module->handle.get();
    sxt_program *program = kernel.program->open();
    const char *name = kernel.signature->kernel.c_str();
    unlocked([&] { return facts->open(module, program, name); });
    kernel.recorded = std::move(facts);
  }
  return kernel.recorded;
}

/// An array of any library, by its memory.
struct Memory {
  Range range;
  std::vector<int64_t> extents; ///< with those of elements; of structs, without
  uint64_t itemBytes = 0;
  sxt_dtype dtype = SXT_DTYPE_F32; ///< the type of scalars
  nb::object keeper;
};

sxt_dtype dtypeOf(dlpack::DataType type) {
  for (unsigned each = SXT_DTYPE_BOOL; each < abi::scalarTypeEnd; ++each)
    if (const dlpack::DataType one = inDlpack(sxt_dtype(each));
        one.code == type.code && one.bits == type.bits)
      return sxt_dtype(each);
  return SXT_DTYPE_F32;
}

Memory memoryOf(Device &device, nb::handle object) {
  Borrowed array;
  Current stream;
  const Library library = libraryOf(object);
  if (library.kind == Library::OwnArray) {
    Array &own = python::own<Array>(object);
    return {{own.address, own.address + own.bytes()},
            own.full,
            sxt_dtype_size(own.dtype),
            own.dtype,
            nb::borrow(object)};
  }
  if (library.kind == Library::OwnPointer) {
    Pointer &pointer = python::own<Pointer>(object);
    return {{pointer.address, pointer.address + bytesOf(pointer.dtype, pointer.full)},
            pointer.full,
            sxt_dtype_size(pointer.dtype),
            pointer.dtype,
            pointer.owner};
  }
  if (library.kind == Library::Exchange) {
    if (library.api->view(object.ptr(), &array.tensor) != 0)
      throwPending();
  } else if (library.kind == Library::Masked ||
             !borrow(object, device, device.defaultStream.native, array, stream)) {
    raise(SXT_ERROR_SIGNATURE, "expected an array, given %s", typeName(object).c_str());
  }
  const dlpack::Tensor &tensor = array.tensor;
  if (!isContiguous(tensor))
    raise(SXT_ERROR_INVALID_ARGUMENT, "the array's elements do not lie in C order");
  Memory memory;
  memory.itemBytes = array.item.bytes ? array.item.bytes : tensor.dtype.bits / 8u;
  memory.dtype = dtypeOf(tensor.dtype);
  memory.extents.assign(tensor.shape, tensor.shape + tensor.ndim);
  uint64_t bytes = memory.itemBytes;
  for (int64_t extent : memory.extents)
    bytes *= uint64_t(extent);
  memory.range.begin = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  memory.range.end = memory.range.begin + bytes;
  memory.keeper = keeperOf(object);
  return memory;
}

/// The stream of a call that has `stream=`: that one, or without it that of the last launch. On the
/// CPU it is the default one, and the call waits.
Stream &streamOfCall(Tape &tape, nb::handle given) {
  Device &device = *tape.device;
  if (Stream *stream = streamFrom(device, given))
    return *stream;
  Stream &stream = device.family == Device::Cpu || !tape.last ? device.defaultStream : *tape.last;
  device.follow(stream);
  return stream;
}

void finish(Tape &tape, Stream &stream, nb::handle given) {
  if (given.is_none() && tape.device->family == Device::Cpu)
    stream.synchronize();
  deliverPrints();
}

void enter(Tape &tape) { tape.outer.push_back(std::exchange(current, &tape)); }

void leave(Tape &tape) {
  if (tape.outer.empty() || current != &tape)
    raise(SXT_ERROR_INVALID_ARGUMENT, "the tape does not record launches of this thread");
  current = tape.outer.back();
  tape.outer.pop_back();
}

/// The thread's launches are the tape's while this exists.
class Within {
public:
  explicit Within(Tape &tape) : before(std::exchange(current, &tape)) {}
  Within(const Within &) = delete;
  Within &operator=(const Within &) = delete;
  ~Within() { current = before; }

private:
  Tape *before;
};

void backward(Tape &tape, nb::object loss, nb::object given) {
  tape.requireLaunch();
  Range range;
  if (!loss.is_none())
    range = memoryOf(*tape.device, loss).range;
  Stream &stream = streamOfCall(tape, given);
  {
    const Within steps(tape); // loops run them again
    tape.call(
        [&] { return tape.recording.backward(loss.is_none() ? nullptr : &range, stream.handle); });
  }
  tape.hold(stream);
  finish(tape, stream, given);
}

void checkpoint(Tape &tape, nb::object step, nb::handle steps, nb::handle every,
                nb::handle snapshots) {
  if (current != &tape)
    raise(SXT_ERROR_INVALID_ARGUMENT,
          "checkpoint() stands in the block of its tape: `with tape: tape.checkpoint(…)`");
  const auto count = int64_t(unsignedFrom(steps, "steps", 62)),
             unit = int64_t(unsignedFrom(every, "every", 62));
  const size_t most = unsignedFrom(snapshots, "snapshots", 32);
  tape.steps.push_back(step);
  const auto run = [function = nb::handle(step)](int64_t i) {
    const nb::gil_scoped_acquire locked;
    function(i);
    return SXT_OK;
  };
  tape.call([&] { return tape.recording.runLoop(run, count, unit, most); });
}

/// The gradient of an array.
nb::object gradientOf(Tape &tape, nb::object object) {
  tape.requireLaunch();
  const Memory memory = memoryOf(*tape.device, object);
  if (const auto given = tape.given.find(memory.range); given != tape.given.end())
    return given->second;
  recording::GradientPlace place;
  Stream &stream = streamOfCall(tape, nb::none());
  tape.call([&] { return tape.recording.gradientOf(memory.range, stream.handle, place); });
  finish(tape, stream, nb::none());
  auto array = std::make_shared<Array>();
  array->device = tape.device;
  array->dtype = place.dtype;
  array->shape = array->full = memory.extents;
  const uint64_t scalar = sxt_dtype_size(place.dtype);
  if (memory.itemBytes != scalar) // structs are runs of scalars
    array->full.push_back(int64_t(memory.itemBytes / scalar));
  array->address = place.address;
  array->kept = place.memory;
  if (!place.memory) // a field's, or a part of one that was given
    array->kept = std::make_shared<std::pair<decltype(tape.programs), decltype(tape.given)>>(
        tape.programs, tape.given);
  check(sxt_buffer_wrap(tape.device->handle.get(), place.address, memory.range.size(),
                        array->owned.place()));
  array->buffer = array->owned.get();
  return nb::cast(array);
}

void setGradient(Tape &tape, nb::object object, nb::object gradient) {
  tape.requireLaunch();
  const Memory array = memoryOf(*tape.device, object), given = memoryOf(*tape.device, gradient);
  if (array.extents != given.extents || array.itemBytes != given.itemBytes ||
      array.dtype != given.dtype)
    raise(SXT_ERROR_SIGNATURE, "the gradient has another type or shape than the array");
  tape.call([&] { return tape.recording.giveGradient(array.range, array.dtype, given.range); });
  tape.arrays[array.range] = array.keeper;
  tape.arrays[given.range] = given.keeper;
  tape.given[array.range] = gradient;
}

void overwrites(Tape &tape, nb::object object, nb::object given) {
  if (!tape.device)
    return; // no launch has used anything
  Stream &stream = streamOfCall(tape, given);
  const Range range = memoryOf(*tape.device, object).range;
  tape.hold(stream);
  tape.call([&] { return tape.recording.beforeWrite(range, stream.handle); });
  tape.recording.after();
  if (tape.device->family == Device::Cpu)
    stream.synchronize(); // the copy is made
}

void zero(Tape &tape, nb::object given) {
  tape.requireLaunch();
  Stream &stream = streamOfCall(tape, given);
  tape.call([&] { return tape.recording.zero(stream.handle); });
  finish(tape, stream, given);
}

/// `with tape.pause():`
struct Pause {
  Tape *before = nullptr;
};

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  const Tape &tape = *nb::inst_ptr<Tape>(self);
  Py_VISIT(tape.loss.ptr());
  for (const nb::object &step : tape.steps)
    Py_VISIT(step.ptr());
  for (const auto *objects : {&tape.arrays, &tape.given})
    for (const auto &[range, object] : *objects)
      Py_VISIT(object.ptr());
  return 0;
}

int clear(PyObject *self) {
  Tape &tape = *nb::inst_ptr<Tape>(self);
  tape.reset();
  tape.loss = nb::none();
  return 0;
}

} // namespace

Recorded::Recorded(Kernel &kernel, Arguments &arguments, Stream &stream) {
  Tape *tape = current;
  if (!tape) [[likely]]
    return;
  tape->start(kernel.program->device);
  const auto &facts = factsOf(kernel);
  tape->call([&] {
    return tape->recording.before(facts, stream.handle, arguments.data(), arguments.size());
  });
  tape->programs.insert(kernel.program);
  tape->hold(stream);
  for (size_t i = 0; i < arguments.size(); ++i) {
    Range range;
    if (!arguments.objectOf(i).is_valid())
      continue;
    check(recording::placeOf(arguments.data()[i], range));
    if (const auto known = tape->arrays.find(range); known == tape->arrays.end())
      tape->arrays.emplace(range, keeperOf(arguments.objectOf(i)));
  }
}

void Recorded::done() {
  if (current) [[unlikely]]
    current->recording.after();
}

void recordWrite(const Array &array, Stream &stream) {
  Tape *tape = current;
  if (!tape || !tape->device || tape->device->name != array.device->name)
    return;
  tape->hold(stream);
  tape->call([&] {
    return tape->recording.beforeWrite({array.address, array.address + array.bytes()},
                                       stream.handle);
  });
  tape->recording.after();
}

void refuseRecording(const char *what) {
  if (current) [[unlikely]]
    raise(
        SXT_ERROR_UNSUPPORTED,
        "a tape records calls of kernels, and not %s: call the kernel, or use `with tape.pause():`",
        what);
}

void bindTapes(nb::module_ &module) {
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void *>(&traverse)},
                                {Py_tp_clear, reinterpret_cast<void *>(&clear)},
                                {0, nullptr}};
  nb::class_<Pause>(module, "_Pause")
      .def("__enter__", [](Pause &self) { self.before = std::exchange(current, nullptr); })
      .def("__exit__", [](Pause &self, nb::args) { current = self.before; });
  nb::class_<Tape>(
      module, "Tape", nb::type_slots(slots), nb::is_weak_referenceable(),
      "Records the launches of a thread, and launches their gradients in reverse order:\n"
      "`with sextant.Tape() as tape:`, then `tape.backward(loss)`. With `loss=`, the end of the "
      "block does that.\n"
      "With keep=False, a launch that overwrites what an earlier gradient reads is an error; else "
      "it is copied before.")
      .def(nb::new_([](nb::object loss, bool keep) {
             return std::make_shared<Tape>(std::move(loss), keep);
           }),
           nb::arg("loss") = nb::none(), nb::kw_only(), nb::arg("keep") = true)
      .def("__enter__",
           [](nb::object self) {
             enter(own<Tape>(self));
             return self;
           })
      .def(
          "__exit__",
          [](Tape &self, nb::handle type, nb::handle, nb::handle) {
            leave(self);
            if (type.is_none() && !self.loss.is_none())
              backward(self, self.loss, nb::none());
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def("backward", &backward, nb::arg("loss") = nb::none(), nb::kw_only(),
           nb::arg("stream") = nb::none(),
           "Launches the gradients of all that was recorded, the last one first. The gradient of "
           "`loss` is set to 1\nbefore, and all but those of set_gradient() to 0.")
      .def("gradient", &gradientOf, nb::arg("array"),
           "Returns the gradient of an array that was recorded: a sextant.Array, or what "
           "set_gradient() gave.")
      .def("set_gradient", &setGradient, nb::arg("array"), nb::arg("gradient"),
           "Uses an array of the same type and shape as the gradient, which is added to.")
      .def(
          "checkpoint", &checkpoint, nb::arg("step"), nb::arg("steps"), nb::kw_only(),
          nb::arg("every") = 1, nb::arg("snapshots") = 32,
          "Calls step(i) for i in range(steps), and keeps what the steps change at a few of them "
          "only. On the way back\nthe others are called again, and `every` steps are recorded at a "
          "time.")
      .def("overwrites", &overwrites, nb::arg("array"), nb::kw_only(),
           nb::arg("stream") = nb::none(),
           "Says that other code than kernels is going to write to an array. Call it before that.")
      .def(
          "pause", [](Tape &) { return Pause{}; }, "A block in which launches are not recorded.")
      .def("zero", &zero, nb::kw_only(), nb::arg("stream") = nb::none(), "Sets all gradients to 0.")
      .def(
          "reset", [](Tape &self) { self.reset(); }, "Forgets the launches and the gradients.")
      .def("__len__", [](Tape &self) { return self.recording.size(); })
      .def_prop_ro(
          "kept_bytes", [](Tape &self) { return self.recording.keptBytes(); },
          "Bytes of copies and snapshots.")
      .def_prop_ro(
          "most_kept_bytes", [](Tape &self) { return self.recording.mostKeptBytes(); },
          "The most that there were at a time.");
}

} // namespace sextant::python
