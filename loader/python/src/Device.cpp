// Devices: opening, adopting, and the streams that belong to them.
#include "Device.h"
#include "Waits.h"

#include <algorithm>
#include <cstdlib>

namespace sextant::python {
namespace {

nb::dict describe(const sxt_device_info &info) {
  nb::dict facts;
  facts["name"] = info.name;
  facts["backend"] = info.backend;
  facts["description"] = info.description;
  facts["arch"] = info.arch;
  nb::list waves, features;
  for (size_t i = 0; i < info.wave_size_count; ++i)
    waves.append(info.wave_sizes[i]);
  for (size_t i = 0; i < info.feature_count; ++i)
    features.append(info.features[i]);
  facts["wave_sizes"] = nb::tuple(waves);
  facts["features"] = nb::tuple(features);
  facts["memory_bytes"] = info.memory_bytes;
  facts["shared_memory_bytes"] = info.shared_memory_bytes;
  facts["multiprocessors"] = info.multiprocessors;
  facts["max_threads_per_block"] = info.max_threads_per_block;
  return facts;
}

nb::dict describeOpen(const Device &device) {
  auto info = sized<sxt_device_info>();
  check(sxt_device_describe(device.handle.get(), &info));
  return describe(info);
}

std::shared_ptr<Device> adopt(nb::str given, nb::handle context, nb::handle stream) {
  auto info = sized<sxt_adopt_info>();
  const std::string backend = stringFrom(given, "backend");
  info.backend = backend.c_str();
  info.context = reinterpret_cast<void *>(unsignedFrom(context, "context"));
  info.stream = reinterpret_cast<void *>(unsignedFrom(stream, "stream"));
  sxt_device *opened = nullptr;
  unlockedQuietly([&] { return sxt_device_adopt(&info, &opened); });
  return std::make_shared<Device>(opened);
}

nb::list devices() {
  size_t count = 0;
  unlocked([&] { return sxt_device_count(&count); });
  nb::list all;
  for (size_t i = 0; i < count; ++i) {
    auto info = sized<sxt_device_info>();
    check(sxt_device_get_info(i, &info));
    all.append(describe(info));
  }
  return all;
}

/// The devices that are open. The interpreter's lock guards the list.
std::vector<Device *> &alive() {
  static auto *list = new std::vector<Device *>;
  return *list;
}

} // namespace

Device::Device(sxt_device *opened) : handle(opened) {
  auto info = sized<sxt_device_info>();
  check(sxt_device_describe(opened, &info));
  name = info.name;
  const std::string kind = name.substr(0, name.find(':'));
  family = kind == "cpu" ? Cpu : kind == "cuda" ? Cuda : kind == "hip" ? Hip : Other;
  if (const size_t colon = name.find(':'); colon != std::string::npos)
    ordinal = std::atoi(name.c_str() + colon + 1);
  check(sxt_device_default_stream(opened, &defaultStream.handle));
  check(sxt_stream_native(defaultStream.handle, &defaultStream.native));
  defaultStream.device = this;
  alive().push_back(this);
}

Device::~Device() { std::erase(alive(), this); }

void finishDevices() {
  const std::vector<Device *> all = alive();
  for (Device *each : all) {
    if (std::find(alive().begin(), alive().end(), each) == alive().end())
      continue; // it went with what another one held
    const std::shared_ptr<Device> device = each->weak_from_this().lock();
    try {
      if (device)
        device->synchronize();
    } catch (nb::python_error &) {
      // The device is lost, and has let go.
    }
  }
}

std::shared_ptr<Device> Device::open(const char *name) {
  sxt_device *opened = nullptr;
  unlockedQuietly([&] { return sxt_device_open(name, &opened); });
  return std::make_shared<Device>(opened);
}

bool Device::reaches(dlpack::Device memory) const {
  switch (family) {
  case Cpu:
    return memory.type == dlpack::Cpu || memory.type == dlpack::CudaHost ||
           memory.type == dlpack::RocmHost || memory.type == dlpack::CudaManaged;
  case Cuda:
    return (memory.type == dlpack::Cuda || memory.type == dlpack::CudaManaged) &&
           memory.id == ordinal;
  case Hip: // torch's builds for ROCm call their devices "cuda"
    return (memory.type == dlpack::Rocm || memory.type == dlpack::Cuda) && memory.id == ordinal;
  case Other:
    break;
  }
  return false;
}

dlpack::Device Device::inDlpack() const {
  switch (family) {
  case Cpu:
    return {dlpack::Cpu, 0};
  case Cuda:
    return {dlpack::Cuda, ordinal};
  case Hip:
    return {dlpack::Rocm, ordinal};
  case Other:
    break;
  }
  raise(SXT_ERROR_UNSUPPORTED, "memory of %s cannot be shared by address: use read() and write()",
        name.c_str());
}

Stream &Device::streamOf(void *native) {
  if (family == Cpu || family == Other)
    raise(SXT_ERROR_UNSUPPORTED, "streams of %s have no handle of a driver: use device.stream()",
          name.c_str());
  if (native == defaultStream.native)
    return defaultStream;
  for (size_t i = 0; i < wrapped.size(); ++i)
    if (wrapped[i]->native == native) {
      if (i) // few are in use at a time
        std::rotate(wrapped.begin(), wrapped.begin() + ptrdiff_t(i),
                    wrapped.begin() + ptrdiff_t(i) + 1);
      return *wrapped.front();
    }
  auto made = std::make_unique<Stream>();
  check(sxt_stream_wrap(handle.get(), native, made->owned.place()));
  made->handle = made->owned.get();
  made->native = native;
  made->device = this;
  wrapped.insert(wrapped.begin(), std::move(made));
  return *wrapped.front();
}

void order(Device &device, Stream &before, Stream &after) {
  Owned<sxt_event, sxt_event_release> event;
  check(sxt_event_create(device.handle.get(), event.place()));
  check(sxt_event_record(event.get(), before.handle));
  check(sxt_stream_wait_event(after.handle, event.get()));
}

void Device::follow(Stream &stream) {
  if (followed == &stream || family == Cpu)
    return;
  // A stream that is captured must not wait for work outside of the capture.
  if (followed && nb::module_::import_("sextant._libraries").attr("is_capturing")().is(Py_True))
    return;
  if (followed)
    order(*this, *followed, stream);
  followed = &stream;
}

std::shared_ptr<Stream> Device::defaultOne() { return {shared_from_this(), &defaultStream}; }

void Device::synchronize() {
  struct Kept {
    std::vector<Stream::Held> held; // work that other threads queue meanwhile stays
    std::shared_ptr<Device> device;
  };
  wait(std::make_shared<Kept>(takeHeld(), shared_from_this()),
       [on = handle.get()] { return sxt_device_synchronize(on); });
}

std::vector<Stream::Held> Device::takeHeld() {
  std::vector<Stream::Held> held;
  held.push_back(defaultStream.takeHeld());
  for (const std::unique_ptr<Stream> &stream : wrapped)
    held.push_back(stream->takeHeld());
  return held;
}

void bindDevices(nb::module_ &module) {
  nb::class_<Device>(module, "Device",
                     "An opened device: `Device(\"cuda:0\")`. Without a name: the one that "
                     "SEXTANT_DEVICE names, or "
                     "the best.\nOpening a device twice gives two objects for one device.")
      .def(nb::new_([](nb::object name) {
             std::string text;
             return Device::open(stringFrom(name, "name", text));
           }),
           nb::arg("name") = nb::none())
      .def_prop_ro(
          "name", [](const Device &self) { return self.name; }, "\"cpu\", \"cuda:0\"")
      .def("describe", &describeOpen, "Facts about the device, as a dictionary.")
      .def("synchronize", &Device::synchronize,
           "Waits until the work of all streams of the device is done.")
      .def_prop_ro("default_stream", &Device::defaultOne, "The stream of launches that name none.")
      .def(
          "stream",
          [](std::shared_ptr<Device> self) {
            auto made = std::make_shared<Stream>();
            check(sxt_stream_create(self->handle.get(), made->owned.place()));
            made->handle = made->owned.get();
            check(sxt_stream_native(made->handle, &made->native));
            made->device = self.get();
            made->keep = std::move(self);
            return made;
          },
          "Makes a stream, which runs beside the others.")
      .def(
          "event", [](std::shared_ptr<Device> self) { return std::make_shared<Event>(self); },
          "Makes an event that has recorded nothing.")
      .def("__enter__", [](nb::object self) { return self; })
      .def(
          "__exit__", [](Device &self, nb::args) { self.synchronize(); },
          "Waits for the device's work.")
      .def("__repr__", [](const Device &self) { return "<sextant.Device " + self.name + ">"; });

  module.def("devices", &devices,
             "Facts about every device of this machine, best first, as dictionaries.");
  module.def(
      "adopt", &adopt, nb::arg("backend"), nb::arg("context") = 0, nb::arg("stream") = 0,
      "Makes a device of a context that the application owns and keeps alive: of \"cuda\" or "
      "\"hip\".\n\n"
      "context: a CUcontext or hipCtx_t as an integer; 0: the one that is current on this thread.\n"
      "stream: a CUstream or hipStream_t, which becomes the device's default stream; 0: the "
      "driver's own.");
}

} // namespace sextant::python
