// Windows 10 and later, on x86-64. Paths, names and variables are UTF-8 outside, UTF-16 inside.
#include "loader/abi/Stack.h"
#include "loader/system/Environment.h"
#include "loader/system/File.h"
#include "loader/system/Fork.h"
#include "loader/system/Library.h"
#include "loader/system/Memory.h"
#include "loader/system/Thread.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <malloc.h>
#include <mutex>
#include <new>

#define WIN32_LEAN_AND_MEAN
#undef NOMINMAX
#define NOMINMAX
#include <windows.h>

namespace sextant::system {

//===--- Texts -------------------------------------------------------------===//

static std::wstring wide(const std::string &text) {
  const int bytes = static_cast<int>(text.size());
  std::wstring result(
      static_cast<size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, result.data(),
                      static_cast<int>(result.size()));
  return result;
}

static std::string narrow(const std::wstring &text) {
  const int count = static_cast<int>(text.size());
  auto convert = [&](char *to, int bytes) {
    return WideCharToMultiByte(CP_UTF8, 0, text.data(), count, to, bytes, nullptr, nullptr);
  };
  std::string result(static_cast<size_t>(convert(nullptr, 0)), '\0');
  convert(result.data(), static_cast<int>(result.size()));
  return result;
}

/// The system's text of an error, as "The system cannot find the file specified (error 2)".
static std::string reason(DWORD error) {
  wchar_t *text = nullptr;
  const DWORD count = FormatMessageW(
      FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
      nullptr, error, 0, reinterpret_cast<wchar_t *>(&text), 0, nullptr);
  std::string result = count ? narrow(std::wstring(text, count)) : "";
  LocalFree(text);
  while (!result.empty() && std::strchr(".\r\n ", result.back()))
    result.pop_back();
  return result + (result.empty() ? "error " : " (error ") + std::to_string(error) +
         (result.empty() ? "" : ")");
}

static std::string lastReason() { return reason(GetLastError()); }

const char *environment(const char *name) {
  // Variables may change, and callers keep the texts.
  static std::mutex mutex;
  static std::list<std::string> kept;
  const std::wstring key = wide(name);
  std::wstring value(GetEnvironmentVariableW(key.c_str(), nullptr, 0), L'\0');
  const DWORD count =
      GetEnvironmentVariableW(key.c_str(), value.data(), static_cast<DWORD>(value.size()));
  if (count == 0 || count >= value.size()) // unset or empty, or just changed
    return nullptr;
  value.resize(count);
  const std::string text = narrow(value);
  std::lock_guard lock(mutex);
  auto known = std::find(kept.begin(), kept.end(), text);
  return (known != kept.end() ? *known : kept.emplace_back(text)).c_str();
}

std::string perfMap() { return ""; }

//===--- Files -------------------------------------------------------------===//

/// A path as the system's functions take it. Those of 260 characters and more need a prefix.
static std::wstring systemPath(const std::string &path) {
  std::wstring given = wide(path);
  constexpr size_t mostPlain = 247; // for folders; files may have a few more
  if (given.size() <= mostPlain || given.starts_with(L"\\\\"))
    return given;
  std::wstring whole(GetFullPathNameW(given.c_str(), 0, nullptr, nullptr), L'\0');
  whole.resize(
      GetFullPathNameW(given.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr));
  return whole.empty() ? given : L"\\\\?\\" + whole;
}

std::string File::open(const std::string &path) {
  const HANDLE file = CreateFileW(systemPath(path).c_str(), GENERIC_READ,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE)
    return lastReason();
  handle = reinterpret_cast<intptr_t>(file); // closed from now on, whatever happens
  BY_HANDLE_FILE_INFORMATION facts{};
  regular = GetFileType(file) == FILE_TYPE_DISK && GetFileInformationByHandle(file, &facts) &&
            !(facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY);
  length = regular ? uint64_t(facts.nFileSizeHigh) << 32 | facts.nFileSizeLow : 0;
  return "";
}

File::~File() {
  if (isOpen())
    CloseHandle(reinterpret_cast<HANDLE>(handle));
}

std::string File::read(uint64_t offset, std::span<std::byte> to, size_t &got) const {
  for (got = 0; got < to.size();) {
    OVERLAPPED at{};
    at.Offset = static_cast<DWORD>(offset + got);
    at.OffsetHigh = static_cast<DWORD>((offset + got) >> 32);
    DWORD more = 0;
    const auto want = static_cast<DWORD>(std::min<size_t>(to.size() - got, 1 << 30));
    if (!ReadFile(reinterpret_cast<HANDLE>(handle), to.data() + got, want, &more, &at) &&
        GetLastError() != ERROR_HANDLE_EOF)
      return lastReason();
    if (more == 0)
      break;
    got += more;
  }
  return "";
}

static bool writeAll(HANDLE file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    DWORD done = 0;
    const auto want = static_cast<DWORD>(std::min<size_t>(bytes.size(), 1 << 30));
    if (!WriteFile(file, bytes.data(), want, &done, nullptr))
      return false;
    bytes = bytes.subspan(done);
  }
  return true;
}

