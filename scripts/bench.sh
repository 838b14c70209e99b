#!/usr/bin/env bash
# Measures the exporter beside grep, wc, mtail and prometheus-cpp, and itself.
# Every comparison runs in turn (A B A B ...) on the same machine, file and
# minute; the figures are medians. Leaves nothing behind.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: scripts/bench.sh [OPTION...] [PART...]

Installs what is missing, builds, and prints medians, minimum and maximum of
several runs. On a machine that does something else the ratios mean more than
the times. Parts, all of them by default (about 6 minutes):
  backlog   `rlrun_exporter once` over a large log beside grep -c and wc -l, and
            whether each of its lines was counted
  mtail     the same over a smaller log beside mtail, which takes one key, and
            every key
  micro     lines, prefixes, step lines, numbers, JSONL, files of W&B and
            TensorBoard, exposition (beside prometheus-cpp), one round with
            1,000 runs
  latency   from a line in a log to its value on /metrics
  idle      CPU time of watching 1,000 idle runs
  trials    100,000 trial directories on real files: the first walk, its memory
            and calls of the file system, and those of later looks
Options:
  --runs=N         measured runs (default 5)
  --bulk=SIZE      log of `backlog` (default 500MB), removed at the end
  --mtail-bulk=SIZE  log of `mtail` (default 50MB)
  --samples=N      lines of `latency` (default 100)
  --idle-seconds=N seconds of `idle` (default 60)
  --trials=N       directories of `trials` (default 100000)
Environment:
  RLRUN_BENCH_BUILD_DIR=DIR  build folder (default: build-bench in the source
                             tree)
  RLRUN_PEERS=DIR            where mtail is unpacked (default: build/peers)
  RLRUN_BUILT=yes            installs and builds nothing
  TMPDIR=DIR                 where the logs are written (default: /tmp)
USAGE
}

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${RLRUN_BENCH_BUILD_DIR:-$source_dir/build-bench}
export RLRUN_PEERS=${RLRUN_PEERS:-$source_dir/build/peers}
bin=$build_dir/bin
mtail=$RLRUN_PEERS/usr/bin/mtail
runs=5
bulk=500MB
mtail_bulk=50MB
samples=100
idle_seconds=60
trials=100000
parts=()
work_dir=

say() { printf 'bench: %s\n' "$*" >&2; }
die() {
  say "$@"
  exit 1
}
heading() { printf '\n%s\n' "$*"; }

for argument in "$@"; do
  value=${argument#*=}
  case $argument in
    -h | --help)
      usage
      exit 0
      ;;
    --runs=*) runs=$value ;;
    --bulk=*) bulk=$value ;;
    --mtail-bulk=*) mtail_bulk=$value ;;
    --samples=*) samples=$value ;;
    --idle-seconds=*) idle_seconds=$value ;;
    --trials=*) trials=$value ;;
    backlog | mtail | micro | latency | idle | trials) parts+=("$argument") ;;
    *)
      usage >&2
      say "unknown argument: $argument"
      exit 64
      ;;
  esac
