// CUB's algorithms, as plain functions: arrays are addresses on the device.
#pragma once

#include <cstddef>
#include <cstdint>

enum class Peer {
  ReduceU32,
  ReduceU64,
  ReduceF32,
  ScanU32,
  ScanU64,
  ScanF32,
  SelectU32,
  SortU32,
  SortU64,
  SortF32,
  SortPairs,
  HistogramF32, ///< 256 bins from 0 to below 1
};

/// Queues the algorithm on n elements. Sorts leave their result in `in` or in `out`, as CUB likes.
/// `more` are the flags of a selection, or the values of pairs, of which `moreOut` is the other
/// buffer. `count` gets a selection's count. Returns the bytes of temporary memory that it takes;
/// with `temporary` null it does nothing else.
size_t peerRun(Peer peer, void *temporary, size_t bytes, void *in, void *out, void *more,
               void *moreOut, void *count, int n, void *stream);
/// Copies n bytes on the device.
void peerCopy(void *to, const void *from, size_t bytes, void *stream);
