// Compiles kernel files to modules: the whole pipeline of `sextant compile`, without options or
// output files. This header is free of LLVM, so the commands are too.
#pragma once

#include "driver/compile/Request.h"

namespace sextant {

/// The hits and misses of a cache in one run. Each is one kernel for one target.
struct CacheUse {
  uint64_t hits = 0, misses = 0; ///< hits of the remote cache are among them
  RemoteUse remote;
};

/// Reports an error for each constant (`NAME=VALUE`) that no file knows.
/// \param option that gives them: "--const"
void checkConstants(const char *option, const std::vector<std::string> &constants,
                    const ModuleNames &names, DiagnosticSink &sink);

/// Builds all modules or none: the result is empty if `sink` got an error that is not tolerated,
/// such as a module of which no kernel is left. Requested IR goes to Environment::out. \param
/// cacheUse may be null
std::vector<CompiledModule> compile(const CompileRequest &request, const Environment &environment,
                                    SourceFiles &files, DiagnosticSink &sink,
                                    const Progress &progress, CacheUse *cacheUse = nullptr);

} // namespace sextant
