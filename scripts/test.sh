#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs every test. The last
# lines are the summary of ctest.
set -euo pipefail

if (($#)); then
  cat <<'USAGE'
usage: scripts/test.sh
  RLRUN_TEST_BUILD_DIR=DIR  build folder (default: build-test in the source tree)
  RLRUN_PEERS=DIR           where prometheus is unpacked (default: build/peers)
USAGE
  [[ $1 == -h || $1 == --help ]] || exit 64
  exit 0
fi

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${RLRUN_TEST_BUILD_DIR:-$source_dir/build-test}
export RLRUN_PEERS=${RLRUN_PEERS:-$source_dir/build/peers}
# Clones share the compiler's cache, wherever they lie.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$source_dir}
export CCACHE_NOHASHDIR=1

"$source_dir/scripts/install-deps.sh" build test demo
cmake -S "$source_dir" -B "$build_dir" -G Ninja \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRLRUN_TESTS=ON
ninja -C "$build_dir"
ctest --test-dir "$build_dir" -j2 --output-on-failure
