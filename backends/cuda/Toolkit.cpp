// Finds and runs the toolkit's programs, as subprocesses on temporary files.
#include "backends/cuda/Toolkit.h"
#include "backends/Errors.h"

#include "backends/common/Codegen.h"
#include "backends/common/Variables.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace sextant;

//===--- Finding -----------------------------------------------------------===//

/// The toolkit's folders in the order of preference, without PATH.
static std::vector<std::string> toolkitRoots() {
  std::vector<std::string> roots;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> root = environmentVariable(name))
      roots.push_back(*root);
  roots.push_back("/usr/local/cuda");
  return roots;
}

static std::string joinPath(StringRef root, const Twine &rest) {
  SmallString<256> path(root);
  sys::path::append(path, rest);
  return std::string(path);
}

/// The variable that may name the only `program` to use, or "".
static StringRef chooserOf(StringRef program) {
  return StringSwitch<StringRef>(program)
      .Case("ptxas", "SEXTANT_PTXAS")
      .Case("fatbinary", "SEXTANT_FATBINARY")
      .Default("");
}

std::string sextant::findCudaProgram(StringRef name) {
  if (StringRef chooser = chooserOf(name); !chooser.empty())
    if (std::optional<std::string> chosen = environmentVariable(chooser))
      return sys::fs::can_execute(*chosen) ? *chosen : "";
  if (ErrorOr<std::string> found = sys::findProgramByName(name))
    return *found;
  for (const std::string &root : toolkitRoots())
    if (std::string path = joinPath(root, "bin/" + name); sys::fs::can_execute(path))
      return path;
  return "";
}

static constexpr const char *searchPlaces =
    "on PATH, in $CUDA_HOME, $CUDA_PATH and /usr/local/cuda";

std::string sextant::cudaProgramMissing(StringRef name) {
  if (StringRef chooser = chooserOf(name); !chooser.empty())
    if (std::string problem = chosenInVain(chooser, "run"); !problem.empty())
      return problem;
  return (name + " not found " + searchPlaces).str();
}

const MemoryBuffer *sextant::libdevice() {
  static const std::unique_ptr<MemoryBuffer> contents = [] {
    if (std::optional<std::string> chosen = environmentVariable("SEXTANT_LIBDEVICE"))
      return readToolFile(*chosen);
    std::vector<std::string> roots;
    // Beside the ptxas that would be used first: <root>/bin/ptxas.
    if (std::string ptxas = findCudaProgram("ptxas"); !ptxas.empty()) {
      SmallString<256> real;
      if (!sys::fs::real_path(ptxas, real))
        roots.push_back(sys::path::parent_path(sys::path::parent_path(real)).str());
    }
    for (std::string &root : toolkitRoots())
      roots.push_back(std::move(root));
    roots.push_back("/usr/lib/nvidia-cuda-toolkit");
    for (const std::string &root : roots)
      for (const char *place : {"nvvm/libdevice/libdevice.10.bc", "libdevice/libdevice.10.bc"})
        if (std::unique_ptr<MemoryBuffer> file = readToolFile(joinPath(root, place)))
          return file;
    return std::unique_ptr<MemoryBuffer>();
  }();
  return contents.get();
}

std::string sextant::libdeviceMissing() {
  if (std::string problem = chosenInVain("SEXTANT_LIBDEVICE", "read"); !problem.empty())
    return "libdevice.10.bc of the CUDA toolkit; " + problem;
  return "libdevice.10.bc of the CUDA toolkit, which was not found in $CUDA_HOME, $CUDA_PATH or "
         "/usr/local/cuda; install the toolkit, or set CUDA_HOME to where it is";
}

//===--- Running -----------------------------------------------------------===//

namespace {

/// A temporary file that is deleted with this object.
struct TempFile {
  SmallString<128> path;
  static Expected<TempFile> make(StringRef suffix) {
    TempFile file;
    if (std::error_code error = sys::fs::createTemporaryFile("sextant", suffix, file.path))
      return fail("cannot make a temporary file: " + error.message());
    return file;
  }
  TempFile() = default;
  TempFile(TempFile &&other) noexcept : path(std::move(other.path)) { other.path.clear(); }
  TempFile &operator=(TempFile &&) = delete;
  ~TempFile() {
    if (!path.empty())
      (void)sys::fs::remove(path);
  }
  std::string text() const {
    auto file = MemoryBuffer::getFile(path);
    return file ? (*file)->getBuffer().str() : "";
  }
  Error write(StringRef bytes) const { return writeTemp(std::string(path), bytes); }
};

struct RunResult {
  int status = 0;
  std::string output; ///< stdout and stderr
};

} // namespace

static Expected<RunResult> run(ArrayRef<StringRef> command) {
  Expected<TempFile> log = TempFile::make("log");
  if (!log)
    return log.takeError();
  std::optional<StringRef> redirects[] = {StringRef(""), log->path.str(), log->path.str()};
  std::string error;
  RunResult result;
  result.status =
      sys::ExecuteAndWait(command.front(), command, std::nullopt, redirects, 0, 0, &error);
  if (!error.empty())
    return fail("cannot run " + command.front() + ": " + error);
  result.output = log->text();
  return result;
}

