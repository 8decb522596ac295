# sextant_add_module: compiles kernel files to a module, as a step of the build. The same file
# serves this tree, its build tree and an installed package.
#
#   sextant_add_module(<target>
#     SOURCES kernels.py …           # kernel files, relative to the current source folder
#     | MANIFEST sextant.toml [MODULE name]  # or a manifest; default name: <target>
#     [TARGETS cpu sm_90 …]          # default: cpu; native is the machine that compiles
#     [KERNELS "scan[dtype=qd.i32]" …]  # instances of template kernels
#     [CONSTANTS N=256 …]            # module constants
#     [TUNE TILE=64,128 …]           # a variant for each value of these constants, for `sextant tune`
#     [TUNE_WHERE "TILE * N <= 4096" …]  # conditions on them
#     [TUNE_TARGETS cuda …]          # only targets like these get the alternatives
#     [TUNING tuning.txt]            # what `sextant tune --tuning` measured
#     [HEADER [name.hpp]]            # a typed C++ header; default name: <target>.hpp
#     [EMBED]                        # the module's bytes become part of the program
#     [LOADER SHARED | STATIC | NONE] # the loader that <target> brings: Sextant::loader (the default),
#                                    # Sextant::loader_static, or only its headers
#     [LOADER_BACKENDS cpu vulkan …] # with STATIC: the program carries only the code of these devices, of cpu,
#                                    # cuda, hip, metal and vulkan, in their order of preference
#     [OUTPUT file.sxt]              # default: <target>.sxt in the current binary folder
#     [STEPS PER_TARGET | ONE]       # a step of the build for each target (the default), or one;
#                                    # a MANIFEST is always one step
#     [ASSERT | CHECK]               # tests at run time: assertions; all that --check tests
#     [LARGE_ARRAYS]                 # variants for arrays of more than 2147483647 scalars, too
#     [OPTIONS -g …])                # further options of `sextant compile`
#
# <target> is a library to link. It brings the loader as LOADER says, the header's folder and, with
# EMBED, the bytes (symbols <target>_sxt and <target>_sxt_end, declared in the header). Its property
# SEXTANT_MODULE is the module's path. Imported files are dependencies: when one of them, or the
# compiler, changes, the module is rebuilt.
#
# The steps are a call of `sextant compile` for each item of TARGETS (several for names like `all`)
# and one of `sextant merge`. The module has the bytes of one call. A first step looks for errors
# (--syntax-only), so that a typo is reported once and not once a target. SEXTANT_COMPILER_LAUNCHER,
# a command with arguments, is put before each call, like CMAKE_<LANG>_COMPILER_LAUNCHER before
# compilers.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25) # paths in depfiles start at the current binary folder

# The folder with the templates of EMBED.
set(SEXTANT_CMAKE_FOLDER "${CMAKE_CURRENT_LIST_DIR}" CACHE INTERNAL "")

