# sextant_box(NAME SOURCES ... [HEADERS ...] [DEPS ...]): one box of docs/architecture.md as a
# static library. Includes are written from the repository root ("frontend/hir/Hir.h"). A box sees
# the headers of its DEPS, because every box exports one forwarding folder. The folder holds only
# the box's own top folder; if other boxes lie below it, only the HEADERS.
#
# sextant_box_interface(NAME [OF BOX] HEADERS ... [DEPS ...]): some headers of a box, for others
# that must see neither the rest nor its dependencies. A target that names it is linked with the
# box.

find_program(SEXTANT_CCACHE ccache)
if(SEXTANT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${SEXTANT_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SEXTANT_CCACHE}")
endif()
# With the times of files in them, Clang's precompiled headers would differ in each clone, and ccache would know none of
# their users. Ninja sees by itself which of them are old.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

set(SEXTANT_WARNINGS -Wall -Wextra -Wno-unused-parameter)
# In the presets; elsewhere another compiler's new warning must not break the build.
option(SEXTANT_WERROR "Compiler warnings are errors" OFF)
if(SEXTANT_WERROR)
  list(APPEND SEXTANT_WARNINGS -Werror)
endif()

# Gives a target an include folder for other targets of the tree: a folder in the build tree with a
# link to the box's own source folder and nothing else, or with links to the named headers.
function(sextant_box_includes name) # headers…
  file(RELATIVE_PATH box "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(root "${PROJECT_BINARY_DIR}/box/${name}")
  set(from "${root}/${box}")
  if(ARGN)
    if(IS_SYMLINK "${from}") # from a build tree older than the list of the box's headers
      file(REMOVE "${from}")
    endif()
    file(MAKE_DIRECTORY "${from}")
    foreach(header IN LISTS ARGN)
      file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/${header}" "${from}/${header}" SYMBOLIC)
    endforeach()
  else()
    get_filename_component(parent "${from}" DIRECTORY)
    if(IS_SYMLINK "${parent}") # from a build tree in which the box was the folder above
      file(REMOVE "${parent}")
    endif()
    file(MAKE_DIRECTORY "${parent}")
    file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${from}" SYMBOLIC)
  endif()
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${root}>")
  else()
    target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${root}>")
  endif()
endfunction()

# The targets of a folder and of those below it, of the given types (a regular expression). EXCEPT…: folders that are
# left out.
function(sextant_targets_below folder types result)
  set(found "")
  if(NOT folder IN_LIST ARGN)
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type MATCHES "^(${types})$")
        list(APPEND found ${target})
      endif()
    endforeach()
    get_property(folders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    foreach(below IN LISTS folders)
      sextant_targets_below("${below}" "${types}" more ${ARGN})
      list(APPEND found ${more})
    endforeach()
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# The sources of a target that are C++ of its own folder, with their full paths.
function(sextant_own_sources target result)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(own "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}" NORMALIZE)
    cmake_path(IS_PREFIX folder "${source}" isOurs)
    if(isOurs AND source MATCHES "\\.cpp$")
      list(APPEND own "${source}")
    endif()
  endforeach()
  set(${result} "${own}" PARENT_SCOPE)
endfunction()

# Standard headers take half of the time to compile a file that needs no others. The test
# loader-other-compiler, which runs each night, builds without precompiled ones, and so finds an include that is missing.
option(SEXTANT_STANDARD_HEADERS "Boxes without MLIR read standard headers from a precompiled one" ON)
function(sextant_standard_headers name)
  if(NOT SEXTANT_STANDARD_HEADERS)
    return()
  endif()
  target_precompile_headers(${name} PRIVATE <algorithm> <array> <atomic> <cstring> <functional> <map> <memory> <mutex>
    <optional> <span> <string> <string_view> <thread> <unordered_map> <variant> <vector>)
endfunction()

function(sextant_box name)
  cmake_parse_arguments(BOX "" "" "SOURCES;HEADERS;DEPS" ${ARGN})
  add_library(${name} STATIC ${BOX_SOURCES})
  sextant_box_includes(${name} ${BOX_HEADERS})
  target_link_libraries(${name} PUBLIC ${BOX_DEPS})
  target_compile_options(${name} PRIVATE ${SEXTANT_WARNINGS})
endfunction()

function(sextant_box_interface name)
  cmake_parse_arguments(BOX "" "OF" "HEADERS;DEPS" ${ARGN})
  add_library(${name} INTERFACE)
  sextant_box_includes(${name} ${BOX_HEADERS})
  target_link_libraries(${name} INTERFACE ${BOX_DEPS})
  if(BOX_OF)
    target_link_libraries(${name} INTERFACE "$<LINK_ONLY:${BOX_OF}>")
  endif()
endfunction()
