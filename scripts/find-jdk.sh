# Sourced by the scripts of this project (POSIX sh): find_jdk sets JAVA_HOME to a JDK of version 25 or
# newer, or says in one sentence that there is none and returns 1.

# True when folder $1 is a JDK (not just a JRE) whose "release" file says 25 or more.
is_jdk_25() {
    [ -n "$1" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
    [ -n "$version" ] && [ "$version" -ge 25 ]
}

# The JDK that javac on PATH belongs to; empty if there is none.
jdk_on_path() {
    javac=$(command -v javac 2>/dev/null) || return 0
    javac=$(readlink -f "$javac" 2>/dev/null || echo "$javac")
    dirname "$(dirname "$javac")"
}

find_jdk() {
    for jdk in "${JAVA_HOME:-}" \
        /usr/lib/jvm/temurin-25* /usr/lib/jvm/*25* /opt/java/*25* /opt/*jdk*25* \
        "${HOME:-}"/.sdkman/candidates/java/25* "${HOME:-}"/.jdks/*25* \
        /Library/Java/JavaVirtualMachines/*25*/Contents/Home \
        "$(jdk_on_path)"; do
        if is_jdk_25 "$jdk"; then
            JAVA_HOME=$jdk
            export JAVA_HOME
            return 0
        fi
    done
    echo "rpcrdma4j needs a JDK 25 or newer and found none: install one (Temurin 25, say) or set JAVA_HOME to it." >&2
    return 1
}

# Called before any mvn: it must be there, and Maven's own use of Unsafe should not print warnings.
prepare_maven() {
    command -v mvn >/dev/null 2>&1 || {
        echo "rpcrdma4j needs Maven 3.8.6 or newer to build, and there is no mvn on PATH." >&2
        return 1
    }
    MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow"
    export MAVEN_OPTS
}
