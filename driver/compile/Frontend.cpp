// Reads and parses each file once, analyzes it once for each wave size, and joins what the wave
// sizes say about each kernel.
#include "driver/compile/Frontend.h"

#include "frontend/hir/Types.h"
#include "frontend/library/Library.h"
#include "frontend/sema/Sema.h"
#include "frontend/syntax/Ast.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace sextant {
namespace {

/// The files and trees of one module's build. Each is read and parsed once.
class Trees {
public:
  Trees(const Environment &environment, SourceFiles &files, DiagnosticSink &sink)
      : environment(environment), files(files), sink(sink) {}

  /// Returns the tree of a file on the command line. Throws Refusal.
  const ast::Module *named(const std::string &path) { return load(path); }

  /// Returns the tree of the user module `name` as `from` sees it, or null.
  const ast::Module *imported(std::string_view name, const ast::Module &from) {
    const std::string path = importPath(name, from);
    return path.empty() ? nullptr : load(path);
  }

  /// Returns the tree of a module of the SIMT library, or null.
  const ast::Module *library(std::string_view name) {
    auto [entry, isNew] = libraries.try_emplace(std::string(name));
    if (!isNew)
      return entry->second.get();
    std::string_view text = libraryModule(name);
    if (text.empty())
      return nullptr;
    files.push_back(
        std::make_unique<SourceFile>("<" + std::string(name) + " library>", std::string(text)));
    entry->second = parse(*files.back(), sink);
    return entry->second.get();
  }

  /// The names that --const may set: those of the files on the command line and of all files that
  /// they import, even if no kernel that is built needs them.
  ModuleNames names(const std::vector<const ast::Module *> &named) {
    ModuleNames result;
    DiagnosticSink quiet;
    std::map<std::string, std::unique_ptr<ast::Module>> others;
    std::vector<const ast::Module *> left = named;
    std::set<const ast::Module *> seen(named.begin(), named.end());
    while (!left.empty()) {
      const ast::Module *at = left.back();
      left.pop_back();
      const ModuleNames own = namesOf(*at);
      result.add(own);
      for (const std::string &name : own.imports) {
        const std::string path = importPath(name, *at);
        if (path.empty())
          continue;
        const ast::Module *tree = nullptr;
        if (auto known = trees.find(path); known != trees.end())
          tree = known->second.get();
        else if (auto [other, isNew] = others.try_emplace(path); isNew) {
          files.push_back(std::make_unique<SourceFile>(path, readFile(environment, path)));
          tree = (other->second = parse(*files.back(), quiet)).get();
        }
        if (tree && seen.insert(tree).second)
          left.push_back(tree);
      }
    }
    return result;
  }

  std::vector<FrontendResult::Source> sources; ///< in order of first use
  bool isBroken = false;                       ///< some file did not parse completely

  /// The text of an option as a file, for diagnostics.
  const SourceFile &option(std::string text) {
    files.push_back(std::make_unique<SourceFile>("<option>", std::move(text)));
    return *files.back();
  }

private:
  bool isFile(const std::filesystem::path &path) const {
    std::error_code code;
    return std::filesystem::is_regular_file(resolvePath(environment, path.string()), code);
  }

  /// Returns the file of the user module `name` as `from` sees it, or "": beside it; with dots in
  /// front, in its folder or one further up; without, also where the package of `from` lies, which
  /// is where folders have no `__init__.py` any more. A package is its `__init__.py`.
  std::string importPath(std::string_view name, const ast::Module &from) const {
    const size_t dots = std::min(name.find_first_not_of('.'), name.size());
    std::string relative(name.substr(dots));
    std::replace(relative.begin(), relative.end(), '.', '/');
    std::filesystem::path folder = std::filesystem::path(from.file->path()).parent_path();
    auto in = [&](const std::filesystem::path &parent) -> std::string {
      for (const char *end : {".py", "/__init__.py"})
        if (const std::filesystem::path path = parent / (relative + end); isFile(path))
          return path.string();
      return "";
    };
    // By name where it can be, so that a file has one path however it is found.
    auto up = [&] {
      const bool isNamed = folder.has_filename() && folder != "." && folder.filename() != "..";
      folder = isNamed ? folder.parent_path() : folder / "..";
    };
    for (size_t k = 1; k < dots; ++k)
      up();
    if (std::string path = in(folder); !path.empty() || dots != 0)
      return path;
    constexpr unsigned deepest = 32;
    for (unsigned k = 0; k < deepest && isFile(folder / "__init__.py"); ++k)
      up();
    return in(folder);
  }

