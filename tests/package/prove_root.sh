#!/usr/bin/env bash
# Does what the README says in a clean Debian 12 root: installs the package,
# serves, scrapes. Then runs the command of the unit as the user of the unit, and
# purges the package; nothing is left behind. The README's port must be free.
# Needs root, debootstrap (or a root that was made before) and the network.
#   tests/package/prove_root.sh SOURCE_DIR BUILD_DIR [--root=DIR | --as-asked]
# --root=DIR takes a copy of a root that debootstrap has made; --as-asked reads
# that from $RLRUN_PROVE_ROOT (a folder, or `new`), and skips without.
set -euo pipefail

source_dir=$1 build_dir=$2
pristine=
case ${3:-} in
  '') ;;
  --root=*) pristine=${3#--root=} ;;
  --as-asked)
    if [[ -z ${RLRUN_PROVE_ROOT:-} ]]; then
      echo "skipped: RLRUN_PROVE_ROOT is not set; tests/package/prove_root.sh tells what for"
      exit 77
    fi
    [[ $RLRUN_PROVE_ROOT == new ]] || pristine=$RLRUN_PROVE_ROOT
    ;;
  *)
    echo "unknown argument: $3" >&2
    exit 64
    ;;
esac
if ((EUID != 0)); then
  echo "skipped: needs root"
  exit 77
fi
if [[ -z $pristine ]] && ! command -v debootstrap >/dev/null; then
  echo "skipped: needs debootstrap"
  exit 77
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/rlrun-root.XXXXXX")
root=$work/root
server=
clean_up() {
  if [[ -n $server ]]; then
    kill -TERM "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
say() { printf '%s\n' "--- $*"; }
die() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}

