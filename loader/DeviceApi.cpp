// Devices: enumeration, opening, adoption. Also streams and events, whose functions only call their
// implementations.
#include "loader/AtUnload.h"
#include "loader/Markers.h"
#include "loader/Program.h"
#include "loader/format/Text.h"
#include "loader/system/Environment.h"

#include <algorithm>

namespace sextant::loader {

DeviceInfoText::DeviceInfoText(const DeviceDescription &description) : copy(description) {
  // Appends numbers as words, such as "ptx=8.4".
  for (const module::FactNumber &number : copy.facts.numbers)
    copy.facts.features.push_back(
        number.minor ? module::message("%s=%u.%u", number.name.c_str(), number.major, number.minor)
                     : module::message("%s=%u", number.name.c_str(), number.major));
  for (const std::string &feature : copy.facts.features)
    features.push_back(feature.c_str());
  info.name = copy.name.c_str();
  info.backend = copy.facts.backend.c_str();
  info.description = copy.description.c_str();
  info.arch = copy.facts.arch.c_str();
  static_assert(sizeof(unsigned) == sizeof(uint32_t));
  info.wave_sizes = copy.facts.waves.data();
  info.wave_size_count = copy.facts.waves.size();
  info.features = features.data();
  info.feature_count = features.size();
  info.memory_bytes = copy.memoryBytes;
  info.shared_memory_bytes = copy.sharedBytes;
  info.multiprocessors = copy.multiprocessors;
  info.max_threads_per_block = copy.maxThreadsPerBlock;
}

const char *DeviceState::whyOfParent() const {
  return interrupted.load(std::memory_order_relaxed) ? "another thread was using it then: open it "
                                                       "again in the child"
                                                     : device->whyOfParent();
}

sxt_status DeviceState::present() const {
  const char *why = whyOfParent();
  return why ? fail(SXT_ERROR_DEVICE, "%s was opened before this process was forked, and %s",
                    name().c_str(), why)
             : SXT_OK;
}

void DeviceState::release(uint64_t address) {
  if (!whyOfParent())
    device->release(address);
}

sxt_status DeviceState::choose(sxt_stream *stream, sxt_stream *&chosen) {
  SXT_TRY(present());
  chosen = stream ? stream : &defaultStream;
  if (chosen->device != this)
    return fail(SXT_ERROR_INVALID_ARGUMENT, "the stream belongs to device %s, not to %s",
                chosen->device->name().c_str(), name().c_str());
  return SXT_OK;
}

const LaunchRecord *DeviceState::remember(LaunchRecord record) {
  std::lock_guard lock(launchesMutex);
  auto at = std::lower_bound(launches.begin(), launches.end(), record,
                             [](const std::unique_ptr<LaunchRecord> &known,
                                const LaunchRecord &wanted) { return *known < wanted; });
  if (at == launches.end() || **at != record)
    at = launches.insert(at, std::make_unique<LaunchRecord>(std::move(record)));
  return at->get();
}

namespace {

/// The backends that this program carries.
std::span<const sxt_backend *const> deviceBackends() {
  size_t count = 0;
  while (sxt_backends[count])
    ++count;
  return {sxt_backends, count};
}

/// One device of this machine.
struct Slot {
  const sxt_backend *backend = nullptr;
  unsigned ordinal = 0; ///< within the backend
  std::unique_ptr<DeviceInfoText> text;
  DeviceDescription description;
  std::mutex mutex;
  std::weak_ptr<DeviceState> opened;
};

/// The devices of one backend. The first call of devices() looks for them.
struct Family {
  const sxt_backend *backend = nullptr;
  std::mutex mutex; // no std::call_once: where there is no memory, exceptions do not leave it
  bool known = false;
  std::vector<std::unique_ptr<Slot>> slots;
  std::string why; ///< why there is no device

