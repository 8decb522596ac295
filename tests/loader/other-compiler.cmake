# The loader and two programs over it, built with the compiler CXX in WORK, warnings as errors
# but for one that gcc 12 gives about its own vector::insert; with libsodium linked in, which the
# ordinary build finds at run time; and without precompiled standard headers, so that each file
# includes what it needs. (All tests of the loader run as GCC compiles them in hosts-windows.)
include("${SOURCE}/tests/consume/run.cmake")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=-Werror -Wno-error=stringop-overflow" -DSEXTANT_BUILD_COMPILER=OFF
  "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" -DSEXTANT_OTHER_COMPILER=ON
  -DSEXTANT_LINK_SODIUM=ON -DSEXTANT_STANDARD_HEADERS=OFF)
run("${CMAKE_COMMAND}" --build "${WORK}" --target sextant_loader sextant_loader_static
  sextant-loader-consumer sextant-loader-trust)
run("${WORK}/tests/loader/sextant-loader-consumer")
set(golden "${SOURCE}/tests/module/golden")
run("${WORK}/tests/loader/sextant-loader-trust" "${golden}/v1.3-signed.sxt" "${golden}/v1.2.sxt")
