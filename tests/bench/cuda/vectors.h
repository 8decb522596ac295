// The kernels of vectors.py by hand, on float4.
#pragma once

void peerProducts(const float *x, const float *y, float *z, int count, void *stream);
void peerScale(const float *x, float *y, float a, int count, void *stream);
/// The most of 16 counts in each thread's own array.
void peerTally(const int *x, int *most, int count, void *stream);
/// Adds by atomicAdd(float4 *), which GPUs have from sm_90 on.
void peerScatter(const int *at, const float *x, float *sums, int count, void *stream);
