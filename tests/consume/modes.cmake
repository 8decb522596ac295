# modes/ in a mode of CMake's that merges sources or optimises at link time: it links, and an edit reaches the program.
# See CMakeLists.txt.
file(REMOVE_RECURSE "${WORK}")
file(COPY "${HERE}/modes/" DESTINATION "${WORK}/source")

include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

function(expect_results when wanted)
  run("${CMAKE_COMMAND}" --build "${WORK}/build" --config Release)
  file(GLOB program "${WORK}/build/modes" "${WORK}/build/Release/modes")
  run("${program}")
  if(NOT out STREQUAL "${wanted}\n")
    message(FATAL_ERROR "${when}: ${out}, not ${wanted}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" -S "${WORK}/source" -B "${WORK}/build" -G "${GENERATOR}" -DSextant_DIR=${BUILD}
  -DCMAKE_CXX_COMPILER=${CXX} ${MODE})
expect_results("a first build" "2 1")
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1) # make sees whole seconds
foreach(name first second)
  file(READ "${WORK}/source/${name}.py" text)
  string(REPLACE "1.0 *" "100.0 *" text "${text}")
  file(WRITE "${WORK}/source/${name}.py" "${text}")
endforeach()
expect_results("an edit" "200 100")
