// Objects that this library keeps until it is unloaded.
#pragma once

namespace sextant::loader {

/// Has `clean` called when this library is unloaded, by dlclose of it or of a library that contains
/// it. The last one given is the first one called. The end of the process calls none of them,
/// because other static objects may hold devices until then.
void atUnload(void (*clean)());

} // namespace sextant::loader
