// Shared libraries: opening them, and what the ones that the loader looks for are called here.
#pragma once

#include <span>
#include <string>

namespace sextant::system {

using Names = std::span<const char *const>;

/// Opens the first of these libraries that can be opened. Returns null if there is none, and in
/// `why` the most telling reason. Throws std::bad_alloc if memory ran out, which is not a reason to
/// give up for good.
void *openLibrary(Names names, std::string &why);
/// Returns the first of these libraries that the process has loaded already, or null.
void *loadedLibrary(Names names);
/// Gives back what one of these two functions returned.
void closeLibrary(void *library);
/// Returns the address of a function of a library, or null. On POSIX systems also of the libraries
/// that it needs.
void *findSymbol(void *library, const char *name);
/// The same as a function of any type.
template <class Function> Function findFunction(void *library, const char *name) {
  return reinterpret_cast<Function>(findSymbol(library, name));
}

/// The names of each library, the one to try first first.
struct LibraryNames {
  Names cuda, hip, vulkan, sodium, nvtx, roctx;
  Names math; ///< names of images before 0.2: libmvec's functions, and libm's
};
extern const LibraryNames libraryNames;

/// Returns true if code that runs while this library is unloaded may call others. Windows holds a
/// lock then that their threads need.
bool mayCallAtUnload();

} // namespace sextant::system
