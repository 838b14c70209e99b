#!/usr/bin/env bash
# Installs what is missing, builds, and serves metrics: of PATH, or of a sample
# run that is replayed beside a real Prometheus. Leaves nothing running.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: scripts/run.sh [PATH...] [-- EXPORTER_OPTION...]

PATH is a log file or a directory of logs. Without PATH: a demo, which replays a
sample run of 60 steps and lets Prometheus scrape it, until Ctrl-C, SIGTERM or
the end of its input.
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
    ! ninja -C "$build_dir" rlrun_exporter rlrun_scenario >>"$log" 2>&1; then
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

# query EXPRESSION: the value of its only series, as $value.
query() {
  local answer
  answer=$(get --data-urlencode "query=$1" "$prometheus_url/api/v1/query") ||
    return 1
  [[ $answer =~ \"value\":\[[0-9.]+,\"([^\"]*)\"\] ]] || return 1
  value=${BASH_REMATCH[1]}
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

write_prometheus_config() {
  cat >"$work_dir/prometheus.yaml" <<CONFIG
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: rlrun_exporter
    static_configs:
      - targets: ["${exporter_url#http://}"]
CONFIG
}

run_demo() {
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
  work_dir=$(mktemp -d "${TMPDIR:-/tmp}/rlrun_demo.XXXXXX")
  mkdir -p "$work_dir/lab/sums/logs"
  local log=$work_dir/lab/sums/logs/sums.log
  start scenario "$build_dir/bin/rlrun_scenario" --kind=sync --steps=60 \
    --interval=1 --out="$log"
  wait_for scenario 10 test -s "$log"

  start exporter "$exporter" "$log" --web.listen-address=127.0.0.1:0 \
    "${options[@]}"
  wait_for exporter 20 find_url exporter \
    'msg="?Listening"? url="?http://([^" ]+)'
  exporter_url=$url
  write_prometheus_config
  start prometheus "$RLRUN_PEERS/usr/bin/prometheus" \
    --config.file="$work_dir/prometheus.yaml" \
    --storage.tsdb.path="$work_dir/data" --web.listen-address=127.0.0.1:0
  wait_for prometheus 30 find_url prometheus \
    'msg="Listening on" address=([0-9.:]+)'
  prometheus_url=$url
  wait_for prometheus 60 get -o /dev/null "$prometheus_url/-/ready"

  say "metrics     $exporter_url/metrics"
  say "runs        $exporter_url/"
  say "Prometheus  $prometheus_url/graph"
  wait_for prometheus 60 query rlrun_step_critic_rewards_mean
  say "Prometheus answers: rlrun_step_critic_rewards_mean = $value"
  if [[ -z $demo_seconds ]]; then say "Ctrl-C ends it"; fi
  watch_demo
}

watch_demo() {
  local step shown=-5 reward status
  while [[ -z $demo_seconds ]] || ((SECONDS < demo_seconds)); do
    if ! alive exporter || ! alive prometheus; then
      tail -n 5 "$work_dir"/{exporter,prometheus}.log >&2
      die "a process ended unexpectedly"
    fi
    alive scenario || unset 'pids[scenario]' # its number may be another's now
    if query 'rlrun_last_step{line="train"}'; then
      step=$value
      if ((step >= shown + 5)) && query rlrun_step_critic_rewards_mean; then
        reward=$value
        say "step $step: critic/rewards/mean = $reward"
        shown=$step
      fi
    fi
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
