# The steps of sextant_add_module, as a launcher sees them: which there are, which run again after
# a change, and that their module is that of one call. GENERATOR, COMPILER, BUILD, CC, HERE, WORK.
file(REMOVE_RECURSE "${WORK}")
file(COPY "${HERE}/steps/" DESTINATION "${WORK}/source")
set(source "${WORK}/source")
set(build "${WORK}/build")
set(ENV{SEXTANT_CACHE_DIR} "${WORK}/cache")

include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

function(configure)
  run("${CMAKE_COMMAND}" -S "${source}" -B "${build}" -G "${GENERATOR}" -DSextant_DIR=${BUILD}
    -DCMAKE_C_COMPILER=${CC} ${ARGN})
endfunction()

# Builds, and compares the steps that ran with ARGN: `compile OUTPUT` and `merge OUTPUT`, in any order.
function(expect_steps when)
  if(GENERATOR MATCHES "Makefiles")
    execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1) # it may see whole seconds only
  endif()
  file(REMOVE "${build}/log")
  run("${CMAKE_COMMAND}" --build "${build}" --parallel 2)
  set(lines "")
  if(EXISTS "${build}/log")
    file(STRINGS "${build}/log" lines)
  endif()
  set(steps "")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "sextant (compile|merge) .*-o ([^ ]+)")
      message(FATAL_ERROR "${when}: no step: ${line}")
    endif()
    list(APPEND steps "${CMAKE_MATCH_1} ${CMAKE_MATCH_2}")
  endforeach()
  set(wanted ${ARGN})
  list(SORT steps)
  list(SORT wanted)
  if(NOT "${steps}" STREQUAL "${wanted}")
    list(JOIN steps "\n  " steps)
    list(JOIN wanted "\n  " wanted)
    message(FATAL_ERROR "${when}:\n  ${steps}\nran, and not\n  ${wanted}\n${out}")
  endif()
endfunction()

# Hits and misses of the cache since the last call.
function(expect_cache when hits misses)
  run("${COMPILER}" cache)
  string(REGEX MATCH "hits +([0-9]+)" _ "${out}")
  set(nowHits ${CMAKE_MATCH_1})
  string(REGEX MATCH "misses +([0-9]+)" _ "${out}")
  set(nowMisses ${CMAKE_MATCH_1})
  math(EXPR moreHits "${nowHits} - 0${lastHits}")
  math(EXPR moreMisses "${nowMisses} - 0${lastMisses}")
  if(NOT moreHits EQUAL hits OR NOT moreMisses EQUAL misses)
    message(FATAL_ERROR "${when}: ${moreHits} hits, ${moreMisses} misses, not ${hits} and ${misses}")
  endif()
  set(lastHits ${nowHits} PARENT_SCOPE)
  set(lastMisses ${nowMisses} PARENT_SCOPE)
endfunction()

function(expect_same first second)
  run("${CMAKE_COMMAND}" -E compare_files "${first}" "${second}")
endfunction()

function(edit file from to)
  file(READ "${source}/${file}" text)
  string(REPLACE "${from}" "${to}" text "${text}")
  file(WRITE "${source}/${file}" "${text}")
endfunction()

set(stepsOfA "compile a.sxt.steps/checked" "compile a.sxt.steps/x86-64-v3-wave8.sxt" "compile a.sxt.steps/compute_80.sxt"
  "compile a.sxt.steps/compute_90.sxt" "merge a.sxt")
set(stepsOfB "compile deep/b.sxt.steps/checked" "compile deep/b.sxt.steps/vulkan.1of2.sxt" "compile deep/b.sxt.steps/vulkan.2of2.sxt"
  "compile deep/b.sxt.steps/metal-3.0.sxt" "merge deep/b.sxt")
set(others "compile described.sxt" "compile one.sxt")

configure()
expect_steps("a first build" ${stepsOfA} ${stepsOfB} ${others})
expect_steps("no change")

# The bytes of one call, header included.
run("${COMPILER}" compile a.py -t x86-64-v3/wave8,compute_80,compute_90 --const SCALE=3 --no-cache
  -o "${WORK}/a.sxt" "--emit-header=${WORK}/a.hpp" WORKING_DIRECTORY "${source}")
expect_same("${build}/a.sxt" "${WORK}/a.sxt")
expect_same("${build}/a.include/a.hpp" "${WORK}/a.hpp")
run("${COMPILER}" compile b.py -t vulkan,metal:3.0 --compress fast --no-cache -o "${WORK}/b.sxt"
  WORKING_DIRECTORY "${source}")
