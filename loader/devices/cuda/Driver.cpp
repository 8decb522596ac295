// Finds and initialises NVIDIA's driver.
#include "loader/devices/cuda/Driver.h"
#include "loader/format/Text.h"
#include "loader/system/Library.h"

namespace sextant::loader::cuda {
namespace {

Driver &theDriver() { return driver::Found<Driver>::only().driver; }

std::string describe(Result result) {
  const Driver &driver = theDriver();
  const char *name = nullptr, *text = nullptr;
  if (driver.getErrorName.function(result, &name) != success || !name)
    return module::message("CUDA error %d", int(result));
  std::string description = name;
  if (driver.getErrorString.function(result, &text) == success && text)
    description += module::message(" (%s)", text);
  return description;
}

/// The driver knows where memory is that it gave out, and refuses to say by which address the
/// current context reaches memory that it does not reach: another device's without peer access.
bool isForeign(Address address, int, int &owner) {
  const auto get = theDriver().pointerGetAttribute.function;
  unsigned type = 0;
  Address reached = 0;
  return get(&type, MemoryType, address) == success &&
         get(&reached, DevicePointer, address) != success &&
         get(&owner, DeviceOrdinal, address) == success;
}

bool isOthersStream(driver::Stream stream, Context context) {
  Context made = nullptr;
  return theDriver().streamGetContext.function(stream, &made) == success && made != context;
}

sxt_status loadModule(const char *device, const std::string &format,
                      std::span<const std::byte> bytes, Module &module) {
  bool isPtx = format == "ptx";
  if (!isPtx && format != "cubin")
    return fail(SXT_ERROR_BAD_MODULE, "CUDA devices do not run images of format '%s'",
                format.c_str());
  // The driver reads PTX up to its NUL.
  if (bytes.empty() || (isPtx && bytes.back() != std::byte{0}))
    return fail(SXT_ERROR_BAD_MODULE, "the %s image is cut short", format.c_str());
  std::string errorLog(8192, '\0');
  int options[] = {JitErrorLogBuffer, JitErrorLogBufferSizeBytes};
  void *values[] = {errorLog.data(), reinterpret_cast<void *>(errorLog.size() - 1)};
  Result result = theDriver().moduleLoadDataEx.function(&module, bytes.data(), 2, options, values);
  if (result == success)
    return SXT_OK;
  if (result == errorOutOfMemory)
    return fail(SXT_ERROR_OUT_OF_MEMORY, "%s has no memory for the code", device);
  errorLog.resize(errorLog.find('\0'));
  return fail(SXT_ERROR_DEVICE, "%s does not load the %s image: %s%s%s", device, format.c_str(),
              describe(result).c_str(), errorLog.empty() ? "" : ": ", errorLog.c_str());
}

/// The first version of CUDA_KERNEL_NODE_PARAMS, which the function of this name takes.
struct KernelNodeParams {
  Function function;
  unsigned grid[3], block[3], sharedBytes;
  void **parameters, **extra;
};

KernelNodeParams parametersOf(const KernelNode &kernel) {
  return {kernel.function, {kernel.grid, 1, 1}, {kernel.block, 1, 1}, kernel.sharedBytes,
          nullptr,         kernel.extra};
}

Result graphCreate(Graph *graph) { return theDriver().graphCreate.function(graph, 0); }

Result addLaunch(Graph graph, std::span<const GraphNode> after, const KernelNode &kernel,
                 GraphNode &node) {
  const KernelNodeParams params = parametersOf(kernel);
  return theDriver().addKernelNode.function(&node, graph, after.data(), after.size(), &params);
}

/// CUgraphNodeParams of a conditional node.
struct LoopParams {
  int type = 13; ///< CU_GRAPH_NODE_TYPE_CONDITIONAL
  int reserved0[3] = {};
  uint64_t handle = 0;
  int kind = 1; ///< CU_GRAPH_COND_TYPE_WHILE
  unsigned bodies = 1;
  Graph *body = nullptr; ///< out
  Context context = nullptr;
  long long reserved1[25] = {}, reserved2 = 0;
};
static_assert(sizeof(LoopParams) == 16 + 29 * 8 + 8);

/// The loop has no round, unless the code before it says so in this run.
Result addLoop(Graph graph, std::span<const GraphNode> after, Context context, GraphNode &node,
               Graph &body, uint64_t &handle) {
  constexpr unsigned resetAtLaunch = 1; // CU_GRAPH_COND_ASSIGN_DEFAULT
  const Driver &driver = theDriver();
  LoopParams params;
  if (Result result = driver.handleCreate.function(&handle, graph, context, 0, resetAtLaunch))
    return result;
  params.handle = handle;
  params.context = context;
  Result result = driver.addNode.function(&node, graph, after.data(), after.size(), &params);
  if (result == success)
    body = params.body[0];
  return result;
}

Result setNode(GraphExec executable, GraphNode node, const KernelNode &kernel) {
  const KernelNodeParams params = parametersOf(kernel);
  return theDriver().api.setKernel.function(executable, node, &params);
}

std::string load(Driver &driver) {
  std::string why;
  void *library = system::openLibrary(system::libraryNames.cuda, why);
  if (!library)
    return "no NVIDIA driver: " + (why.empty() ? "this system has none" : why);
  const char *missing = driver.api.resolve(library, cudaNames);
#define SXT_CUDA_LOOKUP(member, exported, parameters)                                              \
  driver.member = {system::findFunction<Result(*) parameters>(library, #exported), #exported};     \
  if (!driver.member.function)                                                                     \
    missing = #exported;
  SXT_CUDA_FUNCTIONS(SXT_CUDA_LOOKUP)
  if (missing)
    return std::string("the NVIDIA driver is too old: it has no ") + missing;
  SXT_CUDA_LOOP_FUNCTIONS(SXT_CUDA_LOOKUP)
#undef SXT_CUDA_LOOKUP
  if (!missing) {
    driver.api.graphCreate = graphCreate;
    driver.api.addLaunch = addLaunch;
    driver.api.addLoop = addLoop;
  }
  driver.api.resolveGraphs(library, cudaGraphNames);
  driver.api.setNode = setNode;
  driver.api.launchParamEnd = nullptr;
  driver.api.getCurrent = driver.ctxGetCurrent.function;
  driver.api.pushCurrent = driver.ctxPushCurrent.function;
  driver.api.popCurrent = driver.ctxPopCurrent.function;
  driver.api.describe = describe;
  driver.api.loadModule = loadModule;
  driver.api.isForeign = isForeign;
  driver.api.isOthersStream = isOthersStream;
  driver.api.funcSetAttribute = driver.funcSetAttribute;
  driver.api.staticSharedBytes = 48 * 1024;
  if (Result result = driver.init.function(0); result != success)
    return "the NVIDIA driver does not start: " + describe(result);
  if (Result result = driver.driverGetVersion.function(&driver.version); result != success)
    return "the NVIDIA driver does not tell its version: " + describe(result);
  return "";
}

} // namespace

const Driver *Driver::get(std::string &why) { return driver::Found<Driver>::get(load, why); }

} // namespace sextant::loader::cuda
