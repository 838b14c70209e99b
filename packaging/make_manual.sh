#!/usr/bin/env bash
# Writes the manual page and the completion for bash from what the command line
# says of itself (--help of every command), so that neither can grow old.
# usage: packaging/make_manual.sh BINARY OUT_DIR
set -euo pipefail

binary=$1 out=$2
main=$("$binary" --help)
version=$("$binary" --version)
version=${version#* }
version=${version%% *}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# section NAME <HELP: the indented lines below `NAME:`.
section() {
  awk -v name="$1:" '$0 == name {on = 1; next} on && /^[^ ]/ {exit}
    on && NF' 
}

# entries: of such lines, one line each: words TAB description.
entries() {
  awk 'function flush() { if (head != "") print head "\t" text }
    /^  [^ ]/ {
      flush(); line = substr($0, 3); text = ""
      at = match(line, /   +/)  # three blanks at least; a long head has none
      if (at == 0 && length(line) > 27) at = match(line, /  +/)
      if (at) { head = substr(line, 1, at - 1); text = substr(line, at + RLENGTH) }
      else head = line
      next
    }
    { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0 }
    END { flush() }'
}

commands=$(section Subcommands <<<"$main" | entries)
names=$(cut -f1 <<<"$commands")
for name in $names; do "$binary" "$name" --help >"$work/$name"; done

# --- the manual page ----------------------------------------------------------

# roff: text as roff takes it: nothing at a line's begin is a request.
roff() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"; }

usage_of() { sed -n 's/^Usage: //p'; }
footer_of() { sed -n '/^Exit codes/,$p'; }

# option_list <ENTRIES: `--name TEXT:{a,b}=default` becomes `--name={a,b}`, its
# text and the default.
option_list() {
  local head text flags value default
  while IFS=$'\t' read -r head text; do
    flags=${head%% *} value='' default=''
    if [[ $head == *' '* ]]; then
      value=${head#* }
      if [[ $value =~ ^([^=]*)=(\[?)([^]]*) ]]; then
        value=${BASH_REMATCH[1]} default=${BASH_REMATCH[3]}
      fi
      case $value in
        TEXT:\{*) value="=${value#TEXT:}" ;;
        UINT*) value='=N' ;;
        TEXT*) value='=VALUE' ;;
        *) value="=$value" ;;
      esac
    fi
    [[ -z $default ]] || text+=" (default: $default)"
    printf '.TP\n.B %s\n%s\n' "$(roff <<<"${flags//,/, }$value")" \
      "$(roff <<<"$text")"
  done
}

