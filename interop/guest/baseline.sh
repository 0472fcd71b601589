# baseline.sh RANDOM-SECONDS SEED [few_]: the same checks, or a few of them, between the kernel's own client and server, in one guest. What fails
# here is a fault of the checks or of the machine, not of rpcrdma4j.
. /mnt/interop/lib.sh
. /mnt/interop/nfs-checks.sh

# The random read/write program must notice bytes that change behind its back.
notices_changes() {
    local n log=/tmp/noticed.log program
    mkdir /mnt/nfs/noticed
    /mnt/bin/random-io /mnt/nfs/noticed 30 7 >"$log" 2>&1 &
    program=$!
    for n in {1..100}; do
        printf '\125' | dd of="/export/noticed/w0-f$((n % 4))" bs=1 seek=$((n * 8 + 3)) conv=notrunc 2>/dev/null
        sleep 0.1
        kill -0 "$program" 2>/dev/null || break
    done
    ! wait "$program" || fail "not noticed" || return
    grep -q 'DIFFERENCE' "$log" || { cat "$log"; return 1; }
    rm -rf /mnt/nfs/noticed
    echo "noticed after $n changes"
}

check "siw device" start_siw
check "server" start_server
quiet_kernel_log
check "mount" mount_v3 "$GUEST" 20049 20048 /export
mountpoint -q /mnt/nfs || finish
"${3}nfs_checks" /mnt/nfs
check "random reads and writes, seed $2" random_io /mnt/nfs "$1" "$2"
check "the server has what the program wrote" eval 'cd /export/random-io && sha256sum --quiet -c /tmp/expected.sha256'
check "the program notices changes" notices_changes
check "transport counters" transport_is_clean 1
check "umount" umount /mnt/nfs
check "kernel log" kernel_log_is_clean
finish
