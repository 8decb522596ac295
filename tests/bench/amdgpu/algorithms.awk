# amdsim's trace between the lines of bench-amdgpu-algorithms, as rows of a table. -v wave=64 are the lanes of a wave.
# Ours and rocPRIM's are per element: the instructions of waves, times their lanes, over the elements; then those that
# access global memory; then those of LDS.
function flush() {
  if (whose == "") return
  scale = wave / elements
  if (whose == "sextant") { all = count * scale; memory = global * scale; shared = lds * scale; return }
  printf "| %-18s | %7.2f | %7.2f | %.2f | %6.2f | %6.2f | %6.2f | %6.2f |\n", name, all, count * scale,
    count * scale / all, memory, global * scale, shared, lds * scale
}
/^turn / {
  flush()
  elements = $2; whose = $3; name = $4 ($5 == "" ? "" : " " $5)
  count = global = lds = 0
  next
}
/^\[/ {
  ++count
  if ($5 ~ /^(global|flat|buffer|scratch)_/) ++global
  else if ($5 ~ /^ds_/) ++lds
  next
}
!/^amdsim/ { print > "/dev/stderr" }
END { flush() }
