#!/usr/bin/env bash
# Checks that every place in loader/format and loader/abi that refuses a file is reached by the tests of malformed
# files: coverage.sh [BUILD-FOLDER]. Builds the module's tests once more, with clang's coverage,
# and fails with the lines that were never run. The tests compare whole messages; this says that
# there is one for each.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-build-coverage}
flags="-fprofile-instr-generate -fcoverage-mapping"
[ -f "$folder/build.ninja" ] || cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DSEXTANT_BUILD_COMPILER=OFF \
  -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS="$flags" >/dev/null
ninja -C "$folder" -j "${SEXTANT_JOBS:-$(nproc)}" sextant-module-tests

tests=$folder/tests/module/sextant-module-tests
LLVM_PROFILE_FILE=$folder/malformed.profraw "$tests" --filenames-as-tags \
  "[#Malformed],[#MalformedPacks],[#MalformedRecords],[#Bombs],[#Files],[#Split],[#Signature],[#Future]" >"$folder/malformed.log" || {
  tail -40 "$folder/malformed.log"
  exit 1
}
llvm-profdata-19 merge -sparse "$folder/malformed.profraw" -o "$folder/malformed.profdata"
# No file can bring about these:
#   fstat of an open file fails; a file changes between the two reads of its header, when it is
#   opened with keys.
unreachable='ioError\("examine"\)|altered\("its header"'
# One file at a time: the export of many would name files only by their paths anyway.
missed=0 sites=0
for source in loader/abi/{LaunchExpr,LaunchExprText}.cpp loader/format/{ByteSource,Check,Decode,Packs,Reader,Split,Trust,Verify,Walk}.cpp; do
  while IFS=: read -r line count; do
    sites=$((sites + 1))
    [ "$count" != 0 ] && continue
    missed=$((missed + 1))
    echo "never run: $source:$line: $(sed -n "${line}{s/^ *//;p}" "$source")"
  done < <(
    llvm-cov-19 export -format=lcov -instr-profile="$folder/malformed.profdata" "$tests" "$source" |
      sed -n 's/^DA:\([0-9]*\),\([0-9]*\)$/\1:\2/p' | sort -t: -k1,1n -u >"$folder/lines"
    # Places that refuse: a status or a sentence is made there.
    grep -nE 'corrupt\(|truncated\(|Status\{Code::|return \{Code::|ioError\("|[^:]fail(Table)?\(|untrusted\(|altered\(|recordTooLarge\(|return pastEnd|return (who \+|")[^"]*' "$source" |
      grep -vE 'return "";|^[0-9]+: *(//|void |(static )?Status (corrupt|truncated|untrusted|altered|recordTooLarge)\(|auto ioError)' |
      grep -vE "$unreachable" | cut -d: -f1 |
      join -t: -1 1 -2 1 <(sort -t: -k1,1 "$folder/lines") <(sort -)
  )
done
echo "$sites places that refuse, $missed never run"
[ "$missed" -eq 0 ]