/// Renames a file over another one. One that somebody has open cannot be replaced at once: it is
/// moved aside first, and is gone when they close it. For that moment, the path names no file.
static bool moveOver(const std::wstring &from, const std::wstring &to) {
  if (MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING))
    return true;
  const DWORD why = GetLastError();
  const std::wstring aside = from + L"-old";
  const DWORD facts = GetFileAttributesW(to.c_str());
  const bool isMoved = facts != INVALID_FILE_ATTRIBUTES && !(facts & FILE_ATTRIBUTE_DIRECTORY) &&
                       MoveFileExW(to.c_str(), aside.c_str(), 0);
  if (isMoved && MoveFileExW(from.c_str(), to.c_str(), 0)) {
    DeleteFileW(aside.c_str());
    return true;
  }
  if (isMoved)
    MoveFileExW(aside.c_str(), to.c_str(), 0);
  SetLastError(why);
  return false;
}

std::string replaceFile(const std::string &path, std::span<const std::byte> head,
                        std::span<const std::byte> body) {
  const std::wstring target = systemPath(path);
  std::wstring temporary;
  HANDLE file = INVALID_HANDLE_VALUE;
  for (unsigned turn = 0; file == INVALID_HANDLE_VALUE && turn < 100; ++turn) {
    temporary = target + L"." + std::to_wstring(GetCurrentProcessId()) + L"-" +
                std::to_wstring(GetCurrentThreadId()) + L"-" + std::to_wstring(turn);
    file = CreateFileW(temporary.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                       FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_EXISTS)
      break;
  }
  if (file == INVALID_HANDLE_VALUE)
    return lastReason();
  std::string why = writeAll(file, head) && writeAll(file, body) ? "" : lastReason();
  CloseHandle(file);
  if (why.empty() && !moveOver(temporary, target))
    why = lastReason();
  if (!why.empty())
    DeleteFileW(temporary.c_str());
  return why;
}

std::string appendToFile(const std::string &, const std::string &) {
  return reason(ERROR_NOT_SUPPORTED); // only perf's map is written so
}

//===--- Libraries ---------------------------------------------------------===//

static constexpr const char *cuda[] = {"nvcuda.dll"};
static constexpr const char *hip[] = {"amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"};
static constexpr const char *vulkan[] = {"vulkan-1.dll"};
static constexpr const char *sodium[] = {"libsodium.dll", "libsodium-26.dll", "libsodium-23.dll"};
static constexpr const char *nvtx[] = {"nvToolsExt64_1.dll"};
static constexpr const char *roctx[] = {"roctx64.dll"};
constinit const LibraryNames libraryNames{cuda, hip, vulkan, sodium, nvtx, roctx, {}};

