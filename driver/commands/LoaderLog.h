// The loader's log among the messages of a command.
#pragma once

#include "driver/Environment.h"

namespace sextant {

/// In its life, `--diagnostics=json` has the loader's log, which SEXTANT_LOG asks for, too.
class LoaderLog {
public:
  explicit LoaderLog(const Environment &environment);
  LoaderLog(const LoaderLog &) = delete;
  ~LoaderLog();

private:
  bool isOurs = false;
};

} // namespace sextant
