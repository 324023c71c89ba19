#!/bin/sh
# Runs damaged copies of the fuzzers' seeds, for SECONDS (10) for each target. Every commit gets other copies.
#   sh tests/fuzz/each.sh BUILD [SECONDS]
# Ends with "N passed, N failed"; each target counts as one. A target fails if it has not ended four minutes after these seconds.
# The last lines of a failed target's output are shown; the same seed finds the failure again.
set -eu
export TBT_FUZZ_SECONDS="${2:-10}" OMP_NUM_THREADS=1 build="$1"
commit=$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1)
TBT_FUZZ_SEED=$(printf '%d' "0x$commit")
export TBT_FUZZ_SEED
for folder in tests/fuzz/corpus/*/; do basename "$folder"; done | xargs -P 2 -n 1 sh -c '
    log=$build/fuzz-$1.log
    if TBT_FUZZ=$1 timeout $((TBT_FUZZ_SECONDS + 240)) "$build/tests-fuzz" "no damaged copy*" >"$log" 2>&1 && grep "damaged copies" "$log"; then
        echo "1 passed, 0 failed"
    else
        echo "FAIL: TBT_FUZZ=$1 TBT_FUZZ_SEED=$TBT_FUZZ_SEED TBT_FUZZ_SECONDS=600 TBT_FUZZ_LAST=FILE $build/tests-fuzz: FILE is the copy it fails at"
        tail -n 30 "$log" | grep -v "^[0-9]* passed,"
        echo "0 passed, 1 failed"
    fi' fuzz >"$build/fuzz-each.log"
grep -v -x '[01] passed, [01] failed' "$build/fuzz-each.log"
passed=$(grep -c '^1 passed' "$build/fuzz-each.log" || true)
failed=$(grep -c '^0 passed' "$build/fuzz-each.log" || true)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
