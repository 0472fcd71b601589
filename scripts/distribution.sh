# Sourced by ./rpcrdma4j (POSIX sh) after find-jdk.sh, with $root set.
#
# distribution MODULE sets dist to a folder that holds all jars of MODULE ("cli" or "bench"), and builds it first
# when a source is newer. Each build gets a folder of its own, so that a server which is running keeps its jars;
# the file MODULE.current names the newest. A lock lets two commands start at once on a fresh clone.

distribution() {
    launcher=$root/target/launcher
    if ! is_fresh "$1"; then
        lock_launcher
        if ! is_fresh "$1"; then
            build_distribution "$1" || {
                unlock_launcher
                exit 1
            }
        fi
        unlock_launcher
    fi
    dist=$(cat "$launcher/$1.current")
}

# A folder counts too: its time changes when a file in it is removed.
is_fresh() {
    [ -r "$launcher/$1.current" ] || return 1
    built=$(cat "$launcher/$1.current")
    [ -e "$built/stamp" ] || return 1
    [ -z "$(find "$root/pom.xml" "$root"/*/pom.xml "$root"/*/src/main -newer "$built/stamp" | head -n 1)" ]
}

# flock(1) gives the lock back even when its holder is killed; Maven inherits it, so that a build which outlives
# its launcher keeps others out. Without flock a folder with the holder's process id does.
lock_launcher() {
    mkdir -p "$launcher"
    if command -v flock >/dev/null 2>&1; then
        exec 9>"$launcher/lock"
        flock -n 9 || {
            echo "rpcrdma4j: waiting for another build of this source tree" >&2
            flock 9
        }
        return 0
    fi
    until mkdir "$launcher/lock.d" 2>/dev/null; do
        holder=$(cat "$launcher/lock.d/pid" 2>/dev/null) || holder=
        if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
            rm -rf "$launcher/lock.d"
        else
            sleep 1
        fi
    done
    echo $$ >"$launcher/lock.d/pid"
}

unlock_launcher() {
    if command -v flock >/dev/null 2>&1; then
        exec 9>&-
    else
        rm -rf "$launcher/lock.d"
    fi
}

build_distribution() {
    prepare_maven || return 1
    log=$launcher/$1.log
    next=$launcher/$1.$(date +%s).$$
    made=$root/$1/target/quick/dist/lib
    if [ -e "$launcher/$1.current" ]; then
        echo "rpcrdma4j: the sources changed, building (about half a minute)" >&2
    else
        echo "rpcrdma4j: first use, building (a minute or two)" >&2
    fi
    rm -rf "$made"
    mkdir -p "$next"
    touch "$next/stamp"
    if ! (cd "$root" && exec mvn --batch-mode --no-transfer-progress -q -Pquick -Dmaven.test.skip=true \
        -pl "$1" -am package) >"$log" 2>&1 </dev/null; then
        rm -rf "$next"
        # Up to the first empty error line, where Maven starts to give general advice.
        sed -n '/^\[ERROR\] *$/q;s/ -> \[Help 1\]$//;s/^\[ERROR\] //p' "$log" | awk '!seen[$0]++' | head -n 20 >&2
        echo "rpcrdma4j: the build failed; all of its output is in $log" >&2
        return 1
    fi
    cp "$made"/*.jar "$next"
    if [ "$1" = cli ]; then
        # What every start loads and links, ready to map; without it the command only starts more slowly.
        "$JAVA_HOME/bin/java" -XX:AOTCacheOutput="$next/start.aot" \
            --enable-native-access=io.rpcrdma4j.verbs.iwarp \
            -p "$next" -m io.rpcrdma4j.cli/io.rpcrdma4j.cli.Main --help >>"$log" 2>&1 </dev/null || true
    fi
    echo "$next" >"$launcher/$1.next"
    mv "$launcher/$1.next" "$launcher/$1.current"
    # Keep two earlier builds for commands that still run from them.
    ls -1dt "$launcher/$1".[0-9]* | tail -n +4 | while read -r old; do
        rm -rf "$old"
    done
}
