// Other programs that a command runs.
#include "driver/commands/Process.h"

#include <cerrno>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h> // environ

namespace sextant {

int runProcess(const Environment &environment, const std::vector<std::string> &arguments,
               Problem unusable) {
  std::vector<char *> words;
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str())); // posix_spawn does not write to them
  words.push_back(nullptr);
  environment.out.flush();
  environment.err.flush();

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!environment.directory.empty())
    posix_spawn_file_actions_addchdir_np(&actions, environment.directory.c_str());
  pid_t process = 0;
  const int problem =
      posix_spawnp(&process, words.front(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0)
    throw Refusal(unusable,
                  "'" + arguments.front() + "' cannot be started: " + std::strerror(problem));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace sextant
