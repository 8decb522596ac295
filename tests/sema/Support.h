// Parses and analyses kernel sources for tests.
#pragma once

#include "frontend/sema/Sema.h"
#include "tests/hir/text/Dump.h"

#include <fstream>
#include <map>
#include <sstream>

namespace sextant::test {

struct Analysis {
  SemaOptions options;
  DiagnosticSink sink;
  std::vector<hir::Kernel> kernels;
  std::map<std::string, std::string> helpers; ///< importable modules, by name

  void run(const std::string &path, std::string text) {
    if (!options.library)
      options.library = [this](std::string_view name) { return library(name); };
    options.import = [this](std::string_view name, const ast::Module &) -> const ast::Module * {
      auto it = helpers.find(std::string(name));
      return it == helpers.end() ? nullptr : parsed(it->first + ".py", it->second);
    };
    auto *module = parsed(path, std::move(text));
    if (!sink.hasErrors())
      kernels = analyze(*module, options, sink);
  }
  void runText(std::string text) {
    run("test.py",
        "import quadrants as qd\nfrom quadrants.lang.simt import subgroup, block, grid\n" + text);
  }
  void runFile(const std::string &path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    run(path, text.str());
  }
  /// The library's sources are read from the tree where they are there.
  const ast::Module *library(std::string_view name) {
    std::ifstream in(std::string(SEXTANT_LIBRARY_DIR) + "/" + std::string(name) + ".py");
    if (!in)
      return nullptr;
    std::stringstream text;
    text << in.rdbuf();
    return parsed("<library>/" + std::string(name) + ".py", text.str());
  }
  std::string dump() const {
    std::string text;
    for (auto &kernel : kernels)
      text += hir::dump(kernel);
    return text;
  }
  std::string errors() const {
    std::string text;
    for (auto &d : sink.diagnostics())
      text += formatDiagnostic(d);
    return text;
  }

private:
  const ast::Module *parsed(const std::string &path, std::string text) {
    auto &slot = modules[path];
    if (!slot.second) {
      slot.first = std::make_unique<SourceFile>(path, std::move(text));
      slot.second = parse(*slot.first, sink);
    }
    return slot.second.get();
  }
  std::map<std::string, std::pair<std::unique_ptr<SourceFile>, std::unique_ptr<ast::Module>>>
      modules;
};

} // namespace sextant::test
