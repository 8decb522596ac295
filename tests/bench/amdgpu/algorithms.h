// The functions that the AMD benchmark of algorithms calls in the library that algorithms.hip
// becomes: rocPRIM's algorithms by the names of our kernels, on addresses of the device.
#pragma once

#include <cstddef>

struct PeerArrays {
  void *in, *out;
  void *more, *moreOut; ///< the flags of a selection; the values of pairs, and their other buffer
  void *count;          ///< gets a selection's count
};

/// Queues the algorithm on n elements. A sort leaves its keys in `in` or `out` and its values in
/// `more` or `moreOut`: in the second ones if `*isInOut` is set. With `temporary` null it only
/// sets `*bytes`, to the temporary memory that it takes. False: no such name, or an error.
using PeerRun = bool(const char *name, void *temporary, size_t *bytes, const PeerArrays *arrays,
                     size_t n, void *stream, bool *isInOut);
