#!/usr/bin/env bash
# Packs what has been built and looks into the package.
# usage: check_package.sh SOURCE_DIR BUILD_DIR
set -euo pipefail

source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  printf 'failed: %s\n' "$*" >&2
  failed=1
}

cpack -G DEB --config "$build_dir/CPackConfig.cmake" -B "$work/pack" \
  >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
deb=$(echo "$work"/pack/*.deb)
echo "$(basename "$deb"), $(stat -c %s "$deb") bytes"
[[ $deb == */rlrun-exporter_*_"$(dpkg --print-architecture)".deb ]] || fail "named $deb"

field() { dpkg-deb --field "$deb" "$1"; }
[[ $(field Package) == rlrun-exporter ]] || fail "package $(field Package)"
version=$("$build_dir/bin/rlrun_exporter" --version | cut -d' ' -f2)
[[ $(field Version) == "$version" ]] || fail "version $(field Version)"
for wanted in libc6 libstdc++6 libssl3 libyaml-cpp libre2 adduser; do
  [[ $(field Depends) == *"$wanted"* ]] || fail "does not depend on $wanted"
done
for unwanted in -dev libgtest libbenchmark; do
  [[ $(field Depends) != *"$unwanted"* ]] || fail "depends on $unwanted"
done

# The maintainer is who the build says, and no address that may be somebody's.
contact=$(sed -n 's/^RLRUN_PACKAGE_CONTACT:STRING=//p' "$build_dir/CMakeCache.txt")
[[ -n $contact && $(field Maintainer) == "$contact" ]] || fail "maintainer $(field Maintainer)"
[[ $contact =~ ^[^\<]+\ \<[^@]+@[^@]+\>$ ]] || fail "contact $contact"

dpkg-deb --control "$deb" "$work/control"
cmp "$work/control/conffiles" "$source_dir/packaging/debian/conffiles" || fail conffiles
for script in postinst prerm postrm; do
  [[ -x $work/control/$script ]] || fail "$script is not executable"
  sh -n "$work/control/$script" || fail "$script"
done
mkdir "$work/root"
dpkg-deb --extract "$deb" "$work/root"
for file in usr/bin/rlrun_exporter usr/lib/systemd/system/rlrun_exporter.service \
  etc/rlrun_exporter/config.yaml etc/default/rlrun_exporter \
  usr/share/man/man1/rlrun_exporter.1.gz \
  usr/share/bash-completion/completions/rlrun_exporter \
  usr/share/rlrun_exporter/alerts/signatures.rules.yaml \
  usr/share/rlrun_exporter/alerts/runbooks/RLRunStall.md \
  usr/share/rlrun_exporter/alerts/alertmanager.yaml \
  usr/share/rlrun_exporter/alerts/templates/rlrun.tmpl \
  usr/share/rlrun_exporter/dashboards/rlrun-fleet.json \
  usr/share/doc/rlrun-exporter/copyright \
  usr/share/doc/rlrun-exporter/changelog.gz \
  usr/share/doc/rlrun-exporter/CHANGELOG.md.gz \
  usr/share/doc/rlrun-exporter/config.example.yaml; do
  [[ -f $work/root/$file ]] || fail "no $file"
done
while read -r file; do
  [[ -f $work/root$file ]] || fail "conffile $file is not in the package"
done <"$work/control/conffiles"

# Debian's own tool reads its changelog.
gzip -dc "$work/root/usr/share/doc/rlrun-exporter/changelog.gz" >"$work/changelog"
parsed=$(dpkg-parsechangelog -l "$work/changelog" 2>&1) || fail "$parsed"
for line in "Source: rlrun-exporter" "Version: $version" "Maintainer: $contact"; do
  grep -qxF "$line" <<<"$parsed" || fail "changelog without $line: $parsed"
done

# The very files of the source tree.
diff -r "$source_dir/alerts" "$work/root/usr/share/rlrun_exporter/alerts" || fail alerts
for file in "$source_dir"/dashboards/*.json; do
  cmp "$file" "$work/root/usr/share/rlrun_exporter/dashboards/${file##*/}" || fail "$file"
done

# Nobody but root may write, nothing is setuid, and nothing is anywhere else.
dpkg-deb --contents "$deb" >"$work/contents"
if awk '$2 != "root/root" || $1 ~ /[sS]/ || substr($1, 9, 1) == "w" ||
    substr($1, 6, 1) == "w" {print; bad = 1} END {exit bad}' "$work/contents"; then
  :
else
  fail "owners and modes"
fi
if awk '{print $6}' "$work/contents" |
  grep -vE '^\./($|usr/|etc/$|etc/default/|etc/rlrun_exporter/)'; then
  fail "files outside of /usr and /etc"
fi
stripped=$(file -b "$work/root/usr/bin/rlrun_exporter")
[[ $stripped == *', stripped'* ]] || fail "the binary: $stripped"

"$work/root/usr/bin/rlrun_exporter" check-config \
  "$work/root/etc/rlrun_exporter/config.yaml" >/dev/null || fail "the default configuration"
((failed == 0)) && echo "the package holds what it should"
exit "$failed"
