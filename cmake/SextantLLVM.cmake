# LLVM, MLIR and lld 19: found once, given to the boxes that need them as the
# interface target SextantMLIR. Only the two shared libraries are linked: mixing
# them with static components would load LLVM twice.
find_package(MLIR 19.1 REQUIRED CONFIG
  HINTS /usr/lib/llvm-19/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
# They write depfiles with paths from the top of the build folder on, as the old policy takes them.
cmake_policy(PUSH)
cmake_policy(SET CMP0116 OLD)
include(TableGen)
include(AddLLVM)
include(AddMLIR)
cmake_policy(POP)

add_library(SextantMLIR INTERFACE)
target_include_directories(SextantMLIR SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(SEXTANT_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(SextantMLIR INTERFACE ${SEXTANT_LLVM_DEFINITIONS})
target_compile_options(SextantMLIR INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> -Wno-unused-parameter)
target_link_libraries(SextantMLIR INTERFACE MLIR LLVM)

# sextant_mlir_box(NAME SOURCES ... [DEPS ...]): a box whose sources include
# MLIR headers; they share one precompiled header (cmake/MlirPch.h).
function(sextant_mlir_box name)
  cmake_parse_arguments(BOX "" "" "SOURCES;DEPS" ${ARGN})
  sextant_box(${name} SOURCES ${BOX_SOURCES} DEPS ${BOX_DEPS} SextantMLIR)
  if(NOT TARGET SextantMlirPch)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/MlirPch.cpp"
      CONTENT "// Carries the precompiled header that every MLIR box reuses.\n")
    add_library(SextantMlirPch OBJECT "${PROJECT_BINARY_DIR}/MlirPch.cpp")
    target_link_libraries(SextantMlirPch PRIVATE SextantMLIR)
    target_compile_options(SextantMlirPch PRIVATE ${SEXTANT_WARNINGS})
    target_precompile_headers(SextantMlirPch PRIVATE "${PROJECT_SOURCE_DIR}/cmake/MlirPch.h")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      target_compile_options(SextantMlirPch PUBLIC -fpch-instantiate-templates)
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${name} PRIVATE -fpch-instantiate-templates)
    target_precompile_headers(${name} REUSE_FROM SextantMlirPch)
  endif()
endfunction()
