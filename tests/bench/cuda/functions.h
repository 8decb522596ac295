// The kernels of functions.py by hand.
#pragma once

void peerBlackScholes(const float *price, const float *strike, const float *years, float *call,
                      int count, void *stream);
/// \param bodies four numbers each: a place and a mass
void peerNbody(const float *bodies, float *force, int count, void *stream);
void peerMandelbrot(int limit, int *picture, int side, void *stream);
void peerWaves(const float *x, float *y, int count, void *stream);
