# kernel-server.sh SECONDS: the kernel's NFS server, for a client on the host (see -f of run-vm.sh: NFS over RDMA on
# port 20049, MOUNT on port 20048). The host drives it through files in /mnt/out:
#
#   ready         appears when the server is up
#   served.sha256 is written before: the checksums of /export/served, files for the client to read
#   verify        created by the host, with lines for sha256sum -c: the files below /export are compared, the file goes
#                 away, and `verified` holds what differs; it is empty when all is well
#   stop          created by the host: the script ends; without it, it ends after SECONDS
. /mnt/interop/lib.sh

make_served_files() {
    local size
    mkdir -p /export/served/directory
    head -c 5000000 /dev/urandom >/tmp/source
    for size in 0 1 3 4095 4096 4097 1048575 1048576 1048579 5000000; do
        head -c "$size" /tmp/source >"/export/served/size-$size" || return
    done
    (cd /export/served && sha256sum -- size-*) >/mnt/out/served.sha256
    seq -f "/export/served/directory/name-%04g" 600 | xargs touch
    ln -s size-4096 /export/served/link
}

check "siw device" start_siw
check "server" start_server
check "files to serve" make_served_files
quiet_kernel_log
((failed)) || touch /mnt/out/ready
while ((SECONDS < $1 && failed == 0)) && [[ ! -e /mnt/out/stop ]]; do
    if [[ -e /mnt/out/verify ]]; then
        sync
        (cd /export && sha256sum --quiet -c /mnt/out/verify) >/tmp/verified 2>&1
        mv /tmp/verified /mnt/out/verified
        rm /mnt/out/verify
    fi
    sleep 0.1
done
# a client that ends closes its connection; what svcrdma says about that is no trouble
check "kernel log of the server" kernel_log_is_clean
finish
