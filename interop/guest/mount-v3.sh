# mount-v3.sh PORT MOUNT-PORT PATH: the kernel's NFSv3 client mounts a server on the host's 127.0.0.1 over siw and
# does with it what users do.
. /mnt/interop/lib.sh
. /mnt/interop/nfs-checks.sh

check "siw device" start_siw
quiet_kernel_log
check "mount" mount_v3 "$HOST" "$@"
mountpoint -q /mnt/nfs || finish
nfs_checks /mnt/nfs
check "transport counters" transport_is_clean 1
check "umount" umount /mnt/nfs
check "mount again" mount_v3 "$HOST" "$@"
check "nothing left" eval '[[ -z $(ls -A /mnt/nfs) ]] || fail "$(ls -A /mnt/nfs)"'
check "umount again" umount /mnt/nfs
check "kernel log" kernel_log_is_clean
finish
