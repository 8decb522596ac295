# The target `lint`: clang-tidy over every source of the boxes, with the checks of .clang-tidy. A
# source is looked at again when its object was made anew, so ninja knows what a change touches, and
# two cores share the work. One source is the target `lint/PATH.stamp`. All is left out where
# clang-tidy or clang's headers are missing: `./dev lint` installs both.
find_program(SEXTANT_CLANG_TIDY clang-tidy-19)
find_path(SEXTANT_CLANG_HEADERS clang/Frontend/FrontendPluginRegistry.h HINTS ${LLVM_INCLUDE_DIRS} NO_DEFAULT_PATH)
if(NOT SEXTANT_CLANG_TIDY OR NOT SEXTANT_CLANG_HEADERS OR NOT CMAKE_GENERATOR STREQUAL "Ninja")
  return()
endif()

# Its symbols are clang-tidy's own.
add_library(SextantOwnCode MODULE EXCLUDE_FROM_ALL "${CMAKE_CURRENT_LIST_DIR}/lint/OwnCode.cpp")
target_include_directories(SextantOwnCode SYSTEM PRIVATE "${SEXTANT_CLANG_HEADERS}")
target_compile_options(SextantOwnCode PRIVATE -fno-rtti ${SEXTANT_WARNINGS})

set(settings .clang-tidy loader/devices/vulkan/.clang-tidy)
list(TRANSFORM settings PREPEND "${PROJECT_SOURCE_DIR}/")

# Adds a stamp to SEXTANT_LINTED for each source of a target that none before it has.
function(sextant_lint target)
  sextant_own_sources(${target} sources)
  get_target_property(sourceDir ${target} SOURCE_DIR)
  get_target_property(binaryDir ${target} BINARY_DIR)
  get_property(linted GLOBAL PROPERTY SEXTANT_LINTED)
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    set(stamp "${PROJECT_BINARY_DIR}/lint/${path}.stamp")
    if(stamp IN_LIST linted)
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${sourceDir}" OUTPUT_VARIABLE local)
    cmake_path(GET stamp PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    set(object "${local}.o")
    get_source_file_property(group "${source}" TARGET_DIRECTORY ${target} UNITY_GROUP)
    get_target_property(together ${target} UNITY_BUILD)
    if(together AND group)
      set(object "Unity/unity_${group}_cxx.cxx.o")
    endif()
    # Its error stream only says how many warnings it did not show.
    add_custom_command(OUTPUT "${stamp}"
      COMMAND "${SEXTANT_CLANG_TIDY}" --load=$<TARGET_FILE:SextantOwnCode> -p "${PROJECT_BINARY_DIR}/separate"
              --quiet "${source}" 2> "${stamp}.err"
      COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
      DEPENDS "${binaryDir}/CMakeFiles/${target}.dir/${object}" ${settings} SextantOwnCode ${SEXTANT_COMMANDS}
      COMMENT "Checking ${path}" VERBATIM)
    list(APPEND linted "${stamp}")
  endforeach()
  set_property(GLOBAL PROPERTY SEXTANT_LINTED "${linted}")
endfunction()

foreach(folder loader loader/algorithms packager frontend backends driver)
  sextant_targets_below("${PROJECT_SOURCE_DIR}/${folder}" "STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE" targets)
  foreach(target IN LISTS targets)
    sextant_lint(${target})
  endforeach()
endforeach()
get_property(linted GLOBAL PROPERTY SEXTANT_LINTED)
add_custom_target(lint DEPENDS ${linted})
