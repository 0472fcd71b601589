# shellcheck shell=bash
# What a user does with a mounted directory, as checks. Sourced by the scripts that have mounted /mnt/nfs.
#
#   nfs_checks DIRECTORY      runs them all in a new directory below DIRECTORY, and removes it
#   few_nfs_checks DIRECTORY  the same with a few of them

FILE_SIZES=(0 1 3 4 100 3967 4095 4096 4097 5001 8192 65535 65536 65537 1048575 1048576 1048577 1048579 3145731)

make_source() {
    [[ -s /tmp/source ]] || head -c 4000000 /dev/urandom >/tmp/source
}

is_source() { # FILE SIZE: whether the file is the first SIZE bytes of the source, as the server has it
    drop_caches
    [[ $(stat -c %s "$1") == "$2" ]] || fail "size $(stat -c %s "$1")" || return
    cmp -n "$2" "$1" /tmp/source
}

write_read() { # SIZE
    dd if=/tmp/source of="file-$1" bs=1M iflag=count_bytes,fullblock conv=fsync status=none count="$1" || return
    is_source "file-$1" "$1"
}

write_read_direct() {
    dd if=/tmp/source of=direct bs=1M iflag=fullblock oflag=direct count=3 status=none || return
    is_source direct 3145728 || return
    dd if=direct bs=256K iflag=direct status=none | cmp -n 3145728 - /tmp/source
}

overwrite() {
    head -c 100000 /tmp/source >over || return
    printf 'in the middle' | dd of=over bs=1 seek=50001 conv=notrunc,fsync status=none || return
    drop_caches
    [[ $(stat -c %s over) == 100000 ]] || fail "size changed" || return
    [[ $(dd if=over bs=1 skip=50001 count=13 status=none) == 'in the middle' ]] || fail "bytes not there" || return
    cmp -n 50001 over /tmp/source && cmp -i 50014 over /tmp/source -n 49986
}

append() {
    local i
    for i in {1..50}; do echo "line $i" >>appended || return; done
    drop_caches
    cmp appended <(printf 'line %d\n' {1..50})
}

truncate_both_ways() {
    head -c 70000 /tmp/source >"cut"
    truncate -s 12345 cut || return
    is_source cut 12345 || return
    truncate -s 30000 cut || return
    drop_caches
    [[ $(stat -c %s cut) == 30000 ]] || fail "size $(stat -c %s cut)" || return
    cmp -n 12345 cut /tmp/source && cmp -n 17655 -i 12345:0 cut /dev/zero
}

parallel() {
    local i pids=()
    for i in {1..8}; do
        (dd if=/tmp/source of="parallel-$i" bs=128K count=16 conv=fsync status=none \
            && is_source "parallel-$i" 2097152) &
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i" || return; done
}

list_directory() { # COUNT
    local name
    mkdir "list-$1" || return
    for name in $(seq -f 'a-name-with-some-length-%05g' "$1"); do : >"list-$1/$name" || return; done
    drop_caches
    diff <(find "list-$1" -mindepth 1 -printf '%f\n' | sort) <(seq -f 'a-name-with-some-length-%05g' "$1") >/dev/null \
        || fail "names differ" || return
    drop_caches
    [[ $(find "list-$1" -type f -printf '%s\n' | grep -c '^0$') == "$1" ]] || fail "ls -l differs"
}

symbolic_links() {
    local length target
    for length in 1 100 1023 1024 3000 4000; do
        target=$(head -c "$length" /dev/zero | tr '\0' y)
        ln -s "$target" "link-$length" || return
        drop_caches
        [[ $(readlink "link-$length") == "$target" ]] || fail "link of $length characters differs" || return
    done
    echo through >target && ln -s target link-to-target && [[ $(<link-to-target) == through ]]
}

hard_link() {
    echo one >name-1
    ln name-1 name-2 || return
    drop_caches
    [[ $(stat -c '%h %i' name-1) == "$(stat -c '%h %i' name-2)" && $(stat -c %h name-1) == 2 ]] \
        || fail "not the same file" || return
    echo more >>name-2
    rm name-1
    [[ $(<name-2) == $'one\nmore' && $(stat -c %h name-2) == 1 ]]
}

renames() {
    mkdir from to && echo a >from/a && echo b >to/b || return
    mv from/a to/a && mv -f to/a to/b || return
    drop_caches
    [[ $(<to/b) == a && ! -e to/a && ! -e from/a ]] || fail "file not moved" || return
    mv from to/moved && [[ -d to/moved && ! -e from ]] || fail "directory not moved" || return
    echo old >old && mv old "name with  spaces" && [[ $(<'name with  spaces') == old ]]
}

