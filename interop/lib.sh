# shellcheck shell=bash
# Settings and helpers shared by the scripts of this directory. Sourced, never run.

INTEROP_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
INTEROP_CACHE=${INTEROP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rpcrdma4j-interop}
INTEROP_VM=$INTEROP_CACHE/vm

# die TEXT...: says why on stderr and exits with 1.
die() {
    echo "$(basename "$0" .sh): $*" >&2
    exit 1
}

# need TOOL=PACKAGE...: fails unless every tool is there, and names the packages to install.
need() {
    local pair missing=()
    for pair in "$@"; do
        command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
    done
    ((${#missing[@]} == 0)) || die "missing, install with: apt-get install ${missing[*]}"
}

# free_port: a TCP port of 127.0.0.1 that nothing listens on, below the kernel's ephemeral range.
free_port() {
    local port
    while :; do
        port=$((RANDOM % 12000 + 20100))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

# build_helper NAME: compiles src/NAME.c into $INTEROP_CACHE/bin, linked statically so that it runs in the guest too.
build_helper() {
    local source=$INTEROP_DIR/src/$1.c binary=$INTEROP_CACHE/bin/$1
    [[ -n $(find "$INTEROP_DIR/src" -newer "$binary" 2>&1) ]] || return 0
    need gcc-12=gcc-12
    mkdir -p "$INTEROP_CACHE/bin"
    gcc-12 -std=c11 -O2 -Wall -Wextra -Werror -static -o "$binary.$$" "$source" || die "$1 does not compile"
    mv "$binary.$$" "$binary"
}