  const char *target() const { return backend->target(); }
  const std::vector<std::unique_ptr<Slot>> &devices() {
    std::lock_guard lock(mutex);
    if (!known) {
      // The list is complete or absent: if memory runs out, the next call starts anew.
      std::vector<DeviceDescription> found;
      std::vector<std::unique_ptr<Slot>> made;
      std::string reason;
      backend->enumerate(found, reason);
      for (DeviceDescription &description : found) {
        auto slot = std::make_unique<Slot>();
        slot->backend = backend;
        slot->ordinal = static_cast<unsigned>(made.size());
        slot->text = std::make_unique<DeviceInfoText>(description);
        slot->description = std::move(description);
        made.push_back(std::move(slot));
      }
      slots = std::move(made);
      why = std::move(reason);
      known = true;
    }
    return slots;
  }
};

Family *allFamilies = nullptr; ///< set once

/// The list stays until the loader is unloaded, so its strings live as long as the process.
std::span<Family> families() {
  static const std::span<Family> all = [] {
    std::span<const sxt_backend *const> backends = deviceBackends();
    allFamilies = new Family[backends.size()];
    for (size_t i = 0; i < backends.size(); ++i)
      allFamilies[i].backend = backends[i];
    atUnload([] { delete[] allFamilies; });
    return std::span(allFamilies, backends.size());
  }();
  return all;
}

/// Returns this machine's devices in the order of preference. Starts all drivers.
const std::vector<Slot *> &machine() {
  static const std::vector<Slot *> *found = [] {
    auto slots = std::make_unique<std::vector<Slot *>>();
    for (Rank rank : ranks)
      for (Family &family : families())
        for (const std::unique_ptr<Slot> &slot : family.devices())
          if (slot->description.rank == rank)
            slots->push_back(slot.get());
    atUnload([] { delete &machine(); });
    return slots.release();
  }();
  return *found;
}

sxt_status finishOpening(std::unique_ptr<Device> device, std::shared_ptr<DeviceState> &state) {
  findMarkers();
  auto opened = std::make_shared<DeviceState>();
  opened->device = std::move(device);
  opened->text = std::make_unique<DeviceInfoText>(opened->device->description());
  opened->defaultStream.device = opened.get();
  SXT_TRY(opened->device->createDefaultStream(opened->defaultStream.impl));
  const DeviceDescription &d = opened->device->description();
  log(SXT_LOG_INFO, "opened %s: %s, %s", d.name.c_str(), d.description.c_str(),
      d.facts.arch.c_str());
  state = std::move(opened);
  return SXT_OK;
}

sxt_status openSlot(Slot &slot, sxt_device **device) {
  std::lock_guard lock(slot.mutex);
  std::shared_ptr<DeviceState> state = slot.opened.lock();
  if (!state || state->whyOfParent()) {
    std::unique_ptr<Device> opened;
    SXT_TRY(slot.backend->open(slot.ordinal, opened));
    SXT_TRY(finishOpening(std::move(opened), state));
    slot.opened = state;
  }
  *device = new sxt_device{std::move(state)};
  return SXT_OK;
}

sxt_status openNamed(const std::string &name, sxt_device **device) {
  const std::string backendName = name.substr(0, name.find(':'));
  for (Family &family : families()) {
    if (family.backend->name() != backendName)
      continue;
    for (const std::unique_ptr<Slot> &slot : family.devices())
      if (slot->description.name == name)
        return openSlot(*slot, device);
    if (name == backendName && !family.slots.empty())
      return openSlot(**std::min_element(family.slots.begin(), family.slots.end(),
                                         [](const auto &one, const auto &other) {
                                           return one->description.rank < other->description.rank;
                                         }),
                      device);
    if (family.slots.empty())
      return fail(SXT_ERROR_NO_DEVICE, "device '%s' cannot be opened: %s", name.c_str(),
                  family.why.c_str());
  }
  std::string all;
  for (const Slot *slot : machine())
    all += (all.empty() ? "" : ", ") + slot->description.name;
  return fail(SXT_ERROR_NOT_FOUND, "this machine has no device '%s'; it has %s", name.c_str(),
              all.c_str());
}

/// Opens the first device of the `wanted` families that `suits` accepts. Drivers of other families
/// are not started, and neither are those after the device that is found. If no device fits, the
/// message says why for each.
template <class Wanted, class Suits>
sxt_status openFirst(sxt_device **device, Wanted wanted, Suits suits) {
  sxt_status status = SXT_ERROR_NO_DEVICE;
  unsigned passed = 0;
  std::string reasons;
  auto passOver = [&](const std::string &name, const char *why) {
    reasons += module::message("%s%s: %s", passed++ ? "; " : "", name.c_str(), why);
  };
  for (Rank rank : ranks)
    for (Family &family : families()) {
      if (!wanted(family))
        continue;
      if (family.devices().empty() && rank == ranks[0])
        passOver(family.backend->name(), family.why.c_str());
      for (const std::unique_ptr<Slot> &slot : family.devices()) {
        if (slot->description.rank != rank)
          continue;
        status = suits(slot->description);
        if (status == SXT_OK)
          status = openSlot(*slot, device);
        if (status == SXT_OK)
          return SXT_OK;
        log(SXT_LOG_WARNING, "device %s is passed over: %s", slot->description.name.c_str(),
            sxt_last_error_message());
        passOver(slot->description.name, sxt_last_error_message());
      }
    }
  if (passed == 1 && status != SXT_ERROR_NO_DEVICE)
    return status;
  return fail(status, "this machine has no device%s%s", passed ? " that will do: " : "",
              reasons.c_str());
}

/// Returns SXT_OK if every kernel has a variant that the device runs.
sxt_status suits(ModuleState &module, const DeviceDescription &description) {
  const module::SelectRules rules = rulesOf({});
  for (uint32_t i = 0; i < module.reader.kernelCount(); ++i) {
    const module::Kernel *kernel = nullptr;
    SXT_TRY(module.kernel(i, kernel));
    std::vector<module::Verdict> verdicts =
        module::select(description.facts, kernel->variants, rules);
    if (verdicts.empty() || !verdicts.front().usable)
      return fail(SXT_ERROR_NO_VARIANT, "%s",
                  module::whyNone(description.facts, *kernel, verdicts).c_str());
  }
  return SXT_OK;
}

/// Returns true if every kernel has code for the backend. An unreadable kernel does not rule the
/// backend out.
bool holdsCodeFor(ModuleState &module, std::string_view target) {
  for (uint32_t i = 0; i < module.reader.kernelCount(); ++i) {
    const module::Kernel *kernel = nullptr;
    if (module.kernel(i, kernel) == SXT_OK &&
        std::none_of(kernel->variants.begin(), kernel->variants.end(),
                     [&](const module::Variant &v) { return v.target.backend == target; }))
      return false;
  }
  return true;
}

} // namespace
} // namespace sextant::loader

