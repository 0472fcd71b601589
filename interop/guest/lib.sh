# shellcheck shell=bash
# Helpers for the scripts that run in the guest. Sourced, never run.
#
# A script is a row of checks: `check NAME COMMAND...` runs the command (a function, mostly) and prints one line, ok or
# FAIL with its output. `finish` must be the last command; a script that ends before it has failed.

HOST=10.0.2.2   # 127.0.0.1 of the host
GUEST=10.0.2.15 # this machine
failed=0 passed=0 finished=''

trap '[[ -n $finished ]] || { echo "FAIL the script ended before its last check"; exit 1; }' EXIT

check() {
    local name=$1 began=$EPOCHREALTIME output
    shift
    if output=$("$@" 2>&1); then
        passed=$((passed + 1))
        # what a check prints when it is well are its figures: one line
        echo "ok   $name ($(seconds_since "$began") s)${output:+: ${output##*$'\n'}}"
    else
        failed=$((failed + 1))
        echo "FAIL $name ($(seconds_since "$began") s)"
        echo "${output:-no message}" | sed 's/^/     /'
    fi
}

seconds_since() {
    awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }'
}

finish() {
    finished=1
    echo "$passed checks passed, $failed failed"
    exit $((failed > 0))
}

# fail TEXT...: says why a check fails; meant for `condition || fail ...`.
fail() {
    echo "$*"
    return 1
}

drop_caches() {
    echo 3 >/proc/sys/vm/drop_caches
}

# Empties the kernel's log before the checks, and keeps the dropping of caches out of it.
quiet_kernel_log() {
    echo 4 >/proc/sys/vm/drop_caches
    dmesg -C
}

# Loads the client's modules and makes a siw device on eth0.
start_siw() {
    modprobe -a siw rdma_ucm rpcrdma nfs nfsv3 && rdma link add siw0 type siw netdev eth0
}

# Starts the kernel's NFS server with its RDMA listener on port 20049 and MOUNT on port 20048; it exports /export,
# an ext4 file system in memory.
start_server() {
    modprobe brd rd_nr=1 rd_size=$((640 * 1024)) || return
    mkfs.ext4 -q -b 4096 -m 0 -O ^has_journal /dev/ram0 || return
    mkdir -p /export
    mount /dev/ram0 /export || return
    rmdir /export/lost+found
    modprobe -a sunrpc nfsd rpcrdma || return
    mount -t nfsd nfsd /proc/fs/nfsd || return
    rpcbind -w || return
    exportfs -i -o rw,no_root_squash,no_subtree_check,insecure,fsid=0 '*:/export' || return
    # otherwise 256 KiB, a consequence of the guest's small memory
    echo 1048576 >/proc/fs/nfsd/max_block_size
    rpc.nfsd -V 3 8 || return
    # rpc.nfsd opens the RDMA listener itself where its configuration says so, as Debian's does
    grep -q '^rdma 20049' /proc/fs/nfsd/portlist || echo "rdma 20049" >/proc/fs/nfsd/portlist || return
    rpc.mountd -p 20048 || return
    grep -c '^rdma 20049' /proc/fs/nfsd/portlist >/dev/null || fail "no RDMA listener"
}

# mount_v3 SERVER PORT MOUNT-PORT PATH [EXTRA-OPTIONS]: mounts on /mnt/nfs.
mount_v3() {
    mkdir -p /mnt/nfs
    local options=vers=3,proto=rdma,port=$2,mountproto=tcp,mountport=$3,nolock${5:+,$5}
    timeout 60 mount -t nfs -o "$options" "$1:$4" /mnt/nfs \
        || { dmesg | tail -5; return 1; }
    awk '$2 == "/mnt/nfs" { print $1, $4 }' /proc/mounts
}

# random_io DIRECTORY SECONDS SEED: the random read/write program, in a new directory below DIRECTORY. Its files stay
# there; their checksums are left in /tmp/expected.sha256, and in /mnt/out for the host.
random_io() {
    local log=/tmp/random-io.log
    mkdir "$1/random-io" /tmp/expected || return
    if ! /mnt/bin/random-io -j 2 -o /tmp/expected "$1/random-io" "$2" "$3" >"$log" 2>&1; then
        cat "$log"
        return 1
    fi
    (cd /tmp/expected && sha256sum -- *) >/tmp/expected.sha256
    [[ ! -d /mnt/out ]] || cp /tmp/expected.sha256 /mnt/out/expected.sha256
    sed -n 's/^.*\(worker [0-9]*: [0-9]* operations in .* compared\):.*/\1/p' "$log" | sort | paste -s -d ';'
}

# The client's own counters of the transport: fails unless it has connected $1 times and every reply was good.
# A call that "failed to marshal" ran out of memory registrations for a moment and was sent later; siw clients see that.
# The columns are those of xprt_rdma_print_stats in the kernel.
transport_is_clean() {
    awk -v connects="$1" '
        $1 == "device" { ours = $5 == "/mnt/nfs" }
        ours && $1 == "xprt:" && $2 == "rdma" {
            seen = 1
            printf "%d calls, %d replies, Read chunks %d, Write chunks %d, Reply chunks %d, pulled up %d, " \
                "connected %d, bad XIDs %d, failed to marshal %d, bad replies %d\n", \
                $8, $9, $13, $14, $15, $18, $5, $10, $21, $22
            bad = $5 != connects || $8 != $9 || $10 != 0 || $22 != 0
        }
        END { exit !seen || bad }' /proc/self/mountstats
}

# kernel_log_is_clean [PATTERN]: fails when the kernel has logged anything since quiet_kernel_log, but for lines that
# match PATTERN, the one that says that no port mapper for iWARP runs, which none needs, and those of a slow machine.
kernel_log_is_clean() {
    local unexpected
    unexpected=$(dmesg | grep -v -E "iwpm_register_pid: Unable to send a nlmsg|hrtimer: interrupt took${1:+|$1}")
    [[ -z $unexpected ]] || fail "$unexpected"
}
