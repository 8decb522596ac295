#!/bin/sh
# A hook of git: the commit message in file $1 has a subject of 72 characters at most, and a body after an empty line.
subject=$(sed -n 1p "$1")
if [ "${#subject}" -gt 72 ]; then
  echo "the subject has ${#subject} characters; 72 are the most" >&2
  exit 1
fi
if [ -n "$(sed -n 2p "$1")" ] || ! sed 1,2d "$1" | grep -qv '^\(#.*\)\?$'; then
  echo "after the subject comes an empty line, and then a body that says why" >&2
  exit 1
fi
