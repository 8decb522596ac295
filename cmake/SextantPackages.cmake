# CPack: the Debian packages (sextant, libsextant-loader0, libsextant-loader-dev) and the archives that
# `./dev package` makes of the components of SextantInstall.cmake. docs/packages.md lists what they hold.
set(folder "${PROJECT_SOURCE_DIR}/cmake/packages")
set(debian "${folder}/debian")
# The finishing script and the list of materials need these facts of this build.
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/package")
include("${folder}/dependencies.cmake")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT licenses)
# The files that `cmake --install` put somewhere, in one list of materials. Packages get theirs from finish.cmake.
install(CODE "
  if(NOT CMAKE_INSTALL_COMPONENT)
    include(\"${folder}/sbom.cmake\")
    set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    set(files \${CMAKE_INSTALL_MANIFEST_FILES})
    list(TRANSFORM files PREPEND \"\$ENV{DESTDIR}\")
    sextant_write_sbom(\"\${root}\" sextant \"loader;static;command\"
      \"${CMAKE_INSTALL_DATADIR}/sextant/sextant.spdx.json\" \"${SEXTANT_DEPENDENCY_LIST}\" \${files})
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES
      \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/sextant/sextant.spdx.json\")
  endif()")

set(CPACK_PACKAGE_NAME sextant)
set(CPACK_PACKAGE_VENDOR "Sextant")
set(CPACK_PACKAGE_CONTACT "Sextant maintainers <maintainers@sextant.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PROJECT_CONFIG_FILE "${folder}/generators.cmake")
set(CPACK_PRE_BUILD_SCRIPTS "${folder}/finish.cmake")
set(CPACK_SEXTANT_FOLDER "${folder}")
set(CPACK_SEXTANT_DEPENDENCIES "${SEXTANT_DEPENDENCY_LIST}")
# Archives have the command that needs only the C library, where it was built.
set(CPACK_SEXTANT_PORTABLE "")
if(TARGET sextant-portable)
  set(CPACK_SEXTANT_PORTABLE "${PROJECT_BINARY_DIR}/driver/sextant-portable")
endif()
set(CPACK_SEXTANT_COMMAND OFF)
if(TARGET sextant)
  set(CPACK_SEXTANT_COMMAND ON)
endif()
set(CPACK_GENERATOR TGZ ZIP TZST DEB)

# Archives: one, with everything.
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" system)
set(CPACK_PACKAGE_FILE_NAME "sextant-${PROJECT_VERSION}-${system}")

# Debian: three packages. Libraries that a package needs are found by dpkg-shlibdeps.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/loader")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(exact "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME sextant)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION devel)
# dpkg-shlibdeps follows the rpath to the copy of llvm-19-dev, which has no entry for it.
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS libllvm19)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "libsextant-loader-dev, rocm-device-libs")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "The command sextant compiles kernels in Python's syntax for NVIDIA, AMD,
Vulkan, Metal and the processor into one module. Applications run modules
with the library of libsextant-loader0.")

set(CPACK_DEBIAN_LOADER_PACKAGE_NAME libsextant-loader0)
set(CPACK_DEBIAN_LOADER_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LOADER_PACKAGE_SUGGESTS "libvulkan1, libsodium23")
set(CPACK_DEBIAN_LOADER_PACKAGE_CONTROL_EXTRA "${debian}/symbols" "${debian}/shlibs" "${debian}/triggers")
set(CPACK_COMPONENT_LOADER_DESCRIPTION "The loader's library opens modules, picks the variants of their kernels that
fit the devices of a machine, and launches them. Drivers of GPUs are found
when a program asks for a device.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libsextant-loader-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libsextant-loader0 (= ${exact}), libzstd-dev, libc6-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "sextant")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "g++, cmake, pkgconf")
set(CPACK_COMPONENT_DEV_DESCRIPTION "What programs are built with that use the loader: headers for C and
C++, the static library, the algorithms, and the files by which CMake and
pkg-config find the library.")

include(CPack)
cpack_add_component_group(command DESCRIPTION "${CPACK_COMPONENT_COMMAND_DESCRIPTION}")
cpack_add_component(program GROUP command)
cpack_add_component(command GROUP command)
