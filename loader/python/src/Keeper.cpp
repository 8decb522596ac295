// Gives objects that are replaced, or whose owner goes, to the streams that still use them.
#include "Keeper.h"

namespace sextant::python {

Keeper::~Keeper() {
  for (const nb::object &object : objects)
    giveToStreams(object);
}

void Keeper::replace(size_t index, nb::object object) {
  giveToStreams(objects[index]);
  objects[index] = std::move(object);
}

void Keeper::note(Stream &stream) {
  for (const Used &known : used)
    if (known.stream == &stream && (known.isDevices || !known.watched.expired()))
      return;
  std::erase_if(used, [](const Used &known) { return !known.get(); });
  used.push_back({&stream, stream.weak_from_this(), !stream.keep});
}

void Keeper::giveToStreams(const nb::object &object) {
  if (!object.is_valid())
    return;
  for (const Used &each : used)
    if (Stream *stream = each.get()) {
      try {
        stream->hold(object);
      } catch (nb::python_error &) {
        // The device is lost: no work uses the object any more.
      }
    }
}

} // namespace sextant::python
