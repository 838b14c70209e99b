#!/usr/bin/env bash
# The manual page and the completion say what the binary does, and groff and
# bash take them. usage: check_manual.sh SOURCE_DIR BUILD_DIR
set -euo pipefail

build_dir=$2
binary=$build_dir/bin/rlrun_exporter
manual=$build_dir/manual/rlrun_exporter.1
failed=0
fail() {
  printf 'failed: %s\n' "$*" >&2
  failed=1
}

warnings=$(groff -man -Tutf8 -ww -z "$manual" 2>&1)
[[ -z $warnings ]] || fail "groff: $warnings"
page=$(groff -man -Tascii -P-c -P-b -P-u "$manual")
cmp <(gzip -dc "$manual.gz") "$manual" || fail "the packed page is another"

for command in '' serve once status check-config; do
  [[ $page == *"rlrun_exporter $command"* ]] || fail "no command $command"
  # shellcheck disable=SC2086  # none or one word
  for flag in $("$binary" $command --help | grep -oE '^  (-h,)?--[a-z.-]+'); do
    flag=${flag#-h,}
    grep -qF -- "$flag" <<<"$page" || fail "no $flag of $command in the page"
  done
done
version=$("$binary" --version | cut -d' ' -f2)
[[ $page == *"rlrun_exporter $version"* ]] || fail "not of version $version"

# complete WORD...: what is offered for the last word.
# shellcheck source=/dev/null
source "$build_dir/manual/rlrun_exporter.bash"
complete_words() {
  COMP_WORDS=(rlrun_exporter "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _rlrun_exporter
  ((${#COMPREPLY[@]} == 0)) || printf "%s " "${COMPREPLY[@]}"
}
# expect OFFER WORD...
expect() {
  local wanted=$1 found
  shift
  found=$(complete_words "$@")
  [[ $found == "$wanted" ]] || fail "for '$*': '$found', not '$wanted'"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
touch a.log 'b c.log'
expect 'status ' st
expect 'serve ' se
expect 'a.log ' status a
expect '--format= ' status --fo
expect 'markdown ' status --format = m
expect 'text markdown json ' status --format =
expect 'a.log ' --config.file = a
expect '--version ' --vers
expect 'b c.log ' status b
expect 'b c.log ' status 'b\ '
expect 'debug ' --log.level = d
expect 'logfmt json ' --log.format =
expect 'true false ' --web.show-log-text =
# Bash would write the = of a flag as \= behind which nothing completes.
[[ $(complete -p rlrun_exporter) != *filenames* ]] || fail "flags are taken for files"
expect '' once --web
expect 'all processes ' serve --export =
((failed == 0)) && echo "page and completion agree with --help"
exit "$failed"