using namespace sextant;
using namespace sextant::loader;

//===--- Devices -----------------------------------------------------------===//

sxt_status sxt_device_count(size_t *count) {
  SXT_REQUIRE(count);
  return guarded([&] {
    *count = machine().size();
    return SXT_OK;
  });
}

sxt_status sxt_device_get_info(size_t index, sxt_device_info *info) {
  SXT_REQUIRE(info);
  return guarded([&] {
    const std::vector<Slot *> &here = machine();
    if (index >= here.size())
      return fail(SXT_ERROR_OUT_OF_RANGE, "device %zu of a machine that has %zu", index,
                  here.size());
    return giveInfo(info, here[index]->text->info);
  });
}

sxt_status sxt_device_open(const char *name, sxt_device **device) {
  SXT_REQUIRE(device);
  return guarded([&] {
    if (!name || !*name)
      name = system::environment("SEXTANT_DEVICE");
    return name ? openNamed(name, device)
                : openFirst(
                      device, [](const Family &) { return true; },
                      [](const DeviceDescription &) { return SXT_OK; });
  });
}

sxt_status sxt_device_open_index(size_t index, sxt_device **device) {
  SXT_REQUIRE(device);
  return guarded([&] {
    const std::vector<Slot *> &here = machine();
    if (index >= here.size())
      return fail(SXT_ERROR_OUT_OF_RANGE, "device %zu of a machine that has %zu", index,
                  here.size());
    return openSlot(*here[index], device);
  });
}

sxt_status sxt_device_open_for(sxt_module *module, sxt_device **device) {
  SXT_REQUIRE(module);
  SXT_REQUIRE(device);
  return guarded([&] {
    if (const char *name = system::environment("SEXTANT_DEVICE"))
      return openNamed(name, device);
    ModuleState &state = *module->state;
    return openFirst(
        device,
        [&](const Family &family) { // the CPU costs nothing, and its message names what is missing
          return std::string_view(family.target()) == "cpu" || holdsCodeFor(state, family.target());
        },
        [&](const DeviceDescription &description) { return suits(state, description); });
  });
}

