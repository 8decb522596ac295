# Sources that are compiled some at a time. Most of the time that one source takes is for the headers that it and its
# neighbours include, so a build from nothing takes half as long when six of them are one file for the compiler (CMake's
# unity builds, grouped here by the order of the target's list). A name in an anonymous namespace is then seen by the
# neighbours too: two that collide are told by the compiler, and one of them wants a better name. A source with the
# property SKIP_UNITY_BUILD_INCLUSION stays apart.
option(SEXTANT_UNITY "Sources are compiled some at a time" OFF)
set(SEXTANT_UNITY_SIZE 6)

function(sextant_unity target)
  sextant_own_sources(${target} sources)
  set(members "")
  foreach(source IN LISTS sources)
    get_source_file_property(apart "${source}" TARGET_DIRECTORY ${target} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(generated "${source}" TARGET_DIRECTORY ${target} GENERATED)
    if(NOT apart AND NOT generated)
      list(APPEND members "${source}")
    endif()
  endforeach()
  list(LENGTH members count)
  if(count LESS 2)
    return()
  endif()
  # Groups of even size: seven sources are four and three.
  math(EXPR groups "(${count} + ${SEXTANT_UNITY_SIZE} - 1) / ${SEXTANT_UNITY_SIZE}")
  set(index 0)
  foreach(source IN LISTS members)
    math(EXPR group "${index} * ${groups} / ${count}")
    set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${target}${group})
    math(EXPR index "${index} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Folders of tests whose files use the same names for kernels and helpers of their own; in the last, functions of two
# files must not be inlined into each other.
set(apart conformance algorithms math cpu vulkan simulators bench module/fuzz loader/frames)
list(TRANSFORM apart PREPEND "${PROJECT_SOURCE_DIR}/tests/")
list(APPEND apart "${PROJECT_SOURCE_DIR}/docs/examples") # programs of one source

if(SEXTANT_UNITY)
  sextant_targets_below("${PROJECT_SOURCE_DIR}" "STATIC_LIBRARY|OBJECT_LIBRARY|MODULE_LIBRARY|EXECUTABLE" targets ${apart})
  foreach(target IN LISTS targets)
    sextant_unity(${target})
  endforeach()
endif()

# The commands of single sources, for clangd and for the target `lint`.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND PROJECT_IS_TOP_LEVEL AND CMAKE_GENERATOR STREQUAL "Ninja")
  set(SEXTANT_COMMANDS "${PROJECT_BINARY_DIR}/separate/compile_commands.json")
  set(script "${CMAKE_CURRENT_LIST_DIR}/separate_commands.py")
  add_custom_command(OUTPUT "${SEXTANT_COMMANDS}"
    COMMAND "${Python3_EXECUTABLE}" "${script}" "${PROJECT_BINARY_DIR}"
    DEPENDS "${PROJECT_BINARY_DIR}/compile_commands.json" "${script}"
    COMMENT "Writing separate/compile_commands.json" VERBATIM)
  add_custom_target(sextant_commands ALL DEPENDS "${SEXTANT_COMMANDS}")
endif()
