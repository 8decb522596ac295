# The process itself: exit statuses, streams, start-up.
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")

function(expect status)
  execute_process(COMMAND "${SEXTANT}" ${ARGN} WORKING_DIRECTORY "${FOLDER}"
    RESULT_VARIABLE actual OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT actual EQUAL status)
    message(FATAL_ERROR "sextant ${ARGN}: status ${actual}, not ${status}\n${out}${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
endfunction()

expect(0 --version)
expect(0 --help)
expect(0 --cmake-dir)
string(STRIP "${out}" out)
if(NOT EXISTS "${out}/SextantConfig.cmake")
  message(FATAL_ERROR "--cmake-dir: no package is in '${out}'")
endif()
expect(1)
expect(1 compile missing.py)
if(NOT err MATCHES "cannot read 'missing.py'")
  message(FATAL_ERROR "unexpected: ${err}")
endif()

file(WRITE "${FOLDER}/k.py" "import quadrants as qd

@qd.kernel
def twice(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(a.shape[0]):
        a[i] = a[i] * 2
")
expect(0 compile k.py -o k.sxt)
expect(0 run k.sxt twice "a=iota:i32[5]" --device cpu)
if(NOT out MATCHES "a: i32.5. = .0, 2, 4, 6, 8.")
  message(FATAL_ERROR "unexpected: ${out}")
endif()
expect(0 compile k.py -o /dev/null)

# Without standard output, what is written there fails. No file takes its place, and no link to it.
file(CREATE_LINK /proc/self/fd/1 "${FOLDER}/out" SYMBOLIC)
foreach(words "compile k.py -o out" "compile k.py -o k.sxt --dump-ir" "compile k.py -o -" "inspect k.sxt" "--version")
  foreach(stdout >&- ">/dev/full")
    execute_process(COMMAND sh -c "\"$0\" ${words} ${stdout}" "${SEXTANT}" WORKING_DIRECTORY "${FOLDER}"
      RESULT_VARIABLE status ERROR_VARIABLE err)
    if(NOT status EQUAL 1 OR NOT err MATCHES "^sextant: error: cannot write ")
      message(FATAL_ERROR "sextant ${words} ${stdout}: status ${status}\n${err}")
    endif()
  endforeach()
endforeach()
if(NOT IS_SYMLINK "${FOLDER}/out")
  message(FATAL_ERROR "an output replaced the link to standard output")
endif()
execute_process(COMMAND sh -c "exec \"$0\" compile k.py -o all.sxt <&- >&- 2>&-" "${SEXTANT}"
  WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE status)
expect(0 diff k.sxt all.sxt)

# In a folder that is gone, paths from the root on work, and others are errors.
file(MAKE_DIRECTORY "${FOLDER}/gone")
execute_process(COMMAND sh -c "cd gone && rmdir ../gone && \"$0\" compile ../k.py -o ../gone.sxt" "${SEXTANT}"
  WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE status ERROR_VARIABLE err)
if(NOT status EQUAL 1 OR NOT err MATCHES "^sextant: error: " OR err MATCHES "internal")
  message(FATAL_ERROR "in a folder that is gone: status ${status}\n${err}")
endif()
