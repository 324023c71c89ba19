#!/bin/sh
# Every stub must compile without a warning, fail with a kind message, and be what exercises/make_stub.sh makes from its solution.
# No marked place in a solution may have more than 20 lines; in a warm-up (04_00), or as the first one of a chapter, at most 5.
#   stubs.sh BINARY LOG    BINARY is the tests compiled with the stubs, LOG has the compiler's messages
# Ends with "N passed, N failed".
set -u
binary=$1 log=$2
good=0 bad=0 chapter=''
complain() { echo "$1: $2"; wrong=1; }
outside() { awk '/>>> write here/ { print; skip = 1 } /<<< to here/ { skip = 0 } !skip' "$1"; }
# Prints the names of three letters or more, without keywords of C++ that are also English words.
words() { grep -oE '[A-Za-z_][A-Za-z0-9_]{2,}' | grep -vxE 'for|begin|end|throw|empty|return|while' | sort -u; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
if grep -q 'warning:' "$log"; then grep 'warning:' "$log" | head -n 5; bad=$((bad + 1)); fi
for solution in solutions/*.hpp; do
    name=$(basename "$solution" .hpp) wrong=0
    number=$(echo "$name" | cut -d_ -f1,2)
    stub=exercises/$name.hpp
    # In a learner's own tree the exercise may be solved, so the stub is read from git.
    git show "HEAD:$stub" > "$work/stub.hpp" 2>/dev/null || cp "$stub" "$work/stub.hpp"
    outside "$solution" > "$work/b"
    sh exercises/make_stub.sh - "$solution" | cmp -s - "$work/stub.hpp" || complain "$name" "the stub is not made of its solution: sh exercises/make_stub.sh $name"
    grep -q '>>> write here' "$work/stub.hpp" || complain "$name" "no marked lines"
    lines=$(awk '/>>> write here/ { on = 1; n = 0; next } /<<< to here/ { on = 0 } on && NF && !/^ *\/\// { if (++n > most) most = n } END { print most }' "$solution")
    [ "$lines" -le 20 ] || complain "$name" "one step is $lines lines long, expected 20 at most"
    case $number in *_00) [ "$lines" -le 5 ] || complain "$name" "a warm-up has a step of $lines lines, expected 5 at most" ;; esac
    if [ "${number%%_*}" != "$chapter" ]; then
        chapter=${number%%_*}
        lines=$(awk '/>>> write here/ { on = 1; next } /<<< to here/ { exit } on && NF && !/^ *\/\// { ++n } END { print n }' "$solution")
        [ "$lines" -le 5 ] || complain "$name" "its chapter begins with a step of $lines lines, expected 5 at most"
    fi
    awk -v name="$name" '/^== / { on = ($2 == name); next } on' "exercises/${number%%_*}.hints" >"$work/hints"
    for hint in '1 nudge' '2 plan' '3 nearly there'; do
        grep -q "^$hint" "$work/hints" || complain "$name" "no hint '$hint'"
    done
    grep -qxF "solution: $name" tests/mutants/exercises/*.txt || complain "$name" "no mutants"
    # The first hint may not give away a name that the solution invents.
    awk '/>>> write here/ { on = 1 } on { sub(/\/\/.*/, ""); print } /<<< to here/ { on = 0 }' "$solution" | words > "$work/inside"
    words < "$work/b" > "$work/known"
    sed -n '/^1 nudge/,/^2 plan/p' "$work/hints" | words > "$work/hint"
    comm -23 "$work/inside" "$work/known" | comm -12 - "$work/hint" > "$work/given"
    [ -s "$work/given" ] && complain "$name" "its first hint has a name of the solution: $(tr '\n' ' ' < "$work/given")"
    if cmp -s "$stub" "$work/stub.hpp"; then
        if "$binary" "[ex$number]" > "$work/out" 2>&1; then complain "$name" "the stub passes its tests"; fi
        grep -q 'you have not written this yet' "$work/out" || complain "$name" "the stub does not say that it is not written yet"
        grep -q 'fatal error condition' "$work/out" && complain "$name" "the stub crashes"
    fi
    [ $wrong -eq 0 ] && good=$((good + 1)) || bad=$((bad + 1))
done
echo "$good passed, $bad failed"
[ $bad -eq 0 ] && [ $good -gt 0 ]
