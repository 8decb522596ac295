# Windows on x86-64 by clang and lld, over MinGW's headers and libraries (windows-gnu.cmake).
include("${CMAKE_CURRENT_LIST_DIR}/windows-gnu.cmake")
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
file(GLOB libraries /usr/lib/gcc/x86_64-w64-mingw32/*-posix)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET x86_64-w64-mingw32)
  set(CMAKE_${language}_FLAGS_INIT "--gcc-install-dir=${libraries} -Wno-unused-command-line-argument")
endforeach()
# libstdc++ needs the threads' library, which GCC names by itself, and clang does not.
foreach(kind EXE SHARED MODULE)
  string(APPEND CMAKE_${kind}_LINKER_FLAGS_INIT " -fuse-ld=lld -lpthread")
endforeach()
