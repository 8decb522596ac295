// Descriptions of kernels.c.
#include "TestModule.h"

#include <fstream>
#include <iterator>

namespace sextant::test {

using module::Argument;
using module::DType;
using module::Hidden;
using Expr = module::LaunchExpr;

namespace {

Argument array(std::string name, DType dtype, unsigned ndim = 1, unsigned rows = 1,
               unsigned cols = 1) {
  return {Argument::Array, std::move(name), dtype, ndim, rows, cols};
}
Argument scalar(std::string name, DType dtype) {
  return {Argument::Scalar, std::move(name), dtype, 0, 1, 1};
}
Expr param(int64_t index) { return {{{Expr::Param, index}}}; }

KernelSpec spec(std::string name, std::vector<Argument> arguments, std::vector<module::Task> tasks,
                int32_t sharedBytes = 0, std::vector<Hidden> hidden = {}) {
  KernelSpec s;
  s.kernel.name = name;
  s.kernel.instance = std::move(name);
  s.kernel.arguments = std::move(arguments);
  s.plan.hidden = std::move(hidden);
  s.plan.tasks = std::move(tasks);
  s.resources.assign(s.plan.tasks.size(), {-1, -1, -1, sharedBytes});
  return s;
}

} // namespace

static std::vector<std::byte> contentOf(const char *path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto *first = reinterpret_cast<const std::byte *>(text.data());
  return {first, first + text.size()};
}

std::vector<std::byte> kernelImage() { return contentOf(SEXTANT_TEST_KERNELS); }
std::vector<std::byte> slowKernelImage() { return contentOf(SEXTANT_TEST_KERNELS_SLOW); }

std::string hostArch() {
  sxt_device *cpu = nullptr;
  need(sxt_device_open("cpu", &cpu));
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(cpu, &info));
  std::string arch = info.arch;
  sxt_device_release(cpu);
  return arch;
}

std::vector<KernelSpec> kernelSpecs() {
  std::vector<KernelSpec> specs;
  specs.push_back(spec("saxpy",
                       {scalar("a", DType::F32), array("x", DType::F32), array("y", DType::F32)},
                       {{"saxpy_t0", 64, false, false, param(2)}}));
  specs.push_back(spec("empty", {}, {{"empty_t0", 1, true, false, std::nullopt}}));
  specs.push_back(spec("chain", {array("flags", DType::I32), array("order", DType::I32)},
                       {{"chain_t0", 1, false, false, param(1), true}}));
  specs.push_back(spec("total", {array("src", DType::I32)},
                       {{"total_t0", 1, true, false, std::nullopt},
                        {"total_t1", 32, false, false, param(1)},
                        {"total_t2", 1, true, false, std::nullopt}},
                       0,
                       {{Hidden::Field, "calls", DType::I32, 1, {1}},
                        {Hidden::Return, "return0", DType::I64, 1, {}},
                        {Hidden::Return, "return1", DType::F32, 2, {}, 2, 1},
                        {Hidden::Carry, "sum", DType::I64, 1, {}}}));
  specs.push_back(spec("scratch", {array("out", DType::U64)},
                       {{"scratch_t0", 1, false, false, param(1)}}, 200));
  specs.push_back(spec("everything",
                       {scalar("b", DType::Bool),
                        scalar("c", DType::I8),
                        scalar("s", DType::I16),
                        scalar("l", DType::I64),
                        scalar("h", DType::U16),
                        scalar("d", DType::F64),
                        {Argument::Matrix, "m", DType::F32, 0, 2, 3},
                        array("out", DType::F64)},
                       {{"everything_t0", 1, true, false, std::nullopt}}));
  specs.push_back(
      spec("grid", {array("out", DType::I32)}, {{"grid_t0", 64, false, false, std::nullopt}}));
  specs.push_back(spec("slow", {scalar("ms", DType::I32), array("out", DType::I32)},
                       {{"slow_t0", 1, true, false, std::nullopt}}));
  specs.push_back(
      spec("sine", {array("x", DType::F32)}, {{"sine_t0", 32, false, false, param(1)}}));
  specs.push_back(
      spec("pace", {array("out", DType::I32)}, {{"pace_t0", 1, false, false, param(1)}}));
  specs.push_back(spec("work", {scalar("rounds", DType::I32), array("out", DType::I32)},
                       {{"work_t0", 1, false, false, param(2)}}));
  // The same code, but blocks must be full.
  specs.push_back(spec("full", {array("x", DType::F32)}, {{"sine_t0", 32, false, true, param(1)}}));
  // Iterations 7 // n, as an expression that can divide by zero.
  specs.push_back(spec("divided", {scalar("n", DType::I32)},
                       {{"empty_t0", 1, false, false,
                         Expr{{{Expr::Constant, 7}, {Expr::Param, 0}, {Expr::FloorDiv, 0}}}}}));
  // Two-dimensional with vector elements.
  specs.push_back(spec("vectors", {array("v", DType::F32, 2, 3)},
                       {{"empty_t0", 1, true, false, std::nullopt}}));
  specs.push_back(
      spec("quads", {array("v", DType::F32, 1, 4)}, {{"empty_t0", 1, true, false, std::nullopt}}));
  // Asks for a function that the image does not have.
  specs.push_back(spec("absent", {}, {{"absent_t0", 1, true, false, std::nullopt}}));
  std::vector<Argument> many;
  for (int i = 0; i < 100; ++i)
    many.push_back(scalar("a" + std::to_string(i), DType::I64));
  many.push_back(array("out", DType::I64));
  specs.push_back(spec("many", many, {{"many_t0", 1, true, false, std::nullopt}}));
  // More arrays than Metal binds.
  std::vector<Argument> arrays;
  for (int i = 0; i < 40; ++i)
    arrays.push_back(array("a" + std::to_string(i), DType::I32));
  arrays.push_back(scalar("step", DType::I32));
  specs.push_back(spec("plenty", arrays, {{"plenty_t0", 32, false, false, param(1)}}));
  // Two instances of one source kernel.
  for (const char *instance : {"twin_i32", "twin_f32"}) {
    specs.push_back(spec("twin", {}, {{"empty_t0", 1, true, false, std::nullopt}}));
    specs.back().kernel.instance = instance;
  }
  specs.push_back(spec("only", {}, {{"empty_t0", 1, true, false, std::nullopt}}));
  specs.back().kernel.instance = "only_f32";
  specs.push_back(spec("await", {array("flag", DType::I32), array("seen", DType::I32)},
                       {{"await_t0", 1, true, false, std::nullopt}}));
  // Two loops, the first one with sections: serial and parallel tasks that do nothing.
  const Argument flag = array("flag", DType::I32, 0);
  specs.push_back(spec("rounds", {array("x", DType::F32), flag},
                       {{"begin", 1, true, false, std::nullopt},
                        {"body", 64, false, false, param(1)},
                        {"left", 1, true, false, std::nullopt},
                        {"right", 64, false, false, param(1)},
                        {"inner", 1, true, false, std::nullopt},
                        {"again", 1, true, false, std::nullopt},
                        {"end", 1, true, false, std::nullopt}},
                       0,
                       {{Hidden::Schedule,
                         "loop 1 6\nfork 2 4\nbranch 2 3\nbranch 3 4\nloop 4 5\n",
                         DType::U32,
                         9,
                         {}}}));
  specs.push_back(spec("idle", {scalar("n", DType::I32)}, {})); // no task at all
  return specs;
}

