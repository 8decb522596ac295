// The objects that a prepared launch or a graph refers to, and the streams that use them.
#pragma once

#include "Device.h"

namespace sextant::python {

class Keeper {
public:
  Keeper() = default;
  Keeper(const Keeper &) = delete;
  Keeper &operator=(const Keeper &) = delete;
  ~Keeper();

  size_t add(nb::object object) {
    objects.push_back(std::move(object));
    return objects.size() - 1;
  }
  size_t size() const { return objects.size(); }
  /// Replaces an object. Work that is queued keeps the former one.
  void replace(size_t index, nb::object object);
  /// Work that uses the objects was queued in `stream`.
  void note(Stream &stream);

private:
  struct Used {
    Stream *stream;
    std::weak_ptr<Stream> watched; ///< a stream that is not its device's
    bool isDevices;
    Stream *get() const { return isDevices ? stream : watched.lock().get(); }
  };
  void giveToStreams(const nb::object &object);
  std::vector<nb::object> objects;
  std::vector<Used> used;
};

/// One thread at a time uses what has a Turn. Throws if another thread does.
class Turn {
public:
  Turn(bool &isTaken, const char *what) : isTaken(isTaken) {
    if (isTaken)
      raise(SXT_ERROR_INVALID_ARGUMENT,
            "the %s is in use by another thread: give each thread its own", what);
    isTaken = true; // under the interpreter's lock
  }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;
  ~Turn() { isTaken = false; }

private:
  bool &isTaken;
};

} // namespace sextant::python
