#!/bin/sh
# Runs chapter 23's program of a build folder with each line of command_lines.txt. Each run must end with status 0 and without a report
# of a sanitizer (or of a program that runs it, such as valgrind).
#   tests/sanitized/run.sh BUILD [PROGRAM THAT RUNS IT]      FIRST=1 STEP=1: only every STEP-th line
# PAIRS=1000 SEED=1: a thousand times the options of two lines together, which may be refused.
# valgrind does not support AVX-512, and takes minutes even for one line in ten:
#   make ARCH=x86-64-v3 build-x86-64-v3/23_text_generator
#   STEP=10 sh tests/sanitized/run.sh build-x86-64-v3 valgrind -q --error-exitcode=1
# Ends with "N passed, N failed".
set -u
build=$1
shift
lines=tests/sanitized/command_lines.txt
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 number=0 refused=0
if [ -n "${PAIRS:-}" ]; then
    grep -v '^#' $lines | awk -v seed="${SEED:-1}" -v pairs="$PAIRS" '
        { line[NR] = $0; sub(/^(@30)?("[^"]*" )?/, ""); sub(/ -n [0-9]+/, ""); options[NR] = $0 }
        END { srand(seed); while (pairs-- > 0) print line[1 + int(rand() * NR)], options[1 + int(rand() * NR)] }' >"$work/lines"
    lines=$work/lines
fi
i=0  # thirty turns of a chat
while [ $i -lt 10 ]; do
    printf '%s\n' 'Hello.' 'What is your name, and where do you live?' 'What is 3 plus 4?'
    i=$((i + 1))
done >"$work/turns"
while IFS= read -r line; do
    case $line in '#'* | '') continue ;; esac
    number=$((number + 1))
    [ $(((number - ${FIRST:-1}) % ${STEP:-1})) -eq 0 ] || continue
    input=/dev/null
    case $line in @30*) input=$work/turns line=${line#@30} ;; esac
    # Any report ends the program. Leaks are not reported, because OpenMP keeps its memory to the end.
    (eval "set -- \"\$@\" $build/23_text_generator $(echo "$line" | sed "s|OUT|$work/out|g")"
        ASAN_OPTIONS=detect_leaks=0:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1 \
            TSAN_OPTIONS=ignore_noninstrumented_modules=1 exec "$@") <"$input" >"$work/text" 2>"$work/err"
    status=$?
    [ -z "${PAIRS:-}" ] || case $status in 1 | 2) status=0 refused=$((refused + 1)) ;; esac
    if [ $status -eq 0 ] && ! grep -qE 'runtime error|Sanitizer|ERROR SUMMARY: [1-9]' "$work/err"; then passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "line $number, status $status: $line"
        grep -E 'runtime error|Sanitizer|: |^ *#' "$work/err" | head -n 8 | sed 's/^/    /'
    fi
done <"$lines"
[ -z "${PAIRS:-}" ] || echo "$refused of the pairs were refused"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
