// The kernels of bins.py by hand.
#pragma once
#include <cstddef>

/// One atomic a thread.
void peerPlainCounts(const int *x, int *bins, int count, void *stream);
void peerPlainSums(const int *x, const int *v, int *bins, int count, void *stream);
void peerPlainSums(const int *x, const float *v, float *bins, int count, void *stream);
/// Blocks of 1024 threads, as many as the GPU holds, with all bins in shared memory: 12288 at most.
void peerSharedCounts(const int *x, int *bins, int extent, int count, void *stream);
void peerSharedSums(const int *x, const int *v, int *bins, int extent, int count, void *stream);
void peerSharedSums(const int *x, const float *v, float *bins, int extent, int count, void *stream);
/// cub::DeviceHistogram. It overwrites the bins. Without memory it only tells how much it needs.
void peerLibraryCounts(void *memory, size_t &bytes, const int *x, int *bins, int extent, int count,
                       void *stream);
