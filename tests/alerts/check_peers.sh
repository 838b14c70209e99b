#!/usr/bin/env bash
# Gives what alerts/ ships to Prometheus' own tools. Exits with 77 where they
# are not here.
#   check_peers.sh rules|tests|alertmanager|routes|templates SOURCE [PEERS]
#   check_peers.sh scenarios SOURCE PEERS SCENARIO_ALERTS
#     SOURCE: the source tree; PEERS: where install-deps.sh unpacks;
#     SCENARIO_ALERTS: the program that writes scenarios as tests of rules
set -euo pipefail

part=$1
source_dir=$2
peers=${RLRUN_PEERS:-${3:-}}/usr/bin

# find_tool NAME: its path, as $tool.
find_tool() {
  tool=$peers/$1
  if [[ ! -x $tool ]]; then tool=$(command -v "$1" || true); fi
  if [[ -z $tool ]]; then
    echo "skipped: $1 is not here; scripts/install-deps.sh test unpacks it"
    exit 77
  fi
}

# compare_template NAME FILE: what the template says of notification.json.
compare_template() {
  local expected=$source_dir/tests/alerts/notification/$2 text
  text=$("$tool" template render \
    --template.glob="$source_dir/alerts/templates/*.tmpl" \
    --template.text="{{ template \"$1\" . }}" --template.type="${3:-text}" \
    --template.data="$source_dir/tests/alerts/notification.json")
  if [[ -n ${RLRUN_UPDATE_ALERTS:-} ]]; then
    printf '%s\n' "$text" >"$expected"
  fi
  diff -u "$expected" <(printf '%s\n' "$text")
}

# check_route RECEIVERS LABEL...: who is told of such an alert.
check_route() {
  "$tool" config routes test --config.file="$source_dir/alerts/alertmanager.yaml" \
    --verify.receivers="$1" "${@:2}"
}

case $part in
  rules)
    find_tool promtool
    "$tool" check rules "$source_dir"/alerts/*.rules.yaml
    "$tool" check config "$source_dir/alerts/prometheus.yaml"
    ;;
  tests)
    find_tool promtool
    "$tool" test rules "$source_dir"/tests/alerts/promtool/*_test.yaml
    ;;
  scenarios)
    find_tool promtool
    file=$(mktemp "${TMPDIR:-/tmp}/rlrun_alerts.XXXXXX")
    trap 'rm -f "$file"' EXIT
    "$4" "$(realpath "$source_dir")/alerts" "$file"
    "$tool" test rules "$file"
    ;;
  alertmanager)
    find_tool amtool
    "$tool" check-config "$source_dir/alerts/alertmanager.yaml"
    ;;
  routes)
    find_tool amtool
    check_route webhook,pagerduty,slack alertname=RLRunX severity=critical
    check_route webhook,slack alertname=RLRunX severity=warning
    check_route webhook,email alertname=RLRunX severity=info
    check_route slack alertname=Other severity=warning
    ;;
  templates)
    find_tool amtool
    compare_template rlrun.title title.txt
    compare_template rlrun.text text.txt
    compare_template rlrun.slack.title slack_title.txt
    compare_template rlrun.slack.text slack.txt
    compare_template rlrun.email.html email.html html
    ;;
  *)
    echo "unknown part: $part" >&2
    exit 64
    ;;
esac
