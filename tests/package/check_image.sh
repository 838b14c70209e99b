#!/usr/bin/env bash
# What can be held of the Dockerfile without a container engine: what it says,
# and that everything its build takes is let through by .dockerignore.
# usage: check_image.sh SOURCE_DIR BUILD_DIR
set -euo pipefail

source_dir=$(realpath "$1") build_dir=$(realpath "$2")
dockerfile=$source_dir/Dockerfile
failed=0
fail() {
  printf 'failed: %s\n' "$*" >&2
  failed=1
}

mapfile -t bases < <(sed -n 's/^FROM \([^ ]*\).*/\1/p' "$dockerfile")
[[ ${bases[*]} == 'debian:12-slim debian:12-slim' ]] || fail "bases ${bases[*]}"
[[ $(sed -n 's/^USER //p' "$dockerfile") == 65532:65532 ]] || fail user
# Entry points in brackets are started without a shell.
grep -qx 'ENTRYPOINT \["/usr/bin/rlrun_exporter"\]' "$dockerfile" || fail entrypoint
version=$("$build_dir/bin/rlrun_exporter" --version | cut -d' ' -f2)
grep -qF "org.opencontainers.image.version=\"$version\"" "$dockerfile" || fail "version $version"
for label in title description licenses revision; do
  grep -q "org.opencontainers.image.$label=" "$dockerfile" || fail "label $label"
done

mapfile -t let_in < <(sed -n 's/^!//p' "$source_dir/.dockerignore")
[[ $(sed -n '/^#/!p' "$source_dir/.dockerignore" | head -n 1) == '*' ]] || fail "the rest is not ignored"
for path in "${let_in[@]}"; do
  [[ -e $source_dir/$path ]] || fail ".dockerignore lets in $path, which is not there"
done
# What is let in is all that the build of the Dockerfile takes: it configures,
# and no source that it names, nor any header that our build has read, is missing.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for path in "${let_in[@]}"; do
  mkdir -p "$(dirname "$work/src/$path")"
  cp -R "$source_dir/$path" "$work/src/$path"
done
if cmake -S "$work/src" -B "$work/build" -G Ninja -DRLRUN_TESTS=OFF \
  >"$work/log" 2>&1 &&
  ninja -C "$work/build" -n rlrun_exporter manual >>"$work/log" 2>&1; then
  checked=0
  while read -r header; do
    ((++checked))
    [[ -e $work/src/$header ]] || fail ".dockerignore keeps $header out"
  done < <(ninja -C "$work/build" -t commands rlrun_exporter |
    grep -oE -- '-o [^ ]+\.o' | cut -c4- |
    xargs ninja -C "$build_dir" -t deps 2>/dev/null |
    sed -n 's/^    //p' | sort -u | (cd "$build_dir" && xargs realpath -m) |
    grep -vF "$build_dir/" | sed -n "s|^$source_dir/||p")
  ((checked > 100)) || fail "only $checked headers and sources are known"
else
  tail -n 20 "$work/log" >&2
  fail "what .dockerignore lets in does not configure"
fi
((failed == 0)) && echo "the Dockerfile says what it should"
exit "$failed"
