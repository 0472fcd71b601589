#!/bin/bash
# Builds the emulated Linux peer out of Debian 12 packages, into the cache directory:
#
#   vm/vmlinux        Debian's stock kernel, unpacked
#   vm/initramfs.cpio the guest's whole file system: user space, kernel modules, guest/init
#   bin/random-io     the read/write verifier of src/, linked statically
#
#   interop/build-vm.sh [--force]
#
# Debian's kernel has NFS over RDMA (rpcrdma: the client xprtrdma and the server svcrdma) as modules, but
# leaves out siw, the software iWARP device. siw.ko is therefore built here from Debian's own source package of
# the same kernel, unchanged, against Debian's headers. Nothing is installed on this host and no root is needed.
# When everything is up to date the script ends at once.
#
# INTEROP_CACHE names the cache directory (default ~/.cache/rpcrdma4j-interop, about 500 MB).
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# What is unpacked into the guest. Libraries are listed one by one instead of resolved: Debian 12 is stable, and
# dependencies would drag in Perl and Python. check_libraries below fails when one is missing.
GUEST_PACKAGES=(
    # a shell and its tools; busybox fills the gaps
    base-files libc6 libgcc-s1 bash libtinfo6 coreutils libacl1 libattr1 libgmp10 libselinux1 libpcre2-8-0
    findutils diffutils grep sed mawk util-linux mount libmount1 libblkid1 libuuid1 libsmartcols1 libcap-ng0 libcrypt1
    busybox-static kmod libkmod2 liblzma5 libzstd1 zlib1g libssl3
    iproute2 libbpf1 libelf1 libmnl0 libbsd0 libmd0 libxtables12 libcap2
    e2fsprogs libext2fs2 libcom-err2 libss2
    # NFS client and server
    nfs-common nfs-kernel-server libnfsidmap1 libtirpc3 libtirpc-common rpcbind libwrap0 libnsl2 netbase
    libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 keyutils libevent-core-2.1-7
    libdevmapper1.02.1 libudev1 libsystemd0 libgcrypt20 libgpg-error0 liblz4-1
    # RDMA user space, to look around by hand
    ibverbs-utils ibverbs-providers libibverbs1 rdmacm-utils librdmacm1 libnl-3-200 libnl-route-3-200
)
# Programs that the guest's scripts call; each one's libraries must be complete.
GUEST_PROGRAMS=(
    bash cat cmp dd df diff find grep sed awk stat sha256sum mount umount mkfs.ext4 modprobe ip rdma
    mount.nfs rpcbind exportfs rpc.nfsd rpc.mountd ibv_devices rping
)
GUEST_MODULES=(
    virtio_pci virtio_net virtio_rng 9p 9pnet_virtio brd ext4 crc32c_generic crc32c-intel libcrc32c
    siw rdma_rxe ib_core ib_uverbs rdma_cm iw_cm rdma_ucm rpcrdma nfs nfsv3 nfsv4 nfsd lockd auth_rpcgss
)

