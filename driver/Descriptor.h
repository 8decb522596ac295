// File descriptors of POSIX.
#pragma once

#include <string_view>
#include <utility>

namespace sextant {

/// A file descriptor that this object closes.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() { (void)close(); }
  bool isOpen() const { return number >= 0; }
  int get() const { return number; }
  /// Returns 0, or the errno of the failure: some file systems report a full disk only here.
  int close();
  /// Writes all bytes. Returns 0, or the errno of the failure.
  int write(std::string_view bytes) const;

private:
  int number;
};

} // namespace sextant