# A command in the root, with mounts that are gone with the command. The words
# are exec'd into each other: the process is the command itself.
# shellcheck disable=SC2016  # it is the inner shell that expands it
inside=(unshare --mount --propagation private sh -c '
  root=$1; shift
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/run"
  exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' _ "$root")

# What there is but for the records of apt and dpkg themselves.
list_files() {
  (cd "$root" && find . -xdev \
    \( -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache \
    -o -path ./var/log -o -path ./tmp -o -path ./dev -o -path ./proc \) -prune \
    -o -print | LC_ALL=C sort)
}

if [[ -n $pristine ]]; then
  say "a copy of $pristine"
  cp -a "$pristine" "$root"
else
  say "debootstrap bookworm"
  debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap.log" 2>&1 ||
    { tail -n 20 "$work/debootstrap.log" >&2; die debootstrap; }
fi
"${inside[@]}" apt-get -q update >"$work/update.log" 2>&1 || { cat "$work/update.log" >&2; die update; }

say "packing"
cpack -G DEB --config "$build_dir/CPackConfig.cmake" -B "$work/pack" >"$work/pack.log" 2>&1 ||
  { cat "$work/pack.log" >&2; die cpack; }
mkdir "$root/tmp/build"
cp "$work"/pack/*.deb "$root/tmp/build"
# Nobody is there to say yes.
printf 'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "false";\n' \
  >"$root/etc/apt/apt.conf.d/99prove"
list_files >"$work/before"
cp "$root/etc/passwd" "$work/passwd"

mapfile -t steps < <(awk '/From there to the first scrape/ {near = 1} near && /^```$/ {++fence; next}
    fence == 1 {print} fence == 2 {exit}' "$source_dir/README.md")
((${#steps[@]} == 3)) || die "the README has ${#steps[@]} commands, not 3"
say "${steps[0]}"
"${inside[@]}" sh -c "cd /tmp && ${steps[0]}" >"$work/install.log" 2>&1 ||
  { cat "$work/install.log" >&2; die install; }
grep -E '^[0-9]+ upgraded' "$work/install.log"
grep -q '^rlrun_exporter:.*:/nonexistent:/usr/sbin/nologin$' "$root/etc/passwd" ||
  die "no user"
[[ -L $root/etc/systemd/system/multi-user.target.wants/rlrun_exporter.service ]] ||
  die "the unit is not enabled"

say "writing logs to /srv/runs"
"$build_dir/bin/rlrun_scenario" write kl_blowup frozen_model --dir="$root/srv/runs" \
  --start="$(date -u -d '-3 hours' +%FT%TZ)" --ledger="$work/ledger.json"

say "${steps[1]}"
say "${steps[2]}"
mkdir "$root/data"
ln -s /srv/runs "$root/data/runs"
"${inside[@]}" sh -ec "${steps[1]}
  pid=\$!
  [ \$(${steps[2]} | grep -c '^rlrun_info{') = 2 ]
  kill \$pid
  wait \$pid" 2>"$work/first.log" || { cat "$work/first.log" >&2; die "no two runs are scraped"; }
rm -r "$root/data"

say "running what ExecStart says"
# As systemd: the user without a right, the folder of the cache, the arguments
# of the default file.
unit=$root/usr/lib/systemd/system/rlrun_exporter.service
start=$(sed -n 's/^ExecStart=//p' "$unit")
user=$(sed -n 's/^User=//p' "$unit")
sed -i 's/^ARGS=.*/ARGS="--web.listen-address=127.0.0.1:0"/' "$root/etc/default/rlrun_exporter"
cat >"$root/tmp/start.sh" <<START
set -eu
. /etc/default/rlrun_exporter
install -d -m 0750 -o $user -g $user /var/cache/rlrun_exporter
exec setpriv --reuid=$user --regid=$user --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all $start
START
: >"$work/serve.log"
"${inside[@]}" sh /tmp/start.sh 2>"$work/serve.log" &
server=$!
url=
for ((i = 0; i < 200; ++i)); do
  url=$(sed -n 's/.*Listening.*url=\(http[^ ]*\).*/\1/p' "$work/serve.log")
  [[ -z $url ]] || break
  sleep 0.1
done
[[ -n $url ]] || { cat "$work/serve.log" >&2; die "not listening"; }
metrics=
for ((i = 0; i < 200; ++i)); do
  metrics=$(curl -sf --noproxy '*' "${url%/}/metrics")
  [[ $metrics != *rlrun_info\{* ]] || break
  sleep 0.1
done
for run in kl_blowup frozen_model; do
  grep -q "^rlrun_info{.*run=\"$run\"" <<<"$metrics" || die "no run $run"
done
say "scraped: $(grep -c '^rlrun_' <<<"$metrics") series of $(grep -c '^rlrun_info{' <<<"$metrics") runs"
status=0
"${inside[@]}" rlrun_exporter status /srv/runs --run=kl_blowup >"$work/status" || status=$?
((status == 1)) || die "status ended with $status"
kill -TERM "$server"
wait "$server" || die "it ended with $?"
server=

say "purging"
rm -rf "$root/srv/runs" "$root/tmp/start.sh"
"${inside[@]}" apt-get -q -y purge rlrun-exporter curl >"$work/purge.log" 2>&1 ||
  { cat "$work/purge.log" >&2; die purge; }
# Its dependencies are apt's to remove.
"${inside[@]}" apt-get -q -y autoremove --purge >>"$work/purge.log" 2>&1
list_files >"$work/after"
# Copies that passwd keeps of its files, and what the linker has looked up.
left=$(comm -13 "$work/before" "$work/after" |
  grep -vE '^\./etc/(passwd|group|shadow|gshadow|subuid|subgid)-$' || true)
[[ -z $left ]] || die "left behind: $left"
cmp -s "$work/passwd" "$root/etc/passwd" || die "the user was left behind"
if "${inside[@]}" dpkg-query --show rlrun-exporter >/dev/null 2>&1; then die "dpkg still knows it"; fi
say "nothing is left behind"