# download DIRECTORY PACKAGE[=VERSION]...: fetches packages that are not in DIRECTORY yet.
download() {
    local dir=$1 attempt wanted=() spec
    shift
    mkdir -p "$dir"
    for spec in "$@"; do
        [[ -f $(deb "$dir" "$spec") ]] || wanted+=("$spec")
    done
    ((${#wanted[@]})) || return 0
    for attempt in 1 2 3; do
        if (cd "$dir" && apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" \
            download "${wanted[@]}") >"$dir/apt.log" 2>&1; then
            return 0
        fi
        ((attempt == 3)) || sleep $((attempt * 5))
    done
    tail -5 "$dir/apt.log" >&2
    die "packages could not be downloaded (is apt-get update recent?)"
}

# deb DIRECTORY PACKAGE[=VERSION]: the file name under which apt-get download puts the package.
deb() {
    local name=${2%%=*} version arch=amd64
    version=${versions[$name]-}
    [[ $2 == *=* ]] && version=${2#*=}
    [[ -n $version ]] || die "package $name is unknown to apt (is apt-get update recent?)"
    [[ -f $1/${name}_${version//:/%3a}_all.deb ]] && arch=all
    echo "$1/${name}_${version//:/%3a}_$arch.deb"
}

unpack() { # DEB DIRECTORY [TAR-ARGUMENT...]
    local file=$1 into=$2
    shift 2
    dpkg-deb --fsys-tarfile "$file" | tar -x -C "$into" --keep-directory-symlink --no-same-owner "$@"
}

# Reads the candidate version of every package that is used into the table `versions`.
read_versions() {
    local name version
    while read -r name version; do
        versions[$name]=$version
    done < <(apt-cache policy "$@" | awk '
        /^[^ ].*:$/ { name = substr($1, 1, length($1) - 1) }
        $1 == "Candidate:" && $2 != "(none)" { print name, $2 }')
}

# Builds siw.ko for the kernel; the result is kept for as long as the kernel's version does not change.
build_siw() { # RESULT
    local work=$tmp/siw-build package
    mkdir -p "$work/tree" "$work/siw"
    for package in "linux-headers-$kver" "linux-headers-${kver%-amd64}-common" linux-kbuild-6.1; do
        unpack "$(deb "$debs" "$package=$kdeb")" "$work/tree"
    done
    sed -i "s#/usr/src/#$work/tree/usr/src/#" "$work/tree/usr/src/linux-headers-$kver/Makefile"
    dpkg-deb --fsys-tarfile "$(deb "$debs" "linux-source-6.1=$kdeb")" | tar -xO ./usr/src/linux-source-6.1.tar.xz \
        | tar -xJ -C "$work/siw" --wildcards --strip-components=5 'linux-source-6.1/drivers/infiniband/sw/siw/*'
    make -C "$work/tree/usr/src/linux-headers-$kver" M="$work/siw" CONFIG_RDMA_SIW=m CC=gcc-12 \
        -j"$(nproc)" modules >"$INTEROP_CACHE/siw-build.log" 2>&1 \
        || { tail -20 "$INTEROP_CACHE/siw-build.log" >&2; die "siw.ko does not build"; }
    strip --strip-debug "$work/siw/siw.ko"
    mv "$work/siw/siw.ko" "$1"
}

# A bzImage is a loader with the compressed kernel behind it; where it lies stands in the header (Linux boot
# protocol 2.08: setup_sects, payload_offset, payload_length). Booted unpacked, through PVH, the guest need not
# emulate the decompressor, which saves some four seconds a boot.
unpack_kernel() { # BZIMAGE RESULT
    local setup offset length
    setup=$(od -An -tu1 -j $((0x1f1)) -N1 "$1")
    offset=$(od -An -tu4 -j $((0x248)) -N4 "$1")
    length=$(od -An -tu4 -j $((0x24c)) -N4 "$1")
    dd if="$1" bs=64K iflag=skip_bytes,count_bytes status=none \
        skip=$(((setup + 1) * 512 + offset)) count=$((length - 4)) | xz -dc >"$2" \
        || die "the kernel in $1 is not compressed with xz"
    [[ $(head -c 4 "$2") == $'\x7fELF' ]] || die "no ELF kernel in $1"
}

copy_modules() { # FROM-ROOT TO-ROOT
    local from=$1/lib/modules/$kver to=$2/usr/lib/modules/$kver module file
    mkdir -p "$to"
    for module in "${GUEST_MODULES[@]}"; do
        modprobe -d "$1" -S "$kver" --show-depends "$module" >"$tmp/depends" 2>/dev/null \
            || die "the kernel has no module $module"
        sed -n 's/^insmod \([^ ]*\).*/\1/p' "$tmp/depends"
    done | sort -u | while read -r file; do
        install -D -m 644 "$file" "$to/${file#"$from/"}"
    done
    cp "$from"/modules.{builtin,builtin.modinfo,order} "$to/"
    depmod -b "$2" "$kver"
}

check_libraries() { # ROOT
    local program path
    for program in "${GUEST_PROGRAMS[@]}"; do
        path=$(find "$1/usr/bin" "$1/usr/sbin" -name "$program" | head -1)
        [[ -n $path ]] || die "the guest has no program $program"
        [[ $(readlink -f "$path") == */busybox ]] && continue
        "$1/usr/lib64/ld-linux-x86-64.so.2" --library-path "$1/usr/lib/x86_64-linux-gnu" \
            --list "$(readlink -f "$path")" >"$tmp/libraries" 2>&1 || die "$program: $(head -1 "$tmp/libraries")"
        ! grep 'not found' "$tmp/libraries" >&2 || die "$program lacks a library: add its package to GUEST_PACKAGES"
    done
}

build_root() { # ROOT
    local root=$1 dir package applet
    mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root"/{dev,proc,sys,run,tmp,mnt,share,root,etc,var/lib/nfs}
    for dir in bin sbin lib lib64; do ln -s "usr/$dir" "$root/$dir"; done
    for package in "${GUEST_PACKAGES[@]}"; do
        unpack "$(deb "$debs" "$package")" "$root" --exclude='./usr/share/doc' --exclude='./usr/share/man' \
            --exclude='./usr/share/locale' --exclude='./usr/share/bash-completion' --exclude='*/gconv/*'
    done
    ln -sf mawk "$root/usr/bin/awk"
    ln -sf bash "$root/usr/bin/sh"
    for applet in $("$root/usr/bin/busybox" --list); do
        [[ -e $root/usr/bin/$applet || -e $root/usr/sbin/$applet ]] || ln -s busybox "$root/usr/bin/$applet"
    done
    copy_modules "$tmp/kernel" "$root"
    ldconfig -r "$root"
    check_libraries "$root"

    printf '%s\n' 'root:x:0:0:root:/root:/bin/bash' 'nobody:x:65534:65534:nobody:/:/bin/false' \
        'statd:x:100:65534::/var/lib/nfs:/bin/false' '_rpc:x:101:65534::/run/rpcbind:/bin/false' >"$root/etc/passwd"
    printf '%s\n' 'root:x:0:' 'nogroup:x:65534:' >"$root/etc/group"
    printf '%s\n' '127.0.0.1 localhost guest' '10.0.2.2 host' >"$root/etc/hosts"
    printf '%s\n' 'passwd: files' 'group: files' 'hosts: files' >"$root/etc/nsswitch.conf"
    mkdir -p "$root"/var/lib/nfs/{sm,sm.bak,rpc_pipefs,v4recovery}
    touch "$root"/var/lib/nfs/{etab,rmtab,state} "$root"/etc/{exports,fstab}
    ln -sf /proc/self/mounts "$root/etc/mtab"
    install -m 755 "$INTEROP_DIR/guest/init" "$root/init"
}

build_vm() {
    declare -gA versions=()
    debs=$INTEROP_CACHE/debs
    kver=$(apt-cache depends linux-image-amd64 \
        | sed -n 's/.*Depends: linux-image-\(6\.1\.0-[0-9]*-amd64\)$/\1/p' | head -1)
    [[ -n $kver ]] || die "apt knows no linux-image-amd64 of Debian 12 (is apt-get update recent?)"
    read_versions "linux-image-$kver" "${GUEST_PACKAGES[@]}"
    kdeb=${versions[linux-image-$kver]-}
    download "$debs" "linux-image-$kver=$kdeb" "${GUEST_PACKAGES[@]}"

    tmp=$(mktemp -d "$INTEROP_CACHE/tmp.XXXXXX")
    trap 'rm -rf "$tmp"' EXIT
    mkdir -p "$tmp/kernel" "$tmp/vm"
    unpack "$(deb "$debs" "linux-image-$kver=$kdeb")" "$tmp/kernel" ./boot ./lib/modules
    local siw=$INTEROP_CACHE/siw-$kver-$kdeb.ko
    if [[ ! -f $siw ]]; then
        download "$debs" "linux-headers-$kver=$kdeb" "linux-headers-${kver%-amd64}-common=$kdeb" \
            "linux-kbuild-6.1=$kdeb" "linux-source-6.1=$kdeb"
        build_siw "$siw"
    fi
    install -D -m 644 "$siw" "$tmp/kernel/lib/modules/$kver/kernel/drivers/infiniband/sw/siw/siw.ko"
    depmod -b "$tmp/kernel" "$kver"
    unpack_kernel "$tmp/kernel/boot/vmlinuz-$kver" "$tmp/vm/vmlinux"
    build_root "$tmp/root"
    (cd "$tmp/root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) >"$tmp/vm/initramfs.cpio"
    echo "Linux $kver ($kdeb)" >"$tmp/vm/kernel"
    echo "$stamp" >"$tmp/vm/stamp"
    rm -rf "$INTEROP_VM"
    mv "$tmp/vm" "$INTEROP_VM"
    echo "build-vm: $(<"$INTEROP_VM/kernel"), $(du -m "$INTEROP_VM/initramfs.cpio" | cut -f1) MiB, in $INTEROP_VM"
}

grep -qs '^VERSION_ID="12"' /etc/os-release || die "this needs Debian 12: the guest is made of its packages"
[[ $(uname -m) == x86_64 ]] || die "this needs an x86-64 machine"
need apt-get=apt dpkg-deb=dpkg gcc-12=gcc-12 make=make strip=binutils cpio=cpio depmod=kmod modprobe=kmod xz=xz-utils \
    qemu-system-x86_64=qemu-system-x86
mkdir -p "$INTEROP_CACHE"
exec 9>"$INTEROP_CACHE/lock"
flock 9
stamp=$(cat "$INTEROP_DIR/build-vm.sh" "$INTEROP_DIR/guest/init" | sha256sum | cut -d' ' -f1)
build_helper random-io
if [[ ${1-} != --force && -f $INTEROP_VM/stamp && $(<"$INTEROP_VM/stamp") == "$stamp" ]]; then
    echo "build-vm: up to date: $(<"$INTEROP_VM/kernel") in $INTEROP_VM"
else
    build_vm
fi
