#!/bin/bash
# pages.sh SEXTANT: what shells complete with the scripts of `sextant completions`, asked of the shells
# themselves, and what mandoc says of the manual pages.
set -euo pipefail
sextant=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
has() { # has WHAT WORD LINES: one of the lines begins with the word
  if ! grep -qE -- "^$2([[:space:]]|$)" <<<"$3"; then
    echo "$1: no '$2' among: $(head -c 300 <<<"$3")" >&2
    failures=$((failures + 1))
  fi
}
lacks() {
  if grep -qE -- "^$2([[:space:]]|$)" <<<"$3"; then
    echo "$1: has '$2'" >&2
    failures=$((failures + 1))
  fi
}

# bash: COMP_WORDS are what its line editor would make.
"$sextant" completions bash >"$work/bash"
# shellcheck disable=SC1091
. "$work/bash"
complete_bash() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _sextant
  printf '%s\n' "${COMPREPLY[@]-}"
}
has bash compile "$(complete_bash sextant co)"
lacks bash diff "$(complete_bash sextant co)"
has bash --targets "$(complete_bash sextant compile --t)"
lacks bash --fail-on "$(complete_bash sextant compile --)"
has bash --fail-on "$(complete_bash sextant diff --f)"
has bash sm_90 "$(complete_bash sextant compile --targets = sm_)"
has bash cpu,sm_90 "$(complete_bash sextant compile -t cpu,sm_9)"
has bash json "$(complete_bash sextant run --diagnostics js)"
has bash never "$(complete_bash sextant run --color = ne)"
has bash tune "$(complete_bash sextant help t)"
has bash -MD "$(complete_bash sextant compile -M)"
[ -z "$(complete_bash sextant compile kern)" ] || { echo "bash: no files for sources" >&2; failures=$((failures + 1)); }

if command -v fish >"$work/null"; then
  "$sextant" completions fish >"$work/sextant.fish"
  ask() { HOME=$work XDG_CONFIG_HOME=$work fish --no-config -c "source $work/sextant.fish; complete -C '$1'"; }
  has fish compile "$(ask 'sextant co')"
  has fish --targets "$(ask 'sextant compile --ta')"
  lacks fish --fail-on "$(ask 'sextant compile --fa')"
  has fish --fail-on "$(ask 'sextant diff --fa')"
  has fish json "$(ask 'sextant run --diagnostics js')"
  has fish --color=never "$(ask 'sextant run --color=ne')"
  has fish cpu,sm_90 "$(ask 'sextant compile -t cpu,sm_9')"
else
  echo "fish: skipped, it is not installed"
fi

if command -v zsh >"$work/null"; then
  "$sextant" completions zsh >"$work/_sextant"
  # A terminal of its own, in which Tab lists what there is.
  ask() {
    ZDOTDIR=$work HOME=$work zsh -f -c '
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "PS1=; unsetopt zle_bracketed_paste; autoload -U compinit; fpath=('"$work"' \$fpath); compinit -u -D"
      zpty -w shell "zstyle \":completion:*\" list-separator \"\"; bindkey \"^I\" list-choices; LISTMAX=1000; stty columns 200 rows 200; echo re\"\"ady"
      zpty -r shell line "*ready*"
      zpty -w -n shell "$1"$'"'\\t'"'
      # Read until nothing has come for a second and a half; a busy machine takes its time.
      text= rounds=0 quiet=0
      while (( rounds++ < 80 && quiet < 6 )); do
        sleep 0.25
        got=
        while zpty -r -t shell line; do text+=$line$'"'\n'"' got=1; done
        if [[ -n $got ]]; then quiet=0; elif [[ $text == *$'"'\n'"'*$'"'\n'"'* ]]; then (( quiet++ )); fi
      done
      print -r -- "$text"' zsh "$1" | tr '\r' '\n' | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/^ *//'
  }
  words() { ask "$1" | tr -s ' ' '\n'; }
  has zsh compile "$(words 'sextant co')"
  has zsh --targets "$(words 'sextant compile --t')"
  lacks zsh --fail-on "$(words 'sextant compile --')"
  has zsh --fail-on "$(words 'sextant diff --f')"
  has zsh sm_90 "$(words 'sextant compile --targets=sm_')"
  has zsh json "$(words 'sextant run --diagnostics j')"
  has zsh never "$(words 'sextant run --color=n')"
else
  echo "zsh: skipped, it is not installed"
fi

mkdir "$work/man1"
"$sextant" man --all "$work/man1"
[ -e "$work/man1/sextant-compile.1" ] && [ -e "$work/man1/sextant.1" ]
if command -v mandoc >"$work/null"; then
  for page in "$work"/man1/*.1; do # their date would differ from build to build: there is none
    mandoc -T lint -W warning "$page" | grep -v 'missing date' >&2 && failures=$((failures + 1))
  done
  text=$(mandoc -T utf8 "$work/man1/sextant-compile.1" | sed 's/.\x08//g; s/^ *//')
  has man '-t, --targets' "$text"
  has man EXAMPLES "$text"
  has man 'sextant compile kernels.py --check' "$text"
else
  echo "man: skipped, mandoc is not installed"
fi
exit $((failures > 0))
