// The C part of a generated header: a struct and typed functions over sextant.h.
#include "driver/bindings/HeaderStructures.h"
#include "driver/bindings/HeaderText.h"
#include "frontend/spelling/Texts.h"

namespace sextant::header {
namespace {

std::string cType(module::DType type) {
  return header::scalarType(type, header::Language::C);
} // its bits

std::string dtype(module::DType type) {
  return type == module::DType::Bool ? "SXT_DTYPE_BOOL"
                                     : "SXT_DTYPE_" + upper(std::string(module::nameOf(type)));
}

/// The name of an array type: "f32x3_2" is a 2-dimensional array of vectors of 3.
std::string arrayName(const module::Argument &argument) {
  std::string name(module::nameOf(argument.dtype));
  if (argument.rows * argument.cols != 1)
    name += "x" + std::to_string(argument.rows);
  if (argument.cols != 1)
    name += "x" + std::to_string(argument.cols);
  return name + "_" + std::to_string(argument.ndim);
}

std::string parameter(const module::Argument &argument, const std::string &name) {
  switch (argument.kind) {
  case module::Argument::Array:
    return "sxt_array_" + arrayName(argument) + " " + name;
  case module::Argument::Matrix:
    return "const " + cType(argument.dtype) + " " + name + "[" +
           std::to_string(argument.rows * argument.cols) + "]";
  default:
    return cType(argument.dtype) + " " + name;
  }
}

/// The expression that turns a parameter into an sxt_argument.
std::string asArgument(const module::Argument &argument, const std::string &name) {
  switch (argument.kind) {
  case module::Argument::Array:
    return "sxt_argument_" + arrayName(argument) + "(" + name + ")";
  case module::Argument::Matrix:
    return "sxt_make_matrix(" + name + ", " + dtype(argument.dtype) + ", " +
           std::to_string(argument.rows) + ", " + std::to_string(argument.cols) + ")";
  default:
    return argument.dtype == module::DType::Bool ? "sxt_make_bool(" + name + ")"
                                                 : "sxt_make_scalar(" + dtype(argument.dtype) +
                                                       ", &" + name + ", sizeof " + name + ")";
  }
}

/// The struct for arrays of one kind. A guard makes several headers declare it only once.
void emitArray(std::ostream &out, const module::Argument &argument) {
  const std::string name = arrayName(argument), type = "sxt_array_" + name;
  const std::string guard = "SXT_ARRAY_" + upper(name);
  out << "#ifndef " << guard << "\n#define " << guard << "\ntypedef struct " << type
      << " {\n  sxt_buffer *buffer;\n";
  if (argument.ndim > 0)
    out << "  int64_t shape[" << argument.ndim << "]; /* extents, in elements */\n";
  out << "  uint64_t offset_bytes; /* of the first element in the buffer */\n} " << type << ";\n"
      << "static inline sxt_argument sxt_argument_" << name << "(" << type << " array) {\n"
      << "  sxt_argument a = sxt_make_array(array.buffer, " << dtype(argument.dtype) << ", "
      << argument.ndim << ", " << (argument.ndim > 0 ? "array.shape" : "NULL") << ");\n"
      << "  a.rows = " << argument.rows << ";\n  a.cols = " << argument.cols
      << ";\n  a.offset_bytes = array.offset_bytes;\n  return a;\n}\n#endif\n";
}

void emitKernel(std::ostream &out, const std::string &module, const KernelText &text,
                std::set<std::string> &taken, size_t slot) {
  const std::vector<module::Argument> &arguments = text.kernel.arguments;
  const size_t count = arguments.size();
  auto open = [&](const std::string &name, std::vector<std::string> first, bool typed,
                  std::vector<std::string> last) {
    if (typed)
      for (size_t index = 0; index < count; ++index)
        first.push_back(parameter(arguments[index], text.parameters[index]));
    first.insert(first.end(), last.begin(), last.end());
    return parameterList("static inline sxt_status " + name + "(", first) + ") {\n";
  };
  // Arguments are packed in place. A function for it would take as many parameters again.
  const std::string find =
      "  sxt_kernel *sextant_kernel;\n  sxt_status sextant_status = " + module + "_find(sextant, " +
      std::to_string(slot) + ", " + literal(text.kernel.instance) + ", &sextant_kernel);\n";
  auto packed = [&] {
    out << "  sxt_argument sextant_arguments[" << (count ? count : 1) << "];\n"
        << find << "  if (sextant_status != SXT_OK)\n    return sextant_status;\n";
    for (size_t index = 0; index < count; ++index)
      out << "  sextant_arguments[" << index
          << "] = " << asArgument(arguments[index], text.parameters[index]) << ";\n";
  };
  const std::string list = "sextant_arguments, " + std::to_string(count);
  const std::string self = module + " *sextant";

  out << "\n";
  comment(out, "", describe(text));
  comment(out, "", text.kernel.doc);
  std::vector<std::string> results;
  std::set<std::string> local(text.parameters.begin(), text.parameters.end());
  for (size_t index = 0; index < text.results.size(); ++index)
    results.push_back(
        identifier("result" + (text.results.size() > 1 ? std::to_string(index) : ""), local));
  std::vector<std::string> places;
  for (size_t index = 0; index < results.size(); ++index) {
    const module::Hidden &result = text.results[index];
    const unsigned scalars = result.rows * result.cols;
    places.push_back(cType(result.dtype) + (scalars == 1 ? " *" : " ") + results[index] +
                     (scalars == 1 ? "" : "[" + std::to_string(scalars) + "]"));
  }
  if (hasCheckpoints(text.kernel)) {
    const std::string status = "sxt_graph_status *sextant_ended";
    auto launch = [&](const std::string &name, std::vector<std::string> first,
                      const std::string &checkpoint) {
      out << open(name, std::move(first), true, {status});
      packed();
      out << "  return sxt_kernel_resume(sextant_kernel, sextant_stream, " << list << ", "
          << checkpoint << ",\n                           sextant_ended);\n}\n";
    };
    launch(text.name, {self, "sxt_stream *sextant_stream"}, "NULL");
    out << "/// Launches it from that checkpoint on.\n";
    launch(identifier(text.name + "_resume", taken),
           {self, "sxt_stream *sextant_stream", "int64_t sextant_checkpoint"},
           "&sextant_checkpoint");
    return;
  }
  out << open(text.name, {self, "sxt_stream *sextant_stream"}, true, places);
  if (!results.empty())
    out << "  sxt_result sextant_results[" << results.size() << "];\n";
  packed();
  for (size_t index = 0; index < results.size(); ++index) {
    const module::Hidden &result = text.results[index];
    const std::string place = "  sextant_results[" + std::to_string(index) + "].";
    out << place << "struct_size = sizeof(sxt_result);\n"
        << place << "dtype = " << dtype(result.dtype) << ";\n"
        << place << "rows = " << result.rows << ";\n"
        << place << "cols = " << result.cols << ";\n"
        << place << "data = " << results[index] << ";\n";
  }
  if (results.empty())
    out << "  return sxt_kernel_launch(sextant_kernel, sextant_stream, " << list << ");\n}\n";
  else
    out << "  return sxt_kernel_call(sextant_kernel, sextant_stream, " << list
        << ", sextant_results, " << results.size() << ");\n}\n";

  out << "/// Prepares a launch, which the caller releases: sxt_launch_create.\n"
      << open(identifier(text.name + "_prepare", taken), {self}, true,
              {"sxt_launch **sextant_launch"});
  packed();
  out << "  return sxt_launch_create(sextant_kernel, " << list << ", sextant_launch);\n}\n"
      << "/// Appends a launch to a graph: sxt_graph_add_launch.\n"
      << open(identifier(text.name + "_add", taken), {self, "sxt_graph *sextant_graph"}, true,
              {"size_t *sextant_step"});
  packed();
  out << "  return sxt_graph_add_launch(sextant_graph, sextant_kernel, " << list
      << ", sextant_step);\n}\n";
  if (count)
    out << "/// One argument of a prepared launch, or of a step of a graph.\n";
  for (size_t index = 0; index < count; ++index) {
    const std::string value = parameter(arguments[index], text.parameters[index]);
    const std::string body = "  const sxt_argument sextant_argument = " +
                             asArgument(arguments[index], text.parameters[index]) + ";\n";
    const std::string member = "_" + arguments[index].name;
    out << open(identifier(text.name + "_set" + member, taken),
                {"sxt_launch *sextant_launch", value}, false, {})
        << body << "  return sxt_launch_set_argument(sextant_launch, " << index
        << ", &sextant_argument);\n}\n"
        << open(identifier(text.name + "_update" + member, taken),
                {"sxt_graph *sextant_graph", "size_t sextant_step", value}, false, {})
        << body << "  return sxt_graph_set_argument(sextant_graph, sextant_step, " << index
        << ", &sextant_argument);\n}\n";
  }
}

} // namespace

void emitC(std::ostream &out, const std::string &name, const std::string &symbol,
           const std::vector<module::Kernel> &kernels, const module::ModuleInfo &info) {
  std::set<std::string> taken{name, name + "_create", name + "_open", name + "_release",
                              name + "_find"};
  Structures(kernels, info, name + "_", taken).emit(out, Language::C, "");
  std::set<std::string> arrays;
  for (const module::Kernel &kernel : kernels)
    for (const module::Argument &argument : kernel.arguments)
      if (argument.kind == module::Argument::Array && arrays.insert(arrayName(argument)).second)
        emitArray(out, argument);
  const std::string slots = std::to_string(kernels.empty() ? 1 : kernels.size());
  out << "\n/// The module's kernels on a device, in C11. Made by " << name << "_create"
      << (symbol.empty() ? "" : " or " + name + "_open") << ", released by " << name
      << "_release.\n/// Launches may come from any thread; a kernel's variant is chosen and "
         "loaded at "
         "its first use.\n"
      << "/// A null stream is the device's default one. Functions return SXT_OK, or an error "
         "that\n"
      << "/// sxt_last_error_message explains.\n"
      << "typedef struct " << name << " {\n  sxt_program *program;\n"
      << "  _Atomic(sxt_kernel *) kernels[" << slots << "];\n} " << name << ";\n\n"
      << "static inline sxt_status " << name << "_create(sxt_module *module, sxt_device *device, "
      << name << " *sextant) {\n  size_t i;\n  sextant->program = NULL;\n  for (i = 0; i < "
      << slots << "; ++i)\n    atomic_init(&sextant->kernels[i], (sxt_kernel *)NULL);\n"
      << "  return sxt_program_create(module, device, NULL, &sextant->program);\n}\n";
  if (!symbol.empty())
    out << "/// Of the embedded module.\nstatic inline sxt_status " << name
        << "_open(sxt_device *device, " << name << " *sextant) {\n  sxt_module *module;\n"
        << "  sxt_status status = sxt_module_open_memory(" << symbol << ", (size_t)(" << symbol
        << "_end - " << symbol << "), &module);\n  if (status != SXT_OK) {\n"
        << "    sextant->program = NULL;\n    return status;\n  }\n"
        << "  status = " << name << "_create(module, device, sextant);\n"
        << "  sxt_module_release(module);\n  return status;\n}\n";
  out << "static inline void " << name << "_release(" << name << " *sextant) {\n"
      << "  sxt_program_release(sextant->program);\n  sextant->program = NULL;\n}\n"
      << "/// The kernel of that number, looked up at the first call.\n"
      << "static inline sxt_status " << name << "_find(" << name
      << " *sextant, size_t number, const char *name,\n    sxt_kernel **kernel) {\n"
      << "  sxt_status status = SXT_OK;\n"
      << "  *kernel = atomic_load_explicit(&sextant->kernels[number], memory_order_acquire);\n"
      << "  if (*kernel == NULL) {\n"
      << "    status = sxt_program_kernel(sextant->program, name, kernel);\n"
      << "    if (status == SXT_OK)\n"
      << "      atomic_store_explicit(&sextant->kernels[number], *kernel, memory_order_release);\n"
      << "  }\n  return status;\n}\n";
  for (size_t index = 0; index < kernels.size(); ++index) {
    KernelText text{kernels[index],
                    identifier(name + "_" + kernels[index].instance, taken),
                    {},
                    resultsOf(kernels[index])};
    std::set<std::string> parameters{name + "_find"}; // others of ours begin with sextant_
    for (const module::Argument &argument : kernels[index].arguments)
      text.parameters.push_back(identifier(argument.name, parameters));
    emitKernel(out, name, text, taken, index);
  }
}

} // namespace sextant::header
