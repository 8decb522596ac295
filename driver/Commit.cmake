# Writes HEADER with the commit of the tree SOURCE, where it is another than the header has: COMMIT
# where that is given, else what git says; "" where there is no git or no repository.
cmake_minimum_required(VERSION 3.25)
set(commit "${COMMIT}")
if(NOT commit)
  # A tree inside of another project's repository is not a repository of its own.
  execute_process(COMMAND git rev-parse --show-prefix WORKING_DIRECTORY "${SOURCE}"
    OUTPUT_VARIABLE prefix ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(status EQUAL 0 AND prefix STREQUAL "")
    execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=*
      WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define SEXTANT_COMMIT \"@commit@\"\n" @ONLY)