done
((${#parts[@]})) || parts=(backlog mtail micro latency idle trials)
for value in "$runs" "$samples" "$idle_seconds" "$trials"; do
  if [[ ! $value =~ ^[1-9][0-9]*$ ]]; then
    say "not a positive number: $value"
    exit 64
  fi
done

clean_up() { [[ -z $work_dir ]] || rm -rf "$work_dir"; }
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

build() {
  "$source_dir/scripts/install-deps.sh" build test
  local log=$build_dir/build.log
  mkdir -p "$build_dir"
  say "building in $build_dir"
  if ! cmake -S "$source_dir" -B "$build_dir" -G Ninja \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRLRUN_TESTS=ON >"$log" 2>&1 ||
    ! ninja -C "$build_dir" rlrun_exporter rlrun_scenario compare_commands \
      measure_serve measure_trials lines_bench formats_bench \
      metric_files_bench exposition_bench app_bench \
      >>"$log" 2>&1; then
    tail -n 40 "$log" >&2
    die "the build failed; all of it is in $log"
  fi
}

# make_log SIZE NAME: an invented log, as $log; its $bytes, $lines and
# $step_lines. It is in the page cache afterwards.
make_log() {
  log=$work_dir/$2.log
  local size=$1 need free told
  need=${size/%kB/000}
  need=${need/%MB/000000}
  need=${need/%GB/000000000}
  [[ $need =~ ^[0-9]+$ ]] || die "not a size: $size"
  free=$(df --output=avail -B1 "$work_dir" | tail -n 1)
  if ((need + (1 << 28) > free)); then
    die "$size do not fit into $work_dir ($free bytes are free); see TMPDIR"
  fi
  told=$("$bin/rlrun_scenario" --out="$log" --bulk="$size")
  [[ $told =~ bytes=([0-9]+)\ lines=([0-9]+)\ step_lines=([0-9]+) ]] ||
    die "rlrun_scenario said: $told"
  bytes=${BASH_REMATCH[1]}
  lines=${BASH_REMATCH[2]}
  step_lines=${BASH_REMATCH[3]}
  cat "$log" >/dev/null
}

compare() {
  LC_ALL=C "$bin/compare_commands" --runs="$runs" --bytes="$bytes" \
    --out="$work_dir" "$@"
}

# check_counts FILE: the exposition in FILE counts each line of the log once.
check_counts() {
  local name value all=0 steps=-1
  while read -r name value; do
    [[ $name == rlrun_exporter_lines_total\{* ]] || continue
    all=$((all + value))
    if [[ $name == *'outcome="step"'* ]]; then steps=$value; fi
  done <"$1"
  if ((all != lines || steps != step_lines)); then
    die "counted $all lines and $steps steps of $lines and $step_lines"
  fi
  printf 'each line was counted: %d lines, %d of them steps\n' "$all" "$steps"
}

measure_backlog() {
  make_log "$bulk" bulk
  heading "Backlog: $bytes bytes in the page cache; x: to grep"
  compare -- grep-cF grep -cF ' step:' "$log" -- wc-l wc -l "$log" \
    -- rlrun_exporter "$bin/rlrun_exporter" once "$log"
  check_counts "$work_dir/rlrun_exporter.out"
  local found
  found=$(<"$work_dir/grep-cF.out")
  ((found == step_lines)) || die "grep counts $found steps of $step_lines"
  rm "$log"
}

# write_program DIR KEY...: an mtail program that takes the keys.
write_program() {
  local dir=$1 key
  shift
  mkdir "$dir"
  {
    printf 'gauge step by key\n/ step:\\d+ - / {\n'
    for key in "$@"; do
      printf ' / - %s:(np\\.float64\\()?(?P<value>[-+.0-9e]+)/ {\n' \
        "${key//\//\\/}"
      printf "  step[\"%s\"] = \$value\n }\n" "$key"
    done
    printf '}\n'
  } >"$dir/step.mtail"
}

# write_programs: for one key, in the middle of a step line, and for all of
# them.
write_programs() {
  local line pair keys=()
  line=$(grep -m1 -F ' step:' "$log")
  line=${line#*step:* - }
  while IFS= read -r pair; do keys+=("${pair%:*}"); done <<<"${line// - /$'\n'}"
  key_count=${#keys[@]}
  write_program "$work_dir/one_key" "${keys[key_count / 2]}"
  write_program "$work_dir/all_keys" "${keys[@]}"
}

# check_mtail FILE N: mtail took N keys.
check_mtail() {
  local found
  found=$(grep -c '^step{' "$1") || true
  ((found == $2)) || die "mtail took $found keys of $2"
}

measure_mtail() {
  make_log "$mtail_bulk" small
  write_programs
  local options=(--one_shot --one_shot_format=prometheus --logtostderr
    --address=127.0.0.1 --port=0 --logs "$log")
  heading "mtail: $bytes bytes in the page cache; x: to rlrun_exporter, which" \
    "takes all $key_count keys"
  compare -- rlrun_exporter "$bin/rlrun_exporter" once "$log" \
    -- mtail-1-key "$mtail" "${options[@]}" --progs "$work_dir/one_key" \
    -- "mtail-$key_count-keys" "$mtail" "${options[@]}" \
    --progs "$work_dir/all_keys"
  check_counts "$work_dir/rlrun_exporter.out"
  check_mtail "$work_dir/mtail-1-key.out" 1
  check_mtail "$work_dir/mtail-$key_count-keys.out" "$key_count"
  rm "$log"
}

print_figures() {
  local name median least most unit
  while IFS=$'\t' read -r name median least most unit; do
    printf '%-34s %10s (%s..%s) %s\n' "$name" "$median" "$least" "$most" "$unit"
  done
}

measure_micro() {
  heading "Inside: CPU time"
  local name
  for name in lines formats metric_files exposition app; do
    "$bin/${name}_bench" --table --benchmark_repetitions="$runs" \
      --benchmark_min_time=0.2 2>"$work_dir/$name.err" | print_figures
  done
}

measure_latency() {
  heading "Latency: $samples lines"
  "$bin/measure_serve" latency --inotify=no --samples="$samples" | print_figures
  "$bin/measure_serve" latency --inotify=yes --samples="$samples" |
    print_figures
}

measure_idle() {
  heading "Idle: $idle_seconds s"
  "$bin/measure_serve" idle --seconds="$idle_seconds" | print_figures
}

measure_trials() {
  heading "Trials: $trials directories"
  "$bin/measure_trials" --trials="$trials" --looks="$runs" | print_figures
}

[[ ${RLRUN_BUILT:-} == yes ]] || build
work_dir=$(mktemp -d "${TMPDIR:-/tmp}/rlrun_bench.XXXXXX")
export TMPDIR=$work_dir
printf 'CPU %s, %s cores, load %s\n' \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" \
  "$(cut -d' ' -f1-3 /proc/loadavg)"
for part in "${parts[@]}"; do "measure_$part"; done
heading "load at the end: $(cut -d' ' -f1-3 /proc/loadavg)"
