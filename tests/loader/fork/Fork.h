// A child of a fork that tells the test what went wrong in it.
#pragma once

#include "tests/loader/TestModule.h"

#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace sextant::test {

/// The results that a child notes.
class Notes {
public:
  /// Notes the text unless `holds`.
  void expect(bool holds, const std::string &text) {
    if (!holds)
      problems += text + " (" + message() + ")\n";
  }
  std::string problems;
};

/// Forks. Returns what the child noted, or how it ended. A child that hangs is ended.
/// \param end std::exit, with the parent's static objects, or _exit
template <class Body> std::string inChild(Body body, void (*end)(int) = std::exit) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(20);
    Notes notes;
    body(notes);
    (void)!write(ends[1], notes.problems.data(), notes.problems.size());
    end(0);
  }
  close(ends[1]);
  std::string noted;
  char part[512];
  for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;)
    noted.append(part, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (status != 0)
    noted += WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM
                 ? "the child hung\n"
                 : "the child ended with status " + std::to_string(status) + "\n";
  return noted;
}

} // namespace sextant::test
