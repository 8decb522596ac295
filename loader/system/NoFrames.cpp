// Frames on systems without such tables. On Linux, libgcc's __register_frame is one of the kind,
// and is left alone for the reasons of docs/decisions/0029-frames-of-cpu-images.md.
#include "loader/system/Frames.h"

namespace sextant::system {

struct Frames::Impl {};

Frames::Frames() = default;
Frames::~Frames() = default;
uint64_t Frames::read(const FrameSections &, uint64_t) { return 0; }
void Frames::add(Pages &) {}

} // namespace sextant::system
