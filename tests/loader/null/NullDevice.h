// A device that takes all work and does none of the computing.
#pragma once

#include "loader/devices/Device.h"
#include "loader/format/families/Family.h"

namespace sextant::module {
extern const Family nullFamily;
}

extern const sxt_backend nullBackend;
