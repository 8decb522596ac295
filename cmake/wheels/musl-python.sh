#!/usr/bin/env bash
# Makes a Python over musl, to try wheels with, since Debian has none: musl-python.sh MACHINE FOLDER COMPILER…
# Prints where the interpreter is. Without sources it says why not, and ends with status 3.
#
# It is Debian's source of Python 3.11, with zlib for pip, compiled by Zig (COMPILER: its command, without `cc`). It runs
# from the folder that it is built in. Its modules are part of the program; ctypes, ssl and sqlite3 are left out.
set -euo pipefail
machine=$1 folder=$2
shift 2
mkdir -p "$folder/sources" "$folder/lists/partial" "$folder/$machine/zlib"
folder=$(realpath "$folder")
here=$folder/$machine
if [ -e "$here/ready" ]; then
  echo "$here/python"
  exit
fi

# The sources are of the machine's own mirror, whose list of sources apt does not have as a rule. The updates' list is
# left out, as a mirror may lag it.
fetch() {
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Label: Debian' 'Codename: bookworm' | sort -u >"$folder/sources.list"
  local apt=(apt-get -qq -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::State::lists="$folder/lists" -o APT::Sandbox::User=root)
  [ -s "$folder/sources.list" ] || { echo "its lists are not of Debian 12" && return 1; }
  cd "$folder/sources" && "${apt[@]}" update --error-on=any &&
    "${apt[@]}" source --download-only --tar-only python3.11 zlib
}
if [ ! -e "$folder/sources/ready" ]; then
  if ! (fetch) >"$folder/fetch.log" 2>&1; then
    echo "apt has no sources of python3.11 and zlib here: $(tail -1 "$folder/fetch.log")"
    exit 3
  fi
  for name in python3.11 zlib; do
    tar -xf "$folder/sources/$name"_*.orig.tar.* --one-top-level="$folder/sources/$name" --strip-components=1
  done
  touch "$folder/sources/ready"
fi

build() {
  cd "$here/zlib"
  "$@" cc -target "$machine-linux-musl" -w -O2 -DHAVE_UNISTD_H -c "$folder"/sources/zlib/*.c
  "$@" ar rcs libz.a ./*.o
  cd "$here"
  # The musl that it runs with is Debian's, without preadv2 and pwritev2, which Zig's newer one has, and without crypt.
  # Python names its modules for musl where the build machine is one of musl, so that is what configure is told.
  MODULE_BUILDTYPE=static "$folder/sources/python3.11/configure" -q --host="$machine-linux-musl" \
    --build=x86_64-build-linux-musl --with-build-python=/usr/bin/python3.11 --disable-test-modules \
    --without-ensurepip --disable-ipv6 ac_cv_file__dev_ptmx=no ac_cv_file__dev_ptc=no \
    ac_cv_func_preadv2=no ac_cv_func_pwritev2=no \
    CC="$* cc -target $machine-linux-musl -dynamic" CXX="$* c++ -target $machine-linux-musl" AR="$* ar" \
    RANLIB="$* ranlib" READELF="$(command -v readelf)" PKG_CONFIG=false OPT=-O2 CPPFLAGS=-w \
    ZLIB_CFLAGS="-I$folder/sources/zlib" ZLIB_LIBS="-L$here/zlib -lz"
  grep -v '^_crypt ' Modules/Setup.stdlib >Modules/Setup.local
  make -j"$(nproc)" python pybuilddir.txt
  touch ready
}
set +e # a function that `if` calls goes on after errors
(set -e && build "$@") >"$here/build.log" 2>&1
status=$?
set -e
if [ $status -ne 0 ]; then
  tail -20 "$here/build.log" >&2
  exit 1
fi
echo "$here/python"
