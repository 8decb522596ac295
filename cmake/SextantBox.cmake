# sextant_box(NAME SOURCES ... [DEPS ...]): one box of docs/architecture.md as a
# static library. Includes are written from the repository root
# ("frontend/hir/Hir.h"); a box sees the headers of its DEPS because every box
# exports one forwarding folder that holds only its own headers' top folder.

find_program(SEXTANT_CCACHE ccache)
if(SEXTANT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${SEXTANT_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SEXTANT_CCACHE}")
endif()

set(SEXTANT_WARNINGS -Wall -Wextra -Wno-unused-parameter)

# Gives a target that other targets of the tree may include from: a folder in
# the build tree with a link to the box's own source folder, and nothing else.
function(sextant_box_includes name)
  file(RELATIVE_PATH box "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(root "${PROJECT_BINARY_DIR}/box/${name}")
  get_filename_component(parent "${root}/${box}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${root}/${box}" SYMBOLIC)
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${root}>")
endfunction()

function(sextant_box name)
  cmake_parse_arguments(BOX "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${BOX_SOURCES})
  sextant_box_includes(${name})
  target_link_libraries(${name} PUBLIC ${BOX_DEPS})
  target_compile_options(${name} PRIVATE ${SEXTANT_WARNINGS})
endfunction()
