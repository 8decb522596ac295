/* Runs tasks of images under an emulator. Standard input is a socket: each packet names a folder
   with `image.so` and `data`, which holds the arguments and gets the arrays back (see runEmulated
   in Harness.cpp for the file); the answer is the wait status. The emulator starts once and keeps
   what it translated; each task has a process of its own, so that none can spoil another's memory.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void (*task_fn)(const void *, void *, uint32_t, uint32_t, uint32_t);

static uint32_t word(FILE *file) {
  uint32_t value = 0;
  if (fread(&value, sizeof value, 1, file) != 1)
    exit(2);
  return value;
}

static int run(const char *image, const char *data) {
  static unsigned char block[4096] __attribute__((aligned(16)));
  void *arrays[64];
  uint32_t sizes[64], count, grid, shared, i;
  size_t offset = 0;
  FILE *file = fopen(data, "rb");
  if (!file)
    return 2;
  count = word(file);
  grid = word(file);
  shared = word(file);
  for (i = 0; i < count && i < 64; ++i) {
    uint32_t is_array = word(file);
    sizes[i] = word(file);
    size_t size = is_array ? 8 : sizes[i];
    offset = (offset + size - 1) / size * size;
    arrays[i] = 0;
    if (is_array) {
      arrays[i] = malloc(sizes[i] + 1);
      if (fread(arrays[i], 1, sizes[i], file) != sizes[i])
        return 2;
      memcpy(block + offset, &arrays[i], 8);
    } else if (fread(block + offset, 1, size, file) != size) {
      return 2;
    }
    offset += size;
  }
  fclose(file);
  void *library = dlopen(image, RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  task_fn task = (task_fn)dlsym(library, "task");
  if (!task)
    return 3;
  void *scratch = aligned_alloc(64, (shared + 127) / 64 * 64);
  memset(scratch, 0xa5, shared);
  task(block, scratch, 0, grid / 2, grid);
  task(block, scratch, grid / 2, grid, grid);
  file = fopen(data, "wb");
  for (i = 0; i < count; ++i)
    if (arrays[i])
      fwrite(arrays[i], 1, sizes[i], file);
  return fclose(file) == 0 ? 0 : 2;
}

int main(void) {
  char folder[4096], image[4200], data[4200];
  ssize_t length;
  while ((length = recv(0, folder, sizeof folder - 1, 0)) > 0) {
    int status = 0;
    pid_t child;
    folder[length] = 0;
    snprintf(image, sizeof image, "%s/image.so", folder);
    snprintf(data, sizeof data, "%s/data", folder);
    child = fork();
    if (child == 0)
      _exit(run(image, data));
    if (child < 0 || waitpid(child, &status, 0) != child)
      return 1;
    if (send(0, &status, sizeof status, MSG_NOSIGNAL) != sizeof status)
      return 1;
  }
  return 0;
}
