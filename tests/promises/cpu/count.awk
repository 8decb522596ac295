# How often each x86 instruction that `pattern` matches stands in a kernel's code, in the order of
# their names; then the word `stack` if the code works on memory there, and the bytes of shared
# memory that a block has, if any (count.sh). A prefix `lock` is part of the
# instruction's name.
!/^ *[0-9a-f]+:/ { next }
{ sub(/^ *[0-9a-f]+:[ \t]*/, "") }
$1 == "lock" && NF == 1 { prefix = "lock "; next }
$1 == "lock" { prefix = "lock "; $1 = $2 }
/\[rsp/ { stack = 1 }
{
  name = prefix $1
  prefix = ""
  if (name ~ "^(" pattern ")")
    counts[name]++
}
END {
  line = kernel ":"
  for (name in counts)
    names[++size] = name
  for (i = 2; i <= size; i++) # sorted by name
    for (j = i; j > 1 && names[j - 1] > names[j]; j--) {
      name = names[j]; names[j] = names[j - 1]; names[j - 1] = name
    }
  for (i = 1; i <= size; i++)
    line = line (i > 1 ? "," : "") " " counts[names[i]] " " names[i]
  if (stack)
    line = line (size++ ? "," : "") " stack"
  if (bytes)
    line = line (size ? "," : "") " bytes " bytes
  print line
}
