// The programs and files of NVIDIA's CUDA toolkit that the backend uses if they are installed:
// ptxas, fatbinary, nvdisasm, cuobjdump, libdevice.
#pragma once

#include "backends/Backend.h"

namespace sextant {

/// Returns the path of a toolkit program, or "". Looks on PATH, then in the bin folders of
/// $CUDA_HOME and $CUDA_PATH, then in /usr/local/cuda/bin. $SEXTANT_PTXAS names the only ptxas to
/// use, $SEXTANT_FATBINARY the only fatbinary. If that file cannot be run, there is none.
std::string findCudaProgram(llvm::StringRef name);
/// Says why a program was not found: "ptxas not found on PATH, …", or what is wrong with the file
/// that the variable names.
std::string cudaProgramMissing(llvm::StringRef name);

/// Returns the bitcode of libdevice, read once a process; null if it is missing. $SEXTANT_LIBDEVICE
/// names the only file to use.
const llvm::MemoryBuffer *libdevice();
/// Says for messages what is missing if libdevice() is null, and what to do.
std::string libdeviceMissing();

struct PtxasRequest {
  llvm::StringRef program, arch;         ///< arch as in "sm_90"
  llvm::ArrayRef<llvm::StringRef> texts; ///< PTX; of several texts, ptxas makes one cubin
  unsigned optLevel = 3;
  bool lineInfo = false;
};

/// The results of ptxas: the cubin, and its log with `-v`.
struct PtxasResult {
  llvm::SmallVector<char, 0> cubin;
  std::string log;
};
llvm::Expected<PtxasResult> runPtxas(const PtxasRequest &request);

/// Fills in the registers, spills, stack and shared bytes of `tasks` from a ptxas log.
void readResources(llvm::StringRef log, llvm::MutableArrayRef<TaskResources> tasks);

/// One image of a fat binary.
struct FatbinImage {
  bool isPtx = false;
  llvm::StringRef arch; ///< as in "sm_90a", "compute_75"
  llvm::ArrayRef<char> bytes;
};
/// Makes a fat binary of images with CUDA's fatbinary. If that is missing, the error says how to
/// get it. $SEXTANT_FATBINARY names the only one to use.
llvm::Expected<std::string> makeFatbin(llvm::ArrayRef<FatbinImage> images);

/// Returns machine code as text by nvdisasm or cuobjdump, or an error that says how to get them.
llvm::Expected<std::string> disassembleCubin(llvm::ArrayRef<char> cubin);

} // namespace sextant
