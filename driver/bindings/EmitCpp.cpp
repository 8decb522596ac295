// The C++ part of a generated header: a struct of typed kernels over sextant.hpp.
#include "driver/bindings/HeaderStructures.h"
#include "driver/bindings/HeaderText.h"
#include "driver/bindings/ParameterTree.h"

namespace sextant::header {
namespace {

std::string cppType(module::DType type) { return header::scalarType(type, header::Language::Cpp); }

std::string elementType(module::DType type, unsigned rows, unsigned cols) {
  if (rows == 1 && cols == 1)
    return cppType(type);
  std::string text = (cols == 1 ? "sextant::Vector<" : "sextant::Matrix<") + cppType(type) + ", " +
                     std::to_string(rows);
  return text + (cols == 1 ? "" : ", " + std::to_string(cols)) + ">";
}

/// The element of an argument or a field.
template <class Array> std::string elementType(const Structures &structures, const Array &array) {
  return array.structure.empty() ? elementType(array.dtype, array.rows, array.cols)
                                 : structures.nameOf(array.structure);
}

/// Returns the type with what separates it from a name.
std::string parameterType(const Structures &structures, const module::Argument &argument) {
  const std::string element = elementType(structures, argument);
  switch (argument.kind) {
  case module::Argument::Array:
    return "sextant::ArrayView<" + element + ", " + std::to_string(argument.ndim) + "> ";
  case module::Argument::Matrix:
    return "const " + element + " &";
  default:
    return element + " ";
  }
}

std::string resultType(const std::vector<module::Hidden> &results) {
  if (results.empty())
    return "void";
  std::string types;
  for (const module::Hidden &result : results)
    types += (types.empty() ? "" : ", ") + elementType(result.dtype, result.rows, result.cols);
  return results.size() == 1 ? types : "std::tuple<" + types + ">";
}

/// An argument as a launch takes it: what a struct holds may be anything that converts without
/// loss.
std::string converted(const Structures &structures, const module::Argument &argument,
                      const std::string &expression) {
  const std::string element = elementType(structures, argument);
  switch (argument.kind) {
  case module::Argument::Array:
    return "sextant::ArrayView<" + element + ", " + std::to_string(argument.ndim) + ">(" +
           expression + ")";
  case module::Argument::Matrix:
    return "static_cast<const " + element + " &>(" + expression + ")";
  default:
    return element + "{" + expression + "}";
  }
}

/// The structs of a parameter, inner ones first.
void emitStruct(std::ostream &out, const Structures &structures,
                const std::vector<module::Argument> &arguments, const Parameter &parameter) {
  for (const Parameter &member : parameter.members)
    if (!member.members.empty())
      emitStruct(out, structures, arguments, member);
  out << "    struct " << parameter.type << " {\n";
  for (const Parameter &member : parameter.members) {
    std::string type = member.type + " ";
    if (member.members.empty()) {
      const module::Argument &argument = arguments[member.argument];
      type = argument.kind == module::Argument::Matrix
                 ? elementType(argument.dtype, argument.rows, argument.cols) + " "
                 : parameterType(structures, argument);
    }
    out << "      " << type << member.name << ";\n";
  }
  out << "    };\n";
}

/// The parameters of a kernel's functions: their declarations, what they pass on, and the template
/// that they need because a struct may be any with such members.
struct ParameterText {
  std::vector<std::string> typed;
  std::string passed, templates;
};

ParameterText parameterText(const Structures &structures,
                            const std::vector<module::Argument> &arguments,
                            const std::vector<Parameter> &parameters) {
  ParameterText text;
  for (const Parameter &parameter : parameters) {
    if (parameter.members.empty()) {
      text.typed.push_back(parameterType(structures, arguments[parameter.argument]) +
                           parameter.name);
      continue;
    }
    const std::string type = "Any_" + parameter.name;
    text.typed.push_back("const " + type + " &" + parameter.name);
    text.templates +=
        (text.templates.empty() ? "" : ", ") + ("class " + type + " = " + parameter.type);
  }
  std::vector<std::string> passed(arguments.size());
  forEachArgument(parameters, "", [&](size_t index, const std::string &expression) {
    const bool isMember = expression.find('.') != std::string::npos;
    passed[index] = isMember ? converted(structures, arguments[index], expression) : expression;
  });
  for (const std::string &one : passed)
    text.passed += (text.passed.empty() ? "" : ", ") + one;
  if (!text.templates.empty())
    text.templates = "    template <" + text.templates + ">\n";
  return text;
}

/// The class of one kernel, and the member that has this class.
void emitKernel(std::ostream &out, const Structures &structures, const KernelText &text,
                const std::string &type, size_t slot) {
  const std::vector<module::Argument> &arguments = text.kernel.arguments;
  std::set<std::string> taken{"Prepared", "Step"};
  taken.insert(text.parameters.begin(), text.parameters.end());
  const std::string stream = identifier("stream", taken), graph = identifier("graph", taken);
  std::set<std::string> names{stream, graph, "Prepared", "Step"};
  const std::vector<Parameter> parameters = parameterTree(arguments, names);
  const ParameterText parts = parameterText(structures, arguments, parameters);
  const std::string &passed = parts.passed, &templates = parts.templates;
  auto with = [&](const std::string &first) {
    std::vector<std::string> all = parts.typed;
    all.insert(all.begin(), first);
    return all;
  };
  const std::string after = passed.empty() ? "" : ", " + passed;
  const bool isResumed = hasCheckpoints(text.kernel);
  const std::string result = isResumed ? "sextant::GraphStatus" : resultType(text.results);
  const std::string call = isResumed                  ? "start"
                           : text.results.empty()     ? "launch"
                           : text.results.size() == 1 ? "template call<" + result + ">"
                                                      : "template callAll<" + result + ">";
  // Setters of prepared launches and of graph steps differ only in their base class.
  auto setters = [&](const char *base, const char *constness) {
    std::set<std::string> names;
    for (size_t index = 0; index < arguments.size(); ++index)
      out << "      sextant::Result<void> " << identifier("set_" + arguments[index].name, names)
          << "(" << parameterType(structures, arguments[index]) << "value)" << constness
          << " {\n        return " << base << "::set(" << index << ", value);\n      }\n";
  };

  // Launches that are kept: nobody would ask them how they ended.
  auto emitPrepared = [&] {
    out << "    /// A launch whose arguments are checked once, and replaced by set_….\n"
        << "    class Prepared : public sextant::PreparedLaunch {\n    public:\n"
        << "      Prepared() = default;\n"
        << "      explicit Prepared(sextant::PreparedLaunch made)\n"
        << "          : sextant::PreparedLaunch(std::move(made)) {}\n";
    setters("sextant::PreparedLaunch", "");
    out << "    };\n"
        << templates << parameterList("    sextant::Result<Prepared> prepare(", parts.typed)
        << ") const {\n      return this->template prepareAs<Prepared>(" << passed << ");\n    }\n"
        << "    /// A launch of a graph, whose arguments are replaced by set_….\n"
        << "    class Step : public sextant::GraphStep {\n    public:\n"
        << "      using GraphStep::GraphStep;\n";
    setters("sextant::GraphStep", " const");
    out << "    };\n    /// Graph::add calls it.\n"
        << templates
        << parameterList("    sextant::Result<Step> addTo(", with("sextant::Graph &" + graph))
        << ") const {\n      return this->template addAs<Step>(" << graph << after << ");\n    }\n";
  };

  out << "\n";
  comment(out, "  ", describe(text));
  comment(out, "  ", text.kernel.doc);
  out << "  class " << type << " : public sextant::TypedKernel {\n  public:\n"
      << "    using TypedKernel::TypedKernel;\n";
  for (const Parameter &parameter : parameters)
    if (!parameter.members.empty())
      emitStruct(out, structures, arguments, parameter);
  out << templates
      << parameterList("    sextant::Result<" + result + "> operator()(",
                       with("const sextant::Stream &" + stream))
      << ") const {\n      return this->" << call << "(" << stream << after << ");\n    }\n";
  if (isResumed) {
    std::set<std::string> others(text.parameters.begin(), text.parameters.end());
    others.insert(stream);
    const std::string checkpoint = identifier("checkpoint", others);
    std::vector<std::string> all = with("const sextant::Stream &" + stream);
    all.insert(all.begin() + 1, "int64_t " + checkpoint);
    out << "    /// Launches it from that checkpoint on.\n"
        << templates << parameterList("    sextant::Result<sextant::GraphStatus> resume(", all)
        << ") const {\n      return this->resumeAt(" << stream << ", " << checkpoint << after
        << ");\n    }\n";
  } else {
    emitPrepared();
  }
  out << "  };\n";
  comment(out, "  ", describe(text));
  comment(out, "  ", text.kernel.doc);
  out << "  " << type << " " << text.name << "{sextantState, " << slot << ", "
      << literal(text.kernel.instance) << "};\n";
}

void emitField(std::ostream &out, const Structures &structures, const std::string &name,
               const module::Global &global, const std::string &member) {
  const std::string type =
      elementType(structures, global) + ", " + std::to_string(global.shape.size());
  out << "\n";
  comment(out, "  ", "The field `" + global.name + "`, shared by the module's kernels.");
  out << "  sextant::Result<sextant::ArrayView<" << type << ">> " << member << "() const {\n"
      << "    return sextantState->program.global<" << type << ">(" << literal(name) << ");\n  }\n";
}

} // namespace

void emitCpp(std::ostream &out, const std::string &name, const std::string &symbol,
             const std::vector<module::Kernel> &kernels, const module::ModuleInfo &info) {
  std::set<std::string> members{name, "sextantProgram", "sextantState", "create", "sextantModule"};
  const Structures structures(kernels, info, "", members);
  out << "/// The module's kernels on a device. Launches may come from any thread; a kernel's\n"
      << "/// variant is chosen and loaded at its first use. Calls return a sextant::Result, or "
         "with\n"
      << "/// SEXTANT_THROWS the value, and throw a sextant::Error. A kernel is also a step of "
         "graphs,\n"
      << "/// graph.add(kernels.NAME, arguments…), and a launch that is prepared once,\n"
      << "/// kernels.NAME.prepare(arguments…). Copies share the program, and so do its kernels.\n"
      << "struct " << name << " {\nprivate:\n"
      << "  std::shared_ptr<const sextant::LazyProgram> sextantState;\n\npublic:\n";
  structures.emit(out, Language::Cpp, "  ");
  const std::string made = "sextant::Result<" + name + ">";
  if (!symbol.empty())
    out << "  /// The embedded module.\n"
        << "  static sextant::Result<sextant::Module> sextantModule() {\n"
        << "    return sextant::Module::fromMemory(::" << symbol << ",\n"
        << "                                       static_cast<size_t>(::" << symbol
        << "_end - ::" << symbol << "));\n  }\n"
        << "  static " << made << " create(const sextant::Device &device) {\n"
        << "    return sextant::then(sextantModule(), [&device](const sextant::Module &module) {\n"
        << "      return create(module, device);\n    });\n  }\n";
  out << "  static " << made << " create(const sextant::Module &module,\n"
      << "      const sextant::Device &device) {\n"
      << "    return sextant::then(sextant::Program::create(module, device),\n"
      << "        [](sextant::Program program) { return " << made << "(" << name
      << "(std::move(program))); });\n  }\n"
      << "  explicit " << name << "(sextant::Program program)\n"
      << "      : sextantState(std::make_shared<const sextant::LazyProgram>(std::move(program), "
      << kernels.size() << ")) {}\n#ifdef SEXTANT_THROWS\n";
  if (!symbol.empty())
    out << "  explicit " << name << "(const sextant::Device &device) : " << name
        << "(create(device)) {}\n";
  out << "  " << name << "(const sextant::Module &module, const sextant::Device &device)\n"
      << "      : " << name << "(create(module, device)) {}\n#endif\n"
      << "  /// The program that all of it shares. There must be one: not of a moved-from object.\n"
      << "  const sextant::Program &sextantProgram() const { return sextantState->program; }\n";
  for (size_t index = 0; index < kernels.size(); ++index) {
    KernelText text{kernels[index],
                    identifier(kernels[index].instance, members),
                    {},
                    resultsOf(kernels[index])};
    std::set<std::string> taken;
    for (const module::Argument &argument : kernels[index].arguments)
      text.parameters.push_back(identifier(argument.name, taken));
    emitKernel(out, structures, text, identifier(text.name + "_kernel", members), index);
  }
  const std::vector<std::string> fields = fieldNames(info);
  for (size_t index = 0; index < fields.size(); ++index) {
    const module::Global &global = info.globals[index];
    emitField(out, structures, fields[index], global, identifier(global.name, members));
  }
  out << "};\n";
}

} // namespace sextant::header