{
  printf '.\\" Made from --help.\n'
  printf '.TH RLRUN_EXPORTER 1 "" "rlrun_exporter %s" "User Commands"\n' "$version"
  about=$(head -n 1 <<<"$main")
  printf '.SH NAME\nrlrun_exporter \\- %s\n' "$(roff <<<"${about%.}")"
  printf '.SH SYNOPSIS\n'
  for name in '' $names; do
    line=$(if [[ -n $name ]]; then usage_of <"$work/$name"; else usage_of <<<"$main"; fi)
    printf '.B rlrun_exporter\n%s\n.br\n' "$(roff <<<"${line#rlrun_exporter }")"
  done
  printf '.SH DESCRIPTION\n'
  sed '/^Usage:/,$d' <<<"$main" | roff
  printf '.SH OPTIONS\nWithout a command, those of\n.BR serve .\n'
  section Options <<<"$main" | entries | option_list
  printf '.SH COMMANDS\n'
  while IFS=$'\t' read -r name text; do
    printf '.SS %s\n%s.\n' "$(roff <<<"$name")" "$(roff <<<"${text%.}")"
    # What is above under OPTIONS is not said again.
    section Options <"$work/$name" | entries |
      grep -vxFf <(section Options <<<"$main" | entries) | option_list || true
  done <<<"$commands"
  printf '.SH EXIT STATUS\n'
  footer_of <<<"$main" | sed 's/^Exit codes: //' | roff
  while IFS=$'\t' read -r name text; do
    own=$(footer_of <"$work/$name" | sed 's/^Exit codes: //')
    [[ $own != "$(footer_of <<<"$main" | sed 's/^Exit codes: //')" ]] || continue
    printf '.TP\n.B %s\n%s\n' "$(roff <<<"$name")" "$(roff <<<"$own")"
  done <<<"$commands"
  printf '.SH FILES\n'
  printf '.TP\n.I %s\n%s\n' \
    /etc/rlrun_exporter/config.yaml 'Configuration of the service.' \
    /etc/default/rlrun_exporter 'More arguments of the service.' \
    '/usr/share/rlrun_exporter' 'Rules, runbooks and dashboards.'
  printf '.SH SEE ALSO\n.BR prometheus (1),\n.BR systemd.service (5)\n'
} >"$work/manual"

# --- completion ---------------------------------------------------------------

# flags_of <HELP: the flags, those with a value with `=` behind them.
flags_of() {
  section Options | entries | cut -f1 | while read -r words value; do
    for flag in ${words//,/ }; do
      [[ $flag == --* ]] || continue
      [[ -z $value ]] || flag+='='
      printf '%s ' "$flag"
    done
  done
}

# choices_of <HELP: `--flag=a` for each value that a flag may have.
choices_of() {
  section Options | entries | cut -f1 |
    sed -n 's/^\(--[^ ]*\) TEXT:{\([^}]*\)}.*/\1 \2/p
      s/^\(--[^ ]*\) BOOLEAN.*/\1 true,false/p' |
    while read -r flag values; do
      for value in ${values//,/ }; do printf '%s=%s ' "$flag" "$value"; done
    done
}

{
  printf '# Completion of rlrun_exporter for bash. Made from --help.\n'
  printf '_rlrun_exporter() {\n'
  # shellcheck disable=SC2016  # it is bash that expands it
  printf '  local word=${COMP_WORDS[COMP_CWORD]} command= flags choices i\n'
  printf '  local commands="%s"\n' "$(tr '\n' ' ' <<<"$names" | sed 's/ $//')"
  cat <<'BASH'
  COMPREPLY=()
  # Names of files are quoted by bash, which must not do so with flags.
  files() {
    local plain=${word//\\/}
    mapfile -t COMPREPLY < <(compgen -f -- "$plain")
    compopt -o filenames 2>/dev/null
  }
  # Bash takes `--flag=va` apart: the flag, `=`, and what there is of a value.
  local flag=
  if [[ $word == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 1]} word=
  elif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ " $commands " == *" ${COMP_WORDS[i]} "* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  case $command in
BASH
  for name in $names; do
    printf '    %s)\n      flags="%s"\n      choices="%s"\n      ;;\n' "$name" \
      "$(flags_of <"$work/$name")" "$(choices_of <"$work/$name")"
  done
  printf '    *)\n      flags="%s"\n      choices="%s"\n      ;;\n' \
    "$(flags_of <<<"$main")" "$(choices_of <<<"$main")"
  cat <<'BASH'
  esac
  if [[ -n $flag ]]; then
    local choice
    for choice in $choices; do
      [[ $choice == "$flag=$word"* ]] && COMPREPLY+=("${choice#*=}")
    done
    [[ $choices == *"$flag="* ]] || files
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
  else
    [[ -n $command ]] || COMPREPLY=($(compgen -W "$commands" -- "$word"))
    ((${#COMPREPLY[@]} > 0)) || files
  fi
}
complete -F _rlrun_exporter rlrun_exporter
BASH
} >"$work/completion"

mkdir -p "$out"
gzip -9n <"$work/manual" >"$out/rlrun_exporter.1.gz"
cp "$work/manual" "$out/rlrun_exporter.1"
cp "$work/completion" "$out/rlrun_exporter.bash"
