# shellcheck shell=bash
# The groups of checks that check.sh runs. Sourced by it; $out, $seed and the other settings are its variables.

RPCRDMA4J=${RPCRDMA4J:-$(dirname "$INTEROP_DIR")/rpcrdma4j}
server_pid='' server_port='' mount_port='' vm_pid=''
group_failed=0

# run_group NAME: runs one group in this (sub)shell; returns whether all its checks passed.
run_group() {
    dir=$out/$1
    trap stop_everything EXIT
    "group_$1"
    ((group_failed == 0))
}

# step NAME COMMAND...: one check on the host's side, one line as in the guest.
step() {
    local name=$1 began=$EPOCHREALTIME output
    shift
    if output=$("$@" 2>&1); then
        echo "ok   $name ($(seconds_since "$began") s)${output:+: ${output##*$'\n'}}"
    else
        group_failed=1
        echo "FAIL $name ($(seconds_since "$began") s)"
        sed 's/^/     /' <<<"${output:-no message}"
    fi
}

seconds_since() {
    awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }'
}

# vm SECONDS [OPTION...] SCRIPT [ARGUMENT...]: runs a script in the guest; what it prints are checks.
vm() {
    start_vm "$@"
    end_vm "$1"
}

start_vm() { # SECONDS [OPTION...] SCRIPT [ARGUMENT...]
    "$INTEROP_DIR/run-vm.sh" -t "$1" -k "$dir/console" "${@:2}" 8>&- &
    vm_pid=$!
}

end_vm() { # SECONDS
    local code=0
    wait "$vm_pid" || code=$?
    vm_pid=''
    case $code in
        0) return 0 ;;
        1) ;;
        124) echo "FAIL the guest did not end within $1 s" ;;
        *) echo "FAIL the guest could not be run (exit code $code)" ;;
    esac
    group_failed=1
}

# start_server ARGUMENT...: `rpcrdma4j serve` on free ports, or on those of the server before it.
start_server() {
    local arguments=("$@" --listen 127.0.0.1 --port "${server_port:-0}" --mount-port "${mount_port:-0}") ready n
    ((EUID != 0)) || arguments+=(--as-root)
    "$RPCRDMA4J" serve "${arguments[@]}" >"$dir/server.out" 2>>"$dir/server.err" 8>&- &
    server_pid=$!
    for ((n = 0; n < 1800; n++)); do # the command may have to be built first
        ready=$(grep -m 1 '^ready ' "$dir/server.out") && break
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.1
    done
    if [[ $ready =~ rdma=.*:([0-9]+)\ mount=.*:([0-9]+)\ export=/ ]]; then
        server_port=${BASH_REMATCH[1]} mount_port=${BASH_REMATCH[2]}
        return 0
    fi
    echo "FAIL rpcrdma4j serve does not become ready: $(cat "$dir/server.out" "$dir/server.err")"
    group_failed=1
    return 1
}

# Asks the server to end; it must do so, and must not have printed a stack trace.
end_server() {
    local n
    kill -TERM "$server_pid" 2>/dev/null || { echo "the server had died: $(tail -5 "$dir/server.err")"; return 1; }
    for ((n = 0; n < 100; n++)); do
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.1
    done
    ! kill -0 "$server_pid" 2>/dev/null || { echo "the server does not end within 10 s"; return 1; }
    ! grep -E '^\s+at |Exception|Error' "$dir/server.err" "$dir/server.out" || return 1
}

stop_everything() {
    [[ -z $server_pid ]] || kill -9 "$server_pid" 2>/dev/null || true
    [[ -z $vm_pid ]] || kill "$vm_pid" 2>/dev/null || true
}

is_empty() { # DIRECTORY
    [[ -z $(ls -A "$1") ]] || { ls -A "$1"; return 1; }
}

group_baseline() {
    vm 400 baseline.sh "$baseline_seconds" "$seed" "$baseline"
}

group_serve() {
    mkdir "$dir/export"
    start_server "$dir/export" --state "$dir/state" || return 0
    vm 300 -p "$dir/capture.pcap" mount-v3.sh "$server_port" "$mount_port" /
    step "nothing left on the server" is_empty "$dir/export"
    step "the server ends" end_server
    echo "-- tshark"
    "$INTEROP_DIR/tshark-check.sh" "$dir/capture.pcap" || group_failed=1
}

group_random() {
    mkdir "$dir/export" "$dir/guest"
    start_server "$dir/export" --state "$dir/state" || return 0
    vm $((random_seconds + 200)) -w out="$dir/guest" \
        random-io.sh "$server_port" "$mount_port" / "$random_seconds" "$seed"
    step "the server's files are what was written" same_files "$dir/guest/expected.sha256" "$dir/export/random-io"
    step "the server ends" end_server
}

same_files() { # CHECKSUMS DIRECTORY
    (cd "$2" && sha256sum --quiet -c "$1" && echo "$(wc -l <"$1") files, $(du -sm . | cut -f1) MB")
}

group_restart() {
    mkdir "$dir/export" "$dir/guest"
    start_server "$dir/export" --state "$dir/state" || return 0
    start_vm 300 -w out="$dir/guest" restart.sh "$server_port" "$mount_port" /
    while kill -0 "$vm_pid" 2>/dev/null; do
        if [[ -e $dir/guest/kill ]]; then
            kill -9 "$server_pid"
            wait "$server_pid" 2>/dev/null || true
            start_server "$dir/export" --state "$dir/state" || break
            rm "$dir/guest/kill"
        fi
        sleep 0.1
    done
    end_vm 300
    step "the server ends" end_server
}

