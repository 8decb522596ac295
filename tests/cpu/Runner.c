/* Runs a task of an image under an emulator: reads the arguments from a file and
   writes its arrays back (see runEmulated in Harness.cpp for the file). */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*task_fn)(const void *, void *, uint32_t, uint32_t, uint32_t);

static uint32_t word(FILE *file) {
  uint32_t value = 0;
  if (fread(&value, sizeof value, 1, file) != 1)
    exit(2);
  return value;
}

int main(int argc, char **argv) {
  static unsigned char block[4096] __attribute__((aligned(16)));
  void *arrays[64];
  uint32_t sizes[64], count, grid, shared, i;
  size_t offset = 0;
  if (argc != 3)
    return 2;
  FILE *file = fopen(argv[2], "rb");
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
  void *library = dlopen(argv[1], RTLD_NOW);
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
  file = fopen(argv[2], "wb");
  for (i = 0; i < count; ++i)
    if (arrays[i])
      fwrite(arrays[i], 1, sizes[i], file);
  return fclose(file) == 0 ? 0 : 2;
}
