# Shared by the scripts of this folder: the environment of Python for Zig and for sources of libraries, and status 77
# where something is missing. They set `source` (the project) and `work` (BUILD/hosts).
python=$work/venv/bin/python

skip() {
  echo "skipped: $*"
  exit 77
}
have() { command -v "$1" >/dev/null || skip "no $1 (Debian: $2)"; }
venv() { [ -x "$python" ] || python3 -m venv "$work/venv"; }
zig() { # the compiler of the package ziglang
  venv
  "$python" -m pip install -q --disable-pip-version-check "$(grep ziglang "$source/cmake/wheels/requirements.txt")" ||
    skip "no ziglang (PyPI)"
}
libraries() { # PREFIX [--tests] COMPILER…
  venv
  "$python" "$source/cmake/hosts/libraries.py" "$work/sources" "$work/libraries-$1" "${@:2}"
}
wine_server() { # one for all programs
  export WINEPREFIX=$work/wine WINEDEBUG=-all
  [ -d "$WINEPREFIX" ] || wine wineboot -i >/dev/null 2>&1
  # Left to itself, it ends as soon as a program does, and another that starts in that moment finds its connection closed.
  wineserver -k || true
  wineserver -p
  # Its services begin with the first program and keep what that writes to open: a test would wait for its end.
  wine cmd /c exit </dev/null >/dev/null 2>&1
  trap "wineserver -k || true" EXIT
}
