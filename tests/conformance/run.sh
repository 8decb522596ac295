#!/bin/sh
# run.sh RESULTS COMMAND…: the command; where it says by status 77 that there is nothing to
# run on, RESULTS keeps its reason.
results=$1
shift
rm -f "$results"
log=$results.log
"$@" >"$log" 2>&1
status=$?
cat "$log"
[ $status -ne 77 ] || printf 'absent\t%s\n' "$(tail -n 1 "$log" | sed 's/^skipped: //')" >"$results"
rm -f "$log"
exit $status
