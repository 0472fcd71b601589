# random-io.sh PORT MOUNT-PORT PATH SECONDS SEED: random reads and writes by the kernel's NFSv3 client on a server on
# the host's 127.0.0.1. The files stay there; their checksums are left in /mnt/out/expected.sha256.
. /mnt/interop/lib.sh

check "siw device" start_siw
quiet_kernel_log
check "mount" mount_v3 "$HOST" "$1" "$2" "$3"
mountpoint -q /mnt/nfs || finish
check "random reads and writes, seed $5" random_io /mnt/nfs "$4" "$5"
check "transport counters" transport_is_clean 1
check "umount" umount /mnt/nfs
check "kernel log" kernel_log_is_clean
finish
