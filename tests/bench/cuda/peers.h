// The peers of the CUDA benchmark: the same work through CUB, and a bare launch.
#pragma once

namespace peers {

/// Elements a block: one a thread. Streams are CUstreams, pointers device memory.
inline constexpr int block = 256;

void blockReduce(const float *src, float *out, int count, void *stream);
void blockScan(const int *src, int *out, int count, void *stream);
void warpReduce(const float *src, float *out, int count, void *stream);

/// One cuLaunchKernel of a kernel that writes `count` ints, with its parameters
/// in a packed buffer. False where the driver refuses.
bool bareTouch(int *out, int count, int value, void *stream);

} // namespace peers
