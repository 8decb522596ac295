# A Debian 12 with nothing else in it, in a folder: for sourcing by scripts that try packages or wheels in one. As root.

# Fetches it once: bare_debian ROOT [OPTION of debootstrap…]. An interrupted debootstrap leaves no mark, and begins again.
bare_debian() {
  local root=$1
  shift
  [ -e "$root/ready" ] || {
    rm -rf "$root"
    debootstrap --variant=minbase "$@" bookworm "$root" >"$root.log" && touch "$root/ready"
  }
  rm -rf "$root/try"
  mkdir "$root/try"
}

# Runs a command of a shell in it, with only these variables: in_bare ROOT COMMAND NAME=VALUE…. The loader needs /proc,
# which is mounted only for these processes.
in_bare() {
  local root=$1 command=$2
  shift 2
  unshare --mount sh -ec 'mount --rbind /proc "$1/proc" && exec chroot "$@"' - \
    "$root" /usr/bin/env -i "$@" sh -ec "$command"
}
