#!/bin/sh
# count.sh SEXTANT FILE TARGET MODULE: compiles the kernels of FILE for TARGET into MODULE, and
# prints a line a kernel: how many PTX instructions of each kind it has, those of which it has any.
#
#   shfl      moves between lanes
#   vote      votes and ballots
#   redux     reductions of the warp; match: searches for equal values
#   real      additions, products, minima and maxima of reals
#   bar       block barriers, those that reduce among them; warp: barriers of the warp
#   fence     memory barriers
#   shared    loads from and stores to shared memory
#   atom      atomics, on either memory; cas: compare-and-swaps among them
#   bytes     of shared memory that a block has
set -eu
"$1" compile "$2" -o "$4" --targets "$3" -j 1
for kernel in $(sed -n '/^@qd.kernel/{n;s/^def \([a-z0-9_]*\).*/\1/p;}' "$2"); do
  "$1" disasm "$4" -k "$kernel" | awk -v kernel="$kernel" '
    $1 == ".shared" { sub(/.*\[/, ""); sub(/\].*/, ""); bytes += $0; next }
    { name = $1 ~ /^@/ ? $2 : $1 }
    name ~ /^shfl/ { shfl++ }
    name ~ /^vote/ { vote++ }
    name ~ /^redux/ { redux++ }
    name ~ /^match/ { match_++ }
    name ~ /^(add|sub|mul|fma|min|max)\..*f(16|32|64)/ { real++ }
    name ~ /^(bar|barrier)\.(cta\.)?(sync|red)/ { bar++ }
    name ~ /^bar.warp/ { warp++ }
    name ~ /^(membar|fence)/ { fence++ }
    name ~ /^(ld|st)\.(volatile\.)?shared/ { shared++ }
    name ~ /^(atom|red)\./ { atom++ }
    name ~ /\.cas\./ { cas++ }
    function show(what, count) { if (count) line = line " " what " " count }
    END {
      line = kernel ":"
      show("shfl", shfl); show("vote", vote); show("redux", redux); show("match", match_)
      show("real", real); show("bar", bar); show("warp", warp); show("fence", fence)
      show("shared", shared); show("atom", atom); show("cas", cas); show("bytes", bytes)
      print line
    }'
done
