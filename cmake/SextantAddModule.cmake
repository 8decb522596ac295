# sextant_add_module: kernel files to a module, as a step of the build. The same
# file serves this tree, its build tree and an installed package.
#
#   sextant_add_module(<target>
#     SOURCES kernels.py …           # kernel files, relative to the current source folder
#     [TARGETS cpu sm_90 …]          # default: cpu
#     [KERNELS "scan[dtype=qd.i32]" …]  # instances of template kernels
#     [CONSTANTS N=256 …]            # module constants
#     [HEADER [name.hpp]]            # a typed C++ header; default name: <target>.hpp
#     [EMBED]                        # the module's bytes become part of the program
#     [OUTPUT file.sxt]              # default: <target>.sxt in the current binary folder
#     [ASSERT | CHECK]               # tests at run time: assertions; all that --check tests
#     [OPTIONS -g …])                # further options of `sextant compile`
#
# <target> is a library to link: it brings the loader, the header's folder and,
# with EMBED, the bytes (symbols <target>_sxt and <target>_sxt_end, declared in the
# header). Its property SEXTANT_MODULE is the module's path. Imported files are
# dependencies: the module is rebuilt when one of them, or the compiler, changes.

# The folder of what EMBED generates from.
set(SEXTANT_CMAKE_FOLDER "${CMAKE_CURRENT_LIST_DIR}" CACHE INTERNAL "")

# Sextant::sextant: of this build, of the package, or found on the PATH.
function(sextant_find_compiler)
  if(TARGET Sextant::sextant)
    return()
  endif()
  if(TARGET sextant)
    add_executable(Sextant::sextant ALIAS sextant)
    return()
  endif()
  find_program(SEXTANT_COMPILER sextant DOC "The sextant command, for builds without it")
  if(NOT SEXTANT_COMPILER)
    message(FATAL_ERROR "sextant_add_module needs the sextant command: set SEXTANT_COMPILER to it")
  endif()
  add_executable(Sextant::sextant IMPORTED GLOBAL)
  set_target_properties(Sextant::sextant PROPERTIES IMPORTED_LOCATION "${SEXTANT_COMPILER}")
endfunction()

function(sextant_add_module target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "EMBED;ASSERT;CHECK" "OUTPUT"
    "SOURCES;TARGETS;KERNELS;CONSTANTS;OPTIONS;HEADER")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sextant_add_module(${target}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "sextant_add_module(${target}): SOURCES names no kernel file")
  endif()
  sextant_find_compiler()

  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT "${target}.sxt")
  endif()
  cmake_path(ABSOLUTE_PATH ARG_OUTPUT BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
  cmake_path(GET ARG_OUTPUT PARENT_PATH folder)
  set(symbol "")
  if(ARG_EMBED)
    string(MAKE_C_IDENTIFIER "${target}_sxt" symbol)
  endif()

  # The header lies in a folder of its own, so that linking the target shows it alone.
  set(header "")
  if(DEFINED ARG_HEADER OR "HEADER" IN_LIST ARG_KEYWORDS_MISSING_VALUES)
    if(NOT ARG_HEADER)
      set(ARG_HEADER "${target}.hpp")
    endif()
    set(includes "${CMAKE_CURRENT_BINARY_DIR}/${target}.include")
    cmake_path(ABSOLUTE_PATH ARG_HEADER BASE_DIRECTORY "${includes}" NORMALIZE OUTPUT_VARIABLE header)
  endif()

  set(command Sextant::sextant compile)
  set(inputs "")
  foreach(source IN LISTS ARG_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE
      OUTPUT_VARIABLE absolute)
    list(APPEND inputs "${absolute}")
    # As the module names it: below the source folder where it can be, so that the
    # bytes do not depend on where the tree lies.
    cmake_path(IS_PREFIX CMAKE_CURRENT_SOURCE_DIR "${absolute}" NORMALIZE below)
    if(below)
      cmake_path(RELATIVE_PATH absolute BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    list(APPEND command "${absolute}")
  endforeach()
  list(APPEND command -o "${ARG_OUTPUT}" -MF "${ARG_OUTPUT}.d")
  if(ARG_TARGETS)
    list(JOIN ARG_TARGETS "," targets)
    list(APPEND command "--targets=${targets}")
  endif()
  foreach(kernel IN LISTS ARG_KERNELS)
    list(APPEND command "--kernel=${kernel}")
  endforeach()
  foreach(constant IN LISTS ARG_CONSTANTS)
    list(APPEND command "--const=${constant}")
  endforeach()
  set(outputs "${ARG_OUTPUT}")
  if(header)
    list(APPEND command "--emit-header=${header}")
    list(APPEND outputs "${header}")
    cmake_path(GET header PARENT_PATH headerFolder)
    file(MAKE_DIRECTORY "${headerFolder}")
    if(symbol)
      list(APPEND command "--embed-symbol=${symbol}")
    endif()
  endif()
  if(ARG_CHECK)
    list(APPEND command --check)
  elseif(ARG_ASSERT)
    list(APPEND command --assert)
  endif()
  list(APPEND command ${ARG_OPTIONS})
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND ${command}
    DEPENDS ${inputs} Sextant::sextant
    DEPFILE "${ARG_OUTPUT}.d"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "Compiling kernels of ${target}"
    VERBATIM)
  add_custom_target(${target}_module ALL DEPENDS ${outputs})

  if(ARG_EMBED)
    sextant_embed(${target} "${ARG_OUTPUT}" "${symbol}")
    set(visibility PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(visibility INTERFACE)
  endif()
  add_dependencies(${target} ${target}_module)
  target_link_libraries(${target} ${visibility} Sextant::loader)
  if(header)
    target_include_directories(${target} ${visibility} "$<BUILD_INTERFACE:${includes}>")
  endif()
  set_target_properties(${target} PROPERTIES SEXTANT_MODULE "${ARG_OUTPUT}")
endfunction()

# A static library with the bytes of `file` from `symbol` to `symbol`_end.
function(sextant_embed target file symbol)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(extension c)
  if("CXX" IN_LIST languages)
    set(extension cpp)
  endif()
  set(SEXTANT_EMBED_FILE "${file}")
  set(SEXTANT_EMBED_SYMBOL "${symbol}")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.embed.${extension}")
  configure_file("${SEXTANT_CMAKE_FOLDER}/SextantEmbed.c.in" "${source}" @ONLY)
  add_library(${target} STATIC "${source}")
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${file}")
endfunction()
