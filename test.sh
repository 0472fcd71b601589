#!/bin/sh
# Passes every test of rpcrdma4j: the build with all its checks, then the Linux kernel as client and as server in
# an emulated machine (see interop/README.md). Needs JDK 25, Maven, and the Debian packages that .ci/run installs.
set -eu
root=$(cd "$(dirname "$0")" && pwd)
"$root/build.sh" verify "$@"
exec "$root/interop/check.sh"
