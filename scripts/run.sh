#!/usr/bin/env bash
# Installs what is missing, builds, and serves metrics: of PATH, or of sample runs
# that fall ill beside a real Prometheus and Alertmanager. Leaves nothing running.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: scripts/run.sh [PATH...] [-- EXPORTER_OPTION...]

PATH is a log file or a directory of logs. Without PATH: a demo, which writes
sample runs, one step a second, some of which fall ill; Prometheus reads the
exporter and the rules of alerts/, and each notification of Alertmanager is
printed as it arrives, until Ctrl-C, SIGTERM or the end of its input.
  RLRUN_DEMO_SECONDS=N  the demo ends by itself after N seconds
  RLRUN_BUILD_DIR=DIR   build folder (default: build in the source tree)
  RLRUN_PEERS=DIR       where prometheus is unpacked (default: build/peers in
                        the source tree)
  RLRUN_BUILT=yes       installs and builds nothing
USAGE
}

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${RLRUN_BUILD_DIR:-$source_dir/build}
export RLRUN_PEERS=${RLRUN_PEERS:-$source_dir/build/peers}
demo_seconds=${RLRUN_DEMO_SECONDS:-}
exporter=$build_dir/bin/rlrun_exporter

say() { printf 'run: %s\n' "$*"; }
die() {
  printf 'run: %s\n' "$*" >&2
  exit 1
}

paths=()
options=()
while (($#)); do
  case $1 in
    -h | --help)
      usage
      exit 0
      ;;
    --)
      shift
      options=("$@")
      break
      ;;
    -*)
      usage >&2
      die "unknown option: $1 (options of the exporter go behind --)"
      ;;
    *) paths+=("$1") ;;
  esac
  shift
done
[[ $demo_seconds =~ ^[0-9]*$ ]] || die "RLRUN_DEMO_SECONDS must be a number"

build() {
  local log=$build_dir/build.log
  mkdir -p "$build_dir"
  say "building in $build_dir (the first time takes a few minutes)"
  if ! cmake -S "$source_dir" -B "$build_dir" -G Ninja \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRLRUN_TESTS=OFF >"$log" 2>&1 ||
    ! ninja -C "$build_dir" rlrun_exporter rlrun_scenario rlrun_notify \
      >>"$log" 2>&1; then
    tail -n 40 "$log" >&2
    die "the build failed; all of it is in $log"
  fi
}

# port_taken PORT: something listens on it, on any address.
port_taken() {
  local hex table
  printf -v hex ':%04X ' "$1"
  for table in /proc/net/tcp /proc/net/tcp6; do
    # Column 3 is the remote address, column 4 the state: 0A is LISTEN.
    if [[ -r $table ]] && grep -q "${hex}[0-9A-F]*:0000 0A" "$table"; then
      return 0
    fi
  done
  return 1
}

serve_paths() {
  local option port=10190
  for option in "${options[@]}"; do
    if [[ $option == --web.listen-address* ]]; then
      exec "$exporter" "${paths[@]}" "${options[@]}"
    fi
  done
  while port_taken "$port"; do
    ((++port < 10290)) || die "ports 10190 to 10289 are all taken"
  done
  ((port == 10190)) || say "port 10190 is taken"
  say "serving http://localhost:$port/metrics"
  exec "$exporter" "${paths[@]}" --web.listen-address=":$port" "${options[@]}"
}

# --- the demo -----------------------------------------------------------------

# One stays healthy, one finishes; cuda_oom is a run of slime with a run record.
demo_runs=(healthy frozen_model no_tool_call_collapse-critical trainer_crash
  r3_misalignment env_avalanche cuda_oom finished-async)
work_dir=
declare -A pids=() # name -> process of ours
clean_up() {
  local status=$? name
  trap '' INT TERM HUP
  trap - EXIT
  for name in "${!pids[@]}"; do
    kill -TERM "${pids[$name]}" 2>/dev/null || true
  done
  for name in "${!pids[@]}"; do
    end_process "${pids[$name]}"
  done
  if [[ -n $work_dir ]]; then rm -rf "$work_dir"; fi
  say "stopped"
  exit "$status"
}