std::vector<std::byte> makeModule(const ModuleOptions &options) {
  packager::ModuleBuilder builder("test", "");
  uint32_t source = builder.addSource("kernels.c", {});
  std::vector<module::Target> targets = options.targets;
  if (targets.empty())
    targets.push_back({"cpu", hostArch(), {}, 32});
  std::vector<std::byte> cpuImage = options.cpuImage.empty() ? kernelImage() : options.cpuImage;
  uint32_t cpu = builder.addImage(cpuImage);
  const auto *text = reinterpret_cast<const std::byte *>(options.gpuImage.c_str());
  uint32_t gpu = builder.addImage({text, options.gpuImage.size() + 1}); // with its NUL, as PTX
  std::map<std::string, uint32_t> own;
  for (const auto &[target, image] : options.images)
    own[target] = builder.addImage(image);
  for (KernelSpec &s : kernelSpecs()) {
    s.kernel.source = source;
    module::Result<uint32_t> number = builder.addKernel(s.kernel);
    REQUIRE(number.ok());
    for (const module::Target &target : targets) {
      module::Variant variant;
      variant.target = target;
      bool isCpu = target.backend == "cpu";
      auto found = own.find(str(target));
      variant.image = found != own.end() ? found->second : isCpu ? cpu : gpu;
      variant.format = isCpu                                 ? "elf"
                       : target.backend == "amdgpu"          ? "hsaco"
                       : target.backend == "metal"           ? "msl"
                       : target.backend == "vulkan"          ? "spirv"
                       : target.arch.starts_with("compute_") ? "ptx"
                                                             : "cubin";
      variant.resources = s.resources;
      if (s.kernel.name == "rounds" && variant.format == "cubin")
        variant.requirements = options.loopNeeds;
      module::Status status = builder.addVariant(*number, s.plan, variant);
      INFO(status.message);
      REQUIRE(status.ok());
    }
  }
  module::Result<std::vector<std::byte>> bytes = builder.build({packager::Compression::Fast});
  REQUIRE(bytes.ok());
  return std::move(*bytes);
}

void need(sxt_status status) {
  INFO(sxt_status_name(status) << ": " << (status == SXT_OK ? "" : sxt_last_error_message()));
  REQUIRE(status == SXT_OK);
}

std::string message() { return sxt_last_error_message(); }

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != text.npos;
}

Loaded::Loaded(const char *name, const ModuleOptions &options) : bytes(makeModule(options)) {
  need(sxt_module_open_memory(bytes.data(), bytes.size(), &module));
  need(sxt_device_open(name, &device));
  need(sxt_program_create(module, device, nullptr, &program));
}

Loaded::~Loaded() {
  for (sxt_buffer *made : buffers)
    sxt_buffer_release(made);
  sxt_program_release(program);
  sxt_device_release(device);
  sxt_module_release(module);
}

sxt_kernel *Loaded::kernel(const char *name) {
  sxt_kernel *found = nullptr;
  need(sxt_program_kernel(program, name, &found));
  return found;
}

sxt_buffer *Loaded::buffer(uint64_t size) {
  sxt_buffer *made = nullptr;
  need(sxt_buffer_create(device, size, &made));
  buffers.push_back(made);
  return made;
}

sxt_graph *saxpyGraph(Loaded &on, sxt_buffer *x, sxt_buffer *y, sxt_buffer *z, size_t &saxpy) {
  sxt_graph *graph = nullptr;
  need(sxt_graph_create(on.device, &graph));
  const uint32_t zero = 0;
  need(sxt_graph_add_fill(graph, y, 0, 400, &zero, 4));
  const sxt_argument arguments[] = {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, 100),
                                    sxt_make_array1(y, SXT_DTYPE_F32, 100)};
  need(sxt_graph_add_launch(graph, on.kernel("saxpy"), arguments, 3, &saxpy));
  need(sxt_graph_add_copy(graph, z, 0, y, 0, 400));
  return graph;
}

} // namespace sextant::test
