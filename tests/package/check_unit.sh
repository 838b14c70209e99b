#!/usr/bin/env bash
# The unit is hardened: exposure below 2.0 by systemd's own account, as the
# README records it. Needs no running systemd. usage: check_unit.sh SOURCE_DIR BUILD_DIR
set -euo pipefail

source_dir=$1
unit=$source_dir/packaging/systemd/rlrun_exporter.service
report=$(systemd-analyze security --offline=true --no-pager --threshold=19 "$unit") || {
  printf '%s\nthe exposure is 2.0 or more\n' "$report" >&2
  exit 1
}
[[ $report =~ exposure\ level\ for\ rlrun_exporter.service:\ ([0-9.]+) ]]
exposure=${BASH_REMATCH[1]}
echo "exposure: $exposure"

# Other versions weigh differently; the record is of Debian 12's.
version=$(systemd-analyze --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
if [[ $version == 252 ]] &&
  ! grep -qF "exposure of $exposure" "$source_dir/README.md"; then
  echo "the README records another exposure than $exposure" >&2
  exit 1
fi

# `verify` looks for the binary and the manual page at their places, too.
wrong=$(systemd-analyze verify "$unit" 2>&1 |
  grep -vE "not executable|No such file|Command 'man " || true)
if [[ -n $wrong ]]; then
  printf '%s\n' "$wrong" >&2
  exit 1
fi
for line in Type=notify WatchdogSec= NoNewPrivileges=yes ProtectSystem=strict \
  CapabilityBoundingSet= User=rlrun_exporter SystemCallFilter=@system-service; do
  grep -q "^$line" "$unit" || { echo "no $line" >&2; exit 1; }
done
