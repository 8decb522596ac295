# The one table of what Sextant is built with: the source of the SPDX lists and of the licenses that
# archives carry. Read at configuration, which finds the versions and writes all to
# SEXTANT_DEPENDENCY_LIST for the time of installing and packing.
#
# USED says how each part of Sextant uses it:
#   parts     loader (shared), static (loader), command, portable (the command with its libraries inside)
#   ways      dynamic: a shared library.  linked: by the program that links a static library.
#             static: inside the file.  runtime: looked for while it runs, and not required.
# The version is given, or in a header (with the pattern of its parts there), or in a file of pkg-config.
set(SEXTANT_DEPENDENCY_LIST "${PROJECT_BINARY_DIR}/package/dependencies.cmake")

function(sextant_dependency name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "VERSION;HEADER;PATTERN;PC;LICENSE;HOME;DEBIAN" "USED")
  if(ARG_HEADER)
    find_file(header "${ARG_HEADER}" PATHS "/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}"
      HINTS "${SEXTANT_VULKAN_HEADERS}" "${SEXTANT_XXHASH_INCLUDE}" NO_CACHE)
    if(header)
      file(STRINGS "${header}" lines REGEX "#define +${ARG_PATTERN}")
      list(JOIN lines "\n" text)
      string(REGEX MATCHALL " \"?[0-9][0-9.]*" numbers "${text}")
      list(JOIN numbers "." ARG_VERSION)
      string(REGEX REPLACE "[ \"]" "" ARG_VERSION "${ARG_VERSION}")
    endif()
  endif()
  if(ARG_PC)
    find_file(header "${ARG_PC}.pc" PATH_SUFFIXES pkgconfig NO_CACHE
      PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib /usr/lib64 /usr/share)
    if(header)
      file(STRINGS "${header}" line REGEX "^Version:" LIMIT_COUNT 1)
      string(REGEX MATCH "[0-9][0-9.]*$" ARG_VERSION "${line}")
    endif()
  endif()
  if(NOT ARG_VERSION)
    set(ARG_VERSION NOASSERTION)
  endif()
  list(JOIN ARG_USED "," used)
  file(APPEND "${SEXTANT_DEPENDENCY_LIST}"
    "sextant_depends(${name} ${ARG_VERSION} \"${ARG_LICENSE}\" ${ARG_HOME} \"${ARG_DEBIAN}\" \"${used}\")\n")
endfunction()

file(WRITE "${SEXTANT_DEPENDENCY_LIST}" "# Written at configuration: name, version, license, home, Debian's package, uses.\n")
file(APPEND "${SEXTANT_DEPENDENCY_LIST}" "set(SEXTANT_RELEASE ${PROJECT_VERSION})\n")
sextant_dependency(zstd HEADER zstd.h PATTERN "ZSTD_VERSION_(MAJOR|MINOR|RELEASE) +[0-9]"
  LICENSE BSD-3-Clause HOME https://github.com/facebook/zstd DEBIAN libzstd-dev
  USED loader=dynamic static=linked command=dynamic portable=static)
sextant_dependency(xxHash HEADER xxhash.h PATTERN "XXH_VERSION_(MAJOR|MINOR|RELEASE) +[0-9]"
  LICENSE BSD-2-Clause HOME https://github.com/Cyan4973/xxHash DEBIAN libxxhash-dev
  USED loader=static static=static command=static portable=static)
sextant_dependency(Vulkan-Headers PC vulkan LICENSE Apache-2.0 HOME https://github.com/KhronosGroup/Vulkan-Headers
  DEBIAN libvulkan-dev USED loader=static static=static)
set(sodium USED loader=runtime static=runtime command=dynamic portable=static)
if(SEXTANT_LINK_SODIUM)
  set(sodium USED loader=dynamic static=linked command=dynamic portable=static)
