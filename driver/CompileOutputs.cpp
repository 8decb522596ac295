// Plans, checks and writes what CompileOutputs.h says.
#include "driver/CompileOutputs.h"

#include "driver/Depfile.h"
#include "driver/EmitHeader.h"

#include <cstdio>
#include <filesystem>
#include <set>

namespace sextant {
namespace fs = std::filesystem;
namespace {

std::string withExtension(const std::string &path, const char *extension) {
  return fs::path(path).replace_extension(extension).string();
}

/// Build tools run elsewhere than the compiler may.
std::vector<std::string> absolutePaths(std::vector<std::string> paths,
                                       const Environment &environment) {
  for (std::string &path : paths)
    path = fs::absolute(resolvePath(environment, path)).lexically_normal().string();
  return paths;
}

} // namespace

std::vector<Output> planOutputs(const CompileOptionsText &options) {
  if (!options.output.empty() && !options.outDir.empty())
    throw Refusal("-o and --out-dir exclude each other");
  if (!options.outDir.empty() && !options.header.empty())
    throw Refusal("with --out-dir, headers are written beside the modules",
                  "write --emit-header without a file");
  std::vector<Output> outputs;
  if (options.outDir.empty()) {
    std::string module =
        options.output.empty()
            ? fs::path(options.sources.front()).filename().replace_extension(".sxt").string()
            : options.output;
    outputs.push_back({module, options.depfile, options.header});
  } else {
    for (const std::string &source : options.sources)
      outputs.push_back(
          {(fs::path(options.outDir) / fs::path(source).filename().replace_extension(".sxt"))
               .string(),
           options.depfile,
           {}});
    for (size_t index = 0; index < outputs.size(); ++index)
      for (size_t other = 0; other < index; ++other)
        if (outputs[index].module == outputs[other].module)
          throw Refusal("'" + options.sources[other] + "' and '" + options.sources[index] +
                        "' would both become '" + outputs[index].module + "'");
  }
  for (Output &output : outputs) {
    if (options.depfileBeside && output.depfile.empty())
      output.depfile = withExtension(output.module, ".d");
    if (options.headerBeside && output.header.empty())
      output.header = withExtension(output.module, ".hpp");
  }
  return outputs;
}

void checkOutputs(const std::vector<Output> &outputs, const std::vector<std::string> &sources,
                  const Environment &environment, std::map<std::string, bool> &seen) {
  auto key = [&](const std::string &path) {
    return fs::weakly_canonical(fs::absolute(resolvePath(environment, path))).string();
  };
  std::set<std::string> inputs;
  for (const std::string &source : sources)
    inputs.insert(key(source));
  for (const Output &output : outputs)
    for (const std::string *path : {&output.module, &output.depfile, &output.header}) {
      if (path->empty() || path->starts_with("/dev/"))
        continue;
      if (inputs.count(key(*path)))
        throw Refusal("the output '" + *path + "' is one of the sources");
      // Several modules may share a depfile, nothing else.
      bool isDepfile = path == &output.depfile;
      auto [known, isNew] = seen.emplace(key(*path), isDepfile);
      if (!isNew && !(known->second && isDepfile))
        throw Refusal("two outputs would be written to '" + *path + "'");
    }
}

void writeOutputs(const std::vector<BuiltOutput> &built) {
  std::vector<std::string> written;
  auto write = [&](const Environment &environment, const std::string &path,
                   std::string_view bytes) {
    writeFile(environment, path, bytes);
    written.push_back(resolvePath(environment, path));
  };
  std::map<std::string, std::string> depfiles; // texts
  for (const BuiltOutput &one : built)
    if (!one.output.depfile.empty())
      depfiles[resolvePath(*one.environment, one.output.depfile)] += formatDepfile(
          one.output.module, absolutePaths(one.module.dependencies, *one.environment));
  try {
    // The modules last: build tools look at them.
    for (const BuiltOutput &one : built) {
      if (!one.output.header.empty())
        write(*one.environment, one.output.header,
              emitHeader(one.module.bytes, one.output.header, one.embedSymbol));
      auto depfile = depfiles.find(resolvePath(*one.environment, one.output.depfile));
      if (!one.output.depfile.empty() && depfile != depfiles.end()) {
        write(*one.environment, one.output.depfile, depfile->second);
        depfiles.erase(depfile);
      }
    }
    for (const BuiltOutput &one : built)
      write(*one.environment, one.output.module,
            {reinterpret_cast<const char *>(one.module.bytes.data()), one.module.bytes.size()});
  } catch (const Refusal &) {
    for (const std::string &path : written)
      std::remove(path.c_str());
    throw;
  }
}

} // namespace sextant
