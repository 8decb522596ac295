# The lines of AMDSIM_STATS=1, ours and the peer's in turn, as rows of a table: how many instructions
# the waves of each launch executed, and theirs over ours.
/^amdsim: .* wave instructions/ {
  name = $2; sub(/(_t[0-9]+)?:$/, "", name)
  if (name != last) { ours = $5; last = name; next }
  printf "| %-13s | %9d | %9d | %.2f |\n", name, ours, $5, $5 / ours
  last = ""
}