void *loadedLibrary(Names names) {
  for (const char *name : names)
    if (void *library = GetModuleHandleW(wide(name).c_str()))
      return library;
  return nullptr;
}

/// The folder of the file that this code is in, with its last backslash.
static std::wstring ownFolder() {
  HMODULE own = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                         GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                     reinterpret_cast<const wchar_t *>(&ownFolder), &own);
  std::wstring path(1 << 15, L'\0');
  path.resize(GetModuleFileNameW(own, path.data(), static_cast<DWORD>(path.size())));
  return path.substr(0, path.rfind(L'\\') + 1);
}

/// Libraries are looked for beside the program, in the system's folder and beside the loader: never
/// in the current folder, where a download may lie.
static void *load(const char *name) {
  constexpr DWORD folders = LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
  constexpr DWORD own = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR;
  if (std::strpbrk(name, "\\/"))
    return LoadLibraryExW(systemPath(name).c_str(), nullptr, folders | own);
  void *library = LoadLibraryExW(wide(name).c_str(), nullptr, folders);
  if (!library && GetLastError() == ERROR_MOD_NOT_FOUND)
    library = LoadLibraryExW((ownFolder() + wide(name)).c_str(), nullptr, folders | own);
  return library;
}

void *openLibrary(Names names, std::string &why) {
  bool isTelling = false;
  for (const char *name : names) {
    if (void *library = load(name))
      return library;
    const DWORD error = GetLastError();
    if (error == ERROR_NOT_ENOUGH_MEMORY || error == ERROR_OUTOFMEMORY)
      throw std::bad_alloc();
    // A library that is there and does not load says more than one that is not.
    if (why.empty() || (error != ERROR_MOD_NOT_FOUND && !isTelling)) {
      why = std::string(name) + ": " + reason(error);
      isTelling = error != ERROR_MOD_NOT_FOUND;
    }
  }
  return nullptr;
}

void closeLibrary(void *library) { FreeLibrary(static_cast<HMODULE>(library)); }
void *findSymbol(void *library, const char *name) {
  return reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(library), name));
}
bool mayCallAtUnload() { return false; }

//===--- Memory ------------------------------------------------------------===//

uint64_t pageBytes() {
  static const uint64_t bytes = [] {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
  }();
  return bytes;
}

bool Pages::reserve(uint64_t bytes, uint64_t alignment) {
  constexpr uint64_t granularity = uint64_t(1) << 16; // granularity of the system's addresses
  const uint64_t size = alignment > granularity ? bytes + alignment : bytes;
  void *memory = VirtualAlloc(nullptr, size, MEM_RESERVE, PAGE_NOACCESS);
  if (!memory)
    return false;
  keep(memory, size, alignment);
  return true;
}

bool Pages::commit(uint64_t offset, uint64_t bytes, Access) {
  const PageRange range(first, offset, bytes);
  return VirtualAlloc(range.begin, range.size, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}

std::string Pages::protect(uint64_t offset, uint64_t bytes, Access access) {
  const PageRange range(first, offset, bytes);
  const DWORD bits = access == Access::ReadExecute ? PAGE_EXECUTE_READ
                     : access == Access::ReadWrite ? PAGE_READWRITE
                                                   : PAGE_READONLY;
  DWORD before = 0;
  if (!VirtualProtect(range.begin, range.size, bits, &before))
    return lastReason() + "; allow that by leaving out the process's policy against dynamic code "
                          "(Arbitrary Code Guard)";
  if (access == Access::ReadExecute)
    FlushInstructionCache(GetCurrentProcess(), range.begin, range.size);
  return "";
}

Pages::~Pages() {
  if (mapping)
    VirtualFree(mapping, 0, MEM_RELEASE);
}

void *allocateAligned(uint64_t alignment, uint64_t bytes) {
  return bytes <= PTRDIFF_MAX - alignment ? _aligned_malloc(bytes, alignment) : nullptr;
}
void freeAligned(void *block) { _aligned_free(block); }
void preferHugePages(void *, uint64_t) {} // they need a right that few users have

uint64_t physicalMemory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

//===--- Forks: this system has none ---------------------------------------===//

uint32_t forks() { return 0; }
void watchForks(ForkWatcher &) {}
void forgetForks(ForkWatcher &) {}

//===--- Threads -----------------------------------------------------------===//

unsigned processors() {
  DWORD_PTR own = 0, all = 0;
  // A process in several groups of processors gets zero: then it may use them all.
  if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all) && own != 0)
    return static_cast<unsigned>(__builtin_popcountll(own));
  return std::max<unsigned>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS), 1);
}

