#!/bin/sh
# As a compiler launcher: notes the command in the file that comes first, and runs the rest.
log=$1
shift
[ "$STEPS" = yes ] || exit 9
echo "$*" >>"$log"
exec "$@"
