# sextant_portable(NAME DEPS…): links an executable so that it needs only the C library. The boxes
# name shared libraries; their archives come first on the command line, lld takes all symbols from
# those, and drops the shared ones that nothing is left to take from. Of LLVM and MLIR it takes what
# is used: the program has 102 MB, the shared libraries have 196.
function(sextant_portable name)
  file(GLOB archives "${LLVM_LIBRARY_DIR}/libMLIR*.a" "${LLVM_LIBRARY_DIR}/libLLVM*.a")
  # lld's LTO names Polly.
  foreach(library Polly PollyISL)
    find_library(SEXTANT_PORTABLE_${library} lib${library}.a HINTS "${LLVM_LIBRARY_DIR}" REQUIRED
      DOC "Archive of Polly (Debian: libpolly-19-dev)")
    list(APPEND archives "${SEXTANT_PORTABLE_${library}}")
  endforeach()
  set(spirvCross c msl glsl hlsl cpp reflect util core)
  list(TRANSFORM spirvCross PREPEND spirv-cross-)
  foreach(library ${spirvCross} mpfr gmp sodium zstd z tinfo)
    find_library(SEXTANT_PORTABLE_${library} lib${library}.a REQUIRED)
    list(APPEND archives "${SEXTANT_PORTABLE_${library}}")
  endforeach()
  # lld asks LLVM for all its targets. Those that no backend uses are empty here.
  set(empty "")
  foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
    if(NOT target MATCHES "^(AArch64|AMDGPU|NVPTX|X86)$")
      foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
        string(APPEND empty "void LLVMInitialize${target}${part}(void) {}\n")
      endforeach()
    endif()
  endforeach()
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}-targets.c" CONTENT "${empty}")
  target_sources(${name} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${name}-targets.c")
  target_link_libraries(${name} PRIVATE ${archives} ${ARGN})
  target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc
    LINKER:--as-needed LINKER:--exclude-libs,ALL LINKER:--gc-sections LINKER:--strip-all)
  # No path of the build machine.
  set_target_properties(${name} PROPERTIES SKIP_BUILD_RPATH ON)
endfunction()
