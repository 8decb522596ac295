// Shared libraries by POSIX's names, on Windows: for tests that open one.
#pragma once

#include "loader/system/Library.h"

inline constexpr int RTLD_NOW = 0, RTLD_LOCAL = 0, RTLD_NOLOAD = 1;

inline void *dlopen(const char *name, int how) {
  std::string why;
  return how & RTLD_NOLOAD ? sextant::system::loadedLibrary({&name, 1})
                           : sextant::system::openLibrary({&name, 1}, why);
}
inline void *dlsym(void *library, const char *name) {
  return sextant::system::findSymbol(library, name);
}
inline int dlclose(void *library) {
  sextant::system::closeLibrary(library);
  return 0;
}
