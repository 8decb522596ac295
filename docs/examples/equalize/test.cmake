# Draws pictures (one of no round size), equalises them, compares with plain C++.
foreach(size "1200;800" "333;77" "1;1")
  set(in "${FOLDER}/test-in.png")
  set(out "${FOLDER}/test-out.png")
  execute_process(COMMAND "${MAKE}" "${in}" ${size} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${EQUALIZE}" "${in}" "${out}" cpu COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${CHECK}" "${in}" "${out}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
