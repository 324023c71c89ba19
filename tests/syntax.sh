#!/bin/sh
# Checks that every header compiles by itself, with the flags that editors read from compile_flags.txt: a file that includes it could
# have included what it lacks, and nobody would notice.
#   tests/syntax.sh          checks one header in thirty, other ones for every commit
#   FULL=1 tests/syntax.sh   checks all
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
CXX=${CXX:-g++}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
every=30
[ -z "${FULL:-}" ] || every=1
first=$(git rev-list --count HEAD 2>/dev/null || echo 0)
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# xargs does not pass on the status of each compiler, so each writes its result as a line.
find lib chapters exercises solutions -name '*.hpp' | sort | awk -v every="$every" -v first="$first" '(NR + first) % every == 0' |
    xargs -P "$jobs" -I FILE sh -c '
        if errors=$(echo "#include \"FILE\"" | '"$CXX"' $(cat compile_flags.txt) -fsyntax-only - 2>&1) && [ -z "$errors" ]; then echo "fine FILE"
        else echo "FILE does not open by itself:"; echo "$errors" | head -n 5; fi' >"$log"
passed=$(grep -c '^fine ' "$log")
failed=$(grep -c ' does not open by itself:$' "$log")
grep -v '^fine ' "$log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
