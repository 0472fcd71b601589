#!/bin/bash
# Checks rpcrdma4j against a stock Linux kernel that runs in an emulated machine. Exit code 0 only when every check has
# run and passed; a peer that cannot be built or booted is a failure.
#
#   interop/check.sh [--long] [--seed N] [GROUP...]
#
# The groups, all by default:
#   baseline  the kernel's client and the kernel's server: are the checks themselves and this machine sound?
#   serve     the kernel's client mounts `rpcrdma4j serve` and does what users do; tshark judges a capture of it
#   random    the kernel's client: random reads and writes on `rpcrdma4j serve`, 60 s (--long: 300 s)
#   restart   the kernel's client goes on while `rpcrdma4j serve` is killed and started again
#   client    `rpcrdma4j` as a client of the kernel's server
#
# --seed is the seed of the random reads and writes; without it the day's date.
# Logs, captures and kernel consoles of the last run are in $INTEROP_CACHE/last. RPCRDMA4J names the command to check
# (default: ./rpcrdma4j of this source tree).
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=groups.sh
. "$INTEROP_DIR/groups.sh"

usage() {
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
}

random_seconds=60 baseline_seconds=5 baseline=few_ sizes=short seed=$(date +%Y%m%d) groups=()
while (($#)); do
    case $1 in
        --long) random_seconds=300 baseline_seconds=60 baseline="" sizes=long ;;
        --seed) seed=${2:?--seed needs a number}; shift ;;
        -h | --help) usage; exit 0 ;;
        baseline | serve | random | restart | client) groups+=("$1") ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done
((${#groups[@]})) || groups=(baseline serve random restart client)

out=$INTEROP_CACHE/last
exec 8>"$INTEROP_CACHE/check.lock"
flock -n 8 || die "another check runs with $INTEROP_CACHE"
rm -rf "$out"
mkdir -p "$out"
trap stop_everything EXIT
trap 'exit 130' INT TERM

began=$SECONDS
"$INTEROP_DIR/build-vm.sh" || die "the Linux peer could not be built: nothing was checked"
build_helper recut
summary=() failed=0
for group in "${groups[@]}"; do
    echo "== $group"
    group_began=$SECONDS
    mkdir "$out/$group"
    if run_group "$group" 2>&1 | tee "$out/$group/log"; then
        result=passed
    else
        result=FAILED
        failed=$((failed + 1))
    fi
    summary+=("$(printf '%-9s %s, %d checks, %d s' "$group" "$result" "$(grep -c '^ok ' "$out/$group/log")" \
        $((SECONDS - group_began)))")
done
echo "== $(<"$INTEROP_VM/kernel"), $((SECONDS - began)) s in all, logs in $out"
printf '%s\n' "${summary[@]}"
((failed == 0))
