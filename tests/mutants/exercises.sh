#!/bin/sh
# Tests wrong answers to the exercises one by one: each must fail its check.
#   exercises.sh             tests all of tests/mutants/exercises/*.txt, as many lists at once as there are cores
#   exercises.sh NAME …      tests those of the exercises NAME*
#   exercises.sh kinds       tests COUNT=20 of each kind of mistake that kinds.awk puts into the solutions (SEED=1: which); those that do
#                            not compile are left out
# Below "solution: NAME" a list has the wrong answers to solutions/NAME.hpp, each followed by an empty line:
#   mutant: what the mistake is
#   from: text that occurs exactly once in the solution, in one line      or   body: 1   replaces the whole first marked place
#   to: the text that replaces it (several lines to: … are several lines)
# The tests are compiled once for all mutants of a list (batch.awk), and run for each mutant, within the limits of make check.
# The message for the learner must have the input, the expected value, the actual value and something to think about. If one is
# missing, the mutant is reported as MUTE.
# make passes BUILD, the commands to compile a test and to link (COMPILE_TEST, LINK, EXPORT), WITNESSES, the library (LIBRARY) and LIBS.
set -u
work=${WORK:-}

# Runs one list. Prints a line for each mutant, killed or not. If it prints nothing else, all is well.
run_list() {
    name=$(basename "$1" .txt)
    source=$work/$name.cpp log=$work/$name.log binary=$work/$name
    if ! awk -f tests/mutants/batch.awk "$1" "solutions/$name.hpp" "tests/exercises/ex$name.cpp" >"$source" 2>"$log"; then cat "$log"; return; fi
    compile="$COMPILE_TEST -g0 -w -MF /dev/null -iquote . -c $source"
    if ! $compile -o "$binary.o" 2>"$log"; then
        if [ -n "${KINDS:-}" ]; then compiling "$1" && run_list "$1"; return; fi
        n=$(grep -c '^mutant: ' "$1") k=0
        while [ $k -le "$n" ]; do
            # shellcheck disable=SC2086
            $compile -DONE=$k -fsyntax-only >"$log" 2>&1 || { echo "BROKEN    $name: $(what "$1" $k): does not compile:"; grep error "$log" | head -n 3; [ $k -gt 0 ] || return; }
            k=$((k + 1))
        done
        return
    fi
    # shellcheck disable=SC2086
    if ! $LINK -g0 "$binary.o" "$BUILD/obj/tests/main.o" $WITNESSES $LIBRARY $LIBS $EXPORT -o "$binary" 2>"$log"; then
        echo "BROKEN    $name: does not link:"; head -n 3 "$log"; return
    fi
    # The tests must pass without a mutation; otherwise a failure would mean nothing.
    if ! EXERCISE_LIMITS=1 "$binary" '[m0]' >"$log" 2>&1; then echo "BROKEN    $name fails without any mutation:"; tail -n 5 "$log"; return; fi
    k=1
    for _ in $(sed -n 's/^mutant: .*/x/p' "$1"); do
        if EXERCISE_LIMITS=1 "$binary" "[m$k]" --abort -o /dev/null >"$log" 2>&1 </dev/null; then echo "SURVIVED  $name: $(what "$1" $k)"
        else
            echo "killed    $name: $(what "$1" $k)"
            lacks=$(lacking "$log")
            [ -z "$lacks" ] || { echo "MUTE      $name: $(what "$1" $k): its failure$lacks:"; sed 's/^/    | /' "$log"; }
        fi
        k=$((k + 1))
    done
    rm -f "$binary" "$binary.o"
}
# Leaves in a list what compiles; fails if that is all or nothing of it.
compiling() {
    n=$(grep -c '^mutant: ' "$1") k=0 some=''
    : >"$1.new"
    while [ $k -lt "$n" ]; do
        k=$((k + 1))
        # shellcheck disable=SC2086
        if $compile -DONE=$k -fsyntax-only >"$log" 2>&1; then awk -v RS= -v ORS='\n\n' -v k=$k 'NR == k' "$1" >>"$1.new"; else some=1; fi
    done
    mv "$1.new" "$1"
    [ -s "$1" ] && [ -n "$some" ]
}
# Prints what is missing in the message of a failure, or should not be in it.
lacking() {
    grep -q '^limit: ' "$1" && return  # exercise.sh has its own words for these
    grep -q '^  got  ' "$1" || printf ' lacks what came'
    grep -q '^  expected  ' "$1" || printf ' lacks what was expected'
    grep -q '^  think about: .' "$1" || printf ' lacks what to think about'
    # The input is either a call with its numbers, or on a line of its own.
    sed -n '/^test: /,/^end of report/p' "$1" | grep -v -e '^test: ' -e '^  got ' -e '^  expected ' -e '^  differs ' -e '^  think about' |
        grep -q -e '^  checked .*(.*[0-9{"].*)' -e '^  [^c]' -e '^  c[^h]' || printf ' lacks the input'
    grep -qE -e 'Approx|with expansion|REQUIRE|CHECK|FAILED|no short way' "$1" && printf ' has words of the test library'
}
what() { if [ "$2" = 0 ]; then echo "the solution itself"; else sed -n 's/^mutant: //p' "$1" | sed -n "$2p"; fi; }

if [ -n "$work" ]; then run_list "$1"; exit 0; fi
WORK=$(mktemp -d) || exit 1
trap 'rm -rf "$WORK"' EXIT
export WORK BUILD COMPILE_TEST LINK WITNESSES LIBRARY LIBS EXPORT
lists='tests/mutants/exercises/*.txt'
if [ "$*" = kinds ]; then
    export KINDS=1
    lists=$WORK/kinds.txt
    awk -f tests/mutants/kinds.awk -v seed="${SEED:-1}" -v count="${COUNT:-20}" -v skip=tests/mutants/kinds.skip solutions/*.hpp >"$lists"
    shift
fi
if [ $# -eq 0 ]; then set -- ''; fi
mkdir "$WORK/lists"
# shellcheck disable=SC2086
awk -v to="$WORK/lists/" '/^solution: / { list = to $2 ".txt"; next } { print >list }' $lists
for wanted in "$@"; do ls "$WORK/lists/$wanted"*.txt; done |
    xargs -P "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" -n 1 sh "$0" | tee "$WORK/report"
killed=$(grep -c '^killed' "$WORK/report") survived=$(grep -c '^SURVIVED' "$WORK/report")
mute=$(grep -c '^MUTE' "$WORK/report")
echo "$killed wrong answers fail, $survived pass; of the failures $mute say too little"
[ "$survived" -eq 0 ] && [ "$mute" -eq 0 ] && [ "$killed" -gt 0 ] && ! grep -q '^BROKEN' "$WORK/report"
