#!/usr/bin/env bash
# What can be held of the Dockerfile without a container engine: what it says,
# and that everything it copies is let through by .dockerignore.
# usage: check_image.sh SOURCE_DIR BUILD_DIR
set -euo pipefail

source_dir=$1 build_dir=$2
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

# What CMake reads without tests must be let through.
mapfile -t let_in < <(sed -n 's/^!//p' "$source_dir/.dockerignore")
[[ $(sed -n '/^#/!p' "$source_dir/.dockerignore" | head -n 1) == '*' ]] || fail "the rest is not ignored"
for path in "${let_in[@]}"; do
  [[ -e $source_dir/$path ]] || fail ".dockerignore lets in $path, which is not there"
done
while read -r path; do
  for known in "${let_in[@]}"; do
    if [[ $path == "$known" || $path == "$known"/* ]]; then continue 2; fi
  done
  fail ".dockerignore keeps $path out"
done < <(cd "$source_dir" && ls CMakeLists.txt packaging/CMakeLists.txt \
  scripts/install-deps.sh cmake/*.cmake README.md CHANGELOG.md config.example.yaml \
  alerts/*.rules.yaml dashboards/*.json exporter/main.cc tests/scenarios/CMakeLists.txt)
((failed == 0)) && echo "the Dockerfile says what it should"
exit "$failed"
