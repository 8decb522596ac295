// A loop as a conditional node of a CUDA graph, by hand.
#pragma once

struct PeerLoop;
/// `x` has `size` numbers, `left` one.
PeerLoop *peerLoop(float *x, int size, int *left, int rounds);
void peerRun(PeerLoop *loop, void *stream);
void peerRelease(PeerLoop *loop);
