// `sextant compile`: options, diagnostics, files.
#include "driver/CacheSettings.h"
#include "driver/Commands.h"
#include "driver/Compile.h"
#include "driver/CompressOption.h"
#include "driver/Depfile.h"
#include "driver/EmitHeader.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <set>
#include <thread>

namespace sextant {
namespace {
namespace fs = std::filesystem;

struct CompileOptionsText {
  CompileRequest request;
  std::vector<std::string> sources;
  std::string output, outDir, depfile, header, embedSymbol, diagnostics = "text";
  bool depfileBeside = false, headerBeside = false, saveTempsBeside = false;
  CacheOptionsText cache;
  bool verbose = false;
};

/// One module to write, and what belongs to it.
struct Output {
  std::string module, depfile, header;
};

std::string withExtension(const std::string &path, const char *extension) {
  return fs::path(path).replace_extension(extension).string();
}

std::vector<Output> planOutputs(const CompileOptionsText &options) {
  if (!options.output.empty() && !options.outDir.empty())
    throw Refusal("-o and --out-dir exclude each other");
  if (!options.outDir.empty() && !(options.header.empty() && options.depfile.empty()))
    throw Refusal("with --out-dir, headers and depfiles are written beside the modules",
                  "write --emit-header without a file, and -MD");
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
           {},
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

/// No output is a source, or another output.
void checkOutputs(const std::vector<Output> &outputs, const std::vector<std::string> &sources,
                  const Environment &environment) {
  auto key = [&](const std::string &path) {
    return fs::weakly_canonical(fs::absolute(resolvePath(environment, path))).string();
  };
  std::set<std::string> inputs, seen;
  for (const std::string &source : sources)
    inputs.insert(key(source));
  for (const Output &output : outputs)
    for (const std::string &path : {output.module, output.depfile, output.header}) {
      if (path.empty() || path.starts_with("/dev/"))
        continue;
      if (inputs.count(key(path)))
        throw Refusal("the output '" + path + "' is one of the sources");
      if (!seen.insert(key(path)).second)
        throw Refusal("two outputs would be written to '" + path + "'");
    }
}

void print(const DiagnosticSink &sink, const std::string &format, const Environment &environment) {
  for (const Diagnostic &diagnostic : sink.diagnostics()) {
    if (format == "json")
      environment.err << formatDiagnosticJson(diagnostic) << "\n";
    else
      environment.err << formatDiagnostic(diagnostic, environment.errIsTerminal) << "\n";
  }
  unsigned errors = sink.errorCount();
  if (errors && format == "text")
    environment.err << errors << (errors == 1 ? " error" : " errors") << "\n";
}

/// A line that is written over itself, on terminals.
Progress progressLine(Environment &environment) {
  if (!environment.errIsTerminal)
    return {};
  return [&environment](size_t done, size_t total, const std::string &what) {
    environment.err << "\r\x1b[K";
    if (done < total)
      environment.err << "[" << done << "/" << total << "] " << what;
    environment.err << std::flush;
  };
}

/// Build tools run elsewhere than the compiler may.
std::vector<std::string> absolutePaths(std::vector<std::string> paths,
                                       const Environment &environment) {
  for (std::string &path : paths)
    path = fs::absolute(resolvePath(environment, path)).lexically_normal().string();
  return paths;
}

/// Writes everything; an error takes back what was written.
void writeOutputs(const std::vector<Output> &outputs, const std::vector<CompiledModule> &modules,
                  const std::string &embedSymbol, const Environment &environment) {
  std::vector<std::string> written;
  auto write = [&](const std::string &path, std::string_view bytes) {
    writeFile(environment, path, bytes);
    written.push_back(path);
  };
  try {
    for (size_t index = 0; index < outputs.size(); ++index) {
      const Output &output = outputs[index];
      const CompiledModule &module = modules[index];
      // The module last: build tools look at it.
      if (!output.header.empty())
        write(output.header, emitHeader(module.bytes, output.header, embedSymbol));
      if (!output.depfile.empty())
        write(output.depfile,
              formatDepfile(output.module, absolutePaths(module.dependencies, environment)));
      write(output.module,
            {reinterpret_cast<const char *>(module.bytes.data()), module.bytes.size()});
    }
  } catch (const Refusal &) {
    for (const std::string &path : written)
      std::remove(resolvePath(environment, path).c_str());
    throw;
  }
}

int compileCommand(CompileOptionsText options, Environment &environment) {
  std::vector<Output> outputs = planOutputs(options);
  checkOutputs(outputs, options.sources, environment);
  if (options.outDir.empty())
    options.request.modules = {options.sources};
  else
    for (const std::string &source : options.sources)
      options.request.modules.push_back({source});
  if (options.request.targets.empty())
    options.request.targets = {"cpu"};
  if (options.saveTempsBeside)
    options.request.saveTemps = fs::path(outputs.front().module).parent_path().string();
  if (options.saveTempsBeside && options.request.saveTemps.empty())
    options.request.saveTemps = ".";
  if (!options.request.saveTemps.empty()) {
    makeFolder(environment, options.request.saveTemps);
    options.request.saveTemps = resolvePath(environment, options.request.saveTemps);
  }

  CacheSettings cache = cacheSettings(options.cache, environment);
  options.request.cacheFolder = cache.folder;
  options.request.cacheLimit = cache.limit;

  DiagnosticSink sink;
  SourceFiles files;
  std::vector<CompiledModule> modules;
  CacheUse cacheUse;
  try {
    modules =
        compile(options.request, environment, files, sink, progressLine(environment), &cacheUse);
  } catch (const Refusal &refusal) {
    // In the order found, and in the format asked for.
    sink.error({}, refusal.what(), refusal.fix);
  }
  if (!sink.hasErrors()) {
    try {
      if (!options.outDir.empty())
        makeFolder(environment, options.outDir);
      writeOutputs(outputs, modules, options.embedSymbol, environment);
    } catch (const Refusal &refusal) {
      sink.error({}, refusal.what(), refusal.fix);
    }
  }
  print(sink, options.diagnostics, environment);
  if (options.verbose && options.diagnostics == "text")
    environment.err << "cache: "
                    << (cache.folder.empty()
                            ? "none"
                            : std::to_string(cacheUse.hits) + " hits, " +
                                  std::to_string(cacheUse.misses) + " misses in " + cache.folder)
                    << "\n";
  return sink.hasErrors() ? 1 : 0;
}

} // namespace

void addCompileCommand(CLI::App &app, Environment &environment, Action &action) {
  auto options = std::make_shared<CompileOptionsText>();
  CompileRequest &request = options->request;
  request.jobs = std::max(1u, std::thread::hardware_concurrency());
  CLI::App *compile = app.add_subcommand("compile", "Compile kernel files to a module");
  compile->add_option("sources", options->sources, "kernel files (.py)")->required();
  compile->add_option("-o,--output", options->output,
                      "the module; default: the first file's name with .sxt, here");
  compile->add_option("--out-dir", options->outDir, "one module a file, in this folder");
  compile
      ->add_option("-t,--targets", request.targets,
                   "what to build for, comma-listed or repeated: cpu, cuda, sm_90, "
                   "cpu:x86-64-v3/wave8, native, all, all-major (`sextant targets` lists them); "
                   "default: cpu")
      ->allow_extra_args(false);
  compile->add_flag("--allow-missing", request.allowMissing,
                    "warn where a kernel cannot be built for a target, instead of failing");
  compile
      ->add_option("-k,--kernel", request.kernels,
                   "an instance of a template kernel: 'scan[dtype=qd.i32, n=256]'; repeatable")
      ->allow_extra_args(false);
  compile->add_option("--const", request.constants, "NAME=VALUE of a module constant; repeatable")
      ->allow_extra_args(false);
  compile->add_option("--default-fp", request.defaultFloat, "type of real literals: f32, f64, f16");
  compile->add_option("--default-ip", request.defaultInt, "type of integer literals: i32, i64, …");
  compile->add_option("-O", request.optLevel, "optimisation, 0 to 3; default: 3")
      ->check(CLI::Range(0, 3));
  compile->add_flag("--assert", request.asserts, "test assertions at run time");
  compile->add_flag("--check", request.checks,
                    "test indices, divisors, lanes, barriers and assertions at run time");
  compile->add_flag("-g", request.lineInfo, "source lines in the code, for profilers");
  compile->add_option("-j,--jobs", request.jobs, "worker threads; default: all cores")
      ->check(CLI::Range(1, 1024));
  addCompressOption(*compile, request.compression);
  compile->add_flag("--depfile-beside", options->depfileBeside,
                    "-MD: write a depfile beside the module");
  compile->add_option("--depfile", options->depfile, "-MF FILE: write a depfile there");
  compile->add_flag("--emit-header-beside", options->headerBeside,
                    "--emit-header: write a typed C++ header beside the module");
  compile->add_option("--emit-header", options->header,
                      "--emit-header=FILE: write a typed C++ header there");
  compile->add_option("--embed-symbol", options->embedSymbol,
                      "the header takes the module from this symbol, up to SYMBOL_end");
  compile->add_flag("--save-temps-beside", options->saveTempsBeside,
                    "--save-temps: keep intermediate files beside the module");
  compile->add_option("--save-temps", request.saveTemps,
                      "--save-temps=FOLDER: keep intermediate files there");
  compile
      ->add_option("--dump-ir", request.dumpIr,
                   "--dump-ir[=PASS,…]: print the IR after irgen, simplify, expand-subgroup, "
                   "cuda-llvm, cuda-optimize, cpu-emit, cpu-optimize, or after each")
      ->allow_extra_args(false)
      ->delimiter(',');
  addCacheOptions(*compile, options->cache);
  compile->add_flag("-v,--verbose", options->verbose, "what the cache had, on stderr");
  compile->add_option("--diagnostics", options->diagnostics, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  compile->callback([options, &environment, &action] {
    action = [options, &environment] { return compileCommand(*options, environment); };
  });
}

} // namespace sextant
