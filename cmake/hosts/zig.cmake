# Zig's C and C++ compiler, which has the C libraries of all its targets: for wheels of the loader,
# and for the loader on other systems. The environment says which Python has the package ziglang
# (SEXTANT_ZIG_PYTHON), and the target, such as x86_64-linux-gnu.2.28 or aarch64-macos.11.0
# (SEXTANT_ZIG_TARGET).
#
# For macOS it needs no SDK of Apple's: Zig has the headers, and a list of what libSystem exports.
set(python "$ENV{SEXTANT_ZIG_PYTHON}")
set(target "$ENV{SEXTANT_ZIG_TARGET}")
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${target}")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER "${python}" -m ziglang cc -target "${target}")
set(CMAKE_ASM_COMPILER "${python}" -m ziglang cc -target "${target}")
set(CMAKE_CXX_COMPILER "${python}" -m ziglang c++ -target "${target}")
# Zig checks for undefined behaviour where nothing is optimised, by functions that it does not link.
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined")
# nanobind names stderr, which libc++ does not bring along; pyconfig.h defines what the C library has.
set(CMAKE_CXX_FLAGS_INIT "-fno-sanitize=undefined -include stdio.h -Wno-macro-redefined")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64" AND NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
endif()
# Sources of each shared library.
if(target MATCHES "-linux-")
  set(SEXTANT_SHARED_SOURCES "${CMAKE_CURRENT_LIST_DIR}/zig-unload.c")
endif()
if(target MATCHES "-macos")
  set(CMAKE_SYSTEM_NAME Darwin)
  string(REGEX MATCH "[0-9]+[.][0-9]+$" CMAKE_SYSTEM_VERSION "${target}")
  # The target says them, and there is no SDK to look into.
  set(CMAKE_OSX_SYSROOT "")
  set(CMAKE_OSX_DEPLOYMENT_TARGET "")
  set(CMAKE_INSTALL_NAME_DIR "@rpath")
  set(CMAKE_BUILD_WITH_INSTALL_NAME_DIR ON)
  # Tools of Mach-O's files, which this system's own do not read.
  foreach(tool AR RANLIB NM STRIP INSTALL_NAME_TOOL)
    string(TOLOWER "llvm-${tool}" name)
    string(REPLACE "_" "-" name "${name}")
    find_program(CMAKE_${tool} NAMES ${name}-19 ${name} REQUIRED)
  endforeach()
endif()
