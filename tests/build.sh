#!/bin/sh
# Tests how the course is built and tested: the totals of make test.
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
# holds WHAT COMMAND…
holds() {
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $what"; fi
}
says() { case $1 in *"$2"*) true ;; *) echo "no '$2' in: $1"; false ;; esac; }

# ---- the total says what was skipped -------------------------------------------------------------------------
mkdir "$work/ran" && date +%s >"$work/ran/.begin"
part() { sh tests/part.sh "$work/ran" "$@"; }
shown=$(part lib printf 'All tests passed\nskipped: GPT-2 itself: there is no folder\n3 passed, 0 failed\n'
    part 16 printf '1 passed, 0 failed\n')
holds "a part shows its name and its count" [ "$(echo $shown)" = "lib: 3 passed, 0 failed 16: 1 passed, 0 failed" ]
total=$(sh tests/total.sh "$work/ran" lib 16)
holds "the total names the test that was skipped, and why" says "$total" "skipped: lib: GPT-2 itself: there is no folder"
holds "the total counts it" [ "$(echo "$total" | tail -n 1)" = "4 passed, 0 failed, 1 skipped" ]
part broken false
total=$(sh tests/total.sh "$work/ran" 16 broken)
holds "a part that failed without a count is one failure" [ "$(echo "$total" | tail -n 1)" = "1 passed, 1 failed, 0 skipped" ]
counts=$(sed -n "s/.*<(awk '\(.*\)' \"\$work\/log\").*/\1/p" .ci/run)
holds ".ci/run reads a total" [ "$(printf '4 passed, 1 failed, 2 skipped\n3 passed, 0 failed\n' | awk "$counts")" = "7 1" ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
