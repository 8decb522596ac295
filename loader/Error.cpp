// Last-error messages, and the log that SEXTANT_LOG or a callback asks for.
#include "loader/Error.h"
#include "loader/ThreadMemory.h"
#include "loader/system/Environment.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

namespace sextant::loader {
namespace {

/// A short message needs no allocation. The message that memory ran out must be one.
constinit thread_local char shortMessage[256];
constinit thread_local const char *lastError = "";

void setLastError(const char *text) {
  size_t bytes = std::strlen(text) + 1;
  char *to = shortMessage;
  if (bytes > sizeof shortMessage) {
    try {
      to = reinterpret_cast<char *>(threadMemory(Keep::Message, bytes));
    } catch (const std::bad_alloc &) {
      bytes = sizeof shortMessage; // cut off
    }
  }
  std::memmove(to, text, bytes - 1);
  to[bytes - 1] = '\0';
  lastError = to;
}

constinit std::atomic<int> logLevel{-1}; ///< -1: the environment was not asked yet

struct LogReceiver {
  std::mutex mutex;
  sxt_log_callback callback = nullptr;
  void *user = nullptr;

  /// Made by the first call: some systems' mutexes are made by code, and none runs when this
  /// library is loaded.
  static LogReceiver &only() {
    static LogReceiver receiver;
    return receiver;
  }
};

int levelOfEnvironment() {
  static constexpr const char *names[] = {"off", "error", "warning", "info", "debug"};
  const char *text = system::environment("SEXTANT_LOG");
  if (!text)
    return SXT_LOG_OFF;
  for (int level = 0; level < 5; ++level)
    if (std::strcmp(text, names[level]) == 0 || (text[0] == '0' + level && !text[1]))
      return level;
  std::fprintf(stderr, "sextant: SEXTANT_LOG=%s: expected off, error, warning, info or debug\n",
               text);
  return SXT_LOG_WARNING;
}

void emit(sxt_log_level level, const std::string &message) {
  LogReceiver &receiver = LogReceiver::only();
  std::lock_guard lock(receiver.mutex);
  if (receiver.callback)
    receiver.callback(level, message.c_str(), receiver.user);
  else
    std::fprintf(stderr, "sextant: %s\n", message.c_str());
}

void keep(const std::string &message) {
  setLastError(message.c_str());
  if (logs(SXT_LOG_ERROR))
    emit(SXT_LOG_ERROR, message);
}

} // namespace

std::string formatted(const char *format, va_list list) {
  va_list again;
  va_copy(again, list);
  int length = std::vsnprintf(nullptr, 0, format, list);
  std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
  if (length > 0)
    std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

bool logs(sxt_log_level level) noexcept {
  int current = logLevel.load(std::memory_order_relaxed);
  if (current < 0) {
    int asked = levelOfEnvironment();
    // If another thread has set a callback meanwhile, its level stays.
    if (logLevel.compare_exchange_strong(current, asked, std::memory_order_relaxed))
      current = asked;
  }
  return level <= current;
}

void log(sxt_log_level level, const char *format, ...) {
  if (!logs(level))
    return;
  va_list list;
  va_start(list, format);
  std::string message = formatted(format, list);
  va_end(list);
  emit(level, message);
}

sxt_status fail(sxt_status status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  std::string message = formatted(format, list);
  va_end(list);
  keep(message);
  return status;
}

sxt_status fail(const module::Status &error) {
  sxt_status status = SXT_ERROR_BAD_MODULE;
  switch (error.code) {
  case module::Code::Ok:
    return SXT_OK;
  case module::Code::Io:
    status = SXT_ERROR_IO;
    break;
  case module::Code::Unsupported:
    status = SXT_ERROR_MODULE_VERSION;
    break;
  case module::Code::NotFound:
    status = SXT_ERROR_NOT_FOUND;
    break;
  case module::Code::Untrusted:
    status = SXT_ERROR_UNTRUSTED;
    break;
  case module::Code::InvalidInput:
    status = SXT_ERROR_INVALID_ARGUMENT;
    break;
  case module::Code::NotAModule:
  case module::Code::Truncated:
  case module::Code::Corrupt:
  case module::Code::TooLarge:
    break;
  }
  keep(error.message);
  return status;
}

sxt_status failNull(const char *function, const char *parameter) {
  return fail(SXT_ERROR_INVALID_ARGUMENT, "%s: '%s' is null", function, parameter);
}

sxt_status failException() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc &) {
      setLastError("out of memory");
      return SXT_ERROR_OUT_OF_MEMORY;
    } catch (const std::exception &error) {
      keep(std::string("internal error: ") + error.what());
    } catch (...) {
      keep("internal error: an unknown exception");
    }
  } catch (...) {
    setLastError("internal error");
  }
  return SXT_ERROR_INTERNAL;
}

sxt_status callGuarded(sxt_status (*body)(void *context), void *context) noexcept {
  try {
    return body(context);
  } catch (...) {
    return failException();
  }
}

} // namespace sextant::loader

using namespace sextant::loader;

const char *sxt_last_error_message(void) { return lastError; }

void sxt_log_set_callback(sxt_log_callback callback, void *user, sxt_log_level level) {
  LogReceiver &receiver = LogReceiver::only();
  std::lock_guard lock(receiver.mutex);
  receiver.callback = callback;
  receiver.user = callback ? user : nullptr;
  int next = callback ? static_cast<int>(level) : levelOfEnvironment();
  logLevel.store(next < 0 ? 0 : next, std::memory_order_relaxed);
}

void sxt_version(int *major, int *minor, int *patch) {
  if (major)
    *major = SXT_VERSION_MAJOR;
  if (minor)
    *minor = SXT_VERSION_MINOR;
  if (patch)
    *patch = SXT_VERSION_PATCH;
}

const char *sxt_status_name(sxt_status status) {
  static constexpr const char *names[] = {
      "SXT_OK",
      "SXT_ERROR_INVALID_ARGUMENT",
      "SXT_ERROR_OUT_OF_MEMORY",
      "SXT_ERROR_IO",
      "SXT_ERROR_BAD_MODULE",
      "SXT_ERROR_MODULE_VERSION",
      "SXT_ERROR_NOT_FOUND",
      "SXT_ERROR_NO_DEVICE",
      "SXT_ERROR_NO_VARIANT",
      "SXT_ERROR_SIGNATURE",
      "SXT_ERROR_LAUNCH_REFUSED",
      "SXT_ERROR_OUT_OF_RANGE",
      "SXT_ERROR_DEVICE",
      "SXT_ERROR_UNSUPPORTED",
      "SXT_ERROR_NOT_READY",
      "SXT_ERROR_INTERNAL",
      "SXT_ERROR_KERNEL_FAULT",
      "SXT_ERROR_UNTRUSTED",
  };
  auto index = static_cast<unsigned>(status);
  return index < std::size(names) ? names[index] : "SXT_ERROR_UNKNOWN";
}