Expected<PtxasResult> sextant::runPtxas(const PtxasRequest &request) {
  Expected<TempFile> output = TempFile::make("cubin");
  if (!output)
    return output.takeError();
  std::string level = "-O" + std::to_string(request.optLevel);
  SmallVector<StringRef> command{request.program, "-v", level,       "-arch",
                                 request.arch,    "-o", output->path};
  if (request.lineInfo)
    command.push_back("-lineinfo");
  std::vector<TempFile> inputs;
  inputs.reserve(request.texts.size()); // the command refers to their paths
  for (StringRef text : request.texts) {
    Expected<TempFile> input = TempFile::make("ptx");
    if (!input)
      return input.takeError();
    if (Error error = input->write(text))
      return std::move(error);
    inputs.push_back(std::move(*input));
    command.push_back(inputs.back().path);
  }
  Expected<RunResult> done = run(command);
  if (!done)
    return done.takeError();
  if (done->status != 0) {
    // Only the lines that ptxas calls errors, without the temporary file's name.
    std::string errors;
    for (StringRef line : split(done->output, '\n'))
      if (line.contains("error") || line.contains("fatal"))
        errors += "\n  " + line.str();
    if (errors.empty())
      errors = "\n  " + done->output;
    for (TempFile &input : inputs)
      for (size_t at; (at = errors.find(input.path.c_str())) != std::string::npos;)
        errors.replace(at, input.path.size(), "ptx");
    return fail("ptxas refused the code for " + request.arch + " (status " + Twine(done->status) +
                "):" + errors);
  }
  auto cubin = MemoryBuffer::getFile(output->path);
  if (!cubin)
    return fail("ptxas made no file: " + cubin.getError().message());
  PtxasResult result;
  result.cubin.assign((*cubin)->getBufferStart(), (*cubin)->getBufferEnd());
  result.log = std::move(done->output);
  return result;
}

Expected<std::string> sextant::makeFatbin(ArrayRef<FatbinImage> images) {
  const std::string program = findCudaProgram("fatbinary");
  if (program.empty())
    return fail(cudaProgramMissing("fatbinary") +
                "; it comes with the CUDA toolkit (package cuda-nvcc); $SEXTANT_FATBINARY may name "
                "it");
  Expected<TempFile> output = TempFile::make("fatbin");
  if (!output)
    return output.takeError();
  std::vector<TempFile> inputs;
  std::vector<std::string> words = {program, "--64", "--create=" + output->path.str().str()};
  for (const FatbinImage &image : images) {
    // The path becomes part of an option, where a comma would begin the next one.
    const StringRef number = image.arch.split('_').second;
    if (number.empty() || !llvm::all_of(number, llvm::isAlnum))
      return fail("'" + image.arch + "' is not a CUDA architecture");
    Expected<TempFile> input = TempFile::make(image.isPtx ? "ptx" : "cubin");
    if (!input)
      return input.takeError();
    if (Error error = input->write({image.bytes.data(), image.bytes.size()}))
      return std::move(error);
    words.push_back(("--image3=kind=" + StringRef(image.isPtx ? "ptx" : "elf") + ",sm=" + number +
                     ",file=" + input->path)
                        .str());
    inputs.push_back(std::move(*input));
  }
  Expected<RunResult> done = run(SmallVector<StringRef>(words.begin(), words.end()));
  if (!done)
    return done.takeError();
  if (done->status != 0)
    return fail("fatbinary failed (status " + Twine(done->status) + "): " + done->output);
  return output->text();
}

//===--- ptxas's log -------------------------------------------------------===//

/// The number before `words` in `line`, or -1.
static int numberBefore(StringRef line, StringRef words) {
  size_t at = line.find(words);
  if (at == StringRef::npos)
    return -1;
  StringRef before = line.take_front(at).rtrim();
  int number;
  return before.substr(before.find_last_of(" ,") + 1).getAsInteger(10, number) ? -1 : number;
}

void sextant::readResources(StringRef log, MutableArrayRef<TaskResources> tasks) {
  TaskResources *task = nullptr;
  for (StringRef line : split(log, '\n')) {
    if (line.contains("Compiling entry function")) {
      StringRef name = line.split('\'').second.split('\'').first;
      auto *found = llvm::find_if(tasks, [&](const TaskResources &t) { return t.task == name; });
      task = found == tasks.end() ? nullptr : found;
    }
    if (!task)
      continue;
    if (int bytes = numberBefore(line, "bytes stack frame"); bytes >= 0) {
      task->stackBytes = bytes;
      task->spillBytes = std::max(numberBefore(line, "bytes spill stores"), 0) +
                         std::max(numberBefore(line, "bytes spill loads"), 0);
    }
    if (int registers = numberBefore(line, "registers"); registers >= 0) {
      task->registers = registers;
      task->sharedBytes = std::max(numberBefore(line, "bytes smem"), 0);
    }
  }
}

Expected<std::string> sextant::disassembleCubin(ArrayRef<char> cubin) {
  std::string program = findCudaProgram("nvdisasm");
  bool isNvdisasm = !program.empty();
  if (!isNvdisasm)
    program = findCudaProgram("cuobjdump");
  if (program.empty())
    return fail("neither nvdisasm nor cuobjdump found " + Twine(searchPlaces) +
                "; they come with the CUDA toolkit (packages cuda-nvdisasm and cuda-cuobjdump); "
                "`sextant extract` writes the cubin for use elsewhere");
  Expected<TempFile> input = TempFile::make("cubin");
  if (!input)
    return input.takeError();
  if (Error error = input->write(StringRef(cubin.data(), cubin.size())))
    return std::move(error);
  SmallVector<StringRef> command{program};
  if (!isNvdisasm)
    command.push_back("-sass");
  command.push_back(input->path);
  Expected<RunResult> done = run(command);
  if (!done)
    return done.takeError();
  if (done->status != 0)
    return fail(program + " failed: " + done->output);
  return std::move(done->output);
}
