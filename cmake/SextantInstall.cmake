# The files of `cmake --install`, and the package that find_package(Sextant) finds: installed, or in
# the build tree itself (Sextant_DIR = the build folder).
#
# Components, of which SextantPackages.cmake makes packages: `loader` is what programs run with, `dev`
# what they are built with, `program` the command, and `command` the files that belong to it.
include(CMakePackageConfigHelpers)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Sextant")

set(libraries sextant_loader sextant_loader_static sextant_algorithms)
# All that an installation and the build tree as a package need.
add_custom_target(sextant-package DEPENDS ${libraries})
if(TARGET sextant)
  add_dependencies(sextant-package sextant)
endif()

install(TARGETS ${libraries} EXPORT SextantTargets
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT loader
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT loader NAMELINK_COMPONENT dev
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET sextant)
  # LLVM's libraries are where they were found.
  set_target_properties(sextant PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  # The package has a file of its own for the command, which may be installed without the loader's
  # and the other way round.
  install(TARGETS sextant EXPORT SextantCommand
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
  install(EXPORT SextantCommand NAMESPACE Sextant:: DESTINATION "${package}" COMPONENT command)
endif()
# The shared loader is installed without its symbols and debug information, a quarter of the file.
# `cmake --install … --component debug` puts those beside it, into .debug/, where gdb looks.
if(CMAKE_OBJCOPY AND CMAKE_STRIP AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(debugFile "${PROJECT_BINARY_DIR}/$<TARGET_FILE_NAME:sextant_loader>.debug")
  set(makeDebugFile "
  execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --only-keep-debug
    \"$<TARGET_FILE:sextant_loader>\" \"${debugFile}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(CODE "${makeDebugFile}
  set(loader \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:sextant_loader>\")
  execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-all \"\${loader}\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"${CMAKE_OBJCOPY}\" \"--add-gnu-debuglink=${debugFile}\" \"\${loader}\"
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT loader)
  install(CODE "${makeDebugFile}" COMPONENT debug EXCLUDE_FROM_ALL)
  install(FILES "${debugFile}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/.debug" COMPONENT debug EXCLUDE_FROM_ALL)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/loader/include/sextant"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT SextantTargets NAMESPACE Sextant:: DESTINATION "${package}" COMPONENT dev)

# For builds without CMake. The folders are found from where the file lies.
file(RELATIVE_PATH toPrefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/sextant.pc.in" "${PROJECT_BINARY_DIR}/sextant.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/sextant.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

# The pages for users. Messages name them by their place here (driver/Environment.h).
if(TARGET sextant)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/sextant" COMPONENT command
    FILES_MATCHING REGEX "/docs/([^/]+|howto/[^/]+|language/[^/]+|messages/[^/]+)\\.(md|png)$"
    REGEX "/docs/(decisions|examples|results|site)$" EXCLUDE)
endif()

# Manual pages and completions, which the command makes of its own table. One that is built for another
# system cannot run here.
if(TARGET sextant AND NOT CMAKE_CROSSCOMPILING)
  install(CODE "
  set(sextant \"$<TARGET_FILE:sextant>\")
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  set(pages \"\${root}/${CMAKE_INSTALL_MANDIR}/man1\")
  file(MAKE_DIRECTORY \"\${pages}\")
  execute_process(COMMAND \"\${sextant}\" man --all \"\${pages}\" COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB made \"\${pages}/sextant*.1\")
  foreach(place bash-completion/completions/sextant zsh/site-functions/_sextant fish/vendor_completions.d/sextant.fish)
    string(REGEX MATCH \"^[a-z]+\" shell \"\${place}\")
    set(file \"\${root}/${CMAKE_INSTALL_DATADIR}/\${place}\")
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"\${sextant}\" completions \"\${shell}\" OUTPUT_FILE \"\${file}\"
      COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND made \"\${file}\")
  endforeach()
  # The list of what was installed has them, too.
  foreach(file IN LISTS made)
    file(RELATIVE_PATH file \"\${root}\" \"\${file}\")
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_PREFIX}/\${file}\")
  endforeach()" COMPONENT command)
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/SextantConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/SextantConfig.cmake" INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/SextantConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
# A build for another system passes it over, and find_package says why. This comes first: the rest of the file returns
# early.
file(READ "${PROJECT_BINARY_DIR}/SextantConfigVersion.cmake" versionFile)
file(WRITE "${PROJECT_BINARY_DIR}/SextantConfigVersion.cmake"
"if(CMAKE_SYSTEM_NAME AND NOT CMAKE_SYSTEM_NAME STREQUAL \"${CMAKE_SYSTEM_NAME}\")
  set(PACKAGE_VERSION \"${PROJECT_VERSION} (for ${CMAKE_SYSTEM_NAME}, not for \${CMAKE_SYSTEM_NAME})\")
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
  return()
endif()
${versionFile}")
set(packageFiles
  "${PROJECT_SOURCE_DIR}/cmake/SextantAddModule.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/SextantEmbed.c.in"
  "${PROJECT_SOURCE_DIR}/cmake/SextantZstd.cmake")
install(FILES
  "${PROJECT_BINARY_DIR}/SextantConfig.cmake"
  "${PROJECT_BINARY_DIR}/SextantConfigVersion.cmake"
  ${packageFiles}
  DESTINATION "${package}" COMPONENT dev)

# The build tree as a package.
export(EXPORT SextantTargets NAMESPACE Sextant:: FILE "${PROJECT_BINARY_DIR}/SextantTargets.cmake")
if(TARGET sextant)
  export(EXPORT SextantCommand NAMESPACE Sextant:: FILE "${PROJECT_BINARY_DIR}/SextantCommand.cmake")
endif()
file(COPY ${packageFiles} DESTINATION "${PROJECT_BINARY_DIR}")
