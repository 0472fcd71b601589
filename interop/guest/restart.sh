# restart.sh PORT MOUNT-PORT PATH: the server on the host is killed and started again in the middle of writing and of
# reading. Whenever /mnt/out/kill appears, the host does so, and removes the file when the server is back.
. /mnt/interop/lib.sh

BYTES=$((48 << 20))

kill_server_soon() {
    sleep "0.$((RANDOM % 5 + 3))"
    touch /mnt/out/kill
}

server_is_back() {
    local n
    for n in {1..300}; do
        [[ -e /mnt/out/kill ]] || return 0
        sleep 0.1
    done
    fail "the server did not come back within 30 s"
}

write_through_restart() {
    kill_server_soon &
    dd if=/tmp/source of=/mnt/nfs/copy bs=1M conv=fsync status=none || return
    wait
    server_is_back
}

read_through_restart() {
    drop_caches
    kill_server_soon &
    cmp /tmp/source /mnt/nfs/copy || return
    wait
    server_is_back
}

names_through_restart() {
    local n
    kill_server_soon &
    for n in {1..400}; do
        mkdir "/mnt/nfs/name-$n" && mv "/mnt/nfs/name-$n" "/mnt/nfs/other-$n" && rmdir "/mnt/nfs/other-$n" || return
    done
    wait
    server_is_back
}

# A file handle from before must be good after.
open_file_through_restart() {
    exec 5</mnt/nfs/copy
    touch /mnt/out/kill
    server_is_back || return
    drop_caches
    cmp -n 3000000 - /tmp/source <&5 || return
    exec 5<&-
}

head -c "$BYTES" /dev/urandom >/tmp/source
check "siw device" start_siw
quiet_kernel_log
check "mount" mount_v3 "$HOST" "$@"
mountpoint -q /mnt/nfs || finish
check "write $((BYTES >> 20)) MiB while the server is killed" write_through_restart
check "read $((BYTES >> 20)) MiB while the server is killed" read_through_restart
check "an open file after the server was killed" open_file_through_restart
check "what the server has is what was written" eval 'drop_caches; cmp /tmp/source /mnt/nfs/copy'
check "remove" rm /mnt/nfs/copy
check "umount" umount /mnt/nfs
check "kernel log" kernel_log_is_clean 'nfs: server .* (not responding|OK)'
finish