  const ast::Module *load(const std::string &path) {
    auto found = trees.find(path);
    if (found != trees.end())
      return found->second.get();
    const bool fromStream = isStream(environment, path);
    std::string text = readFile(environment, path);
    if (const size_t at = text.find('\0'); at != std::string::npos)
      throw Refusal("'" + path + "' is no kernel file: it is binary, byte " + std::to_string(at) +
                        " is zero",
                    "kernel files are Python text, kernels.py; `sextant inspect` shows modules");
    files.push_back(std::make_unique<SourceFile>(path == "-" ? "<stdin>" : path, std::move(text)));
    sources.push_back({files.back()->path(), files.back().get(), fromStream});
    const unsigned before = sink.errorCount();
    const ast::Module *tree = trees.emplace(path, parse(*files.back(), sink)).first->second.get();
    isBroken |= sink.errorCount() != before;
    return tree;
  }

  const Environment &environment;
  SourceFiles &files;
  DiagnosticSink &sink;
  std::map<std::string, std::unique_ptr<ast::Module>> trees, libraries;
};

/// The default type of reals, or of integers, by its name.
hir::Type scalarType(const std::string &name, bool wantFloat) {
  std::string names;
  for (unsigned number = 1; number < abi::scalarTypeEnd; ++number) {
    const auto type = hir::Type(number);
    if (!(wantFloat ? hir::isFloat(type) : hir::isInteger(type)))
      continue;
    if (hir::spell(type) == name)
      return type;
    names += (names.empty() ? "" : ", ") + hir::spell(type);
  }
  throw Refusal("'" + name + "' is no " + (wantFloat ? "float" : "integer") + " type",
                "one of " + names);
}

SemaOptions semaOptions(const CompileRequest &request, unsigned wave, bool isLarge, Trees &trees) {
  SemaOptions options;
  options.wave = wave;
  options.defaultInt = scalarType(request.defaultInt, false);
  options.asserts = request.asserts || request.checks;
  options.checks = request.checks;
  options.largeArrays = isLarge;
  options.calls = request.lineInfo;
  options.variables = request.lineInfo && request.optLevel == 0;
  options.defaultFloat = scalarType(request.defaultFloat, true);
  for (const std::string &constant : request.constants) {
    size_t equals = constant.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == constant.size())
      throw Refusal("--const '" + constant + "' is not of the form NAME=VALUE");
    options.constants.emplace_back(constant.substr(0, equals), constant.substr(equals + 1));
  }
  options.library = [&trees](std::string_view name) { return trees.library(name); };
  options.keepText = [&trees](std::string text) -> const SourceFile & {
    return trees.option(std::move(text));
  };
  options.import = [&trees](std::string_view name, const ast::Module &from) {
    return trees.imported(name, from);
  };
  return options;
}

/// A function of a file, or a method: "Simulation.step".
struct FunctionAt {
  SourceRange at;
  std::string name;
};

std::vector<FunctionAt> functionsOf(const ast::Module &tree) {
  std::vector<FunctionAt> functions;
  for (const auto &stmt : tree.body) {
    if (const auto *function = std::get_if<ast::FunctionDef>(&stmt->node))
      functions.push_back({stmt->at, std::string(function->name)});
    if (const auto *type = std::get_if<ast::ClassDef>(&stmt->node))
      for (const auto &member : type->body)
        if (const auto *method = std::get_if<ast::FunctionDef>(&member->node))
          functions.push_back(
              {member->at, std::string(type->name) + "." + std::string(method->name)});
  }
  return functions;
}

/// True if the file has a kernel of that name, or a class that may inherit it.
bool defines(const ast::Module &tree, const std::string &name) {
  const size_t dot = name.find('.');
  return std::any_of(tree.body.begin(), tree.body.end(), [&](const auto &stmt) {
    if (const auto *type = std::get_if<ast::ClassDef>(&stmt->node))
      return dot != std::string::npos && type->name == std::string_view(name).substr(0, dot);
    const auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
    return function && function->name == name;
  });
}

/// The result of analysis at one wave size.
struct WaveResult {
  unsigned wave;
  std::vector<hir::Kernel> kernels;
  std::vector<Diagnostic> diagnostics;
};

