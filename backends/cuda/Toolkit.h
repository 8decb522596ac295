// The programs and files of NVIDIA's CUDA toolkit that the backend uses where
// they are installed: ptxas, fatbinary, nvdisasm, cuobjdump, libdevice.
#pragma once

#include "backends/Backend.h"

namespace sextant {

/// The path of a toolkit program, or "": looked for on PATH, then in the bin
/// folders of $CUDA_HOME and $CUDA_PATH, then in /usr/local/cuda/bin. $SEXTANT_PTXAS
/// names the only ptxas to use, $SEXTANT_FATBINARY the only fatbinary; of a file that cannot be
/// run, it means none.
std::string findCudaProgram(llvm::StringRef name);
/// Of a program that was not found: "ptxas not found on PATH, …", or what is wrong with the file
/// that the variable names.
std::string cudaProgramMissing(llvm::StringRef name);

/// The bitcode of libdevice, read once a process; null where there is none.
/// $SEXTANT_LIBDEVICE names the only file to use.
const llvm::MemoryBuffer *libdevice();
/// What is needed where it is null, and what to do, for messages.
std::string libdeviceMissing();

struct PtxasRequest {
  llvm::StringRef program, ptx, arch; ///< arch as in "sm_90"
  unsigned optLevel = 3;
  bool lineInfo = false;
};

/// What ptxas makes of PTX text: the cubin, and its log with `-v`.
struct PtxasResult {
  llvm::SmallVector<char, 0> cubin;
  std::string log;
};
llvm::Expected<PtxasResult> runPtxas(const PtxasRequest &request);

/// Fills registers, spills, stack and shared bytes of `tasks` from a ptxas log.
void readResources(llvm::StringRef log, llvm::MutableArrayRef<TaskResources> tasks);

/// One image of a fat binary.
struct FatbinImage {
  bool isPtx = false;
  llvm::StringRef arch; ///< as in "sm_90a", "compute_75"
  llvm::ArrayRef<char> bytes;
};
/// What CUDA's fatbinary makes of images; an error that says how to get it where it is not
/// there. $SEXTANT_FATBINARY names the only one to use.
llvm::Expected<std::string> makeFatbin(llvm::ArrayRef<FatbinImage> images);

/// Machine code as text by nvdisasm or cuobjdump; an error that says how to get them.
llvm::Expected<std::string> disassembleCubin(llvm::ArrayRef<char> cubin);

} // namespace sextant
