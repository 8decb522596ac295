// Shared by the files of the extension: the loader's header, nanobind, and calls whose failure is
// a Python exception.
#pragma once

#include "Interpreter.h"

#include <sextant/sextant.h>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstdarg>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sextant::python {

/// Throws the Python exception of a status, with the loader's last message.
[[noreturn]] void raise(sxt_status status);
/// Throws the Python exception of a status with a message of the binding's own, as of printf.
[[noreturn, gnu::format(printf, 2, 3)]] void raise(sxt_status status, const char *format, ...);

/// The text that printf would print.
[[gnu::format(printf, 1, 0)]] std::string formatted(const char *format, va_list values);

inline void check(sxt_status status) {
  if (status != SXT_OK) [[unlikely]]
    raise(status);
}

/// Makes a call that may wait, without the interpreter's lock, and leaves what was printed to
/// deliverPrints(): for calls after which objects must be kept first. The loader's message is that
/// of the thread, so that it is read afterwards.
template <class Call> void unlockedQuietly(Call call) {
  sxt_status status = SXT_OK;
  {
    const Unlocked released;
    status = call();
  }
  check(status);
}

/// Makes a call that may wait, without the interpreter's lock; see Waits.h for those that may take
/// long.
template <class Call> void unlocked(Call call) {
  try {
    unlockedQuietly(call);
  } catch (nb::python_error &) {
    deliverPrints();
    throw;
  }
  deliverPrints(); // calls Python, which may call the loader
}

/// A handle of the loader that is given back in the end, without the interpreter's lock: releases
/// may wait, and hand out what kernels printed.
template <class Handle, void (*release)(Handle *)> class Owned {
public:
  Owned() = default;
  explicit Owned(Handle *handle) : handle(handle) {}
  Owned(Owned &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Owned &operator=(Owned &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Owned() { reset(); }
  void reset() {
    if (Handle *old = std::exchange(handle, nullptr)) {
      {
        const Unlocked released;
        release(old);
      }
      deliverPrintsAtEnd();
    }
  }
  Handle *get() const { return handle; }
  /// Where a `*_create` function stores the handle.
  Handle **place() { return &handle; }

private:
  Handle *handle = nullptr;
};

/// A struct of the loader with its size filled in.
template <class Info> Info sized() {
  Info info{};
  info.struct_size = sizeof info;
  return info;
}

// Each adds its classes to the module.

void bindDevices(nb::module_ &module);
void bindStreams(nb::module_ &module);
void bindModules(nb::module_ &module);
void bindArrays(nb::module_ &module);
void bindKernels(nb::module_ &module);
void bindLaunches(nb::module_ &module);
void bindGraphs(nb::module_ &module);
void bindPrints(nb::module_ &module);
void bindTapes(nb::module_ &module);

} // namespace sextant::python
