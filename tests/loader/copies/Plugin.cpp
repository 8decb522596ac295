// A plugin with a loader of its own inside, linked statically.
#include "Use.h"

#include <cstring>

/// Returns what is wrong, as text that stays until the next call; "" for nothing.
extern "C" const char *plugin_run(const void *bytes, size_t size) {
  static char wrong[400];
  const sextant::test::Copy own([](const char *name) -> void * {
#define PLUGIN_FUNCTION(function)                                                                  \
  if (std::strcmp(name, "sxt_" #function) == 0)                                                    \
    return reinterpret_cast<void *>(&sxt_##function);
    SEXTANT_COPY_FUNCTIONS(PLUGIN_FUNCTION)
#undef PLUGIN_FUNCTION
    return nullptr;
  });
  std::strncpy(wrong, sextant::test::use(own, bytes, size).c_str(), sizeof wrong - 1);
  return wrong;
}