expect_same("${build}/deep/b.sxt" "${WORK}/b.sxt")
run("${COMPILER}" compile b.py -t compute_80,compute_90 --no-cache -o "${WORK}/c.sxt" WORKING_DIRECTORY "${source}")
expect_same("${build}/described.sxt" "${WORK}/c.sxt")
expect_same("${build}/one.sxt" "${WORK}/c.sxt")

# A comment: its file's steps run, and take all images from the cache.
run("${COMPILER}" cache --clear)
edit(a.py "SCALE = 3" "SCALE = 3 # of all")
expect_steps("a comment of a" ${stepsOfA})
expect_cache("a comment of a, into an empty cache" 0 6)
edit(a.py " # of all" "")
expect_steps("no comment of a" ${stepsOfA})
expect_cache("no comment of a" 6 0)
# A kernel: the other one is a hit.
edit(a.py "x[i] * 2" "x[i] * 4")
expect_steps("a kernel of a" ${stepsOfA})
expect_cache("a kernel of a" 3 3)
# A constant is of one module, and of one kernel in it.
configure(-DSCALE=5)
expect_steps("a constant of a" ${stepsOfA})
expect_cache("a constant of a" 3 3)
# A target more is a step more.
configure(-DEXTRA=compute_75)
expect_steps("a target more" "compile a.sxt.steps/checked" "compile a.sxt.steps/compute_75.sxt"
  "merge a.sxt")
expect_cache("a target more" 0 2)
# A file that both import changes both.
edit(shared.py "OFFSET = 1" "OFFSET = 2")
expect_steps("an imported file" ${stepsOfA} "compile a.sxt.steps/compute_75.sxt" ${stepsOfB} ${others})
run("${COMPILER}" compile a.py -t x86-64-v3/wave8,compute_80,compute_90,compute_75 --const SCALE=5
  --no-cache -o "${WORK}/a.sxt" WORKING_DIRECTORY "${source}")
expect_same("${build}/a.sxt" "${WORK}/a.sxt")
# A manifest is an input of only its module.
edit(sextant.toml "[module.described]" "[module.described]\nopt-level = 2")
expect_steps("the manifest" "compile described.sxt")
expect_steps("no change at the end")

# A typo is told once, and no step for a target runs; so is a warning.
function(expect_told_once when text wanted)
  if(GENERATOR MATCHES "Makefiles")
    execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1)
    set(goOn -k)
  else()
    set(goOn -k0)
  endif()
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${build}" --parallel 2 --target a_module -- ${goOn}
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  string(REGEX MATCHALL "${text}" told "${out}")
  list(LENGTH told count)
  if(NOT count EQUAL 1 OR NOT status ${wanted} 0)
    message(FATAL_ERROR "${when}: status ${status}, '${text}' is told ${count} times:\n${out}")
  endif()
endfunction()
edit(a.py "x[i] * 4" "x[j] * 4")
expect_told_once("a typo" "a.py:[0-9]+:[0-9]+: error: " GREATER)
edit(a.py "x[j] * 4" "x[i] * 4")
file(APPEND "${source}/a.py" "\n@qd.kernel\ndef unnamed(n: qd.template()):\n    pass\n")
expect_told_once("a warning" "Wuninstantiated-kernel" EQUAL)

# Arguments that cannot be meant.
file(WRITE "${WORK}/refused/a.py" "")
function(expect_refusal arguments message)
  file(WRITE "${WORK}/refused/CMakeLists.txt"
    "cmake_minimum_required(VERSION 3.25)\nproject(refused C)\nfind_package(Sextant REQUIRED)\n"
    "sextant_add_module(m ${arguments})\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${WORK}/refused" -B "${WORK}/refused/build"
      -G "${GENERATOR}" -DSextant_DIR=${BUILD} -DCMAKE_C_COMPILER=${CC}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE out)
  string(REGEX REPLACE "[ \n]+" " " out "${out}") # CMake breaks lines
  string(FIND "${out}" "sextant_add_module(m): ${message}" at)
  if(status EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "sextant_add_module(m ${arguments}) gave ${status}, and not '${message}':\n${out}")
  endif()
endfunction()

expect_refusal("SOURCES k.py HEADER a.hpp b.hpp"
  "HEADER takes one name, not a.hpp b.hpp; a module has one header")
expect_refusal("SOURCES k.py MODULE one"
  "MODULE names a module of a manifest; say which with MANIFEST")