sxt_status sxt_device_adopt(const sxt_adopt_info *adopt, sxt_device **device) {
  SXT_REQUIRE(adopt);
  SXT_REQUIRE(device);
  return guarded([&] {
    sxt_adopt_info info;
    SXT_TRY(takeOptions(adopt, info));
    if (!info.backend)
      return fail(SXT_ERROR_INVALID_ARGUMENT, "sxt_device_adopt: 'backend' is null");
    for (const sxt_backend *backend : deviceBackends()) {
      if (std::strcmp(backend->name(), info.backend) != 0)
        continue;
      if (!backend->adopt)
        return fail(SXT_ERROR_UNSUPPORTED, "backend '%s' has no contexts to adopt",
                    backend->name());
      std::unique_ptr<Device> opened;
      std::shared_ptr<DeviceState> state;
      SXT_TRY(backend->adopt(info.context, info.stream, opened));
      SXT_TRY(finishOpening(std::move(opened), state));
      *device = new sxt_device{std::move(state)};
      return SXT_OK;
    }
    return fail(SXT_ERROR_NOT_FOUND, "this loader has no backend '%s'", info.backend);
  });
}

sxt_status sxt_device_describe(sxt_device *device, sxt_device_info *info) {
  SXT_REQUIRE(device);
  SXT_REQUIRE(info);
  return giveInfo(info, device->state->text->info);
}

sxt_status sxt_device_synchronize(sxt_device *device) {
  SXT_REQUIRE(device);
  return guarded([&] {
    SXT_TRY(device->state->present());
    SXT_TRY(device->state->device->synchronize());
    return device->state->defaultStream.finish();
  });
}

sxt_status sxt_device_default_stream(sxt_device *device, sxt_stream **stream) {
  SXT_REQUIRE(device);
  SXT_REQUIRE(stream);
  *stream = &device->state->defaultStream;
  return SXT_OK;
}

void sxt_device_release(sxt_device *device) { delete device; }

//===--- Streams -----------------------------------------------------------===//

sxt_stream::~sxt_stream() {
  sextant::system::forgetForks(*this);
  if (!impl)
    return;
  if (device->whyOfParent()) {
    (void)impl.release();
    return;
  }
  if (prints) {
    (void)guarded([&] { return finish(); });
    device->release(prints);
  }
  if (temporary) {
    (void)guarded([&] { return impl->synchronize(); });
    device->release(temporary);
  }
  impl.reset(); // before the device goes with `keep`
}

/// If another thread was queueing a launch here, it is not in this process, and will not end that.
void sxt_stream::afterFork(bool isChild) {
  if (!isChild)
    return;
  if (order.try_lock()) {
    order.unlock();
    return;
  }
  new (&order) std::mutex;
  device->interrupted.store(true);
}

sxt_status sxt_stream::reserveTemporary(uint64_t bytes) {
  if (bytes <= temporaryBytes)
    return SXT_OK;
  uint64_t size = std::max(bytes, temporaryBytes * 2), address = 0;
  SXT_TRY(device->device->allocate(size, address));
  if (temporary) {
    sxt_status status = guarded([&] { return impl->synchronize(); });
    device->release(temporary);
    temporary = temporaryBytes = 0;
    if (status != SXT_OK) {
      device->release(address);
      return status;
    }
  }
  temporary = address;
  temporaryBytes = size;
  return SXT_OK;
}

sxt_status sxt_stream::readNow(void *to, uint64_t address, size_t bytes) {
  const sxt_status status = guarded([&] {
    SXT_TRY(impl->read(to, address, bytes));
    return impl->synchronize();
  });
  if (status != SXT_OK)
    impl->forget(to, bytes);
  return status;
}

/// Makes the handle of a stream that `make` gives.
template <class Make>
static sxt_status newStream(const sxt_device &device, sxt_stream **stream, Make make) {
  return guarded([&] {
    SXT_TRY(device.state->present());
    auto created = std::make_unique<sxt_stream>();
    created->keep = device.state;
    created->device = device.state.get();
    SXT_TRY(make(*device.state->device, created->impl));
    *stream = created.release();
    return SXT_OK;
  });
}

sxt_status sxt_stream_create(sxt_device *device, sxt_stream **stream) {
  SXT_REQUIRE(device);
  SXT_REQUIRE(stream);
  return newStream(*device, stream, [](Device &on, std::unique_ptr<DeviceStream> &made) {
    return on.createStream(made);
  });
}

sxt_status sxt_stream_wrap(sxt_device *device, void *native, sxt_stream **stream) {
  SXT_REQUIRE(device);
  SXT_REQUIRE(stream);
  return newStream(*device, stream, [&](Device &on, std::unique_ptr<DeviceStream> &made) {
    return on.wrapStream(native, made);
  });
}

sxt_status sxt_stream_synchronize(sxt_stream *stream) {
  SXT_REQUIRE(stream);
  return guarded([&] {
    SXT_TRY(stream->device->present());
    return stream->finish();
  });
}

