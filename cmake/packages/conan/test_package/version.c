/* Opens the CPU and says which loader runs. */
#include <sextant/sextant.h>

#include <stdio.h>

int main(void) {
  int major, minor, patch;
  sxt_device *device;
  sxt_version(&major, &minor, &patch);
  printf("sextant %d.%d.%d\n", major, minor, patch);
  if (sxt_device_open("cpu", &device) != SXT_OK) {
    printf("%s\n", sxt_last_error_message());
    return 1;
  }
  sxt_device_release(device);
  return 0;
}
