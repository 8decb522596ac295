// snippet: howto/torch.md cpp 1
// compiled: it needs torch and its context. Here is what it uses of torch, with torch's types.
#define SEXTANT_THROWS
#include <sextant/sextant.hpp>

using cudaStream_t = struct CUstream_st *;
namespace c10::cuda {
struct CUDAStream {
  cudaStream_t stream() const { return nullptr; }
};
inline CUDAStream getCurrentCUDAStream() { return {}; }
} // namespace c10::cuda
struct Tensor {
  void *data_ptr() const { return nullptr; }
  size_t nbytes() const { return 24; }
};

int main() {
  const Tensor tensor;
  SNIPPET
}