endif()
sextant_dependency(libsodium HEADER sodium/version.h PATTERN "SODIUM_VERSION_STRING"
  LICENSE ISC HOME https://libsodium.org DEBIAN libsodium-dev ${sodium})
sextant_dependency(Vulkan-Loader LICENSE Apache-2.0 HOME https://github.com/KhronosGroup/Vulkan-Loader
  USED loader=runtime static=runtime)
if(TARGET sextant)
  sextant_dependency(LLVM VERSION "${LLVM_PACKAGE_VERSION}" LICENSE "Apache-2.0 WITH LLVM-exception"
    HOME https://llvm.org DEBIAN llvm-19-dev USED command=dynamic portable=static)
  sextant_dependency(MLIR VERSION "${LLVM_PACKAGE_VERSION}" LICENSE "Apache-2.0 WITH LLVM-exception"
    HOME https://mlir.llvm.org DEBIAN libmlir-19-dev USED command=dynamic portable=static)
  sextant_dependency(lld VERSION "${LLVM_PACKAGE_VERSION}" LICENSE "Apache-2.0 WITH LLVM-exception"
    HOME https://lld.llvm.org DEBIAN liblld-19-dev USED command=static portable=static)
  sextant_dependency(CLI11 HEADER CLI/Version.hpp PATTERN "CLI11_VERSION " LICENSE BSD-3-Clause
    HOME https://github.com/CLIUtils/CLI11 DEBIAN libcli11-dev USED command=static portable=static)
  sextant_dependency(toml++ HEADER toml++/impl/version.h PATTERN "TOML_LIB_(MAJOR|MINOR|PATCH)[ \t]+[0-9]"
    LICENSE MIT HOME https://marzer.github.io/tomlplusplus DEBIAN libtomlplusplus-dev
    USED command=static portable=static)
  sextant_dependency(SPIRV-Tools PC SPIRV-Tools LICENSE Apache-2.0
    HOME https://github.com/KhronosGroup/SPIRV-Tools DEBIAN spirv-tools USED command=static portable=static)
  sextant_dependency(SPIRV-Cross PC spirv-cross-c-shared LICENSE "Apache-2.0 OR MIT"
    HOME https://github.com/KhronosGroup/SPIRV-Cross DEBIAN libspirv-cross-c-shared-dev
    USED command=dynamic portable=static)
  sextant_dependency(MPFR HEADER mpfr.h PATTERN "MPFR_VERSION_STRING" LICENSE LGPL-3.0-or-later
    HOME https://www.mpfr.org DEBIAN libmpfr-dev USED command=dynamic portable=static)
  sextant_dependency(GMP HEADER gmp.h PATTERN "__GNU_MP_VERSION(_MINOR|_PATCHLEVEL)? +[0-9]"
    LICENSE "LGPL-3.0-or-later OR GPL-2.0-or-later"
    HOME https://gmplib.org DEBIAN libgmp-dev USED command=dynamic portable=static)
  sextant_dependency(zlib HEADER zlib.h PATTERN "ZLIB_VERSION " LICENSE Zlib
    HOME https://zlib.net DEBIAN zlib1g-dev USED command=dynamic portable=static)
  sextant_dependency(ncurses HEADER curses.h PATTERN "NCURSES_VERSION_(MAJOR|MINOR|PATCH) +[0-9]" LICENSE MIT
    HOME https://invisible-island.net/ncurses DEBIAN libncurses-dev USED portable=static)
  get_target_property(linked sextant LINK_LIBRARIES)
  if("mimalloc" IN_LIST linked)
    find_package(mimalloc QUIET)
    sextant_dependency(mimalloc VERSION "${mimalloc_VERSION}" LICENSE MIT
      HOME https://github.com/microsoft/mimalloc DEBIAN libmimalloc-dev USED command=dynamic)
  endif()
  sextant_dependency(ROCm-Device-Libs LICENSE NCSA HOME https://github.com/ROCm/ROCm-Device-Libs
    DEBIAN rocm-device-libs USED command=runtime portable=static)
endif()
