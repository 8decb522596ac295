// The kernels of grids.py by hand.
#pragma once

void peerStencil(const float *x, float *y, int side, void *stream);
void peerBlur(const float *x, float *y, int side, void *stream);
void peerTotal(const float *x, float *out, int count, void *stream);
/// Adds the first 64 elements of each row of a square plane.
void peerRows(const float *x, int side, float *out, void *stream);
void peerSeldom(const int *x, int least, int *out, int count, void *stream);
void peerScaled(const float *x, float *y, int count, void *stream);
/// \param blocks of 1024 elements; `work` has 1 + 3 * blocks words
void peerScan(const int *x, int *y, int *work, int blocks, void *stream);
