// Streams and events, and the objects that queued work needs.
#include "Libraries.h"
#include "Waits.h"

#include <chrono>

namespace sextant::python {

// Waits this short are not worth a wake-up of another thread.
constexpr auto shortWait = std::chrono::microseconds(30);

// A batch is one event. More objects an event: fewer events, but memory is kept for longer.
constexpr size_t batchObjects = 32, mostBatches = 16;

Stream::~Stream() {
  const Held all = takeHeld();
  owned.reset(); // waits for the work
}

void Stream::hold(nb::object object) {
  // The loader frees the package's own memory after the work that uses it. Such an array refers to
  // its device, and so to its streams: it must not wait for them to let it go.
  if (object.is_none() || libraryOf(object).kind == Library::OwnArray)
    return;
  giveUp(false);
  held.recent.push_back(std::move(object));
  if (held.recent.size() < batchObjects)
    return;
  if (held.batches.size() >= mostBatches)
    giveUp(true);
  Batch batch;
  check(sxt_event_create(device->handle.get(), batch.event.place()));
  check(sxt_event_record(batch.event.get(), handle));
  batch.objects.swap(held.recent);
  held.batches.push_back(std::move(batch));
}

/// Gives up the batches that are done; waits for the first one if `wait` says so.
void Stream::giveUp(bool wait) {
  if (wait && !held.batches.empty()) {
    Batch first = std::move(held.batches.front());
    held.batches.pop_front(); // before other threads run
    unlockedQuietly([&] { return sxt_event_synchronize(first.event.get()); });
  }
  while (!held.batches.empty() && sxt_event_query(held.batches.front().event.get()) == SXT_OK) {
    Batch done = std::move(held.batches.front());
    held.batches.pop_front(); // before destructors run Python code
  }
}

bool Stream::isIdle() {
  if (!probe.get())
    check(sxt_event_create(device->handle.get(), probe.place()));
  check(sxt_event_record(probe.get(), handle));
  const Unlocked released;
  const auto end = std::chrono::steady_clock::now() + shortWait;
  do
    if (sxt_event_query(probe.get()) == SXT_OK)
      return true;
  while (std::chrono::steady_clock::now() < end);
  return false;
}

void Stream::collect() {
  const Held all = takeHeld();
  unlocked([&] { return sxt_stream_synchronize(handle); });
}

void Stream::synchronize() {
  if (isIdle()) {
    collect();
    reapWaits(); // nothing else may wait, and let go what an interrupted wait kept
    return;
  }
  struct Kept {
    Held held; // work that other threads queue meanwhile stays
    std::shared_ptr<Device> device;
    std::shared_ptr<Stream> stream; ///< empty: the device's
  };
  wait(std::make_shared<Kept>(takeHeld(), device->shared_from_this(), weak_from_this().lock()),
       [in = handle] { return sxt_stream_synchronize(in); });
}

Event::Event(std::shared_ptr<Device> on) : device(std::move(on)) {
  check(sxt_event_create(device->handle.get(), handle.place()));
}

namespace {

/// The handle in what `__cuda_stream__` returned.
nb::object handleOf(const nb::object &pair) {
  if (!PyTuple_Check(pair.ptr()) || nb::len(pair) != 2)
    raise(SXT_ERROR_SIGNATURE,
          "stream: __cuda_stream__() returned %s, expected a version and a handle",
          shown(pair).c_str());
  return pair[1];
}

/// Refuses a stream of another library that says it is of another device.
void requireSameDevice(const Device &device, nb::handle given) {
  const nb::object theirs = attributeOf(given, "device");
  const nb::handle owner = theirs.is_valid() ? nb::handle(theirs) : given;
  for (const char *number : {"device_id", "index"}) { // CuPy and cuda.core; torch
    const nb::object known = attributeOf(owner, number);
    if (known.is_valid() && PyLong_Check(known.ptr()) && int64From(known, number) != device.ordinal)
      raise(SXT_ERROR_INVALID_ARGUMENT, "stream: it belongs to device %s, and the call to %s",
            shown(known).c_str(), device.name.c_str());
  }
}

/// The driver's handle of a stream: the integer itself, or what a library's stream has.
nb::object nativeOf(nb::handle given) {
  if (PyLong_Check(given.ptr()))
    return nb::borrow(given);
  if (nb::object native = attributeOf(given, "cuda_stream")) // torch
    return native;
  if (const nb::object method = attributeOf(given, "__cuda_stream__")) // cuda.core and others
    return handleOf(method());
  if (nb::object native = attributeOf(given, "ptr")) // CuPy
    return native;
  raise(SXT_ERROR_SIGNATURE,
        "stream: expected a sextant.Stream, a driver's handle as an integer or a stream of torch, "
        "CuPy or cuda.core, given %s",
        typeName(given).c_str());
}

} // namespace

Stream *streamFrom(Device &device, nb::handle given) {
  if (given.is_none())
    return nullptr;
  if (Stream *stream = nullptr; nb::try_cast(given, stream, false)) {
    if (stream->device->name != device.name) // the loader refuses those of other contexts
      raise(SXT_ERROR_INVALID_ARGUMENT, "stream: it belongs to %s, and the call to %s",
            stream->device->name.c_str(), device.name.c_str());
    return stream;
  }
  requireSameDevice(device, given);
  const uint64_t handle = unsignedFrom(nativeOf(given), "stream");
  return &device.streamOf(reinterpret_cast<void *>(handle));
}

void bindStreams(nb::module_ &module) {
  nb::class_<Stream>(
      module, "Stream", nb::is_weak_referenceable(),
      "Work that runs in the order in which it was given. `device.stream()` makes one, which runs "
      "beside\nthe others. Calls of any thread may use it.")
      .def("synchronize", &Stream::synchronize, "Waits until all work of the stream is done.")
      .def(
          "wait",
          [](Stream &self, Event &event) {
            check(sxt_stream_wait_event(self.handle, event.handle.get()));
          },
          nb::arg("event"),
          "Makes later work of this stream wait for the point that `event` has recorded.")
      .def(
          "record",
          [](Stream &self) {
            auto event = std::make_shared<Event>(self.device->shared_from_this());
            check(sxt_event_record(event->handle.get(), self.handle));
            return event;
          },
          "Returns a new event that has recorded the work so far.")
      .def_prop_ro(
          "native", [](Stream &self) { return reinterpret_cast<uintptr_t>(self.native); },
          "The driver's handle, a CUstream or hipStream_t; 0 on the CPU. torch.cuda.ExternalStream "
          "takes it.")
      .def_prop_ro(
          "device", [](Stream &self) { return self.device->shared_from_this(); }, "The device.")
      .def_prop_ro(
          "held", [](Stream &self) { return self.heldCount(); },
          "How many arrays the stream keeps alive for work that may not be done.")
      .def("__enter__", [](nb::object self) { return self; })
      .def(
          "__exit__", [](Stream &self, nb::args) { self.synchronize(); },
          "Waits for the stream's work.");

  nb::class_<Event>(module, "Event", "A point in a stream; `stream.record()` makes one.")
      .def(nb::new_([](std::shared_ptr<Device> device) { return std::make_shared<Event>(device); }),
           nb::arg("device"))
      .def(
          "record",
          [](Event &self, nb::object stream) {
            Stream *in = streamFrom(*self.device, stream);
            check(sxt_event_record(self.handle.get(), in ? in->handle : nullptr));
          },
          nb::arg("stream") = nb::none(),
          "Records the end of the work that the stream has been given so far.")
      .def(
          "synchronize",
          [](std::shared_ptr<Event> self) {
            wait(self, [event = self->handle.get()] { return sxt_event_synchronize(event); });
          },
          "Waits until the stream has reached the recorded point.")
      .def(
          "query",
          [](Event &self) {
            const sxt_status status = sxt_event_query(self.handle.get());
            if (status != SXT_ERROR_NOT_READY)
              check(status);
            return status == SXT_OK;
          },
          "True if the stream has reached the recorded point.")
      .def(
          "elapsed_since",
          [](Event &self, Event &begin) {
            double milliseconds = 0;
            check(sxt_event_elapsed(begin.handle.get(), self.handle.get(), &milliseconds));
            return milliseconds;
          },
          nb::arg("begin"), "The milliseconds from `begin` to this event.");
}

} // namespace sextant::python