directories() {
    local deep=deep i
    for i in {1..40}; do deep+=/d$i; done
    mkdir -p "$deep" && echo bottom >"$deep/file" || return
    drop_caches
    [[ $(<"$deep/file") == bottom && $(find deep -type d | wc -l) == 41 ]] || fail "tree differs" || return
    # the server must refuse this
    ! rmdir deep 2>/dev/null || fail "removed a directory that is not empty" || return
    rm -r deep && [[ ! -e deep ]]
}

names() {
    local long name
    long=$(head -c 255 /dev/zero | tr '\0' n)
    for name in "$long" '.hidden' $'new\nline' 'ünïcödé-文件' '-dash' '*' 'back\slash'; do
        echo "$name" >"./$name" || return
        drop_caches
        [[ $(<"./$name") == "$name" ]] || fail "differs: $name" || return
        rm "./$name" || return
    done
    ! touch "${long}n" 2>/dev/null || fail "a name of 256 bytes was taken"
}

attributes() {
    echo x >attributes
    chmod 640 attributes && touch -d '2001-02-03 04:05:06.789 UTC' attributes || return
    drop_caches
    [[ $(stat -c '%a %s %F' attributes) == '640 2 regular file' ]] || fail "mode or size" || return
    [[ $(stat -c %Y attributes) == "$(date -d '2001-02-03 04:05:06 UTC' +%s)" ]] \
        || fail "time $(stat -c %y attributes)" || return
    chmod 000 attributes && chmod 755 attributes && [[ $(stat -c %a attributes) == 755 ]]
}

errors() {
    ! cat missing 2>/dev/null || fail "read a missing file" || return
    [[ $(cat missing 2>&1) == *'No such file'* ]] || fail "not ENOENT" || return
    mkdir there
    [[ $(mkdir there 2>&1) == *'File exists'* ]] || fail "not EEXIST" || return
    [[ $(rmdir attributes 2>&1) == *'Not a directory'* ]] || fail "not ENOTDIR" || return
    (set -C && ! : >attributes) 2>/dev/null || fail "exclusive create of a file that is there"
}

deleted_while_open() {
    head -c 300000 /tmp/source >open
    exec 5<open
    rm open
    drop_caches
    cmp -n 300000 - /tmp/source <&5 || return
    exec 5<&-
    [[ -z $(find . -name '.nfs*') ]] || fail "left behind: $(find . -name '.nfs*')"
}

run_program() {
    cp /usr/bin/sha256sum program && chmod 755 program || return
    drop_caches
    [[ $(./program </tmp/source) == "$(sha256sum </tmp/source)" ]]
}

copy_tree() {
    local from
    from=$(echo /usr/lib/modules/*/kernel/net)
    cp -r "$from" tree || return
    drop_caches
    diff -r "$from" tree || return
    echo "$(find tree -type f | wc -l) files, $(du -sk tree | cut -f1) KiB"
}

file_system_size() {
    df -k . | awk 'NR == 2 { print $2 " KiB, " $4 " free"; exit !($2 > 0 && $4 > 0 && $4 <= $2) }'
}

remove_all() { # DIRECTORY
    rm -rf "$1" || return
    drop_caches
    [[ ! -e $1 ]]
}

nfs_checks() { # DIRECTORY
    local directory=$1/checks
    make_source
    check "make a directory" mkdir "$directory"
    cd "$directory" || return
    data_checks "${FILE_SIZES[@]}"
    name_checks
    cd / || return
    check "remove everything" remove_all "$directory"
}

few_nfs_checks() { # DIRECTORY
    make_source
    mkdir "$1/checks" && cd "$1/checks" || return
    data_checks 1 4096 1048579
    cd / || return
    check "remove everything" remove_all "$1/checks"
}

data_checks() { # SIZE...
    local size
    for size in "$@"; do
        check "write, fsync and read $size bytes" write_read "$size"
    done
    check "direct I/O" write_read_direct
    check "overwrite in the middle" overwrite
    check "append" append
    check "truncate down and up" truncate_both_ways
}

name_checks() {
    check "eight writers and readers at once" parallel
    check "list 200 names" list_directory 200
    check "list 1500 names" list_directory 1500
    check "symbolic links of 1 to 4000 characters" symbolic_links
    check "hard link" hard_link
    check "rename files and directories" renames
    check "directories, 40 levels" directories
    check "long and odd names" names
    check "chmod and times" attributes
    check "errors" errors
    check "read a file deleted while open" deleted_while_open
    check "run a program" run_program
    check "copy a tree" copy_tree
    check "df" file_system_size
}