# Finds Sextant::sextant: of this build, of the package, or on the PATH.
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
  set(flags EMBED ASSERT CHECK LARGE_ARRAYS)
  set(words OUTPUT MANIFEST MODULE STEPS LOADER TUNING)
  set(lists SOURCES TARGETS KERNELS CONSTANTS TUNE TUNE_WHERE TUNE_TARGETS OPTIONS HEADER LOADER_BACKENDS)
  sextant_check_keywords(${target} "${flags};${words};${lists}" ${ARGN})
  cmake_parse_arguments(PARSE_ARGV 1 ARG "${flags}" "${words}" "${lists}")
  if(ARG_UNPARSED_ARGUMENTS)
    list(JOIN ARG_UNPARSED_ARGUMENTS " " unknown)
    message(FATAL_ERROR "sextant_add_module(${target}): unknown arguments ${unknown}")
  endif()
  foreach(keyword SOURCES MANIFEST MODULE TUNING HEADER OUTPUT)
    if("${ARG_${keyword}}" MATCHES "\\$<")
      message(FATAL_ERROR "sextant_add_module(${target}): ${keyword} takes no generator expression: CMake has to "
        "know the file when it configures")
    endif()
  endforeach()
  foreach(keyword IN LISTS lists)
    list(REMOVE_ITEM ARG_${keyword} "")
  endforeach()
  foreach(keyword CONSTANTS TUNE)
    foreach(item IN LISTS ARG_${keyword})
      if(NOT item MATCHES "=|\\$<")
        message(FATAL_ERROR "sextant_add_module(${target}): ${keyword} takes NAME=VALUE, not '${item}'")
      endif()
    endforeach()
  endforeach()
  if(ARG_MODULE AND NOT ARG_MANIFEST)
    message(FATAL_ERROR "sextant_add_module(${target}): MODULE names a module of a manifest; say which with MANIFEST")
  endif()
  if(ARG_SOURCES AND ARG_MANIFEST)
    message(FATAL_ERROR "sextant_add_module(${target}): SOURCES and MANIFEST exclude each other")
  elseif(NOT ARG_SOURCES AND NOT ARG_MANIFEST)
    message(FATAL_ERROR "sextant_add_module(${target}): SOURCES names no kernel file, and there is no MANIFEST")
  endif()
  list(LENGTH ARG_HEADER count)
  if(count GREATER 1)
    list(JOIN ARG_HEADER " " names)
    message(FATAL_ERROR "sextant_add_module(${target}): HEADER takes one name, not ${names}; a module has one header")
  endif()
  if(ARG_MANIFEST)
    set(ARG_STEPS ONE)
  elseif(NOT ARG_STEPS)
    set(ARG_STEPS PER_TARGET)
  elseif(NOT ARG_STEPS MATCHES "^(PER_TARGET|ONE)$")
    message(FATAL_ERROR "sextant_add_module(${target}): STEPS is PER_TARGET or ONE, not ${ARG_STEPS}")
  endif()
  if(NOT ARG_LOADER)
    set(ARG_LOADER SHARED)
  elseif(NOT ARG_LOADER MATCHES "^(SHARED|STATIC|NONE)$")
    message(FATAL_ERROR "sextant_add_module(${target}): LOADER is SHARED, STATIC or NONE, not ${ARG_LOADER}")
  endif()
  if(ARG_LOADER_BACKENDS AND NOT ARG_LOADER STREQUAL "STATIC")
    message(FATAL_ERROR "sextant_add_module(${target}): LOADER_BACKENDS needs LOADER STATIC; the shared library has "
      "all backends")
  endif()
  sextant_check_backends(${target} ${ARG_LOADER_BACKENDS})
  if("native" IN_LIST ARG_TARGETS AND CMAKE_CROSSCOMPILING AND
     NOT CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
    message(FATAL_ERROR "sextant_add_module(${target}): TARGETS has native, which is the machine that compiles; "
      "this build is for ${CMAKE_SYSTEM_PROCESSOR}; name its target, such as cpu:aarch64")
  endif()
  sextant_find_compiler()
  sextant_check_targets(${target} "${ARG_TARGETS}" "${ARG_TUNE_TARGETS}")

  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT "${target}.sxt")
  endif()
  cmake_path(ABSOLUTE_PATH ARG_OUTPUT BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
  cmake_path(GET ARG_OUTPUT PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")
  set(symbol "")
  if(ARG_EMBED)
    string(MAKE_C_IDENTIFIER "${target}_sxt" symbol)
  endif()

  # The header is in a folder of its own, so that linking the target exposes only the header.
  set(header "")
  set(headerOptions "")
  if(DEFINED ARG_HEADER OR "HEADER" IN_LIST ARG_KEYWORDS_MISSING_VALUES)
    if(NOT ARG_HEADER)
      set(ARG_HEADER "${target}.hpp")
    endif()
    set(includes "${CMAKE_CURRENT_BINARY_DIR}/${target}.include")
    cmake_path(ABSOLUTE_PATH ARG_HEADER BASE_DIRECTORY "${includes}" NORMALIZE OUTPUT_VARIABLE header)
    cmake_path(GET header PARENT_PATH headerFolder)
    file(MAKE_DIRECTORY "${headerFolder}")
    sextant_seen_from_build(shortHeader "${header}")
    set(headerOptions "--emit-header=${shortHeader}")
    if(symbol)
      list(APPEND headerOptions "--embed-symbol=${symbol}")
    endif()
  endif()

  # The input of every step. Sources are named from the source folder on, so that the bytes do not
  # depend on the place of the tree.
  set(command "")
  set(inputs Sextant::sextant)
  if(ARG_MANIFEST)
    cmake_path(ABSOLUTE_PATH ARG_MANIFEST BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    if(NOT ARG_MODULE)
      set(ARG_MODULE "${target}")
    endif()
    sextant_check_file(${target} MANIFEST "${ARG_MANIFEST}")
    list(APPEND command "--manifest=${ARG_MANIFEST}" "--module=${ARG_MODULE}")
    list(APPEND inputs "${ARG_MANIFEST}")
  else()
    foreach(source IN LISTS ARG_SOURCES)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE
        OUTPUT_VARIABLE absolute)
      sextant_check_file(${target} SOURCES "${absolute}")
      list(APPEND inputs "${absolute}")
      list(APPEND command "${absolute}")
    endforeach()
    list(APPEND command "--source-root=${CMAKE_CURRENT_SOURCE_DIR}")
    if(NOT ARG_TARGETS)
      set(ARG_TARGETS cpu)
    endif()
  endif()
  foreach(kernel IN LISTS ARG_KERNELS)
    list(APPEND command "--kernel=${kernel}")
  endforeach()
  foreach(constant IN LISTS ARG_CONSTANTS)
    list(APPEND command "--const=${constant}")
  endforeach()
  foreach(constant IN LISTS ARG_TUNE)
    list(APPEND command "--tune=${constant}")
  endforeach()
  foreach(condition IN LISTS ARG_TUNE_WHERE)
    list(APPEND command "--tune-where=${condition}")
  endforeach()
  foreach(pattern IN LISTS ARG_TUNE_TARGETS)
    list(APPEND command "--tune-targets=${pattern}")
  endforeach()
  if(ARG_TUNING)
    cmake_path(ABSOLUTE_PATH ARG_TUNING BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    sextant_check_file(${target} TUNING "${ARG_TUNING}")
    list(APPEND inputs "${ARG_TUNING}")
    list(APPEND command "--tuning=${ARG_TUNING}")
  endif()
  if(ARG_CHECK)
    list(APPEND command --check)
  elseif(ARG_ASSERT)
    list(APPEND command --assert)
  endif()
  if(ARG_LARGE_ARRAYS)
    list(APPEND command --large-arrays)
  endif()
  sextant_split_options("${ARG_OPTIONS}" stepOptions moduleOptions)
  list(APPEND command ${stepOptions})
  # The build sees them without what a generator expression left empty.
  set(allOptions "${command}")
  set(allModuleOptions "${moduleOptions}")
  set(command $<TARGET_FILE:Sextant::sextant> compile)
  sextant_evaluated(evaluated ${target}_module SEXTANT_OPTIONS)
  list(APPEND command "${evaluated}")
  sextant_evaluated(moduleOptions ${target}_module SEXTANT_MODULE_OPTIONS)

  set(checked "")
  if("${ARG_TARGETS}" MATCHES "\\$<") # how many steps there are is known too late
    set(ARG_STEPS ONE)
  endif()
  sextant_plan_steps("${ARG_TARGETS}" items parts)
  list(LENGTH items count)
  if(ARG_STEPS STREQUAL "ONE" OR count LESS 2)
    list(TRANSFORM ARG_TARGETS PREPEND "--targets=")
    list(APPEND allOptions ${ARG_TARGETS})
    sextant_compile_step(${target} "${ARG_OUTPUT}" "${header}" "${inputs}" "Compiling kernels of ${target}"
      ${command} ${moduleOptions} ${headerOptions})
  else()
    # The frontend's errors hold for all steps. They are reported once, and then no step runs.
    list(JOIN ARG_TARGETS "," list)
    set(checked "${ARG_OUTPUT}.steps/checked")
    file(MAKE_DIRECTORY "${ARG_OUTPUT}.steps")
    sextant_compile_step(${target} "${checked}" "" "${inputs}" "Checking kernels of ${target}"
      ${command} "--targets=${list}" --syntax-only)
    # Steps run in parallel, so each uses one thread. The module is compressed when it is whole.
    list(APPEND command --frontend-checked --compress=none -j1)
    set(allowMissing "")
    if("--allow-missing" IN_LIST stepOptions)
      set(allowMissing --allow-missing)
    endif()
    set(shards "")
    foreach(item part IN ZIP_LISTS items parts)
      string(REGEX REPLACE "[^A-Za-z0-9_.+=-]" "-" name "${item}")
      set(shardOptions "--targets=${item}")
      if(NOT part STREQUAL "1/1" OR allowMissing)
        list(APPEND shardOptions "--shard=${part}")
      endif()
      if(NOT part STREQUAL "1/1")
        string(REPLACE "/" "of" suffix "${part}")
        string(APPEND name ".${suffix}")
      endif()
      set(shard "${ARG_OUTPUT}.steps/${name}.sxt")
      sextant_compile_step(${target} "${shard}" "" "${inputs}" "Compiling kernels of ${target} for ${item} (${part})"
        ${command} ${shardOptions})
      list(APPEND shards "${shard}")
    endforeach()
    sextant_merge_step(${target} "${ARG_OUTPUT}" "${header}" "${shards}" "${ARG_TARGETS}"
      ${allowMissing} ${moduleOptions} ${headerOptions})
  endif()
  add_custom_target(${target}_module ALL DEPENDS "${ARG_OUTPUT}" ${header})
  set_target_properties(${target}_module PROPERTIES
    SEXTANT_OPTIONS "${allOptions}" SEXTANT_MODULE_OPTIONS "${allModuleOptions}")
  if(checked)
    # The check comes before the steps, but is not an input of theirs: a new target runs the check
    # and one step.
    add_custom_target(${target}_checked DEPENDS "${checked}")
    add_dependencies(${target}_module ${target}_checked)
  endif()

  if(ARG_EMBED)
    sextant_embed(${target} "${ARG_OUTPUT}" "${symbol}")
    set(visibility PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(visibility INTERFACE)
  endif()
  add_dependencies(${target} ${target}_module)
  if(ARG_LOADER STREQUAL "SHARED")
    target_link_libraries(${target} ${visibility} Sextant::loader)
  elseif(ARG_LOADER STREQUAL "STATIC")
    target_link_libraries(${target} ${visibility} Sextant::loader_static)
    if(ARG_LOADER_BACKENDS)
      sextant_carry_backends(${target} ${ARG_LOADER_BACKENDS})
    endif()
  else()
    target_include_directories(${target} ${visibility}
      $<TARGET_PROPERTY:Sextant::loader,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
  if(header)
    target_include_directories(${target} ${visibility} "$<BUILD_INTERFACE:${includes}>")
  endif()
  set_target_properties(${target} PROPERTIES SEXTANT_MODULE "${ARG_OUTPUT}")
endfunction()

#===--- Checks of the arguments -----------------------------------------------===#

# Returns how many letters have to be added, taken away or replaced to make one word of the other.
function(sextant_edit_distance result from to)
  string(LENGTH "${from}" rows)
  string(LENGTH "${to}" columns)
  set(line "")
  foreach(column RANGE ${columns})
    list(APPEND line ${column})
  endforeach()
  foreach(row RANGE 1 ${rows})
    set(before ${line})
    set(line ${row})
    math(EXPR at "${row} - 1")
    string(SUBSTRING "${from}" ${at} 1 letter)
    foreach(column RANGE 1 ${columns})
      math(EXPR at "${column} - 1")
      string(SUBSTRING "${to}" ${at} 1 other)
      list(GET before ${at} replaced)
      if(NOT letter STREQUAL other)
        math(EXPR replaced "${replaced} + 1")
      endif()
      list(GET before ${column} taken)
      list(GET line ${at} added)
      math(EXPR taken "${taken} + 1")
      math(EXPR added "${added} + 1")
      set(least ${replaced} ${taken} ${added})
      list(SORT least COMPARE NATURAL)
      list(GET least 0 least)
      list(APPEND line ${least})
    endforeach()
  endforeach()
  set(${result} ${least} PARENT_SCOPE)
endfunction()

# LOADER_BACKENDS names devices of the loader, each once.
function(sextant_check_backends target)
  set(known cpu cuda hip metal vulkan)
  set(seen "")
  foreach(name IN LISTS ARGN)
    if(NOT name IN_LIST known)
      list(JOIN known ", " known)
      message(FATAL_ERROR "sextant_add_module(${target}): LOADER_BACKENDS has '${name}', which is not a backend of the "
        "loader: there are ${known}")
    elseif(name IN_LIST seen)
      message(FATAL_ERROR "sextant_add_module(${target}): LOADER_BACKENDS has '${name}' twice")
    endif()
    list(APPEND seen ${name})
  endforeach()
endfunction()

# A misspelt keyword would become a value of the one before it, and the error one of the build. ARGN
# are the arguments. A word of capitals that is a keyword but for a third of its letters is one.
function(sextant_check_keywords target keywords)
  set(afterTargets FALSE)
  foreach(word IN LISTS ARGN)
    if(word IN_LIST keywords)
      string(COMPARE EQUAL "${word}" TARGETS afterTargets)
      continue()
    elseif(NOT word MATCHES "^[A-Z][A-Z_]+$" OR word MATCHES "^(PER_TARGET|ONE|SHARED|STATIC|NONE)$")
      continue()
    endif()
    set(nearest "")
    string(LENGTH "${word}" least)
    math(EXPR least "${least} / 3 + 1")
    foreach(keyword IN LISTS keywords)
      sextant_edit_distance(distance "${word}" "${keyword}")
      if(distance LESS least)
        set(least ${distance})
        set(nearest "; did you mean ${keyword}?")
      endif()
    endforeach()
    if(nearest OR afterTargets) # targets have small letters
      message(FATAL_ERROR "sextant_add_module(${target}): there is no keyword ${word}${nearest}")
    endif()
  endforeach()
endfunction()

# The file has to be there, or to be made by the build: by a rule of this folder, or in the binary folder.
function(sextant_check_file target keyword path)
  get_source_file_property(isGenerated "${path}" GENERATED)
  cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${path}" NORMALIZE isBuilt)
  cmake_path(COMPARE "${CMAKE_BINARY_DIR}" EQUAL "${CMAKE_SOURCE_DIR}" isInSource)
  if(NOT EXISTS "${path}" AND NOT isGenerated AND (NOT isBuilt OR isInSource))
    message(FATAL_ERROR "sextant_add_module(${target}): ${keyword} names '${path}', and there is no such file")
  endif()
endfunction()

# A misspelt target would be an error of the build. Only the compiler knows them all; if it is there when CMake
# configures, it is asked. What has a generator expression is known too late.
function(sextant_check_targets target targets tuneTargets)
  get_target_property(isImported Sextant::sextant IMPORTED)
  if(NOT isImported)
    return()
  endif()
  get_target_property(compiler Sextant::sextant LOCATION)
  set(options "")
  foreach(item IN LISTS targets)
    if(NOT item MATCHES "\\$<")
      list(APPEND options "--targets=${item}")
    endif()
  endforeach()
  if(NOT "${targets};${tuneTargets}" MATCHES "\\$<")
    list(TRANSFORM tuneTargets PREPEND "--tune-targets=")
    list(APPEND options ${tuneTargets})
  endif()
  if(NOT options OR NOT EXISTS "${compiler}")
    return()
  endif()
  execute_process(COMMAND "${compiler}" targets --diagnostics=json ${options}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE error)
  # Anything else is not about the targets: a program that does not start here, or that is older.
  if(status EQUAL 1 AND error MATCHES "\"code\":\"(target-unknown|target-feature-unknown|option-value-wrong)\"")
    string(JSON message GET "${error}" message)
    string(JSON help ERROR_VARIABLE none GET "${error}" help)
    if(NOT none)
      string(APPEND message "; ${help}")
    endif()
    message(FATAL_ERROR "sextant_add_module(${target}): ${message}")
  endif()
endfunction()

#===--- Steps ----------------------------------------------------------------===#

# Returns `path` as the commands name it. They run in the current binary folder.
function(sextant_seen_from_build result path)
  cmake_path(IS_PREFIX CMAKE_CURRENT_BINARY_DIR "${path}" NORMALIZE below)
  if(below)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

# Returns an expression for the list in that property of the target: its elements, with their own generator
# expressions evaluated, but for those that are empty, or a list's option with an empty value.
function(sextant_evaluated result target property)
  set(list "$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},${property}>>")
  set(${result} "$<FILTER:${list},EXCLUDE,^(--(kernel|const|tune|tune-where|tune-targets|targets)=)?$>"
    PARENT_SCOPE)
endfunction()

# Separates options about the whole module from those of each compilation.
function(sextant_split_options options steps module)
  set(ofSteps "")
  set(ofModule "")
  set(takesNext FALSE)
  foreach(option IN LISTS options)
    if(takesNext)
      list(APPEND ofModule "${option}")
      set(takesNext FALSE)
    elseif(option MATCHES "^--(compress|max-size|require)$")
      list(APPEND ofModule "${option}")
      set(takesNext TRUE)
    elseif(option MATCHES "(^|[:,])--((compress|max-size|require)=|fail-on-spill($|[,>]))")
      list(APPEND ofModule "${option}")
    else()
      list(APPEND ofSteps "${option}")
    endif()
  endforeach()
  set(${steps} "${ofSteps}" PARENT_SCOPE)
  set(${module} "${ofModule}" PARENT_SCOPE)
endfunction()

# Splits the list `targets` into items, and says which part of an item each step builds: a name for
# many targets takes several steps. Only the compiler knows what a name stands for, and it may not
# be built yet.
function(sextant_plan_steps targets items parts)
  set(allItems "")
  set(allParts "")
  string(REPLACE "," ";" targets "${targets}")
  list(REMOVE_DUPLICATES targets)
  foreach(item IN LISTS targets)
    string(STRIP "${item}" item)
    if(item MATCHES "^all(/.*)?$")
      set(count 16)
    elseif(item MATCHES "^all-major(/.*)?$")
      set(count 8)
    elseif(item MATCHES "^(amdgpu|cuda)(/.*)?$")
      set(count 4)
    elseif(item MATCHES "^vulkan(/.*)?$")
      set(count 2)
    else()
      set(count 1)
    endif()
    foreach(index RANGE 1 ${count})
      list(APPEND allItems "${item}")
      list(APPEND allParts "${index}/${count}")
    endforeach()
  endforeach()
  set(${items} "${allItems}" PARENT_SCOPE)
  set(${parts} "${allParts}" PARENT_SCOPE)
endfunction()

# Adds a call of `sextant compile` with ARGN, which writes `output` and, unless it is empty,
# `header`.
function(sextant_compile_step target output header inputs comment)
  sextant_seen_from_build(short "${output}")
  add_custom_command(
    OUTPUT "${output}" ${header}
    COMMAND ${SEXTANT_COMPILER_LAUNCHER} ${ARGN} -o "${short}" -MF "${short}.d"
    DEPENDS ${inputs}
    DEPFILE "${output}.d"
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
    COMMENT "${comment}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# Adds a call of `sextant merge` with ARGN.
function(sextant_merge_step target output header shards targets)
  set(names "")
  foreach(path IN LISTS shards)
    sextant_seen_from_build(name "${path}")
    list(APPEND names "${name}")
  endforeach()
  sextant_seen_from_build(short "${output}")
  list(JOIN targets "," list)
  add_custom_command(
    OUTPUT "${output}" ${header}
    COMMAND ${SEXTANT_COMPILER_LAUNCHER} $<TARGET_FILE:Sextant::sextant> merge ${names} -o "${short}"
      "--targets=${list}" ${ARGN}
    DEPENDS ${shards} Sextant::sextant
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
    COMMENT "Merging kernels of ${target}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# Returns the extension of sources that are C and C++ alike, of a language that the project has.
function(sextant_source_extension result)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(${result} c PARENT_SCOPE)
  if("CXX" IN_LIST languages)
    set(${result} cpp PARENT_SCOPE)
  endif()
endfunction()

# The programs that link a target carry only these backends of the static loader: a source with the list becomes one
# of theirs, and they are linked without what nobody uses (sextant/backends.h). CMake refuses a program that links
# two different lists.
function(sextant_carry_backends target)
  sextant_source_extension(extension)
  list(JOIN ARGN "-" name)
  set(source "${CMAKE_BINARY_DIR}/sextant/backends-${name}.${extension}")
  list(TRANSFORM ARGN PREPEND "&sxt_backend_" OUTPUT_VARIABLE rows)
  list(JOIN rows ", " rows)
  file(CONFIGURE OUTPUT "${source}" CONTENT
    "#include <sextant/backends.h>\nconst sxt_backend *const sxt_backends[] = {${rows}, 0};\n")
  set(dropUnused LINKER:--gc-sections)
  if(APPLE)
    set(dropUnused LINKER:-dead_strip)
  elseif(MSVC)
    set(dropUnused LINKER:/OPT:REF)
  endif()
  target_sources(${target} INTERFACE "$<BUILD_INTERFACE:${source}>")
  target_link_options(${target} INTERFACE ${dropUnused})
  set_target_properties(${target} PROPERTIES INTERFACE_SEXTANT_LOADER_BACKENDS "${name}"
    COMPATIBLE_INTERFACE_STRING SEXTANT_LOADER_BACKENDS)
endfunction()

# A static library with the bytes of `file` from `symbol` to `symbol`_end.
function(sextant_embed target file symbol)
  sextant_source_extension(extension)
  set(SEXTANT_EMBED_FILE "${file}")
  # The assembler's words for each object format: ELF, PE (whose symbols stay in their file's
  # program anyway) and Mach-O.
  set(SEXTANT_EMBED_SYMBOL "${symbol}")
  set(SEXTANT_EMBED_SECTION .rodata)
  set(SEXTANT_EMBED_HIDDEN .hidden)
  if(MSVC)
    message(FATAL_ERROR "EMBED needs GCC's or clang's assembler: build with clang, or ship the module as a file")
  elseif(WIN32)
    set(SEXTANT_EMBED_SECTION ".rdata,\\\"dr\\\"")
    set(SEXTANT_EMBED_HIDDEN .globl)
  elseif(APPLE)
    set(SEXTANT_EMBED_SYMBOL "_${symbol}")
    set(SEXTANT_EMBED_SECTION __TEXT,__const)
    set(SEXTANT_EMBED_HIDDEN .private_extern)
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.embed.${extension}")
  configure_file("${SEXTANT_CMAKE_FOLDER}/SextantEmbed.c.in" "${source}" @ONLY)
  add_library(${target} STATIC "${source}")
  # The compiler cannot see that the assembler reads the module, so the file is compiled on its own: not
  # in a unity source, which would not depend on the module, and to machine code, since link-time
  # optimisation does not see the symbols either.
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${file}" COMPILE_OPTIONS -fno-lto
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()

cmake_policy(POP)
