#!/usr/bin/env bash
# Gives every expected.prom of the golden cases to `promtool check metrics`.
# Findings (exit code 3) are allowed about rlrun_step_* families alone, whose
# names are the trainer's. Exits with 77 where promtool is not here.
#   check_promtool.sh FOLDER [PEERS]: the cases; where install-deps.sh unpacks
set -euo pipefail

cases=$1
promtool=${RLRUN_PROMTOOL:-${RLRUN_PEERS:-${2:-}}/usr/bin/promtool}
if [[ ! -x $promtool ]]; then
  promtool=$(command -v promtool || true)
fi
if [[ -z $promtool ]]; then
  echo "skipped: promtool is not here; scripts/install-deps.sh test unpacks it"
  exit 77
fi

failed=0
checked=0
for file in "$cases"/*/expected.prom; do
  code=0
  findings=$("$promtool" check metrics <"$file" 2>&1) || code=$?
  checked=$((checked + 1))
  others=$(grep -v '^rlrun_step_' <<<"$findings" || true)
  if [[ $code == 0 || ($code == 3 && -z $others) ]]; then continue; fi
  failed=$((failed + 1))
  printf '%s: exit code %d\n%s\n' "$file" "$code" "$others"
done
echo "$checked files, $failed refused"
((checked > 0 && failed == 0))