# ---- the client of rpcrdma4j and the kernel's server ----

url() { # PATH-BELOW-THE-EXPORT
    echo "nfs://127.0.0.1:$server_port/export/$1?mountport=$mount_port"
}

group_client() {
    local put_sizes=(0 1 3 4095 4096 4097 1048575 1048579) connections=50 size name
    [[ $sizes == short ]] || put_sizes+=(2 3967 65536 5000001 67108867) connections=200
    mkdir "$dir/guest" "$dir/files"
    server_port=$(free_port) mount_port=$(free_port)
    start_vm 420 -w out="$dir/guest" -f "$server_port:20049" -f "$mount_port:20048" kernel-server.sh 400
    step "the kernel's server is up" wait_for "$dir/guest/ready" 200
    [[ -e $dir/guest/ready ]] || { end_vm 420; return; }
    head -c 67200000 /dev/urandom >"$dir/source"

    step "ping" "$RPCRDMA4J" ping "127.0.0.1:$server_port" -c 20
    step "ls of 600 names" list_names
    step "stat" stat_file
    while read -r _ name; do
        step "get ${name#size-} bytes" get_file "$name"
    done <"$dir/guest/served.sha256"
    for size in "${put_sizes[@]}"; do
        step "put --verify $size bytes" put_file "$size"
    done
    step "put --verify and get on four connections" put_get_four
    step "the kernel has what was put" kernel_has_files
    step "mkdir, mv, rm" make_move_remove
    step "a missing file is an error" missing_file
    step "$connections connections in a row" connect_often "$connections"
    touch "$dir/guest/stop"
    end_vm 420
}

wait_for() { # FILE SECONDS
    local n
    for ((n = 0; n < $2 * 10; n++)); do
        [[ ! -e $1 ]] || return 0
        kill -0 "$vm_pid" 2>/dev/null || { echo "the guest has ended"; return 1; }
        sleep 0.1
    done
    echo "not within $2 s"
    return 1
}

list_names() {
    diff <("$RPCRDMA4J" ls "$(url served/directory)" | sort) <(seq -f 'name-%04g' 600) >"$dir/ls.diff" \
        || { head -5 "$dir/ls.diff"; return 1; }
}

stat_file() {
    "$RPCRDMA4J" stat "$(url served/size-1048579)" | grep -m 1 1048579
}

get_file() { # NAME
    "$RPCRDMA4J" get "$(url "served/$1")" "$dir/files/$1" || return
    (cd "$dir/files" && grep " $1\$" "$dir/guest/served.sha256" | sha256sum --quiet -c)
}

put_file() { # SIZE
    head -c "$1" "$dir/source" >"$dir/files/put-$1"
    "$RPCRDMA4J" put --verify "$dir/files/put-$1" "$(url "put-$1")" || return
    (cd "$dir/files" && sha256sum "put-$1") >>"$dir/put.sha256"
}

put_get_four() {
    head -c 33554437 "$dir/source" >"$dir/files/put-four"
    "$RPCRDMA4J" put --verify --connections 4 "$dir/files/put-four" "$(url put-four)" || return
    (cd "$dir/files" && sha256sum put-four) >>"$dir/put.sha256"
    "$RPCRDMA4J" get --connections 4 "$(url put-four)" "$dir/files/got-four" || return
    cmp "$dir/files/put-four" "$dir/files/got-four"
}

kernel_has_files() {
    local n
    cp "$dir/put.sha256" "$dir/guest/verify"
    for ((n = 0; n < 600; n++)); do
        [[ -e $dir/guest/verify ]] || break
        sleep 0.1
    done
    [[ ! -e $dir/guest/verify ]] || { echo "the guest does not answer"; return 1; }
    [[ ! -s $dir/guest/verified ]] || { cat "$dir/guest/verified"; return 1; }
    echo "$(wc -l <"$dir/put.sha256") files"
}

make_move_remove() {
    "$RPCRDMA4J" mkdir "$(url made)" || return
    "$RPCRDMA4J" mv "$(url put-4096)" "$(url made/moved)" || return
    [[ $("$RPCRDMA4J" ls "$(url made)") == moved ]] || { echo "not moved"; return 1; }
    "$RPCRDMA4J" cat "$(url made/moved)" | cmp - "$dir/files/put-4096" || return
    "$RPCRDMA4J" rm "$(url made/moved)" || return
    [[ -z $("$RPCRDMA4J" ls "$(url made)") ]] || { echo "not removed"; return 1; }
}

missing_file() {
    local code=0
    "$RPCRDMA4J" get "$(url missing)" "$dir/files/missing" || code=$?
    ((code == 1)) || { echo "exit code $code"; return 1; }
    [[ ! -e $dir/files/missing ]] || { echo "a file was left"; return 1; }
}

connect_often() { # TIMES
    local n
    for ((n = 1; n <= $1; n++)); do
        timeout 20 "$RPCRDMA4J" ping "127.0.0.1:$server_port" -c 1 >"$dir/ping" 2>&1 \
            || { echo "connection $n: exit code $?: $(<"$dir/ping")"; return 1; }
    done
}
