// Where imports are found, and how files become trees.
#include "driver/compile/Trees.h"

#include "frontend/library/Library.h"
#include "frontend/sema/Sema.h"

#include <algorithm>
#include <set>

namespace sextant {

const ast::Module *Trees::imported(std::string_view name, const ast::Module &from) {
  const std::string path = importPath(name, from);
  return path.empty() ? nullptr : load(path);
}

const ast::Module *Trees::library(std::string_view name) {
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

ModuleNames Trees::names(const std::vector<const ast::Module *> &named,
                         const std::vector<std::string> &given) {
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
  for (const std::string &name : given) {
    const size_t dot = name.rfind('.');
    if (!name.starts_with("qd.") || dot < 3 || name[dot + 1] == '_')
      continue;
    for (std::string_view module : libraryModules(std::string_view(name).substr(3, dot - 3)))
      if (const ast::Module *tree = library(module);
          tree && namesOf(*tree).assigned.contains(name.substr(dot + 1)))
        result.assigned.insert(name);
  }
  return result;
}

const SourceFile &Trees::option(std::string text) {
  files.push_back(std::make_unique<SourceFile>("<option>", std::move(text)));
  return *files.back();
}

bool Trees::isFile(const std::filesystem::path &path) const {
  std::error_code code;
  return std::filesystem::is_regular_file(resolvePath(environment, path.string()), code);
}

std::string Trees::importPath(std::string_view name, const ast::Module &from) const {
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
  // Found by name where it can be, so that a file has one path however it is found.
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

const ast::Module *Trees::load(const std::string &path) {
  auto found = trees.find(path);
  if (found != trees.end())
    return found->second.get();
  const bool fromStream = isStream(environment, path);
  std::string text = readFile(environment, path);
  if (const size_t at = text.find('\0'); at != std::string::npos)
    throw Refusal(Problem::KernelFileNotText,
                  "'" + path + "' is not a kernel file: it is binary, byte " + std::to_string(at) +
                      " is zero",
                  "kernel files are Python text, kernels.py; `sextant inspect` shows modules");
  files.push_back(std::make_unique<SourceFile>(path == "-" ? "<stdin>" : path, std::move(text)));
  sources.push_back({files.back()->path(), files.back().get(), fromStream});
  const unsigned before = sink.errorCount();
  const ast::Module *tree = trees.emplace(path, parse(*files.back(), sink)).first->second.get();
  isBroken |= sink.errorCount() != before;
  return tree;
}

} // namespace sextant
