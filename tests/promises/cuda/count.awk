# How many PTX instructions of each kind a kernel has, those of which it has any
# (count.sh).
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
BEGIN { bytes = 0 } # counts what the text says
$1 == ".shared" { sub(/.*\[/, ""); sub(/\].*/, ""); bytes += $0; next }
# A line of inline assembly has several.
{ count = split($0, statements, ";"); for (i = 1; i <= count; i++) look(statements[i]) }
function look(text,  words, name) {
  sub(/^[ \t{]+/, "", text)
  split(text, words, /[ \t]+/)
  name = words[1] ~ /^@/ ? words[2] : words[1]
  if (name ~ /^shfl/) shfl++
  if (name ~ /^vote/) vote++
  if (name ~ /^redux/) redux++
  if (name ~ /^match/) match_++
  if (name ~ /^(add|sub|mul|fma|min|max)\..*f(16|32|64)/) real++
  if (name ~ /^(bar|barrier)\.(cta\.)?(sync|red)/) bar++
  if (name ~ /^bar.warp/) warp++
  if (name ~ /^(membar|fence)/) fence++
  if (name ~ /^(ld|st)\.(volatile\.)?shared/) shared++
  if (name ~ /^(atom|red)\./) atom++
  if (name ~ /\.cas\./) cas++
}
function show(what, number) { if (number) line = line " " what " " number }
END {
  line = kernel ":"
  show("shfl", shfl); show("vote", vote); show("redux", redux); show("match", match_)
  show("real", real); show("bar", bar); show("warp", warp); show("fence", fence)
  show("shared", shared); show("atom", atom); show("cas", cas); show("bytes", bytes)
  print line
}
