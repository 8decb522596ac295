# Configures, builds and runs project/ in one of the three ways (see CMakeLists.txt).
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${WORK}")
file(COPY "${HERE}/project" "${HERE}/c-only" DESTINATION "${WORK}")
set(options -G "${GENERATOR}" -DCMAKE_C_COMPILER=${CC} -DCMAKE_BUILD_TYPE=Release)
if(LAUNCHER)
  list(APPEND options -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
endif()
if(WAY STREQUAL "subdirectory")
  # How fast the loader is that is built along matters little here, and a Release has it twice.
  list(APPEND options -DSEXTANT_SOURCE=${SOURCE} -DSEXTANT_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DSEXTANT_UNITY=ON)
elseif(WAY STREQUAL "build-tree")
  list(APPEND options -DSextant_DIR=${BUILD})
else()
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
  list(APPEND options -DCMAKE_PREFIX_PATH=${WORK}/prefix)
  run("${WORK}/prefix/bin/sextant" --version)
  file(GLOB_RECURSE staticLoader "${WORK}/prefix/libsextant_loader.a")
  # The shared loader has no symbols but those it exports; the others lie apart, and name it.
  file(GLOB_RECURSE loader "${WORK}/prefix/libsextant_loader.so.*.*.*")
  file(GLOB_RECURSE debug "${WORK}/prefix/*.debug")
  run(readelf -SW "${loader}")
  if(out MATCHES "\\.symtab|\\.debug_info" OR NOT out MATCHES "\\.gnu_debuglink" OR debug)
    message(FATAL_ERROR "the installed loader is not stripped, or its symbols are too (${debug}):\n${out}")
  endif()
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix" --component debug)
  cmake_path(GET loader PARENT_PATH folder)
  cmake_path(GET loader FILENAME name)
  run(readelf -SW "${folder}/.debug/${name}.debug")
  if(NOT out MATCHES "\\.symtab")
    message(FATAL_ERROR "no symbols in ${name}.debug:\n${out}")
  endif()
endif()

run("${CMAKE_COMMAND}" -S "${WORK}/project" -B "${WORK}/build" ${options} -DCMAKE_CXX_COMPILER=${CXX})
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/typed")
run("${WORK}/build/typed-c")
run("${WORK}/build/by-name" "${WORK}/build/consumer_file.sxt")
run("${WORK}/build/plain-c" "${WORK}/build/consumer_file.sxt")
run("${COMPILER}" inspect "${WORK}/build/consumer_file.sxt")
if(NOT out MATCHES "\\+SCALE=4/wave" OR out MATCHES "\\+SCALE=[23]/wave" OR NOT out MATCHES "sextant.measured")
  message(FATAL_ERROR "TUNE, TUNE_WHERE and TUNING gave other variants:\n${out}")
endif()

# An imported file is a dependency: a change there reaches the program …
file(READ "${WORK}/project/helpers.py" text)
string(REPLACE "OFFSET = 1" "OFFSET = 2" text "${text}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1)
file(WRITE "${WORK}/project/helpers.py" "${text}")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/typed" 2)
run("${WORK}/build/by-name" "${WORK}/build/consumer_file.sxt" 2)
# … and without a change nothing is compiled again.
run("${CMAKE_COMMAND}" --build "${WORK}/build")
if(out MATCHES "Compiling kernels")
  message(FATAL_ERROR "kernels were compiled without need:\n${out}")
endif()

if(WAY STREQUAL "installed")
  # A build for another system does not take this one's loader, and says why.
  file(WRITE "${WORK}/windows/CMakeLists.txt"
    "cmake_minimum_required(VERSION 3.25)\nproject(windows NONE)\nfind_package(Sextant REQUIRED)\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${WORK}/windows" -B "${WORK}/windows/build" -G "${GENERATOR}"
      -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_PREFIX_PATH=${WORK}/prefix
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE out)
  if(status EQUAL 0 OR NOT out MATCHES "for Linux, not for Windows")
    message(FATAL_ERROR "for Windows, find_package(Sextant) gave ${status}:\n${out}")
  endif()

  # docs/shipping.md, step by step: build, install, move, pack, update the module, damage it.
  run("${CMAKE_COMMAND}" -S "${SOURCE}/docs/examples/ship" -B "${WORK}/ship" ${options}
    -DCMAKE_CXX_COMPILER=${CXX})
  run("${CMAKE_COMMAND}" --build "${WORK}/ship")
  run("${CMAKE_COMMAND}" --install "${WORK}/ship" --prefix "${WORK}/here")
  file(RENAME "${WORK}/here" "${WORK}/elsewhere")
  file(REMOVE_RECURSE "${WORK}/ship/scaler_kernels.sxt")
  set(ENV{SEXTANT_DEVICE} cpu)
  set(scaler "${WORK}/elsewhere/bin/scaler")
  run("${scaler}")
  if(NOT out MATCHES "2\n4\n6\n")
    message(FATAL_ERROR "scaler printed ${out}")
  endif()
  # It runs with the loader that was installed with it.
  execute_process(COMMAND ldd "${scaler}" OUTPUT_VARIABLE libraries)
  if(NOT libraries MATCHES "elsewhere/[^\n]*libsextant_loader.so.0 ")
    message(FATAL_ERROR "scaler does not use its own loader:\n${libraries}")
  endif()
  file(GLOB_RECURSE module "${WORK}/elsewhere/share/*.sxt")
  run("${WORK}/prefix/bin/sextant" verify "${module}")
  file(RENAME "${module}" "${WORK}/update.sxt")
  execute_process(COMMAND "${scaler}" RESULT_VARIABLE status ERROR_VARIABLE out)
  if(status EQUAL 0 OR NOT out MATCHES "SXT_ERROR_IO: ")
    message(FATAL_ERROR "without its module, scaler printed (${status}) ${out}")
  endif()
  set(ENV{SCALER_MODULE_PATH} "${WORK}/update.sxt")
  run("${scaler}")
  unset(ENV{SCALER_MODULE_PATH})
  run("${CMAKE_COMMAND}" --build "${WORK}/ship") # the module again, for the package
  run("${CMAKE_CPACK_COMMAND}" --config "${WORK}/ship/CPackConfig.cmake" -B "${WORK}/packages")
  run("${CMAKE_COMMAND}" -E chdir "${WORK}/packages" "${CMAKE_COMMAND}" -E tar xf Scaler-1.0.0-Linux.tar.gz)
  run("${WORK}/packages/Scaler-1.0.0-Linux/bin/scaler")

  # Links as pkg-config says, after the whole tree has moved.
  file(COPY "${WORK}/prefix" DESTINATION "${WORK}/moved")
  file(GLOB_RECURSE pc "${WORK}/moved/prefix/*/sextant.pc")
  cmake_path(GET pc PARENT_PATH pcFolder)
  set(ENV{PKG_CONFIG_PATH} "${pcFolder}")
  find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
  run("${PKG_CONFIG}" --cflags --libs sextant)
  separate_arguments(flags UNIX_COMMAND "${out}")
  if(NOT "${out}" MATCHES "/moved/")
    message(FATAL_ERROR "sextant.pc names the place before the move: ${out}")
  endif()
  run("${CC}" -std=c11 -Wall -Wextra -Werror "${WORK}/project/plain.c" ${flags} -o "${WORK}/plain-pc")
  cmake_path(GET pcFolder PARENT_PATH libraries)
  run("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${libraries}" "${WORK}/plain-pc"
    "${WORK}/build/consumer_file.sxt")
  # Manual pages of the command and of its commands, and what shells read.
  foreach(file man/man1/sextant.1 man/man1/sextant-compile.1 man/man1/sextant-diff.1
          bash-completion/completions/sextant zsh/site-functions/_sextant fish/vendor_completions.d/sextant.fish)
    if(NOT EXISTS "${WORK}/prefix/share/${file}")
      message(FATAL_ERROR "share/${file} is not installed")
    endif()
  endforeach()

  # The static library: the same C program without the shared one.
  run("${CC}" -std=c11 -pedantic-errors -Wall -Wextra -Werror "-I${WORK}/prefix/include"
    "${WORK}/project/plain.c" "${staticLoader}" -lzstd -lstdc++ -lm -lpthread -ldl
    -o "${WORK}/plain-static")
  run("${WORK}/plain-static" "${WORK}/build/consumer_file.sxt")
  run("${CMAKE_COMMAND}" -S "${WORK}/c-only" -B "${WORK}/c-build" ${options})
  run("${CMAKE_COMMAND}" --build "${WORK}/c-build")
  foreach(program embedded-c embedded-c-static embedded-c-cpu embedded-c-none)
    run("${WORK}/c-build/${program}")
    execute_process(COMMAND ldd "${WORK}/c-build/${program}" OUTPUT_VARIABLE libraries)
    string(FIND "${libraries}" libsextant_loader at)
    if((program STREQUAL "embedded-c" AND at EQUAL -1) OR
       (NOT program STREQUAL "embedded-c" AND NOT at EQUAL -1))
      message(FATAL_ERROR "${program} has the wrong loader:\n${libraries}")
    endif()
  endforeach()
  # LOADER_BACKENDS leaves out the code of the other devices. Dropping what nobody uses would save 90 kB without a list.
  foreach(program static cpu)
    file(SIZE "${WORK}/c-build/embedded-c-${program}" size_${program})
  endforeach()
  math(EXPR less "${size_static} - ${size_cpu}")
  message(STATUS "LOADER_BACKENDS cpu: ${size_cpu} bytes, ${less} less than with all backends")
  if(less LESS 200000)
    message(FATAL_ERROR "LOADER_BACKENDS cpu saved only ${less} bytes of ${size_static}")
  endif()
  # Both loaders in one program are an error of the configuration, and so are two lists of backends.
  foreach(mistake BOTH TWO_LISTS)
    execute_process(COMMAND "${CMAKE_COMMAND}" -S "${WORK}/c-only" -B "${WORK}/c-${mistake}" ${options} -D${mistake}=ON
      RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(status EQUAL 0 OR NOT out MATCHES "SEXTANT_LOADER")
      message(FATAL_ERROR "${mistake} was taken (${status}):\n${out}")
    endif()
  endforeach()
  # The package names no path of this machine's zstd.
  file(READ "${WORK}/prefix/lib/cmake/Sextant/SextantTargets.cmake" text)
  if(text MATCHES "libzstd")
    message(FATAL_ERROR "the package holds the path of zstd")
  endif()
endif()
