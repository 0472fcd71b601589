# Sourced by the scripts of this project: find_jdk sets JAVA_HOME to a JDK of version 25 or newer,
# or prints one sentence and returns 1. POSIX sh.

# Version number of the JDK in folder $1 (25 for 25.0.3), from its "release" file; empty if it is none.
jdk_version() {
    [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

is_jdk_25() {
    [ -n "$1" ] || return 1
    version=$(jdk_version "$1")
    [ -n "$version" ] && [ "$version" -ge 25 ]
}

find_jdk() {
    if is_jdk_25 "${JAVA_HOME:-}"; then
        export JAVA_HOME
        return 0
    fi
    for jdk in /usr/lib/jvm/temurin-25* /usr/lib/jvm/*25* /opt/java/*25* /opt/*jdk*25* \
        "${HOME:-/root}"/.sdkman/candidates/java/25* "${HOME:-/root}"/.jdks/*25* \
        /Library/Java/JavaVirtualMachines/*25*/Contents/Home; do
        if is_jdk_25 "$jdk"; then
            JAVA_HOME=$jdk
            export JAVA_HOME
            return 0
        fi
    done
    javac=$(command -v javac 2>/dev/null) || javac=
    if [ -n "$javac" ]; then
        javac=$(readlink -f "$javac" 2>/dev/null || echo "$javac")
        jdk=$(dirname "$(dirname "$javac")")
        if is_jdk_25 "$jdk"; then
            JAVA_HOME=$jdk
            export JAVA_HOME
            return 0
        fi
    fi
    echo "rpcrdma4j needs a JDK 25 or newer: none found; install one (for example Temurin 25) or set JAVA_HOME to it." >&2
    return 1
}
