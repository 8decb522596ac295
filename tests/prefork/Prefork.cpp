// sextant-prefork COMMAND…: runs the command, in whose processes the program `sextant` beside this
// one (Start.c) starts the real one's main() by a fork of this process, which is linked already.
// Ends as the command does.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

int sextantMain(int count, char **values); // main() of driver/main.cpp

namespace {

[[noreturn]] void fail(const char *what) {
  std::perror(what);
  std::_Exit(127);
}

/// Reads a request: descriptors of the standard streams and of the folder, then `count` words,
/// `arguments` of which are the command line; the others are the environment.
struct Request {
  int descriptors[4] = {-1, -1, -1, -1};
  uint32_t arguments = 0;
  std::vector<char> bytes; ///< the words, each with its zero

  explicit Request(int connection) {
    uint32_t head[2]; // the number of arguments, and of bytes
    iovec part{head, sizeof head};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(connection, &message, MSG_WAITALL) != ssize_t(sizeof head))
      fail("sextant-prefork: no request");
    const cmsghdr *carried = CMSG_FIRSTHDR(&message);
    if (!carried || carried->cmsg_len != CMSG_LEN(sizeof descriptors))
      fail("sextant-prefork: no descriptors");
    std::memcpy(descriptors, CMSG_DATA(carried), sizeof descriptors);
    arguments = head[0];
    bytes.resize(head[1]);
    for (size_t have = 0; have < bytes.size();) {
      const ssize_t more = read(connection, bytes.data() + have, bytes.size() - have);
      if (more <= 0)
        fail("sextant-prefork: a request ends early");
      have += size_t(more);
    }
  }
};

/// Becomes the process that the request asks for.
[[noreturn]] void serve(int connection) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  static Request request(connection); // static: the environment's words live as long as the process
  if (fchdir(request.descriptors[3]) != 0)
    fail("sextant-prefork: the folder");
  for (int stream = 0; stream < 3; ++stream)
    dup2(request.descriptors[stream], stream);
  for (const int descriptor : request.descriptors)
    close(descriptor);
  close(connection);
  std::vector<char *> values;
  clearenv();
  uint32_t index = 0;
  for (char *word = request.bytes.data(), *end = word + request.bytes.size(); word != end;
       ++index) {
    if (index < request.arguments)
      values.push_back(word);
    else
      putenv(word);
    word += std::strlen(word) + 1;
  }
  values.push_back(nullptr);
  std::exit(sextantMain(int(request.arguments), values.data()));
}

int listening(const std::string &name) {
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX; // a name that begins with a zero stands in no folder
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(listener, reinterpret_cast<sockaddr *>(&address), size) != 0 ||
      listen(listener, 64) != 0)
    fail("sextant-prefork: the socket");
  return listener;
}

} // namespace

int main(int count, char **values) {
  if (count < 2)
    return 127;
  // All symbols are looked up once, and not by each fork those that it calls.
  if (!std::getenv("LD_BIND_NOW")) {
    setenv("LD_BIND_NOW", "1", 1);
    execv("/proc/self/exe", values);
    fail("sextant-prefork");
  }
  unsetenv("LD_BIND_NOW");
  const std::string name = "sextant-prefork-" + std::to_string(getpid());
  const int listener = listening(name);
  setenv("PREFORK_SOCKET", name.c_str(), 1);
  // A child's end interrupts accept().
  sigset_t endOfChild, before;
  sigemptyset(&endOfChild);
  sigaddset(&endOfChild, SIGCHLD);
  sigprocmask(SIG_BLOCK, &endOfChild, &before);
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigaction(SIGCHLD, &action, nullptr);
  const pid_t command = fork();
  if (command == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execvp(values[1], values + 1);
    fail(values[1]);
  }
  std::map<pid_t, int> connections; // on which a process's end is told
  for (;;) {
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended == command)
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      const int connection = connections[ended];
      (void)!write(connection, &status, sizeof status);
      close(connection);
      connections.erase(ended);
    }
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(listener, &readable);
    if (pselect(listener + 1, &readable, nullptr, nullptr, nullptr, &before) < 1)
      continue;
    const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0)
      continue;
    const pid_t child = fork();
    if (child == 0) {
      action.sa_handler = SIG_DFL;
      sigaction(SIGCHLD, &action, nullptr);
      sigprocmask(SIG_SETMASK, &before, nullptr);
      serve(connection);
    }
    connections[child] = connection;
  }
}
