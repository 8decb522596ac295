#!/bin/sh
# shown.sh <LOG: of gdb's output, values, frames of the kernel and source lines; not addresses, threads, or the loader's
# frames.
grep -E '^(\[|\$|#.*kernels\.py|[a-z_]+ = |[0-9]+	|.*Error)' |
  grep -Ev '^\[(New Thread|Thread |Switching to |Inferior )' | sed 's/0x[0-9a-f]* in //'
