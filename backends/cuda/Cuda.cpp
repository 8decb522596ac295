// The cuda backend's face: its architectures, and the road from simt tasks to
// an image, one step a line.
#include "backends/cuda/Cuda.h"

using namespace llvm;
using namespace sextant;

namespace {

const Arch archTable[] = {
    {"sm_75", {32}, "Turing: T4, RTX 20", true},
    {"sm_80", {32}, "Ampere: A100", true},
    {"sm_86", {32}, "Ampere: A40, RTX 30", false},
    {"sm_87", {32}, "Ampere: Jetson Orin", false},
    {"sm_89", {32}, "Ada: L4, L40, RTX 40", false},
    {"sm_90", {32}, "Hopper: H100, H200", true},
    {"sm_100", {32}, "Blackwell: B100, B200", true},
    {"sm_120", {32}, "Blackwell: RTX 50", true},
    {"compute_75", {32}, "PTX for sm_75 and newer", false},
    {"compute_80", {32}, "PTX for sm_80 and newer", false},
    {"compute_90", {32}, "PTX for sm_90 and newer", true},
};

class CudaBackend : public Backend {
public:
  StringRef name() const override { return "cuda"; }
  ArrayRef<Arch> archs() const override { return archTable; }
  mlir::LogicalResult check(mlir::ModuleOp, const Target &) const override {
    return mlir::success();
  }
  Expected<Image> compile(mlir::ModuleOp, const Target &target,
                          const CompileOptions &) const override {
    return createStringError(inconvertibleErrorCode(),
                             "code for " + target.str() + " is not yet supported");
  }
  Expected<std::string> disassemble(ArrayRef<char>, const Target &) const override {
    return createStringError(inconvertibleErrorCode(), "disassembly is not yet supported");
  }
};

} // namespace

const Backend &sextant::cudaBackend() {
  static const CudaBackend backend;
  return backend;
}
