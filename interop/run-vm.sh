#!/bin/bash
# Boots the guest that build-vm.sh made, runs a script of guest/ in it, prints its output and exits with its exit code.
#
#   interop/run-vm.sh [OPTION...] SCRIPT [ARGUMENT...]
#     -t SECONDS     time limit of the whole run (default 180)
#     -r TAG=DIR     shares DIR read-only as /mnt/TAG
#     -w TAG=DIR     shares DIR read-write as /mnt/TAG
#     -f HOST:GUEST  forwards TCP port HOST of 127.0.0.1 to port GUEST of the guest
#     -p FILE        captures everything on the guest's network into the pcap FILE
#     -k FILE        keeps the kernel's console in FILE
#     -m MIB         memory (default 2048)
#     -c N           virtual processors (default 2)
#     -v             prints times on stderr
#
# In the guest: SCRIPT is taken from guest/ (or is a path on the host); /mnt/interop is guest/, /mnt/bin the compiled
# helpers, both read-only; eth0 is 10.0.2.15, and 127.0.0.1 of the host is reached as 10.0.2.2.
# The machine is emulated in software (TCG): neither KVM nor root is needed, and nothing leaves this host.
#
# Exit codes of its own: 124 time limit, 125 the guest did not boot or gave no exit code.
#
# INTEROP_BOOT_S is the time that a boot may take (default 60, an idle machine needs 5); a guest that hangs before
# its init, which the emulator does now and then, is started again, three times at most.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

limit=180 memory=2048 processors=2 forwards='' capture='' console='' verbose=''
shares=() devices=()

share() { # TAG=DIR ro|rw
    local tag=${1%%=*} dir=${1#*=} readonly=
    [[ -d $dir ]] || die "no such directory: $dir"
    [[ $2 == ro ]] && readonly=,readonly=on
    [[ $tag == share ]] || shares+=("$tag $2")
    devices+=(-fsdev "local,id=$tag,path=$dir,security_model=none,multidevs=remap$readonly"
        -device "virtio-9p-pci,fsdev=$tag,mount_tag=$tag")
}

while getopts t:r:w:f:p:k:m:c:v option; do
    case $option in
        t) limit=$OPTARG ;;
        r) share "$OPTARG" ro ;;
        w) share "$OPTARG" rw ;;
        f) forwards+=",hostfwd=tcp:127.0.0.1:${OPTARG%%:*}-:${OPTARG#*:}" ;;
        p) capture=$OPTARG ;;
        k) console=$OPTARG ;;
        m) memory=$OPTARG ;;
        c) processors=$OPTARG ;;
        v) verbose=1 ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
(($#)) || die "no SCRIPT given (see the head of $0)"
script=$1
shift
[[ -f $script ]] || script=$INTEROP_DIR/guest/$script
[[ -f $script ]] || die "no such script: $script"
[[ -f $INTEROP_VM/stamp ]] || die "no guest in $INTEROP_VM: run build-vm.sh first"

work=$(mktemp -d)
qemu=''
trap '[[ -z $qemu ]] || kill "$qemu" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 143' TERM INT
mkdir "$work/share"
cp "$script" "$work/share/script"
printf '%q ' exec bash /share/script "$@" >"$work/share/command"
share "share=$work/share" rw
share "interop=$INTEROP_DIR/guest" ro
share "bin=$INTEROP_CACHE/bin" ro
printf '%s\n' "${shares[@]}" >"$work/share/shares"

# One start of the guest. Returns 1 when it did not get as far as its init; else leaves QEMU's exit code in `code`.
boot() {
    local cat deadline=$((SECONDS + ${INTEROP_BOOT_S:-60}))
    rm -f "$work/out" "$work/share/up"
    mkfifo "$work/out"
    cat "$work/out" &
    cat=$!
    timeout -k 5 "$limit" qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
        -machine q35 -accel tcg,thread=multi -cpu max -smp "$processors" -m "$memory" \
        -kernel "$INTEROP_VM/vmlinux" -initrd "$INTEROP_VM/initramfs.cpio" \
        -append "console=ttyS0 quiet panic=-1 mitigations=off nokaslr tsc=reliable audit=0 net.ifnames=0" \
        -chardev "file,id=console,path=$work/console" -serial chardev:console \
        -chardev "file,id=out,path=$work/out" -serial chardev:out \
        -netdev "user,id=net$forwards" -device virtio-net-pci,netdev=net,romfile= -device virtio-rng-pci \
        ${capture:+-object "filter-dump,id=dump,netdev=net,maxlen=65536,file=$capture"} \
        "${devices[@]}" </dev/null >"$work/qemu.log" 2>&1 &
    qemu=$!
    while [[ ! -s $work/share/up ]] && kill -0 "$qemu" 2>/dev/null; do
        if ((SECONDS >= deadline)); then
            kill "$qemu"
            wait "$qemu" || true
            break
        fi
        sleep 0.2
    done
    code=0
    wait "$qemu" || code=$?
    qemu=''
    [[ -e $work/console ]] || kill "$cat" 2>/dev/null || true # QEMU never opened the pipe
    wait "$cat" || true
    [[ -s $work/share/up ]]
}

code=125
began=$EPOCHREALTIME
for attempt in 1 2 3; do
    boot && break
    echo "run-vm: the guest did not reach its init (start $attempt of 3)" >&2
    ((code != 124 && code != 137)) || break           # the time limit, not a hanging start
    ! grep -q hostfwd "$work/qemu.log" || break       # a port that is taken stays taken
    code=125
done
took=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
[[ -z $console || ! -f $work/console ]] || cp "$work/console" "$console"
if [[ -n $verbose ]]; then
    echo "run-vm: up after $(cat "$work/share/up" 2>/dev/null || echo '?') s of guest time, whole run $took s" >&2
fi
if [[ -s $work/share/exit ]]; then
    exit "$(<"$work/share/exit")"
fi
echo "run-vm: no exit code from the guest after $took s (QEMU's: $code)" >&2
tail -5 "$work/qemu.log" >&2
tail -20 "$work/console" 2>/dev/null | tr -d '\r' >&2 || true
[[ $code == 124 || $code == 137 ]] && exit 124
exit 125
