#!/usr/bin/env bash
# Copies rules and dashboards into the chart, which can only hold files of its
# own folder. Run it whenever alerts/ or dashboards/ have changed; a test does
# with --check, which copies nothing and fails where the two differ.
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
files_dir=$source_dir/helm/rlrun-exporter/files
check=no
case ${1:-} in
  '') ;;
  --check) check=yes ;;
  -h | --help)
    echo "usage: scripts/update-chart.sh [--check]"
    exit 0
    ;;
  *)
    echo "usage: scripts/update-chart.sh [--check]" >&2
    exit 64
    ;;
esac

# copy NAME FILE...: makes files/NAME hold these files and nothing else.
copy() {
  local into=$files_dir/$1 work
  shift
  work=$(mktemp -d)
  (($# == 0)) || cp "$@" "$work"
  if [[ $check == yes ]]; then
    local different=no
    # git keeps no empty folder.
    if [[ -d $into ]] || (($#)); then
      diff -rq "$into" "$work" >&2 || different=yes
    fi
    rm -rf "$work"
    if [[ $different == yes ]]; then
      echo "$into is not up to date; run scripts/update-chart.sh" >&2
      exit 1
    fi
    return
  fi
  rm -rf "$into"
  mkdir -p "$(dirname "$into")"
  mv "$work" "$into"
  chmod 755 "$into"
}

shopt -s nullglob
copy rules "$source_dir"/alerts/*.rules.yaml
copy dashboards "$source_dir"/dashboards/*.json
