#!/usr/bin/env bash
# What a learner's first commands cost, in processor seconds (user + system) of this machine: each from a fresh copy of HEAD.
#   tests/build_seconds.sh          run-04, run, and an edited header's program again
#   tests/build_seconds.sh test     make test, too (minutes)
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive HEAD | tar -x -C "$work" || exit 1
# Runs make, and prints what it took.
seconds() {
    local name=$1 TIMEFORMAT='%U %S'
    shift
    { time make -C "$work" "$@" >"$work/log" 2>&1 </dev/null; } 2>&1 |
        awk -v name="$name" '{ printf "%-40s %6.1f s", name, $1 + $2 }'
    echo ", $(grep -c '  CXX ' "$work/log") files compiled"
}
seconds "fresh make run-04" run-04
touch "$work/chapters/04_top_k/plain_top_k.hpp"
seconds "make run-04 after an edit of its header" run-04
rm -rf "$work/build"
seconds "fresh make run" run
[ "${1:-}" != test ] || { rm -rf "$work/build"; seconds "fresh make test" test; }
