# What `cmake --install` puts where, and the package that find_package(Sextant)
# finds: installed, or in the build tree itself (Sextant_DIR = the build folder).
include(CMakePackageConfigHelpers)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Sextant")

set(exported sextant_loader sextant_loader_static)
if(TARGET sextant)
  list(APPEND exported sextant)
  # LLVM's libraries are where they were found.
  set_target_properties(sextant PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()

install(TARGETS ${exported} EXPORT SextantTargets
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/loader/include/sextant"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT SextantTargets NAMESPACE Sextant:: DESTINATION "${package}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/SextantConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/SextantConfig.cmake" INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/SextantConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
set(packageFiles
  "${PROJECT_SOURCE_DIR}/cmake/SextantAddModule.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/SextantEmbed.c.in")
install(FILES
  "${PROJECT_BINARY_DIR}/SextantConfig.cmake"
  "${PROJECT_BINARY_DIR}/SextantConfigVersion.cmake"
  ${packageFiles}
  DESTINATION "${package}")

# The build tree as a package.
export(EXPORT SextantTargets NAMESPACE Sextant:: FILE "${PROJECT_BINARY_DIR}/SextantTargets.cmake")
file(COPY ${packageFiles} DESTINATION "${PROJECT_BINARY_DIR}")
