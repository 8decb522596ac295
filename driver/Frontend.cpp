// Reads and parses each file once, analyzes it once a wave size, and joins what
// the wave sizes say about each kernel.
#include "driver/Frontend.h"

#include "frontend/library/Library.h"
#include "frontend/sema/Sema.h"
#include "frontend/syntax/Ast.h"

#include <algorithm>
#include <filesystem>

namespace sextant {
namespace {

/// Files and trees of one module's build, each read and parsed once.
class Trees {
public:
  Trees(const Environment &environment, SourceFiles &files, DiagnosticSink &sink)
      : environment(environment), files(files), sink(sink) {}

  /// The tree of a file named on the command line. Throws Refusal.
  const ast::Module *named(const std::string &path) { return load(path); }

  /// The tree of the user module `name` beside `from`, or null.
  const ast::Module *imported(std::string_view name, const ast::Module &from) {
    const std::string path = importPath(name, from);
    return path.empty() ? nullptr : load(path);
  }

  /// The tree of a module of the SIMT library, or null.
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

  /// Names that --const may set: of the files named, and of all that they import, also where no
  /// kernel that is built needs it.
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
  bool isBroken = false;                       ///< some tree lacks what does not parse

  /// The text of an option as a file.
  const SourceFile &option(std::string text) {
    files.push_back(std::make_unique<SourceFile>("<option>", std::move(text)));
    return *files.back();
  }

private:
  /// The file of the user module `name` beside `from`, or "".
  std::string importPath(std::string_view name, const ast::Module &from) const {
    std::string relative(name);
    std::replace(relative.begin(), relative.end(), '.', '/');
    std::filesystem::path path =
        std::filesystem::path(from.file->path()).parent_path() / (relative + ".py");
    std::error_code code;
    if (!std::filesystem::is_regular_file(resolvePath(environment, path.string()), code))
      return "";
    return path.string();
  }