sxt_status sxt_stream_wait_event(sxt_stream *stream, sxt_event *event) {
  SXT_REQUIRE(stream);
  SXT_REQUIRE(event);
  return guarded([&] {
    if (event->keep.get() != stream->device)
      return fail(SXT_ERROR_INVALID_ARGUMENT, "the event belongs to device %s, the stream to %s",
                  event->keep->name().c_str(), stream->device->name().c_str());
    SXT_TRY(stream->device->present());
    return stream->impl->wait(*event->impl);
  });
}

sxt_status sxt_stream_last_launch(sxt_stream *stream, sxt_launch_info *info) {
  SXT_REQUIRE(stream);
  SXT_REQUIRE(info);
  const LaunchRecord *record = stream->lastLaunch.load(std::memory_order_acquire);
  if (!record)
    return fail(SXT_ERROR_NOT_FOUND, "nothing was launched in the stream yet");
  const uint64_t task = stream->lastTask.load(std::memory_order_relaxed);
  sxt_launch_info filled{};
  filled.kernel = record->kernel.c_str();
  filled.target = record->target.c_str();
  filled.format = record->format.c_str();
  filled.wave = record->wave;
  filled.grid_dim = static_cast<uint32_t>(task);
  // Another thread may have stored one of the two values, so the task number may not fit the
  // record.
  filled.block_dim = record->blockDims[std::min<size_t>(task >> 32, record->blockDims.size() - 1)];
  filled.task_count = record->blockDims.size();
  return giveInfo(info, filled);
}

sxt_status sxt_stream_native(sxt_stream *stream, void **native) {
  SXT_REQUIRE(stream);
  SXT_REQUIRE(native);
  *native = stream->impl->native();
  return SXT_OK;
}

void sxt_stream_release(sxt_stream *stream) {
  if (stream && !stream->keep) { // the device's own: a mistake, but a harmless one
    (void)fail(SXT_ERROR_INVALID_ARGUMENT,
               "sxt_stream_release: a default stream belongs to its device");
    return;
  }
  delete stream;
}

//===--- Events ------------------------------------------------------------===//

sxt_status sxt_event_create(sxt_device *device, sxt_event **event) {
  SXT_REQUIRE(device);
  SXT_REQUIRE(event);
  return guarded([&] {
    SXT_TRY(device->state->present());
    auto created = std::make_unique<sxt_event>();
    created->keep = device->state;
    SXT_TRY(device->state->device->createEvent(created->impl));
    *event = created.release();
    return SXT_OK;
  });
}

sxt_status sxt_event_record(sxt_event *event, sxt_stream *stream) {
  SXT_REQUIRE(event);
  return guarded([&] {
    SXT_TRY(event->keep->choose(stream, stream));
    return stream->impl->record(*event->impl);
  });
}

sxt_status sxt_event_synchronize(sxt_event *event) {
  SXT_REQUIRE(event);
  return guarded([&] {
    SXT_TRY(event->keep->present());
    return event->impl->synchronize();
  });
}

sxt_status sxt_event_query(sxt_event *event) {
  SXT_REQUIRE(event);
  return guarded([&] {
    SXT_TRY(event->keep->present());
    return event->impl->query();
  });
}

sxt_status sxt_event_elapsed(sxt_event *begin, sxt_event *end, double *milliseconds) {
  SXT_REQUIRE(begin);
  SXT_REQUIRE(end);
  SXT_REQUIRE(milliseconds);
  return guarded([&] {
    if (begin->keep != end->keep)
      return fail(SXT_ERROR_INVALID_ARGUMENT, "the events belong to different devices");
    SXT_TRY(end->keep->present());
    if (!begin->impl->isRecorded() || !end->impl->isRecorded()) // drivers differ in what they say
      return fail(SXT_ERROR_INVALID_ARGUMENT, "elapsed time of an event that was not recorded");
    for (DeviceEvent *event : {begin->impl.get(), end->impl.get()}) {
      const sxt_status status = event->query();
      if (status == SXT_ERROR_NOT_READY)
        return fail(status, "elapsed time of an event that is not reached yet");
      SXT_TRY(status);
    }
    double elapsed = 0;
    SXT_TRY(end->impl->elapsedSince(*begin->impl, elapsed));
    *milliseconds = elapsed;
    return SXT_OK;
  });
}

void sxt_event_release(sxt_event *event) {
  if (event) {
    event->impl.reset(); // before the device goes
    delete event;
  }
}
