#!/bin/sh
# Builds and tests rpcrdma4j with a JDK 25 that it finds itself.
set -eu

usage() {
    cat <<'END'
usage: ./build.sh [COMMAND] [MAVEN ARGUMENTS]

  verify         everything: format, warnings as errors, Error Prone, NullAway, all tests (the default)
  test MODULE    the same for one module and what it needs, unit tests only
  quick MODULE   compile and unit-test one module without the checkers; for the inner loop
  fmt            format all sources
  javadoc        build the API documentation, warnings as errors

MODULE is a folder: verbs, verbs-iwarp, rpc, rpcrdma, nfs, ...
END
}

root=$(cd "$(dirname "$0")" && pwd)
cd "$root"
. scripts/find-jdk.sh
find_jdk
prepare_maven

run_mvn() {
    exec mvn --batch-mode --no-transfer-progress "$@"
}

command=${1:-verify}
[ $# -eq 0 ] || shift
case $command in
    verify)
        run_mvn verify "$@"
        ;;
    test | quick)
        [ $# -gt 0 ] || {
            echo "build.sh $command: which module?" >&2
            usage >&2
            exit 2
        }
        module=$1
        shift
        if [ "$command" = quick ]; then
            set -- -Pquick "$@"
        fi
        run_mvn -pl "$module" -am -Dsurefire.failIfNoSpecifiedTests=false test "$@"
        ;;
    fmt)
        run_mvn -q -Dspotless.check.skip=true spotless:apply "$@"
        ;;
    javadoc)
        run_mvn -Dspotless.check.skip=true -DskipTests package javadoc:javadoc "$@"
        ;;
    -h | --help | help)
        usage
        ;;
    *)
        usage >&2
        exit 2
        ;;
esac
