#!/bin/sh
# Checks what no program of the tests compiles: that every header opens by itself, with the flags that editors read from
# compile_flags.txt (a file that includes it could have included what it lacks), and that exercises' programs to try out
# do; with clang++, too, where there is one.
#   tests/syntax.sh          checks one file in thirty, other ones for every commit
#   FULL=1 tests/syntax.sh   checks all
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
CXX=${CXX:-g++}
command -v clang++ >/dev/null 2>&1 && other=clang++ || other=
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
every=30
[ -z "${FULL:-}" ] || every=1
first=$(git rev-list --count HEAD 2>/dev/null || echo 0)
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# FILE COMPILER, one a line.
for_each_compiler() { while read -r file; do for c in "$CXX" $other; do echo "$file $c"; done; done; }
# xargs does not pass on the status of each compiler, so each writes its result as a line.
find lib chapters exercises solutions -name '*.hpp' -o -name '*_try.cpp' | sort |
    awk -v every="$every" -v first="$first" '(NR + first) % every == 0' | for_each_compiler |
    xargs -P "$jobs" -L 1 sh -c '
        file=$0; errors=$(echo "#include \"$file\"" | "$@" $(cat compile_flags.txt) -fsyntax-only - 2>&1)
        if [ $? -eq 0 ] && [ -z "$errors" ]; then echo "fine $file"
        else echo "$file does not open by itself:"; echo "$errors" | head -n 5; fi' >"$log"
passed=$(grep -c '^fine ' "$log")
failed=$(grep -c ' does not open by itself:$' "$log")
grep -v '^fine ' "$log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
