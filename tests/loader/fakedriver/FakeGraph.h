// Graphs of the stand-ins: captured from a stream's calls, run when they are launched.
#pragma once

#include "FakeState.h"

#include <functional>

namespace fake {

/// True if the stream records; then `work` waits for the graph's launch, else it is done now.
int work(void *stream, std::function<void()> work);
/// A launch, likewise.
int workLaunch(void *stream, const FakeLaunch &launch);
/// For calls that a stream cannot make while it records: not 0.
int notWhileRecording(void *stream);

/// A stream, and what it recorded so far.
int destroyStream(void *stream);
int captureBegin(void *stream, int mode);
int captureInfo(void *stream, int *status, void **graph, void *const **last, size_t *count);
int captureEnd(void *stream, void **graph);
/// A graph that is built node by node, and its nodes, each after others: a launch, or a loop,
/// whose body is a graph that the loop owns.
int graphCreate(void **graph);
int addLaunch(void **node, void *graph, void *const *after, size_t count, const FakeLaunch &launch);
int addLoop(void **node, void *graph, void *const *after, size_t count, uint64_t handle,
            void **body);
int instantiate(void **executable, void *graph, unsigned long long flags);
/// Replaces a launch of an executable graph.
int setKernel(void *executable, void *node, const FakeLaunch &launch);
int launchGraph(void *executable, void *stream);
int destroyExecutable(void *executable);
int destroyGraph(void *graph);

} // namespace fake
