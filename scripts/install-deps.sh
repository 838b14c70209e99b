#!/usr/bin/env bash
# Installs what the project needs from the packages of Debian 12, by group:
#   build  compiler and libraries: all that rlrun_exporter itself needs
#   test   GoogleTest, benchmark, checkers, a browser; unpacks prometheus and
#          mtail; the npm packages of package-lock.json, below node_modules
#   demo   what the demo of run.sh talks to; unpacks prometheus
# Peers are unpacked below a folder and never installed: their packages would
# start services on this machine. Asks apt for nothing that is there already.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: scripts/install-deps.sh [--peers=DIR] [build|test|demo]...

Without a group: all of them. Needs Debian 12 or later, and root or sudo where a
package is missing.
  --peers=DIR  where prometheus and mtail are unpacked
               (default: $RLRUN_PEERS, else build/peers in the source tree)
USAGE
}

say() { printf 'install-deps: %s\n' "$*" >&2; }
die() {
  say "$@"
  exit 1
}

build_packages=(
  ca-certificates ccache cmake dpkg-dev file g++ git
  libboost-filesystem-dev libcli11-dev
  libcpp-httplib-dev libcrypt-dev libdeflate-dev libre2-dev libspdlog-dev
  libssl-dev libyaml-cpp-dev ninja-build pkg-config prometheus-cpp-dev
  rapidjson-dev zlib1g-dev)
test_packages=(
  clang-format-14 clang-tidy-14 libbenchmark-dev libgmock-dev libgtest-dev
  chromium curl groff-base openssl shellcheck systemd wrk)
demo_packages=(curl)

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
peers_dir=${RLRUN_PEERS:-$source_dir/build/peers}
groups=()
for argument in "$@"; do
  case $argument in
    --peers=*) peers_dir=${argument#--peers=} ;;
    build | test | demo) groups+=("$argument") ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      die "unknown argument: $argument"
      ;;
  esac
done
((${#groups[@]})) || groups=(build test demo)

# Testing and unstable state no VERSION_ID; they are younger than Debian 12.
check_system() {
  local ID='' VERSION_ID='' PRETTY_NAME=''
  if [[ -r /etc/os-release ]]; then
    # shellcheck source=/dev/null
    . /etc/os-release
  fi
  if [[ $ID != debian ]] || ((${VERSION_ID:-99} < 12)); then
    die "needs Debian 12 or later; this is ${PRETTY_NAME:-an unknown system}"
  fi
  local tool
  for tool in apt-get dpkg dpkg-query; do
    command -v "$tool" >/dev/null || die "needs $tool, which is not here"
  done
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "packages are missing, and this is neither root nor is sudo here"
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}

updated=no
update_lists() {
  [[ $updated == no ]] || return 0
  apt_get update
  updated=yes
}

# install_packages NAME...: installs those that are missing.
install_packages() {
  local -A present=()
  local name status missing=()
  while read -r name status; do
    if [[ $status == installed ]]; then present[$name]=1; fi
  done < <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)
  for name in "$@"; do
    if [[ -z ${present[$name]:-} ]]; then missing+=("$name"); fi
  done
  ((${#missing[@]})) || return 0
  say "installing: ${missing[*]}"
  update_lists
  apt_get install --no-install-recommends "${missing[@]}"
}

# Another vendor's nodejs brings its own npm and conflicts with Debian's.
install_node() {
  local missing=()
  command -v node >/dev/null || missing+=(nodejs)
  command -v npm >/dev/null || missing+=(npm)
  ((${#missing[@]})) || return 0
  install_packages "${missing[@]}"
}

# A copy of the lock tells whether what is installed is of another one.
install_npm_packages() {
  local lock=$source_dir/package-lock.json
  local stamp=$source_dir/node_modules/.installed-lock
  if cmp -s "$lock" "$stamp"; then return 0; fi
  say "installing the packages of package-lock.json"
  (cd "$source_dir" && npm ci --ignore-scripts --no-audit --no-fund \
    --loglevel=error --fetch-retries=5)
  cp "$lock" "$stamp"
}

# unpack_peer PACKAGE BINARY: fetches a package and unpacks it, uninstalled.
unpack_peer() {
  local package=$1 binary=$peers_dir/usr/bin/$2
  if "$binary" --version >/dev/null 2>&1; then return 0; fi
  say "unpacking $package below $peers_dir"
  mkdir -p "$peers_dir"
  local work
  work=$(mktemp -d "$peers_dir/fetch.XXXXXX")
  # The sandbox user of apt cannot write here; without root there is none.
  local fetch=(apt-get -q -o APT::Sandbox::User=root -o Acquire::Retries=3
    download "$package")
  if ! (cd "$work" && "${fetch[@]}" 2>/dev/null); then
    update_lists
    if ! (cd "$work" && "${fetch[@]}"); then
      rm -rf "$work"
      die "cannot fetch $package"
    fi
  fi
  dpkg -x "$work"/*.deb "$peers_dir"
  rm -rf "$work"
  "$binary" --version >/dev/null 2>&1 || die "$binary does not run here"
}

# Debian's Alertmanager reads its own templates from a place that only an
# installed package has. bin/alertmanager is a copy that reads them from where
# it is unpacked: the path in it is another one of the same length, which leads
# through the working directory. Its arguments must be absolute paths.
relocate_alertmanager() {
  local fixed=/usr/share/prometheus/alertmanager
  local here=/proc/self/cwd////////alertmanager
  local copy=$peers_dir/bin/alertmanager
  ((${#fixed} == ${#here})) || die "paths of two lengths"
  if "$copy" --version >/dev/null 2>&1; then return 0; fi
  mkdir -p "$peers_dir/bin"
  LC_ALL=C sed "s|$fixed|$here|g" "$peers_dir/usr/bin/prometheus-alertmanager" \
    >"$copy.copy"
  # The script comes last: where it is, the copy is whole.
  cat >"$copy.new" <<'SCRIPT'
#!/bin/sh
cd "${0%/*}/../usr/share/prometheus" &&
  exec ../../../bin/alertmanager.copy "$@"
SCRIPT
  chmod +x "$copy.copy" "$copy.new"
  mv "$copy.new" "$copy"
  "$copy" --version >/dev/null 2>&1 || die "$copy does not run here"
}

check_system
packages=()
peers=()
for group in "${groups[@]}"; do
  case $group in
    build) packages+=("${build_packages[@]}") ;;
    test)
      packages+=("${test_packages[@]}")
      peers+=("prometheus promtool" "prometheus-alertmanager amtool" "mtail mtail")
      ;;
    demo)
      packages+=("${demo_packages[@]}")
      peers+=("prometheus promtool" "prometheus-alertmanager amtool")
      ;;
  esac
done
install_packages "${packages[@]}"
if [[ " ${groups[*]} " == *' test '* ]]; then
  install_node
  install_npm_packages
fi
for peer in "${peers[@]}"; do
  read -r package binary <<<"$peer"
  unpack_peer "$package" "$binary"
done
if ((${#peers[@]})); then relocate_alertmanager; fi
say "ready: ${groups[*]}"
