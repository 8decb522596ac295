#!/usr/bin/env bash
# Builds the site: build.sh PROJECT OUT SEXTANT PICTURES. OUT/python/sextant.pyi is there (stub.py). Every warning of the
# generator is an error: a link that leads nowhere, a heading that is not there.
set -euo pipefail
root=$(realpath "$1") out=$2 sextant=$3 pictures=$4
mkdir -p "$out"
out=$(realpath "$out")
if ! cmp -s "$root/docs/site/requirements.txt" "$out/venv/requirements.txt"; then
  python3 -m venv "$out/venv"
  "$out/venv/bin/python" -m pip install -q --disable-pip-version-check -r "$root/docs/site/requirements.txt"
  cp "$root/docs/site/requirements.txt" "$out/venv/"
fi
(cat "$root/docs/site/Doxyfile" && echo "INPUT = $root/loader/include/sextant" && echo "OUTPUT_DIRECTORY = $out/doxygen") >"$out/Doxyfile"
mkdir -p "$out/doxygen"
doxygen "$out/Doxyfile"
python3 -B "$root/docs/site/prepare.py" "$root" "$out/pages" "$sextant" "$pictures"
cp "$root/docs/site/site.css" "$root/docs/site/conf.py" "$out/pages/"
SEXTANT_DOXYGEN_XML="$out/doxygen/xml" SEXTANT_PYTHON="$out/python" \
  "$out/venv/bin/sphinx-build" -b html -q -W --keep-going -d "$out/doctrees" "$out/pages" "$out/html"
# A reference that came out empty is not a warning of the generator.
for one in c.html:sxt_program_create cpp.html:PreparedLaunch python/sextant/index.html:Program; do
  grep -q "class=\"sig.*${one#*:}\|id=\"[^\"]*${one#*:}" "$out/html/reference/${one%%:*}" || {
    echo "build.sh: reference/${one%%:*} does not show ${one#*:}" >&2
    exit 1
  }
done
grep -q "Waits until all work of the stream is done" "$out/html/reference/python/sextant/index.html" || {
  echo "build.sh: reference/python does not show the extension's docstrings" >&2
  exit 1
}