/// Finds the functions that a diagnostic is about, also in files of thousands of functions.
class FunctionFinder {
public:
  explicit FunctionFinder(const ast::Module &tree) : functions(functionsOf(tree)) {
    std::sort(functions.begin(), functions.end(),
              [](const FunctionAt &left, const FunctionAt &right) {
                return left.at.begin < right.at.begin;
              });
  }

  /// Returns the names of the functions that contain the diagnostic and its notes.
  std::set<std::string_view> of(const Diagnostic &diagnostic) const {
    std::set<std::string_view> names;
    add(diagnostic.at, names);
    for (const Diagnostic &note : diagnostic.notes)
      add(note.at, names);
    return names;
  }

private:
  std::vector<FunctionAt> functions; ///< by position

  void add(const SourceRange &at, std::set<std::string_view> &names) const {
    auto after = std::upper_bound(
        functions.begin(), functions.end(), at.begin,
        [](uint32_t position, const FunctionAt &function) { return position < function.at.begin; });
    if (after != functions.begin() && std::prev(after)->at.file == at.file &&
        at.begin < std::prev(after)->at.end)
      names.insert(std::prev(after)->name);
  }
};

/// A set of diagnostics, in which those of other wave sizes are found again.
using DiagnosticKey =
    std::tuple<Severity, const SourceFile *, uint32_t /*begin*/, std::string /*message*/>;

DiagnosticKey keyOf(const Diagnostic &diagnostic) {
  return {diagnostic.severity, diagnostic.at.file, diagnostic.at.begin, diagnostic.message};
}

/// Joins the wave sizes of one file. A diagnostic goes to the sink if every wave size reports it,
/// or if it cannot be attributed to a kernel that some wave size has.
void join(std::vector<WaveResult> results, const ast::Module &tree, size_t source,
          std::vector<KernelUnit> &units, DiagnosticSink &sink) {
  std::vector<KernelUnit> joined;
  std::map<std::string, size_t> known; // units by instance
  for (WaveResult &result : results)
    for (hir::Kernel &kernel : result.kernels) {
      auto [unit, isNew] = known.try_emplace(kernel.instance, joined.size());
      if (isNew)
        joined.push_back({kernel.instance, source, false, {}, {}});
      joined[unit->second].byWave.emplace(result.wave, std::move(kernel));
    }

  std::map<DiagnosticKey, size_t> waves; // how many wave sizes report it
  for (const WaveResult &result : results) {
    std::set<DiagnosticKey> own;
    for (const Diagnostic &one : result.diagnostics)
      if (own.insert(keyOf(one)).second)
        ++waves[keyOf(one)];
  }
  std::set<DiagnosticKey> reported;
  auto report = [&](const Diagnostic &diagnostic) {
    if (reported.insert(keyOf(diagnostic)).second)
      sink.report(diagnostic);
  };
  const FunctionFinder functions(tree);
  for (const WaveResult &result : results) {
    std::map<std::string_view, std::vector<KernelUnit *>> lacking; // units without it, by kernel
    for (KernelUnit &unit : joined)
      if (!unit.byWave.count(result.wave)) {
        unit.refused[result.wave];
        lacking[unit.byWave.begin()->second.name].push_back(&unit);
      }
    for (const Diagnostic &one : result.diagnostics) {
      const bool everywhere = waves[keyOf(one)] == results.size();
      bool explains = false; // why some kernel is not there, which other wave sizes have
      if (!everywhere && one.severity == Severity::Error)
        for (const std::string_view name : functions.of(one))
          if (auto units = lacking.find(name); units != lacking.end())
            for (KernelUnit *unit : units->second) {
              unit->refused[result.wave].push_back(one);
              explains = true;
            }
      if (!explains)
        report(one);
    }
  }
  for (KernelUnit &unit : joined)
    units.push_back(std::move(unit));
}

/// True if launches decide how large an array or a grid of the kernel is.
bool dependsOnLaunch(const hir::Kernel &kernel) {
  return std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                     [](const hir::Argument &one) { return one.ndim != 0; }) ||
         std::any_of(kernel.tasks.begin(), kernel.tasks.end(), [](const hir::Task &task) {
           return task.iterations && !task.iterations->isConstant();
         });
}

