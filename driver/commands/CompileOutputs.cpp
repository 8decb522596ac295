// Plans, checks and writes the outputs that CompileOutputs.h describes.
#include "driver/commands/CompileOutputs.h"

#include "driver/bindings/EmitHeader.h"
#include "driver/commands/Depfile.h"

#include <cstdio>
#include <filesystem>
#include <set>

namespace sextant {
namespace fs = std::filesystem;
namespace {

std::string withExtension(const std::string &path, const char *extension) {
  return fs::path(path).replace_extension(extension).string();
}

/// The path is absolute, because build tools may run in another folder than the compiler.
std::vector<std::string> absolutePaths(std::vector<std::string> paths,
                                       const Environment &environment) {
  for (std::string &path : paths)
    path = absolutePath(environment, path);
  return paths;
}

/// Returns the module's path for a kernel file, if no option names one.
fs::path moduleOf(const std::string &source, const Environment &environment) {
  if (isStream(environment, source))
    throw Refusal(Problem::OutputUnnamed,
                  "the module's name cannot be derived from '" + source + "'",
                  "name the module with -o FILE; -o - writes it to standard output");
  return fs::path(source).filename().replace_extension(".sxt");
}

} // namespace

std::vector<Output> planOutputs(const CompileOptionsText &options, const Environment &environment) {
  if (!options.output.empty() && !options.outDir.empty())
    throw Refusal(Problem::OptionsExclusive, "-o and --out-dir exclude each other");
  if (!options.outDir.empty() && !options.header.empty())
    throw Refusal(Problem::OptionsExclusive,
                  "with --out-dir, headers are written beside the modules",
                  "write --emit-header without a file");
  if (options.request.syntaxOnly) {
    if (!options.outDir.empty() || !options.header.empty() || options.headerBeside)
      throw Refusal(Problem::OptionsExclusive, "--syntax-only makes no modules and headers",
                    "-o FILE is written on success, empty");
    if (options.output.empty() && (!options.depfile.empty() || options.depfileBeside))
      throw Refusal(Problem::OptionNeedsAnother,
                    "a depfile names what was made, and --syntax-only makes nothing",
                    "name a FILE with -o: it is written on success, empty");
    return {{options.output,
             options.depfileBeside && options.depfile.empty() ? withExtension(options.output, ".d")
                                                              : options.depfile,
             ""}};
  }
  std::vector<Output> outputs;
  if (options.outDir.empty()) {
    std::string module = options.output.empty()
                             ? moduleOf(options.sources.front(), environment).string()
                             : options.output;
    if (isStream(environment, module) && (options.depfileBeside || options.headerBeside))
      throw Refusal(Problem::OutputUnnamed,
                    "-MD and --emit-header write beside the module, and '" + module +
                        "' is not a file",
                    "name their files: -MF FILE, --emit-header=FILE");
    if (module == "-" && !options.request.dumpIr.empty())
      throw Refusal(Problem::OutputTwice,
                    "the module and --dump-ir would both go to standard output",
                    "name a file with -o");
    outputs.push_back({module, options.depfile, options.header});
  } else {
    for (const std::string &source : options.sources)
      outputs.push_back({(fs::path(options.outDir) / moduleOf(source, environment)).string(),
                         options.depfile,
                         {}});
    for (size_t index = 0; index < outputs.size(); ++index)
      for (size_t other = 0; other < index; ++other)
        if (outputs[index].module == outputs[other].module)
          throw Refusal(Problem::OutputTwice, "'" + options.sources[other] + "' and '" +
                                                  options.sources[index] + "' would both become '" +
                                                  outputs[index].module + "'");
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
  auto key = [&](const std::string &path) { return fileIdentity(environment, path); };
  std::set<std::string> inputs;
  for (const std::string &source : sources)
    inputs.insert(key(source));
  for (const Output &output : outputs)
    for (const std::string *path : {&output.module, &output.depfile, &output.header}) {
      if (path->empty() || (isStream(environment, *path) && *path != "-"))
        continue;
      if (*path != "-" && inputs.count(key(*path)))
        throw Refusal(Problem::OutputIsInput, "the output '" + *path + "' is one of the sources");
      // Several modules may share a depfile, nothing else.
      bool isDepfile = path == &output.depfile;
      auto [known, isNew] = seen.emplace(key(*path), isDepfile);
      if (!isNew && !(known->second && isDepfile))
        throw Refusal(Problem::OutputTwice, "two outputs would be written to '" + *path + "'");
    }
}

/// A header on standard output has no file name for its struct.
static const std::string &headerName(const Output &output) {
  return output.header == "-" ? output.module : output.header;
}

void writeOutputs(const std::vector<BuiltOutput> &built) {
  std::vector<std::string> written;
  auto write = [&](const Environment &environment, const std::string &path,
                   std::string_view bytes) {
    writeFile(environment, path, bytes);
    if (!isStream(environment, path))
      written.push_back(resolvePath(environment, path));
  };
  std::map<std::string, std::string> depfiles; // texts
  for (const BuiltOutput &one : built)
    if (!one.output.depfile.empty())
      depfiles[resolvePath(*one.environment, one.output.depfile)] += formatDepfile(
          one.output.module, absolutePaths(one.module.dependencies, *one.environment));
  try {
    // The modules are written last, because build tools look at them.
    for (const BuiltOutput &one : built) {
      if (!one.output.header.empty())
        write(*one.environment, one.output.header,
              emitHeader(one.module.bytes, headerName(one.output), one.embedSymbol));
      auto depfile = depfiles.find(resolvePath(*one.environment, one.output.depfile));
      if (!one.output.depfile.empty() && depfile != depfiles.end()) {
        write(*one.environment, one.output.depfile, depfile->second);
        depfiles.erase(depfile);
      }
    }
    for (const BuiltOutput &one : built)
      if (!one.output.module.empty())
        write(*one.environment, one.output.module,
              {reinterpret_cast<const char *>(one.module.bytes.data()), one.module.bytes.size()});
  } catch (const Refusal &) {
    for (const std::string &path : written)
      std::remove(path.c_str());
    throw;
  }
}

} // namespace sextant
