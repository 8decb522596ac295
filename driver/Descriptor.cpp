// Plain POSIX calls, repeated until all is done.
#include "driver/Descriptor.h"

#include <cerrno>
#include <unistd.h>

namespace sextant {

int Descriptor::close() {
  if (number < 0)
    return 0;
  return ::close(std::exchange(number, -1)) == 0 ? 0 : errno;
}

int Descriptor::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(number, bytes.data(), bytes.size());
    if (count > 0)
      bytes.remove_prefix(static_cast<size_t>(count));
    else if (count == 0 || errno != EINTR)
      return count == 0 ? ENOSPC : errno;
  }
  return 0;
}

} // namespace sextant
