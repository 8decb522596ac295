// Takes no memory, and runs no destructor. An output that is not finished has another name yet.
#include "driver/OutOfMemory.h"

#include <string_view>
#include <unistd.h>

void sextant::endWithoutMemory() {
  static constexpr std::string_view text = "sextant: error: there is not enough memory\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
  _exit(1);
}