/// Puts the units for large arrays of one source behind those of the same kernels. What both report
/// was reported for the ordinary ones; more can only be errors, by types that are wider.
void addLarge(std::vector<KernelUnit> large, const DiagnosticSink &reported,
              std::vector<KernelUnit> &units, DiagnosticSink &sink) {
  for (Diagnostic one : reported.diagnostics())
    if (one.severity == Severity::Error) {
      one.notes.push_back(
          {Severity::Note, {}, "in the variant for large arrays (--large-arrays)", {}, {}});
      sink.report(std::move(one));
    }
  std::map<std::string, KernelUnit *> byInstance;
  for (KernelUnit &unit : large)
    byInstance[unit.instance] = &unit;
  std::vector<KernelUnit> all;
  for (KernelUnit &unit : units) {
    const auto found = byInstance.find(unit.instance);
    const bool isNeeded = found != byInstance.end() && dependsOnLaunch(unit.byWave.begin()->second);
    if (isNeeded)
      for (const auto &[wave, why] : unit.refused) { // said of the ordinary variant
        found->second->byWave.erase(wave);
        found->second->refused.erase(wave);
      }
    all.push_back(std::move(unit));
    if (isNeeded) {
      found->second->isLarge = true;
      all.push_back(std::move(*found->second));
    }
  }
  units = std::move(all);
}

} // namespace

std::string requestedKernel(const std::string &request) {
  std::string name = request.substr(0, std::min(request.find('['), request.find(" as ")));
  name.erase(0, name.find_first_not_of(" \t"));
  name.erase(name.find_last_not_of(" \t") + 1);
  return name;
}

FrontendResult runFrontend(const CompileRequest &request, const std::vector<std::string> &paths,
                           const std::set<unsigned> &waves, const Environment &environment,
                           SourceFiles &files, DiagnosticSink &sink, const Progress &progress) {
  FrontendResult result;
  Trees trees(environment, files, sink);
  std::vector<const ast::Module *> named;
  for (const std::string &path : paths) {
    const ast::Module *tree = trees.named(path);
    if (std::find(named.begin(), named.end(), tree) != named.end())
      throw Refusal("'" + path + "' is named twice", "name each kernel file once");
    named.push_back(tree);
  }
  for (size_t source = 0; source < named.size(); ++source) {
    const auto analyzeAll = [&](bool isLarge, std::vector<KernelUnit> &units, DiagnosticSink &to) {
      std::vector<WaveResult> byWave;
      for (unsigned wave : waves) {
        DiagnosticSink own;
        SemaOptions options = semaOptions(request, wave, isLarge, trees);
        if (progress)
          options.onKernel = [&, done = size_t(0)](std::string_view kernel) mutable {
            progress(done++, 0,
                     "analyzing " + std::string(kernel) + ", wave " + std::to_string(wave));
          };
        for (const std::string &text : request.kernels)
          if (defines(*named[source], requestedKernel(text)))
            options.instantiations.push_back(text);
        WaveResult one{wave, analyze(*named[source], options, own), {}};
        one.diagnostics = own.diagnostics();
        byWave.push_back(std::move(one));
      }
      join(std::move(byWave), *named[source], source, units, to);
    };
    std::vector<KernelUnit> units, large;
    analyzeAll(false, units, sink);
    if (request.largeArrays && !sink.hasErrors()) {
      DiagnosticSink reported;
      analyzeAll(true, large, reported);
      addLarge(std::move(large), reported, units, sink);
    }
    std::move(units.begin(), units.end(), std::back_inserter(result.kernels));
  }
  if (progress)
    progress(0, 0, "");
  result.sources = trees.sources;
  result.isBroken = trees.isBroken;
  if (!request.constants.empty())
    result.names = trees.names(named);
  for (const ast::Module *tree : named) {
    for (FunctionAt &function : functionsOf(*tree))
      result.functions.insert(std::move(function.name));
    for (const std::string &text : request.kernels)
      if (defines(*tree, requestedKernel(text)))
        result.functions.insert(requestedKernel(text));
  }
  if (result.kernels.empty() && !sink.hasErrors())
    sink.error({}, "'" + paths.front() + "' holds no kernel to build",
               "mark a function with @qd.kernel, or name an instance of a template kernel: "
               "--kernel 'scan[dtype=qd.i32]'");
  return result;
}

} // namespace sextant
