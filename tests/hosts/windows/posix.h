// The part of POSIX that tests use, on Windows. Every test source there begins with it.
#pragma once

#include <cstdlib>
#include <string>

inline int setenv(const char *name, const char *value, int) {
  return _putenv_s(name, value); // the process's variables, and those of the C library
}
inline int unsetenv(const char *name) { return _putenv_s(name, ""); }