# end_process PID: waits for it up to ten seconds, then kills it.
end_process() {
  local i
  for ((i = 0; i < 100; ++i)); do
    kill -0 "$1" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

# start NAME COMMAND...: in the background, output in $work_dir/NAME.log. The
# kernel ends it with us, even where we are killed.
start() {
  local name=$1
  shift
  : >"$work_dir/$name.log"
  setpriv --pdeathsig TERM "$@" </dev/null >"$work_dir/$name.log" 2>&1 &
  pids[$name]=$!
}

alive() { [[ -n ${pids[$1]:-} ]] && kill -0 "${pids[$1]}" 2>/dev/null; }

# wait_for NAME SECONDS COMMAND...: until COMMAND succeeds.
wait_for() {
  local name=$1 end=$((SECONDS + $2))
  shift 2
  until "$@"; do
    if ! alive "$name" || ((SECONDS >= end)); then
      tail -n 20 "$work_dir/$name.log" >&2
      die "$name did not come up"
    fi
    sleep 0.1
  done
}

get() { curl -sf --noproxy '*' --max-time 5 "$@"; }

# find_url NAME PATTERN: the first match of the group in NAME's log, as $url.
find_url() {
  local line
  while read -r line; do
    if [[ $line =~ $2 ]]; then
      url=http://${BASH_REMATCH[1]}
      return 0
    fi
  done <"$work_dir/$1.log"
  return 1
}

# Whether the end of input may end the demo: not if it is there from the start
# (/dev/null), nor from the background of a terminal, where reading stops us.
watches_input() {
  local status=0 stat
  [[ -e /proc/$$/fd/0 ]] || return 1
  if [[ -t 0 ]]; then
    read -r stat </proc/$$/stat
    read -ra stat <<<"${stat##*) }" # state ppid pgrp session tty tpgid
    [[ ${stat[2]} == "${stat[5]}" ]]
    return
  fi
  read -r -t 0.1 || status=$?
  ((status == 0 || status > 128))
}

# What is shipped, but every minute of it is a second, and it points at the
# processes of the demo.
write_configs() {
  "$build_dir/bin/rlrun_notify" shorten "$source_dir/alerts" "$work_dir/alerts" \
    "127.0.0.1:10190=${exporter_url#http://}" \
    "127.0.0.1:9093=${alertmanager_url#http://}" \
    "127.0.0.1:9099=${notify_url#http://}" \
    "/etc/alertmanager/secrets=$work_dir/secrets" \
    "https://events.pagerduty.com=$notify_url" \
    "mail.example.org:587=127.0.0.1:9"
}

# start_peer NAME COMMAND...: with a free port of its own, as $url.
start_peer() {
  start "$@" --web.listen-address=127.0.0.1:0
  wait_for "$1" 30 find_url "$1" 'msg="Listening on" address=([0-9.:]+)'
}

start_demo() {
  local scenario=("$build_dir/bin/rlrun_scenario" live "${demo_runs[@]}")
  start scenario "${scenario[@]}" --dir="$work_dir/runs" --step-seconds=1
  wait_for scenario 10 test -s "$work_dir/runs/lab/healthy/logs/healthy.log"
  start notify "$build_dir/bin/rlrun_notify" listen
  wait_for notify 10 find_url notify 'listening on http://([0-9.:]+)'
  notify_url=$url
  start exporter "$exporter" "$work_dir/runs" \
    --web.listen-address=127.0.0.1:0 "${options[@]}"
  wait_for exporter 20 find_url exporter \
    'msg="?Listening"? url="?http://([^" ]+)'
  exporter_url=$url

  mkdir "$work_dir/secrets"
  printf %s "$notify_url/slack" >"$work_dir/secrets/slack_url"
  for url in pagerduty_key smtp_password webhook_token; do
    printf demo >"$work_dir/secrets/$url"
  done
  alertmanager_url=
  write_configs
  start_peer alertmanager "$RLRUN_PEERS/bin/alertmanager" \
    --config.file="$work_dir/alerts/alertmanager.yaml" \
    --storage.path="$work_dir/alertmanager" --cluster.listen-address=
  alertmanager_url=$url
  write_configs
  start_peer prometheus "$RLRUN_PEERS/usr/bin/prometheus" \
    --config.file="$work_dir/alerts/prometheus.yaml" \
    --storage.tsdb.path="$work_dir/data" --rules.alert.resend-delay=10s
  prometheus_url=$url
  wait_for prometheus 60 get -o /dev/null "$prometheus_url/-/ready"
}

run_demo() {
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
  work_dir=$(mktemp -d "${TMPDIR:-/tmp}/rlrun_demo.XXXXXX")
  start_demo
  say "metrics       $exporter_url/metrics"
  say "runs          $exporter_url/"
  say "Prometheus    $prometheus_url/alerts"
  say "Alertmanager  $alertmanager_url/api/v2/alerts"
  say "${#demo_runs[@]} runs are being written, one step a second; some fall ill."
  say "Each notification is printed as it arrives, the first one within a minute."
  say "(For the demo, a minute of the durations in alerts/ is a second.)"
  if [[ -z $demo_seconds ]]; then say "Ctrl-C ends it"; fi
  echo
  watch_demo
}

# Prints what rlrun_notify has printed since, whole lines of it.
print_notifications() {
  local line
  while IFS= read -r -u "$notifications" line; do
    printf '%s\n' "$partial$line"
    partial=
  done
  partial+=$line
}

watch_demo() {
  local status name notifications partial='' line
  exec {notifications}<"$work_dir/notify.log"
  IFS= read -r -u "$notifications" line # where it listens
  while [[ -z $demo_seconds ]] || ((SECONDS < demo_seconds)); do
    for name in exporter prometheus alertmanager notify; do
      if ! alive "$name"; then
        tail -n 5 "$work_dir/$name.log" >&2
        die "$name ended unexpectedly"
      fi
    done
    alive scenario || unset 'pids[scenario]' # its number may be another's now
    print_notifications
    status=142
    if [[ $watch_input == yes ]]; then
      status=0
      read -r -t 1 || status=$?
    else
      sleep 1
    fi
    # Above 128 the second has passed; 1 is the end of input.
    ((status != 1)) || return 0
  done
}

watch_input=no
if ((${#paths[@]} == 0)) && watches_input; then watch_input=yes; fi
if [[ -z ${RLRUN_BUILT:-} ]]; then
  "$source_dir/scripts/install-deps.sh" build demo </dev/null
  build </dev/null
fi
if ((${#paths[@]})); then
  serve_paths
fi
SECONDS=0
run_demo