expect_refusal("MODULE one" "MODULE names a module of a manifest; say which with MANIFEST")
expect_refusal("SOURCES a.py TARGET cpu" "there is no keyword TARGET; did you mean TARGETS?")
expect_refusal("SOURCES a.py TARGETS cpu HEADR EMBED" "there is no keyword HEADR; did you mean HEADER?")
expect_refusal("SOURCES a.py KERNELS scale CONSTANT SCALE=2" "there is no keyword CONSTANT; did you mean CONSTANTS?")
expect_refusal("SOURCES a.py TARGETS cpu QUICK" "there is no keyword QUICK")
expect_refusal("SOURCES a.py EMBED quick" "unknown arguments quick")
expect_refusal("SOURCES missing.py" "SOURCES names '${WORK}/refused/missing.py', and there is no such file")
expect_refusal("MANIFEST missing.toml" "MANIFEST names '${WORK}/refused/missing.toml', and there is no such file")
expect_refusal("SOURCES a.py LOADER_BACKENDS cpu" "LOADER_BACKENDS needs LOADER STATIC")
expect_refusal("SOURCES a.py LOADER STATIC LOADER_BACKENDS amdgpu"
  "LOADER_BACKENDS has 'amdgpu', which is not a backend of the loader: there are cpu, cuda, hip, metal, vulkan")
expect_refusal("SOURCES a.py LOADER STATIC LOADER_BACKENDS cpu vulkan cpu" "LOADER_BACKENDS has 'cpu' twice")
expect_refusal("SOURCES a.py TUNING missing.txt" "TUNING names '${WORK}/refused/missing.txt', and there is no such file")
expect_refusal("SOURCES a.py CONSTANTS SCALE" "CONSTANTS takes NAME=VALUE, not 'SCALE'")
expect_refusal("SOURCES $<1:a.py>" "SOURCES takes no generator expression")
# The compiler is there, and knows the targets.
expect_refusal("SOURCES a.py TARGETS sm_90 cpux" "unknown target 'cpux'; did you mean cpu?")
expect_refusal("SOURCES a.py TARGETS cpu,rocm" "unknown target 'rocm'; did you mean amdgpu?")
expect_refusal("SOURCES a.py TARGETS $<1:cpu> sm_91" "unknown target 'sm_91'")
expect_refusal("SOURCES a.py TARGETS cpu+avx2" "cpu targets have no feature 'avx2'; leave it out")
expect_refusal("SOURCES a.py TARGETS cpu/wave7" "target 'cpu/wave7': x86-64-v3 has no wave of 7 lanes")
expect_refusal("SOURCES a.py TARGETS cpu STEPS ONE TUNE_TARGETS cuda"
  "--tune-targets 'cuda' matches no target of the build")

# A file that the build makes, and kernels whose names are capitals, are taken.
file(WRITE "${WORK}/refused/CMakeLists.txt"
  "cmake_minimum_required(VERSION 3.25)\nproject(taken C)\nfind_package(Sextant REQUIRED)\n"
  "sextant_add_module(m SOURCES \${CMAKE_CURRENT_BINARY_DIR}/made.py KERNELS SAXPY KEEP)\n"
  "sextant_add_module(late SOURCES a.py TARGETS cpu $<1:cpux> TUNE_TARGETS $<1:cudda>)\n"
  "add_custom_command(OUTPUT made.py COMMAND false)\n")
run("${CMAKE_COMMAND}" -S "${WORK}/refused" -B "${WORK}/refused/taken" -G "${GENERATOR}" -DSextant_DIR=${BUILD}
  -DCMAKE_C_COMPILER=${CC})

# A compiler that does not start here, or not yet, leaves the targets to the build.
file(WRITE "${WORK}/refused/CMakeLists.txt"
  "cmake_minimum_required(VERSION 3.25)\nproject(later C)\nadd_executable(Sextant::sextant IMPORTED)\n"
  "add_library(Sextant::loader INTERFACE IMPORTED)\n"
  "set_target_properties(Sextant::sextant PROPERTIES IMPORTED_LOCATION \${COMPILER})\n"
  "include(${BUILD}/SextantAddModule.cmake)\nsextant_add_module(m SOURCES a.py TARGETS cpux LOADER NONE)\n")
foreach(compiler /nowhere/sextant "${WORK}/refused/a.py")
  run("${CMAKE_COMMAND}" -S "${WORK}/refused" -B "${WORK}/refused/later" -G "${GENERATOR}" -DCOMPILER=${compiler}
    -DCMAKE_C_COMPILER=${CC})
endforeach()
