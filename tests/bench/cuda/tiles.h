// The kernels of tiles.cu, on the device's pointers.
#pragma once

/// \param width threads a matrix: 32, of which 16 have a row, or 16
void peerCholesky16(float *a, int count, int width, void *stream);
void peerCholesky64(float *a, int count, void *stream);