  const ast::Module *load(const std::string &path) {
    auto found = trees.find(path);
    if (found != trees.end())
      return found->second.get();
    files.push_back(std::make_unique<SourceFile>(path, readFile(environment, path)));
    sources.push_back({path, files.back().get()});
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

hir::Type scalarType(const std::string &name, bool wantFloat) {
  struct Row {
    const char *name;
    hir::Type type;
    bool isFloat;
  };
  static const Row rows[] = {{"i8", hir::Type::I8, false},   {"i16", hir::Type::I16, false},
                             {"i32", hir::Type::I32, false}, {"i64", hir::Type::I64, false},
                             {"u8", hir::Type::U8, false},   {"u16", hir::Type::U16, false},
                             {"u32", hir::Type::U32, false}, {"u64", hir::Type::U64, false},
                             {"f16", hir::Type::F16, true},  {"f32", hir::Type::F32, true},
                             {"f64", hir::Type::F64, true}};
  for (const Row &row : rows)
    if (row.isFloat == wantFloat && name == row.name)
      return row.type;
  throw Refusal("'" + name + "' is no " + (wantFloat ? "float" : "integer") + " type",
                wantFloat ? "one of f16, f32, f64" : "one of i8 to i64, u8 to u64");
}

SemaOptions semaOptions(const CompileRequest &request, unsigned wave, Trees &trees) {
  SemaOptions options;
  options.wave = wave;
  options.defaultInt = scalarType(request.defaultInt, false);
  options.asserts = request.asserts || request.checks;
  options.checks = request.checks;
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

bool same(const Diagnostic &left, const Diagnostic &right) {
  return left.severity == right.severity && left.at.file == right.at.file &&
         left.at.begin == right.at.begin && left.message == right.message;
}

bool contains(const std::vector<Diagnostic> &list, const Diagnostic &wanted) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Diagnostic &one) { return same(one, wanted); });
}

bool defines(const ast::Module &tree, const std::string &name) {
  return std::any_of(tree.body.begin(), tree.body.end(), [&](const auto &stmt) {
    const auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
    return function && function->name == name;
  });
}

/// What analysis at one wave size gave.
struct WaveResult {
  unsigned wave;
  std::vector<hir::Kernel> kernels;
  std::vector<Diagnostic> diagnostics;
};

/// Whether the diagnostic, or a note of it, lies in the function `name` of `tree`.
bool concerns(const Diagnostic &diagnostic, const ast::Module &tree, const std::string &name) {
  for (const auto &statement : tree.body) {
    const ast::Stmt &stmt = *statement;
    const auto *function = std::get_if<ast::FunctionDef>(&stmt.node);
    if (!function || function->name != name)
      continue;
    auto inside = [&](const SourceRange &at) {
      return at.file == stmt.at.file && at.begin >= stmt.at.begin && at.begin < stmt.at.end;
    };
    if (inside(diagnostic.at))
      return true;
    for (const Diagnostic &note : diagnostic.notes)
      if (inside(note.at))
        return true;
  }
  return false;
}

/// Joins the wave sizes of one file. What every wave size says, and what could not
/// be tied to a kernel that some wave size has, goes to the sink.
void join(std::vector<WaveResult> results, const ast::Module &tree, size_t source,
          std::vector<KernelUnit> &units, DiagnosticSink &sink) {
  std::vector<KernelUnit> joined;
  for (WaveResult &result : results)
    for (hir::Kernel &kernel : result.kernels) {
      auto unit = std::find_if(joined.begin(), joined.end(), [&](const KernelUnit &known) {
        return known.instance == kernel.instance;
      });
      if (unit == joined.end())
        unit = joined.insert(unit, {kernel.instance, source, {}, {}});
      unit->byWave.emplace(result.wave, std::move(kernel));
    }

  std::vector<Diagnostic> reported;
  auto report = [&](const Diagnostic &diagnostic) {
    if (contains(reported, diagnostic))
      return;
    reported.push_back(diagnostic);
    sink.report(diagnostic);
  };
  for (const WaveResult &result : results) {
    std::vector<Diagnostic> special; // errors that some other wave size does not have
    for (const Diagnostic &one : result.diagnostics) {
      bool everywhere = std::all_of(results.begin(), results.end(), [&](const WaveResult &other) {
        return contains(other.diagnostics, one);
      });
      if (everywhere || one.severity != Severity::Error)
        report(one);
      else
        special.push_back(one);
    }
    std::vector<bool> explained(special.size());
    for (KernelUnit &unit : joined) {
      if (unit.byWave.count(result.wave))
        continue;
      std::vector<Diagnostic> &reasons = unit.refused[result.wave];
      const std::string &name = unit.byWave.begin()->second.name;
      for (size_t index = 0; index < special.size(); ++index)
        if (concerns(special[index], tree, name)) {
          reasons.push_back(special[index]);
          explained[index] = true;
        }
    }
    for (size_t index = 0; index < special.size(); ++index)
      if (!explained[index])
        report(special[index]);
  }
  for (KernelUnit &unit : joined)
    units.push_back(std::move(unit));
}

} // namespace

std::string requestedKernel(const std::string &request) {
  std::string name = request.substr(0, request.find('['));
  name.erase(0, name.find_first_not_of(" \t"));
  name.erase(name.find_last_not_of(" \t") + 1);
  return name;
}

FrontendResult runFrontend(const CompileRequest &request, const std::vector<std::string> &paths,
                           const std::set<unsigned> &waves, const Environment &environment,
                           SourceFiles &files, DiagnosticSink &sink) {
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
    std::vector<WaveResult> byWave;
    for (unsigned wave : waves) {
      DiagnosticSink own;
      SemaOptions options = semaOptions(request, wave, trees);
      for (const std::string &text : request.kernels)
        if (defines(*named[source], requestedKernel(text)))
          options.instantiations.push_back(text);
      WaveResult one{wave, analyze(*named[source], options, own), {}};
      one.diagnostics = own.diagnostics();
      byWave.push_back(std::move(one));
    }
    join(std::move(byWave), *named[source], source, result.kernels, sink);
  }
  result.sources = trees.sources;
  result.isBroken = trees.isBroken;
  if (!request.constants.empty())
    result.names = trees.names(named);
  for (const ast::Module *tree : named)
    for (const auto &stmt : tree->body)
      if (const auto *function = std::get_if<ast::FunctionDef>(&stmt->node))
        result.functions.emplace(function->name);
  if (result.kernels.empty() && !sink.hasErrors())
    sink.error({}, "'" + paths.front() + "' holds no kernel to build",
               "mark a function with @qd.kernel, or name an instance of a template kernel: "
               "--kernel 'scan[dtype=qd.i32]'");
  return result;
}

} // namespace sextant
