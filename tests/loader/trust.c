/* Signed modules from a plain C program, which brings no libsodium: the loader finds the
 * system's. Given "absent", run where there is none to be found. */
#include "sextant/sextant.h"

#include <stdio.h>
#include <string.h>

/* RFC 8032, section 7.1, test 1: what signed tests/module/golden/v1.3-signed.sxt. */
static const sxt_public_key keys[2] = {
    {{0}},
    {{0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe,
      0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6,
      0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a}},
};

static int expect(const char *path, const sxt_public_key *given, size_t count, sxt_status expected,
                  const char *text) {
  sxt_module *module = NULL;
  sxt_module_options options;
  sxt_status status;
  options.struct_size = sizeof options;
  options.public_keys = given;
  options.public_key_count = count;
  status = sxt_module_open_file_with(path, &options, &module);
  if (status != expected || (status != SXT_OK && !strstr(sxt_last_error_message(), text))) {
    fprintf(stderr, "%s: %s where %s '%s' was due: %s\n", path, sxt_status_name(status),
            sxt_status_name(expected), text, sxt_last_error_message());
    return 1;
  }
  sxt_module_release(module);
  return 0;
}

int main(int count, char **values) {
  const char *good = values[1], *unsigned_ = values[2];
  if (count == 4 && strcmp(values[3], "absent") == 0)
    return expect(good, keys, 2, SXT_ERROR_UNTRUSTED,
                  "no signature can be checked without libsodium (") ||
           expect(good, NULL, 0, SXT_OK, "");
  if (count != 3)
    return 2;
  return expect(good, keys, 2, SXT_OK, "") || expect(good, keys + 1, 1, SXT_OK, "") ||
         expect(good, keys, 1, SXT_ERROR_UNTRUSTED, "signed with another key, d75a980182b10ab7") ||
         expect(unsigned_, keys, 2, SXT_ERROR_UNTRUSTED, "it is not signed") ||
         expect(unsigned_, NULL, 0, SXT_OK, "") ||
         expect(good, keys, 0, SXT_ERROR_INVALID_ARGUMENT, "0 public keys") ||
         expect(good, NULL, 1, SXT_ERROR_INVALID_ARGUMENT, "1 public keys");
}
