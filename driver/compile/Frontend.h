// The half of the pipeline before backends: files to typed kernels, once for each kind of target
// that kernels can tell apart.
#pragma once

#include "driver/compile/Units.h"

namespace sextant {

/// Returns the kernel that `scan[dtype=qd.i32]` is an instance of, without the file that
/// `steps.py:scan[dtype=qd.i32]` names.
std::string requestedKernel(const std::string &request);

/// Returns the file that a request names, or "".
std::string requestedFile(const std::string &request);

/// Reads, parses and analyzes the files of one module for all `kinds` of targets. Errors that hold
/// for each of them go to `sink`; the others become KernelUnit::refused. Kernels of a named file
/// that does not parse are lost.
FrontendResult runFrontend(const CompileRequest &request, const std::vector<std::string> &paths,
                           const TargetKinds &kinds, const Environment &environment,
                           SourceFiles &files, DiagnosticSink &sink, const Progress &progress);

} // namespace sextant
