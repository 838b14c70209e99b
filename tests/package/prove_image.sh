#!/usr/bin/env bash
# Builds the Dockerfile with buildah, and runs the image: as its user, without
# capabilities, over logs that are mounted. buildah comes from Debian and runs in
# a root of its own; the base image is made by debootstrap, since this must work
# where no registry of images can be reached. Compiles everything: minutes.
# Needs root, debootstrap and the network. Run by hand:
#   tests/package/prove_image.sh SOURCE_DIR BUILD_DIR [--root=DIR]
# BUILD_DIR holds the writer of sample logs; --root=DIR is a root that
# debootstrap has made (left as it is).
set -euo pipefail

source_dir=$1 build_dir=$2
pristine=
case ${3:-} in
  '') ;;
  --root=*) pristine=${3#--root=} ;;
  *)
    echo "unknown argument: $3" >&2
    exit 64
    ;;
esac
if ((EUID != 0)); then
  echo "needs root" >&2
  exit 1
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/rlrun-image.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
say() { printf '%s\n' "--- $*"; }

if [[ -z $pristine ]]; then
  say "debootstrap bookworm"
  pristine=$work/pristine
  debootstrap --variant=minbase bookworm "$pristine" >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2; exit 1; }
fi
cp -a "$pristine" "$root"
mkdir "$root/proof"
tar -C "$pristine" --exclude=./proc --exclude=./sys --exclude='./dev/*' \
  -cf "$root/proof/debian.tar" .
(cd "$source_dir" && tar --exclude='./build*' --exclude=./node_modules \
  --exclude=./.git -cf - .) | (mkdir "$root/proof/src" && tar -C "$root/proof/src" -xf -)
"$build_dir/bin/rlrun_scenario" write kl_blowup frozen_model \
  --dir="$root/proof/runs" --ledger="$work/ledger.json"
revision=$(git -C "$source_dir" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

cat >"$root/proof/build.sh" <<'BUILD'
set -euo pipefail
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q -y install --no-install-recommends buildah ca-certificates
base=$(buildah from scratch)
buildah add -q "$base" /proof/debian.tar /
buildah commit -q "$base" docker.io/library/debian:12-slim
buildah rm "$base" >/dev/null
buildah bud --pull-never --build-arg REVISION="$1" --tag rlrun-exporter /proof/src
BUILD
cat >"$root/proof/run.sh" <<'RUN'
set -euo pipefail
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
image=$(buildah from --pull-never localhost/rlrun-exporter)
says() { buildah inspect --type image --format "$1" localhost/rlrun-exporter; }
printf 'user %s, entry point %s\n' "$(says '{{.OCIv1.Config.User}}')" \
  "$(says '{{.OCIv1.Config.Entrypoint}}')"
says '{{range $k, $v := .OCIv1.Config.Labels}}{{$k}}={{$v}}
{{end}}' | grep opencontainers
[[ $(says '{{.OCIv1.Config.User}}') == 65532:65532 ]]
[[ $(says '{{.OCIv1.Config.Entrypoint}}') == '[/usr/bin/rlrun_exporter]' ]]
run() {
  buildah run --user 65532:65532 --cap-drop=all \
    --volume /proof/runs:/data/runs:ro "$image" -- /usr/bin/rlrun_exporter "$@"
}
run --version
run once /data/runs >/proof/metrics
for name in kl_blowup frozen_model; do
  grep -q "^rlrun_info{run=\"$name\"" /proof/metrics
done
echo "once: $(grep -c '^rlrun_' /proof/metrics) series"
buildah images
RUN
# buildah wants its root to be a mount, and processes of its own.
# shellcheck disable=SC2016  # it is the inner shell that expands it
inside=(unshare --mount --pid --fork --propagation private sh -c '
  root=$1; shift
  mount --bind "$root" "$root"
  cd "$root"
  mount -t proc proc proc
  mount --rbind /dev dev
  mount --rbind /sys sys
  mount -t tmpfs tmpfs run
  mkdir -p .old
  pivot_root . .old
  cd /
  umount -l /.old
  exec /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
  ' _ "$root")

say "building"
"${inside[@]}" bash /proof/build.sh "$revision" >"$work/build.log" 2>&1 ||
  { tail -n 40 "$work/build.log" >&2; exit 1; }
say "running"
"${inside[@]}" bash /proof/run.sh
say "the image is built and runs"
