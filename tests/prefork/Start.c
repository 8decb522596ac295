/* `sextant` in the processes under sextant-prefork (Prefork.cpp): asks it for a process with this
   one's command line, environment, folder and standard streams, and ends as that does. */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void fail(const char *what) {
  perror(what);
  exit(127);
}

static void append(char **words, uint32_t *used, const char *word) {
  const size_t size = strlen(word) + 1;
  *words = realloc(*words, *used + size);
  if (!*words)
    fail("sextant: memory");
  memcpy(*words + *used, word, size);
  *used += (uint32_t)size;
}

static void send_request(int connection, int count, char **values) {
  char *words = NULL;
  uint32_t head[2] = {(uint32_t)count, 0};
  for (int i = 0; i < count; ++i)
    append(&words, &head[1], values[i]);
  for (char **each = environ; *each; ++each)
    if (strncmp(*each, "PREFORK_SOCKET=", 15) != 0)
      append(&words, &head[1], *each);
  const int descriptors[4] = {0, 1, 2, open(".", O_RDONLY | O_DIRECTORY)};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {0};
  struct iovec part = {head, sizeof head};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *carried = CMSG_FIRSTHDR(&message);
  carried->cmsg_level = SOL_SOCKET;
  carried->cmsg_type = SCM_RIGHTS;
  carried->cmsg_len = CMSG_LEN(sizeof descriptors);
  memcpy(CMSG_DATA(carried), descriptors, sizeof descriptors);
  if (sendmsg(connection, &message, 0) != (ssize_t)sizeof head)
    fail("sextant: asking sextant-prefork");
  for (uint32_t sent = 0; sent < head[1];) {
    const ssize_t more = write(connection, words + sent, head[1] - sent);
    if (more <= 0)
      fail("sextant: asking sextant-prefork");
    sent += (uint32_t)more;
  }
}

int main(int count, char **values) {
  const char *name = getenv("PREFORK_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!name || strlen(name) > sizeof address.sun_path - 2) {
    fprintf(stderr, "%s: this runs under sextant-prefork, and PREFORK_SOCKET does not name one\n",
            values[0]);
    return 127;
  }
  memcpy(address.sun_path + 1, name, strlen(name));
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
  if (connect(connection, (struct sockaddr *)&address, size) != 0)
    fail("sextant: sextant-prefork");
  send_request(connection, count, values);
  int status = 0;
  if (read(connection, &status, sizeof status) != (ssize_t)sizeof status)
    fail("sextant: sextant-prefork says nothing");
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  const struct rlimit none = {0, 0}; /* the other process has left what there is to see */
  setrlimit(RLIMIT_CORE, &none);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 127;
}