struct Thread::Impl {
  HANDLE thread;
  void (*body)(void *);
  void *context;
};

Thread::~Thread() { delete impl; }

bool Thread::start(void (*body)(void *), void *context) {
  // Kernels of images without probes touch their stack in any order, so all of it is committed, not
  // only reserved.
  constexpr SIZE_T stackBytes = abi::taskStack + (SIZE_T(2) << 20);
  impl = new Impl{nullptr, body, context};
  auto run = [](void *given) -> DWORD {
    auto *self = static_cast<Impl *>(given);
    self->body(self->context);
    return 0;
  };
  impl->thread = CreateThread(nullptr, stackBytes, run, impl, 0, nullptr);
  if (impl->thread)
    return true;
  delete impl;
  impl = nullptr;
  return false;
}

void Thread::join() {
  if (!impl)
    return;
  WaitForSingleObject(impl->thread, INFINITE);
  CloseHandle(impl->thread);
}

void nameThread(const char *name) {
  using Set = HRESULT(WINAPI *)(HANDLE, const wchar_t *); // since Windows 10 1607
  static constexpr const char *name32 = "kernel32.dll";
  void *kernel = loadedLibrary({&name32, 1});
  if (auto set = kernel ? findFunction<Set>(kernel, "SetThreadDescription") : nullptr)
    (void)set(GetCurrentThread(), wide(name).c_str());
}

/// Touches the stack's pages from here downward, one after another, so that the system commits
/// them: code of images without probes may touch a lower one first.
[[gnu::noinline]] static void touchStack(uintptr_t down) {
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  for (const uintptr_t end = here - down; here > end; here -= pageBytes()) {
    auto *page = reinterpret_cast<volatile char *>(here - pageBytes());
    *page = *page;
  }
}

bool hasStack(size_t bytes) {
  struct Bounds {
    uintptr_t begin = 0, end = 0, touched = UINTPTR_MAX;
  };
  static thread_local Bounds bounds;
  if (!bounds.end) {
    ULONG_PTR low = 0, high = 0;
    GetCurrentThreadStackLimits(&low, &high);
    bounds.begin = low + (uintptr_t(64) << 10); // guard pages, and room to report an overflow
    bounds.end = high;
  }
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here >= bounds.end || here <= bounds.begin || here - bounds.begin < bytes)
    return false;
  if (here - bytes < bounds.touched) {
    touchStack(bytes);
    bounds.touched = here - bytes;
  }
  return true;
}

void sleepWhile(const std::atomic<uint32_t> &word, uint32_t value) {
  while (word.load() == value)
    WaitOnAddress(const_cast<std::atomic<uint32_t> *>(&word), &value, sizeof value, INFINITE);
}
void wakeOne(std::atomic<uint32_t> &word) { WakeByAddressSingle(&word); }

ThreadKey::ThreadKey(void (*atEnd)(void *)) {
  const DWORD made = FlsAlloc(reinterpret_cast<PFLS_CALLBACK_FUNCTION>(atEnd));
  usable = made != FLS_OUT_OF_INDEXES;
  key = made;
}
ThreadKey::~ThreadKey() {
  if (usable)
    FlsFree(key);
  usable = false;
}
bool ThreadKey::set(void *value) { return usable && FlsSetValue(key, value); }

} // namespace sextant::system
